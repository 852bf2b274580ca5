//! What MetaRoCE is compared with, on the same fabric.

/// A frame of RoCEv2, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoceFrame {
    /// Connection of the receiving host.
    pub connection: u32,
    /// Packet sequence number, not wrapped.
    pub psn: u64,
    /// What it is.
    pub kind: RoceKind,
}

/// Kinds of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoceKind {
    /// Data.
    Data,
    /// Everything before `psn` is there.
    Ack,
}

/// Bytes of a data frame beyond its payload: Ethernet 14, IPv4 20, UDP 8, BTH 12, RETH 16, ICRC 4.
pub const OVERHEAD: u32 = 74;
