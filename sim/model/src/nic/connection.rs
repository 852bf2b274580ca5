//! What a NIC keeps for a connection.
use std::collections::BTreeMap;

use metaroce_protocol::constants::RATE_HINT_FULL;
use metaroce_protocol::{ConnectionEntry, Msg};

use super::Failure;
use super::respond::Request;
use crate::hint::TokenBucket;
use crate::reorder::Reorder;
use crate::tracker::Stream;

/// Requests of a peer that wait for their answer (ours): as many as it has slots.
const REQUESTS_IN_FLIGHT: u16 = 16;

/// A connection: what was written, and what became of it.
#[derive(Debug)]
pub(super) struct ConnectionState {
    pub config: ConnectionEntry,
    pub failure: Option<Failure>,
    /// Receiver's side, by stream.
    pub streams: BTreeMap<u16, Stream<Request>>,
    /// Sender's side, by stream: the next posted buffer of the peer.
    pub next_receive: BTreeMap<u16, u32>,
    /// Sender's side: number of the next atomic.
    pub next_sequence: u16,
    /// Responses that are not yet messages, atomics at memory included.
    pub responses_waiting: u16,
    pub replay: Replay,
    /// Sender's side: holds the connection to the receiver's hint.
    pub bucket: TokenBucket,
    /// What reordering has taught.
    pub reorder: Reorder,
    /// Copies that may be sent for the losses seen lately.
    pub copies: u32,
    /// Until when refusals with `receiver_not_ready` are borne, since the first of them.
    pub bears_until: Option<u32>,
}

impl ConnectionState {
    pub fn new(config: ConnectionEntry) -> Self {
        Self {
            config,
            failure: None,
            streams: BTreeMap::new(),
            next_receive: BTreeMap::new(),
            next_sequence: 0,
            responses_waiting: 0,
            replay: Replay::default(),
            bucket: TokenBucket::new(RATE_HINT_FULL),
            reorder: Reorder::default(),
            copies: 0,
            bears_until: None,
        }
    }

    /// Whether another response finds room (ours: as many as a peer may have requests in flight).
    pub fn has_response_room(&self) -> bool {
        self.responses_waiting < REQUESTS_IN_FLIGHT
    }

    /// The peer's buffer that a message of this stream takes.
    pub fn take_receive(&mut self, stream: u16) -> u32 {
        let next = self.next_receive.entry(stream).or_default();
        let receive = *next;
        *next = next.wrapping_add(1);
        receive
    }

    pub fn take_sequence(&mut self) -> u16 {
        let sequence = self.next_sequence;
        self.next_sequence = sequence.wrapping_add(1);
        sequence
    }
}

/// The newest atomics of a connection, by sequence: as many as may be in flight, so whatever can come twice is here.
#[derive(Clone, Debug, Default)]
pub(super) struct Replay([Option<Executed>; REQUESTS_IN_FLIGHT as usize]);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Executed {
    sequence: u16,
    stream: u16,
    message: u16,
    /// `None` while memory works on it.
    original: Option<u64>,
}

/// What the record says of an atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// Not yet executed.
    New,
    /// Memory works on it.
    Executing,
    /// Executed; the word before.
    Executed(u64),
    /// Another one has its place: so old that nobody waits for it, or a lie.
    Forgotten,
}

impl Replay {
    pub fn look_up(&self, sequence: u16, msg: &Msg) -> Seen {
        let Some(executed) = self.0[place(sequence)] else {
            return Seen::New;
        };
        let same = (executed.sequence, executed.stream, executed.message)
            == (sequence, msg.stream, msg.message);
        match executed.original {
            Some(original) if same => Seen::Executed(original),
            None if same => Seen::Executing,
            Some(_) if is_newer(sequence, executed.sequence) => Seen::New,
            _ => Seen::Forgotten,
        }
    }

    pub fn begin(&mut self, sequence: u16, stream: u16, message: u16) {
        self.0[place(sequence)] = Some(Executed {
            sequence,
            stream,
            message,
            original: None,
        });
    }

    /// Memory is done. `false`: nothing waits for this.
    pub fn end(&mut self, sequence: u16, original: u64) -> bool {
        let waiting = self.0[place(sequence)]
            .as_mut()
            .filter(|e| e.sequence == sequence && e.original.is_none());
        let found = waiting.is_some();
        if let Some(executed) = waiting {
            executed.original = Some(original);
        }
        found
    }
}

fn place(sequence: u16) -> usize {
    usize::from(sequence % REQUESTS_IN_FLIGHT)
}

/// Less than half the space after; the sequences that share a place and are in flight are 16 apart.
fn is_newer(sequence: u16, than: u16) -> bool {
    sequence != than && sequence.wrapping_sub(than) < 1 << 15
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_atomic_is_new_once_and_then_answered_from_the_record_until_its_place_is_taken() {
        let mut replay = Replay::default();
        let msg = |message| Msg {
            message,
            ..Msg::default()
        };
        let sequence = 0xFFF8_u16;
        assert_eq!(replay.look_up(sequence, &msg(4)), Seen::New);
        replay.begin(sequence, 0, 4);
        assert_eq!(replay.look_up(sequence, &msg(4)), Seen::Executing);
        assert!(replay.end(sequence, 77));
        assert!(!replay.end(sequence, 78), "once");
        assert_eq!(replay.look_up(sequence, &msg(4)), Seen::Executed(77));
        assert_eq!(replay.look_up(sequence, &msg(5)), Seen::Forgotten, "a lie");
        let next = sequence.wrapping_add(REQUESTS_IN_FLIGHT);
        assert_eq!(replay.look_up(next, &msg(6)), Seen::New);
        replay.begin(next, 0, 6);
        assert_eq!(replay.look_up(sequence, &msg(4)), Seen::Forgotten);
    }
}
