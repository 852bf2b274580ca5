//! Table entries, descriptors and register words.
//!
//! Generated from the table of `metaroce-protocol`: don't edit, run `cargo run -p metaroce-protocol --bin generate`.
use rust_hdl::prelude::*;

/// Fields of CONNECTION out of a word. Combinational.
#[derive(LogicBlock, Default)]
pub struct UnpackConnection {
    /// The word, first byte of the host lowest.
    pub bits: Signal<In, Bits<256>>,
    /// The connection exists.
    pub valid: Signal<Out, Bit>,
    /// Queue pair that names the connection here.
    pub local_qp: Signal<Out, Bits<24>>,
    /// Queue pair that names it at the peer.
    pub remote_qp: Signal<Out, Bits<24>>,
    /// Paths in use, from path 0 up.
    pub path_count: Signal<Out, Bits<8>>,
    /// Ethernet address of the next hop.
    pub dst_mac: Signal<Out, Bits<48>>,
    /// Own Ethernet address.
    pub src_mac: Signal<Out, Bits<48>>,
    /// Own IPv4 address.
    pub src_ip: Signal<Out, Bits<32>>,
    /// The peer's IPv4 address.
    pub dst_ip: Signal<Out, Bits<32>>,
    /// Ones' complement sum of the IPv4 header without total length and checksum, folded, not inverted.
    pub ip_sum: Signal<Out, Bits<16>>,
}

impl Logic for UnpackConnection {
    #[hdl_gen]
    fn update(&mut self) {
        self.valid.next = self.bits.val().get_bit(0);
        self.local_qp.next = self.bits.val().get_bits::<24>(1);
        self.remote_qp.next = self.bits.val().get_bits::<24>(25);
        self.path_count.next = self.bits.val().get_bits::<8>(49);
        self.dst_mac.next = self.bits.val().get_bits::<48>(57);
        self.src_mac.next = self.bits.val().get_bits::<48>(105);
        self.src_ip.next = self.bits.val().get_bits::<32>(153);
        self.dst_ip.next = self.bits.val().get_bits::<32>(185);
        self.ip_sum.next = self.bits.val().get_bits::<16>(217);
    }
}

/// A word out of the fields of CONNECTION; all other bits 0. Combinational.
#[derive(LogicBlock, Default)]
pub struct PackConnection {
    /// The connection exists.
    pub valid: Signal<In, Bit>,
    /// Queue pair that names the connection here.
    pub local_qp: Signal<In, Bits<24>>,
    /// Queue pair that names it at the peer.
    pub remote_qp: Signal<In, Bits<24>>,
    /// Paths in use, from path 0 up.
    pub path_count: Signal<In, Bits<8>>,
    /// Ethernet address of the next hop.
    pub dst_mac: Signal<In, Bits<48>>,
    /// Own Ethernet address.
    pub src_mac: Signal<In, Bits<48>>,
    /// Own IPv4 address.
    pub src_ip: Signal<In, Bits<32>>,
    /// The peer's IPv4 address.
    pub dst_ip: Signal<In, Bits<32>>,
    /// Ones' complement sum of the IPv4 header without total length and checksum, folded, not inverted.
    pub ip_sum: Signal<In, Bits<16>>,
    /// The word, first byte of the host lowest.
    pub bits: Signal<Out, Bits<256>>,
}

impl Logic for PackConnection {
    #[hdl_gen]
    fn update(&mut self) {
        self.bits.next = bit_cast::<256, 1>(self.valid.val().into())
            | (bit_cast::<256, 24>(self.local_qp.val()) << 1)
            | (bit_cast::<256, 24>(self.remote_qp.val()) << 25)
            | (bit_cast::<256, 8>(self.path_count.val()) << 49)
            | (bit_cast::<256, 48>(self.dst_mac.val()) << 57)
            | (bit_cast::<256, 48>(self.src_mac.val()) << 105)
            | (bit_cast::<256, 32>(self.src_ip.val()) << 153)
            | (bit_cast::<256, 32>(self.dst_ip.val()) << 185)
            | (bit_cast::<256, 16>(self.ip_sum.val()) << 217);
    }
}

/// Fields of PATH_ENTRY out of a word. Combinational.
#[derive(LogicBlock, Default)]
pub struct UnpackPath {
    /// The word, first byte of the host lowest.
    pub bits: Signal<In, Bits<256>>,
    /// The path exists.
    pub valid: Signal<Out, Bit>,
    /// Plane that carries it.
    pub plane: Signal<Out, Bits<3>>,
    /// Epoch, both directions.
    pub epoch: Signal<Out, Bits<8>>,
    /// UDP source port.
    pub entropy: Signal<Out, Bits<16>>,
    /// First PSN to send, a multiple of 256.
    pub first_psn_tx: Signal<Out, Bits<24>>,
    /// First TSN to send.
    pub first_tsn_tx: Signal<Out, Bits<24>>,
    /// First PSN to expect, a multiple of 256.
    pub first_psn_rx: Signal<Out, Bits<24>>,
    /// First TSN to expect.
    pub first_tsn_rx: Signal<Out, Bits<24>>,
}

impl Logic for UnpackPath {
    #[hdl_gen]
    fn update(&mut self) {
        self.valid.next = self.bits.val().get_bit(0);
        self.plane.next = self.bits.val().get_bits::<3>(1);
        self.epoch.next = self.bits.val().get_bits::<8>(4);
        self.entropy.next = self.bits.val().get_bits::<16>(12);
        self.first_psn_tx.next = self.bits.val().get_bits::<24>(28);
        self.first_tsn_tx.next = self.bits.val().get_bits::<24>(52);
        self.first_psn_rx.next = self.bits.val().get_bits::<24>(76);
        self.first_tsn_rx.next = self.bits.val().get_bits::<24>(100);
    }
}

/// A word out of the fields of PATH_ENTRY; all other bits 0. Combinational.
#[derive(LogicBlock, Default)]
pub struct PackPath {
    /// The path exists.
    pub valid: Signal<In, Bit>,
    /// Plane that carries it.
    pub plane: Signal<In, Bits<3>>,
    /// Epoch, both directions.
    pub epoch: Signal<In, Bits<8>>,
    /// UDP source port.
    pub entropy: Signal<In, Bits<16>>,
    /// First PSN to send, a multiple of 256.
    pub first_psn_tx: Signal<In, Bits<24>>,
    /// First TSN to send.
    pub first_tsn_tx: Signal<In, Bits<24>>,
    /// First PSN to expect, a multiple of 256.
    pub first_psn_rx: Signal<In, Bits<24>>,
    /// First TSN to expect.
    pub first_tsn_rx: Signal<In, Bits<24>>,
    /// The word, first byte of the host lowest.
    pub bits: Signal<Out, Bits<256>>,
}

impl Logic for PackPath {
    #[hdl_gen]
    fn update(&mut self) {
        self.bits.next = bit_cast::<256, 1>(self.valid.val().into())
            | (bit_cast::<256, 3>(self.plane.val()) << 1)
            | (bit_cast::<256, 8>(self.epoch.val()) << 4)
            | (bit_cast::<256, 16>(self.entropy.val()) << 12)
            | (bit_cast::<256, 24>(self.first_psn_tx.val()) << 28)
            | (bit_cast::<256, 24>(self.first_tsn_tx.val()) << 52)
            | (bit_cast::<256, 24>(self.first_psn_rx.val()) << 76)
            | (bit_cast::<256, 24>(self.first_tsn_rx.val()) << 100);
    }
}

/// Fields of REGION out of a word. Combinational.
#[derive(LogicBlock, Default)]
pub struct UnpackRegion {
    /// The word, first byte of the host lowest.
    pub bits: Signal<In, Bits<256>>,
    /// The region exists.
    pub valid: Signal<Out, Bit>,
    /// The whole key.
    pub r_key: Signal<Out, Bits<32>>,
    /// First host address.
    pub base: Signal<Out, Bits<64>>,
    /// Bytes.
    pub length: Signal<Out, Bits<64>>,
}

impl Logic for UnpackRegion {
    #[hdl_gen]
    fn update(&mut self) {
        self.valid.next = self.bits.val().get_bit(0);
        self.r_key.next = self.bits.val().get_bits::<32>(1);
        self.base.next = self.bits.val().get_bits::<64>(33);
        self.length.next = self.bits.val().get_bits::<64>(97);
    }
}

/// A word out of the fields of REGION; all other bits 0. Combinational.
#[derive(LogicBlock, Default)]
pub struct PackRegion {
    /// The region exists.
    pub valid: Signal<In, Bit>,
    /// The whole key.
    pub r_key: Signal<In, Bits<32>>,
    /// First host address.
    pub base: Signal<In, Bits<64>>,
    /// Bytes.
    pub length: Signal<In, Bits<64>>,
    /// The word, first byte of the host lowest.
    pub bits: Signal<Out, Bits<256>>,
}

impl Logic for PackRegion {
    #[hdl_gen]
    fn update(&mut self) {
        self.bits.next = bit_cast::<256, 1>(self.valid.val().into())
            | (bit_cast::<256, 32>(self.r_key.val()) << 1)
            | (bit_cast::<256, 64>(self.base.val()) << 33)
            | (bit_cast::<256, 64>(self.length.val()) << 97);
    }
}

/// Fields of WQE out of a word. Combinational.
#[derive(LogicBlock, Default)]
pub struct UnpackWqe {
    /// The word, first byte of the host lowest.
    pub bits: Signal<In, Bits<512>>,
    /// What to do.
    pub opcode: Signal<Out, Bits<8>>,
    /// Unused, 0.
    pub flags: Signal<Out, Bits<8>>,
    /// Connection number.
    pub connection: Signal<Out, Bits<16>>,
    /// Stream in the connection.
    pub stream: Signal<Out, Bits<16>>,
    /// Message number in the stream; the driver counts.
    pub message: Signal<Out, Bits<16>>,
    /// Key of the remote region.
    pub r_key: Signal<Out, Bits<32>>,
    /// Bytes of the message.
    pub length: Signal<Out, Bits<32>>,
    /// Host address of the first byte.
    pub local_address: Signal<Out, Bits<64>>,
    /// Remote address of the first byte.
    pub remote_address: Signal<Out, Bits<64>>,
    /// Comes back in the completion.
    pub wr_id: Signal<Out, Bits<64>>,
    /// Handed over with the message, where its opcode says so.
    pub immediate: Signal<Out, Bits<32>>,
    /// Atomics: number to add or to put in place.
    pub operand: Signal<Out, Bits<64>>,
    /// Compare-and-swap: what the word must hold.
    pub compare: Signal<Out, Bits<64>>,
}

impl Logic for UnpackWqe {
    #[hdl_gen]
    fn update(&mut self) {
        self.opcode.next = self.bits.val().get_bits::<8>(0);
        self.flags.next = self.bits.val().get_bits::<8>(8);
        self.connection.next = self.bits.val().get_bits::<16>(16);
        self.stream.next = self.bits.val().get_bits::<16>(32);
        self.message.next = self.bits.val().get_bits::<16>(48);
        self.r_key.next = self.bits.val().get_bits::<32>(64);
        self.length.next = self.bits.val().get_bits::<32>(96);
        self.local_address.next = self.bits.val().get_bits::<64>(128);
        self.remote_address.next = self.bits.val().get_bits::<64>(192);
        self.wr_id.next = self.bits.val().get_bits::<64>(256);
        self.immediate.next = self.bits.val().get_bits::<32>(320);
        self.operand.next = self.bits.val().get_bits::<64>(384);
        self.compare.next = self.bits.val().get_bits::<64>(448);
    }
}

/// A word out of the fields of WQE; all other bits 0. Combinational.
#[derive(LogicBlock, Default)]
pub struct PackWqe {
    /// What to do.
    pub opcode: Signal<In, Bits<8>>,
    /// Unused, 0.
    pub flags: Signal<In, Bits<8>>,
    /// Connection number.
    pub connection: Signal<In, Bits<16>>,
    /// Stream in the connection.
    pub stream: Signal<In, Bits<16>>,
    /// Message number in the stream; the driver counts.
    pub message: Signal<In, Bits<16>>,
    /// Key of the remote region.
    pub r_key: Signal<In, Bits<32>>,
    /// Bytes of the message.
    pub length: Signal<In, Bits<32>>,
    /// Host address of the first byte.
    pub local_address: Signal<In, Bits<64>>,
    /// Remote address of the first byte.
    pub remote_address: Signal<In, Bits<64>>,
    /// Comes back in the completion.
    pub wr_id: Signal<In, Bits<64>>,
    /// Handed over with the message, where its opcode says so.
    pub immediate: Signal<In, Bits<32>>,
    /// Atomics: number to add or to put in place.
    pub operand: Signal<In, Bits<64>>,
    /// Compare-and-swap: what the word must hold.
    pub compare: Signal<In, Bits<64>>,
    /// The word, first byte of the host lowest.
    pub bits: Signal<Out, Bits<512>>,
}

impl Logic for PackWqe {
    #[hdl_gen]
    fn update(&mut self) {
        self.bits.next = bit_cast::<512, 8>(self.opcode.val())
            | (bit_cast::<512, 8>(self.flags.val()) << 8)
            | (bit_cast::<512, 16>(self.connection.val()) << 16)
            | (bit_cast::<512, 16>(self.stream.val()) << 32)
            | (bit_cast::<512, 16>(self.message.val()) << 48)
            | (bit_cast::<512, 32>(self.r_key.val()) << 64)
            | (bit_cast::<512, 32>(self.length.val()) << 96)
            | (bit_cast::<512, 64>(self.local_address.val()) << 128)
            | (bit_cast::<512, 64>(self.remote_address.val()) << 192)
            | (bit_cast::<512, 64>(self.wr_id.val()) << 256)
            | (bit_cast::<512, 32>(self.immediate.val()) << 320)
            | (bit_cast::<512, 64>(self.operand.val()) << 384)
            | (bit_cast::<512, 64>(self.compare.val()) << 448);
    }
}

/// Fields of RQE out of a word. Combinational.
#[derive(LogicBlock, Default)]
pub struct UnpackRqe {
    /// The word, first byte of the host lowest.
    pub bits: Signal<In, Bits<256>>,
    /// Connection number.
    pub connection: Signal<Out, Bits<16>>,
    /// Stream in the connection.
    pub stream: Signal<Out, Bits<16>>,
    /// Bytes of the buffer.
    pub length: Signal<Out, Bits<32>>,
    /// Host address of the first byte.
    pub address: Signal<Out, Bits<64>>,
    /// Comes back in the completion.
    pub wr_id: Signal<Out, Bits<64>>,
}

impl Logic for UnpackRqe {
    #[hdl_gen]
    fn update(&mut self) {
        self.connection.next = self.bits.val().get_bits::<16>(0);
        self.stream.next = self.bits.val().get_bits::<16>(16);
        self.length.next = self.bits.val().get_bits::<32>(32);
        self.address.next = self.bits.val().get_bits::<64>(64);
        self.wr_id.next = self.bits.val().get_bits::<64>(128);
    }
}

/// A word out of the fields of RQE; all other bits 0. Combinational.
#[derive(LogicBlock, Default)]
pub struct PackRqe {
    /// Connection number.
    pub connection: Signal<In, Bits<16>>,
    /// Stream in the connection.
    pub stream: Signal<In, Bits<16>>,
    /// Bytes of the buffer.
    pub length: Signal<In, Bits<32>>,
    /// Host address of the first byte.
    pub address: Signal<In, Bits<64>>,
    /// Comes back in the completion.
    pub wr_id: Signal<In, Bits<64>>,
    /// The word, first byte of the host lowest.
    pub bits: Signal<Out, Bits<256>>,
}

impl Logic for PackRqe {
    #[hdl_gen]
    fn update(&mut self) {
        self.bits.next = bit_cast::<256, 16>(self.connection.val())
            | (bit_cast::<256, 16>(self.stream.val()) << 16)
            | (bit_cast::<256, 32>(self.length.val()) << 32)
            | (bit_cast::<256, 64>(self.address.val()) << 64)
            | (bit_cast::<256, 64>(self.wr_id.val()) << 128);
    }
}

/// Fields of CQE out of a word. Combinational.
#[derive(LogicBlock, Default)]
pub struct UnpackCqe {
    /// The word, first byte of the host lowest.
    pub bits: Signal<In, Bits<256>>,
    /// The WQE's, or the RQE's.
    pub wr_id: Signal<Out, Bits<64>>,
    /// How the message ended.
    pub status: Signal<Out, Bits<8>>,
    /// The WQE's.
    pub opcode: Signal<Out, Bits<8>>,
    /// The WQE's.
    pub connection: Signal<Out, Bits<16>>,
    /// The WQE's.
    pub length: Signal<Out, Bits<32>>,
    /// Index of the WQE, counted from 0 and never reduced by the queue's size.
    pub wqe_index: Signal<Out, Bits<32>>,
    /// Flips each time the queue wraps, 1 on its first lap: tells a new element from an old one.
    pub phase: Signal<Out, Bit>,
    /// A message that came, or an RQE that can't be posted (`bad_request`); `opcode` and `wqe_index` are 0. If not, what follows is 0.
    pub received: Signal<Out, Bit>,
    /// It hands over an immediate.
    pub has_immediate: Signal<Out, Bit>,
    /// Stream of a message that came.
    pub stream: Signal<Out, Bits<16>>,
    /// Its number in the stream.
    pub message: Signal<Out, Bits<16>>,
    /// Its immediate.
    pub immediate: Signal<Out, Bits<32>>,
}

impl Logic for UnpackCqe {
    #[hdl_gen]
    fn update(&mut self) {
        self.wr_id.next = self.bits.val().get_bits::<64>(0);
        self.status.next = self.bits.val().get_bits::<8>(64);
        self.opcode.next = self.bits.val().get_bits::<8>(72);
        self.connection.next = self.bits.val().get_bits::<16>(80);
        self.length.next = self.bits.val().get_bits::<32>(96);
        self.wqe_index.next = self.bits.val().get_bits::<32>(128);
        self.phase.next = self.bits.val().get_bit(160);
        self.received.next = self.bits.val().get_bit(161);
        self.has_immediate.next = self.bits.val().get_bit(162);
        self.stream.next = self.bits.val().get_bits::<16>(192);
        self.message.next = self.bits.val().get_bits::<16>(208);
        self.immediate.next = self.bits.val().get_bits::<32>(224);
    }
}

/// A word out of the fields of CQE; all other bits 0. Combinational.
#[derive(LogicBlock, Default)]
pub struct PackCqe {
    /// The WQE's, or the RQE's.
    pub wr_id: Signal<In, Bits<64>>,
    /// How the message ended.
    pub status: Signal<In, Bits<8>>,
    /// The WQE's.
    pub opcode: Signal<In, Bits<8>>,
    /// The WQE's.
    pub connection: Signal<In, Bits<16>>,
    /// The WQE's.
    pub length: Signal<In, Bits<32>>,
    /// Index of the WQE, counted from 0 and never reduced by the queue's size.
    pub wqe_index: Signal<In, Bits<32>>,
    /// Flips each time the queue wraps, 1 on its first lap: tells a new element from an old one.
    pub phase: Signal<In, Bit>,
    /// A message that came, or an RQE that can't be posted (`bad_request`); `opcode` and `wqe_index` are 0. If not, what follows is 0.
    pub received: Signal<In, Bit>,
    /// It hands over an immediate.
    pub has_immediate: Signal<In, Bit>,
    /// Stream of a message that came.
    pub stream: Signal<In, Bits<16>>,
    /// Its number in the stream.
    pub message: Signal<In, Bits<16>>,
    /// Its immediate.
    pub immediate: Signal<In, Bits<32>>,
    /// The word, first byte of the host lowest.
    pub bits: Signal<Out, Bits<256>>,
}

impl Logic for PackCqe {
    #[hdl_gen]
    fn update(&mut self) {
        self.bits.next = bit_cast::<256, 64>(self.wr_id.val())
            | (bit_cast::<256, 8>(self.status.val()) << 64)
            | (bit_cast::<256, 8>(self.opcode.val()) << 72)
            | (bit_cast::<256, 16>(self.connection.val()) << 80)
            | (bit_cast::<256, 32>(self.length.val()) << 96)
            | (bit_cast::<256, 32>(self.wqe_index.val()) << 128)
            | (bit_cast::<256, 1>(self.phase.val().into()) << 160)
            | (bit_cast::<256, 1>(self.received.val().into()) << 161)
            | (bit_cast::<256, 1>(self.has_immediate.val().into()) << 162)
            | (bit_cast::<256, 16>(self.stream.val()) << 192)
            | (bit_cast::<256, 16>(self.message.val()) << 208)
            | (bit_cast::<256, 32>(self.immediate.val()) << 224);
    }
}

/// Fields of CONFIG_COMMIT out of a word. Combinational.
#[derive(LogicBlock, Default)]
pub struct UnpackConfigCommit {
    /// The word, first byte of the host lowest.
    pub bits: Signal<In, Bits<32>>,
    /// Entry of the table.
    pub index: Signal<Out, Bits<16>>,
    /// Read only: the last write is on its way.
    pub busy: Signal<Out, Bit>,
    /// Which table.
    pub config_commit_table: Signal<Out, Bits<4>>,
}

impl Logic for UnpackConfigCommit {
    #[hdl_gen]
    fn update(&mut self) {
        self.index.next = self.bits.val().get_bits::<16>(0);
        self.busy.next = self.bits.val().get_bit(27);
        self.config_commit_table.next = self.bits.val().get_bits::<4>(28);
    }
}

/// A word out of the fields of CONFIG_COMMIT; all other bits 0. Combinational.
#[derive(LogicBlock, Default)]
pub struct PackConfigCommit {
    /// Entry of the table.
    pub index: Signal<In, Bits<16>>,
    /// Read only: the last write is on its way.
    pub busy: Signal<In, Bit>,
    /// Which table.
    pub config_commit_table: Signal<In, Bits<4>>,
    /// The word, first byte of the host lowest.
    pub bits: Signal<Out, Bits<32>>,
}

impl Logic for PackConfigCommit {
    #[hdl_gen]
    fn update(&mut self) {
        self.bits.next = bit_cast::<32, 16>(self.index.val())
            | (bit_cast::<32, 1>(self.busy.val().into()) << 27)
            | (bit_cast::<32, 4>(self.config_commit_table.val()) << 28);
    }
}
