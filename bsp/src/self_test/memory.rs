//! The self-test's host memory, behind a payload port of one byte a beat.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use metaroce_cores::prim::{Dff, RamSdp};
use rust_hdl::prelude::*;

/// 2^A bytes of block RAM behind one AXI4 port of 8 bits, and a door for the self-test itself.
///
/// One burst at a time each way; reads give a byte in every second cycle. Addresses wrap at 2^A. The door may be used
/// only while the NIC is at rest: its reads wait for no one, and its data follow the address by a cycle.
#[derive(LogicBlock, Default)]
pub struct HostMemory<const A: usize> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    pub araddr: Signal<In, Bits<A>>,
    pub arlen: Signal<In, Bits<8>>,
    pub arvalid: Signal<In, Bit>,
    pub arready: Signal<Out, Bit>,
    pub rdata: Signal<Out, Bits<8>>,
    pub rlast: Signal<Out, Bit>,
    pub rvalid: Signal<Out, Bit>,
    pub rready: Signal<In, Bit>,
    pub awaddr: Signal<In, Bits<A>>,
    pub awvalid: Signal<In, Bit>,
    pub awready: Signal<Out, Bit>,
    pub wdata: Signal<In, Bits<8>>,
    pub wlast: Signal<In, Bit>,
    pub wvalid: Signal<In, Bit>,
    pub wready: Signal<Out, Bit>,
    pub bvalid: Signal<Out, Bit>,
    pub bready: Signal<In, Bit>,
    /// Every byte written by the port has its lowest bit turned: the planted fault.
    pub plant: Signal<In, Bit>,
    pub door_address: Signal<In, Bits<A>>,
    pub door_data: Signal<In, Bits<8>>,
    pub door_write: Signal<In, Bit>,
    pub door_read: Signal<Out, Bits<8>>,
    ram: RamSdp<Bits<8>, A>,
    reading: Dff<Bit>,
    /// The byte at `read_at` stands at the RAM's output.
    fetched: Dff<Bit>,
    read_at: Dff<Bits<A>>,
    read_left: Dff<Bits<8>>,
    writing: Dff<Bit>,
    answering: Dff<Bit>,
    write_at: Dff<Bits<A>>,
}

impl<const A: usize> Logic for HostMemory<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, reading, fetched, read_at, read_left, writing, answering, write_at
        );
        self.ram.clock.next = self.clock.val();

        self.arready.next = !self.reading.q.val();
        self.rvalid.next = self.fetched.q.val();
        self.rlast.next = self.read_left.q.val() == 0;
        self.rdata.next = self.ram.read_data.val();
        self.door_read.next = self.ram.read_data.val();
        self.ram.read_address.next = self.door_address.val();
        if self.reading.q.val() {
            self.ram.read_address.next = self.read_at.q.val();
            self.fetched.d.next = true;
            if self.fetched.q.val() && self.rready.val() {
                self.fetched.d.next = false;
                self.read_at.d.next = self.read_at.q.val() + 1;
                self.read_left.d.next = self.read_left.q.val() - 1;
                self.reading.d.next = self.read_left.q.val().any();
            }
        } else {
            if self.arvalid.val() {
                self.reading.d.next = true;
                self.read_at.d.next = self.araddr.val();
                self.read_left.d.next = self.arlen.val();
            }
        }

        self.awready.next = !self.writing.q.val() && !self.answering.q.val();
        self.wready.next = self.writing.q.val();
        self.bvalid.next = self.answering.q.val();
        self.ram.write_enable.next = self.door_write.val();
        self.ram.write_address.next = self.door_address.val();
        self.ram.write_data.next = self.door_data.val();
        if self.writing.q.val() {
            self.ram.write_enable.next = self.wvalid.val();
            self.ram.write_address.next = self.write_at.q.val();
            self.ram.write_data.next = self.wdata.val();
            if self.plant.val() {
                self.ram.write_data.next = self.wdata.val() ^ 1;
            }
            if self.wvalid.val() {
                self.write_at.d.next = self.write_at.q.val() + 1;
                if self.wlast.val() {
                    self.writing.d.next = false;
                    self.answering.d.next = true;
                }
            }
        } else {
            if self.answering.q.val() {
                self.answering.d.next = !self.bready.val();
            } else {
                if self.awvalid.val() {
                    self.writing.d.next = true;
                    self.write_at.d.next = self.awaddr.val();
                }
            }
        }

        if self.reset.val() {
            self.reading.d.next = false;
            self.fetched.d.next = false;
            self.writing.d.next = false;
            self.answering.d.next = false;
        }
    }
}
