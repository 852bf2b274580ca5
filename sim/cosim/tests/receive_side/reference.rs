//! The receiver of docs/protocol.md, section 4, as plain Rust over sets of PSNs.
use std::collections::{HashSet, VecDeque};

use metaroce_model::config::TrackerSize;
use metaroce_model::tracker::{Part, Stream};
use metaroce_protocol::RefusalReason;

use crate::engines::{Fields, Word};

const SPACE: u32 = 1 << 24;
pub const PATHS: u32 = 4;
/// Of each connection.
pub const STREAMS: u16 = 2;
pub const TRACKERS: TrackerSize = TrackerSize {
    streams: STREAMS,
    messages: 4,
    receives: 8,
};
/// Refusals that wait (docs/protocol.md, section 4).
const REFUSALS: usize = 4;

/// One path, its configuration and its state.
pub struct Path {
    pub valid: bool,
    pub plane: u32,
    pub epoch: u8,
    pub entropy: u16,
    /// First PSN not received, as far as it has advanced.
    pub cum: u32,
    /// With every accepted packet.
    true_cum: u32,
    /// One after the highest PSN accepted.
    highest: u32,
    /// What each accepted packet makes of `cum`, until it advances.
    advances: VecDeque<u32>,
    pub max_tsn: u32,
    received_psns: HashSet<u32>,
    bits: Vec<bool>,
    echo: u32,
    received: u16,
    marked: u16,
    since_ack: u32,
    last_marked: bool,
    pending: bool,
}

pub struct Connection {
    pub local_qp: u32,
    pub remote_qp: u32,
    pub dst_mac: u64,
    pub src_mac: u64,
    pub src_ip: u32,
    pub dst_ip: u32,
    pub ip_sum: u16,
}

#[derive(Clone, Copy)]
pub struct Region {
    pub r_key: u32,
    pub base: u64,
    pub length: u64,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Event {
    pub plane: u32,
    pub probe: bool,
    pub ce: bool,
    pub ack_request: bool,
    pub dest_qp: u32,
    pub psn: u32,
    pub path: u8,
    pub epoch: u8,
    pub tsn: u32,
    pub timestamp: u32,
    pub payload: u16,
    pub stream: u16,
    pub message: u16,
    pub offset: u32,
    pub address: u64,
    pub r_key: u32,
    /// Bytes of the whole message.
    pub length: u32,
    /// The posted buffer that its message takes: no WRITE.
    pub receive: Option<u32>,
    /// The bytes go into it: a SEND.
    pub into_buffer: bool,
    pub immediate: Option<u32>,
}

impl Event {
    /// What it says of its message.
    pub fn part(&self) -> Part {
        Part {
            message: self.message,
            offset: self.offset,
            payload: self.payload.into(),
            length: self.length,
            receive: self.receive,
            into_buffer: self.into_buffer,
            immediate: self.immediate,
        }
    }

    fn opcode(&self) -> u64 {
        match (self.receive, self.into_buffer, self.immediate) {
            _ if self.probe => 0xD2,
            (None, ..) => 0xC0,
            (Some(_), false, _) => 0xC1,
            (Some(_), true, None) => 0xC2,
            (Some(_), true, Some(_)) => 0xC3,
        }
    }

    /// As the `FrameEvent` port's bytes.
    pub fn word(&self) -> Vec<u8> {
        let msg = [
            (self.offset.into(), 32),
            (self.message.into(), 16),
            (self.stream.into(), 16),
        ];
        let reth = [
            (self.length.into(), 32),
            (self.r_key.into(), 32),
            (self.address, 64),
        ];
        // The last header lowest; what lies beyond the opcode's headers counts for nothing.
        let matching = [(self.length, 32), (self.receive.unwrap_or(9), 32)];
        let matching = matching.map(|(value, bits)| (u64::from(value), bits));
        let imm = [(0, 32), (self.immediate.unwrap_or(9).into(), 32)];
        let mut tail = match self.opcode() {
            0xC2 | 0xC3 => vec![(1, 64), (2, 64)],
            _ => vec![],
        };
        tail.extend(imm);
        tail.extend(matching);
        if !self.into_buffer {
            tail.extend(reth);
        }
        tail.extend(msg);
        let head = Word::default()
            .field(self.opcode(), 8)
            .field(self.ce.into(), 1)
            .field(self.ack_request.into(), 1)
            .field(self.dest_qp.into(), 24)
            .field(self.psn.into(), 24)
            .field(self.path.into(), 8)
            .field(self.epoch.into(), 8)
            .field(self.tsn.into(), 24)
            .field(self.timestamp.into(), 32)
            .field(self.payload.into(), 16);
        tail.iter()
            .fold(head, |word, &(value, bits)| word.field(value, bits))
            .finish()
    }
}

/// What the commit of an event must show.
#[derive(Debug, PartialEq, Eq)]
pub struct Verdict {
    pub accept: bool,
    /// Where its payload goes.
    pub address: u64,
    /// Names of the counters that go up.
    pub counts: Vec<&'static str>,
}

struct Refused {
    path: usize,
    psn: u32,
    tsn: u32,
    reason: u8,
    stream: u16,
    message: u16,
}

/// The receiver.
pub struct Receiver {
    pub window: u32,
    pub ack_every: u32,
    pub connections: Vec<Connection>,
    pub paths: Vec<Path>,
    pub regions: Vec<Region>,
    /// Of profile `Messages`, those of all connections.
    pub streams: Vec<Stream<()>>,
    refusals: VecDeque<Refused>,
}

impl Receiver {
    pub fn new(
        window: u32,
        ack_every: u32,
        connections: Vec<Connection>,
        regions: Vec<Region>,
    ) -> Self {
        Self {
            window,
            ack_every,
            connections,
            paths: Vec::new(),
            regions,
            streams: Vec::new(),
            refusals: VecDeque::new(),
        }
    }

    pub fn path(
        &self,
        plane: u32,
        epoch: u8,
        entropy: u16,
        first_psn: u32,
        first_tsn: u32,
    ) -> Path {
        Path {
            valid: true,
            plane,
            epoch,
            entropy,
            cum: first_psn,
            true_cum: first_psn,
            highest: first_psn,
            advances: VecDeque::new(),
            max_tsn: (first_tsn + SPACE - 1) % SPACE,
            received_psns: HashSet::new(),
            bits: vec![first_psn & self.window != 0; self.window as usize],
            echo: 0,
            received: 0,
            marked: 0,
            since_ack: 0,
            last_marked: false,
            pending: false,
        }
    }

    pub fn refusal_room(&self) -> bool {
        self.refusals.len() < REFUSALS
    }

    /// Whether anything waits to be sent.
    pub fn quiet(&self) -> bool {
        self.refusals.is_empty()
            && self
                .paths
                .iter()
                .all(|path| !path.pending && path.advances.is_empty() && path.cum == path.true_cum)
    }

    /// The oldest accepted packet of a path that has not moved `cum` does.
    pub fn advance(&mut self, number: usize) {
        let path = &mut self.paths[number];
        path.cum = path.advances.pop_front().expect("an accepted packet");
    }

    /// `room`: whether a refusal could be queued.
    pub fn receive_with_room(&mut self, event: &Event, room: bool) -> Verdict {
        let drop = |counts: Vec<&'static str>| Verdict {
            accept: false,
            address: event.address,
            counts,
        };
        let index = event.dest_qp as usize % self.connections.len();
        if self.connections[index].local_qp != event.dest_qp || u32::from(event.path) >= PATHS {
            return drop(vec!["rx_unknown_connection"]);
        }
        let number = index * PATHS as usize + usize::from(event.path);
        if !self.paths[number].valid {
            return drop(vec!["rx_unknown_connection"]);
        }
        let (window, ack_every) = (self.window, self.ack_every);
        let path = &mut self.paths[number];
        if path.epoch != event.epoch {
            return drop(vec!["rx_closed_epoch"]);
        }
        let ahead = (event.tsn + SPACE - path.max_tsn) % SPACE;
        if ahead != 0 && ahead < SPACE / 2 {
            path.max_tsn = event.tsn;
            path.echo = event.timestamp;
        }
        path.received = path.received.wrapping_add(1);
        if event.probe {
            (path.pending, path.since_ack) = (true, 0);
            return drop(vec!["rx_probes"]);
        }
        let mut counts = vec![];
        if event.ce {
            path.marked = path.marked.wrapping_add(1);
            counts.push("rx_marked");
        }
        let changed = event.ce != path.last_marked;
        path.last_marked = event.ce;
        let offset = (event.psn + SPACE - path.cum) % SPACE;
        // What lies between the point that lags and the true one is received.
        let behind = (event.psn + SPACE - path.true_cum) % SPACE >= SPACE / 2;
        if offset >= SPACE / 2
            || offset < window && (behind || path.received_psns.contains(&event.psn))
        {
            (path.pending, path.since_ack) = (true, 0);
            counts.push("rx_duplicate");
            return drop(counts);
        }
        if offset >= window {
            counts.push("rx_out_of_window");
            return drop(counts);
        }
        let stream = index * usize::from(STREAMS) + usize::from(event.stream);
        let region = self.regions[event.r_key as usize % self.regions.len()];
        let inside = event.address >= region.base
            && u128::from(event.address) + u128::from(event.payload)
                <= u128::from(region.base) + u128::from(region.length);
        let found = if event.into_buffer {
            Ok(None)
        } else if region.r_key != event.r_key {
            Err(RefusalReason::BadKey)
        } else if !inside {
            Err(RefusalReason::BadRange)
        } else {
            Ok(None)
        };
        let tracked = !self.streams.is_empty();
        let found = found.and_then(|none| match self.streams.get(stream) {
            _ if !tracked => Ok(none),
            Some(stream_state) if event.stream < STREAMS => stream_state.check(&event.part()),
            _ => Err(RefusalReason::InvalidRequest),
        });
        if let Err(reason) = found {
            counts.push(match reason {
                RefusalReason::BadKey => "rx_bad_key",
                RefusalReason::BadRange => "rx_bad_range",
                RefusalReason::ReceiverNotReady => "rx_not_ready",
                _ => "rx_invalid_request",
            });
            let reason = reason.code();
            if room {
                let Event {
                    psn,
                    tsn,
                    stream,
                    message,
                    ..
                } = *event;
                self.refusals.push_back(Refused {
                    path: number,
                    psn,
                    tsn,
                    reason,
                    stream,
                    message,
                });
            } else {
                counts.push("refusals_dropped");
            }
            return drop(counts);
        }
        path.since_ack += 1;
        let whole = path.true_cum == path.highest;
        let gap = event.psn != if whole { path.highest } else { path.cum };
        if event.ack_request || gap || changed || path.since_ack >= ack_every {
            (path.pending, path.since_ack) = (true, 0);
        }
        path.received_psns.insert(event.psn);
        path.bits[(event.psn % window) as usize] = event.psn & window == 0;
        if (event.psn + SPACE - path.highest) % SPACE < SPACE / 2 {
            path.highest = (event.psn + 1) % SPACE;
        }
        while path.received_psns.remove(&path.true_cum) {
            path.true_cum = (path.true_cum + 1) % SPACE;
        }
        path.advances.push_back(path.true_cum);
        if tracked {
            self.streams[stream].accept(&event.part(), None);
        }
        counts.push(if event.receive.is_none() {
            "rx_writes"
        } else {
            "rx_verbs"
        });
        let buffer = found.ok().flatten().filter(|_| event.into_buffer);
        let in_buffer = buffer.map(|address| address.wrapping_add(event.offset.into()));
        Verdict {
            accept: true,
            address: in_buffer.unwrap_or(event.address),
            counts,
        }
    }

    /// The ACK of a path, as the answer port's bytes.
    pub fn build_ack(&mut self, number: usize) -> Vec<u8> {
        let path = &mut self.paths[number];
        assert!(
            std::mem::take(&mut path.pending),
            "path {number} asked for an ACK"
        );
        let mut bits = [0u64; 4];
        for (i, &bit) in path.bits.iter().enumerate() {
            bits[i / 64] |= u64::from(bit) << (i % 64);
        }
        let path = &self.paths[number];
        let head = self.answer(number, 0xD0, path.cum, path.max_tsn, path.echo);
        let head = bits.iter().fold(head, |word, &part| word.field(part, 64));
        let tail = head
            .field(0, 16)
            .field(0xFFFF, 16)
            .field(path.marked.into(), 16);
        tail.field(path.received.into(), 16).finish()
    }

    /// The oldest refusal.
    pub fn build_refusal(&mut self) -> (usize, Vec<u8>) {
        let Refused {
            path,
            psn,
            tsn,
            reason,
            stream,
            message,
        } = self.refusals.pop_front().expect("a refusal waits");
        let word = self.answer(path, 0xD1, psn, tsn, 0);
        let word = (0..4).fold(word, |word, _| word.field(0, 64));
        let word = word
            .field(message.into(), 16)
            .field(stream.into(), 16)
            .field(0, 24)
            .field(reason.into(), 8);
        (path, word.finish())
    }

    fn answer(&self, number: usize, opcode: u64, psn: u32, tsn: u32, timestamp: u32) -> Word {
        let connection = &self.connections[number / PATHS as usize];
        let path = &self.paths[number];
        Word::default()
            .field(opcode, 8)
            .field(0, 1)
            .field(connection.remote_qp.into(), 24)
            .field(psn.into(), 24)
            .field(number as u64 % u64::from(PATHS), 8)
            .field(path.epoch.into(), 8)
            .field(tsn.into(), 24)
            .field(timestamp.into(), 32)
            .field(path.entropy.into(), 16)
            .field(connection.dst_mac, 48)
            .field(connection.src_mac, 48)
            .field(connection.src_ip.into(), 32)
            .field(connection.dst_ip.into(), 32)
            .field(connection.ip_sum.into(), 16)
            .field(0, 16)
            .field(0, 64)
    }
}

/// The names of `ReceiveCounts` that are up, and its byte amount.
pub fn counts(bytes: &[u8]) -> (Vec<&'static str>, u64) {
    let mut fields = Fields::new(bytes);
    let mut up = Vec::new();
    let mut amount = 0;
    for name in [
        "rx_frames",
        "rx_unknown_connection",
        "rx_closed_epoch",
        "rx_duplicate",
        "rx_out_of_window",
        "rx_bad_key",
        "rx_bad_range",
        "rx_writes",
        "rx_write_bytes",
        "rx_probes",
        "rx_marked",
        "tx_acks",
        "tx_refusals",
        "refusals_dropped",
        "rx_verbs",
        "rx_not_ready",
        "rx_invalid_request",
    ] {
        match name {
            "rx_write_bytes" => amount = fields.field(16),
            _ if fields.field(1) == 1 => up.push(name),
            _ => {}
        }
    }
    (up, amount)
}
