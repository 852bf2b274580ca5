//! Lengths and headers of a frame of wide beats, before its first beat.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::common_header::CommonHeader;
use crate::frame_kind::FrameKind;
use crate::prim::Dff;
use crate::types::TxDescriptor;
use rust_hdl::prelude::*;

/// Bytes of headers and ICRC that IPv4's total length does not count: Ethernet's 14 less the ICRC's 4.
const UNCOUNTED: u64 = 10;
/// Bytes of IPv4's header, which UDP's length does not count.
const IPV4_BYTES: u64 = 20;

/// Which beat of a frame is what.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct FramePlan {
    pub has_payload: Bit,
    /// First and last beat with payload.
    pub payload_first: Bits<8>,
    pub payload_last: Bits<8>,
    /// The last with anything but the ICRC.
    pub last_counting: Bits<8>,
    pub last: Bits<8>,
    /// The ICRC has a beat of its own.
    pub icrc_alone: Bit,
    /// Place of the ICRC in its beat, in words of 4 bytes.
    pub place: Bits<4>,
    /// Bytes that beat `last_counting` lacks without the ICRC.
    pub missing: Bits<6>,
}

/// Looks at a descriptor for a cycle, then shows its frame's plan and headers until it is taken. `K` bytes of a beat.
#[derive(LogicBlock)]
pub struct FramePlanner<const K: usize> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    pub descriptor: Signal<In, TxDescriptor>,
    pub descriptor_valid: Signal<In, Bit>,
    /// The plan is this descriptor's.
    pub planned: Signal<Out, Bit>,
    /// It is taken; only when `planned`.
    pub take: Signal<In, Bit>,
    pub plan: Signal<Out, FramePlan>,
    /// First byte lowest, zeros beyond the opcode's.
    pub header: Signal<Out, Bits<832>>,
    /// Lanes of payload in its first beat, up to the last; in its last, from the first.
    pub low: Signal<Out, Bits<K>>,
    pub high: Signal<Out, Bits<K>>,
    kind: FrameKind,
    common: CommonHeader,
    looked: Dff<Bit>,
    header_bytes: Dff<Bits<7>>,
    /// Bytes of headers, payload and pad; of headers and payload.
    counted: Dff<Bits<16>>,
    unpadded: Dff<Bits<16>>,
    total: Dff<Bits<16>>,
    udp_length: Dff<Bits<16>>,
    /// The sum of IPv4's header without the padded payload; and that.
    sum: Dff<Bits<17>>,
    padded: Dff<Bits<16>>,
    rounded: Signal<Local, Bits<16>>,
    headers: Signal<Local, Bits<16>>,
    whole_sum: Signal<Local, Bits<17>>,
    tail: Signal<Local, Bits<320>>,
    first_bytes: Signal<Local, Bits<832>>,
    word: Signal<Local, Bits<64>>,
    octet: Signal<Local, Bits<8>>,
    uncounted: Constant<Bits<16>>,
    ipv4: Constant<Bits<16>>,
    every: Constant<Bits<K>>,
    lane_mask: Constant<Bits<16>>,
    beat_shift: Constant<Bits<3>>,
    tail_bytes: [Constant<Bits<7>>; 5],
    tail_masks: [Constant<Bits<320>>; 5],
}

impl<const K: usize> FramePlanner<K> {
    /// `messages`: it knows the verbs that profile `Messages` adds.
    pub fn new(messages: bool) -> Self {
        let word_of_tail = |i: usize| {
            let word = bit_cast::<320, 64>(Bits::<64>::mask());
            Constant::new(word << (256 - 64 * i as u64))
        };
        Self {
            clock: Default::default(),
            reset: Default::default(),
            descriptor: Default::default(),
            descriptor_valid: Default::default(),
            planned: Default::default(),
            take: Default::default(),
            plan: Default::default(),
            header: Default::default(),
            low: Default::default(),
            high: Default::default(),
            kind: FrameKind::new(messages),
            common: Default::default(),
            looked: Default::default(),
            header_bytes: Default::default(),
            counted: Default::default(),
            unpadded: Default::default(),
            total: Default::default(),
            udp_length: Default::default(),
            sum: Default::default(),
            padded: Default::default(),
            rounded: Default::default(),
            headers: Default::default(),
            whole_sum: Default::default(),
            tail: Default::default(),
            first_bytes: Default::default(),
            word: Default::default(),
            octet: Default::default(),
            uncounted: Constant::new(UNCOUNTED.into()),
            ipv4: Constant::new((UNCOUNTED + IPV4_BYTES).into()),
            every: Constant::new(Bits::<K>::mask()),
            lane_mask: Constant::new((K as u64 - 1).into()),
            beat_shift: Constant::new(u64::from(K.trailing_zeros()).into()),
            tail_bytes: std::array::from_fn(|i| Constant::new((64 + 8 * i as u64).into())),
            tail_masks: std::array::from_fn(word_of_tail),
        }
    }
}

impl<const K: usize> Logic for FramePlanner<K> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, looked, header_bytes, counted, unpadded);
        dff_setup!(self, clock, total, udp_length, sum, padded);

        // A look.
        self.looked.d.next = self.descriptor_valid.val() && !self.take.val();
        self.kind.opcode.next = self.descriptor.val().opcode;
        self.headers.next = bit_cast::<16, 7>(self.kind.header_bytes.val());
        self.rounded.next = ((self.descriptor.val().payload + 3) >> 2) << 2;
        self.header_bytes.d.next = self.kind.header_bytes.val();
        self.padded.d.next = self.rounded.val();
        self.counted.d.next = self.headers.val() + self.rounded.val();
        self.unpadded.d.next = self.headers.val() + self.descriptor.val().payload;
        self.total.d.next = self.headers.val() - self.uncounted.val() + self.rounded.val();
        self.udp_length.d.next = self.headers.val() - self.ipv4.val() + self.rounded.val();
        self.sum.d.next = bit_cast::<17, 16>(self.descriptor.val().ip_sum)
            + bit_cast::<17, 16>(self.headers.val() - self.uncounted.val());

        // The plan.
        self.planned.next = self.looked.q.val();
        self.plan.next.has_payload = self.descriptor.val().payload.any();
        self.plan.next.payload_first =
            bit_cast::<8, 7>(self.header_bytes.q.val() >> self.beat_shift.val());
        self.plan.next.payload_last =
            bit_cast::<8, 16>((self.unpadded.q.val() - 1) >> self.beat_shift.val());
        self.plan.next.last_counting =
            bit_cast::<8, 16>((self.counted.q.val() - 1) >> self.beat_shift.val());
        // The ICRC's first byte comes after what counts.
        self.plan.next.last = bit_cast::<8, 16>(self.counted.q.val() >> self.beat_shift.val());
        self.plan.next.icrc_alone = !(self.counted.q.val() & self.lane_mask.val()).any();
        self.plan.next.place =
            bit_cast::<4, 16>((self.counted.q.val() & self.lane_mask.val()) >> 2);
        self.plan.next.missing =
            bit_cast::<6, 16>((0 - self.counted.q.val()) & self.lane_mask.val());
        self.low.next = self.every.val()
            << (bit_cast::<16, 7>(self.header_bytes.q.val()) & self.lane_mask.val());
        self.high.next = self.every.val() >> ((0 - self.unpadded.q.val()) & self.lane_mask.val());

        // Its headers.
        self.whole_sum.next = self.sum.q.val() + bit_cast::<17, 16>(self.padded.q.val());
        self.common.descriptor.next = self.descriptor.val();
        self.common.total.next = self.total.q.val();
        self.common.udp_length.next = self.udp_length.q.val();
        self.common.checksum.next =
            !(self.whole_sum.val().get_bits::<16>(0) + self.whole_sum.val().get_bit(16));
        self.common.pad.next =
            bit_cast::<2, 16>(self.padded.q.val() - self.descriptor.val().payload);
        self.tail.next = 0.into();
        for i in 0..5 {
            if self.header_bytes.q.val() > self.tail_bytes[i].val() {
                self.tail.next =
                    self.tail.val() | (self.descriptor.val().tail & self.tail_masks[i].val());
            }
        }
        self.first_bytes.next = (bit_cast::<832, 512>(self.common.bits.val()) << 320)
            | bit_cast::<832, 320>(self.tail.val());
        self.header.next = 0.into();
        self.word.next = 0.into();
        self.octet.next = 0.into();
        for i in 0..13 {
            self.word.next = 0.into();
            for j in 0..8 {
                self.octet.next = self.first_bytes.val().get_bits::<8>(64 * i + 8 * j);
                self.word.next = (self.word.val() << 8) | bit_cast::<64, 8>(self.octet.val());
            }
            self.header.next = (self.header.val() << 64) | bit_cast::<832, 64>(self.word.val());
        }
        if self.reset.val() {
            self.looked.d.next = false;
        }
    }
}
