//! Which plane and which path carries the next new packet, and which choices a look may have missed.
use crate::narrow::Narrowing;
use crate::next_in_turn::NextInTurn;
use crate::path_bank::PathBank;
use crate::prim::Dff;
use crate::selector::PathSelector;
use crate::transmit_path::{
    Limits, LimitsWrite, PathWrite, ResolvedWrite, SnapshotWrite, TransmitWrite,
};
use rust_hdl::prelude::*;

/// Choices that may be under way on a path when one more is chosen by what was looked at: eight, and itself.
pub const UNDER_WAY: usize = 9;

/// Chooses for the transmit engine (docs/architecture.md, "A choice is final").
///
/// L0 presents a connection, L3 has what its paths may send. C0, four cycles after L0, chooses the plane, C1 the path; N0 shows it. A path
/// that is *roomy* may be chosen in every cycle, one that has headroom only if its number was not chosen lately. `P` paths, `CA` address bits of connections, `N` planes.
#[derive(LogicBlock)]
pub struct PathChooser<const P: usize, const CA: usize, const N: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// WINDOW, packets.
    pub window: Signal<In, Bits<8>>,
    /// The transmit engine's writes, a cycle after its commit.
    pub transmit: Signal<In, TransmitWrite>,
    /// The ACK engine's.
    pub snapshot: Signal<In, SnapshotWrite>,
    /// The resolver's.
    pub resolved: Signal<In, ResolvedWrite>,
    /// Limits by congestion windows.
    pub window_limits: Signal<In, LimitsWrite>,
    /// Configuration.
    pub path_write: Signal<In, PathWrite>,
    /// L0: the connection looked at.
    pub connection: Signal<In, Bits<CA>>,
    /// C0: planes with room.
    pub room: Signal<In, Bits<N>>,
    /// C0: planes of the two choices before.
    pub touched: Signal<In, Bits<N>>,
    /// C0: the choice is of new data.
    pub sends: Signal<In, Bit>,
    /// C1: there is a choice,
    pub valid: Signal<In, Bit>,
    /// C1: of new data;
    pub fresh: Signal<In, Bit>,
    /// C1: otherwise, its path.
    pub known: Signal<In, Bits<16>>,
    /// Limits of the unresolved transmissions of every path.
    pub limits: Signal<Out, Limits>,
    /// Path numbers chosen lately, so that a look may have missed it.
    pub unseen: Signal<Out, Bits<P>>,
    /// C0: there is one.
    pub found: Signal<Out, Bit>,
    /// C0: the plane whose turn it is, one hot.
    pub grant: Signal<Out, Bits<N>>,
    /// C1: the paths that new data can take.
    pub able: Signal<Out, Bits<P>>,
    /// N0: the path, one hot.
    pub path: Signal<Out, Bits<P>>,
    /// N0: new data leaves it no headroom, as far as is known.
    pub tight: Signal<Out, Bit>,
    number_mask: Constant<Bits<16>>,
    highest_plane: Constant<Bits<3>>,
    path_number: [Constant<Bits<16>>; P],
    margin: Constant<Bits<8>>,
    bank: [PathBank<CA, N>; P],
    selector: PathSelector<P>,
    turn: NextInTurn<N>,
    limit: Dff<Limits>,
    last_plane: Dff<Bits<3>>,
    served: Dff<Bits<P>>,
    roomy_planes: Dff<Bits<N>>,
    exact_planes: Dff<Bits<N>>,
    roomy: Dff<Bits<P>>,
    exact: Dff<Bits<P>>,
    last_ones: Dff<Bits<P>>,
    after1: Dff<Bit>,
    there1: Dff<Bits<P>>,
    roomy1: Dff<Bits<P>>,
    exact1: Dff<Bits<P>>,
    last1: Dff<Bits<P>>,
    last2: Dff<Bits<P>>,
    just: Dff<Bits<P>>,
    recent: Dff<Bits<P>>,
    on: [Dff<Bits<N>>; P],
    past: [Dff<Bits<P>>; 4],
    late: Signal<Local, Bits<P>>,
    planes_with_room: Signal<Local, Bits<N>>,
    planes_with_one: Signal<Local, Bits<N>>,
    with_room: Signal<Local, Bits<P>>,
    with_one: Signal<Local, Bits<P>>,
    with_last: Signal<Local, Bits<P>>,
    there: Signal<Local, Bits<P>>,
    candidates: Signal<Local, Bits<P>>,
    chosen: Signal<Local, Bits<P>>,
}

impl<const P: usize, const CA: usize, const N: usize> PathChooser<P, CA, N> {
    /// A chooser with `path_bits` bits of path number in a global one, and bitvectors of `w` bits.
    pub fn new(path_bits: usize, w: usize, narrowing: &Narrowing) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            window: Default::default(),
            transmit: Default::default(),
            snapshot: Default::default(),
            resolved: Default::default(),
            window_limits: Default::default(),
            path_write: Default::default(),
            connection: Default::default(),
            room: Default::default(),
            touched: Default::default(),
            sends: Default::default(),
            valid: Default::default(),
            fresh: Default::default(),
            known: Default::default(),
            limits: Default::default(),
            unseen: Default::default(),
            found: Default::default(),
            grant: Default::default(),
            able: Default::default(),
            path: Default::default(),
            tight: Default::default(),
            number_mask: Constant::new(bits((1 << path_bits) - 1)),
            highest_plane: Constant::new(bits(N as u64 - 1)),
            path_number: std::array::from_fn(|i| Constant::new(bits(i as u64))),
            margin: Constant::new(bits(UNDER_WAY as u64)),
            bank: std::array::from_fn(|_| PathBank::new(path_bits, w, UNDER_WAY, narrowing)),
            selector: Default::default(),
            turn: Default::default(),
            limit: Default::default(),
            last_plane: Default::default(),
            served: Default::default(),
            roomy_planes: Default::default(),
            exact_planes: Default::default(),
            roomy: Default::default(),
            exact: Default::default(),
            last_ones: Default::default(),
            after1: Default::default(),
            there1: Default::default(),
            roomy1: Default::default(),
            exact1: Default::default(),
            last1: Default::default(),
            last2: Default::default(),
            just: Default::default(),
            recent: Default::default(),
            on: std::array::from_fn(|_| Default::default()),
            past: Default::default(),
            late: Default::default(),
            planes_with_room: Default::default(),
            planes_with_one: Default::default(),
            with_room: Default::default(),
            with_one: Default::default(),
            with_last: Default::default(),
            there: Default::default(),
            candidates: Default::default(),
            chosen: Default::default(),
        }
    }
}

impl<const P: usize, const CA: usize, const N: usize> Logic for PathChooser<P, CA, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            limit,
            last_plane,
            served,
            roomy_planes,
            exact_planes,
            roomy,
            exact,
            last_ones,
            after1,
            there1,
            roomy1,
            exact1,
            last1,
            last2,
            just,
            recent
        );
        for i in 0..4 {
            self.past[i].clock.next = self.clock.val();
        }
        self.limit.d.next.cap = self.window.val();
        self.limit.d.next.last = self.window.val() - 1;
        self.limit.d.next.roomy = bits::<8>(0);
        if self.window.val() > self.margin.val() {
            self.limit.d.next.roomy = self.window.val() - self.margin.val();
        }
        if self.window.val() > bits::<8>(239) {
            self.limit.d.next.cap = bits::<8>(239);
            self.limit.d.next.last = bits::<8>(238);
            self.limit.d.next.roomy = bits::<8>(239) - self.margin.val();
        }
        self.limits.next = self.limit.q.val();

        // L3: what the look brought, by path and by plane.
        self.planes_with_room.next = bits::<N>(0);
        self.planes_with_one.next = bits::<N>(0);
        self.with_room.next = bits::<P>(0);
        self.with_one.next = bits::<P>(0);
        self.with_last.next = bits::<P>(0);
        self.late.next = self.just.q.val() | self.recent.q.val();
        self.unseen.next = self.late.val();
        for p in 0..P {
            self.bank[p].clock.next = self.clock.val();
            self.bank[p].number.next = self.path_number[p].val();
            self.bank[p].transmit.next = self.transmit.val();
            self.bank[p].snapshot.next = self.snapshot.val();
            self.bank[p].resolved.next = self.resolved.val();
            self.bank[p].window.next = self.window_limits.val();
            self.bank[p].path_write.next = self.path_write.val();
            self.bank[p].connection.next = self.connection.val();
            self.bank[p].limits.next = self.limit.q.val();
            self.planes_with_room.next = self.planes_with_room.val() | self.bank[p].roomy.val();
            if self.bank[p].roomy.val().any() {
                self.with_room.next = self.with_room.val().replace_bit(p, true);
            }
            if !self.late.val().get_bit(p) {
                self.planes_with_one.next = self.planes_with_one.val() | self.bank[p].some.val();
                if self.bank[p].some.val().any() {
                    self.with_one.next = self.with_one.val().replace_bit(p, true);
                }
            }
            if self.bank[p].last.val() & !self.bank[p].roomy.val().any() {
                self.with_last.next = self.with_last.val().replace_bit(p, true);
            }
            self.on[p].clock.next = self.clock.val();
            self.on[p].d.next = self.bank[p].on.val();
        }
        self.roomy_planes.d.next = self.planes_with_room.val();
        self.exact_planes.d.next = self.planes_with_one.val();
        self.roomy.d.next = self.with_room.val();
        self.exact.d.next = self.with_one.val();
        self.last_ones.d.next = self.with_last.val();

        // C0. Where the two choices before went, exact paths may have changed since L3.
        self.turn.request.next = self.room.val()
            & (self.roomy_planes.q.val() | (self.exact_planes.q.val() & !self.touched.val()));
        self.turn.last.next = self.last_plane.q.val();
        self.found.next = self.turn.found.val();
        self.grant.next = self.turn.grant.val();
        if self.sends.val() {
            self.last_plane.d.next = self.turn.pick.val();
        }
        self.there.next = bits::<P>(0);
        for p in 0..P {
            if (self.on[p].q.val() & self.turn.grant.val()).any() {
                self.there.next = self.there.val().replace_bit(p, true);
            }
        }
        self.there1.d.next = self.there.val();
        self.roomy1.d.next = self.roomy.q.val();
        self.exact1.d.next = self.exact.q.val();
        self.after1.d.next = (self.turn.grant.val() & self.touched.val()).any();
        self.last1.d.next = self.last_ones.q.val();

        // C1: the path. If one of the two choices before is on the same plane, this one came for a roomy path.
        self.candidates.next = self.there1.q.val() & (self.roomy1.q.val() | self.exact1.q.val());
        if self.after1.q.val() {
            self.candidates.next = self.there1.q.val()
                & (self.roomy1.q.val()
                    | (self.exact1.q.val() & !self.just.q.val() & !self.past[0].q.val()));
        }
        self.selector.able.next = self.candidates.val();
        self.able.next = self.candidates.val();
        self.selector.there.next = self.there1.q.val();
        self.selector.served.next = self.served.q.val();
        self.chosen.next = bits::<P>(0);
        if self.fresh.val() {
            self.chosen.next = self.selector.path.val();
            if self.valid.val() {
                self.served.d.next = self.selector.served_next.val();
            }
        } else {
            for p in 0..P {
                if (self.known.val() & self.number_mask.val()) == self.path_number[p].val() {
                    self.chosen.next = self.chosen.val().replace_bit(p, true);
                }
            }
        }
        self.just.d.next = bits::<P>(0);
        if self.valid.val() {
            self.just.d.next = self.chosen.val();
        }
        self.past[0].d.next = self.just.q.val();
        for i in 1..4 {
            self.past[i].d.next = self.past[i - 1].q.val();
        }
        self.recent.d.next = self.just.q.val()
            | self.past[0].q.val()
            | self.past[1].q.val()
            | self.past[2].q.val()
            | self.past[3].q.val();
        self.last2.d.next = self.last1.q.val();
        self.path.next = self.just.q.val();
        self.tight.next = (self.just.q.val() & self.last2.q.val()).any();

        if self.reset.val() {
            self.last_plane.d.next = self.highest_plane.val();
            self.served.d.next = bits::<P>(0);
        }
    }
}
