//! Which path of a plane carries the next new packet.
use rust_hdl::prelude::*;

/// Of the able paths the lowest number not yet served in this round, or, if all have been, the lowest of a new round.
///
/// Purely combinational. `P` paths, 1..=16.
#[derive(LogicBlock, Default)]
pub struct PathSelector<const P: usize> {
    /// Paths of the plane that may send a packet.
    pub able: Signal<In, Bits<P>>,
    /// All live paths of the plane.
    pub there: Signal<In, Bits<P>>,
    /// Path numbers that were served in their plane's round.
    pub served: Signal<In, Bits<P>>,
    /// The path, one hot; 0: none is able.
    pub path: Signal<Out, Bits<P>>,
    /// `served` once it had its turn.
    pub served_next: Signal<Out, Bits<P>>,
    fresh: Signal<Local, Bits<P>>,
}

impl<const P: usize> Logic for PathSelector<P> {
    #[hdl_gen]
    fn update(&mut self) {
        self.fresh.next = self.able.val() & !self.served.val();
        // x & -x keeps the lowest bit.
        self.path.next = self.fresh.val() & (!self.fresh.val() + 1);
        self.served_next.next = self.served.val() | self.path.val();
        if !self.fresh.val().any() {
            self.path.next = self.able.val() & (!self.able.val() + 1);
            self.served_next.next = (self.served.val() & !self.there.val()) | self.path.val();
        }
    }
}
