//! Fewer bits than the protocol's, for devices too small for a whole NIC.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::generated::constants::{
    OPCODE_ACK, OPCODE_PROBE, OPCODE_REFUSAL, OPCODE_WRITE, REASON_BAD_KEY, REASON_BAD_RANGE,
};
use crate::types::{ConfigWrite, FrameEvent, TxDescriptor};
use rust_hdl::prelude::*;

/// Which bits of the words inside a NIC may be other than 0; synthesis removes the registers of all others.
///
/// A narrowed NIC has every block of a whole one and behaves like it while no number leaves its bits. It is for a closed
/// test whose numbers are known. All widths count low bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Narrowing {
    /// PSN, 1..=24.
    pub psn_bits: u32,
    /// TSN, 1..=24.
    pub tsn_bits: u32,
    /// Packet number in a message, 1..=24.
    pub packet_bits: u32,
    /// Length of a message, bytes, 1..=32.
    pub length_bits: u32,
    /// Global path number, 0..=16.
    pub path_bits: u32,
    /// Clock of all time stamps, cycles, 1..=32.
    pub time_bits: u32,
    /// Payload of a frame, bytes, 1..=16.
    pub payload_bits: u32,
    /// Host and remote addresses, 1..=64.
    pub address_bits: u32,
    /// SACK bitvector, 1..=256.
    pub bitvector_bits: u32,
    /// Packets of a path as an ACK counts them, 1..=16.
    pub received_bits: u32,
    /// Counters of the register map, 1..=32.
    pub counter_bits: u32,
    /// Register offsets of counters that stay 0.
    pub uncounted: Vec<u32>,
    /// Queues: base addresses, sizes and indices, 1..=32.
    pub queue_bits: u32,
    /// Index of a configuration entry, 0..=16.
    pub index_bits: u32,
    /// Union of all configuration entries, as register words.
    pub config: [u32; 8],
    /// Union of all QP numbers.
    pub qp: u32,
    /// Of all destination MAC addresses.
    pub dst_mac: u64,
    /// Of all source MAC addresses.
    pub src_mac: u64,
    /// Of all source IPv4 addresses.
    pub src_ip: u32,
    /// Of all destination IPv4 addresses.
    pub dst_ip: u32,
    /// Of all sums of a connection's IPv4 header.
    pub ip_sum: u32,
    /// Of all UDP source ports.
    pub entropy: u32,
    /// Bits of register WINDOW that may differ from its reset value.
    pub window: u32,
    /// Of RTO.
    pub rto: u32,
    /// Of MAX_RETRIES.
    pub max_retries: u32,
    /// Of ACK_EVERY.
    pub ack_every: u32,
    /// Of MTU_LOG2.
    pub mtu_log2: u32,
    /// Congestion laws and measured time-outs: kept, or every window is WINDOW and every time-out RTO.
    pub laws: bool,
    /// The background walk goes over all paths, also those that have nothing under way: smaller, and soon around if there are few.
    pub walks_all: bool,
    /// Slots of responses: kept, or every slot is a request's.
    pub responses: bool,
    /// Stream and message numbers, R_Keys, epochs, congestion marks: kept or 0.
    pub names: bool,
}

impl Narrowing {
    /// A whole NIC.
    pub const fn none() -> Self {
        Self {
            psn_bits: 24,
            tsn_bits: 24,
            packet_bits: 24,
            length_bits: 32,
            path_bits: 16,
            time_bits: 32,
            payload_bits: 16,
            address_bits: 64,
            bitvector_bits: 256,
            received_bits: 16,
            counter_bits: 32,
            uncounted: Vec::new(),
            queue_bits: 32,
            index_bits: 16,
            config: [u32::MAX; 8],
            qp: 0xFF_FFFF,
            dst_mac: u64::MAX,
            src_mac: u64::MAX,
            src_ip: u32::MAX,
            dst_ip: u32::MAX,
            ip_sum: 0xFFFF,
            entropy: 0xFFFF,
            window: 0xFF,
            rto: u32::MAX,
            max_retries: 0xF,
            ack_every: 0xFF,
            mtu_log2: 0xF,
            laws: true,
            walks_all: false,
            responses: true,
            names: true,
        }
    }

    /// Bits of a message slot that are used.
    pub fn slots(&self) -> u64 {
        if self.responses { 0x1F } else { 0xF }
    }

    /// Bits of the counter at this offset.
    pub fn bits_of_counter(&self, offset: u64) -> u32 {
        if self.uncounted.iter().any(|&o| u64::from(o) == offset) {
            0
        } else {
            self.counter_bits
        }
    }

    /// The low `kept` of `N` bits.
    pub fn low<const N: usize>(kept: u32) -> Bits<N> {
        (0..kept as usize).fold(bits(0), |mask: Bits<N>, bit| mask.replace_bit(bit, true))
    }

    /// All of `N` bits, or none.
    fn named<const N: usize>(&self) -> Bits<N> {
        Self::low(if self.names { N as u32 } else { 0 })
    }

    /// Of a WRITE's headers after the common ones.
    fn write_tail(&self) -> Bits<320> {
        place(self.named::<16>(), 304)
            | place(self.named::<16>(), 288)
            | place(self.named::<32>(), 256)
            | place(Self::low::<64>(self.address_bits), 192)
            | place(self.named::<32>(), 160)
            | place(self.named::<32>(), 128)
            | place(self.named::<128>(), 0)
    }

    /// Of an ACK's or REFUSAL's headers after the common ones.
    fn answer_tail(&self) -> Bits<320> {
        let reasons = bits::<8>(REASON_BAD_KEY | REASON_BAD_RANGE);
        place(self.named::<64>(), 256)
            | place(reasons, 312)
            | place(Self::low::<256>(self.bitvector_bits), 0)
    }
}

fn place<const N: usize>(field: Bits<N>, lowest: u64) -> Bits<320> {
    bit_cast::<320, N>(field) << lowest
}

/// Holds the unused bits of an event at 0. No cycle.
#[derive(LogicBlock)]
pub struct NarrowFrame {
    pub wide: Signal<In, FrameEvent>,
    pub narrow: Signal<Out, FrameEvent>,
    qp: Constant<Bits<24>>,
    psn: Constant<Bits<24>>,
    path: Constant<Bits<8>>,
    epoch: Constant<Bits<8>>,
    tsn: Constant<Bits<24>>,
    timestamp: Constant<Bits<32>>,
    payload: Constant<Bits<16>>,
    tail: Constant<Bits<320>>,
    marks: Constant<Bit>,
}

impl NarrowFrame {
    /// Of WRITEs and PROBEs.
    pub fn receive(narrowing: &Narrowing) -> Self {
        Self::new(narrowing, narrowing.write_tail())
    }

    /// Of ACKs and REFUSALs.
    pub fn acknowledge(narrowing: &Narrowing) -> Self {
        Self::new(narrowing, narrowing.answer_tail())
    }

    fn new(narrowing: &Narrowing, tail: Bits<320>) -> Self {
        Self {
            wide: Default::default(),
            narrow: Default::default(),
            qp: Constant::new(bits(narrowing.qp.into())),
            psn: Constant::new(Narrowing::low(narrowing.psn_bits)),
            path: Constant::new(Narrowing::low(narrowing.path_bits.min(8))),
            epoch: Constant::new(narrowing.named()),
            tsn: Constant::new(Narrowing::low(narrowing.tsn_bits)),
            timestamp: Constant::new(Narrowing::low(narrowing.time_bits)),
            payload: Constant::new(Narrowing::low(narrowing.payload_bits)),
            tail: Constant::new(tail),
            marks: Constant::new(narrowing.names),
        }
    }
}

impl Logic for NarrowFrame {
    #[hdl_gen]
    fn update(&mut self) {
        self.narrow.next = self.wide.val();
        self.narrow.next.ce = self.wide.val().ce & self.marks.val();
        self.narrow.next.dest_qp = self.wide.val().dest_qp & self.qp.val();
        self.narrow.next.psn = self.wide.val().psn & self.psn.val();
        self.narrow.next.path = self.wide.val().path & self.path.val();
        self.narrow.next.epoch = self.wide.val().epoch & self.epoch.val();
        self.narrow.next.tsn = self.wide.val().tsn & self.tsn.val();
        self.narrow.next.timestamp = self.wide.val().timestamp & self.timestamp.val();
        self.narrow.next.payload = self.wide.val().payload & self.payload.val();
        self.narrow.next.tail = self.wide.val().tail & self.tail.val();
    }
}

/// Holds the unused bits of a frame to send at 0. No cycle.
#[derive(LogicBlock)]
pub struct NarrowDescriptor {
    pub wide: Signal<In, TxDescriptor>,
    pub narrow: Signal<Out, TxDescriptor>,
    opcode: Constant<Bits<8>>,
    dest_qp: Constant<Bits<24>>,
    psn: Constant<Bits<24>>,
    path: Constant<Bits<8>>,
    epoch: Constant<Bits<8>>,
    tsn: Constant<Bits<24>>,
    timestamp: Constant<Bits<32>>,
    entropy: Constant<Bits<16>>,
    dst_mac: Constant<Bits<48>>,
    src_mac: Constant<Bits<48>>,
    src_ip: Constant<Bits<32>>,
    dst_ip: Constant<Bits<32>>,
    ip_sum: Constant<Bits<16>>,
    payload: Constant<Bits<16>>,
    local_address: Constant<Bits<64>>,
    tail: Constant<Bits<320>>,
}

impl NarrowDescriptor {
    /// Of WRITEs and PROBEs.
    pub fn data(narrowing: &Narrowing) -> Self {
        let opcodes = OPCODE_WRITE | OPCODE_PROBE;
        Self::new(narrowing, opcodes, narrowing.write_tail())
    }

    /// Of ACKs and REFUSALs.
    pub fn answer(narrowing: &Narrowing) -> Self {
        let opcodes = OPCODE_ACK | OPCODE_REFUSAL;
        Self::new(narrowing, opcodes, narrowing.answer_tail())
    }

    fn new(narrowing: &Narrowing, opcodes: u64, tail: Bits<320>) -> Self {
        let mac = |address: u64| bits(address & 0xFFFF_FFFF_FFFF);
        Self {
            wide: Default::default(),
            narrow: Default::default(),
            opcode: Constant::new(narrowing.named::<8>() | bits(opcodes)),
            dest_qp: Constant::new(bits(narrowing.qp.into())),
            psn: Constant::new(Narrowing::low(narrowing.psn_bits)),
            path: Constant::new(Narrowing::low(narrowing.path_bits.min(8))),
            epoch: Constant::new(narrowing.named()),
            tsn: Constant::new(Narrowing::low(narrowing.tsn_bits)),
            timestamp: Constant::new(Narrowing::low(narrowing.time_bits)),
            entropy: Constant::new(bits(narrowing.entropy.into())),
            dst_mac: Constant::new(mac(narrowing.dst_mac)),
            src_mac: Constant::new(mac(narrowing.src_mac)),
            src_ip: Constant::new(bits(narrowing.src_ip.into())),
            dst_ip: Constant::new(bits(narrowing.dst_ip.into())),
            ip_sum: Constant::new(bits(narrowing.ip_sum.into())),
            payload: Constant::new(Narrowing::low(narrowing.payload_bits)),
            local_address: Constant::new(Narrowing::low(narrowing.address_bits)),
            tail: Constant::new(tail),
        }
    }
}

impl Logic for NarrowDescriptor {
    #[hdl_gen]
    fn update(&mut self) {
        self.narrow.next = self.wide.val();
        self.narrow.next.opcode = self.wide.val().opcode & self.opcode.val();
        self.narrow.next.dest_qp = self.wide.val().dest_qp & self.dest_qp.val();
        self.narrow.next.psn = self.wide.val().psn & self.psn.val();
        self.narrow.next.path = self.wide.val().path & self.path.val();
        self.narrow.next.epoch = self.wide.val().epoch & self.epoch.val();
        self.narrow.next.tsn = self.wide.val().tsn & self.tsn.val();
        self.narrow.next.timestamp = self.wide.val().timestamp & self.timestamp.val();
        self.narrow.next.entropy = self.wide.val().entropy & self.entropy.val();
        self.narrow.next.dst_mac = self.wide.val().dst_mac & self.dst_mac.val();
        self.narrow.next.src_mac = self.wide.val().src_mac & self.src_mac.val();
        self.narrow.next.src_ip = self.wide.val().src_ip & self.src_ip.val();
        self.narrow.next.dst_ip = self.wide.val().dst_ip & self.dst_ip.val();
        self.narrow.next.ip_sum = self.wide.val().ip_sum & self.ip_sum.val();
        self.narrow.next.payload = self.wide.val().payload & self.payload.val();
        self.narrow.next.local_address = self.wide.val().local_address & self.local_address.val();
        self.narrow.next.tail = self.wide.val().tail & self.tail.val();
    }
}

/// Holds the unused bits of a configuration entry at 0. No cycle.
#[derive(LogicBlock)]
pub struct NarrowConfig {
    pub wide: Signal<In, ConfigWrite>,
    pub narrow: Signal<Out, ConfigWrite>,
    index: Constant<Bits<16>>,
    data: Constant<Bits<256>>,
}

impl NarrowConfig {
    pub fn new(narrowing: &Narrowing) -> Self {
        let data = narrowing.config.iter().rev();
        let data = data.fold(bits(0), |high: Bits<256>, word| {
            (high << 32) | bits(u64::from(*word))
        });
        Self {
            wide: Default::default(),
            narrow: Default::default(),
            index: Constant::new(Narrowing::low(narrowing.index_bits)),
            data: Constant::new(data),
        }
    }
}

impl Logic for NarrowConfig {
    #[hdl_gen]
    fn update(&mut self) {
        self.narrow.next = self.wide.val();
        self.narrow.next.index = self.wide.val().index & self.index.val();
        self.narrow.next.data = self.wide.val().data & self.data.val();
    }
}
