//! Two readers of host memory share a port.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::prim::Dff;

/// One burst at a time, in turn: who was served last waits if both ask. No cycle.
///
/// By reader: `arvalid`, `rready` in, `arready`, `rvalid` out. Of the port: `m_arvalid`, `m_rready` out, `m_arready`, `m_rvalid`, `m_rlast` in.
/// `second`: the address, and all that goes with it, is the second reader's.
#[derive(LogicBlock, Default)]
pub struct ReadTurn {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub arvalid: [Signal<In, Bit>; 2],
    pub arready: [Signal<Out, Bit>; 2],
    pub rvalid: [Signal<Out, Bit>; 2],
    pub rready: [Signal<In, Bit>; 2],
    pub m_arvalid: Signal<Out, Bit>,
    pub m_arready: Signal<In, Bit>,
    pub m_rvalid: Signal<In, Bit>,
    pub m_rlast: Signal<In, Bit>,
    pub m_rready: Signal<Out, Bit>,
    pub second: Signal<Out, Bit>,
    /// The port asks, or waits for its beats, for the last reader.
    held: Dff<Bit>,
    /// The second was served last.
    last: Dff<Bit>,
}

impl Logic for ReadTurn {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, last);
        self.second.next = self.last.q.val();
        if !self.held.q.val() {
            self.second.next = self.arvalid[1].val() & !(self.arvalid[0].val() & self.last.q.val());
        }
        self.m_arvalid.next = self.arvalid[0].val();
        self.m_rready.next = self.rready[0].val();
        self.arready[0].next = self.m_arready.val();
        self.arready[1].next = false;
        self.rvalid[0].next = self.m_rvalid.val();
        self.rvalid[1].next = false;
        if self.second.val() {
            self.m_arvalid.next = self.arvalid[1].val();
            self.m_rready.next = self.rready[1].val();
            self.arready[0].next = false;
            self.arready[1].next = self.m_arready.val();
            self.rvalid[0].next = false;
            self.rvalid[1].next = self.m_rvalid.val();
        }
        if self.m_arvalid.val() {
            self.held.d.next = true;
            self.last.d.next = self.second.val();
        }
        if self.m_rvalid.val() & self.m_rready.val() & self.m_rlast.val() {
            self.held.d.next = false;
        }
        if self.reset.val() {
            self.held.d.next = false;
            self.last.d.next = false;
        }
    }
}
