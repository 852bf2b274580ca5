//! A packet trace: every frame on every link.
use crate::packet::Packet;
use crate::topology::LinkId;
use crate::units::Time;

/// A frame goes onto a wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sighting {
    /// When its first byte does.
    pub at: Time,
    /// Onto which.
    pub link: LinkId,
    /// The frame, and why its sender sent it.
    pub packet: Packet,
    /// It does not arrive.
    pub lost: bool,
}
