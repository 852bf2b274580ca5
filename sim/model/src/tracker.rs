//! The receiver's side of a stream: posted buffers, and messages until they are placed whole.
use std::collections::VecDeque;

use metaroce_protocol::RefusalReason;

use crate::config::TrackerSize;

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
}

/// One stream, as its receiver sees it. `R`: what a message can ask for.
#[derive(Clone, Debug)]
pub struct Stream<R> {
    next: u16,
    /// By message number; their count is the number of messages in flight.
    entries: Vec<Option<Entry<R>>>,
    /// Buffers that no retired message took, the oldest first.
    posted: VecDeque<Posted>,
    first_posted: u32,
    receives: usize,
}

impl<R> Stream<R> {
    /// A stream that expects message 0, and has no buffer yet.
    pub fn new(size: &TrackerSize) -> Self {
        Self {
            next: 0,
            entries: (0..size.messages).map(|_| None).collect(),
            posted: VecDeque::new(),
            first_posted: 0,
            receives: size.receives as usize,
        }
    }

    /// Whether one more buffer finds room.
    pub fn has_room(&self) -> bool {
        self.posted.len() < self.receives
    }

    /// Posts a buffer behind the others; `false`: there is no room.
    pub fn post(&mut self, buffer: ReceiveBuffer) -> bool {
        let room = self.has_room();
        if room {
            let taken_by = None;
            self.posted.push_back(Posted { buffer, taken_by });
        }
        room
    }

    /// Number of the next message, and of the oldest buffer that no ended message took.
    pub fn next(&self) -> (u16, u32) {
        (self.next, self.first_posted)
    }

    /// Buffers that no ended message took.
    pub fn held(&self) -> usize {
        self.posted.len()
    }

    /// Buffers that wait for a message.
    pub fn posted(&self) -> usize {
        self.posted.iter().filter(|p| p.taken_by.is_none()).count()
    }

    /// Whether a packet may be accepted, and the address of its buffer if it takes one. Changes nothing.
    pub fn check(&self, part: &Part) -> Result<Option<u64>, RefusalReason> {
        self.check_turn(part, true)
    }

    /// The same; `in_turn`: messages take buffers in their order.
    pub(crate) fn check_turn(
        &self,
        part: &Part,
        in_turn: bool,
    ) -> Result<Option<u64>, RefusalReason> {
        let end = u64::from(part.offset) + u64::from(part.payload);
        if self.ahead(part) >= self.entries.len() || end > u64::from(part.length) {
            return Err(RefusalReason::InvalidRequest);
        }
        if let Some(entry) = &self.entries[self.index(part.message)] {
            let same = entry.length == part.length && entry.receive == part.receive;
            if !same || entry.left == 0 || entry.left < part.payload {
                return Err(RefusalReason::InvalidRequest);
            }
        }
        part.receive
            .map(|receive| self.check_buffer(part, receive, in_turn))
            .transpose()
    }

    fn check_buffer(&self, part: &Part, receive: u32, in_turn: bool) -> Result<u64, RefusalReason> {
        // No message takes one further ahead than it is itself.
        let place = receive.wrapping_sub(self.first_posted) as usize;
        if in_turn && place > self.ahead(part) {
            return Err(RefusalReason::InvalidRequest);
        }
        let posted = self.posted.get(place);
        let posted = posted.ok_or(RefusalReason::ReceiverNotReady)?;
        if posted.taken_by.is_some_and(|by| by != part.message) {
            return Err(RefusalReason::InvalidRequest);
        }
        if part.into_buffer && part.length > posted.buffer.length {
            return Err(RefusalReason::BadRange);
        }
        Ok(posted.buffer.address)
    }

    /// A packet that `check` let pass. `true`: the stream's next message is whole.
    pub fn accept(&mut self, part: &Part, request: Option<R>) -> bool {
        let index = self.index(part.message);
        let entry = self.entries[index].get_or_insert(Entry {
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

    /// Whether the next message is whole. One whose buffer is not the oldest broke the order, and never ends.
    pub fn is_ready(&self) -> bool {
        let next = &self.entries[self.index(self.next)];
        next.as_ref().is_some_and(|entry| {
            entry.left == 0 && entry.receive.is_none_or(|r| r == self.first_posted)
        })
    }

    /// The next message, if it is whole.
    pub fn retire(&mut self) -> Option<Whole<R>> {
        if !self.is_ready() {
            return None;
        }
        let (message, index) = (self.next, self.index(self.next));
        let entry = self.entries[index].take()?;
        self.next = self.next.wrapping_add(1);
        let receive = entry.receive.and_then(|_| {
            self.first_posted = self.first_posted.wrapping_add(1);
            self.posted.pop_front()
        });
        Some(Whole {
            request: entry.request,
            message,
            length: entry.length,
            receive: receive.map(|posted| posted.buffer),
            immediate: entry.immediate,
        })
    }

    /// How far a packet's message is ahead of the next.
    fn ahead(&self, part: &Part) -> usize {
        part.message.wrapping_sub(self.next).into()
    }

    fn index(&self, message: u16) -> usize {
        usize::from(message) % self.entries.len()
    }
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
            ..Stream::new(&TrackerSize::SOFTWARE)
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
        assert_eq!(
            stream.check(&send(0xFFFF, 1)),
            Err(RefusalReason::InvalidRequest),
            "one message is before it, and takes one buffer at most"
        );
        assert!(stream.accept(&send(0xFFFE, u32::MAX), None));
        assert_eq!(stream.posted(), 1);
        let whole = stream.retire().unwrap();
        assert_eq!(whole.receive.map(|b| b.wr_id), Some(100));
        assert!(stream.accept(&part(0xFFFF, 0, 10, 10), None));
        assert_eq!(stream.retire().map(|w| w.message), Some(0xFFFF));
        assert!(
            !stream.is_ready(),
            "message 0 took a buffer that is not its: no message took the one before"
        );
    }
}
