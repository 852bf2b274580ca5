//! Send queue, receive queue and completion queue: rings in memory that the device reads and writes.
use std::collections::HashMap;

use metaroce_protocol::registers as map;
use metaroce_protocol::{Cqe, OutOfRange, Register, Rqe, Wqe};
use metaroce_verbs::VerbsError;

use crate::backend::Backend;
use crate::error::DeviceError;

/// The most that the ring registers take.
const MAX_LOG2: u32 = 16;

/// The rings of a device. The completion queue is as long as the others together: so a completion always finds room.
#[derive(Debug)]
pub(crate) struct Queues {
    log2: u32,
    send_base: u64,
    receive_base: u64,
    completion_base: u64,
    completion_log2: u32,
    /// WQEs ever posted, and of those the ones that ended; wrap.
    posted: u32,
    ended: u32,
    /// RQEs ever posted; wraps.
    offered: u32,
    /// Buffers without their completion, by connection and stream.
    waiting: HashMap<(u16, u16), u32>,
    /// CQEs ever taken; wraps.
    taken: u32,
}

impl Queues {
    /// Makes the rings and tells the device; `receives`: it has a receive queue.
    pub(crate) fn new(
        backend: &mut dyn Backend,
        log2: u32,
        receives: bool,
    ) -> Result<Self, DeviceError> {
        let max = MAX_LOG2 - u32::from(receives);
        if !(1..=max).contains(&log2) {
            return Err(OutOfRange {
                what: "log2 of queue entries",
                max: max.into(),
                found: log2.into(),
            }
            .into());
        }
        let send_base = backend.allocate("send queue", Wqe::BYTES << log2)?;
        let completion_log2 = log2 + u32::from(receives);
        let completion_bytes = Cqe::BYTES << completion_log2;
        let completion_base = backend.allocate("completion queue", completion_bytes)?;
        let mut receive_base = 0;
        if receives {
            receive_base = backend.allocate("receive queue", Rqe::BYTES << log2)?;
            set_base(backend, map::RQ_BASE_LO, map::RQ_BASE_HI, receive_base)?;
            backend.write_register(map::RQ_SIZE_LOG2.offset, log2)?;
        }
        set_base(backend, map::SQ_BASE_LO, map::SQ_BASE_HI, send_base)?;
        set_base(backend, map::CQ_BASE_LO, map::CQ_BASE_HI, completion_base)?;
        backend.write_register(map::SQ_SIZE_LOG2.offset, log2)?;
        backend.write_register(map::CQ_SIZE_LOG2.offset, completion_log2)?;
        Ok(Self {
            log2,
            send_base,
            receive_base,
            completion_base,
            completion_log2,
            posted: 0,
            ended: 0,
            offered: 0,
            waiting: HashMap::new(),
            taken: 0,
        })
    }

    /// Posts a WQE and rings the doorbell.
    pub(crate) fn post(&mut self, backend: &mut dyn Backend, wqe: &Wqe) -> Result<(), VerbsError> {
        let limit: u32 = 1 << self.log2;
        if self.posted.wrapping_sub(self.ended) == limit {
            return Err(VerbsError::Exhausted {
                what: "send queue entry",
                limit: limit.into(),
            });
        }
        let place = u64::from(slot(self.posted, self.log2)) * Wqe::BYTES as u64;
        backend.write_memory(self.send_base + place, &wqe.encode())?;
        self.posted = self.posted.wrapping_add(1);
        Ok(backend.write_register(map::SQ_DOORBELL.offset, self.posted)?)
    }

    /// Posts an RQE and rings the doorbell. A stream holds `most` buffers, the device `all`: one more would hold up all streams behind it.
    pub(crate) fn post_receive(
        &mut self,
        backend: &mut dyn Backend,
        rqe: &Rqe,
        most: u32,
        all: u32,
    ) -> Result<(), VerbsError> {
        let ring: u32 = 1 << self.log2;
        let posted: u32 = self.waiting.values().sum();
        let waiting = self
            .waiting
            .entry((rqe.connection, rqe.stream))
            .or_default();
        for (what, limit, used) in [
            ("receive queue entry", ring, posted),
            ("receive buffer", all, posted),
            ("receive buffer of the stream", most, *waiting),
        ] {
            if used == limit {
                let limit = limit.into();
                return Err(VerbsError::Exhausted { what, limit });
            }
        }
        *waiting += 1;
        let place = u64::from(slot(self.offered, self.log2)) * Rqe::BYTES as u64;
        backend.write_memory(self.receive_base + place, &rqe.encode())?;
        self.offered = self.offered.wrapping_add(1);
        Ok(backend.write_register(map::RQ_DOORBELL.offset, self.offered)?)
    }

    /// Takes the next CQE, if the device has written it.
    pub(crate) fn poll(&mut self, backend: &mut dyn Backend) -> Result<Option<Cqe>, DeviceError> {
        let place = u64::from(slot(self.taken, self.completion_log2)) * Cqe::BYTES as u64;
        let mut bytes = [0; Cqe::BYTES];
        backend.read_memory(self.completion_base + place, &mut bytes)?;
        let cqe = Cqe::from_bytes(&bytes);
        // Phase is 1 on the ring's first lap, 0 on its second, ...
        if cqe.phase != (self.taken >> self.completion_log2 & 1 == 0) {
            return Ok(None);
        }
        self.taken = self.taken.wrapping_add(1);
        if cqe.received {
            let waiting = self.waiting.entry((cqe.connection, cqe.stream));
            waiting.and_modify(|n| *n = n.saturating_sub(1));
        } else {
            self.ended = self.ended.wrapping_add(1);
        }
        backend.write_register(map::CQ_CONSUMER.offset, self.taken)?;
        Ok(Some(cqe))
    }
}

fn slot(index: u32, log2: u32) -> u32 {
    index & ((1 << log2) - 1)
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
