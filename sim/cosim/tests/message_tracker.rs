//! The message tracker in Verilator against the model's, packet by packet: checks, ends of messages, posts.
mod engines;
mod message_senders;

use std::collections::VecDeque;

use engines::{Fields, Word, model};
use message_senders::{Sender, lie};
use metaroce_cores::message_tracker::MessageTracker;
use metaroce_cosim::model::{PortId, VerilatedModel};
use metaroce_model::config::TrackerSize;
use metaroce_model::tracker::{Part, ReceiveBuffer, Stream};
use metaroce_protocol::RefusalReason;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const STREAMS: usize = 4;
const MESSAGES: u16 = 4;
const SIZE: TrackerSize = TrackerSize {
    streams: 2,
    messages: MESSAGES,
    receives: 8,
};

type Tracker = MessageTracker<1, 2, 2, 3, 4, 5>;

/// How a run is made hard.
#[derive(Clone, Copy)]
struct Load {
    /// Share of cycles with a packet.
    packets: f64,
    /// Streams in use.
    streams: usize,
    /// Share of packets that say something untrue.
    lies: f64,
    /// Share of those that are accepted where they may be: after that the honest sender may be stuck.
    believed: f64,
    /// Share of packets that something else keeps from being accepted.
    lost: f64,
    /// Share of cycles in which a buffer may be posted.
    posts: f64,
    /// Share of buffers that may be too short.
    short: f64,
    /// Longest message, bytes.
    longest: u32,
}

const HARD: Load = Load {
    packets: 0.8,
    streams: STREAMS,
    lies: 0.15,
    believed: 0.005,
    lost: 0.2,
    posts: 0.3,
    short: 0.01,
    longest: 12_000,
};

/// A packet on its way through the stages.
#[derive(Clone, Copy)]
struct Packet {
    stream: usize,
    beyond: bool,
    part: Part,
    /// Whether it is taken if the tracker lets it pass.
    wanted: bool,
    refused: bool,
}

struct Bench {
    dut: VerilatedModel,
    ports: Vec<(&'static str, PortId)>,
    rng: ChaCha8Rng,
    streams: Vec<Stream<()>>,
    senders: Vec<Sender>,
    /// Buffers of each stream that no ended message took.
    waiting: Vec<u64>,
    /// From t to t + 4.
    stages: VecDeque<Option<Packet>>,
    post: Option<(usize, ReceiveBuffer)>,
    posted: VecDeque<(usize, ReceiveBuffer)>,
    ended: VecDeque<Vec<u8>>,
    /// By reason: passed, invalid, not ready, bad range.
    seen: [u64; 4],
    accepted: u64,
    retired: u64,
    posts: u64,
    vanished: u64,
}

impl Bench {
    fn new(seed: u64) -> Self {
        let dut = model(Tracker::default(), "message_tracker");
        let names = [
            "part",
            "refused",
            "accepted",
            "verdict",
            "post",
            "post_valid",
            "post_ready",
            "posted",
            "whole",
            "whole_valid",
            "vanished",
            "retired",
            "start",
            "start_connection",
            "busy",
            "hold",
        ];
        let ports = names.map(|name| (name, dut.port(name).unwrap())).into();
        let mut bench = Self {
            dut,
            ports,
            rng: ChaCha8Rng::seed_from_u64(seed),
            streams: (0..STREAMS).map(|_| Stream::new(&SIZE)).collect(),
            senders: (0..STREAMS).map(|_| Sender::default()).collect(),
            waiting: vec![0; STREAMS],
            stages: [None; 4].into(),
            post: None,
            posted: VecDeque::new(),
            ended: VecDeque::new(),
            seen: [0; 4],
            accepted: 0,
            retired: 0,
            posts: 0,
            vanished: 0,
        };
        bench.rest();
        bench
    }

    /// Until everything has begun.
    fn rest(&mut self) {
        self.dut.settle().unwrap();
        while self.get("busy") == 1 {
            self.dut.tick().unwrap();
            self.dut.settle().unwrap();
        }
    }

    fn port(&self, name: &str) -> PortId {
        self.ports
            .iter()
            .find(|(known, _)| *known == name)
            .unwrap()
            .1
    }

    fn set(&mut self, name: &str, value: u64) {
        let port = self.port(name);
        self.dut.set_u64(port, value);
    }

    fn get(&self, name: &str) -> u64 {
        self.dut.get_u64(self.port(name))
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        let port = self.port(name);
        let mut bytes = vec![0; self.dut.width(port).div_ceil(8) as usize];
        self.dut.get_bytes(port, &mut bytes);
        bytes
    }

    /// The streams of a connection start anew; nothing is inside.
    fn begin(&mut self, connection: usize) {
        self.set("hold", 1);
        (0..8).for_each(|_| self.dut.tick().unwrap());
        self.set("start", 1);
        self.set("start_connection", connection as u64);
        self.dut.tick().unwrap();
        self.set("start", 0);
        self.dut.settle().unwrap();
        let mut vanished = 0;
        while self.get("busy") == 1 {
            vanished += self.get("vanished");
            self.dut.tick().unwrap();
            self.dut.settle().unwrap();
        }
        for _ in 0..4 {
            vanished += self.get("vanished");
            self.dut.tick().unwrap();
            self.dut.settle().unwrap();
        }
        let streams = 2 * connection..2 * connection + 2;
        let gone: u64 = self.waiting[streams.clone()].iter().sum();
        assert_eq!(vanished, gone, "buffers that went with their streams");
        self.vanished += vanished;
        self.waiting[streams.clone()].fill(0);
        for stream in streams {
            self.streams[stream] = Stream::new(&SIZE);
            self.senders[stream] = Sender::default();
        }
        self.set("hold", 0);
    }

    /// Everything starts anew, with buffers posted and messages under way.
    fn reset(&mut self) {
        let port = self.dut.port("reset").unwrap();
        self.dut.set_u64(port, 1);
        self.dut.tick().unwrap();
        self.dut.set_u64(port, 0);
        self.rest();
        self.streams = (0..STREAMS).map(|_| Stream::new(&SIZE)).collect();
        self.senders = (0..STREAMS).map(|_| Sender::default()).collect();
        self.waiting.fill(0);
        self.stages = [None; 4].into();
        self.posted.clear();
        self.ended.clear();
    }

    /// A packet that is not yet accepted and not on its way.
    fn honest(&mut self, stream: usize, longest: u32) -> Option<Part> {
        let mine = self.stages.iter().flatten().filter(|p| p.stream == stream);
        let under_way: Vec<_> = mine.map(|p| p.part).collect();
        self.senders[stream].packet(&mut self.rng, MESSAGES + 1, longest, &under_way)
    }

    fn packet(&mut self, load: &Load) -> Option<Packet> {
        let stream = self.rng.random_range(0..load.streams);
        let mut part = self.honest(stream, load.longest)?;
        let lies = self.rng.random_bool(load.lies);
        if lies {
            lie(&mut self.rng, &mut part);
        }
        let wanted = if lies { load.believed } else { 1.0 - load.lost };
        Some(Packet {
            stream,
            beyond: lies && self.rng.random_bool(0.05),
            part,
            wanted: self.rng.random_bool(wanted),
            refused: false,
        })
    }

    fn present(&mut self, packet: Option<Packet>) {
        let Some(Packet {
            stream,
            beyond,
            part,
            ..
        }) = packet
        else {
            let garbage: [u8; 24] = self.rng.random();
            let port = self.port("part");
            // Whatever stands there where no packet is: 180 bits.
            self.dut
                .set_bytes(port, &[&garbage[..22], &[garbage[22] & 0xF]].concat());
            return;
        };
        let word = Word::default()
            .field(stream as u64, 16)
            .field(beyond.into(), 1)
            .field(part.message.into(), 16)
            .field(part.offset.into(), 32)
            .field(part.payload.into(), 16)
            .field(part.length.into(), 32)
            .field(part.receive.is_some().into(), 1)
            .field(part.receive.unwrap_or(0).into(), 32)
            .field(part.into_buffer.into(), 1)
            .field(part.immediate.is_some().into(), 1)
            .field(part.immediate.unwrap_or(0).into(), 32);
        let port = self.port("part");
        self.dut.set_bytes(port, &word.finish());
    }

    fn offer_post(&mut self, load: &Load) {
        if self.post.is_none() && self.rng.random_bool(load.posts) {
            let stream = self.rng.random_range(0..load.streams);
            let short = self.rng.random_bool(load.short);
            let least = if short { 0 } else { load.longest };
            let buffer = ReceiveBuffer {
                address: self.rng.random(),
                length: self.rng.random_range(least..=load.longest),
                wr_id: self.rng.random(),
            };
            self.post = Some((stream, buffer));
        }
        self.set("post_valid", self.post.is_some().into());
        if let Some((stream, buffer)) = self.post {
            let word = Word::default()
                .field(stream as u64, 16)
                .field(buffer.address, 64)
                .field(buffer.length.into(), 32)
                .field(buffer.wr_id, 64);
            let port = self.port("post");
            self.dut.set_bytes(port, &word.finish());
        }
    }

    fn cycle(&mut self, packet: Option<Packet>, load: &Load) {
        self.present(packet);
        self.stages.push_front(packet);
        let committed = self.stages.pop_back().flatten();
        let accepted = committed.is_some_and(|p| p.wanted && !p.refused);
        self.set("accepted", accepted.into());
        self.offer_post(load);
        self.dut.settle().unwrap();
        if let Some(packet) = committed {
            self.commit(&packet, accepted);
        }
        self.said();
        let refused = self.get("refused") == 1;
        if let Some(packet) = &mut self.stages[3] {
            packet.refused = refused;
        }
        self.dut.rise().unwrap();
    }

    fn commit(&mut self, packet: &Packet, accepted: bool) {
        let Packet { stream, part, .. } = packet;
        let found = self.streams[*stream].check(part);
        let found = if packet.beyond {
            Err(RefusalReason::InvalidRequest)
        } else {
            found
        };
        let verdict = self.bytes("verdict");
        let mut verdict = Fields::new(&verdict);
        let reasons = [1, 1, 1].map(|bits| verdict.field(bits) == 1);
        let reason = reasons.iter().position(|&up| up).filter(|_| packet.refused);
        let wanted = match found {
            Ok(_) => None,
            Err(RefusalReason::InvalidRequest) => Some(0),
            Err(RefusalReason::ReceiverNotReady) => Some(1),
            Err(_) => Some(2),
        };
        let what = format!("stream {stream} {part:?} cycle {}", self.dut.cycle());
        assert_eq!(
            (packet.refused, reason),
            (wanted.is_some(), wanted),
            "{what}"
        );
        self.seen[wanted.map_or(0, |reason| reason + 1)] += 1;
        if let Ok(Some(address)) = found {
            assert_eq!(
                verdict.field(64),
                address.wrapping_add(part.offset.into()),
                "{what}"
            );
        }
        if accepted {
            self.accepted += 1;
            self.streams[*stream].accept(part, None);
            self.senders[*stream].delivered(part);
        }
    }

    /// What is said after a packet: a message ended, a buffer posted.
    fn said(&mut self) {
        if self.get("retired") & 1 == 1 {
            let stream = self.get("retired") >> 1;
            let whole = self.streams[stream as usize]
                .retire()
                .expect("the next message is whole");
            self.retired += 1;
            let bytes = self.ended.pop_front().expect("it was handed out");
            let mut fields = Fields::new(&bytes);
            let found = [16, 16, 32, 1, 32, 1].map(|bits| fields.field(bits));
            let expected = [
                stream,
                whole.message.into(),
                whole.length.into(),
                whole.immediate.is_some().into(),
                whole.immediate.unwrap_or(0).into(),
                whole.receive.is_some().into(),
            ];
            assert_eq!(found, expected, "{whole:?}");
            if let Some(buffer) = whole.receive {
                assert_eq!(fields.field(64), buffer.wr_id, "{whole:?}");
                self.waiting[stream as usize] -= 1;
            }
        }
        if self.get("posted") & 1 == 1 {
            let (stream, buffer) = self.posted.pop_front().expect("a post");
            assert_eq!(self.get("posted") >> 1, stream as u64);
            assert!(
                self.streams[stream].post(buffer),
                "a ring has room for what it takes"
            );
            self.waiting[stream] += 1;
            self.posts += 1;
        }
        if self.get("whole_valid") == 1 {
            self.ended.push_back(self.bytes("whole"));
        }
        if self.get("post_ready") == 1 {
            self.posted
                .push_back(self.post.take().expect("a post is offered"));
        }
    }

    fn drain(&mut self) {
        let quiet = Load { posts: 0.0, ..HARD };
        (0..100).for_each(|_| self.cycle(None, &quiet));
    }

    fn run(&mut self, cycles: u32, load: &Load) {
        for _ in 0..cycles {
            let feeds = self.rng.random_bool(load.packets);
            let packet = if feeds { self.packet(load) } else { None };
            self.cycle(packet, load);
        }
    }
}

#[test]
fn packets_with_stalls_and_lies_agree_with_the_model() {
    let mut bench = Bench::new(1);
    for turn in 0..40 {
        let streams = if turn % 3 == 0 { 1 } else { STREAMS };
        bench.run(1_000, &Load { streams, ..HARD });
        bench.drain();
        bench.begin(turn % 2);
        if turn % 10 == 9 {
            bench.run(500, &HARD);
            bench.drain();
            bench.reset();
        }
    }
    assert!(
        bench.seen.iter().all(|&seen| seen > 200),
        "{:?}",
        bench.seen
    );
    assert!(bench.accepted > 5_000, "{} accepted", bench.accepted);
    assert!(bench.retired > 2_000, "{} retired", bench.retired);
    assert!(bench.posts > 1_000, "{} posts", bench.posts);
    assert!(bench.vanished > 50, "{} vanished", bench.vanished);
}

#[test]
fn one_packet_a_cycle_back_to_back_on_one_message() {
    let mut bench = Bench::new(2);
    let claims = Part {
        message: 0,
        offset: 0,
        payload: 1,
        length: 1_000,
        receive: None,
        into_buffer: false,
        immediate: None,
    };
    let whole = Load { posts: 0.0, ..HARD };
    // Twice as many bytes as the message has: each beyond it is refused.
    for offset in 0..2_000 {
        let part = Part {
            offset: offset % 1_000,
            ..claims
        };
        let packet = Packet {
            stream: 3,
            beyond: false,
            part,
            wanted: true,
            refused: false,
        };
        bench.cycle(Some(packet), &whole);
    }
    bench.drain();
    assert_eq!(bench.seen, [1_000, 1_000, 0, 0], "passed, refused");
    assert_eq!((bench.accepted, bench.retired), (1_000, 1));
}

/// Numbers of messages wrap at 65,536, however long that takes.
#[test]
fn message_numbers_wrap() {
    let long = std::env::var_os("METAROCE_LONG").is_some();
    let mut bench = Bench::new(3);
    let load = Load {
        packets: 1.0,
        streams: 1,
        lies: 0.02,
        believed: 0.0,
        lost: 0.0,
        posts: 0.5,
        short: 0.0,
        longest: 8,
    };
    let messages = if long { 70_000 } else { 2_000 };
    while bench.retired < messages {
        bench.run(1_000, &load);
        assert!(
            bench.dut.cycle() < 40 * messages,
            "{} retired",
            bench.retired
        );
    }
}
