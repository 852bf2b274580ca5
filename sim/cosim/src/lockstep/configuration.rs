//! Registers and tables: what the host asks for, and when the NIC does it.
use metaroce_protocol::ConfigTable;

use super::{Lockstep, Outcome};

impl Lockstep {
    /// A register write that the NIC may act on, but has not answered.
    pub fn on_register_begun(&mut self, offset: u32, value: u32) {
        self.host.begin(offset, value);
    }

    /// A register write that the NIC has answered.
    pub fn on_register_write(&mut self, offset: u32, value: u32) -> Outcome {
        self.host.write(offset, value, &mut self.nic);
        self.compare_configuration()
    }

    /// Whether every entry that was asked for is written.
    pub fn is_configured(&self) -> bool {
        self.host.unwritten() == 0
    }

    /// Without a NIC that says when: what CONFIG_COMMIT asked for stands at once.
    pub fn configure_now(&mut self, now: u32) -> Outcome {
        match self.host.next_asked() {
            Some(entry) => self.on_configure(entry, now),
            None => Ok(()),
        }
    }

    pub(super) fn on_configure(&mut self, entry: (u32, u32), now: u32) -> Outcome {
        if ConfigTable::from(entry.0 as u8) == ConfigTable::Connection {
            self.receiving.forget(entry.1);
        }
        self.host.configure(entry, &mut self.nic, now);
        self.compare_configuration()
    }

    fn compare_configuration(&mut self) -> Outcome {
        let text = |(table, index)| format!("table {table}, entry {index}");
        self.host
            .compare()
            .map_err(|[asked, written]| self.differs("trace_configure", text(asked), text(written)))
    }
}
