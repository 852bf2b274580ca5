//! The verbs of profile `Messages` for the bench: who sends, who posts, and what ends.
use std::collections::VecDeque;

use metaroce_model::tracker::{Part, ReceiveBuffer, Stream};
use rand::Rng;

use crate::bench::Bench;
use crate::engines::{Fields, Word};
use crate::message_senders::{Sender, lie};
use crate::reference::{Event, STREAMS, TRACKERS};

/// Bytes of the longest message, and of every buffer but a few.
const LONGEST: u32 = 12_000;

/// All streams of all connections.
pub struct Messages {
    senders: Vec<Sender>,
    post: Option<(usize, ReceiveBuffer)>,
    /// Taken, and not yet said in the trace.
    posted: VecDeque<(usize, ReceiveBuffer)>,
    ended: VecDeque<Vec<u8>>,
    pub retired: u64,
}

impl Messages {
    pub fn new(connections: usize) -> Self {
        let streams = connections * usize::from(STREAMS);
        Self {
            senders: (0..streams).map(|_| Sender::default()).collect(),
            post: None,
            posted: VecDeque::new(),
            ended: VecDeque::new(),
            retired: 0,
        }
    }
}

fn of(connection: usize, stream: u16) -> usize {
    connection * usize::from(STREAMS) + usize::from(stream)
}

impl Bench {
    /// From now on data belongs to messages.
    pub fn speak_of_messages(&mut self) {
        let connections = self.reference.connections.len();
        self.messages = Some(Messages::new(connections));
        let streams = connections * usize::from(STREAMS);
        self.reference.streams = (0..streams).map(|_| Stream::new(&TRACKERS)).collect();
    }

    /// Gives a packet of a connection a message.
    pub fn speak(&mut self, connection: usize, event: &mut Event) {
        let Some(messages) = &mut self.messages else {
            return;
        };
        let qp = self.reference.connections[connection].local_qp;
        event.stream = self.rng.random_range(0..STREAMS);
        let inside = self.stages.iter().flatten();
        let mine = inside.filter(|e| e.dest_qp == qp && e.stream == event.stream);
        let under_way: Vec<Part> = mine.map(Event::part).collect();
        let sender = &mut messages.senders[of(connection, event.stream)];
        let most = TRACKERS.messages + 1;
        let part = sender.packet(&mut self.rng, most, LONGEST, &under_way);
        let lies = part.is_none() || self.rng.random_bool(0.02);
        let mut part = part.unwrap_or(event.part());
        if lies {
            lie(&mut self.rng, &mut part);
            if self.rng.random_bool(0.1) {
                event.stream = self.rng.random();
            }
        }
        event.message = part.message;
        event.offset = part.offset;
        event.payload = part.payload as u16;
        event.length = part.length;
        event.receive = part.receive;
        event.into_buffer = part.into_buffer;
        event.immediate = part.immediate;
        // Of regions only the right and the wrong ones that stay so for any payload.
        if event.address > 0x10_0000 {
            event.address = 0x1_0000;
        }
    }

    /// A data packet was accepted.
    pub fn heard(&mut self, connection: usize, event: &Event) {
        if let Some(messages) = &mut self.messages {
            messages.senders[of(connection, event.stream)].delivered(&event.part());
        }
    }

    /// Before a cycle: a buffer is offered.
    pub fn offer(&mut self) {
        let Some(messages) = &mut self.messages else {
            return;
        };
        if messages.post.is_none() && self.rng.random_bool(0.1) {
            let stream = self.rng.random_range(0..messages.senders.len());
            let short = self.rng.random_bool(0.01);
            let buffer = ReceiveBuffer {
                address: self.rng.random(),
                length: if short { 100 } else { LONGEST },
                wr_id: self.rng.random(),
            };
            messages.post = Some((stream, buffer));
        }
        let post = messages.post;
        self.set("post_valid", post.is_some().into());
        if let Some((stream, buffer)) = post {
            let word = Word::default()
                .field(stream as u64, 16)
                .field(buffer.address, 64)
                .field(buffer.length.into(), 32)
                .field(buffer.wr_id, 64);
            let port = self.port("post");
            self.dut.set_bytes(port, &word.finish());
        }
    }

    /// After the commit of a packet: what ended, what was posted.
    pub fn ends(&mut self) {
        if self.messages.is_none() {
            return;
        }
        let names = ["trace_retire_receive", "trace_post", "whole_valid"];
        let [retired, posted, whole_valid] = names.map(|name| self.get(name));
        let whole = (whole_valid == 1).then(|| self.bytes("whole"));
        let counts = self.bytes("counts");
        // The last of its fields.
        assert_eq!(u64::from(counts[32 / 8] & 1), whole_valid, "rx_messages");
        let post_taken = self.get("post_ready") == 1;
        let messages = self.messages.as_mut().expect("it speaks of messages");
        let streams = &mut self.reference.streams;
        if retired & 1 == 1 {
            let stream = retired >> 1;
            let ended = streams[stream as usize].retire();
            let ended = ended.expect("the next message is whole");
            let bytes = messages.ended.pop_front().expect("it was handed out");
            let mut fields = Fields::new(&bytes);
            let found = [16, 16, 32, 1, 32, 1].map(|bits| fields.field(bits));
            let wanted = [
                stream,
                ended.message.into(),
                ended.length.into(),
                ended.immediate.is_some().into(),
                ended.immediate.unwrap_or(found[4] as u32).into(),
                ended.receive.is_some().into(),
            ];
            assert_eq!(found, wanted, "{ended:?}");
            if let Some(buffer) = ended.receive {
                assert_eq!(fields.field(64), buffer.wr_id, "{ended:?}");
            }
            messages.retired += 1;
        }
        if posted & 1 == 1 {
            let (stream, buffer) = messages.posted.pop_front().expect("a post");
            assert_eq!(posted >> 1, stream as u64);
            assert!(streams[stream].post(buffer), "it has room for what it took");
        }
        messages.ended.extend(whole);
        if post_taken {
            let post = messages.post.take().expect("a post is offered");
            messages.posted.push_back(post);
        }
    }

    /// Sets a connection up anew, so that its streams begin again; requests and answers of its paths stay.
    pub fn renew_connection(&mut self, connection: usize) {
        self.set("hold", 1);
        (0..60).for_each(|_| self.cycle(false));
        assert_eq!(self.get("idle"), 1);
        self.write_connection(connection);
        for stream in 0..STREAMS {
            self.reference.streams[of(connection, stream)] = Stream::new(&TRACKERS);
            let messages = self.messages.as_mut().expect("it speaks of messages");
            messages.senders[of(connection, stream)] = Sender::default();
        }
        self.set("hold", 0);
    }
}
