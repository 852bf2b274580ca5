//! Frames that wait for their ICRC, and events that wait for their engine.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::prim::{Dff, RamLut};
use crate::types::FrameEvent;
use rust_hdl::prelude::*;

/// What becomes of a frame.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct FrameVerdict {
    /// An event for the receive engine.
    pub receive: Bit,
    /// An event for the ACK engine.
    pub acknowledge: Bit,
}

/// A queue of 16 frames: each is judged in its turn, and leaves in its turn, as an event or without a trace.
///
/// A frame a cycle in, judged, and out. Two cycles from a verdict to its event.
#[derive(LogicBlock, Default)]
pub struct EventQueue {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: empties it.
    pub reset: Signal<In, Bit>,
    pub push: Signal<In, FrameEvent>,
    /// There must be room: frames pushed and not `left`, at most 16.
    pub push_valid: Signal<In, Bit>,
    /// Of the oldest frame not yet judged.
    pub verdict: Signal<In, FrameVerdict>,
    pub verdict_valid: Signal<In, Bit>,
    /// A frame leaves the queue.
    pub left: Signal<Out, Bit>,
    /// Of both engines.
    pub frame_event: Signal<Out, FrameEvent>,
    pub receive_valid: Signal<Out, Bit>,
    pub receive_ready: Signal<In, Bit>,
    pub acknowledge_valid: Signal<Out, Bit>,
    pub acknowledge_ready: Signal<In, Bit>,
    frames: RamLut<FrameEvent, 4>,
    verdicts: RamLut<FrameVerdict, 4>,
    write_pointer: Dff<Bits<4>>,
    /// Five bits: from empty to full.
    judged: Dff<Bits<5>>,
    read_pointer: Dff<Bits<5>>,
    held: Dff<FrameEvent>,
    held_receive: Dff<Bit>,
    held_acknowledge: Dff<Bit>,
    waits: Signal<Local, Bit>,
    head: Signal<Local, FrameVerdict>,
    pop: Signal<Local, Bit>,
}

impl Logic for EventQueue {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write_pointer, judged, read_pointer);
        dff_setup!(self, clock, held, held_receive, held_acknowledge);
        self.frames.clock.next = self.clock.val();
        self.verdicts.clock.next = self.clock.val();

        self.frames.write_enable.next = self.push_valid.val();
        self.frames.write_address.next = self.write_pointer.q.val();
        self.frames.write_data.next = self.push.val();
        if self.push_valid.val() {
            self.write_pointer.d.next = self.write_pointer.q.val() + 1;
        }
        self.verdicts.write_enable.next = self.verdict_valid.val();
        self.verdicts.write_address.next = bit_cast::<4, 5>(self.judged.q.val());
        self.verdicts.write_data.next = self.verdict.val();
        if self.verdict_valid.val() {
            self.judged.d.next = self.judged.q.val() + 1;
        }

        // The event at the door.
        self.frame_event.next = self.held.q.val();
        self.receive_valid.next = self.held_receive.q.val();
        self.acknowledge_valid.next = self.held_acknowledge.q.val();
        self.waits.next = (self.held_receive.q.val() && !self.receive_ready.val())
            || (self.held_acknowledge.q.val() && !self.acknowledge_ready.val());
        if self.receive_ready.val() {
            self.held_receive.d.next = false;
        }
        if self.acknowledge_ready.val() {
            self.held_acknowledge.d.next = false;
        }

        // The oldest frame.
        self.frames.read_address.next = bit_cast::<4, 5>(self.read_pointer.q.val());
        self.verdicts.read_address.next = bit_cast::<4, 5>(self.read_pointer.q.val());
        self.head.next = self.verdicts.read_data.val();
        self.pop.next = (self.read_pointer.q.val() != self.judged.q.val()) && !self.waits.val();
        self.left.next = self.pop.val();
        if self.pop.val() {
            self.read_pointer.d.next = self.read_pointer.q.val() + 1;
            self.held.d.next = self.frames.read_data.val();
            self.held_receive.d.next = self.head.val().receive;
            self.held_acknowledge.d.next = self.head.val().acknowledge;
        }
        if self.reset.val() {
            self.write_pointer.d.next = 0.into();
            self.judged.d.next = 0.into();
            self.read_pointer.d.next = 0.into();
            self.held_receive.d.next = false;
            self.held_acknowledge.d.next = false;
        }
    }
}
