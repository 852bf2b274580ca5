//! Send queue and completion queue: rings in memory that the device reads and writes.
use metaroce_protocol::registers as map;
use metaroce_protocol::{Cqe, OutOfRange, Register, Wqe};
use metaroce_verbs::VerbsError;

use crate::backend::Backend;
use crate::error::DeviceError;

/// The most that the ring registers take.
const MAX_LOG2: u32 = 16;

/// Both rings of a device, equally long: so a completion always finds room.
#[derive(Debug)]
pub(crate) struct Queues {
    log2: u32,
    send_base: u64,
    completion_base: u64,
    /// WQEs ever posted; wraps.
    posted: u32,
    /// CQEs ever taken; wraps.
    taken: u32,
}

impl Queues {
    /// Makes the rings and tells the device.
    pub(crate) fn new(backend: &mut dyn Backend, log2: u32) -> Result<Self, DeviceError> {
        if !(1..=MAX_LOG2).contains(&log2) {
            return Err(OutOfRange {
                what: "log2 of queue entries",
                max: MAX_LOG2.into(),
                found: log2.into(),
            }
            .into());
        }
        let send_base = backend.allocate("send queue", Wqe::BYTES << log2)?;
        let completion_base = backend.allocate("completion queue", Cqe::BYTES << log2)?;
        set_base(backend, map::SQ_BASE_LO, map::SQ_BASE_HI, send_base)?;
        set_base(backend, map::CQ_BASE_LO, map::CQ_BASE_HI, completion_base)?;
        backend.write_register(map::SQ_SIZE_LOG2.offset, log2)?;
        backend.write_register(map::CQ_SIZE_LOG2.offset, log2)?;
        Ok(Self {
            log2,
            send_base,
            completion_base,
            posted: 0,
            taken: 0,
        })
    }

    /// Posts a WQE and rings the doorbell.
    pub(crate) fn post(&mut self, backend: &mut dyn Backend, wqe: &Wqe) -> Result<(), VerbsError> {
        let limit: u32 = 1 << self.log2;
        if self.posted.wrapping_sub(self.taken) == limit {
            return Err(VerbsError::Exhausted {
                what: "send queue entry",
                limit: limit.into(),
            });
        }
        let place = u64::from(self.slot(self.posted)) * Wqe::BYTES as u64;
        backend.write_memory(self.send_base + place, &wqe.encode())?;
        self.posted = self.posted.wrapping_add(1);
        Ok(backend.write_register(map::SQ_DOORBELL.offset, self.posted)?)
    }

    /// Takes the next CQE, if the device has written it.
    pub(crate) fn poll(&mut self, backend: &mut dyn Backend) -> Result<Option<Cqe>, DeviceError> {
        let place = u64::from(self.slot(self.taken)) * Cqe::BYTES as u64;
        let mut bytes = [0; Cqe::BYTES];
        backend.read_memory(self.completion_base + place, &mut bytes)?;
        let cqe = Cqe::from_bytes(&bytes);
        // Phase is 1 on the ring's first lap, 0 on its second, ...
        if cqe.phase != (self.taken >> self.log2 & 1 == 0) {
            return Ok(None);
        }
        self.taken = self.taken.wrapping_add(1);
        backend.write_register(map::CQ_CONSUMER.offset, self.taken)?;
        Ok(Some(cqe))
    }

    fn slot(&self, index: u32) -> u32 {
        index & ((1 << self.log2) - 1)
    }
}

fn set_base(
    backend: &mut dyn Backend,
    low: Register,
    high: Register,
    base: u64,
) -> Result<(), DeviceError> {
    backend.write_register(low.offset, base as u32)?;
    backend.write_register(high.offset, (base >> 32) as u32)
}
