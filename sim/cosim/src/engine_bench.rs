//! How many events the engine takes in a cycle, in all three directions at once, with the model as its peer.
//!
//! The loop is closed: what the engine sends is answered by the model, whose ACKs open the engine's windows; what the
//! model sends is answered by the engine, whose ACKs open the model's.
use std::time::{Duration, Instant};

use metaroce_model::config::{Size, Tunables};
use metaroce_model::wire::Incoming;
use metaroce_protocol::{ConfigTable, ConnectionEntry, MacAddr, PathEntry, Psn, RegionEntry, Tsn};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

mod messages;
mod peer;
mod ports;

use crate::Error;
use crate::model::Sources;
use messages::{Messages, R_KEY, REGION_BYTES, Slots};
use peer::{OnPlane, Peer};
use ports::{Outlet, Ports};

/// Cycles before the count begins: configuration is in, all three directions have begun, queues have their levels.
const WARM_UP: u64 = 1_000;

/// Cycles of a stretch whose time is taken.
const STRETCH: usize = 100;

/// Windows as large as they go, an answer to every packet, 4,096-byte packets, and no time-out.
pub const TUNABLES: Tunables = Tunables {
    window: 255,
    rto: 1 << 20,
    max_retries: 7,
    ack_every: 1,
    mtu_log2: 12,
};

/// Which paths the packets of both sides take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Paths {
    /// All paths of all connections.
    Many,
    /// Back to back on one path: data to the engine on a single path; the engine's on a path a plane, since a plane takes a
    /// descriptor every fourth cycle at most; ACKs to it path by path.
    One,
}

/// What the engine is to bear.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Load {
    /// Which paths.
    pub paths: Paths,
    /// Packets of a message at most; one at least.
    pub longest: u32,
    /// Probability that a plane or a source of events is not ready in a cycle in which it could be.
    pub stalls: f64,
    /// Cycles that count.
    pub cycles: u64,
    /// Seed of lengths and stalls.
    pub seed: u64,
}

/// What it bore.
#[derive(Clone, Debug, Serialize)]
pub struct Rates {
    /// The load.
    pub load: Load,
    /// Decisions that send, a cycle.
    pub transmit: f64,
    /// Data events committed, a cycle.
    pub receive: f64,
    /// ACK events committed, a cycle.
    pub acknowledge: f64,
    /// ACKs that the engine built, a cycle: one stands for all packets since its path's last.
    pub answers: f64,
    /// Share of each direction's events on the path of the event before: transmit, receive, acknowledge.
    pub same_path: [f64; 3],
    /// Commits of each direction.
    pub commits: [u64; 3],
    /// Packets delivered, by the engine's own word.
    pub delivered: u64,
    /// The same a cycle.
    pub delivered_a_cycle: f64,
    /// Duplicates, retransmissions, packets beyond a window and false ACKs: none.
    pub irregular: u64,
    /// Cycles a second, the peer's work included.
    pub cycles_per_second: f64,
    /// Cycles a second of the verilated engine alone, on one thread: the median of stretches of 100 cycles, which another
    /// program's turn hardly changes.
    pub engine_cycles_per_second: f64,
}

/// One direction.
#[derive(Default)]
struct Direction {
    commits: u64,
    /// Events that entered.
    entered: u64,
    /// Those on the path of the one before.
    same: u64,
    last: Option<u64>,
}

impl Direction {
    fn enter(&mut self, path: u64) {
        self.entered += 1;
        self.same += u64::from(self.last.replace(path) == Some(path));
    }

    fn same_path(&self) -> f64 {
        self.same as f64 / self.entered.max(1) as f64
    }
}

/// The engine between its peer and its planes.
struct Bench {
    ports: Ports,
    peer: Peer,
    slots: Slots,
    size: Size,
    load: Load,
    rng: ChaCha8Rng,
    now: u32,
    data_ready: Vec<bool>,
    answer_ready: Vec<bool>,
    offered_data: Option<OnPlane>,
    offered_ack: Option<OnPlane>,
    directions: [Direction; 3],
    answers: u64,
    delivered: u64,
    /// Time in the verilated engine, by stretch.
    evaluating: Vec<Duration>,
    cycles: usize,
}

/// Runs an engine of this size, whose Verilog is `sources`, under a load. `progress` hears of cycles done and says whether to go on.
pub fn bench_engine(
    sources: &Sources,
    size: Size,
    load: Load,
    mut progress: impl FnMut(u64) -> bool,
) -> Result<Option<Rates>, Error> {
    let mut bench = Bench::new(sources, size, load)?;
    for _ in 0..WARM_UP {
        bench.cycle()?;
    }
    bench.directions = Default::default();
    (bench.answers, bench.delivered) = (0, 0);
    (bench.evaluating, bench.cycles) = (Vec::new(), 0);
    let begun = Instant::now();
    for cycle in 0..load.cycles {
        if cycle % 1_000 == 0 && !progress(cycle) {
            return Ok(None);
        }
        bench.cycle()?;
    }
    let a_cycle = |events: u64| events as f64 / load.cycles as f64;
    let [transmit, receive, acknowledge] = &bench.directions;
    Ok(Some(Rates {
        load,
        transmit: a_cycle(transmit.commits),
        receive: a_cycle(receive.commits),
        acknowledge: a_cycle(acknowledge.commits),
        answers: a_cycle(bench.answers),
        same_path: bench.directions.each_ref().map(Direction::same_path),
        commits: bench.directions.each_ref().map(|d| d.commits),
        delivered: bench.delivered,
        delivered_a_cycle: a_cycle(bench.delivered),
        irregular: bench.peer.irregular(),
        cycles_per_second: load.cycles as f64 / begun.elapsed().as_secs_f64(),
        engine_cycles_per_second: bench.engine_cycles_per_second(),
    }))
}

impl Bench {
    fn new(sources: &Sources, size: Size, load: Load) -> Result<Self, Error> {
        // On one path the two sides use a connection each: the peer's has one path, the engine's one a plane.
        let all: Vec<u16> = (0..size.connections as u16).collect();
        let (theirs, ours) = match load.paths {
            Paths::Many => (all.clone(), all),
            Paths::One => (vec![0], vec![1]),
        };
        let messages = |connections, side| {
            Messages::new(
                connections,
                TUNABLES.mtu_log2,
                load.longest,
                load.seed.wrapping_mul(2) + side,
            )
        };
        let gather = load.paths == Paths::One;
        let planes = size.planes as usize;
        let mut bench = Self {
            ports: Ports::new(sources, size.planes)?,
            peer: Peer::new(size, TUNABLES, messages(theirs, 0), gather),
            slots: Slots::new(messages(ours, 1), size.slots),
            size,
            load,
            rng: ChaCha8Rng::seed_from_u64(load.seed),
            now: 0,
            data_ready: vec![true; planes],
            answer_ready: vec![true; planes],
            offered_data: None,
            offered_ack: None,
            directions: Default::default(),
            answers: 0,
            delivered: 0,
            evaluating: Vec::new(),
            cycles: 0,
        };
        bench.configure()?;
        Ok(bench)
    }

    fn configure(&mut self) -> Result<(), Error> {
        let ports = &mut self.ports;
        ports.set("window", TUNABLES.window.into())?;
        ports.set("rto", TUNABLES.rto.into())?;
        ports.set("max_retries", TUNABLES.max_retries.into())?;
        ports.set("ack_every", TUNABLES.ack_every.into())?;
        ports.set("mtu_log2", TUNABLES.mtu_log2.into())?;
        ports.set("hold", 1)?;
        ports.model.tick()?;
        let region = RegionEntry {
            valid: true,
            r_key: R_KEY,
            base: 0,
            length: REGION_BYTES,
        };
        ports.configure(ConfigTable::Region, 0, &region.encode())?;
        self.peer.nic.write_region(0, region);
        for connection in 0..self.size.connections {
            self.connect(connection)?;
        }
        self.ports.set("hold", 0)
    }

    fn connect(&mut self, connection: u32) -> Result<(), Error> {
        let own = ConnectionEntry {
            valid: true,
            local_qp: 0x12_3400 + connection,
            remote_qp: 0x56_7800 + connection,
            dst_mac: MacAddr([2, 0, 0, 0, 0, 2]),
            src_mac: MacAddr([2, 0, 0, 0, 0, 1]),
            src_ip: [10, 0, 0, 1].into(),
            dst_ip: [10, 0, 0, 2].into(),
            ..Default::default()
        };
        let other = ConnectionEntry {
            local_qp: own.remote_qp,
            remote_qp: own.local_qp,
            ..own
        };
        self.ports
            .configure(ConfigTable::Connection, connection, &own.encode())?;
        self.peer.nic.write_connection(connection, other);
        let live = match (self.load.paths, connection) {
            (Paths::Many, _) => self.size.paths,
            (Paths::One, 0) => 1,
            (Paths::One, _) => self.size.planes.min(self.size.paths),
        };
        for path in 0..self.size.paths {
            // Next to the wrap: every run crosses it.
            let (psn, tsn) = (Psn::truncate(0xFF_FF00), Tsn::truncate(0xFF_FFF0));
            let entry = PathEntry {
                valid: path < live,
                plane: (path % self.size.planes) as u8,
                epoch: 1,
                entropy: 0xC000 + path as u16,
                first_psn_tx: psn,
                first_tsn_tx: tsn,
                first_psn_rx: psn,
                first_tsn_rx: tsn,
            };
            let global = connection * self.size.paths + path;
            self.ports
                .configure(ConfigTable::Path, global, &entry.encode())?;
            self.peer.nic.write_path(global, entry, self.now);
        }
        Ok(())
    }

    fn stalls(&mut self) -> bool {
        self.load.stalls > 0.0 && self.rng.random_bool(self.load.stalls)
    }

    fn cycle(&mut self) -> Result<(), Error> {
        self.offer()?;
        let begun = Instant::now();
        self.ports.model.settle()?;
        let settled = begun.elapsed();
        self.count()?;
        self.exchange()?;
        let begun = Instant::now();
        self.ports.model.rise()?;
        if self.cycles.is_multiple_of(STRETCH) {
            self.evaluating.push(Duration::ZERO);
        }
        self.cycles += 1;
        if let Some(stretch) = self.evaluating.last_mut() {
            *stretch += settled + begun.elapsed();
        }
        self.now = self.now.wrapping_add(1);
        Ok(())
    }

    fn engine_cycles_per_second(&mut self) -> f64 {
        // The last stretch may be shorter.
        self.evaluating.truncate((self.cycles / STRETCH).max(1));
        let middle = self.evaluating.len() / 2;
        let (_, median, _) = self.evaluating.select_nth_unstable(middle);
        STRETCH.min(self.cycles) as f64 / median.as_secs_f64()
    }

    /// Inputs of the cycle. What is offered stays until it is taken; a plane's readiness falls by a transfer only.
    fn offer(&mut self) -> Result<(), Error> {
        self.ports.set("now", self.now.into())?;
        for k in 0..self.data_ready.len() {
            self.data_ready[k] |= !self.stalls();
            self.answer_ready[k] |= !self.stalls();
            let room = !self.stalls();
            let ports = &mut self.ports;
            ports
                .data
                .set_ready(&mut ports.model, k, self.data_ready[k]);
            ports
                .answer
                .set_ready(&mut ports.model, k, self.answer_ready[k]);
            ports.model.set_u64(ports.placement_ready[k], room.into());
        }
        if self.offered_data.is_none() && !self.stalls() {
            self.offered_data = self.peer.next_data();
        }
        if self.offered_ack.is_none() && !self.stalls() {
            self.offered_ack = self.peer.next_ack();
        }
        let ports = &mut self.ports;
        ports
            .receive
            .offer(&mut ports.model, self.offered_data.as_ref());
        ports
            .acknowledge
            .offer(&mut ports.model, self.offered_ack.as_ref());
        let message = self.slots.offer();
        ports.set("sq_idle", message.is_none().into())?;
        ports.set("response_idle", 1)?;
        ports.offer_message(message)
    }

    /// What the settled cycle commits.
    fn count(&mut self) -> Result<(), Error> {
        let ports = &self.ports;
        let [transmit, receive, acknowledge] = &mut self.directions;
        let decided = ports.get("trace_transmit_valid")?;
        if decided == 1 {
            transmit.enter(ports.get("trace_transmit_path")?);
        }
        transmit.commits += decided;
        receive.commits += ports.get("trace_receive_valid")?;
        acknowledge.commits += ports.get("trace_acknowledge_valid")?;
        self.answers += ports.get("trace_ack_build_valid")?;
        if ports.get("delivered_valid")? == 1 {
            self.delivered += 1;
            self.slots.delivered(ports.get("delivered_slot")? as usize);
        }
        Ok(())
    }

    /// What enters and leaves in the settled cycle, and what the peer does with it.
    fn exchange(&mut self) -> Result<(), Error> {
        let ports = &self.ports;
        let [_, receive, acknowledge] = &mut self.directions;
        let global = |frame: &Incoming| u64::from(frame.dest_qp) << 8 | u64::from(frame.path);
        if ports.receive.taken(&ports.model)
            && let Some((_, frame)) = self.offered_data.take()
        {
            receive.enter(global(&frame));
        }
        if ports.acknowledge.taken(&ports.model)
            && let Some((_, frame)) = self.offered_ack.take()
        {
            acknowledge.enter(global(&frame));
        }
        if ports.get("message_valid")? == 1 && ports.get("message_ready")? == 1 {
            self.slots.take();
        }
        let stalled = self.load.stalls > 0.0;
        let leaves = |outlet: &Outlet, ready: &mut [bool]| {
            let (plane, frame) = outlet.take(&ports.model)?;
            ready[plane] = !stalled;
            Some(frame)
        };
        if let Some(frame) = leaves(&ports.data, &mut self.data_ready) {
            self.peer.receive(&frame);
        }
        if let Some(frame) = leaves(&ports.answer, &mut self.answer_ready) {
            self.peer.acknowledge(&frame, self.now);
        }
        self.peer.transmit(self.now);
        Ok(())
    }
}
