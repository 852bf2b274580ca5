//! The transmit side in lockstep with the model: the model's other half is the peer, between them planes that lose.
use std::collections::{HashMap, VecDeque};

use metaroce_model::config::{Congestion, Options, Size, Tunables};
use metaroce_model::nic::{Choice, Decision, Nic};
use metaroce_model::send::Fate;
use metaroce_model::tracker::ReceiveBuffer;
use metaroce_model::wire::{Incoming, Outgoing};
use metaroce_protocol::{
    CompletionStatus, ConnectionEntry, Counter, Opcode, PathEntry, Profile, Psn, RegionEntry, Tsn,
    Wqe, WqeOpcode,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::dut::{Descriptor, Dut, Response};
use crate::posts::takes_buffer;

pub const KEY: u32 = 0x0100;
/// Cycles from an ACK event to its commit.
const ACK_STAGES: usize = 2;

/// What goes wrong.
#[derive(Clone, Copy, Debug)]
pub struct Trouble {
    /// Probability that a frame is lost, either way.
    pub loss: f64,
    /// Probability that a plane is not ready for a descriptor.
    pub stall: f64,
    /// Probability that a frame on its way to the ACK engine is forged.
    pub forge: f64,
    /// Largest latency of a plane, cycles.
    pub latency: u64,
    /// Probability that a frame's packet has met congestion.
    pub mark: f64,
}

impl Trouble {
    /// None.
    pub const NONE: Self = Self {
        loss: 0.0,
        stall: 0.0,
        forge: 0.0,
        latency: 1,
        mark: 0.0,
    };
}

pub struct World {
    pub dut: Dut,
    pub nic: Nic,
    pub peer: Nic,
    pub size: Size,
    pub(super) profile: Profile,
    pub rng: ChaCha8Rng,
    pub trouble: Trouble,
    pub posted: VecDeque<Wqe>,
    pub done: u32,
    /// The peer's Reads: posted; so many taken and ended; whose turn has come, in the model's order; so many responses took a slot and freed it.
    pub(super) asks: VecDeque<Wqe>,
    pub(super) reads: (u32, u32),
    pub(super) asked: VecDeque<Response>,
    pub(super) loaded: u32,
    pub responded: u32,
    pub cycle: u64,
    pub decisions: Vec<u64>,
    /// Cycle, kind and path of every decision.
    pub log: Vec<(u64, u32, u32)>,
    /// Whether each new packet was a response's.
    pub responses: Vec<bool>,
    /// Windows told, with their paths.
    pub windows: Vec<(u32, u32)>,
    /// Paths of a connection that are live.
    pub(super) live: u32,
    pub(super) slots: u32,
    /// By connection and stream: messages posted so far, buffers that those handed over take.
    pub(super) numbers: HashMap<(u16, u16), (u16, u32)>,
    /// The same of the peer's messages.
    pub(super) ask_numbers: HashMap<(u16, u16), u16>,
    /// Connections all of whose frames are lost.
    pub dead: u32,
    /// Probability of a cycle that the peer posts a buffer that a message waits for; `None`: they are posted first.
    pub late: Option<f64>,
    pub(super) unposted: VecDeque<(u32, u16, ReceiveBuffer)>,
    /// Messages that ended otherwise than well.
    pub failed: u32,
    /// Connections whose answers wait.
    pub muted: u32,
    /// Data frames that were lost, with their planes.
    pub dropped: Vec<(usize, Incoming)>,
    pub(super) expected: Vec<VecDeque<Descriptor>>,
    pub(super) in_out: Vec<VecDeque<Outgoing>>,
    pub(super) wire: Vec<VecDeque<(u64, Incoming)>>,
    pub(super) back: Vec<VecDeque<(u64, Incoming)>>,
    pub(super) ready: Vec<bool>,
    /// ACKs and refusals under way in the ACK engine.
    pub(super) stages: VecDeque<Option<Incoming>>,
    /// The next of them.
    pub(super) offered: Option<Incoming>,
    pub(super) old: Vec<Incoming>,
}

impl World {
    pub fn new(
        built: (metaroce_rtl::sizes::Size, Profile),
        size: Size,
        tunables: Tunables,
        trouble: Trouble,
        seed: u64,
        live: u32,
    ) -> Self {
        let fixed = Congestion::default();
        Self::controlled(built, size, tunables, trouble, seed, live, &fixed)
    }

    pub fn controlled(
        (built, profile): (metaroce_rtl::sizes::Size, Profile),
        size: Size,
        tunables: Tunables,
        trouble: Trouble,
        seed: u64,
        live: u32,
        congestion: &Congestion,
    ) -> Self {
        let now = 0u32.wrapping_sub(300);
        let planes = size.planes as usize;
        let options = Options {
            profile,
            ..Options::default()
        };
        let mut world = Self {
            dut: Dut::new(built, profile, planes, now),
            nic: Nic::with_options(size, tunables, options),
            peer: Nic::with_options(size, tunables, options),
            size,
            profile,
            rng: ChaCha8Rng::seed_from_u64(seed),
            trouble,
            posted: VecDeque::new(),
            done: 0,
            asks: VecDeque::new(),
            reads: (0, 0),
            asked: VecDeque::new(),
            loaded: 0,
            responded: 0,
            cycle: 0,
            decisions: vec![0; 8],
            log: Vec::new(),
            responses: Vec::new(),
            windows: Vec::new(),
            live,
            slots: 0,
            numbers: HashMap::new(),
            ask_numbers: HashMap::new(),
            dead: 0,
            late: None,
            unposted: VecDeque::new(),
            failed: 0,
            muted: 0,
            dropped: Vec::new(),
            expected: vec![VecDeque::new(); planes],
            in_out: vec![VecDeque::new(); planes],
            wire: vec![VecDeque::new(); planes],
            back: vec![VecDeque::new(); planes],
            ready: vec![false; planes],
            stages: VecDeque::new(),
            offered: None,
            old: Vec::new(),
        };
        world.dut.control(congestion);
        world.nic.set_congestion(congestion);
        world.dut.set("window", tunables.window.into());
        world.dut.set("rto", tunables.rto.into());
        world.dut.set("max_retries", tunables.max_retries.into());
        world.dut.set("mtu_log2", tunables.mtu_log2.into());
        let region = RegionEntry {
            valid: true,
            r_key: KEY,
            base: 0,
            length: 1 << 40,
        };
        world.peer.write_region(KEY & (size.regions - 1), region);
        world.nic.write_region(KEY & (size.regions - 1), region);
        for connection in 0..size.connections {
            world.open(connection);
        }
        world
    }

    fn hold(&mut self) {
        self.dut.set("response_idle", 1);
        self.dut.set("hold", 1);
        self.dut.offer_frame(None);
        self.dut.offer_message(None);
        self.dut.offer_response(None);
        let mut idle = 0;
        while idle < 3 {
            idle = if self.step_bare() { idle + 1 } else { 0 };
        }
    }

    /// A cycle under `hold`: the model follows what is still inside. Says whether the design is idle.
    fn step_bare(&mut self) -> bool {
        self.drive_planes();
        self.dut.model.settle().unwrap();
        self.follow();
        let idle = self.dut.get("idle") == 1;
        self.advance();
        idle
    }

    /// Sets a connection up, new or again.
    pub fn open(&mut self, connection: u32) {
        self.hold();
        let epoch = self.rng.random();
        self.asked.retain(|asked| asked.connection != connection);
        let own = ConnectionEntry {
            valid: true,
            local_qp: 0x123_400 + connection,
            remote_qp: 0x567_800 + connection,
            dst_mac: metaroce_protocol::MacAddr(self.rng.random()),
            src_mac: metaroce_protocol::MacAddr(self.rng.random()),
            src_ip: self.rng.random::<u32>().into(),
            dst_ip: self.rng.random::<u32>().into(),
            ip_sum: self.rng.random(),
            path_count: self.size.paths as u8,
        };
        let other = ConnectionEntry {
            local_qp: own.remote_qp,
            remote_qp: own.local_qp,
            ..own
        };
        self.dut.configure(1, connection, &own.encode());
        self.dut.now = self.dut.now.wrapping_add(1);
        self.numbers
            .retain(|&(of, _), _| u32::from(of) != connection);
        self.ask_numbers
            .retain(|&(of, _), _| u32::from(of) != connection);
        self.nic.write_connection(connection, own);
        self.peer.write_connection(connection, other);
        for path in 0..self.size.paths {
            let global = connection * self.size.paths + path;
            let first_psn = Psn::truncate(0u32.wrapping_sub(256 * self.rng.random_range(0..3)));
            let first_tsn = Tsn::truncate(0u32.wrapping_sub(self.rng.random_range(0..300)));
            let entry = PathEntry {
                valid: self.live >> path & 1 == 1,
                plane: ((path + connection) % self.size.planes) as u8,
                epoch,
                entropy: self.rng.random(),
                first_psn_tx: first_psn,
                first_tsn_tx: first_tsn,
                first_psn_rx: first_psn,
                first_tsn_rx: first_tsn,
            };
            self.dut.set("now", self.dut.now.into());
            self.dut.configure(2, global, &entry.encode());
            self.nic.write_path(global, entry, self.dut.now);
            self.peer.write_path(global, entry, self.dut.now);
            self.dut.now = self.dut.now.wrapping_add(1);
        }
        for queue in &mut self.back {
            queue.retain(|(_, f)| f.dest_qp != own.local_qp || f.epoch == epoch);
        }
        self.dut.set("hold", 0);
    }

    fn drive_planes(&mut self) {
        self.dut.set("now", self.dut.now.into());
        for k in 0..self.ready.len() {
            self.ready[k] |= !self.rng.random_bool(self.trouble.stall);
            self.dut.set_ready(k, self.ready[k]);
        }
    }

    /// One cycle.
    pub fn step(&mut self) {
        self.drive_planes();
        let slot = (self.slots % self.size.slots) as u8;
        let offer = self
            .nic
            .has_message_room()
            .then(|| self.posted.front().copied())
            .flatten();
        let receive = offer.and_then(|wqe| self.receive_of(&wqe));
        self.dut
            .offer_message(offer.as_ref().map(|wqe| (wqe, slot, receive)));
        let idle = self.posted.is_empty() || !self.nic.has_message_room();
        self.dut.set("sq_idle", idle.into());
        self.offer_response();
        if self.offered.is_none() {
            self.offered = self.frame_back();
        }
        self.dut.offer_frame(self.offered.as_ref());
        self.dut.model.settle().unwrap();
        self.follow();
        let taken = self.dut.get("frame_ready") == 1;
        let frame = taken.then(|| self.offered.take()).flatten();
        self.stages.resize(ACK_STAGES - 1, None);
        self.stages.push_back(frame);
        self.advance();
        self.peer_cycle();
        if self.late.is_some_and(|share| self.rng.random_bool(share))
            && let Some((connection, stream, buffer)) = self.unposted.pop_front()
        {
            assert!(self.peer.post_receive(connection, stream, buffer));
        }
        if self.rng.random_bool(0.2)
            && let Some(ended) = self.nic.retire()
        {
            self.done += 1;
            self.failed += u32::from(ended.status != CompletionStatus::Success);
        }
        if self.rng.random_bool(0.2) && self.nic.retire_response() {
            self.responded += 1;
        }
    }

    /// The buffer of the peer that a message takes; any number will do for one that takes none.
    fn receive_of(&mut self, wqe: &Wqe) -> Option<u32> {
        if !self.profile.tracks_messages() {
            return None;
        }
        let numbers = self.numbers.get(&(wqe.connection, wqe.stream));
        let next = numbers.map_or(0, |&(_, receive)| receive);
        match wqe.opcode {
            WqeOpcode::Write | WqeOpcode::Read => Some(self.rng.random()),
            _ => Some(next),
        }
    }

    /// Compares the settled cycle with the model.
    fn follow(&mut self) {
        let commits = self.dut.commits();
        let now = self.dut.now;
        self.nic.begin_cycle(self.cycle);
        if let Some((path, idle)) = commits.judge {
            assert!(
                !(idle && (self.nic.has_current() || self.nic.has_response_to_send())),
                "cycle {}: there is a message to send",
                self.cycle
            );
            self.nic.judge(path, idle, now);
        }
        let choice = commits.transmit;
        let decision = self.nic.follow(&commits.offers, choice.as_ref(), now);
        let decision = decision
            .unwrap_or_else(|differs| panic!("cycle {}: {choice:?}: {differs}", self.cycle));
        if let Decision::New(out) = decision {
            let opcode = Descriptor::from(&out).opcode;
            self.responses
                .push(opcode == u64::from(u8::from(Opcode::ReadResponse)));
        }
        if let Some(Choice { kind, path, .. }) = choice {
            self.decisions[kind as usize] += 1;
            self.log.push((self.cycle, kind, path));
            if let Decision::TailProbe(out)
            | Decision::TimeOutProbe(out)
            | Decision::Retransmit(out)
            | Decision::New(out) = decision
            {
                self.expected[out.plane as usize].push_back((&out).into());
                self.in_out[out.plane as usize].push_back(out);
            }
        }
        let mut delivered = None;
        if let Some((path, tsn)) = commits.resolve {
            let state = self.nic.send_path(path).expect("a path");
            assert_eq!(
                state.resolved.get(),
                tsn,
                "cycle {}: resolved of {path}",
                self.cycle
            );
            match self.nic.resolve(path) {
                Some(Fate::Delivered(slot)) => delivered = Some(slot),
                Some(_) => {}
                None => panic!("cycle {}: nothing echoes path {path} TSN {tsn}", self.cycle),
            }
        }
        // Responses' slots stand behind the others.
        let delivered = delivered.map(|slot| if slot < 0x80 { slot } else { slot - 0x80 + 16 });
        assert_eq!(
            commits.delivered, delivered,
            "cycle {}: delivered slot",
            self.cycle
        );
        let frame = self.stages.pop_front().flatten();
        assert_eq!(
            commits.acknowledge,
            frame.is_some(),
            "cycle {}: an ACK event",
            self.cycle
        );
        if let Some(frame) = frame {
            self.nic.acknowledge(&frame, now);
        }
        let window = self.nic.tell_window();
        assert_eq!(commits.window, window, "cycle {}: window", self.cycle);
        self.windows.extend(window);
        if let Some(connection) = commits.give_up {
            self.nic.give_up(connection);
        }
        if commits.message {
            let wqe = self.posted.pop_front().expect("it was offered");
            if takes_buffer(wqe.opcode) {
                let numbers = self.numbers.entry((wqe.connection, wqe.stream));
                numbers.or_default().1 += 1;
            }
            self.nic.load_message(wqe);
            self.slots += 1;
        }
        if commits.response {
            self.asked.pop_front().expect("it was offered");
            assert!(self.nic.load_response());
            self.loaded += 1;
        }
        if let Some((plane, found)) = self.dut.descriptor() {
            assert!(
                self.ready[plane],
                "cycle {}: plane {plane} is not ready",
                self.cycle
            );
            self.ready[plane] = false;
            let expected = self.expected[plane].pop_front();
            assert_eq!(
                Some(found),
                expected,
                "cycle {}: descriptor of plane {plane}",
                self.cycle
            );
            let out = self.in_out[plane].pop_front().unwrap();
            if self.is_in(self.dead, &out.frame) || self.rng.random_bool(self.trouble.loss) {
                self.dropped.push((plane, out.frame));
            } else {
                let ce = self.trouble.mark > 0.0 && self.rng.random_bool(self.trouble.mark);
                self.carry(plane, Incoming { ce, ..out.frame });
            }
        }
    }

    /// A frame sets out for the peer.
    pub fn carry(&mut self, plane: usize, frame: Incoming) {
        let at = self.cycle + self.rng.random_range(1..=self.trouble.latency);
        self.wire[plane].push_back((at, frame));
    }

    fn advance(&mut self) {
        self.dut.model.rise().unwrap();
        self.dut.now = self.dut.now.wrapping_add(1);
        self.cycle += 1;
    }

    /// The peer takes frames and answers them.
    fn peer_cycle(&mut self) {
        for plane in 0..self.wire.len() {
            if self.wire[plane]
                .front()
                .is_some_and(|(at, _)| *at <= self.cycle)
            {
                let (_, frame) = self.wire[plane].pop_front().unwrap();
                self.peer.receive(&frame, self.peer.has_refusal_room());
                while self.peer.retire_receive().is_some() {}
            }
        }
        self.peer_sends();
        for path in 0..self.size.connections * self.size.paths {
            if self.rng.random_bool(0.3)
                && let Some(ack) = self.peer.build_ack(path)
            {
                self.answer(ack);
            }
        }
        if let Some(refusal) = self.peer.build_refusal() {
            self.answer(refusal);
        }
    }

    /// Until every posted message has ended.
    pub fn run_to_end(&mut self, limit: u64) {
        let end = self.cycle + limit;
        while !self.posted.is_empty()
            || self.nic.has_current()
            || !self.asks.is_empty()
            || self.reads.0 != self.reads.1
            || self.busy()
        {
            assert!(
                self.cycle < end,
                "cycle {}: no end, {} done, {} of {} Reads answered",
                self.cycle,
                self.done,
                self.reads.1,
                self.reads.0
            );
            self.step();
        }
        for _ in 0..200 {
            self.step();
        }
    }

    /// A message goes on, or a path waits for its fate.
    fn busy(&self) -> bool {
        self.done != self.slots
            || self.responded != self.loaded
            || self.expected.iter().any(|q| !q.is_empty())
    }

    pub fn counter(&self, counter: Counter) -> u32 {
        self.nic.counters().get(counter)
    }
}
