//! Wrong models: each breaks one rule of docs/protocol.md inside the NIC. The compliance suite must catch every one.
//!
//! Without the cargo feature `mutants` no options can hold one and every question below is a constant `false`.
use metaroce_protocol::{Bitvector, Psn};

use crate::config::Options;
use crate::receive::{ReceivePath, Verdict};

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mutant {
    /// The PSN one past the receiver's window is accepted.
    ReceiveWindowTooWide,
    /// The receiver tests a slot without asking which lap its PSN belongs to.
    NoLapCheck,
    /// The receiver compares PSNs as plain numbers, so everything after a roll-over is behind.
    PsnOrderWithoutWrap,
    /// A frame is taken whatever its epoch.
    ClosedEpochTaken,
    /// A packet that came before is placed again.
    DuplicatePlaced,
    /// A message takes whatever posted buffer it names, out of turn.
    BuffersOutOfTurn,
    /// A lost packet is sent again with all that followed it on its path.
    GoBackN,
    /// A gap causes no retransmission.
    NoRetransmission,
    /// A lost packet is sent again on another path, with a PSN of that path.
    RetransmitOnAnotherPath,
    /// A lost packet is sent again on its path with a new PSN.
    RetransmitWithNewPsn,
    /// A quiet tail is not probed.
    NoTailProbe,
    /// Time-outs come at the same interval for ever.
    NoBackOff,
    /// A message completes while its last packet is still on its way.
    CompletesEarly,
    /// New packets go to the lowest plane that has headroom.
    LowestPlaneFirst,
    /// A bit of a transmission that the echo has not reached is believed.
    BitsAheadOfEcho,
}

impl Options {
    /// Whether the model is wrong in this way.
    #[cfg(feature = "mutants")]
    pub(crate) fn is(&self, mutant: Mutant) -> bool {
        self.mutant == Some(mutant)
    }

    /// Whether the model is wrong in this way.
    #[cfg(not(feature = "mutants"))]
    pub(crate) const fn is(&self, _: Mutant) -> bool {
        false
    }

    /// The receiver's verdict on a PSN.
    pub(crate) fn verdict(&self, path: &ReceivePath, psn: Psn, window_log2: u32) -> Verdict {
        let too_wide = self.is(Mutant::ReceiveWindowTooWide)
            && psn.distance_from(path.cum) == 1 << window_log2;
        let other_lap =
            self.is(Mutant::NoLapCheck) && is_free(&path.bits, path.cum, psn, window_log2);
        if too_wide || other_lap {
            Verdict::New
        } else if self.is(Mutant::PsnOrderWithoutWrap) && psn.get() < path.cum.get() {
            Verdict::Duplicate
        } else {
            path.verdict(psn)
        }
    }
}

/// Whether the slot of a PSN is free for the lap that the window is in, whatever the PSN's own.
fn is_free(bits: &Bitvector, cum: Psn, psn: Psn, window_log2: u32) -> bool {
    let ahead = psn.distance_from(cum) % (1 << window_log2);
    !bits.is_received(cum.plus(ahead), window_log2)
}
