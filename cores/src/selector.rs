//! Which plane and which of its paths carries the next new packet.
use crate::next_in_turn::NextInTurn;
use rust_hdl::prelude::*;

/// Of the planes with room and an able path the first after `last_plane`; of its able paths the lowest number not yet
/// served in this round, or, if all have been, the lowest of a new round.
///
/// Purely combinational. `P` paths, 1..=16; `N` planes. Without `found` the other outputs mean nothing.
#[derive(LogicBlock)]
pub struct PathSelector<const P: usize, const N: usize> {
    /// Paths that may send a packet; only those that are `live`.
    pub able: Signal<In, Bits<P>>,
    /// Paths of the connection.
    pub live: Signal<In, Bits<P>>,
    /// Each path's plane, below N.
    pub plane: [Signal<In, Bits<3>>; P],
    /// Planes with room.
    pub room: Signal<In, Bits<N>>,
    /// Plane of the last new packet.
    pub last_plane: Signal<In, Bits<3>>,
    /// Path numbers that were served in their plane's round.
    pub served: Signal<In, Bits<P>>,
    /// There is a path.
    pub found: Signal<Out, Bit>,
    /// Its number, one hot.
    pub path: Signal<Out, Bits<P>>,
    /// Its plane.
    pub chosen: Signal<Out, Bits<3>>,
    /// `served` once it had its turn.
    pub served_next: Signal<Out, Bits<P>>,
    turn: NextInTurn<N>,
    plane_number: [Constant<Bits<3>>; N],
    planes: Signal<Local, Bits<N>>,
    there: Signal<Local, Bits<P>>,
    candidates: Signal<Local, Bits<P>>,
    fresh: Signal<Local, Bits<P>>,
}

impl<const P: usize, const N: usize> Default for PathSelector<P, N> {
    fn default() -> Self {
        assert!((1..=16).contains(&P), "1 to 16 paths");
        Self {
            able: Default::default(),
            live: Default::default(),
            plane: std::array::from_fn(|_| Default::default()),
            room: Default::default(),
            last_plane: Default::default(),
            served: Default::default(),
            found: Default::default(),
            path: Default::default(),
            chosen: Default::default(),
            served_next: Default::default(),
            turn: Default::default(),
            plane_number: std::array::from_fn(|i| Constant::new(bits(i as u64))),
            planes: Default::default(),
            there: Default::default(),
            candidates: Default::default(),
            fresh: Default::default(),
        }
    }
}

impl<const P: usize, const N: usize> Logic for PathSelector<P, N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.planes.next = bits::<N>(0);
        for k in 0..N {
            for p in 0..P {
                if self.able.val().get_bit(p) & (self.plane[p].val() == self.plane_number[k].val())
                {
                    self.planes.next = self.planes.val().replace_bit(k, true);
                }
            }
        }
        self.turn.request.next = self.planes.val() & self.room.val();
        self.turn.last.next = self.last_plane.val();
        self.found.next = self.turn.found.val();
        self.chosen.next = self.turn.pick.val();

        self.there.next = bits::<P>(0);
        for p in 0..P {
            if self.live.val().get_bit(p) & (self.plane[p].val() == self.turn.pick.val()) {
                self.there.next = self.there.val().replace_bit(p, true);
            }
        }
        self.fresh.next = self.able.val() & self.there.val() & !self.served.val();
        self.candidates.next = self.fresh.val();
        self.served_next.next = self.served.val();
        if !self.fresh.val().any() {
            self.candidates.next = self.able.val() & self.there.val();
            self.served_next.next = self.served.val() & !self.there.val();
        }
        // x & -x keeps the lowest bit.
        self.path.next = self.candidates.val() & (!self.candidates.val() + 1);
        self.served_next.next = self.served_next.val() | self.path.val();
    }
}
