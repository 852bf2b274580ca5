//! The 64 bytes common to all frames.
//!
//! Generated from the table of `metaroce-protocol`: don't edit, run `cargo run -p metaroce-protocol --bin generate`.
use rust_hdl::prelude::*;

/// Fields of ETHERNET, IPV4, UDP, BTH, PATH out of a word. Combinational.
#[derive(LogicBlock, Default)]
pub struct UnpackCommon {
    /// The word, first byte of the wire uppermost.
    pub bits: Signal<In, Bits<512>>,
    /// Destination address.
    pub ethernet_dst_mac: Signal<Out, Bits<48>>,
    /// Source address.
    pub ethernet_src_mac: Signal<Out, Bits<48>>,
    /// 0x0800 for IPv4, 0x86DD for IPv6.
    pub ethernet_ethertype: Signal<Out, Bits<16>>,
    /// 4.
    pub ipv4_version: Signal<Out, Bits<4>>,
    /// Header length in words of 32 bits: 5.
    pub ipv4_ihl: Signal<Out, Bits<4>>,
    /// Differentiated services code point (RFC 2474).
    pub ipv4_dscp: Signal<Out, Bits<6>>,
    /// Explicit congestion notification (RFC 3168): 2 capable, 3 congestion experienced.
    pub ipv4_ecn: Signal<Out, Bits<2>>,
    /// Bytes of header and all that follows, without Ethernet.
    pub ipv4_total_length: Signal<Out, Bits<16>>,
    /// Names the packet when fragmented; 0 here.
    pub ipv4_identification: Signal<Out, Bits<16>>,
    /// Bit 1: do not fragment; bit 0: more fragments.
    pub ipv4_flags: Signal<Out, Bits<3>>,
    /// Place of a fragment, in units of 8 bytes.
    pub ipv4_fragment_offset: Signal<Out, Bits<13>>,
    /// Time to live.
    pub ipv4_ttl: Signal<Out, Bits<8>>,
    /// 17 for UDP.
    pub ipv4_protocol: Signal<Out, Bits<8>>,
    /// Complement of the ones' complement sum of the header.
    pub ipv4_checksum: Signal<Out, Bits<16>>,
    /// Source address.
    pub ipv4_source: Signal<Out, Bits<32>>,
    /// Destination address.
    pub ipv4_destination: Signal<Out, Bits<32>>,
    /// The path's entropy: what ECMP hashes.
    pub udp_source_port: Signal<Out, Bits<16>>,
    /// 4791, RoCEv2.
    pub udp_destination_port: Signal<Out, Bits<16>>,
    /// Bytes of this header and all that follows, ICRC included.
    pub udp_length: Signal<Out, Bits<16>>,
    /// 0: not computed; the ICRC protects the payload.
    pub udp_checksum: Signal<Out, Bits<16>>,
    /// Which headers follow.
    pub bth_opcode: Signal<Out, Bits<8>>,
    /// Solicited event; 0 here.
    pub bth_solicited: Signal<Out, Bit>,
    /// Migration request; 0 here.
    pub bth_migration: Signal<Out, Bit>,
    /// Bytes between payload and ICRC, 0..=3.
    pub bth_pad: Signal<Out, Bits<2>>,
    /// Transport header version; 0.
    pub bth_transport_version: Signal<Out, Bits<4>>,
    /// Partition key; 0xFFFF, the default partition.
    pub bth_p_key: Signal<Out, Bits<16>>,
    /// Forward congestion notification; 0 here, the IP header carries it.
    pub bth_fecn: Signal<Out, Bit>,
    /// Backward congestion notification; 0 here, SACK carries it.
    pub bth_becn: Signal<Out, Bit>,
    /// Destination queue pair: names the connection at its receiver.
    pub bth_dest_qp: Signal<Out, Bits<24>>,
    /// The sender wants an ACK at once.
    pub bth_ack_request: Signal<Out, Bit>,
    /// WRITE: slot in the path; ACK: first PSN not received; REFUSAL: the refused PSN.
    pub bth_psn: Signal<Out, Bits<24>>,
    /// 1.
    pub path_version: Signal<Out, Bits<4>>,
    /// Unused, 0.
    pub path_flags: Signal<Out, Bits<4>>,
    /// Path number in the connection; an ACK's is the path that it speaks of.
    pub path_path: Signal<Out, Bits<8>>,
    /// Epoch of the path; another epoch's frames are dropped.
    pub path_epoch: Signal<Out, Bits<8>>,
    /// Transmit sequence number; ACK: the highest seen; REFUSAL: the refused packet's.
    pub path_tsn: Signal<Out, Bits<24>>,
    /// Sender's clock in ticks, wraps; ACK: that of the packet with the highest TSN.
    pub path_timestamp: Signal<Out, Bits<32>>,
}

impl Logic for UnpackCommon {
    #[hdl_gen]
    fn update(&mut self) {
        self.ethernet_dst_mac.next = self.bits.val().get_bits::<48>(464);
        self.ethernet_src_mac.next = self.bits.val().get_bits::<48>(416);
        self.ethernet_ethertype.next = self.bits.val().get_bits::<16>(400);
        self.ipv4_version.next = self.bits.val().get_bits::<4>(396);
        self.ipv4_ihl.next = self.bits.val().get_bits::<4>(392);
        self.ipv4_dscp.next = self.bits.val().get_bits::<6>(386);
        self.ipv4_ecn.next = self.bits.val().get_bits::<2>(384);
        self.ipv4_total_length.next = self.bits.val().get_bits::<16>(368);
        self.ipv4_identification.next = self.bits.val().get_bits::<16>(352);
        self.ipv4_flags.next = self.bits.val().get_bits::<3>(349);
        self.ipv4_fragment_offset.next = self.bits.val().get_bits::<13>(336);
        self.ipv4_ttl.next = self.bits.val().get_bits::<8>(328);
        self.ipv4_protocol.next = self.bits.val().get_bits::<8>(320);
        self.ipv4_checksum.next = self.bits.val().get_bits::<16>(304);
        self.ipv4_source.next = self.bits.val().get_bits::<32>(272);
        self.ipv4_destination.next = self.bits.val().get_bits::<32>(240);
        self.udp_source_port.next = self.bits.val().get_bits::<16>(224);
        self.udp_destination_port.next = self.bits.val().get_bits::<16>(208);
        self.udp_length.next = self.bits.val().get_bits::<16>(192);
        self.udp_checksum.next = self.bits.val().get_bits::<16>(176);
        self.bth_opcode.next = self.bits.val().get_bits::<8>(168);
        self.bth_solicited.next = self.bits.val().get_bit(167);
        self.bth_migration.next = self.bits.val().get_bit(166);
        self.bth_pad.next = self.bits.val().get_bits::<2>(164);
        self.bth_transport_version.next = self.bits.val().get_bits::<4>(160);
        self.bth_p_key.next = self.bits.val().get_bits::<16>(144);
        self.bth_fecn.next = self.bits.val().get_bit(143);
        self.bth_becn.next = self.bits.val().get_bit(142);
        self.bth_dest_qp.next = self.bits.val().get_bits::<24>(112);
        self.bth_ack_request.next = self.bits.val().get_bit(111);
        self.bth_psn.next = self.bits.val().get_bits::<24>(80);
        self.path_version.next = self.bits.val().get_bits::<4>(76);
        self.path_flags.next = self.bits.val().get_bits::<4>(72);
        self.path_path.next = self.bits.val().get_bits::<8>(64);
        self.path_epoch.next = self.bits.val().get_bits::<8>(56);
        self.path_tsn.next = self.bits.val().get_bits::<24>(32);
        self.path_timestamp.next = self.bits.val().get_bits::<32>(0);
    }
}

/// A word out of the fields of ETHERNET, IPV4, UDP, BTH, PATH; all other bits 0. Combinational.
#[derive(LogicBlock, Default)]
pub struct PackCommon {
    /// Destination address.
    pub ethernet_dst_mac: Signal<In, Bits<48>>,
    /// Source address.
    pub ethernet_src_mac: Signal<In, Bits<48>>,
    /// 0x0800 for IPv4, 0x86DD for IPv6.
    pub ethernet_ethertype: Signal<In, Bits<16>>,
    /// 4.
    pub ipv4_version: Signal<In, Bits<4>>,
    /// Header length in words of 32 bits: 5.
    pub ipv4_ihl: Signal<In, Bits<4>>,
    /// Differentiated services code point (RFC 2474).
    pub ipv4_dscp: Signal<In, Bits<6>>,
    /// Explicit congestion notification (RFC 3168): 2 capable, 3 congestion experienced.
    pub ipv4_ecn: Signal<In, Bits<2>>,
    /// Bytes of header and all that follows, without Ethernet.
    pub ipv4_total_length: Signal<In, Bits<16>>,
    /// Names the packet when fragmented; 0 here.
    pub ipv4_identification: Signal<In, Bits<16>>,
    /// Bit 1: do not fragment; bit 0: more fragments.
    pub ipv4_flags: Signal<In, Bits<3>>,
    /// Place of a fragment, in units of 8 bytes.
    pub ipv4_fragment_offset: Signal<In, Bits<13>>,
    /// Time to live.
    pub ipv4_ttl: Signal<In, Bits<8>>,
    /// 17 for UDP.
    pub ipv4_protocol: Signal<In, Bits<8>>,
    /// Complement of the ones' complement sum of the header.
    pub ipv4_checksum: Signal<In, Bits<16>>,
    /// Source address.
    pub ipv4_source: Signal<In, Bits<32>>,
    /// Destination address.
    pub ipv4_destination: Signal<In, Bits<32>>,
    /// The path's entropy: what ECMP hashes.
    pub udp_source_port: Signal<In, Bits<16>>,
    /// 4791, RoCEv2.
    pub udp_destination_port: Signal<In, Bits<16>>,
    /// Bytes of this header and all that follows, ICRC included.
    pub udp_length: Signal<In, Bits<16>>,
    /// 0: not computed; the ICRC protects the payload.
    pub udp_checksum: Signal<In, Bits<16>>,
    /// Which headers follow.
    pub bth_opcode: Signal<In, Bits<8>>,
    /// Solicited event; 0 here.
    pub bth_solicited: Signal<In, Bit>,
    /// Migration request; 0 here.
    pub bth_migration: Signal<In, Bit>,
    /// Bytes between payload and ICRC, 0..=3.
    pub bth_pad: Signal<In, Bits<2>>,
    /// Transport header version; 0.
    pub bth_transport_version: Signal<In, Bits<4>>,
    /// Partition key; 0xFFFF, the default partition.
    pub bth_p_key: Signal<In, Bits<16>>,
    /// Forward congestion notification; 0 here, the IP header carries it.
    pub bth_fecn: Signal<In, Bit>,
    /// Backward congestion notification; 0 here, SACK carries it.
    pub bth_becn: Signal<In, Bit>,
    /// Destination queue pair: names the connection at its receiver.
    pub bth_dest_qp: Signal<In, Bits<24>>,
    /// The sender wants an ACK at once.
    pub bth_ack_request: Signal<In, Bit>,
    /// WRITE: slot in the path; ACK: first PSN not received; REFUSAL: the refused PSN.
    pub bth_psn: Signal<In, Bits<24>>,
    /// 1.
    pub path_version: Signal<In, Bits<4>>,
    /// Unused, 0.
    pub path_flags: Signal<In, Bits<4>>,
    /// Path number in the connection; an ACK's is the path that it speaks of.
    pub path_path: Signal<In, Bits<8>>,
    /// Epoch of the path; another epoch's frames are dropped.
    pub path_epoch: Signal<In, Bits<8>>,
    /// Transmit sequence number; ACK: the highest seen; REFUSAL: the refused packet's.
    pub path_tsn: Signal<In, Bits<24>>,
    /// Sender's clock in ticks, wraps; ACK: that of the packet with the highest TSN.
    pub path_timestamp: Signal<In, Bits<32>>,
    /// The word, first byte of the wire uppermost.
    pub bits: Signal<Out, Bits<512>>,
}

impl Logic for PackCommon {
    #[hdl_gen]
    fn update(&mut self) {
        self.bits.next = (bit_cast::<512, 48>(self.ethernet_dst_mac.val()) << 464)
            | (bit_cast::<512, 48>(self.ethernet_src_mac.val()) << 416)
            | (bit_cast::<512, 16>(self.ethernet_ethertype.val()) << 400)
            | (bit_cast::<512, 4>(self.ipv4_version.val()) << 396)
            | (bit_cast::<512, 4>(self.ipv4_ihl.val()) << 392)
            | (bit_cast::<512, 6>(self.ipv4_dscp.val()) << 386)
            | (bit_cast::<512, 2>(self.ipv4_ecn.val()) << 384)
            | (bit_cast::<512, 16>(self.ipv4_total_length.val()) << 368)
            | (bit_cast::<512, 16>(self.ipv4_identification.val()) << 352)
            | (bit_cast::<512, 3>(self.ipv4_flags.val()) << 349)
            | (bit_cast::<512, 13>(self.ipv4_fragment_offset.val()) << 336)
            | (bit_cast::<512, 8>(self.ipv4_ttl.val()) << 328)
            | (bit_cast::<512, 8>(self.ipv4_protocol.val()) << 320)
            | (bit_cast::<512, 16>(self.ipv4_checksum.val()) << 304)
            | (bit_cast::<512, 32>(self.ipv4_source.val()) << 272)
            | (bit_cast::<512, 32>(self.ipv4_destination.val()) << 240)
            | (bit_cast::<512, 16>(self.udp_source_port.val()) << 224)
            | (bit_cast::<512, 16>(self.udp_destination_port.val()) << 208)
            | (bit_cast::<512, 16>(self.udp_length.val()) << 192)
            | (bit_cast::<512, 16>(self.udp_checksum.val()) << 176)
            | (bit_cast::<512, 8>(self.bth_opcode.val()) << 168)
            | (bit_cast::<512, 1>(self.bth_solicited.val().into()) << 167)
            | (bit_cast::<512, 1>(self.bth_migration.val().into()) << 166)
            | (bit_cast::<512, 2>(self.bth_pad.val()) << 164)
            | (bit_cast::<512, 4>(self.bth_transport_version.val()) << 160)
            | (bit_cast::<512, 16>(self.bth_p_key.val()) << 144)
            | (bit_cast::<512, 1>(self.bth_fecn.val().into()) << 143)
            | (bit_cast::<512, 1>(self.bth_becn.val().into()) << 142)
            | (bit_cast::<512, 24>(self.bth_dest_qp.val()) << 112)
            | (bit_cast::<512, 1>(self.bth_ack_request.val().into()) << 111)
            | (bit_cast::<512, 24>(self.bth_psn.val()) << 80)
            | (bit_cast::<512, 4>(self.path_version.val()) << 76)
            | (bit_cast::<512, 4>(self.path_flags.val()) << 72)
            | (bit_cast::<512, 8>(self.path_path.val()) << 64)
            | (bit_cast::<512, 8>(self.path_epoch.val()) << 56)
            | (bit_cast::<512, 24>(self.path_tsn.val()) << 32)
            | bit_cast::<512, 32>(self.path_timestamp.val());
    }
}
