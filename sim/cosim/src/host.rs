//! A host that speaks to its NIC without a driver: rings in its memory, entries of the NIC's tables, counters.
use std::collections::HashMap;

use metaroce_model::config::{Congestion, Tunables};
use metaroce_protocol::registers as map;
use metaroce_protocol::table::host::ConfigCommit;
use metaroce_protocol::{ConfigTable, Counter, Cqe, Rqe, Wqe};

use crate::axi_lite;
use crate::axi_mem::Access;
use crate::station::Station;

/// Host addresses of the queues.
const SQ: u64 = 0x1_0000_0000;
const CQ: u64 = 0x2_0000_0000;
const RQ: u64 = 0x3_0000_0000;

/// Send and completion queue.
#[derive(Clone, Copy, Debug)]
pub struct Rings {
    sq_log2: u32,
    cq_log2: u32,
    posted: u32,
    /// Messages of the send queue that ended.
    ended: u32,
    /// CQEs.
    taken: u32,
}

impl Rings {
    /// Makes the queues and tells the NIC of them; log2 of their entries.
    pub fn new(station: &mut Station, sq_log2: u32, cq_log2: u32) -> Self {
        let memory = station.memory().clone();
        let mut memory = memory.borrow_mut();
        memory.add("sq", SQ, Wqe::BYTES << sq_log2, Access::ReadOnly);
        memory.add("cq", CQ, Cqe::BYTES << cq_log2, Access::ReadWrite);
        drop(memory);
        for (register, value) in [
            (map::SQ_BASE_LO, SQ as u32),
            (map::SQ_BASE_HI, (SQ >> 32) as u32),
            (map::SQ_SIZE_LOG2, sq_log2),
            (map::CQ_BASE_LO, CQ as u32),
            (map::CQ_BASE_HI, (CQ >> 32) as u32),
            (map::CQ_SIZE_LOG2, cq_log2),
        ] {
            write(station, register.offset, value);
        }
        Self {
            sq_log2,
            cq_log2,
            posted: 0,
            ended: 0,
            taken: 0,
        }
    }

    /// Messages posted whose completions were not taken.
    pub fn in_flight(&self) -> u32 {
        self.posted.wrapping_sub(self.ended)
    }

    /// Whether the send queue has a free entry.
    pub fn has_room(&self) -> bool {
        self.in_flight() < 1 << self.sq_log2
    }

    /// Writes a WQE and rings the doorbell.
    pub fn post(&mut self, station: &mut Station, wqe: &Wqe) {
        assert!(self.has_room(), "the send queue is full");
        let slot = self.posted & ((1 << self.sq_log2) - 1);
        let place = SQ + u64::from(slot) * Wqe::BYTES as u64;
        let mut memory = station.memory().borrow_mut();
        let bytes = memory.bytes_mut(place, Wqe::BYTES).expect("in the queue");
        bytes.copy_from_slice(&wqe.encode());
        drop(memory);
        self.posted = self.posted.wrapping_add(1);
        write(station, map::SQ_DOORBELL.offset, self.posted);
    }

    /// Takes the completions that have arrived.
    pub fn take(&mut self, station: &mut Station) -> Vec<Cqe> {
        let mut found = Vec::new();
        let memory = station.memory().clone();
        let memory = memory.borrow();
        loop {
            let slot = self.taken & ((1 << self.cq_log2) - 1);
            let place = CQ + u64::from(slot) * Cqe::BYTES as u64;
            let bytes = memory.bytes(place, Cqe::BYTES).expect("in the queue");
            let cqe = Cqe::decode(bytes).expect("whole");
            // The phase is 1 on the queue's first lap.
            if cqe.phase != (self.taken >> self.cq_log2 & 1 == 0) {
                break;
            }
            self.taken = self.taken.wrapping_add(1);
            self.ended = self.ended.wrapping_add(u32::from(!cqe.received));
            found.push(cqe);
        }
        if !found.is_empty() {
            write(station, map::CQ_CONSUMER.offset, self.taken);
        }
        found
    }
}

/// Receive queue. RQEs are taken in order: the place of one is free when its completion, or that of a later one, is there.
#[derive(Clone, Copy, Debug)]
pub struct ReceiveRing {
    log2: u32,
    posted: u32,
}

impl ReceiveRing {
    /// Makes the queue and tells the NIC of it; log2 of its entries.
    pub fn new(station: &mut Station, log2: u32) -> Self {
        let memory = station.memory().clone();
        let bytes = Rqe::BYTES << log2;
        memory.borrow_mut().add("rq", RQ, bytes, Access::ReadOnly);
        for (register, value) in [
            (map::RQ_BASE_LO, RQ as u32),
            (map::RQ_BASE_HI, (RQ >> 32) as u32),
            (map::RQ_SIZE_LOG2, log2),
        ] {
            write(station, register.offset, value);
        }
        Self { log2, posted: 0 }
    }

    /// RQEs posted ever.
    pub fn posted(&self) -> u32 {
        self.posted
    }

    /// Writes an RQE, whose place must be free, and rings the doorbell.
    pub fn post(&mut self, station: &mut Station, rqe: &Rqe) {
        let slot = self.posted & ((1 << self.log2) - 1);
        let place = RQ + u64::from(slot) * Rqe::BYTES as u64;
        let mut memory = station.memory().borrow_mut();
        let bytes = memory.bytes_mut(place, Rqe::BYTES).expect("in the queue");
        bytes.copy_from_slice(&rqe.encode());
        drop(memory);
        self.posted = self.posted.wrapping_add(1);
        write(station, map::RQ_DOORBELL.offset, self.posted);
    }
}

/// Writes a register.
pub fn write(station: &mut Station, offset: u32, value: u32) {
    station.access(axi_lite::Access::Write(offset, value));
}

/// Writes an entry of a table.
pub fn write_entry(station: &mut Station, table: ConfigTable, index: u32, words: &[u32]) {
    for (word, &value) in (0..).zip(words) {
        write(station, map::CONFIG_DATA.word(word), value);
    }
    let commit = ConfigCommit {
        index: index as u16,
        table,
        ..ConfigCommit::default()
    };
    write(station, map::CONFIG_COMMIT.offset, commit.to_words()[0]);
}

/// Chooses a law of congestion, before paths are configured.
pub fn control(station: &mut Station, congestion: &Congestion) {
    let values = congestion.to_registers();
    for (register, value) in map::CONGESTION.into_iter().zip(values) {
        write(station, register.offset, value);
    }
}

/// Tunes the NIC and lets it go.
pub fn enable(station: &mut Station, tunables: &Tunables) {
    for (register, value) in [
        (map::WINDOW, tunables.window),
        (map::RTO, tunables.rto),
        (map::MAX_RETRIES, tunables.max_retries),
        (map::ACK_EVERY, tunables.ack_every),
        (map::MTU_LOG2, tunables.mtu_log2),
        (map::CONTROL, 1),
    ] {
        write(station, register.offset, value);
    }
}

/// Asks for every counter; the answers come while cycles pass.
pub fn ask_counters(station: &mut Station) {
    station.take_answers();
    for counter in Counter::ALL {
        station.access(axi_lite::Access::Read(counter.offset()));
    }
}

/// The counters that were asked for.
pub fn counters(station: &mut Station) -> HashMap<Counter, u32> {
    let answers = station.take_answers().into_iter();
    let values: HashMap<u32, u32> = answers
        .filter_map(|answer| match answer.access {
            axi_lite::Access::Read(offset) => Some((offset, answer.value)),
            axi_lite::Access::Write(..) => None,
        })
        .collect();
    let value = |counter: &Counter| values.get(&counter.offset()).copied();
    Counter::ALL
        .iter()
        .filter_map(|counter| Some((*counter, value(counter)?)))
        .collect()
}
