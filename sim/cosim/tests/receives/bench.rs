//! A NIC that takes messages from the model, its host, and what must arrive.
use std::collections::VecDeque;

use metaroce_cosim::axi_mem::Access;
use metaroce_cosim::bus::Pace;
use metaroce_cosim::host::{self, ReceiveRing, Rings};
use metaroce_cosim::lab::NicLab;
use metaroce_cosim::planes::Faults;
use metaroce_cosim::station::{Station, Surroundings};
use metaroce_model::config::{Size, Tunables};
use metaroce_protocol::frame::Addresses;
use metaroce_protocol::{
    CompletionStatus, ConfigTable, ConnectionEntry, Counter, Cqe, PathEntry, Psn, RegionEntry, Rqe,
    Tsn, Wqe, WqeOpcode,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::peer::{Peer, SOURCE};

const KEY: u32 = 0x0051_2301;
const QP: [u32; 2] = [0x0A_0000, 0x0B_0000];
/// Host memory for all that arrives; each message has a place of its own.
const SINK: u64 = 0x4000_0000;
/// Bytes of a buffer, and of a place.
pub const LONGEST: u32 = 9_000;
const PLACE: u64 = 3 * 4_096;
/// Cycles in which nothing happens any more.
const HANGS: u64 = 400_000;

/// What the run is like.
#[derive(Clone, Debug)]
pub struct Load {
    pub seed: u64,
    pub faults: Faults,
    pub pace: Pace,
    pub mtu_log2: u32,
    /// Log2 of the receive queue's entries, and of the completion queue's.
    pub rq_log2: u32,
    pub cq_log2: u32,
    /// Cycles in which the host takes completions, and in which it takes none, in turn.
    pub takes: u64,
    pub idles: u64,
    /// Chance in a look (every 16 cycles) that a buffer is posted.
    pub posts: f64,
    /// Messages.
    pub messages: u64,
}

/// A message that takes a buffer, on its way.
struct Coming {
    wqe: Wqe,
    bytes: Vec<u8>,
}

/// One stream, as both hosts know it.
#[derive(Default)]
struct Flow {
    next_message: u16,
    /// In the order of their messages.
    coming: VecDeque<Coming>,
    /// Posted and not told of: name and address.
    posted: VecDeque<(u64, u64)>,
}

pub struct Bench {
    pub station: Station,
    pub peer: Peer,
    pub size: Size,
    pub load: Load,
    rings: Rings,
    pub ring: ReceiveRing,
    flows: Vec<Flow>,
    random: ChaCha8Rng,
    pub cycles: u64,
    places: u64,
    sent: u64,
    pub told: u64,
    /// RQEs whose places may not be free.
    pub outstanding: u64,
    /// Writes that are in memory for sure once the run is over.
    writes: Vec<(Wqe, Vec<u8>)>,
}

impl Bench {
    pub fn new(lab: &NicLab, load: Load) -> Self {
        let size = lab.size();
        let surroundings = Surroundings {
            pace: load.pace,
            memory_latency: 30,
            seed: load.seed,
            start_time: 0u32.wrapping_sub(10_000),
        };
        let mut station = lab.station("receiver", &surroundings, None).expect("a NIC");
        let tunables = Tunables {
            window: 16,
            rto: 4_000,
            max_retries: 15,
            ack_every: 2,
            mtu_log2: load.mtu_log2,
        };
        let rings = Rings::new(&mut station, 4, load.cq_log2);
        let ring = ReceiveRing::new(&mut station, load.rq_log2);
        let bytes = (2 * load.messages + 1_200) * PLACE;
        let memory = station.memory().clone();
        memory
            .borrow_mut()
            .add("sink", SINK, bytes as usize, Access::ReadWrite);
        let region = RegionEntry {
            valid: true,
            r_key: KEY,
            base: SINK,
            length: bytes,
        };
        let index = KEY & (size.regions - 1);
        let words = region.to_words();
        host::write_entry(&mut station, ConfigTable::Region, index, &words);
        let flows = size.connections * u32::from(size.trackers.streams);
        let mut bench = Self {
            station,
            peer: Peer::new(size, tunables, load.faults, load.seed),
            size,
            rings,
            ring,
            flows: (0..flows).map(|_| Flow::default()).collect(),
            random: ChaCha8Rng::seed_from_u64(load.seed),
            cycles: 0,
            places: 0,
            sent: 0,
            told: 0,
            outstanding: 0,
            writes: Vec::new(),
            load,
        };
        host::enable(&mut bench.station, &tunables);
        (0..size.connections).for_each(|connection| bench.connect(connection, 1));
        bench.rest(200);
        bench
    }

    /// A connection begins, for the first time or once more: the streams begin again on both sides.
    pub fn connect(&mut self, connection: u32, epoch: u8) {
        let size = self.size;
        let (psn, tsn) = (Psn::truncate(0xFF_FF00), Tsn::truncate(0xFF_FFF0));
        for path in 0..size.paths {
            let entry = PathEntry {
                valid: true,
                plane: (path % size.planes) as u8,
                epoch,
                entropy: (0xC000 + path) as u16,
                first_psn_tx: psn,
                first_tsn_tx: tsn,
                first_psn_rx: psn,
                first_tsn_rx: tsn,
            };
            let (index, words) = (connection * size.paths + path, entry.to_words());
            host::write_entry(&mut self.station, ConfigTable::Path, index, &words);
            self.peer
                .endpoint
                .nic
                .write_path(index, entry, self.cycles as u32);
        }
        for end in [0, 1] {
            let entry = ConnectionEntry {
                valid: true,
                local_qp: QP[end] | connection,
                remote_qp: QP[1 - end] | connection,
                path_count: size.paths as u8,
                src_ip: [10, 0, 0, end as u8].into(),
                dst_ip: [10, 0, 0, 1 - end as u8].into(),
                ..Default::default()
            };
            let ip_sum = Addresses::from(&entry).ip_sum();
            let entry = ConnectionEntry { ip_sum, ..entry };
            match end {
                0 => {
                    let words = entry.to_words();
                    let table = ConfigTable::Connection;
                    host::write_entry(&mut self.station, table, connection, &words);
                }
                _ => self.peer.endpoint.nic.write_connection(connection, entry),
            }
        }
        let streams = usize::from(size.trackers.streams);
        for flow in &mut self.flows[connection as usize * streams..][..streams] {
            assert!(flow.coming.is_empty(), "it ended in peace");
            self.outstanding -= flow.posted.len() as u64;
            *flow = Flow::default();
        }
    }

    fn place(&mut self) -> u64 {
        self.places += 1;
        let offset = match self.random.random() {
            true => self.random.random_range(0..4_096),
            false => 4_096 - self.random.random_range(1..300),
        };
        SINK + (self.places - 1) * PLACE + offset.min(PLACE - u64::from(LONGEST))
    }

    /// Nothing, a few bytes, or around a multiple of the MTU or of 4 KiB, or anything.
    fn length(&mut self) -> u32 {
        let random = &mut self.random;
        let near = match random.random_range(0..10) {
            0 => return 0,
            1 => return random.random_range(1..LONGEST),
            2 => random.random_range(1..=2) * 4_096,
            3..6 => random.random_range(1..=4) << self.load.mtu_log2,
            _ => return random.random_range(0..200),
        };
        (near + random.random_range(0..7) - 3).min(LONGEST)
    }

    /// The peer sends a message.
    pub fn send(&mut self, opcode: WqeOpcode, number: usize, length: u32) {
        let streams = usize::from(self.size.trackers.streams);
        let remote_address = self.place();
        let immediate = matches!(opcode, WqeOpcode::WriteImm | WqeOpcode::SendImm);
        let flow = &mut self.flows[number];
        let wqe = Wqe {
            opcode,
            connection: (number / streams) as u16,
            stream: (number % streams) as u16,
            message: flow.next_message,
            r_key: KEY,
            length,
            local_address: self
                .random
                .random_range(0..(SOURCE as u64 - u64::from(LONGEST))),
            remote_address,
            wr_id: self.sent,
            immediate: if immediate { self.random.random() } else { 0 },
            ..Wqe::default()
        };
        flow.next_message = flow.next_message.wrapping_add(1);
        let bytes = self.peer.bytes(&wqe);
        if opcode == WqeOpcode::Write {
            self.writes.push((wqe, bytes));
        } else {
            flow.coming.push_back(Coming { wqe, bytes });
        }
        self.sent += 1;
        self.peer.endpoint.post(wqe);
    }

    /// The host posts a buffer on a stream, or not, as its queue has no place.
    pub fn post(&mut self, number: usize, length: u32) -> bool {
        if self.outstanding >= 1 << self.load.rq_log2 {
            return false;
        }
        let streams = usize::from(self.size.trackers.streams);
        let rqe = Rqe {
            connection: (number / streams) as u16,
            stream: (number % streams) as u16,
            length,
            address: self.place(),
            wr_id: u64::from(self.ring.posted()) << 8 | 0xA5,
        };
        let flow = &mut self.flows[number];
        flow.posted.push_back((rqe.wr_id, rqe.address));
        self.outstanding += 1;
        self.ring.post(&mut self.station, &rqe);
        true
    }

    pub fn take(&mut self) {
        for cqe in self.rings.take(&mut self.station) {
            self.check(&cqe);
        }
    }

    /// It is of the stream's next message, in its next buffer, and its bytes are there already.
    fn check(&mut self, cqe: &Cqe) {
        assert!(
            cqe.received && cqe.status == CompletionStatus::Success,
            "{cqe:?}"
        );
        let streams = usize::from(self.size.trackers.streams);
        let flow = &mut self.flows[usize::from(cqe.connection) * streams + usize::from(cqe.stream)];
        let (wr_id, buffer) = flow.posted.pop_front().expect("a buffer");
        let Coming { wqe, bytes } = flow.coming.pop_front().expect("a message");
        let has_immediate = matches!(wqe.opcode, WqeOpcode::WriteImm | WqeOpcode::SendImm);
        let found = (
            cqe.wr_id,
            cqe.message,
            cqe.length,
            cqe.has_immediate,
            cqe.immediate,
        );
        let wanted = (wr_id, wqe.message, wqe.length, has_immediate, wqe.immediate);
        assert_eq!(found, wanted, "{cqe:?}");
        let address = match wqe.opcode {
            WqeOpcode::WriteImm => wqe.remote_address,
            _ => buffer,
        };
        let memory = self.station.memory().borrow();
        assert!(
            memory.bytes(address, bytes.len()) == Some(&bytes[..]),
            "{cqe:?}"
        );
        self.told += 1;
        self.outstanding -= 1;
    }

    pub fn cycle(&mut self) {
        self.cycles += 1;
        let sent = self.station.cycle();
        for (plane, frame) in sent.unwrap_or_else(|failure| panic!("{failure}")) {
            self.peer.hear(plane, frame, self.cycles);
        }
        let planes = 0..self.size.planes as usize;
        let waiting: Vec<_> = planes.map(|plane| self.station.pending(plane)).collect();
        for (plane, frame) in self.peer.cycle(self.cycles, &waiting) {
            self.station.deliver(plane, frame);
        }
        while let Some(ended) = self.peer.endpoint.poll_completion() {
            assert_eq!(ended.status, CompletionStatus::Success, "{ended:?}");
        }
    }

    /// Messages at random until all are sent and arrived.
    pub fn run(&mut self) {
        let mut quiet_since = (0, self.cycles);
        while self.sent < self.load.messages || self.flows.iter().any(|f| !f.coming.is_empty()) {
            self.cycle();
            if !self.cycles.is_multiple_of(16) {
                continue;
            }
            if self.cycles % (self.load.takes + self.load.idles) < self.load.takes {
                self.take();
            }
            let on_the_way: usize = self.flows.iter().map(|flow| flow.coming.len()).sum();
            if self.sent < self.load.messages && on_the_way < 40 && self.random.random_bool(0.2) {
                let opcode = WqeOpcode::from_code(self.random.random_range(1..=4));
                let (number, length) =
                    (self.random.random_range(0..self.flows.len()), self.length());
                self.send(opcode, number, length);
            }
            if self.random.random_bool(self.load.posts) {
                self.post_wanted();
            }
            if self.told + self.sent > quiet_since.0 {
                quiet_since = (self.told + self.sent, self.cycles);
            }
            assert!(
                self.cycles - quiet_since.1 < HANGS,
                "nothing arrives any more"
            );
        }
        self.finish();
    }

    /// A buffer for the oldest message that has none: the peer's slots may all be taken by such messages.
    fn post_wanted(&mut self) {
        let oldest = |number: &usize| {
            let flow = &self.flows[*number];
            let without = flow.coming.get(flow.posted.len());
            without.map_or(u64::MAX, |coming| coming.wqe.wr_id)
        };
        let number = (0..self.flows.len()).min_by_key(oldest).expect("a stream");
        if oldest(&number) < u64::MAX {
            self.post(number, LONGEST);
        }
    }

    fn rest(&mut self, cycles: u64) {
        let began = self.cycles;
        self.cycle();
        while self.station.quiet_for() < cycles || !self.peer.is_quiet() {
            self.cycle();
            assert!(self.cycles - began < 10 * HANGS, "no rest");
        }
    }

    /// Until nothing happens: what was written is there, and every counter agrees.
    pub fn finish(&mut self) {
        self.rest(20_000);
        self.take();
        let memory = self.station.memory().clone();
        for (wqe, bytes) in self.writes.drain(..) {
            let memory = memory.borrow();
            let found = memory.bytes(wqe.remote_address, bytes.len());
            assert!(found == Some(&bytes[..]), "{wqe:?}");
        }
        self.rest(200);
        host::ask_counters(&mut self.station);
        self.rest(200);
        let values = host::counters(&mut self.station);
        let checked = self.station.check_quiet(|counter| values[&counter]);
        checked.unwrap_or_else(|failure| panic!("{failure}"));
    }

    /// What the NIC counted under a name.
    pub fn count(&self, counter: Counter) -> u32 {
        self.station.lockstep().nic().counters().get(counter)
    }
}
