//! Frames that a plane of the NIC has taken in whole and not yet ended, by how they must end.
use std::collections::VecDeque;

use metaroce_model::wire::Incoming;
use metaroce_protocol::table::host::Capabilities;
use metaroce_protocol::{DropReason, frame};

/// Frames of one end keep their order. A drop may come before the commit of the frame ahead of it, which takes some cycles.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    drops: VecDeque<DropReason>,
    receives: VecDeque<(Incoming, Vec<u8>)>,
    acknowledges: VecDeque<Incoming>,
}

impl Arrivals {
    /// A frame for such a NIC.
    pub fn push(&mut self, bytes: &[u8], nic: &Capabilities) {
        let frame = match frame::parse_up_to(bytes, nic.profile(), 1 << nic.largest_mtu_log2) {
            Ok(frame) => frame,
            Err(reason) => return self.drops.push_back(reason),
        };
        let incoming = Incoming::from(&frame);
        match frame.body {
            frame::Body::Ack(_) | frame::Body::Refusal(_) => self.acknowledges.push_back(incoming),
            body => {
                let payload = body.payload().unwrap_or_default().to_vec();
                self.receives.push_back((incoming, payload));
            }
        }
    }

    /// The oldest that must be dropped.
    pub fn next_drop(&mut self) -> Option<DropReason> {
        self.drops.pop_front()
    }

    /// The oldest for the receive engine, and its payload.
    pub fn next_receive(&mut self) -> Option<(Incoming, Vec<u8>)> {
        self.receives.pop_front()
    }

    /// The oldest for the ACK engine.
    pub fn next_acknowledge(&mut self) -> Option<Incoming> {
        self.acknowledges.pop_front()
    }

    /// The same, and it stays.
    pub fn peek_acknowledge(&self) -> Option<&Incoming> {
        self.acknowledges.front()
    }

    /// Frames that have not ended.
    pub fn len(&self) -> usize {
        self.drops.len() + self.receives.len() + self.acknowledges.len()
    }
}
