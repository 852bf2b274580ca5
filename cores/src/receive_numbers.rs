//! Which posted buffer of its peer a message will take.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::prim::Dff;
use crate::ram_bypass::RamBypass;

/// Counts, by stream, the messages that take a posted buffer (docs/protocol.md, section 7): a stream's first takes buffer 0.
///
/// In: `stream`, counted over all connections; `take` (its next message takes `number`); `start` with `start_connection`: its streams
/// start anew. Out: `number`, a cycle after `stream` is presented, true as long as it stays and nothing is taken; `loading`: streams are
/// being set to 0, one a cycle, nothing may be taken. `CA` address bits of connections, `XA` of all streams.
#[derive(LogicBlock)]
pub struct ReceiveNumbers<const CA: usize, const XA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub stream: Signal<In, Bits<XA>>,
    pub take: Signal<In, Bit>,
    pub start: Signal<In, Bit>,
    pub start_connection: Signal<In, Bits<CA>>,
    pub number: Signal<Out, Bits<32>>,
    pub loading: Signal<Out, Bit>,
    numbers: RamBypass<Bits<32>, XA>,
    filling: Dff<Bit>,
    fill: Dff<Bits<XA>>,
    stream_bits: Constant<Bits<5>>,
    stream_mask: Constant<Bits<XA>>,
}

impl<const CA: usize, const XA: usize> Default for ReceiveNumbers<CA, XA> {
    fn default() -> Self {
        assert!(CA <= XA && XA <= 16, "index widths");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            stream: Default::default(),
            take: Default::default(),
            start: Default::default(),
            start_connection: Default::default(),
            number: Default::default(),
            loading: Default::default(),
            numbers: Default::default(),
            filling: Default::default(),
            fill: Default::default(),
            stream_bits: Constant::new(((XA - CA) as LiteralType).into()),
            stream_mask: Constant::new(((1 << (XA - CA) as LiteralType) - 1).into()),
        }
    }
}

impl<const CA: usize, const XA: usize> Logic for ReceiveNumbers<CA, XA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, filling, fill);
        self.numbers.clock.next = self.clock.val();
        self.numbers.read_address.next = self.stream.val();
        self.number.next = self.numbers.read_data.val();
        self.numbers.write_enable.next = self.take.val();
        self.numbers.write_address.next = self.stream.val();
        self.numbers.write_data.next = self.numbers.read_data.val() + 1;
        self.loading.next = self.filling.q.val();
        if self.filling.q.val() {
            self.numbers.write_enable.next = true;
            self.numbers.write_address.next = self.fill.q.val();
            self.numbers.write_data.next = 0.into();
            self.fill.d.next = self.fill.q.val() + 1;
            self.filling.d.next =
                (self.fill.q.val() & self.stream_mask.val()) != self.stream_mask.val();
        }
        if self.start.val() {
            self.filling.d.next = true;
            self.fill.d.next =
                bit_cast::<XA, CA>(self.start_connection.val()) << self.stream_bits.val();
        }
        if self.reset.val() {
            self.filling.d.next = false;
        }
    }
}
