//! The transmit side's share of the configuration, out of the host's words.
use crate::generated::constants::{TABLE_CONNECTION, TABLE_PATH};
use crate::generated::host::{UnpackConnection, UnpackPath};
use crate::transmit_path::{ConnectionEntry, PathWrite};
use crate::types::ConfigWrite;
use rust_hdl::prelude::*;

/// Entries of the tables `connection` and `path`, as they pass. Purely combinational.
#[derive(LogicBlock)]
pub struct TransmitConfig {
    /// The host's word.
    pub config_write: Signal<In, ConfigWrite>,
    /// A connection's entry comes.
    pub connection_valid: Signal<Out, Bit>,
    /// Which connection's.
    pub connection_index: Signal<Out, Bits<12>>,
    /// The entry.
    pub connection_entry: Signal<Out, ConnectionEntry>,
    /// Paths that the connection uses.
    pub path_count: Signal<Out, Bits<8>>,
    /// A path's entry.
    pub path_write: Signal<Out, PathWrite>,
    connection_table: Constant<Bits<4>>,
    path_table: Constant<Bits<4>>,
    connection: UnpackConnection,
    path: UnpackPath,
}

impl Default for TransmitConfig {
    fn default() -> Self {
        Self {
            config_write: Default::default(),
            connection_valid: Default::default(),
            connection_index: Default::default(),
            connection_entry: Default::default(),
            path_count: Default::default(),
            path_write: Default::default(),
            connection_table: Constant::new(bits(TABLE_CONNECTION)),
            path_table: Constant::new(bits(TABLE_PATH)),
            connection: Default::default(),
            path: Default::default(),
        }
    }
}

impl Logic for TransmitConfig {
    #[hdl_gen]
    fn update(&mut self) {
        self.connection.bits.next = self.config_write.val().data;
        self.path.bits.next = self.config_write.val().data;

        self.connection_valid.next = self.config_write.val().valid
            & (self.config_write.val().table == self.connection_table.val());
        self.connection_index.next = bit_cast::<12, 16>(self.config_write.val().index);
        self.path_count.next = self.connection.path_count.val();
        self.connection_entry.next.live = self.connection.valid.val();
        self.connection_entry.next.local_qp = self.connection.local_qp.val();
        self.connection_entry.next.remote_qp = self.connection.remote_qp.val();
        self.connection_entry.next.dst_mac = self.connection.dst_mac.val();
        self.connection_entry.next.src_mac = self.connection.src_mac.val();
        self.connection_entry.next.src_ip = self.connection.src_ip.val();
        self.connection_entry.next.dst_ip = self.connection.dst_ip.val();
        self.connection_entry.next.ip_sum = self.connection.ip_sum.val();

        self.path_write.next.valid = self.config_write.val().valid
            & (self.config_write.val().table == self.path_table.val());
        self.path_write.next.path = self.config_write.val().index;
        self.path_write.next.live = self.path.valid.val();
        self.path_write.next.plane = self.path.plane.val();
        self.path_write.next.epoch = self.path.epoch.val();
        self.path_write.next.entropy = self.path.entropy.val();
        self.path_write.next.first_psn = self.path.first_psn_tx.val();
        self.path_write.next.first_tsn = self.path.first_tsn_tx.val();
    }
}
