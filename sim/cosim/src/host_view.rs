//! What a NIC's registers say, as its host wrote them: feeds the model's tables and finds its rings.
use std::collections::VecDeque;

use metaroce_model::config::{Congestion, Tunables};
use metaroce_model::nic::Nic;
use metaroce_protocol::registers::{self as map, CONGESTION};
use metaroce_protocol::table::host::ConfigCommit;
use metaroce_protocol::{ConfigTable, ConnectionEntry, Cqe, PathEntry, RegionEntry, Rqe, Wqe};

use crate::axi_mem::Memory;

/// Bytes of a table entry.
const ENTRY_BYTES: usize = 32;

/// The register file, seen from the bus.
#[derive(Clone, Debug)]
pub struct HostView {
    words: Vec<u32>,
    wqes: u32,
    rqes: u32,
    cqes: u32,
    /// CQEs that the host has read, as its newest write says, answered or not.
    read: u32,
    /// Entries that CONFIG_COMMIT asked for and the NIC has not written yet, and the other way round: the NIC may write one before
    /// it answers the bus. Table and index.
    asked: VecDeque<(u32, u32)>,
    written: VecDeque<(u32, u32)>,
}

impl Default for HostView {
    fn default() -> Self {
        let mut words = vec![0; 1 << (map::ADDRESS_BITS - 2)];
        for register in map::ALL {
            words[register.offset as usize / 4] = register.reset;
        }
        Self {
            words,
            wqes: 0,
            rqes: 0,
            cqes: 0,
            read: 0,
            asked: VecDeque::new(),
            written: VecDeque::new(),
        }
    }
}

impl HostView {
    /// What tunes the NIC.
    pub fn tunables(&self) -> Tunables {
        Tunables {
            window: self.get(map::WINDOW),
            rto: self.get(map::RTO),
            max_retries: self.get(map::MAX_RETRIES),
            ack_every: self.get(map::ACK_EVERY),
            mtu_log2: self.get(map::MTU_LOG2),
        }
    }

    fn congestion(&self) -> Congestion {
        Congestion::from_registers(CONGESTION.map(|register| self.get(register)))
    }

    /// A register write has begun.
    pub fn begin(&mut self, offset: u32, value: u32) {
        if offset == map::CQ_CONSUMER.offset {
            self.read = value;
        }
    }

    /// A register write.
    pub fn write(&mut self, offset: u32, value: u32, nic: &mut Nic) {
        self.begin(offset, value);
        self.words[offset as usize / 4] = value;
        nic.set_tunables(self.tunables());
        if CONGESTION.iter().any(|register| register.offset == offset) {
            nic.set_congestion(&self.congestion());
        }
        if offset == map::NOT_READY_TICKS.offset {
            nic.set_patience(value);
        }
        if offset == map::CONFIG_COMMIT.offset {
            let commit = ConfigCommit::from_words(&[value]);
            let table = u8::from(commit.table);
            self.asked.push_back((table.into(), commit.index.into()));
        }
    }

    /// The NIC writes an entry of a table: what CONFIG_DATA holds.
    pub fn configure(&mut self, (table, index): (u32, u32), nic: &mut Nic, now: u32) {
        self.written.push_back((table, index));
        let entry: Vec<u8> = (0..8)
            .flat_map(|i| self.words[(map::CONFIG_DATA.word(i) / 4) as usize].to_le_bytes())
            .collect();
        debug_assert_eq!(entry.len(), ENTRY_BYTES);
        match ConfigTable::from(table as u8) {
            ConfigTable::Connection => {
                nic.write_connection(index, ConnectionEntry::decode(&entry).expect("whole"))
            }
            ConfigTable::Path => {
                nic.write_path(index, PathEntry::decode(&entry).expect("whole"), now)
            }
            ConfigTable::Region => {
                nic.write_region(index, RegionEntry::decode(&entry).expect("whole"))
            }
            ConfigTable::Unknown(_) => {}
        }
    }

    /// The oldest entry that was asked for and not written.
    pub fn next_asked(&self) -> Option<(u32, u32)> {
        self.asked.front().copied()
    }

    /// What was written must be what was asked for: the first that differs, as asked and as written.
    pub fn compare(&mut self) -> Result<(), [(u32, u32); 2]> {
        while let (Some(&asked), Some(&written)) = (self.asked.front(), self.written.front()) {
            if asked != written {
                return Err([asked, written]);
            }
            self.asked.pop_front();
            self.written.pop_front();
        }
        Ok(())
    }

    /// Entries asked for but not written, or the other way round.
    pub fn unwritten(&self) -> usize {
        self.asked.len() + self.written.len()
    }

    /// Host address of the next WQE.
    pub fn next_wqe_address(&mut self) -> u64 {
        let slot = self.wqes & mask(self.get(map::SQ_SIZE_LOG2));
        self.wqes = self.wqes.wrapping_add(1);
        self.base(map::SQ_BASE_LO, map::SQ_BASE_HI) + u64::from(slot) * Wqe::BYTES as u64
    }

    /// RQEs posted that were not taken.
    pub fn waiting_rqes(&self) -> u32 {
        self.get(map::RQ_DOORBELL).wrapping_sub(self.rqes)
    }

    /// Host address of the next RQE, which is taken.
    pub fn next_rqe_address(&mut self) -> u64 {
        let address = self.rqe_address();
        self.rqes = self.rqes.wrapping_add(1);
        address
    }

    fn rqe_address(&self) -> u64 {
        let slot = self.rqes & mask(self.get(map::RQ_SIZE_LOG2));
        self.base(map::RQ_BASE_LO, map::RQ_BASE_HI) + u64::from(slot) * Rqe::BYTES as u64
    }

    /// The oldest RQE that was not taken, if memory gives it.
    pub fn peek_rqe(&self, memory: &Memory) -> Option<Rqe> {
        let bytes = memory.bytes(self.rqe_address(), Rqe::BYTES);
        bytes
            .filter(|_| self.waiting_rqes() > 0)
            .and_then(|bytes| Rqe::decode(bytes).ok())
    }

    /// Whether the completion queue has a free place.
    pub fn has_cqe_room(&self) -> bool {
        self.cqes.wrapping_sub(self.read) < 1 << self.get(map::CQ_SIZE_LOG2)
    }

    /// Host address of the next CQE, and its phase.
    pub fn next_cqe_place(&mut self) -> (u64, bool) {
        let log2 = self.get(map::CQ_SIZE_LOG2);
        let (slot, phase) = (self.cqes & mask(log2), self.cqes >> log2 & 1 == 0);
        self.cqes = self.cqes.wrapping_add(1);
        (
            self.base(map::CQ_BASE_LO, map::CQ_BASE_HI) + u64::from(slot) * Cqe::BYTES as u64,
            phase,
        )
    }

    fn get(&self, register: metaroce_protocol::Register) -> u32 {
        self.words[register.offset as usize / 4]
    }

    fn base(&self, low: metaroce_protocol::Register, high: metaroce_protocol::Register) -> u64 {
        u64::from(self.get(high)) << 32 | u64::from(self.get(low))
    }
}

fn mask(log2: u32) -> u32 {
    (1 << log2) - 1
}
