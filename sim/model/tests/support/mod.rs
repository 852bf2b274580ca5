//! Two endpoints, one virtual clock, and planes with faults under a seed.
#![allow(dead_code)] // each test uses its part

pub mod fault;
pub mod schedules;
pub mod verbs;

use std::collections::BTreeMap;

use fault::Fault;
use metaroce_model::config::{Options, Size, TrackerSize, Tunables};
use metaroce_model::congestion::{Fixed, LawSettings};
use metaroce_model::endpoint::Endpoint;
use metaroce_model::nic::{Completion, Nic, ReceiveCompletion, Received};
use metaroce_model::wire::{Incoming, Outgoing};
use metaroce_protocol::{
    ConnectionEntry, Counter, MacAddr, PathEntry, Profile, Psn, RegionEntry, Tsn, Wqe, WqeOpcode,
    frame,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub const PATHS: u32 = 8;
pub const PLANES: u32 = 4;
pub const R_KEY: u32 = 0x5100;
pub const MEMORY: usize = 1 << 17;
const QP: [u32; 2] = [0x10, 0x20];

/// What happens on the way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    pub loss: f64,
    pub duplicate: f64,
    pub mark: f64,
    /// Ticks that a frame may be late: frames of a path overtake each other.
    pub jitter: u64,
}

/// A host: its endpoint and its memory.
pub struct Host {
    pub endpoint: Endpoint,
    pub memory: Vec<u8>,
    pub completions: Vec<Completion>,
    pub received: Vec<ReceiveCompletion>,
}

impl Host {
    /// What memory and the application have to do.
    fn serve(&mut self) {
        while let Some(order) = self.endpoint.poll_order() {
            let word = &mut self.memory[order.address as usize..][..8];
            let before = u64::from_le_bytes(word.try_into().expect("8 bytes"));
            word.copy_from_slice(&order.operation.apply(before).to_le_bytes());
            self.endpoint.nic.executed(&order, before);
        }
        self.received
            .extend(std::iter::from_fn(|| self.endpoint.poll_receive()));
        self.completions
            .extend(std::iter::from_fn(|| self.endpoint.poll_completion()));
    }
}

/// How a pair starts.
#[derive(Clone, Debug)]
pub struct Setup {
    pub faults: Faults,
    pub rules: Vec<fault::Rule>,
    pub tunables: Tunables,
    pub options: Options,
    pub seed: u64,
    /// First PSN and TSN.
    pub first: u32,
    /// Clock at the start.
    pub start: u32,
}

impl Setup {
    /// Every verb, no faults.
    pub fn whole() -> Self {
        Self {
            faults: Faults::default(),
            rules: Vec::new(),
            tunables: tunables(),
            options: Options {
                profile: Profile::Whole,
                ..Options::default()
            },
            seed: 1,
            first: 0,
            start: 0,
        }
    }
}

pub struct Pair {
    pub hosts: [Host; 2],
    pub now: u64,
    pub faults: Faults,
    pub lost: u64,
    pub max_unresolved: u32,
    /// What host 0 sent last.
    pub last_sent: Option<Outgoing>,
    rules: Vec<fault::Rule>,
    random: ChaCha8Rng,
    start: u32,
    wire: BTreeMap<(u64, u64), (usize, Incoming, Vec<u8>)>,
    entered: u64,
}

pub fn tunables() -> Tunables {
    Tunables {
        window: 16,
        rto: 2_000,
        max_retries: 7,
        ack_every: 2,
        mtu_log2: 8,
    }
}

fn host(own: usize, size: Size, setup: &Setup, law: &dyn Fn() -> Box<dyn LawSettings>) -> Host {
    let (first, now) = (setup.first, setup.start);
    let mut nic = Nic::with_options(size, setup.tunables, setup.options);
    nic.set_law(law());
    let ip = |host: usize| [10, 0, 0, 1 + host as u8].into();
    nic.write_connection(
        0,
        ConnectionEntry {
            valid: true,
            local_qp: QP[own],
            remote_qp: QP[1 - own],
            path_count: PATHS as u8,
            src_mac: MacAddr([2, 0, 0, 0, 0, own as u8]),
            dst_mac: MacAddr([2, 0, 0, 0, 0, 1 - own as u8]),
            src_ip: ip(own),
            dst_ip: ip(1 - own),
            ip_sum: 0,
        },
    );
    for path in 0..PATHS {
        let (psn, tsn) = (Psn::truncate(first & !0xFF), Tsn::truncate(first));
        let entry = PathEntry {
            valid: true,
            plane: (path % PLANES) as u8,
            epoch: 3,
            entropy: 0xC000 + path as u16,
            first_psn_tx: psn,
            first_tsn_tx: tsn,
            first_psn_rx: psn,
            first_tsn_rx: tsn,
        };
        nic.write_path(path, entry, now);
    }
    let region = RegionEntry {
        valid: true,
        r_key: R_KEY,
        base: 0,
        length: MEMORY as u64,
    };
    nic.write_region(0, region);
    Host {
        endpoint: Endpoint::new(nic),
        memory: vec![0; MEMORY],
        completions: Vec::new(),
        received: Vec::new(),
    }
}

impl Pair {
    /// Two hosts as today's hardware, whose PSNs and TSNs start at `first` and whose clocks at `start`.
    pub fn new(faults: Faults, tunables: Tunables, seed: u64, first: u32, start: u32) -> Self {
        Self::with(Setup {
            faults,
            tunables,
            options: Options::default(),
            seed,
            first,
            start,
            ..Setup::whole()
        })
    }

    /// Two hosts.
    pub fn with(setup: Setup) -> Self {
        Self::with_law(setup, &|| Box::new(Fixed))
    }

    /// Two hosts under a congestion law.
    pub fn with_law(setup: Setup, law: &dyn Fn() -> Box<dyn LawSettings>) -> Self {
        let size = Size {
            connections: 1,
            paths: PATHS,
            window_log2: 8,
            planes: PLANES,
            regions: 16,
            slots: 16,
            trackers: TrackerSize::SOFTWARE,
        };
        let mut random = ChaCha8Rng::seed_from_u64(setup.seed);
        let mut hosts = [0, 1].map(|own| host(own, size, &setup, law));
        random.fill(&mut hosts[0].memory[..]);
        Self {
            hosts,
            now: 0,
            faults: setup.faults,
            lost: 0,
            max_unresolved: 0,
            last_sent: None,
            rules: setup.rules,
            random,
            start: setup.start,
            wire: BTreeMap::new(),
            entered: 0,
        }
    }

    pub fn clock(&self) -> u32 {
        self.start.wrapping_add(self.now as u32)
    }

    /// A Write of host 0's bytes to the same place at host 1.
    pub fn post(&mut self, number: u16, offset: u32, length: u32) {
        let (offset, wr_id) = (u64::from(offset), number.into());
        self.hosts[0].endpoint.post(Wqe {
            opcode: WqeOpcode::Write,
            message: number,
            r_key: R_KEY,
            length,
            local_address: offset,
            remote_address: offset,
            wr_id,
            ..Wqe::default()
        });
    }

    /// One tick: each host may send one frame, and hears what has arrived.
    pub fn step(&mut self) {
        let mut busy = false;
        for from in 0..2 {
            let clock = self.clock();
            if let Some(frame) = self.hosts[from].endpoint.poll_transmit(clock) {
                busy = true;
                self.send(from, &frame);
            }
            self.hosts[from].serve();
        }
        while let Some(entry) = self.wire.first_entry().filter(|e| e.key().0 <= self.now) {
            let (to, frame, payload) = entry.remove();
            self.deliver(to, &frame, &payload);
        }
        for path in 0..PATHS {
            let unresolved = self.hosts[0]
                .endpoint
                .nic
                .send_path(path)
                .map_or(0, |p| p.unresolved());
            self.max_unresolved = self.max_unresolved.max(unresolved);
        }
        self.now = if busy { self.now + 1 } else { self.next_time() };
    }

    /// When something can happen again: nothing was sent, so not before the next arrival or timer.
    fn next_time(&self) -> u64 {
        let timer = self.now + 16;
        let arrival = self.wire.first_key_value().map(|(key, _)| key.0);
        arrival.unwrap_or(timer).clamp(self.now + 1, timer)
    }

    fn send(&mut self, from: usize, frame: &Outgoing) {
        let now = self.now;
        if from == 0 {
            self.last_sent = Some(*frame);
        }
        let faults: Vec<_> = (self.rules.iter_mut())
            .filter_map(|rule| rule.meet(from, frame, now))
            .collect();
        if self.random.random_bool(self.faults.loss) || faults.contains(&Fault::Drop) {
            self.lost += 1;
            return;
        }
        if faults.contains(&Fault::Corrupt) {
            self.lost += 1;
            let receiver = &mut self.hosts[1 - from].endpoint.nic;
            receiver.count(Counter::RxBadIcrc);
            return;
        }
        let at = frame.local_address as usize;
        let payload = self.hosts[from].memory[at..at + frame.payload_length() as usize].to_vec();
        let ce = self.random.random_bool(self.faults.mark) || faults.contains(&Fault::Mark);
        let mut late: Vec<u64> = faults.iter().filter_map(|f| f.copy_delay()).collect();
        late.push(faults.iter().map(|f| f.delay()).sum());
        late.extend(self.random.random_bool(self.faults.duplicate).then_some(0));
        for late in late {
            let jitter = self.random.random_range(0..=self.faults.jitter);
            // Paths differ in length, so they overtake each other without faults.
            let arrival = self.now + 100 + 7 * u64::from(frame.frame.path) + jitter + late;
            self.entered += 1;
            let arrived = Incoming { ce, ..frame.frame };
            self.wire.insert(
                (arrival, self.entered),
                (1 - from, arrived, payload.clone()),
            );
        }
    }

    /// A frame reaches a host now.
    pub fn deliver(&mut self, to: usize, frame: &Incoming, payload: &[u8]) {
        let clock = self.clock();
        if let Received::Placed { address, length } = self.hosts[to].endpoint.handle(frame, clock) {
            let at = address as usize;
            self.hosts[to].memory[at..at + length as usize].copy_from_slice(payload);
        }
        self.hosts[to].serve();
    }

    /// Runs until `n` messages have completed, or panics after `limit` ticks.
    pub fn run(&mut self, n: usize, limit: u64) {
        while self.hosts[0].completions.len() < n {
            assert!(
                self.now < limit,
                "{} of {n} messages after {limit} ticks",
                self.hosts[0].completions.len()
            );
            self.step();
        }
    }

    /// Goes on until nothing is on the way and every transmission is resolved: a lost probe costs a time-out.
    pub fn settle(&mut self) {
        let limit = self.now + 10_000_000;
        while !(self.wire.is_empty() && self.unresolved() == 0) {
            assert!(self.now < limit, "frames go on without end");
            self.step();
        }
    }

    /// Transmissions whose fate is open.
    pub fn unresolved(&self) -> u32 {
        let paths = self.hosts.iter().flat_map(|host| {
            let nic = &host.endpoint.nic;
            (0..PATHS).filter_map(|p| nic.send_path(p))
        });
        paths.map(|p| p.unresolved()).sum()
    }
}

/// A whole frame on the wire must be readable again.
pub fn round_trip(outgoing: &Outgoing, payload: &[u8]) -> Incoming {
    let bytes = outgoing.frame(payload).encode().expect("a payload fits");
    Incoming::from(&frame::parse_as(&bytes, Profile::Whole).expect("our own frame parses"))
}
