//! The responder's side of Reads and atomics, and what comes back of them.
use metaroce_protocol::{Atomic, Msg, Wqe};

use super::connection::ConnectionState;
use super::{Extra, Nic};
use crate::message::Role;

/// A response that is not yet a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Response {
    pub connection: u32,
    pub stream: u16,
    pub message: u16,
    pub tag: u16,
    pub content: Content,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Read { address: u64, length: u32 },
    Result(u64),
    Replay(u64),
}

/// What a message asks the responder for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    Respond(Response),
    Execute(MemoryOrder),
}

/// What memory must do. The caller does it in the order in which it comes, before later payload is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryOrder {
    /// Host address of a word of 64 bits, little-endian.
    pub address: u64,
    /// What to do with it.
    pub operation: Operation,
    ticket: Option<Ticket>,
}

/// Whom the result of an operation concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ticket {
    connection: u32,
    stream: u16,
    message: u16,
    tag: u16,
    sequence: u16,
}

/// What to do with a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Adds, wrapping. [`Nic::executed`] hears the word before.
    FetchAdd(u64),
    /// Puts `swap` in place if the word is `compare`. [`Nic::executed`] hears the word before.
    CompareSwap {
        /// What it must hold.
        compare: u64,
        /// What it holds then.
        swap: u64,
    },
    /// Writes; no result is awaited.
    Store(u64),
}

impl MemoryOrder {
    /// The connection that waits for the result.
    pub(super) fn connection(&self) -> Option<u32> {
        self.ticket.map(|ticket| ticket.connection)
    }
}

impl Operation {
    pub(super) fn fetch_add(atomic: &Atomic) -> Self {
        Self::FetchAdd(atomic.operand)
    }

    pub(super) fn compare_swap(atomic: &Atomic) -> Self {
        Self::CompareSwap {
            compare: atomic.compare,
            swap: atomic.operand,
        }
    }

    /// The word after the operation.
    pub fn apply(self, before: u64) -> u64 {
        match self {
            Self::FetchAdd(operand) => before.wrapping_add(operand),
            Self::CompareSwap { compare, swap } if before == compare => swap,
            Self::CompareSwap { .. } => before,
            Self::Store(value) => value,
        }
    }
}

impl Nic {
    /// The next thing that memory must do.
    pub fn next_order(&mut self) -> Option<MemoryOrder> {
        self.orders.pop_front()
    }

    /// Memory did what `order` asked; the word held `before`.
    pub fn executed(&mut self, order: &MemoryOrder, before: u64) {
        let Some(ticket) = order.ticket else { return };
        let state = self.connections[ticket.connection as usize].as_mut();
        let Some(state) = state.filter(|s| s.responses_waiting > 0) else {
            return;
        };
        if !state.replay.end(ticket.sequence, before) {
            return;
        }
        self.extra.count(Extra::AtomicsExecuted);
        self.responses_waiting.push_back(Response {
            connection: ticket.connection,
            stream: ticket.stream,
            message: ticket.message,
            tag: ticket.tag,
            content: Content::Result(before),
        });
    }

    pub(super) fn order(
        &self,
        path: u32,
        msg: &Msg,
        atomic: &Atomic,
        operation: Operation,
    ) -> MemoryOrder {
        MemoryOrder {
            address: atomic.address,
            operation,
            ticket: Some(Ticket {
                connection: self.connection_of(path),
                stream: msg.stream,
                message: msg.message,
                tag: atomic.tag,
                sequence: atomic.sequence,
            }),
        }
    }

    /// Does what a message asks for; everything before it in its stream is placed.
    pub(super) fn serve(&mut self, request: Request) {
        match request {
            Request::Execute(order) => self.orders.push_back(order),
            Request::Respond(response) => {
                if matches!(response.content, Content::Replay(_)) {
                    self.extra.count(Extra::AtomicsReplayed);
                }
                self.responses_waiting.push_back(response);
            }
        }
    }

    /// Bytes of a Read are in place.
    pub(super) fn on_answer(&mut self, slot: u8, length: u32) {
        if let Some(message) = self.messages.in_slot_mut(slot)
            && let Role::Read { answered } = &mut message.role
        {
            *answered = Some(answered.unwrap_or(0) + length);
        }
    }

    /// The result of an atomic goes to where its WQE wants it.
    pub(super) fn on_result(&mut self, slot: u8, value: u64) {
        if let Some(message) = self.messages.in_slot_mut(slot)
            && let Role::Atomic { answered, .. } = &mut message.role
        {
            *answered = true;
            self.orders.push_back(MemoryOrder {
                address: message.wqe.local_address,
                operation: Operation::Store(value),
                ticket: None,
            });
        }
    }

    /// Whether a response waits or holds a slot.
    pub fn responds(&self) -> bool {
        !self.responses.is_empty() || !self.responses_waiting.is_empty()
    }

    /// Whether a response is being sent or can be.
    pub fn has_response_to_send(&self) -> bool {
        self.has_current_response()
            || (!self.responses_waiting.is_empty() && self.responses.has_room())
    }

    /// Whether a response is being sent.
    pub fn has_current_response(&self) -> bool {
        self.is_live(&self.responses)
    }

    /// The oldest response that waits takes a slot, if one is free, and is sent after those before it; of a failed connection nothing is sent.
    pub fn load_response(&mut self) -> bool {
        if !self.responses.has_room() {
            return false;
        }
        let Some(response) = self.responses_waiting.pop_front() else {
            return false;
        };
        let state = self.connections[response.connection as usize].as_mut();
        let Some(state) = state.filter(|s| s.responses_waiting > 0) else {
            return true;
        };
        state.responses_waiting -= 1;
        let failed = state.failure.is_some();
        let (wqe, role) = response.message();
        self.responses.load(wqe, role, self.tunables.mtu_log2);
        if failed {
            self.responses.give_up(response.connection);
        }
        true
    }

    /// Frees the slot of the oldest response, if it is delivered or its connection failed.
    pub fn retire_response(&mut self) -> bool {
        let oldest = self.responses.oldest();
        let done = oldest.is_some_and(|message| message.is_complete() || message.given_up);
        done && self.responses.retire(0).is_some()
    }
}

impl ConnectionState {
    /// Room for the response to a request that is accepted; an atomic enters the record.
    pub(super) fn reserve(&mut self, request: &Request) {
        self.responses_waiting += 1;
        if let Request::Execute(MemoryOrder {
            ticket: Some(ticket),
            ..
        }) = request
        {
            self.replay
                .begin(ticket.sequence, ticket.stream, ticket.message);
        }
    }
}

impl Response {
    fn message(&self) -> (Wqe, Role) {
        let wqe = Wqe {
            connection: self.connection as u16,
            stream: self.stream,
            message: self.message,
            ..Wqe::default()
        };
        let tag = self.tag;
        match self.content {
            Content::Read { address, length } => (
                Wqe {
                    local_address: address,
                    length,
                    ..wqe
                },
                Role::ReadResponse { tag },
            ),
            Content::Result(original) | Content::Replay(original) => (
                Wqe { length: 8, ..wqe },
                Role::AtomicResponse { tag, original },
            ),
        }
    }
}
