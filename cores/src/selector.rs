//! Which plane and which of its paths carries the next new packet.
use crate::next_in_turn::NextInTurn;
use rust_hdl::prelude::*;

/// Of the planes with room and a path with headroom the first after `last_plane`; of its paths the one with the most
/// headroom, the lowest number on a tie.
///
/// Purely combinational: an OR over the paths, a turn over the planes, a tree of comparisons over the paths. `P` paths,
/// 1..=16; `N` planes. A path that does not exist has headroom 0. Without `found`, `path` and `plane` mean nothing.
#[derive(LogicBlock)]
pub struct PathSelector<const P: usize, const N: usize> {
    /// Packets that each path may still send, 0..=256.
    pub headroom: [Signal<In, Bits<9>>; P],
    /// Each path's plane, below N.
    pub plane: [Signal<In, Bits<3>>; P],
    /// Planes with room.
    pub room: Signal<In, Bits<N>>,
    /// Plane of the last new packet.
    pub last_plane: Signal<In, Bits<3>>,
    /// There is a path.
    pub found: Signal<Out, Bit>,
    /// Its number.
    pub path: Signal<Out, Bits<8>>,
    /// Its plane.
    pub chosen: Signal<Out, Bits<3>>,
    /// Its headroom.
    pub most: Signal<Out, Bits<9>>,
    turn: NextInTurn<N>,
    plane_number: [Constant<Bits<3>>; N],
    path_number: [Constant<Bits<8>>; 16],
    able: Signal<Local, Bits<N>>,
    room0: [Signal<Local, Bits<9>>; 16],
    room1: [Signal<Local, Bits<9>>; 8],
    path1: [Signal<Local, Bits<8>>; 8],
    room2: [Signal<Local, Bits<9>>; 4],
    path2: [Signal<Local, Bits<8>>; 4],
    room3: [Signal<Local, Bits<9>>; 2],
    path3: [Signal<Local, Bits<8>>; 2],
}

impl<const P: usize, const N: usize> Default for PathSelector<P, N> {
    fn default() -> Self {
        assert!((1..=16).contains(&P), "1 to 16 paths");
        Self {
            headroom: std::array::from_fn(|_| Default::default()),
            plane: std::array::from_fn(|_| Default::default()),
            room: Default::default(),
            last_plane: Default::default(),
            found: Default::default(),
            path: Default::default(),
            chosen: Default::default(),
            most: Default::default(),
            turn: Default::default(),
            plane_number: std::array::from_fn(|i| Constant::new(bits(i as u64))),
            path_number: std::array::from_fn(|i| Constant::new(bits(i as u64))),
            able: Default::default(),
            room0: Default::default(),
            room1: Default::default(),
            path1: Default::default(),
            room2: Default::default(),
            path2: Default::default(),
            room3: Default::default(),
            path3: Default::default(),
        }
    }
}

impl<const P: usize, const N: usize> Logic for PathSelector<P, N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.able.next = bits::<N>(0);
        for k in 0..N {
            for p in 0..P {
                if self.headroom[p].val().any()
                    & (self.plane[p].val() == self.plane_number[k].val())
                {
                    self.able.next = self.able.val().replace_bit(k, true);
                }
            }
        }
        self.turn.request.next = self.able.val() & self.room.val();
        self.turn.last.next = self.last_plane.val();

        for i in 0..16 {
            self.room0[i].next = bits::<9>(0);
        }
        for p in 0..P {
            if self.plane[p].val() == self.turn.pick.val() {
                self.room0[p].next = self.headroom[p].val();
            }
        }
        for i in 0..8 {
            self.room1[i].next = self.room0[2 * i].val();
            self.path1[i].next = self.path_number[2 * i].val();
            if self.room0[2 * i + 1].val() > self.room0[2 * i].val() {
                self.room1[i].next = self.room0[2 * i + 1].val();
                self.path1[i].next = self.path_number[2 * i + 1].val();
            }
        }
        for i in 0..4 {
            self.room2[i].next = self.room1[2 * i].val();
            self.path2[i].next = self.path1[2 * i].val();
            if self.room1[2 * i + 1].val() > self.room1[2 * i].val() {
                self.room2[i].next = self.room1[2 * i + 1].val();
                self.path2[i].next = self.path1[2 * i + 1].val();
            }
        }
        for i in 0..2 {
            self.room3[i].next = self.room2[2 * i].val();
            self.path3[i].next = self.path2[2 * i].val();
            if self.room2[2 * i + 1].val() > self.room2[2 * i].val() {
                self.room3[i].next = self.room2[2 * i + 1].val();
                self.path3[i].next = self.path2[2 * i + 1].val();
            }
        }
        self.most.next = self.room3[0].val();
        self.path.next = self.path3[0].val();
        if self.room3[1].val() > self.room3[0].val() {
            self.most.next = self.room3[1].val();
            self.path.next = self.path3[1].val();
        }
        self.found.next = self.turn.found.val();
        self.chosen.next = self.turn.pick.val();
    }
}
