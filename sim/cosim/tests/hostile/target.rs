//! The NIC that meets hostile frames: its tables, its memory, its own messages.
use std::collections::HashMap;

use metaroce_cosim::axi_mem::Access;
use metaroce_cosim::bus::Pace;
use metaroce_cosim::host::{self, ReceiveRing, Rings};
use metaroce_cosim::lab::NicLab;
use metaroce_cosim::station::{Station, Surroundings};
use metaroce_model::config::{Size, Tunables};
use metaroce_protocol::frame::Addresses;
use metaroce_protocol::{
    CompletionStatus, ConfigTable, ConnectionEntry, Counter, Cqe, PathEntry, Profile, Psn,
    RegionEntry, Rqe, Tsn, Wqe, WqeOpcode,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The low bits are the connection's number.
pub const QP: u32 = 0x0A_0000;
pub const SOURCE: u64 = 0x10_0000;
const SOURCE_BYTES: usize = 1 << 14;

/// What the frames may write, and nothing else in the whole address space.
#[derive(Clone, Copy)]
pub struct Region {
    pub key: u32,
    pub base: u64,
    pub length: u64,
}

/// Odd addresses and lengths; the second ends at the end of the address space, but for the last byte.
pub const REGIONS: [Region; 2] = [
    Region {
        key: 0x0A50_1001,
        base: 0x7_FFFF_F003,
        length: 0x2FF7,
    },
    Region {
        key: 0xFFFF_FF02,
        base: 0xFFFF_FFFF_FFFF_E005,
        length: 0x1FFA,
    },
];

/// Entries of the receive queue, log2.
const RING_LOG2: u32 = 3;
/// Cycles after which every register access has had its effect.
const REGISTERS: u64 = 50;
const HANGS: u64 = 3_000_000;

pub struct Target {
    pub station: Station,
    pub size: Size,
    rings: Rings,
    random: ChaCha8Rng,
    ring: ReceiveRing,
    profile: Profile,
    /// Messages posted, and those of each connection and stream.
    posted: u16,
    next_message: HashMap<(u16, u16), u16>,
    /// What the NIC sends comes back to it.
    looped: bool,
    /// Cycles without a commit after which none will come.
    quiet: u64,
    pub cycles: u64,
}

impl Target {
    pub fn new(lab: &NicLab, pace: Pace, rto: u32, seed: u64) -> Self {
        let surroundings = Surroundings {
            pace,
            memory_latency: 10,
            seed,
            start_time: 0u32.wrapping_sub(30_000),
        };
        let mut station = lab.station("target", &surroundings, None).expect("a NIC");
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        // The very first beats after reset are frames: they wait until the NIC is enabled, and are no better than others.
        for plane in 0..lab.size().planes as usize {
            station.deliver(plane, vec![0xFF]);
            station.deliver(plane, (0..200).map(|_| random.random()).collect());
        }
        let rings = Rings::new(&mut station, 4, 4);
        let ring = ReceiveRing::new(&mut station, RING_LOG2);
        let memory = station.memory().clone();
        let mut memory = memory.borrow_mut();
        memory.add("source", SOURCE, SOURCE_BYTES, Access::ReadOnly);
        random.fill(&mut memory.region_mut("source").expect("it").data[..]);
        for (name, region) in ["low", "high"].into_iter().zip(REGIONS) {
            memory.add(name, region.base, region.length as usize, Access::ReadWrite);
        }
        drop(memory);
        let mut target = Self {
            station,
            size: lab.size(),
            rings,
            random,
            ring,
            profile: lab.built().profile(),
            posted: 0,
            next_message: HashMap::new(),
            looped: false,
            // The longest wait of a path is four time-outs.
            quiet: 4 * u64::from(rto) + 500,
            cycles: 0,
        };
        target.write_regions();
        let tunables = Tunables {
            window: 16,
            rto,
            max_retries: 2,
            ack_every: 2,
            mtu_log2: 8,
        };
        host::enable(&mut target.station, &tunables);
        target
    }

    fn write_regions(&mut self) {
        for region in REGIONS {
            let entry = RegionEntry {
                valid: true,
                r_key: region.key,
                base: region.base,
                length: region.length,
            };
            let index = region.key & (self.size.regions - 1);
            let words = entry.to_words();
            host::write_entry(&mut self.station, ConfigTable::Region, index, &words);
        }
    }

    /// All connections anew, each with its peer: the tester, or one another.
    pub fn connect(&mut self, epoch: u8, looped: bool) {
        self.looped = looped;
        self.next_message.clear();
        let size = self.size;
        for connection in 0..size.connections {
            let peer = if looped { connection ^ 1 } else { 0x55_0000 };
            let entry = ConnectionEntry {
                valid: true,
                local_qp: QP | connection,
                remote_qp: QP | peer,
                path_count: self.random.random_range(1..=size.paths) as u8,
                src_ip: [10, 0, 0, connection as u8].into(),
                dst_ip: [10, 0, 1, connection as u8].into(),
                ..Default::default()
            };
            let ip_sum = Addresses::from(&entry).ip_sum();
            // In a loop both ends must know all paths that one of them uses.
            let valid = if looped {
                size.paths
            } else {
                entry.path_count.into()
            };
            let entry = ConnectionEntry { ip_sum, ..entry };
            for path in 0..size.paths {
                self.write_path(connection, path, epoch, path < valid);
            }
            // Last: it makes the connection live, and a path's old silence would be a time-out.
            let (table, words) = (ConfigTable::Connection, entry.to_words());
            host::write_entry(&mut self.station, table, connection, &words);
        }
        self.rest(REGISTERS);
    }

    fn write_path(&mut self, connection: u32, path: u32, epoch: u8, valid: bool) {
        let entry = PathEntry {
            valid,
            plane: (path % self.size.planes) as u8,
            epoch,
            entropy: 0xC000 + path as u16,
            first_psn_tx: Psn::truncate(0xFF_FF00),
            first_tsn_tx: Tsn::truncate(0xFF_FFF0),
            first_psn_rx: Psn::truncate(0xFF_FF00),
            first_tsn_rx: Tsn::truncate(0xFF_FFF0),
        };
        let index = connection * self.size.paths + path;
        let words = entry.to_words();
        host::write_entry(&mut self.station, ConfigTable::Path, index, &words);
    }

    /// Posts a message, if the queue has room, on a random connection.
    pub fn post(&mut self) -> Option<Wqe> {
        if !self.rings.has_room() {
            return None;
        }
        let length = self.random.random_range(0..1_500);
        let local = self.random.random_range(0..SOURCE_BYTES as u64 - 1_500);
        // In a loop messages must not overwrite each other.
        let lane = u64::from(self.posted % 4) * 1_501;
        let connection = self.random.random_range(0..self.size.connections) as u16;
        let stream = self.random.random_range(0..4);
        let message = self.next_message.entry((connection, stream)).or_default();
        let wqe = Wqe {
            opcode: WqeOpcode::Write,
            connection,
            stream,
            message: *message,
            r_key: if self.looped { REGIONS[1].key } else { 0 },
            length,
            local_address: SOURCE + local,
            remote_address: REGIONS[1].base + lane,
            wr_id: self.posted.into(),
            ..Default::default()
        };
        *message = message.wrapping_add(1);
        self.posted = self.posted.wrapping_add(1);
        self.rings.post(&mut self.station, &wqe);
        Some(wqe)
    }

    /// Posts a buffer, if the queue has room: some for nobody, some too short.
    pub fn post_buffer(&mut self) {
        let waiting = self.station.lockstep().waiting_rqes();
        if !self.profile.tracks_messages() || waiting >= 1 << RING_LOG2 {
            return;
        }
        let random = &mut self.random;
        let stray = random.random_range(0..20) == 0;
        let length = random.random_range(0..500);
        let region = REGIONS[random.random_range(0..REGIONS.len())];
        let rqe = Rqe {
            connection: match stray {
                true => random.random(),
                false => random.random_range(0..self.size.connections) as u16,
            },
            stream: random.random_range(0..self.size.trackers.streams + u16::from(stray)),
            length,
            address: region.base + random.random_range(0..region.length - u64::from(length)),
            wr_id: random.random(),
        };
        self.ring.post(&mut self.station, &rqe);
    }

    /// Connection 0 with its first path alone, to the tester.
    pub fn connect_one(&mut self, epoch: u8) {
        self.write_path(0, 0, epoch, true);
        let entry = ConnectionEntry {
            valid: true,
            local_qp: QP,
            remote_qp: QP | 0x55_0000,
            path_count: 1,
            src_ip: [10, 0, 0, 0].into(),
            dst_ip: [10, 0, 1, 0].into(),
            ..Default::default()
        };
        let ip_sum = Addresses::from(&entry).ip_sum();
        let words = ConnectionEntry { ip_sum, ..entry }.to_words();
        host::write_entry(&mut self.station, ConfigTable::Connection, 0, &words);
        self.rest(REGISTERS);
    }

    /// Posts this message.
    pub fn post_wqe(&mut self, wqe: &Wqe) {
        self.rings.post(&mut self.station, wqe);
    }

    /// Whether a message may be posted.
    pub fn has_room(&self) -> bool {
        self.rings.has_room()
    }

    /// Some planes take nothing for a while: answers and data wait behind them.
    pub fn hold_some(&mut self) {
        let mask: u32 = self.random.random();
        self.station.hold(mask & self.random.random::<u32>());
    }

    /// So many cycles.
    pub fn run(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| self.cycle());
    }

    /// Messages posted and not completed.
    pub fn in_flight(&self) -> u32 {
        self.rings.in_flight()
    }

    pub fn completions(&mut self) -> Vec<Cqe> {
        self.rings.take(&mut self.station)
    }

    pub fn cycle(&mut self) {
        self.cycles += 1;
        let sent = self.station.cycle();
        for (plane, frame) in sent.unwrap_or_else(|failure| panic!("{failure}")) {
            if self.looped {
                self.station.deliver(plane, frame);
            }
        }
    }

    /// Until the NIC has nothing more to say.
    pub fn settle(&mut self) {
        self.rest(self.quiet);
    }

    fn rest(&mut self, quiet: u64) {
        let began = self.cycles;
        self.cycle();
        while self.station.quiet_for() < quiet {
            self.cycle();
            assert!(self.cycles - began < HANGS, "no rest");
        }
    }

    /// Messages between the connections, all frames handed back to the NIC: all arrive.
    pub fn ordinary_traffic(&mut self, epoch: u8) {
        self.connect(epoch, true);
        let mut done = 0;
        let mut wanted = Vec::new();
        while wanted.len() < 4 {
            wanted.extend(self.post());
        }
        let began = self.cycles;
        while done < wanted.len() {
            self.cycle();
            if self.cycles.is_multiple_of(16) {
                for cqe in self.completions() {
                    if cqe.received {
                        continue;
                    }
                    assert_eq!(cqe.status, CompletionStatus::Success, "{cqe:?}");
                    done += 1;
                }
            }
            assert!(self.cycles - began < HANGS, "ordinary traffic does not end");
        }
        self.settle();
        let memory = self.station.memory().borrow();
        for wqe in wanted {
            let length = wqe.length as usize;
            let sent = memory.bytes(wqe.local_address, length);
            assert!(
                sent.is_some() && sent == memory.bytes(wqe.remote_address, length),
                "a message arrived, but not its bytes"
            );
        }
    }

    /// Hardware and model agree on every counter, and each frame has ended in one of them.
    pub fn check_counters(&mut self) {
        host::ask_counters(&mut self.station);
        self.rest(REGISTERS);
        let values = host::counters(&mut self.station);
        let read = |counter| values[&counter];
        let checked = self.station.check_quiet(read);
        checked.unwrap_or_else(|failure| panic!("{failure}"));
        let ends: u32 = ends(self.profile).iter().copied().map(read).sum();
        assert_eq!(read(Counter::RxFrames), ends, "{values:?}");
    }
}

/// Where a frame may end: exactly one of these.
pub fn ends(profile: Profile) -> Vec<Counter> {
    let mut ends = ENDS.to_vec();
    if profile.tracks_messages() {
        ends.extend([
            Counter::RxVerbs,
            Counter::RxNotReady,
            Counter::RxInvalidRequest,
        ]);
    }
    ends
}

/// In every profile.
const ENDS: &[Counter] = &[
    Counter::RxForeign,
    Counter::RxMalformed,
    Counter::RxBadIcrc,
    Counter::RxUnknownOpcode,
    Counter::RxUnknownConnection,
    Counter::RxClosedEpoch,
    Counter::RxDuplicate,
    Counter::RxOutOfWindow,
    Counter::RxBadKey,
    Counter::RxBadRange,
    Counter::RxWrites,
    Counter::RxProbes,
    Counter::RxAcks,
    Counter::RxAckStale,
    Counter::RxAckInvalid,
    Counter::RxOnFailedConnection,
    Counter::RxRefusals,
];
