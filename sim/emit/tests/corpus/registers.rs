//! Registers, memories, arrays of them, and clocks through a hierarchy.

use rust_hdl::prelude::*;

use crate::bench::Case;
use crate::case;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum State {
    Idle,
    Load,
    Work,
}

#[derive(LogicBlock)]
struct Machine {
    clock: Signal<In, Clock>,
    reset: Signal<In, Bit>,
    go: Signal<In, Bit>,
    data: Signal<In, Bits<12>>,
    busy: Signal<Out, Bit>,
    result: Signal<Out, Bits<12>>,
    steps: Signal<Out, Bits<4>>,
    state: DFF<State>,
    value: DFF<Bits<12>>,
    count: DFF<Bits<4>>,
    flag: DFF<Bit>,
    turns: Constant<Bits<4>>,
}

impl Default for Machine {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            go: Default::default(),
            data: Default::default(),
            busy: Default::default(),
            result: Default::default(),
            steps: Default::default(),
            state: Default::default(),
            value: Default::default(),
            count: Default::default(),
            flag: Default::default(),
            turns: Constant::new(5.into()),
        }
    }
}

impl Logic for Machine {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, value, count, flag);
        self.result.next = self.value.q.val();
        self.steps.next = self.count.q.val();
        self.busy.next = self.flag.q.val();
        match self.state.q.val() {
            State::Idle => {
                self.flag.d.next = false;
                if self.go.val() {
                    self.state.d.next = State::Load;
                    self.flag.d.next = true;
                }
            }
            State::Load => {
                self.value.d.next = self.data.val();
                self.count.d.next = 0.into();
                self.state.d.next = State::Work;
            }
            State::Work => {
                self.value.d.next = (self.value.q.val() << 1) ^ self.data.val();
                self.count.d.next = self.count.q.val() + 1;
                if self.count.q.val() + 1 == self.turns.val() {
                    self.state.d.next = State::Idle;
                }
            }
        }
        if self.reset.val() {
            self.state.d.next = State::Idle;
            self.count.d.next = 0.into();
        }
    }
}

#[derive(LogicBlock, Default)]
struct Memories {
    clock: Signal<In, Clock>,
    write_at: Signal<In, Bits<3>>,
    read_at: Signal<In, Bits<3>>,
    data: Signal<In, Bits<65>>,
    enable: Signal<In, Bit>,
    old: Signal<Out, Bits<65>>,
    delayed: Signal<Out, Bits<8>>,
    memory: RAM<Bits<65>, 3>,
    row: [DFF<Bits<8>>; 4],
}

impl Logic for Memories {
    #[hdl_gen]
    fn update(&mut self) {
        self.memory.read_clock.next = self.clock.val();
        self.memory.write_clock.next = self.clock.val();
        self.memory.read_address.next = self.read_at.val();
        self.memory.write_address.next = self.write_at.val();
        self.memory.write_data.next = self.data.val();
        self.memory.write_enable.next = self.enable.val();
        self.old.next = self.memory.read_data.val();
        for i in 0..4 {
            self.row[i].clock.next = self.clock.val();
            if i == 0 {
                self.row[i].d.next = self.data.val().get_bits::<8>(57);
            } else {
                self.row[i].d.next = self.row[i - 1].q.val();
            }
        }
        self.delayed.next = self.row[3].q.val();
    }
}

#[derive(LogicBlock, Default)]
struct Hold {
    clock: Signal<In, Clock>,
    load: Signal<In, Bit>,
    data: Signal<In, Bits<8>>,
    held: Signal<Out, Bits<8>>,
    store: DFF<Bits<8>>,
}

impl Logic for Hold {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, store);
        if self.load.val() {
            self.store.d.next = self.data.val();
        }
        self.held.next = self.store.q.val();
    }
}

#[derive(LogicBlock, Default)]
struct Tree {
    clock: Signal<In, Clock>,
    load: Signal<In, Bit>,
    data: Signal<In, Bits<8>>,
    first: Hold,
    rest: [Hold; 2],
    here: DFF<Bits<8>>,
    last: Signal<Out, Bits<8>>,
    beside: Signal<Out, Bits<8>>,
    /// A clock under another name.
    nickname: Signal<Local, Clock>,
}

impl Logic for Tree {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, first);
        self.nickname.next = self.clock.val();
        self.here.clock.next = self.nickname.val();
        self.here.d.next = self.first.held.val() + self.data.val();
        self.first.load.next = self.load.val();
        self.first.data.next = self.data.val();
        for i in 0..2 {
            self.rest[i].clock.next = self.clock.val();
            self.rest[i].load.next = !self.load.val();
        }
        self.rest[0].data.next = self.here.q.val();
        self.rest[1].data.next = self.rest[0].held.val();
        self.last.next = self.rest[1].held.val();
        self.beside.next = self.here.q.val();
    }
}

pub fn cases() -> Vec<Case> {
    vec![
        case!("machine", Machine, Machine::default(); clock; [(reset), (go), (data)];
            [(busy), (result), (steps)]),
        case!("memories", Memories, Memories::default(); clock;
            [(write_at), (read_at), (data), (enable)]; [(old), (delayed)]),
        case!("tree", Tree, Tree::default(); clock; [(load), (data)]; [(last), (beside)]),
    ]
}
