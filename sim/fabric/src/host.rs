//! What a host is to the fabric, whatever transport it speaks.
use std::fmt::Debug;

use crate::packet::{HostId, Packet};
use crate::units::Time;
use crate::workload::FlowId;

/// What a host reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All data of a flow is at its receiver; the receiver says so.
    Arrived(FlowId),
    /// The sender knows it.
    Completed(FlowId),
    /// The sender gives up.
    Failed(FlowId, String),
    /// The host itself can't go on, and with it the run.
    Stopped(String),
}

/// Planes over which a host may send now, bit by plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Whatever it is.
    pub control: u32,
    /// Data: not paused.
    pub data: u32,
}

/// Counts that results show, summed over hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets sent again because they were taken for lost.
    pub retransmissions: u64,
    /// Second copies sent to be on the safe side.
    pub copies: u64,
    /// Data packets that came twice though no copy was meant.
    pub spurious: u64,
    /// Probes.
    pub probes: u64,
    /// Of those after a time-out.
    pub timeouts: u64,
    /// ACKs and the like.
    pub answers: u64,
    /// Epochs ended: paths that took another source port, or left a suspect plane.
    pub reroutes: u64,
    /// Planes suspected.
    pub planes_suspected: u64,
    /// Planes brought back.
    pub planes_recovered: u64,
}

/// One path, to look at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathView {
    /// Path of the connection.
    pub path: u32,
    /// Its plane.
    pub plane: u32,
    /// Its source port.
    pub entropy: u16,
    /// Transmissions under way.
    pub unresolved: u32,
    /// Packets of window.
    pub window: u32,
    /// Time-outs in a row.
    pub timeouts: u32,
}

/// A host.
pub trait Host: Debug {
    /// A flow may be sent to `to`.
    fn start(&mut self, flow: FlowId, to: HostId, bytes: u64, now: Time);
    /// A packet arrives.
    fn receive(&mut self, packet: &Packet, now: Time);
    /// The next packet to send over a plane with room.
    fn poll(&mut self, room: Room, now: Time) -> Option<Packet>;
    /// When it wants to be asked again if nothing arrives.
    fn next_wake(&mut self, now: Time) -> Option<Time>;
    /// That time is here.
    fn wake(&mut self, now: Time);
    /// What happened since the last call.
    fn outcomes(&mut self) -> Vec<Outcome>;
    /// Counts so far.
    fn counts(&self) -> Counts;
    /// Paths to a host.
    fn paths(&self, to: HostId) -> Vec<PathView>;
    /// Bytes of memory that its connections hold, as far as they are counted.
    fn memory(&self) -> usize;
}

impl Counts {
    /// Adds another host's.
    pub fn add(&mut self, other: &Self) {
        self.retransmissions += other.retransmissions;
        self.copies += other.copies;
        self.spurious += other.spurious;
        self.probes += other.probes;
        self.timeouts += other.timeouts;
        self.answers += other.answers;
        self.reroutes += other.reroutes;
        self.planes_suspected += other.planes_suspected;
        self.planes_recovered += other.planes_recovered;
    }
}
