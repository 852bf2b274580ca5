//! Events of all planes, one a cycle.
use crate::next_in_turn::NextInTurn;
use crate::prim::Dff;
use crate::types::FrameEvent;
use rust_hdl::prelude::*;

/// Takes events of N planes in turn into one register. An event a cycle; latency 1 cycle. `N` planes, 1..=8.
#[derive(LogicBlock)]
pub struct EventArbiter<const N: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Each plane's event.
    pub frame: [Signal<In, FrameEvent>; N],
    /// Valid.
    pub frame_valid: [Signal<In, Bit>; N],
    /// Ready.
    pub frame_ready: [Signal<Out, Bit>; N],
    /// The event.
    pub out: Signal<Out, FrameEvent>,
    /// Its plane.
    pub out_plane: Signal<Out, Bits<3>>,
    /// Valid.
    pub out_valid: Signal<Out, Bit>,
    /// Ready.
    pub out_ready: Signal<In, Bit>,
    turn: NextInTurn<N>,
    number: [Constant<Bits<3>>; N],
    stage: Dff<FrameEvent>,
    plane: Dff<Bits<3>>,
    full: Dff<Bit>,
    take: Signal<Local, Bit>,
    wanted: Signal<Local, Bits<N>>,
}

impl<const N: usize> Default for EventArbiter<N> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            frame: std::array::from_fn(|_| Default::default()),
            frame_valid: std::array::from_fn(|_| Default::default()),
            frame_ready: std::array::from_fn(|_| Default::default()),
            out: Default::default(),
            out_plane: Default::default(),
            out_valid: Default::default(),
            out_ready: Default::default(),
            turn: Default::default(),
            number: std::array::from_fn(|i| Constant::new(bits(i as u64))),
            stage: Default::default(),
            plane: Default::default(),
            full: Default::default(),
            take: Default::default(),
            wanted: Default::default(),
        }
    }
}

impl<const N: usize> Logic for EventArbiter<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, stage, plane, full);
        self.take.next = !self.full.q.val() | self.out_ready.val();
        self.turn.last.next = self.plane.q.val();
        self.wanted.next = bits::<N>(0);
        for k in 0..N {
            if self.frame_valid[k].val() {
                self.wanted.next = self.wanted.val().replace_bit(k, true);
            }
        }
        self.turn.request.next = self.wanted.val();
        for k in 0..N {
            self.frame_ready[k].next = self.take.val() & self.turn.grant.val().get_bit(k);
            if self.take.val() & (self.turn.pick.val() == self.number[k].val()) {
                self.stage.d.next = self.frame[k].val();
            }
        }
        if self.take.val() {
            self.full.d.next = self.turn.found.val();
            if self.turn.found.val() {
                self.plane.d.next = self.turn.pick.val();
            }
        }
        self.out.next = self.stage.q.val();
        self.out_plane.next = self.plane.q.val();
        self.out_valid.next = self.full.q.val();
        if self.reset.val() {
            self.full.d.next = false;
            self.plane.d.next = bits::<3>(0);
        }
    }
}
