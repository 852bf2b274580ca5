//! Messages in, completions out.
use metaroce_protocol::{CompletionStatus, Counter, Wqe, WqeOpcode};

use super::{Failure, Nic};
use crate::message::{Message, Role};
use crate::mutant::Mutant;
use crate::tracker::{ReceiveBuffer, Stream, Whole};

/// What the application hears of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The work it ends.
    pub wqe: Wqe,
    /// Index of its WQE.
    pub index: u32,
    /// How it ended.
    pub status: CompletionStatus,
}

/// What the receiver's application hears of a message that is placed whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiveCompletion {
    /// Connection number.
    pub connection: u32,
    /// Stream.
    pub stream: u16,
    /// Number of the message in it.
    pub message: u16,
    /// Bytes.
    pub length: u32,
    /// The buffer that it took, if it took one.
    pub receive: Option<ReceiveBuffer>,
    /// What it hands over.
    pub immediate: Option<u32>,
    /// It asked for something, which begins now.
    pub asks: bool,
}

impl Nic {
    /// Whether a message finds a slot.
    pub fn has_message_room(&self) -> bool {
        self.messages.has_room()
    }

    /// A WQE takes a slot and is sent after those before it; one that can't be (unknown opcode, no such connection) only waits to fail.
    /// Of a failed connection nothing is sent.
    pub fn load_message(&mut self, wqe: Wqe) {
        let connection: u32 = wqe.connection.into();
        self.counters.add(Counter::Messages, 1);
        match self.role_of(&wqe) {
            Some(role) => self.messages.load(wqe, role, self.tunables.mtu_log2),
            None => self.messages.load_bad(wqe),
        }
        let state = self.connections.get(connection as usize);
        if state
            .and_then(Option::as_ref)
            .is_some_and(|c| c.failure.is_some())
        {
            self.messages.give_up(connection);
        }
    }

    /// What a WQE becomes; `None`: it can't be.
    fn role_of(&mut self, wqe: &Wqe) -> Option<Role> {
        let profile = self.options.profile;
        let connection = self.connections.get_mut(usize::from(wqe.connection))?;
        let connection = connection.as_mut()?;
        let atomic = matches!(wqe.opcode, WqeOpcode::FetchAdd | WqeOpcode::CompareSwap);
        let beyond = profile.tracks_messages() && wqe.stream >= self.size.trackers.streams;
        if !profile.offers(wqe.opcode) || beyond || (atomic && wqe.length != 8) {
            return None;
        }
        Some(match wqe.opcode {
            WqeOpcode::WriteImm | WqeOpcode::Send | WqeOpcode::SendImm => Role::Matched {
                receive: connection.take_receive(wqe.stream),
            },
            WqeOpcode::Read => Role::Read { answered: None },
            WqeOpcode::FetchAdd | WqeOpcode::CompareSwap => Role::Atomic {
                sequence: connection.take_sequence(),
                answered: false,
            },
            _ => Role::Write,
        })
    }

    /// Completes a message: the oldest, or in the whole profile the first that is complete or failed and has no open one
    /// of its stream before it. `None`: there is none.
    pub fn retire(&mut self) -> Option<Completion> {
        let (position, status) = self.next_to_retire()?;
        let Message { wqe, index, .. } = self.messages.retire(position)?;
        self.counters.add(Counter::Completions, 1);
        Some(Completion { wqe, index, status })
    }

    /// The slot of the oldest message, if it is a Read.
    pub fn oldest_read(&self) -> Option<u8> {
        let message = self.messages.oldest()?;
        matches!(message.role, Role::Read { .. }).then(|| self.messages.oldest_slot())
    }

    fn next_to_retire(&self) -> Option<(usize, CompletionStatus)> {
        let stream = |message: &Message| (message.wqe.connection, message.wqe.stream);
        for (position, message) in self.messages.open() {
            let mut before = self.messages.open().take_while(|&(p, _)| p < position);
            if before.any(|(_, m)| stream(m) == stream(message)) {
                continue;
            }
            if let Some(status) = self.status(message) {
                return Some((position, status));
            }
            if !self.is_whole() {
                return None;
            }
        }
        None
    }

    /// Whether this connection and this stream of it are there.
    pub fn takes_receives(&self, connection: u32, stream: u16) -> bool {
        let state = self.connections.get(connection as usize);
        state.is_some_and(Option::is_some) && stream < self.size.trackers.streams
    }

    /// What a stream expects next at its receiver: the number of a message, and of the buffer that it may take.
    pub fn expects(&self, connection: u32, stream: u16) -> (u16, u32) {
        let state = self.connections.get(connection as usize);
        let state = state.and_then(Option::as_ref);
        let stream = state.and_then(|state| state.streams.get(&stream));
        stream.map_or((0, 0), Stream::next)
    }

    /// Whether a buffer finds room on a stream of a connection.
    pub fn can_post(&self, connection: u32, stream: u16) -> bool {
        let state = self.connections.get(connection as usize);
        let Some(state) = state.and_then(Option::as_ref) else {
            return false;
        };
        let posted = state.streams.get(&stream);
        stream < self.size.trackers.streams && posted.is_none_or(Stream::has_room)
    }

    /// Posted buffers of all connections that no ended message took.
    pub fn held_buffers(&self) -> usize {
        let streams = self.connections.iter().flatten();
        streams
            .flat_map(|c| c.streams.values())
            .map(Stream::held)
            .sum()
    }

    /// Connection and stream of a message that is whole and has not ended.
    pub fn next_whole(&self) -> Option<(u32, u16)> {
        self.ready.front().copied()
    }

    /// Posts a buffer on a stream of a connection. `false`: no such connection or stream, or no room.
    pub fn post_receive(&mut self, connection: u32, stream: u16, buffer: ReceiveBuffer) -> bool {
        let trackers = self.size.trackers;
        let state = self.connections.get_mut(connection as usize);
        let Some(state) = state
            .and_then(Option::as_mut)
            .filter(|_| stream < trackers.streams)
        else {
            return false;
        };
        let streams = &mut state.streams;
        let stream = streams
            .entry(stream)
            .or_insert_with(|| Stream::new(&trackers));
        let posted = stream.post(buffer);
        self.on_posted(connection);
        posted
    }

    /// Completes the next message of a stream at its receiver, and begins what it asks for. Its bytes are in memory once all that was
    /// [`super::Received::Placed`] before is.
    pub fn retire_receive(&mut self) -> Option<ReceiveCompletion> {
        let &(connection, stream) = self.ready.front()?;
        self.retire_receive_of(connection, stream)
    }

    /// The same of this stream; `None`: its next message is not whole.
    pub fn retire_receive_of(&mut self, connection: u32, stream: u16) -> Option<ReceiveCompletion> {
        let place = self.ready.iter().position(|&r| r == (connection, stream))?;
        self.ready.remove(place);
        let state = self.connections[connection as usize].as_mut()?;
        let tracker = state.streams.get_mut(&stream)?;
        let whole = tracker.retire()?;
        if tracker.is_ready() {
            self.ready.push_back((connection, stream));
        }
        self.counters.add(Counter::RxMessages, 1);
        self.on_posted(connection);
        let Whole {
            request,
            message,
            length,
            receive,
            immediate,
        } = whole;
        let asks = request.is_some();
        if let Some(request) = request {
            self.serve(request);
        }
        Some(ReceiveCompletion {
            connection,
            stream,
            message,
            length,
            receive,
            immediate,
            asks,
        })
    }

    fn status(&self, message: &Message) -> Option<CompletionStatus> {
        if message.packets == 0 {
            return Some(CompletionStatus::BadRequest);
        }
        let early = self.options.is(Mutant::CompletesEarly);
        if message.is_complete() || (early && message.delivered + 1 == message.packets) {
            return Some(CompletionStatus::Success);
        }
        match self.failure(message.wqe.connection.into())? {
            Failure::RetryExceeded => Some(CompletionStatus::RetryExceeded),
            Failure::Refused {
                reason,
                stream,
                message: number,
            } if (stream, number) == (message.wqe.stream, message.wqe.message) => {
                Some(reason.into())
            }
            Failure::Refused { .. } => Some(CompletionStatus::Flushed),
        }
    }
}
