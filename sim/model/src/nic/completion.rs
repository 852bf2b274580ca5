//! Messages in, completions out.
use metaroce_protocol::{CompletionStatus, Counter, Wqe, WqeOpcode};

use super::{Failure, Nic};
use crate::message::Message;

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

impl Nic {
    /// Whether a message finds a slot.
    pub fn has_message_room(&self) -> bool {
        self.messages.has_room()
    }

    /// A WQE takes a slot and becomes the current message; one that can't be (unknown opcode, no such connection) only waits to fail.
    pub fn load_message(&mut self, wqe: Wqe) {
        self.counters.add(Counter::Messages, 1);
        let connection = self.connections.get(usize::from(wqe.connection));
        if wqe.opcode == WqeOpcode::Write && connection.is_some_and(Option::is_some) {
            self.messages.load(wqe, self.tunables.mtu_log2);
        } else {
            self.messages.load_bad(wqe);
        }
    }

    /// Completes the oldest message; `None` if it is not complete and its connection has not failed.
    pub fn retire(&mut self) -> Option<Completion> {
        let status = self.oldest_status()?;
        let Message { wqe, index, .. } = self.messages.retire()?;
        self.counters.add(Counter::Completions, 1);
        Some(Completion { wqe, index, status })
    }

    fn oldest_status(&self) -> Option<CompletionStatus> {
        let message = self.messages.oldest()?;
        if message.packets == 0 {
            return Some(CompletionStatus::BadRequest);
        }
        if message.delivered == message.packets {
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
