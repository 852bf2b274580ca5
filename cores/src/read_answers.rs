//! Which open Read a response answers.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::generated::tails::UnpackReadResponseTail;
use crate::prim::{Dff, RamLut};

/// A Read takes a slot: where its bytes go, and what its responses must say.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct ReadOpen {
    /// It does.
    pub valid: Bit,
    /// The slot.
    pub slot: Bits<4>,
    /// Connection.
    pub connection: Bits<12>,
    /// Stream in the connection.
    pub stream: Bits<16>,
    /// Message number in the stream.
    pub message: Bits<16>,
    /// Host address of the first byte.
    pub address: Bits<64>,
    /// Bytes.
    pub length: Bits<32>,
}

/// The message in a slot has ended, whatever it was.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct ReadClose {
    /// It has.
    pub valid: Bit,
    /// The slot.
    pub slot: Bits<4>,
}

/// What became of Reads.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct ReadReply {
    /// By slot: every byte was placed before this cycle.
    pub whole: Bits<16>,
    /// A response commits in this cycle,
    pub commits: Bit,
    /// that names this slot.
    pub slot: Bits<4>,
}

/// Reads by their slots, and how much of each is answered.
///
/// In: `open`, `close`; of a packet, in its commit's cycle: `tail`, `payload`, `connection`; `past`: its offset and payload; `accepted`: it is a response and is
/// taken. All see what was before the cycle. Out, in that cycle: `hit`: it answers an open Read, and goes to `address`; `slot`: the slot that it names. `whole`
/// as of [`ReadReply`].
#[derive(LogicBlock, Default)]
pub struct ReadAnswers {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub open: Signal<In, ReadOpen>,
    pub close: Signal<In, ReadClose>,
    pub tail: Signal<In, Bits<320>>,
    pub payload: Signal<In, Bits<16>>,
    pub past: Signal<In, Bits<33>>,
    pub connection: Signal<In, Bits<12>>,
    pub accepted: Signal<In, Bit>,
    pub hit: Signal<Out, Bit>,
    pub address: Signal<Out, Bits<64>>,
    pub slot: Signal<Out, Bits<4>>,
    pub whole: Signal<Out, Bits<16>>,
    targets: RamLut<ReadOpen, 4>,
    left: RamLut<Bits<32>, 4>,
    opened: Dff<Bits<16>>,
    begun: Dff<Bits<16>>,
    every: Dff<Bits<16>>,
    opens: Signal<Local, Bits<16>>,
    begins: Signal<Local, Bits<16>>,
    wholes: Signal<Local, Bits<16>>,
    head: UnpackReadResponseTail,
    named: Signal<Local, Bits<4>>,
    names: Signal<Local, Bit>,
    lacks: Signal<Local, Bits<32>>,
    rest: Signal<Local, Bits<32>>,
    fits: Signal<Local, Bit>,
}

impl Logic for ReadAnswers {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, opened, begun, every);
        clock!(self, clock, targets, left);
        self.head.bits.next = self.tail.val();
        self.named.next = bit_cast::<4, 16>(self.head.tag_tag.val());
        self.slot.next = self.named.val();
        self.targets.read_address.next = self.named.val();
        self.targets.write_enable.next = self.open.val().valid;
        self.targets.write_address.next = self.open.val().slot;
        self.targets.write_data.next = self.open.val();

        // Whose it is, and whether it fits.
        self.names.next = self.opened.q.val().get_bit(self.named.val().index())
            & (bit_cast::<12, 16>(self.head.tag_tag.val() >> 4) == 0)
            & (self.targets.read_data.val().connection == self.connection.val())
            & (self.targets.read_data.val().stream == self.head.msg_stream.val())
            & (self.targets.read_data.val().message == self.head.msg_message.val())
            & (self.targets.read_data.val().length == self.head.tag_length.val());
        self.left.read_address.next = self.named.val();
        self.lacks.next = self.targets.read_data.val().length;
        if self.begun.q.val().get_bit(self.named.val().index()) {
            self.lacks.next = self.left.read_data.val();
        }
        self.fits.next = (self.past.val()
            <= bit_cast::<33, 32>(self.targets.read_data.val().length))
            & (bit_cast::<32, 16>(self.payload.val()) <= self.lacks.val());
        self.hit.next = self.names.val() & self.fits.val();
        self.address.next =
            self.targets.read_data.val().address + bit_cast::<64, 32>(self.head.msg_offset.val());
        self.rest.next = self.lacks.val() - bit_cast::<32, 16>(self.payload.val());
        self.left.write_enable.next = self.accepted.val() & self.hit.val();
        self.left.write_address.next = self.named.val();
        self.left.write_data.next = self.rest.val();

        self.opens.next = self.opened.q.val();
        self.begins.next = self.begun.q.val();
        self.wholes.next = self.every.q.val();
        if self.left.write_enable.val() {
            self.begins.next = self
                .begins
                .val()
                .replace_bit(self.named.val().index(), true);
            if !self.rest.val().any() {
                self.wholes.next = self
                    .wholes
                    .val()
                    .replace_bit(self.named.val().index(), true);
            }
        }
        if self.close.val().valid {
            self.opens.next = self
                .opens
                .val()
                .replace_bit(self.close.val().slot.index(), false);
        }
        if self.open.val().valid {
            self.opens.next = self
                .opens
                .val()
                .replace_bit(self.open.val().slot.index(), true);
            self.begins.next = self
                .begins
                .val()
                .replace_bit(self.open.val().slot.index(), false);
            self.wholes.next = self
                .wholes
                .val()
                .replace_bit(self.open.val().slot.index(), false);
        }
        self.opened.d.next = self.opens.val();
        self.begun.d.next = self.begins.val();
        self.every.d.next = self.wholes.val();
        self.whole.next = self.every.q.val();
        if self.reset.val() {
            self.opened.d.next = 0.into();
        }
    }
}
