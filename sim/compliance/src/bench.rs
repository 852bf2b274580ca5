//! The tester: the remote end of a target's connection, one step at a time, on a clock that it moves.
use std::collections::BTreeMap;

use metaroce_protocol::constants::{P_KEY, PATH_VERSION};
use metaroce_protocol::frame::Addresses;
use metaroce_protocol::{Body, Ip, Match, Msg, Opcode, Profile, Psn, Tsn};

use crate::check::{Check, Stop, ensure, ensure_eq};
use crate::heard::{Heard, Receiver};
use crate::setup::{Identity, REGION_BYTES, Setup};
use crate::target::{Lab, Target};

mod host;
mod look;
mod send;

pub use host::{REMOTE, REMOTE_KEY};
pub use look::{data, of, only, pattern, silent};
pub use send::Packet;

/// Ticks between two looks at a target that waits.
const STEP: u32 = 16;

/// Ticks of silence, here microseconds, after which a target in real time has nothing more to say.
const PROMPT: u32 = 100_000;

/// A connection to a target.
pub struct Bench {
    target: Box<dyn Target>,
    /// How it started.
    pub setup: Setup,
    /// Who the target is.
    pub id: Identity,
    /// The tester as receiver, by path.
    pub receivers: Vec<Receiver>,
    /// UDP source ports of the target, by path.
    pub entropies: Vec<u16>,
    /// Epochs of what the target sends, by path.
    pub epochs: Vec<u8>,
    last_words: BTreeMap<u8, Receiver>,
    next: Vec<(Psn, Tsn)>,
    next_message: BTreeMap<u16, u16>,
    image: Vec<u8>,
}

impl Bench {
    /// Connects.
    pub fn start(lab: &mut dyn Lab, setup: Setup) -> Check<Self> {
        let target = lab.connect(&setup)?;
        let id = target.identity().clone();
        let paths = usize::from(setup.paths);
        Ok(Self {
            target,
            receivers: vec![Receiver::new(id.first_psn, id.first_tsn, id.window_log2); paths],
            entropies: (0..setup.paths).map(|path| setup.entropy(path)).collect(),
            epochs: vec![setup.epoch; paths],
            last_words: BTreeMap::new(),
            next: vec![(setup.first_psn, setup.first_tsn); paths],
            next_message: BTreeMap::new(),
            image: vec![0; REGION_BYTES as usize],
            id,
            setup,
        })
    }

    /// Connects to a target that speaks every verb and path epochs.
    pub fn whole(lab: &mut dyn Lab, setup: Setup) -> Check<Self> {
        let bench = Self::start(lab, setup)?;
        match bench.id.profile {
            Profile::Whole => Ok(bench),
            Profile::Reads => Err(Stop::lacks("the target has no atomics")),
            Profile::Messages => Err(Stop::lacks("the target has neither Reads nor atomics")),
            Profile::Write => Err(Stop::lacks("the target speaks Writes only")),
        }
    }

    /// Connects to a target that reads, and is read.
    pub fn reads(lab: &mut dyn Lab, setup: Setup) -> Check<Self> {
        let bench = Self::start(lab, setup)?;
        match bench.id.profile {
            Profile::Whole | Profile::Reads => Ok(bench),
            Profile::Messages => Err(Stop::lacks("the target has no Reads")),
            Profile::Write => Err(Stop::lacks("the target speaks Writes only")),
        }
    }

    /// Connects to a target that speaks Sends and immediates at least.
    pub fn messages(lab: &mut dyn Lab, setup: Setup) -> Check<Self> {
        let bench = Self::start(lab, setup)?;
        match bench.id.profile {
            Profile::Whole | Profile::Reads | Profile::Messages => Ok(bench),
            Profile::Write => Err(Stop::lacks("the target speaks Writes only")),
        }
    }

    /// Whether a target knows SEND: it answers one, if only by a refusal. To a party of profile `Write` the opcode is unknown.
    pub fn profile(lab: &mut dyn Lab) -> Check<Profile> {
        let mut bench = Self::start(lab, Setup::one_path())?;
        let body = Body::Send {
            msg: Msg::default(),
            matching: Match::default(),
            payload: &[],
        };
        let packet = bench.data(0, body);
        bench.send(&Packet {
            ack_request: true,
            ..packet
        })?;
        let answered = !bench.hear()?.is_empty();
        Ok(if answered {
            Profile::Whole
        } else {
            Profile::Write
        })
    }

    /// Packets of a window: W.
    pub fn window(&self) -> u32 {
        1 << self.id.window_log2
    }

    /// Sends what the tester's receiver of a path has to say.
    pub fn ack(&mut self, path: u8) -> Check {
        let receiver = self.receivers[usize::from(path)].clone();
        self.ack_as(path, &receiver)
    }

    /// Sends what such a receiver would say.
    pub fn ack_as(&mut self, path: u8, receiver: &Receiver) -> Check {
        let body = Body::Ack(receiver.sack());
        let packet = Packet {
            timestamp: receiver.timestamp,
            epoch: self.epochs[usize::from(path)],
            ..self.packet(path, receiver.cum, receiver.max_tsn, body)
        };
        self.send(&packet)
    }

    /// Receives everything and acknowledges it at once.
    pub fn take_all(&mut self, heard: &[Heard]) -> Check {
        let mut paths: Vec<u8> = Vec::new();
        of(heard, Opcode::Sync)
            .into_iter()
            .try_for_each(|sync| self.close(sync))?;
        for frame in heard
            .iter()
            .filter(|f| f.is_data() || f.opcode() == Opcode::Probe)
        {
            self.receivers[usize::from(frame.path())].take(frame);
            if !paths.contains(&frame.path()) {
                paths.push(frame.path());
            }
        }
        paths.into_iter().try_for_each(|path| self.ack(path))
    }

    /// Answers a SYNC of the target with the last word on the epoch; the next one begins.
    pub fn close(&mut self, heard: &Heard) -> Check {
        let (Body::Sync(sync), path) = (heard.body(), heard.path()) else {
            return Ok(());
        };
        let (at, old) = (usize::from(path), heard.frame().path.epoch);
        if self.epochs[at] == old {
            let next = Receiver::new(heard.psn(), heard.tsn(), self.id.window_log2);
            self.last_words
                .insert(path, std::mem::replace(&mut self.receivers[at], next));
            self.epochs[at] = sync.epoch;
        }
        let Some(word) = self.last_words.get(&path) else {
            return Ok(());
        };
        let body = Body::SyncAck(word.sack());
        let packet = self.packet(path, word.cum, word.max_tsn, body);
        self.send(&Packet {
            carrier: sync.via,
            epoch: old,
            timestamp: word.timestamp,
            ..packet
        })
    }

    /// What the target says now. Every frame must be one of its connection, whatever a point is about.
    pub fn hear(&mut self) -> Check<Vec<Heard>> {
        self.target.settle()?;
        self.collect()
    }

    fn collect(&mut self) -> Check<Vec<Heard>> {
        let mut heard = Vec::new();
        for said in self.target.frames()? {
            let frame = Heard::new(said).map_err(|reason| {
                Stop::fails(format!("a frame that the target sent is {reason:?}"))
            })?;
            self.check_frame(&frame)?;
            heard.push(frame);
        }
        Ok(heard)
    }

    /// What the target says within some ticks from now, now included.
    pub fn wait(&mut self, ticks: u32) -> Check<Vec<Heard>> {
        self.until(self.now() + ticks)
    }

    /// What the target says up to a time, now included.
    pub fn until(&mut self, end: u32) -> Check<Vec<Heard>> {
        let mut heard = self.hear()?;
        while self.now() < end {
            self.target.advance(STEP.min(end - self.now()))?;
            heard.extend(self.collect()?);
        }
        Ok(heard)
    }

    /// Ticks since the connection stands.
    pub fn now(&self) -> u32 {
        self.target.now()
    }

    /// Acknowledges everything until the target has nothing more to say. Everything that it said.
    pub fn run(&mut self) -> Check<Vec<Heard>> {
        let mut all = Vec::new();
        for _ in 0..1_000 {
            let heard = self.hear_promptly()?;
            if heard.is_empty() {
                return Ok(all);
            }
            self.take_all(&heard)?;
            all.extend(heard);
        }
        Err(Stop::fails("the target talks without end"))
    }

    /// The same as `hear`, but a target whose time-outs don't wait is heard as soon as it says something.
    fn hear_promptly(&mut self) -> Check<Vec<Heard>> {
        if !self.id.real_time {
            return self.hear();
        }
        let end = self.now() + PROMPT;
        while self.now() < end {
            let heard = self.collect()?;
            if !heard.is_empty() {
                return Ok(heard);
            }
        }
        Ok(Vec::new())
    }

    fn check_frame(&self, heard: &Heard) -> Check {
        let frame = heard.frame();
        let towards = self.id.addresses[usize::from(heard.plane)];
        let back = Addresses {
            dst_mac: towards.src_mac,
            src_mac: towards.dst_mac,
            src_ip: towards.dst_ip,
            dst_ip: towards.src_ip,
        };
        let Ip::V4(ip) = frame.ip else {
            return Err(Stop::fails("a frame of another IP version"));
        };
        ensure_eq!(
            (ip.source, ip.destination),
            (back.src_ip, back.dst_ip),
            "IP addresses"
        );
        ensure_eq!(frame.ethernet.dst_mac, back.dst_mac, "Ethernet destination");
        let own = self.id.tester_qp..self.id.tester_qp + self.setup.connections;
        ensure!(
            own.contains(&frame.bth.dest_qp),
            "destination QP {}",
            frame.bth.dest_qp
        );
        ensure_eq!(
            (frame.bth.p_key, frame.path.version),
            (P_KEY, PATH_VERSION),
            "P_Key, PATH version"
        );
        ensure_eq!(
            (frame.bth.reserved1, frame.path.flags),
            (0, 0),
            "unused bits"
        );
        let path = heard.path();
        ensure!(path < self.setup.paths, "path {path} does not exist");
        // SYNC and its answer travel on another path than the one they name.
        if !matches!(heard.opcode(), Opcode::Sync | Opcode::SyncAck) {
            ensure_eq!(heard.plane, self.setup.plane(path), "plane of path {path}");
            let entropy = self.entropies[usize::from(path)];
            ensure_eq!(
                frame.udp.source_port,
                entropy,
                "UDP source port of path {path}"
            );
        }
        Ok(())
    }
}
