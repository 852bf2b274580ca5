//! What stands behind a driver, cycle by cycle: the NIC, or the model that follows the NIC's commits.
use metaroce_cosim::axi_lite::{Access, Answer};
use metaroce_cosim::axi_mem::SharedMemory;
use metaroce_cosim::lockstep::Lockstep;
use metaroce_cosim::station::Failure;

use crate::schedule::Entry;

/// What one cycle brought.
#[derive(Debug, Default)]
pub struct Cycle {
    /// Frames whose last beat left, and their planes.
    pub frames: Vec<(usize, Vec<u8>)>,
    /// Address and bytes of payload that was accepted.
    pub accepted: Option<(u64, u32)>,
    /// Completions that host memory now holds.
    pub completions: u32,
}

/// A NIC with its buses.
pub trait Machine {
    /// Host memory.
    fn memory(&self) -> &SharedMemory;
    /// Queues a register access.
    fn access(&mut self, access: Access);
    /// The answers since the last call.
    fn take_answers(&mut self) -> Vec<Answer>;
    /// Set-up is over: the next cycle is cycle 0 of the schedule.
    fn begin(&mut self);
    /// Whether set-up is over.
    fn is_running(&self) -> bool;
    /// A frame arrives on a plane.
    fn deliver(&mut self, plane: usize, frame: Vec<u8>);
    /// Planes, bit by plane, on which nothing may leave until the next call.
    fn hold(&mut self, planes: u32);
    /// One cycle.
    fn cycle(&mut self) -> Result<Cycle, Failure>;
    /// The model: all of a follower, beside the NIC otherwise.
    fn lockstep(&self) -> &Lockstep;
    /// When engines committed, since set-up.
    fn schedule(&self) -> &[Entry];
    /// Cycles since the NIC's reset: what waves count.
    fn total_cycles(&self) -> u64;
}
