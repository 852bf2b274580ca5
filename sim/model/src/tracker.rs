//! The receiver's side of a stream: posted buffers, and messages until they are placed whole.
use std::collections::VecDeque;

use metaroce_protocol::RefusalReason;

/// Streams a connection may use (ours): a receiver's memory must not grow by what a peer names.
pub const STREAMS: u16 = 64;
/// Messages of a stream that may be on their way (ours): as many as a sender has slots. Bounds immediates, Sends, Reads
/// and atomics in flight.
pub const MESSAGES_IN_FLIGHT: u16 = 16;
/// Buffers that may be posted on a stream (ours): sixteen times the messages that can take one.
pub const RECEIVES: usize = 256;

/// A posted buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiveBuffer {
    /// Host address of its first byte.
    pub address: u64,
    /// Bytes.
    pub length: u32,
    /// Comes back in the completion.
    pub wr_id: u64,
}

/// What a packet says about its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Number in the stream.
    pub message: u16,
    /// First byte.
    pub offset: u32,
    /// Bytes.
    pub payload: u32,
    /// Bytes of the whole message.
    pub length: u32,
    /// The posted buffer that it takes.
    pub receive: Option<u32>,
    /// Whether the bytes go into that buffer: a Send.
    pub into_buffer: bool,
    /// What it hands over.
    pub immediate: Option<u32>,
}

/// A message that is placed whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole<R = ()> {
    /// What it asks for: done now, after everything before it in its stream.
    pub request: Option<R>,
    /// Number in the stream.
    pub message: u16,
    /// Bytes.
    pub length: u32,
    /// The buffer that it took.
    pub receive: Option<ReceiveBuffer>,
    /// What it hands over.
    pub immediate: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Entry<R> {
    request: Option<R>,
    length: u32,
    left: u32,
    receive: Option<u32>,
    immediate: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Posted {
    buffer: ReceiveBuffer,
    taken_by: Option<u16>,
    done: bool,
}

/// One stream, as its receiver sees it. `R`: what a message can ask for.
#[derive(Clone, Debug)]
pub struct Stream<R> {
    next: u16,
    entries: [Option<Entry<R>>; MESSAGES_IN_FLIGHT as usize],
    posted: VecDeque<Posted>,
    first_posted: u32,
}

impl<R> Default for Stream<R> {
    fn default() -> Self {
        Self {
            next: 0,
            entries: std::array::from_fn(|_| None),
            posted: VecDeque::new(),
            first_posted: 0,
        }
    }
}

impl<R> Stream<R> {
    /// Posts a buffer behind the others; `false`: there is no room.
    pub fn post(&mut self, buffer: ReceiveBuffer) -> bool {
        let room = self.posted.len() < RECEIVES;
        if room {
            self.posted.push_back(Posted {
                buffer,
                taken_by: None,
                done: false,
            });
        }
        room
    }

    /// Buffers that wait for a message.
    pub fn posted(&self) -> usize {
        self.posted.iter().filter(|p| p.taken_by.is_none()).count()
    }

    /// Whether a packet may be accepted, and the address of its buffer if it takes one. Changes nothing.
    pub fn check(&self, part: &Part) -> Result<Option<u64>, RefusalReason> {
        let ahead = part.message.wrapping_sub(self.next);
        let end = u64::from(part.offset) + u64::from(part.payload);
        if ahead >= MESSAGES_IN_FLIGHT || end > u64::from(part.length) {
            return Err(RefusalReason::InvalidRequest);
        }
        if let Some(entry) = &self.entries[index(part.message)] {
            let same = entry.length == part.length && entry.receive == part.receive;
            if !same || entry.left == 0 || entry.left < part.payload {
                return Err(RefusalReason::InvalidRequest);
            }
        }
        part.receive
            .map(|receive| self.check_buffer(part, receive))
            .transpose()
    }

    fn check_buffer(&self, part: &Part, receive: u32) -> Result<u64, RefusalReason> {
        let place = receive.wrapping_sub(self.first_posted);
        if place >= 1 << 31 {
            return Err(RefusalReason::InvalidRequest);
        }
        let posted = self.posted.get(place as usize);
        let posted = posted.ok_or(RefusalReason::ReceiverNotReady)?;
        if posted.done || posted.taken_by.is_some_and(|by| by != part.message) {
            return Err(RefusalReason::InvalidRequest);
        }
        if part.into_buffer && part.length > posted.buffer.length {
            return Err(RefusalReason::BadRange);
        }
        Ok(posted.buffer.address)
    }

    /// A packet that `check` let pass. `true`: the stream's next message is whole.
    pub fn accept(&mut self, part: &Part, request: Option<R>) -> bool {
        let entry = self.entries[index(part.message)].get_or_insert(Entry {
            request,
            length: part.length,
            left: part.length,
            receive: part.receive,
            immediate: part.immediate,
        });
        entry.left -= part.payload;
        if let Some(receive) = part.receive {
            let place = receive.wrapping_sub(self.first_posted) as usize;
            self.posted[place].taken_by = Some(part.message);
        }
        self.is_ready()
    }

    /// Whether the next message is whole.
    pub fn is_ready(&self) -> bool {
        let next = &self.entries[index(self.next)];
        next.as_ref().is_some_and(|entry| entry.left == 0)
    }

    /// The next message, if it is whole.
    pub fn retire(&mut self) -> Option<Whole<R>> {
        let entry = self.entries[index(self.next)].take_if(|entry| entry.left == 0)?;
        let message = self.next;
        self.next = self.next.wrapping_add(1);
        let receive = entry.receive.map(|receive| self.give_back(receive));
        Some(Whole {
            request: entry.request,
            message,
            length: entry.length,
            receive,
            immediate: entry.immediate,
        })
    }

    fn give_back(&mut self, receive: u32) -> ReceiveBuffer {
        let place = receive.wrapping_sub(self.first_posted) as usize;
        self.posted[place].done = true;
        let buffer = self.posted[place].buffer;
        while self.posted.front().is_some_and(|p| p.done) {
            self.posted.pop_front();
            self.first_posted = self.first_posted.wrapping_add(1);
        }
        buffer
    }
}

fn index(message: u16) -> usize {
    usize::from(message % MESSAGES_IN_FLIGHT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(message: u16, offset: u32, payload: u32, length: u32) -> Part {
        Part {
            message,
            offset,
            payload,
            length,
            receive: None,
            into_buffer: false,
            immediate: None,
        }
    }

    fn next_to_roll_over() -> Stream<()> {
        Stream {
            next: 0xFFFE,
            first_posted: u32::MAX,
            ..Stream::default()
        }
    }

    #[test]
    fn messages_complete_in_order_whatever_order_their_packets_have() {
        let mut stream = next_to_roll_over();
        let parts = [
            part(0, 0, 0, 0),
            part(0xFFFF, 100, 50, 150),
            part(0xFFFE, 0, 7, 7),
        ];
        for part in &parts[..2] {
            assert_eq!(stream.check(part), Ok(None));
            assert!(!stream.accept(part, None));
        }
        assert!(stream.accept(&parts[2], None));
        assert_eq!(stream.retire().map(|w| w.message), Some(0xFFFE));
        assert_eq!(stream.retire(), None, "the next one lacks its first bytes");
        assert!(stream.accept(&part(0xFFFF, 0, 100, 150), None));
        let rest: Vec<_> = std::iter::from_fn(|| stream.retire())
            .map(|w| (w.message, w.length))
            .collect();
        assert_eq!(rest, [(0xFFFF, 150), (0, 0)]);
    }

    #[test]
    fn what_breaks_a_limit_is_refused() {
        let mut stream = next_to_roll_over();
        let refused = Err(RefusalReason::InvalidRequest);
        assert_eq!(stream.check(&part(0xFFFD, 0, 0, 0)), refused, "behind");
        assert_eq!(stream.check(&part(14, 0, 0, 0)), refused, "too far ahead");
        assert_eq!(stream.check(&part(13, 0, 0, 0)), Ok(None));
        assert_eq!(stream.check(&part(0, 5, 6, 10)), refused, "past its end");
        stream.accept(&part(0, 0, 6, 10), None);
        assert_eq!(
            stream.check(&part(0, 4, 6, 10)),
            refused,
            "more than its bytes"
        );
        assert_eq!(stream.check(&part(0, 6, 4, 11)), refused, "another length");
    }

    #[test]
    fn a_send_lands_in_its_own_buffer_and_no_other_message_takes_it() {
        let mut stream = next_to_roll_over();
        let send = |message, receive| Part {
            receive: Some(receive),
            into_buffer: true,
            ..part(message, 0, 10, 10)
        };
        assert_eq!(
            stream.check(&send(0xFFFE, u32::MAX)),
            Err(RefusalReason::ReceiverNotReady)
        );
        for (address, length) in [(100, 10), (200, 9), (300, 10)] {
            assert!(stream.post(ReceiveBuffer {
                address,
                length,
                wr_id: address
            }));
        }
        assert_eq!(stream.check(&send(0, 1)), Ok(Some(300)));
        stream.accept(&send(0, 1), None);
        assert_eq!(
            stream.check(&send(1, 1)),
            Err(RefusalReason::InvalidRequest),
            "taken"
        );
        assert_eq!(
            stream.check(&send(0xFFFF, 0)),
            Err(RefusalReason::BadRange),
            "too small"
        );
        assert_eq!(
            stream.check(&send(2, u32::MAX - 1)),
            Err(RefusalReason::InvalidRequest),
            "long gone"
        );
        assert!(stream.accept(&send(0xFFFE, u32::MAX), None));
        assert_eq!(stream.posted(), 1);
        let whole = stream.retire().unwrap();
        assert_eq!(whole.receive.map(|b| b.wr_id), Some(100));
    }
}
