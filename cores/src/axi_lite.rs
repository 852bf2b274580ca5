//! AXI4-Lite subordinate, 32 bits, one write and one read at a time.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::prim::Dff;

/// What the register file's registers hear.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct RegisterBus {
    /// Every register takes its start value.
    pub reset: Bit,
    /// One cycle: `address` gets `data`.
    pub write: Bit,
    /// Byte offset, a multiple of 4.
    pub address: Bits<16>,
    /// The word.
    pub data: Bits<32>,
    /// Which register shows its value; a byte offset, a multiple of 4.
    pub read_address: Bits<16>,
}

/// The bus on one side, a write pulse and a read address on the other.
///
/// In: the bus; `write_wait` (the write to `write_address` has to wait); `read_data`, in the same cycle as `read_address`.
/// Out: `write` for one cycle with `write_address` and `write_data`; `read_address`. Latency: a write 1 cycle from its
/// second half to the pulse, a read 2 cycles from address to data. A write of less than four bytes has no effect and is
/// answered SLVERR; all else OKAY.
#[derive(LogicBlock, Default)]
pub struct AxiLite {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub awaddr: Signal<In, Bits<16>>,
    pub awvalid: Signal<In, Bit>,
    pub awready: Signal<Out, Bit>,
    pub wdata: Signal<In, Bits<32>>,
    pub wstrb: Signal<In, Bits<4>>,
    pub wvalid: Signal<In, Bit>,
    pub wready: Signal<Out, Bit>,
    pub bresp: Signal<Out, Bits<2>>,
    pub bvalid: Signal<Out, Bit>,
    pub bready: Signal<In, Bit>,
    pub araddr: Signal<In, Bits<16>>,
    pub arvalid: Signal<In, Bit>,
    pub arready: Signal<Out, Bit>,
    pub rdata: Signal<Out, Bits<32>>,
    pub rresp: Signal<Out, Bits<2>>,
    pub rvalid: Signal<Out, Bit>,
    pub rready: Signal<In, Bit>,
    pub write_wait: Signal<In, Bit>,
    pub write: Signal<Out, Bit>,
    pub write_address: Signal<Out, Bits<16>>,
    pub write_data: Signal<Out, Bits<32>>,
    pub read_address: Signal<Out, Bits<16>>,
    pub read_data: Signal<In, Bits<32>>,
    address_full: Dff<Bit>,
    address: Dff<Bits<16>>,
    data_full: Dff<Bit>,
    data: Dff<Bits<32>>,
    partial: Dff<Bit>,
    answer: Dff<Bit>,
    answer_error: Dff<Bit>,
    asked: Dff<Bit>,
    asked_address: Dff<Bits<16>>,
    told: Dff<Bit>,
    told_data: Dff<Bits<32>>,
    go: Signal<Local, Bit>,
}

impl Logic for AxiLite {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            address_full,
            address,
            data_full,
            data,
            partial,
            answer,
            answer_error,
            asked,
            asked_address,
            told,
            told_data
        );

        // Write: both halves are kept, then done at once.
        self.awready.next = !self.address_full.q.val();
        self.wready.next = !self.data_full.q.val();
        self.write_address.next = self.address.q.val() & 0xFFFC;
        self.write_data.next = self.data.q.val();
        self.go.next = self.address_full.q.val()
            & self.data_full.q.val()
            & !self.answer.q.val()
            & !self.write_wait.val();
        self.write.next = self.go.val() & !self.partial.q.val();
        self.bvalid.next = self.answer.q.val();
        self.bresp.next = 0.into();
        if self.answer_error.q.val() {
            self.bresp.next = 2.into();
        }
        if self.awvalid.val() & self.awready.val() {
            self.address_full.d.next = true;
            self.address.d.next = self.awaddr.val();
        }
        if self.wvalid.val() & self.wready.val() {
            self.data_full.d.next = true;
            self.data.d.next = self.wdata.val();
            self.partial.d.next = !self.wstrb.val().all();
        }
        if self.bready.val() {
            self.answer.d.next = false;
        }
        if self.go.val() {
            self.address_full.d.next = false;
            self.data_full.d.next = false;
            self.answer.d.next = true;
            self.answer_error.d.next = self.partial.q.val();
        }

        // Read.
        self.arready.next = !self.asked.q.val() & !self.told.q.val();
        self.read_address.next = self.asked_address.q.val() & 0xFFFC;
        self.rvalid.next = self.told.q.val();
        self.rdata.next = self.told_data.q.val();
        self.rresp.next = 0.into();
        if self.arvalid.val() & self.arready.val() {
            self.asked.d.next = true;
            self.asked_address.d.next = self.araddr.val();
        }
        if self.asked.q.val() {
            self.asked.d.next = false;
            self.told.d.next = true;
            self.told_data.d.next = self.read_data.val();
        }
        if self.told.q.val() & self.rready.val() {
            self.told.d.next = false;
        }

        if self.reset.val() {
            self.address_full.d.next = false;
            self.data_full.d.next = false;
            self.answer.d.next = false;
            self.asked.d.next = false;
            self.told.d.next = false;
        }
    }
}
