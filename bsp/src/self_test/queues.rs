//! The self-test's rings, behind the control port.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use std::collections::BTreeMap;

use metaroce_cores::prim::Dff;
use rust_hdl::prelude::*;

/// A send queue that is a ROM, and a completion queue that judges what is written to it.
///
/// `A` address bits: 2^A words of 64 bits hold the WQEs. One burst at a time each way. A completion is good if its
/// status is `success`, its phase that of the first lap and its `wr_id` the expected one: 1, 2, 3 ... in order.
#[derive(LogicBlock)]
pub struct Queues<const A: usize> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Word of the send queue: byte address / 8.
    pub ar_word: Signal<In, Bits<A>>,
    pub arlen: Signal<In, Bits<8>>,
    pub arvalid: Signal<In, Bit>,
    pub arready: Signal<Out, Bit>,
    pub rdata: Signal<Out, Bits<64>>,
    pub rlast: Signal<Out, Bit>,
    pub rvalid: Signal<Out, Bit>,
    pub rready: Signal<In, Bit>,
    pub awvalid: Signal<In, Bit>,
    pub awready: Signal<Out, Bit>,
    pub wdata: Signal<In, Bits<64>>,
    pub wlast: Signal<In, Bit>,
    pub wvalid: Signal<In, Bit>,
    pub wready: Signal<Out, Bit>,
    pub bvalid: Signal<Out, Bit>,
    pub bready: Signal<In, Bit>,
    /// Completions so far.
    pub completions: Signal<Out, Bits<4>>,
    /// None of them was bad.
    pub good: Signal<Out, Bit>,
    wqes: ROM<Bits<64>, A>,
    reading: Dff<Bit>,
    read_at: Dff<Bits<A>>,
    read_left: Dff<Bits<8>>,
    writing: Dff<Bit>,
    answering: Dff<Bit>,
    /// Beat of the completion, counted from 0.
    beat: Dff<Bits<2>>,
    count: Dff<Bits<4>>,
    bad: Dff<Bit>,
}

impl<const A: usize> Queues<A> {
    /// `words`: the WQEs, each 8 words, in the order of the ring.
    pub fn new(words: &[u64]) -> Self {
        assert!(
            words.len() <= 1 << A,
            "{} words in a ROM of 2^{A}",
            words.len()
        );
        let words: BTreeMap<Bits<A>, Bits<64>> = (0_u64..)
            .zip(words)
            .map(|(place, word)| (place.into(), (*word).into()))
            .collect();
        Self {
            clock: Default::default(),
            reset: Default::default(),
            ar_word: Default::default(),
            arlen: Default::default(),
            arvalid: Default::default(),
            arready: Default::default(),
            rdata: Default::default(),
            rlast: Default::default(),
            rvalid: Default::default(),
            rready: Default::default(),
            awvalid: Default::default(),
            awready: Default::default(),
            wdata: Default::default(),
            wlast: Default::default(),
            wvalid: Default::default(),
            wready: Default::default(),
            bvalid: Default::default(),
            bready: Default::default(),
            completions: Default::default(),
            good: Default::default(),
            wqes: ROM::new(words),
            reading: Default::default(),
            read_at: Default::default(),
            read_left: Default::default(),
            writing: Default::default(),
            answering: Default::default(),
            beat: Default::default(),
            count: Default::default(),
            bad: Default::default(),
        }
    }
}

impl<const A: usize> Logic for Queues<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, reading, read_at, read_left, writing, answering, beat, count, bad
        );

        self.wqes.address.next = self.read_at.q.val();
        self.rdata.next = self.wqes.data.val();
        self.arready.next = !self.reading.q.val();
        self.rvalid.next = self.reading.q.val();
        self.rlast.next = self.read_left.q.val() == 0;
        if self.reading.q.val() {
            if self.rready.val() {
                self.read_at.d.next = self.read_at.q.val() + 1;
                self.read_left.d.next = self.read_left.q.val() - 1;
                self.reading.d.next = self.read_left.q.val().any();
            }
        } else {
            if self.arvalid.val() {
                self.reading.d.next = true;
                self.read_at.d.next = self.ar_word.val();
                self.read_left.d.next = self.arlen.val();
            }
        }

        self.awready.next = !self.writing.q.val() && !self.answering.q.val();
        self.wready.next = self.writing.q.val();
        self.bvalid.next = self.answering.q.val();
        self.completions.next = self.count.q.val();
        self.good.next = !self.bad.q.val();
        if self.writing.q.val() {
            if self.wvalid.val() {
                self.beat.d.next = self.beat.q.val() + 1;
                // CQE: wr_id; status in bits 7..0; wqe_index and phase in bit 32.
                if (self.beat.q.val() == 0)
                    && (self.wdata.val().get_bits::<4>(0) != (self.count.q.val() + 1))
                {
                    self.bad.d.next = true;
                }
                if (self.beat.q.val() == 1) && self.wdata.val().get_bits::<8>(0).any() {
                    self.bad.d.next = true;
                }
                if (self.beat.q.val() == 2) && !self.wdata.val().get_bit(32) {
                    self.bad.d.next = true;
                }
                if self.wlast.val() {
                    self.writing.d.next = false;
                    self.answering.d.next = true;
                    self.count.d.next = self.count.q.val() + 1;
                    if self.beat.q.val() != 3 {
                        self.bad.d.next = true;
                    }
                }
            }
        } else {
            if self.answering.q.val() {
                self.answering.d.next = !self.bready.val();
            } else {
                if self.awvalid.val() {
                    self.writing.d.next = true;
                    self.beat.d.next = 0.into();
                }
            }
        }

        if self.reset.val() {
            self.reading.d.next = false;
            self.writing.d.next = false;
            self.answering.d.next = false;
            self.count.d.next = 0.into();
            self.bad.d.next = false;
        }
    }
}
