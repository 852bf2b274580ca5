//! The wire of the self-test: what is sent comes back, but for frames that get lost.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use metaroce_cores::prim::Dff;
use rust_hdl::prelude::*;

/// A stream of bytes handed on, less some frames.
///
/// Of the first 16 frames those whose bit in `DROPS` is set are swallowed; all later ones pass. `plant` turns the
/// lowest bit of every frame's byte 60 (of the time stamp, which the ICRC covers). Latency: none.
#[derive(LogicBlock)]
pub struct Loopback {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    pub tx_data: Signal<In, Bits<8>>,
    pub tx_valid: Signal<In, Bit>,
    pub tx_last: Signal<In, Bit>,
    pub tx_ready: Signal<Out, Bit>,
    pub rx_data: Signal<Out, Bits<8>>,
    pub rx_valid: Signal<Out, Bit>,
    pub rx_last: Signal<Out, Bit>,
    pub rx_ready: Signal<In, Bit>,
    /// The planted fault: no frame's ICRC is right.
    pub plant: Signal<In, Bit>,
    /// Byte of the frame, stops at 63.
    byte: Dff<Bits<6>>,
    /// Bit 0 is the fate of the frame under way.
    drops: Dff<Bits<16>>,
    first_drops: Constant<Bits<16>>,
}

impl Loopback {
    /// `drops`: bit n loses the n-th frame, counted from 0.
    pub fn new(drops: u16) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            tx_data: Default::default(),
            tx_valid: Default::default(),
            tx_last: Default::default(),
            tx_ready: Default::default(),
            rx_data: Default::default(),
            rx_valid: Default::default(),
            rx_last: Default::default(),
            rx_ready: Default::default(),
            plant: Default::default(),
            byte: Default::default(),
            drops: Default::default(),
            first_drops: Constant::new(u64::from(drops).into()),
        }
    }
}

impl Logic for Loopback {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, byte, drops);
        self.rx_data.next = self.tx_data.val();
        if self.plant.val() && (self.byte.q.val() == 60) {
            self.rx_data.next = self.tx_data.val() ^ 1;
        }
        self.rx_last.next = self.tx_last.val();
        self.rx_valid.next = self.tx_valid.val() && !self.drops.q.val().get_bit(0);
        self.tx_ready.next = self.rx_ready.val() || self.drops.q.val().get_bit(0);
        if self.tx_valid.val() && (self.rx_ready.val() || self.drops.q.val().get_bit(0)) {
            if self.byte.q.val() != 63 {
                self.byte.d.next = self.byte.q.val() + 1;
            }
            if self.tx_last.val() {
                self.byte.d.next = 0.into();
                self.drops.d.next = self.drops.q.val() >> 1;
            }
        }
        if self.reset.val() {
            self.byte.d.next = 0.into();
            self.drops.d.next = self.first_drops.val();
        }
    }
}
