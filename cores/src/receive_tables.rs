//! What the receive side keeps of the configuration.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::generated::host::{UnpackConnection, UnpackPath, UnpackRegion};
use crate::region_check::Region;

/// A connection, as a frame names it.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct ConnectionKey {
    /// The connection exists.
    pub valid: Bit,
    /// Its own QP number.
    pub local_qp: Bits<24>,
}

/// A connection, as an answer needs it.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct ConnectionAddress {
    /// The peer's QP number.
    pub remote_qp: Bits<24>,
    /// Ethernet destination.
    pub dst_mac: Bits<48>,
    /// Ethernet source.
    pub src_mac: Bits<48>,
    /// IPv4 source.
    pub src_ip: Bits<32>,
    /// IPv4 destination.
    pub dst_ip: Bits<32>,
    /// Sum of the IPv4 header.
    pub ip_sum: Bits<16>,
}

/// A path.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct PathKey {
    /// The path exists.
    pub valid: Bit,
    /// Its plane.
    pub plane: Bits<3>,
    /// Its epoch.
    pub epoch: Bits<8>,
    /// Its UDP source port.
    pub entropy: Bits<16>,
}

/// A path's record is set up.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct PathBegin {
    /// It is.
    pub valid: Bit,
    /// Which path.
    pub path: Bits<16>,
    /// The first PSN.
    pub psn: Bits<24>,
    /// The first TSN.
    pub tsn: Bits<24>,
}

/// A refused packet, until its answer is built.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct Refused {
    /// Global path number.
    pub path: Bits<16>,
    /// The path's plane.
    pub plane: Bits<3>,
    /// PSN of the packet.
    pub psn: Bits<24>,
    /// TSN of the packet.
    pub tsn: Bits<24>,
    /// Why: NAK's code.
    pub reason: Bits<8>,
    /// Stream of the packet.
    pub stream: Bits<16>,
    /// Message of the packet.
    pub message: Bits<16>,
}

/// A request for an ACK, or the record of one that is built.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct AckToggle {
    /// One cycle.
    pub valid: Bit,
    /// Global path number.
    pub path: Bits<16>,
    /// The path's plane.
    pub plane: Bits<3>,
    /// The toggle as it becomes.
    pub toggle: Bit,
}

/// Takes an entry of a configuration table apart. No cycle.
///
/// In: `data`, a `ConfigWrite`'s. Out: the entry, read as each of the tables.
#[derive(LogicBlock, Default)]
pub struct ReceiveEntries {
    pub data: Signal<In, Bits<256>>,
    pub connection_key: Signal<Out, ConnectionKey>,
    pub connection_address: Signal<Out, ConnectionAddress>,
    pub path_key: Signal<Out, PathKey>,
    pub first_psn: Signal<Out, Bits<24>>,
    pub first_tsn: Signal<Out, Bits<24>>,
    pub region: Signal<Out, Region>,
    connection: UnpackConnection,
    path: UnpackPath,
    memory: UnpackRegion,
}

impl Logic for ReceiveEntries {
    #[hdl_gen]
    fn update(&mut self) {
        self.connection.bits.next = self.data.val();
        self.path.bits.next = self.data.val();
        self.memory.bits.next = self.data.val();
        self.connection_key.next.valid = self.connection.valid.val();
        self.connection_key.next.local_qp = self.connection.local_qp.val();
        self.connection_address.next.remote_qp = self.connection.remote_qp.val();
        self.connection_address.next.dst_mac = self.connection.dst_mac.val();
        self.connection_address.next.src_mac = self.connection.src_mac.val();
        self.connection_address.next.src_ip = self.connection.src_ip.val();
        self.connection_address.next.dst_ip = self.connection.dst_ip.val();
        self.connection_address.next.ip_sum = self.connection.ip_sum.val();
        self.path_key.next.valid = self.path.valid.val();
        self.path_key.next.plane = self.path.plane.val();
        self.path_key.next.epoch = self.path.epoch.val();
        self.path_key.next.entropy = self.path.entropy.val();
        self.first_psn.next = self.path.first_psn_rx.val();
        self.first_tsn.next = self.path.first_tsn_rx.val();
        self.region.next.valid = self.memory.valid.val();
        self.region.next.r_key = self.memory.r_key.val();
        self.region.next.base = self.memory.base.val();
        self.region.next.limit = bit_cast::<65, 64>(self.memory.base.val())
            + bit_cast::<65, 64>(self.memory.length.val());
    }
}
