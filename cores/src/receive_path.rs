//! What a WRITE or PROBE does to the state of its path (docs/protocol.md, section 4).
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

/// A path's receive record without what the SACK table keeps.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct ReceiveState {
    /// Highest TSN seen.
    pub max_tsn: Bits<24>,
    /// Timestamp of the packet with `max_tsn`.
    pub echo_timestamp: Bits<32>,
    /// WRITEs that reached the PSN check, and PROBEs; wraps.
    pub received: Bits<16>,
    /// Of those WRITEs the ones with CE; wraps.
    pub marked: Bits<16>,
    /// Accepted WRITEs since an ACK was asked for.
    pub since_ack: Bits<8>,
    /// CE of the last WRITE.
    pub last_marked: Bit,
    /// Turns over when an ACK is asked for: pending while it differs from the builder's toggle.
    pub request: Bit,
}

/// What the packet is, as its checks found it.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct Arrival {
    /// A WRITE that reached the PSN check.
    pub write: Bit,
    /// A PROBE of a live path.
    pub probe: Bit,
    /// (WRITE) slot received before, or behind the window.
    pub duplicate: Bit,
    /// (WRITE) passed every check.
    pub accepted: Bit,
    /// PSNs before it are missing.
    pub gap: Bit,
    /// Congestion experienced.
    pub ce: Bit,
    /// BTH acknowledgement request.
    pub ack_request: Bit,
    /// TSN.
    pub tsn: Bits<24>,
    /// Sender's clock.
    pub timestamp: Bits<32>,
}

/// The new state, and whether to queue a request for an ACK. No cycle.
///
/// In: `state`, `arrival`, `quiet` (accepted WRITEs that ask for nothing before the one that does: ACK_EVERY - 1), `pending` (an ACK
/// is asked for and not yet built). Out: `after` (the new state); `push` (asked for, and none is pending).
#[derive(LogicBlock, Default)]
pub struct ReceivePath {
    pub state: Signal<In, ReceiveState>,
    pub arrival: Signal<In, Arrival>,
    pub quiet: Signal<In, Bits<8>>,
    pub pending: Signal<In, Bit>,
    pub after: Signal<Out, ReceiveState>,
    pub push: Signal<Out, Bit>,
    ahead: Signal<Local, Bits<24>>,
    other: Signal<Local, Bit>,
    ask: Signal<Local, Bit>,
}

impl Logic for ReceivePath {
    #[hdl_gen]
    fn update(&mut self) {
        self.after.next = self.state.val();
        self.ahead.next = self.arrival.val().tsn - self.state.val().max_tsn;
        // Beside the difference, not behind it: this is the longest way of the receive side.
        self.other.next = self.arrival.val().tsn != self.state.val().max_tsn;
        self.ask.next = self.arrival.val().probe | self.arrival.val().duplicate;
        if self.arrival.val().write | self.arrival.val().probe {
            if self.other.val() & !self.ahead.val().get_bit(23) {
                self.after.next.max_tsn = self.arrival.val().tsn;
                self.after.next.echo_timestamp = self.arrival.val().timestamp;
            }
            self.after.next.received = self.state.val().received + 1;
        }
        if self.arrival.val().write {
            self.after.next.last_marked = self.arrival.val().ce;
            if self.arrival.val().ce {
                self.after.next.marked = self.state.val().marked + 1;
            }
        }
        if self.arrival.val().accepted {
            self.after.next.since_ack = self.state.val().since_ack + 1;
            self.ask.next = self.arrival.val().ack_request
                | self.arrival.val().gap
                | (self.arrival.val().ce ^ self.state.val().last_marked)
                | (self.state.val().since_ack >= self.quiet.val());
        }
        self.push.next = self.ask.val() & !self.pending.val();
        if self.ask.val() {
            self.after.next.since_ack = 0.into();
        }
        if self.push.val() {
            self.after.next.request = !self.state.val().request;
        }
    }
}
