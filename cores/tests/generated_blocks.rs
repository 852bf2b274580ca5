//! The generated blocks against the codec of the same table, on random words.
use metaroce_cores::generated::{common::*, host::*, tails::*};
use metaroce_protocol::table::host::ConfigCommit;
use metaroce_protocol::{
    Bth, ConnectionEntry, Cqe, Ethernet, Ipv4, Msg, Nak, Path, PathEntry, RegionEntry, Reth, Rqe,
    Sack, Udp, Wqe,
};
use proptest::prelude::*;
use rust_hdl::prelude::*;

/// First byte uppermost.
fn network<const N: usize>(bytes: &[u8]) -> Bits<N> {
    let bits = bytes.iter().fold(Bits::from(0), |bits: Bits<N>, &byte| {
        (bits << 8) | u64::from(byte)
    });
    bits << ((N - 8 * bytes.len()) as u64)
}

/// First byte lowest.
fn host<const N: usize>(bytes: &[u8]) -> Bits<N> {
    bytes
        .iter()
        .rev()
        .fold(Bits::from(0), |bits: Bits<N>, &byte| {
            (bits << 8) | u64::from(byte)
        })
}

/// A field's value as bits of any width up to 256.
trait Wide {
    fn wide(self) -> Bits<256>;
}
impl Wide for bool {
    fn wide(self) -> Bits<256> {
        u64::from(self).into()
    }
}
impl<const N: usize> Wide for Bits<N> {
    fn wide(self) -> Bits<256> {
        bit_cast(self)
    }
}
impl Wide for u64 {
    fn wide(self) -> Bits<256> {
        self.into()
    }
}

/// Takes `$word` apart, compares each field with the codec's value, puts it together again, and compares with the
/// codec's bytes, in which reserved bits are 0. Each block can also be emitted as Verilog.
macro_rules! check {
    ($unpack:ident, $pack:ident, $word:expr, $clean:expr, { $($port:ident: $value:expr,)+ }) => {{
        let mut unpack = $unpack::default();
        let mut pack = $pack::default();
        unpack.bits.connect();
        $(pack.$port.connect();)+
        unpack.connect_all();
        pack.connect_all();
        metaroce_emit::emit(&unpack, stringify!($unpack)).unwrap();
        metaroce_emit::emit(&pack, stringify!($pack)).unwrap();
        unpack.bits.next = $word;
        prop_assert!(simulate(&mut unpack, 10));
        $(
            prop_assert_eq!(unpack.$port.val().wide(), $value.wide(), "{}", stringify!($port));
            pack.$port.next = unpack.$port.val();
        )+
        prop_assert!(simulate(&mut pack, 10));
        prop_assert_eq!(pack.bits.val(), $clean);
    }};
    // All values are numbers of up to 64 bits.
    (numbers $unpack:ident, $pack:ident, $word:expr, $clean:expr, { $($port:ident: $value:expr,)+ }) => {
        check!($unpack, $pack, $word, $clean, { $($port: u64::from($value),)+ })
    };
}

fn bytes<const N: usize>() -> impl Strategy<Value = [u8; N]> {
    proptest::collection::vec(any::<u8>(), N).prop_map(|bytes| bytes.try_into().unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn common_headers_agree(frame in bytes::<64>()) {
        let ethernet = Ethernet::decode(&frame).unwrap();
        let ip = Ipv4::decode(&frame[14..]).unwrap();
        let udp = Udp::decode(&frame[34..]).unwrap();
        let bth = Bth::decode(&frame[42..]).unwrap();
        let path = Path::decode(&frame[54..]).unwrap();
        let clean = Bth { reserved0: 0, reserved1: 0, ..bth }.encode();
        let clean = [&frame[..42], &clean, &frame[54..]].concat();
        check!(numbers UnpackCommon, PackCommon, network(&frame), network(&clean), {
            ethernet_dst_mac: ethernet.dst_mac.to_u64(),
            ethernet_src_mac: ethernet.src_mac.to_u64(),
            ethernet_ethertype: ethernet.ethertype,
            ipv4_version: ip.version,
            ipv4_ihl: ip.ihl,
            ipv4_dscp: ip.dscp,
            ipv4_ecn: ip.ecn,
            ipv4_total_length: ip.total_length,
            ipv4_identification: ip.identification,
            ipv4_flags: ip.flags,
            ipv4_fragment_offset: ip.fragment_offset,
            ipv4_ttl: ip.ttl,
            ipv4_protocol: ip.protocol,
            ipv4_checksum: ip.checksum,
            ipv4_source: ip.source.to_bits(),
            ipv4_destination: ip.destination.to_bits(),
            udp_source_port: udp.source_port,
            udp_destination_port: udp.destination_port,
            udp_length: udp.length,
            udp_checksum: udp.checksum,
            bth_opcode: bth.opcode.code(),
            bth_solicited: bth.solicited,
            bth_migration: bth.migration,
            bth_pad: bth.pad,
            bth_transport_version: bth.transport_version,
            bth_p_key: bth.p_key,
            bth_fecn: bth.fecn,
            bth_becn: bth.becn,
            bth_dest_qp: bth.dest_qp,
            bth_ack_request: bth.ack_request,
            bth_psn: bth.psn.get(),
            path_version: path.version,
            path_flags: path.flags,
            path_path: path.path,
            path_epoch: path.epoch,
            path_tsn: path.tsn.get(),
            path_timestamp: path.timestamp,
        });
    }

    #[test]
    fn tails_agree(tail in bytes::<40>()) {
        let msg = Msg::decode(&tail).unwrap();
        let reth = Reth::decode(&tail[8..]).unwrap();
        check!(numbers UnpackWriteTail, PackWriteTail, network(&tail), network(&tail[..24]), {
            msg_stream: msg.stream,
            msg_message: msg.message,
            msg_offset: msg.offset,
            reth_address: reth.address,
            reth_r_key: reth.r_key,
            reth_length: reth.length,
        });
        let nak = Nak { reserved0: 0, ..Nak::decode(&tail).unwrap() };
        check!(numbers UnpackNak, PackNak, network(&tail), network(&nak.encode()), {
            reason: nak.reason.code(),
            stream: nak.stream,
            message: nak.message,
        });
        let sack = Sack { reserved0: 0, ..Sack::decode(&tail).unwrap() };
        // Bit i is bit i.
        let bitvector = (0..256).fold(Bits::<256>::from(0), |bits, i| bits.replace_bit(i, sack.bitvector.bit(i)));
        check!(UnpackSack, PackSack, network(&tail), network(&sack.encode()), {
            received: u64::from(sack.received),
            marked: u64::from(sack.marked),
            rate_hint: u64::from(sack.rate_hint),
            bitvector: bitvector,
        });
    }

    #[test]
    fn table_entries_agree(entry in bytes::<32>()) {
        let connection = ConnectionEntry::decode(&entry).unwrap();
        check!(numbers UnpackConnection, PackConnection, host(&entry), host(&connection.encode()), {
            valid: connection.valid,
            local_qp: connection.local_qp,
            remote_qp: connection.remote_qp,
            path_count: connection.path_count,
            dst_mac: connection.dst_mac.to_u64(),
            src_mac: connection.src_mac.to_u64(),
            src_ip: connection.src_ip.to_bits(),
            dst_ip: connection.dst_ip.to_bits(),
            ip_sum: connection.ip_sum,
        });
        let path = PathEntry::decode(&entry).unwrap();
        check!(numbers UnpackPath, PackPath, host(&entry), host(&path.encode()), {
            valid: path.valid,
            plane: path.plane,
            epoch: path.epoch,
            entropy: path.entropy,
            first_psn_tx: path.first_psn_tx.get(),
            first_tsn_tx: path.first_tsn_tx.get(),
            first_psn_rx: path.first_psn_rx.get(),
            first_tsn_rx: path.first_tsn_rx.get(),
        });
        let region = RegionEntry::decode(&entry).unwrap();
        check!(numbers UnpackRegion, PackRegion, host(&entry), host(&region.encode()), {
            valid: region.valid,
            r_key: region.r_key,
            base: region.base,
            length: region.length,
        });
        let commit = ConfigCommit { reserved0: 0, ..ConfigCommit::decode(&entry).unwrap() };
        check!(numbers UnpackConfigCommit, PackConfigCommit, host(&entry[..4]), host(&commit.encode()), {
            index: commit.index,
            busy: commit.busy,
            config_commit_table: commit.table.code(),
        });
    }

    #[test]
    fn descriptors_agree(element in bytes::<64>()) {
        let wqe = Wqe { reserved0: 0, ..Wqe::decode(&element).unwrap() };
        check!(numbers UnpackWqe, PackWqe, host(&element), host(&wqe.encode()), {
            opcode: wqe.opcode.code(),
            flags: wqe.flags,
            connection: wqe.connection,
            stream: wqe.stream,
            message: wqe.message,
            r_key: wqe.r_key,
            length: wqe.length,
            local_address: wqe.local_address,
            remote_address: wqe.remote_address,
            wr_id: wqe.wr_id,
            immediate: wqe.immediate,
            operand: wqe.operand,
            compare: wqe.compare,
        });
        let rqe = Rqe::decode(&element).unwrap();
        check!(numbers UnpackRqe, PackRqe, host(&element[..32]), host(&rqe.encode()), {
            connection: rqe.connection,
            stream: rqe.stream,
            length: rqe.length,
            address: rqe.address,
            wr_id: rqe.wr_id,
        });
        let cqe = Cqe { reserved0: 0, ..Cqe::decode(&element).unwrap() };
        check!(numbers UnpackCqe, PackCqe, host(&element[..32]), host(&cqe.encode()), {
            wr_id: cqe.wr_id,
            status: cqe.status.code(),
            opcode: cqe.opcode.code(),
            connection: cqe.connection,
            length: cqe.length,
            wqe_index: cqe.wqe_index,
            phase: cqe.phase,
            received: cqe.received,
            has_immediate: cqe.has_immediate,
            stream: cqe.stream,
            message: cqe.message,
            immediate: cqe.immediate,
        });
    }
}
