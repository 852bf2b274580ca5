//! The 64 bytes that begin each frame.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::generated::common::PackCommon;
use crate::generated::constants as protocol;
use crate::types::TxDescriptor;
use rust_hdl::prelude::*;

/// Out of a descriptor and the lengths of its frame. No register.
/// IPv4: DSCP 0, ECT(0), identification 0, "do not fragment". UDP checksum 0.
#[derive(LogicBlock)]
pub struct CommonHeader {
    pub descriptor: Signal<In, TxDescriptor>,
    /// IPv4's total length.
    pub total: Signal<In, Bits<16>>,
    pub udp_length: Signal<In, Bits<16>>,
    /// IPv4's.
    pub checksum: Signal<In, Bits<16>>,
    pub pad: Signal<In, Bits<2>>,
    /// First byte uppermost.
    pub bits: Signal<Out, Bits<512>>,
    fields: PackCommon,
    ethertype: Constant<Bits<16>>,
    ecn: Constant<Bits<2>>,
    flags: Constant<Bits<3>>,
    ttl: Constant<Bits<8>>,
    udp: Constant<Bits<8>>,
    port: Constant<Bits<16>>,
    p_key: Constant<Bits<16>>,
    version: Constant<Bits<4>>,
}

impl Default for CommonHeader {
    fn default() -> Self {
        Self {
            descriptor: Default::default(),
            total: Default::default(),
            udp_length: Default::default(),
            checksum: Default::default(),
            pad: Default::default(),
            bits: Default::default(),
            fields: Default::default(),
            ethertype: Constant::new(protocol::ETHERTYPE_IPV4.into()),
            ecn: Constant::new(protocol::ECN_CAPABLE.into()),
            flags: Constant::new(protocol::IPV4_DO_NOT_FRAGMENT.into()),
            ttl: Constant::new(protocol::TTL.into()),
            udp: Constant::new(protocol::IP_PROTOCOL_UDP.into()),
            port: Constant::new(protocol::UDP_PORT.into()),
            p_key: Constant::new(protocol::P_KEY.into()),
            version: Constant::new(protocol::PATH_VERSION.into()),
        }
    }
}

impl Logic for CommonHeader {
    #[hdl_gen]
    fn update(&mut self) {
        self.fields.ethernet_dst_mac.next = self.descriptor.val().dst_mac;
        self.fields.ethernet_src_mac.next = self.descriptor.val().src_mac;
        self.fields.ethernet_ethertype.next = self.ethertype.val();
        self.fields.ipv4_version.next = 4.into();
        self.fields.ipv4_ihl.next = 5.into();
        self.fields.ipv4_dscp.next = 0.into();
        self.fields.ipv4_ecn.next = self.ecn.val();
        self.fields.ipv4_total_length.next = self.total.val();
        self.fields.ipv4_identification.next = 0.into();
        self.fields.ipv4_flags.next = self.flags.val();
        self.fields.ipv4_fragment_offset.next = 0.into();
        self.fields.ipv4_ttl.next = self.ttl.val();
        self.fields.ipv4_protocol.next = self.udp.val();
        self.fields.ipv4_checksum.next = self.checksum.val();
        self.fields.ipv4_source.next = self.descriptor.val().src_ip;
        self.fields.ipv4_destination.next = self.descriptor.val().dst_ip;
        self.fields.udp_source_port.next = self.descriptor.val().entropy;
        self.fields.udp_destination_port.next = self.port.val();
        self.fields.udp_length.next = self.udp_length.val();
        self.fields.udp_checksum.next = 0.into();
        self.fields.bth_opcode.next = self.descriptor.val().opcode;
        self.fields.bth_solicited.next = false;
        self.fields.bth_migration.next = false;
        self.fields.bth_pad.next = self.pad.val();
        self.fields.bth_transport_version.next = 0.into();
        self.fields.bth_p_key.next = self.p_key.val();
        self.fields.bth_fecn.next = false;
        self.fields.bth_becn.next = false;
        self.fields.bth_dest_qp.next = self.descriptor.val().dest_qp;
        self.fields.bth_ack_request.next = self.descriptor.val().ack_request;
        self.fields.bth_psn.next = self.descriptor.val().psn;
        self.fields.path_version.next = self.version.val();
        self.fields.path_flags.next = 0.into();
        self.fields.path_path.next = self.descriptor.val().path;
        self.fields.path_epoch.next = self.descriptor.val().epoch;
        self.fields.path_tsn.next = self.descriptor.val().tsn;
        self.fields.path_timestamp.next = self.descriptor.val().timestamp;
        self.bits.next = self.fields.bits.val();
    }
}
