//! Two endpoints, one virtual clock, and planes with faults under a seed.
#![allow(dead_code)] // each test uses its part

use std::collections::BTreeMap;

use metaroce_model::config::{Size, Tunables};
use metaroce_model::endpoint::Endpoint;
use metaroce_model::nic::{Completion, Nic, Received};
use metaroce_model::wire::{Body, Incoming, Outgoing};
use metaroce_protocol::{
    ConnectionEntry, MacAddr, PathEntry, Psn, RegionEntry, Tsn, Wqe, WqeOpcode, frame,
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
}

pub struct Pair {
    pub hosts: [Host; 2],
    pub now: u64,
    pub faults: Faults,
    pub lost: u64,
    pub max_unresolved: u32,
    random: ChaCha8Rng,
    start: u32,
    wire: BTreeMap<(u64, u64), (usize, Incoming, Vec<u8>)>,
    entered: u64,
    rest: u64,
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

fn host(own: usize, size: Size, tunables: Tunables, first: u32, now: u32) -> Host {
    let mut nic = Nic::new(size, tunables);
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
    }
}

impl Pair {
    /// Two hosts whose PSNs and TSNs start at `first` and whose clocks at `start`.
    pub fn new(faults: Faults, tunables: Tunables, seed: u64, first: u32, start: u32) -> Self {
        let size = Size {
            connections: 1,
            paths: PATHS,
            window_log2: 8,
            planes: PLANES,
            regions: 16,
            slots: 16,
        };
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut hosts = [0, 1].map(|own| host(own, size, tunables, first, start));
        random.fill(&mut hosts[0].memory[..]);
        Self {
            hosts,
            now: 0,
            faults,
            lost: 0,
            max_unresolved: 0,
            random,
            start,
            wire: BTreeMap::new(),
            entered: 0,
            rest: 0,
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
        for from in 0..2 {
            let clock = self.clock();
            if let Some(frame) = self.hosts[from].endpoint.poll_transmit(clock) {
                self.send(from, &frame);
            }
            let host = &mut self.hosts[from];
            host.completions
                .extend(std::iter::from_fn(|| host.endpoint.poll_completion()));
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
        self.now += 1;
    }

    fn send(&mut self, from: usize, frame: &Outgoing) {
        if self.random.random_bool(self.faults.loss) {
            self.lost += 1;
            return;
        }
        let at = frame.local_address as usize;
        let payload = self.hosts[from].memory[at..at + frame.payload_length() as usize].to_vec();
        let ce = self.random.random_bool(self.faults.mark);
        let copies = 1 + u32::from(self.random.random_bool(self.faults.duplicate));
        for _ in 0..copies {
            let jitter = self.random.random_range(0..=self.faults.jitter);
            // Paths differ in length, so they overtake each other without faults.
            let arrival = self.now + 100 + 7 * u64::from(frame.frame.path) + jitter;
            self.entered += 1;
            let arrived = Incoming { ce, ..frame.frame };
            self.wire.insert(
                (arrival, self.entered),
                (1 - from, arrived, payload.clone()),
            );
        }
    }

    fn deliver(&mut self, to: usize, frame: &Incoming, payload: &[u8]) {
        let clock = self.clock();
        if let Received::Placed { address, length } = self.hosts[to].endpoint.handle(frame, clock) {
            let at = address as usize;
            self.hosts[to].memory[at..at + length as usize].copy_from_slice(payload);
        }
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

    /// Transmissions of host 0 whose fate is open.
    pub fn unresolved(&self) -> u32 {
        let nic = &self.hosts[0].endpoint.nic;
        (0..PATHS)
            .filter_map(|p| nic.send_path(p))
            .map(|p| p.unresolved())
            .sum()
    }
}

/// A frame of another kind, as a liar would send it.
pub fn with_body(frame: Incoming, body: Body) -> Incoming {
    Incoming { body, ..frame }
}

/// The largest payload a frame can have.
pub const MAX_PAYLOAD: usize = 4096;

/// A whole frame on the wire must be readable again.
pub fn round_trip(outgoing: &Outgoing, payload: &[u8]) -> Incoming {
    let bytes = outgoing.frame(payload).encode().expect("a payload fits");
    Incoming::from(&frame::parse(&bytes).expect("our own frame parses"))
}
