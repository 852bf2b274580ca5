//! Reads the elements of a ring in host memory, one at a time.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::prim::Dff;

/// Where the next element stands.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Read {
    /// Nothing is posted.
    Idle,
    /// Memory is asked for it.
    Ask,
    /// Its beats come.
    Take,
    /// It is here.
    Here,
}

/// One element of `E` bits at a time, by one burst of E / 64 beats.
///
/// In: `enable`, `base` (a multiple of the element), `size_log2`, `doorbell` (elements ever posted); the AXI4 read channels; `done` (with
/// it; not without `here`). Out: `here` with `element`, `error` (memory answered with one) and `index` (counted from 0); `idle` (all that is
/// posted was taken).
#[derive(LogicBlock)]
pub struct RingReader<const E: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    pub base: Signal<In, Bits<64>>,
    pub size_log2: Signal<In, Bits<5>>,
    pub doorbell: Signal<In, Bits<32>>,
    pub araddr: Signal<Out, Bits<64>>,
    pub arvalid: Signal<Out, Bit>,
    pub arready: Signal<In, Bit>,
    pub rdata: Signal<In, Bits<64>>,
    pub rresp: Signal<In, Bits<2>>,
    pub rlast: Signal<In, Bit>,
    pub rvalid: Signal<In, Bit>,
    pub rready: Signal<Out, Bit>,
    pub here: Signal<Out, Bit>,
    pub element: Signal<Out, Bits<E>>,
    pub error: Signal<Out, Bit>,
    pub index: Signal<Out, Bits<32>>,
    pub done: Signal<In, Bit>,
    pub idle: Signal<Out, Bit>,
    step: Dff<Read>,
    taken: Dff<Bits<32>>,
    words: Dff<Bits<E>>,
    failed: Dff<Bit>,
    place: Signal<Local, Bits<32>>,
    one: Constant<Bits<32>>,
    element_log2: Constant<Bits<3>>,
    last_beat: Constant<Bits<10>>,
}

impl<const E: usize> Default for RingReader<E> {
    fn default() -> Self {
        assert!(
            E.is_power_of_two() && (128..=512).contains(&E),
            "2 to 8 beats of 64 bits"
        );
        Self {
            clock: Default::default(),
            reset: Default::default(),
            enable: Default::default(),
            base: Default::default(),
            size_log2: Default::default(),
            doorbell: Default::default(),
            araddr: Default::default(),
            arvalid: Default::default(),
            arready: Default::default(),
            rdata: Default::default(),
            rresp: Default::default(),
            rlast: Default::default(),
            rvalid: Default::default(),
            rready: Default::default(),
            here: Default::default(),
            element: Default::default(),
            error: Default::default(),
            index: Default::default(),
            done: Default::default(),
            idle: Default::default(),
            step: Default::default(),
            taken: Default::default(),
            words: Default::default(),
            failed: Default::default(),
            place: Default::default(),
            one: Constant::new(1.into()),
            element_log2: Constant::new(u64::from((E / 8).ilog2()).into()),
            last_beat: Constant::new((E as u64 - 64).into()),
        }
    }
}

impl<const E: usize> Logic for RingReader<E> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, taken, words, failed);
        self.place.next = self.taken.q.val() & ((self.one.val() << self.size_log2.val()) - 1);
        self.araddr.next =
            self.base.val() + (bit_cast::<64, 32>(self.place.val()) << self.element_log2.val());
        self.arvalid.next = false;
        self.rready.next = false;
        self.here.next = false;
        self.element.next = self.words.q.val();
        self.error.next = self.failed.q.val();
        self.index.next = self.taken.q.val();
        self.idle.next = self.doorbell.val() == self.taken.q.val();
        match self.step.q.val() {
            Read::Idle => {
                if self.enable.val() & !self.idle.val() {
                    self.failed.d.next = false;
                    self.step.d.next = Read::Ask;
                }
            }
            Read::Ask => {
                self.arvalid.next = true;
                if self.arready.val() {
                    self.step.d.next = Read::Take;
                }
            }
            Read::Take => {
                self.rready.next = true;
                if self.rvalid.val() {
                    self.words.d.next = (self.words.q.val() >> 64)
                        | (bit_cast::<E, 64>(self.rdata.val()) << self.last_beat.val());
                    self.failed.d.next = self.failed.q.val() | self.rresp.val().any();
                    if self.rlast.val() {
                        self.step.d.next = Read::Here;
                    }
                }
            }
            Read::Here => {
                self.here.next = true;
                if self.done.val() {
                    self.taken.d.next = self.taken.q.val() + 1;
                    self.step.d.next = Read::Idle;
                }
            }
        }
        if self.reset.val() {
            self.step.d.next = Read::Idle;
            self.taken.d.next = 0.into();
        }
    }
}
