//! Messages, cut into packets.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::failed_connections::FailedConnections;
use crate::generated::constants::WQE_READ;
use crate::narrow::Narrowing;
use crate::prim::Dff;
use crate::transmit_path::{FailureWrite, WaitingPacket};
use crate::types::Message;
use rust_hdl::prelude::*;

/// A packet a cycle, also from message to message; a Read is one packet, whatever it asks for.
///
/// In: `message`, `message_slot`, `message_valid`; `stop` (it may not be taken now); `failure` (a message of
/// a failed connection is dropped); `mtu_log2`; `room` for a packet. Out: `message_ready`; `wants` (it has a packet, room or not); `push`, `packet`, `connection`; `busy` (there is a
/// message). `CA` address bits of connections.
#[derive(LogicBlock)]
pub struct MessageCutter<const CA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub message: Signal<In, Message>,
    pub message_slot: Signal<In, Bits<5>>,
    pub message_valid: Signal<In, Bit>,
    pub stop: Signal<In, Bit>,
    pub failure: Signal<In, FailureWrite>,
    pub mtu_log2: Signal<In, Bits<4>>,
    pub room: Signal<In, Bit>,
    pub message_ready: Signal<Out, Bit>,
    pub wants: Signal<Out, Bit>,
    pub push: Signal<Out, Bit>,
    pub packet: Signal<Out, WaitingPacket>,
    pub connection: Signal<Out, Bits<CA>>,
    pub busy: Signal<Out, Bit>,
    have: Dff<Bit>,
    whose: Dff<Bits<CA>>,
    slot: Dff<Bits<5>>,
    index: Dff<Bits<24>>,
    remaining: Dff<Bits<32>>,
    failures: FailedConnections<CA>,
    mtu: Signal<Local, Bits<32>>,
    last: Signal<Local, Bit>,
    cuts: Signal<Local, Bit>,
    index_mask: Constant<Bits<24>>,
    length_mask: Constant<Bits<32>>,
    connection_mask: Constant<Bits<CA>>,
    asks_read: Constant<Bits<8>>,
}

impl<const CA: usize> MessageCutter<CA> {
    /// A cutter for global path numbers with `path_bits` bits below the connection.
    pub fn new(path_bits: usize, narrowing: &Narrowing) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            message: Default::default(),
            message_slot: Default::default(),
            message_valid: Default::default(),
            stop: Default::default(),
            failure: Default::default(),
            mtu_log2: Default::default(),
            room: Default::default(),
            message_ready: Default::default(),
            wants: Default::default(),
            push: Default::default(),
            packet: Default::default(),
            connection: Default::default(),
            busy: Default::default(),
            have: Default::default(),
            whose: Default::default(),
            slot: Default::default(),
            index: Default::default(),
            remaining: Default::default(),
            failures: Default::default(),
            mtu: Default::default(),
            last: Default::default(),
            cuts: Default::default(),
            index_mask: Constant::new(Narrowing::low(narrowing.packet_bits)),
            length_mask: Constant::new(Narrowing::low(narrowing.length_bits)),
            connection_mask: Constant::new(Narrowing::low(
                narrowing
                    .path_bits
                    .saturating_sub(path_bits as u32)
                    .min(CA as u32),
            )),
            asks_read: Constant::new(bits(WQE_READ)),
        }
    }
}

impl<const CA: usize> Logic for MessageCutter<CA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, have, whose, slot, index, remaining);
        self.failures.clock.next = self.clock.val();
        self.failures.write.next = self.failure.val();
        self.failures.connection.next = self.whose.d.val();
        self.mtu.next = bits::<32>(1) << self.mtu_log2.val();
        self.last.next = self.remaining.q.val() <= self.mtu.val();
        self.wants.next = self.have.q.val() & !self.failures.failed.val();
        self.cuts.next = self.wants.val() & self.room.val();
        self.push.next = self.cuts.val();
        self.connection.next = self.whose.q.val();
        self.packet.next.slot = self.slot.q.val();
        self.packet.next.index = self.index.q.val();
        self.packet.next.last = self.last.val();
        self.busy.next = self.have.q.val();

        self.message_ready.next =
            (!self.have.q.val() | (self.cuts.val() & self.last.val())) & !self.stop.val();
        if self.cuts.val() {
            self.index.d.next = (self.index.q.val() + 1) & self.index_mask.val();
            self.remaining.d.next =
                (self.remaining.q.val() - self.mtu.val()) & self.length_mask.val();
            if self.last.val() {
                self.have.d.next = false;
            }
        }
        if self.failures.failed.val() {
            self.have.d.next = false;
        }
        if self.message_valid.val() & self.message_ready.val() {
            self.have.d.next = true;
            self.whose.d.next =
                bit_cast::<CA, 12>(self.message.val().connection) & self.connection_mask.val();
            self.slot.d.next = self.message_slot.val();
            self.index.d.next = bits::<24>(0);
            self.remaining.d.next = self.message.val().length & self.length_mask.val();
            if self.message.val().opcode == self.asks_read.val() {
                self.remaining.d.next = bits::<32>(0);
            }
        }
        if self.reset.val() {
            self.have.d.next = false;
        }
    }
}
