//! Registers, memories, sub-blocks, buses and names.

#![allow(non_snake_case)] // Names are what is tested.
#![allow(clippy::collapsible_match)] // The tree drops guards.

use rust_hdl::prelude::*;

use super::types::{BusM, BusS, Pt, St};
use crate::bench::Case;
use crate::case;

/// A register of a struct that starts with its `Default`.
#[derive(LogicBlock, Default)]
struct StructRegister {
    clock: Signal<In, Clock>,
    we: Signal<In, Bit>,
    d: Signal<In, Pt>,
    q: Signal<Out, Pt>,
    n: Signal<Out, Bits<33>>,
    st: Signal<Out, St>,
    r: DFF<Pt>,
}
impl Logic for StructRegister {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, r);
        if self.we.val() {
            self.r.d.next = self.d.val();
            self.r.d.next.b = !self.r.q.val().b;
        } else {
            self.r.d.next.n = self.r.q.val().n + 1;
        }
        match self.r.q.val().st {
            St::Idle => self.r.d.next.st = St::Run,
            St::Run => {
                if self.d.val().b {
                    self.r.d.next.st = St::Wait;
                }
            }
            _ => {}
        }
        self.q.next = self.r.q.val();
        self.n.next = self.r.q.val().n;
        self.st.next = self.r.q.val().st;
    }
}

/// One register and one way without.
#[derive(LogicBlock, Default)]
struct Child {
    clock: Signal<In, Clock>,
    x: Signal<In, Bits<8>>,
    y: Signal<Out, Bits<8>>,
    z: Signal<Out, Bits<8>>,
    r: DFF<Bits<8>>,
}
impl Logic for Child {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, r);
        self.r.d.next = self.x.val();
        self.y.next = self.r.q.val();
        self.z.next = self.x.val() + 1;
    }
}

/// Outputs read before the inputs are wired, arrays and `Vec`s of sub-blocks.
#[derive(LogicBlock)]
struct Feed {
    clock: Signal<In, Clock>,
    a: Signal<In, Bits<8>>,
    u: Child,
    v: Child,
    arr: [Child; 3],
    vec: Vec<Child>,
    o: Signal<Out, Bits<8>>,
    p: Signal<Out, Bits<8>>,
    t: Signal<Local, Bits<8>>,
    w: Signal<Out, Bits<8>>,
}
impl Default for Feed {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            a: Default::default(),
            u: Default::default(),
            v: Default::default(),
            arr: Default::default(),
            vec: vec![Child::default(), Child::default()],
            o: Default::default(),
            p: Default::default(),
            t: Default::default(),
            w: Default::default(),
        }
    }
}
impl Logic for Feed {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, u, v);
        self.o.next = self.u.z.val() + self.v.y.val();
        self.t.next = self.a.val();
        self.t.next = self.t.val() + self.u.y.val();
        self.u.x.next = self.v.z.val();
        self.v.x.next = self.u.y.val() ^ self.t.val();
        for i in 0..3 {
            self.arr[i].clock.next = self.clock.val();
            if i == 0 {
                self.arr[i].x.next = self.t.val();
            } else {
                self.arr[i].x.next = self.arr[i - 1].z.val();
            }
        }
        for i in 0..2 {
            self.vec[i].clock.next = self.clock.val();
            self.vec[i].x.next = self.arr[2].y.val() - i.to_bits::<8>();
        }
        self.p.next = self.arr[2].y.val() + self.vec[1].y.val();
        self.w.next = self.arr[1 << 1].z.val();
    }
}

/// Drives a bus.
#[derive(LogicBlock, Default)]
struct Master {
    clock: Signal<In, Clock>,
    bus: BusM,
    go: Signal<In, Bit>,
    last: Signal<Out, St>,
    r: DFF<Bits<4>>,
}
impl Logic for Master {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, r);
        self.bus.addr.next = self.r.q.val();
        self.bus.data.next.s = bit_cast::<5, 4>(self.r.q.val());
        self.bus.data.next.n = bit_cast::<33, 4>(self.r.q.val()) << 3;
        self.bus.data.next.st = St::Stop;
        self.bus.data.next.b = self.go.val();
        self.bus.inner.valid.next = self.go.val();
        if self.go.val() && self.bus.inner.ready.val() {
            self.r.d.next = self.r.q.val() + 1;
        }
        self.last.next = self.bus.resp.val();
    }
}

/// Answers on a bus.
#[derive(LogicBlock, Default)]
struct Slave {
    clock: Signal<In, Clock>,
    bus: BusS,
    mem: RAM<Pt, 4>,
    out: Signal<Out, Pt>,
    cnt: DFF<Bits<3>>,
}
impl Logic for Slave {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, cnt);
        self.mem.read_clock.next = self.clock.val();
        self.mem.write_clock.next = self.clock.val();
        self.mem.write_address.next = self.bus.addr.val();
        self.mem.read_address.next = self.bus.addr.val() - 1;
        self.mem.write_data.next = self.bus.data.val();
        self.mem.write_enable.next = self.bus.inner.valid.val();
        self.out.next = self.mem.read_data.val();
        self.cnt.d.next = self.cnt.q.val() + 1;
        self.bus.inner.ready.next = self.cnt.q.val().any();
        self.bus.resp.next = St::Idle;
        if self.cnt.q.val() == 5 {
            self.bus.resp.next = self.bus.data.val().st;
        }
    }
}

/// Interfaces in interfaces, joined and linked.
#[derive(LogicBlock, Default)]
struct System {
    clock: Signal<In, Clock>,
    go: Signal<In, Bit>,
    m: Master,
    s: Slave,
    ext: [BusM; 1],
    out: Signal<Out, Pt>,
    last: Signal<Out, St>,
    m2: Master,
}
impl Logic for System {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, m, s, m2);
        BusM::join(&mut self.m.bus, &mut self.s.bus);
        BusM::link(&mut self.ext[0], &mut self.m2.bus);
        self.m.go.next = self.go.val();
        self.m2.go.next = self.m.last.val() != St::Idle;
        self.out.next = self.s.out.val();
        self.last.next = self.m.last.val();
    }
}

/// A prescaler, a counter, an edge detector.
#[derive(LogicBlock)]
struct Timer {
    clock: Signal<In, Clock>,
    reset: Signal<In, Bit>,
    en: Signal<In, Bit>,
    pwm: Signal<Out, Bit>,
    tick: Signal<Out, Bit>,
    sh: Signal<Out, Bits<8>>,
    cnt: DFF<Bits<8>>,
    pre: DFF<Bits<3>>,
    shr: DFF<Bits<8>>,
    prev: DFF<Bit>,
    rise: Signal<Out, Bit>,
    fall: Signal<Out, Bit>,
    thr: Constant<Bits<8>>,
}
impl Default for Timer {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            en: Default::default(),
            pwm: Default::default(),
            tick: Default::default(),
            sh: Default::default(),
            cnt: Default::default(),
            pre: Default::default(),
            shr: Default::default(),
            prev: Default::default(),
            rise: Default::default(),
            fall: Default::default(),
            thr: Constant::new(100.into()),
        }
    }
}
impl Logic for Timer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, cnt, pre, shr, prev);
        self.pre.d.next = self.pre.q.val() + self.en.val();
        self.tick.next = self.pre.q.val() == 7;
        if self.tick.val() {
            self.cnt.d.next = self.cnt.q.val() + 3;
        }
        self.pwm.next = self.cnt.q.val() < self.thr.val();
        self.shr.d.next = self.shr.q.val() << 1 | bit_cast::<8, 1>(self.en.val().into());
        self.sh.next = self.shr.q.val();
        self.prev.d.next = self.en.val();
        self.rise.next = self.en.val() && !self.prev.q.val();
        self.fall.next = !self.en.val() & self.prev.q.val();
        if self.reset.val() {
            self.cnt.d.next = 0.into();
            self.pre.d.next = 0_u8.to_bits();
            self.shr.d.next = bits::<8>(0b1010_1010);
        }
    }
}

/// Memories and registers with contents.
#[derive(LogicBlock)]
struct Contents {
    clock: Signal<In, Clock>,
    d: Signal<In, Bits<4>>,
    q: Signal<Out, Bits<4>>,
    other: Signal<In, Bit>,
    rom: ROM<St, 2>,
    ra: Signal<In, Bits<2>>,
    rs: Signal<Out, St>,
    sr: SyncROM<Signed<6>, 3>,
    ss: Signal<Out, Signed<6>>,
    ram: RAM<Bits<1>, 1>,
    ro: Signal<Out, Bits<1>>,
    init: DFFWithInit<Bits<4>>,
    fb: DFF<Bits<1>>,
    sig: DFF<Signed<7>>,
    so: Signal<Out, Signed<7>>,
}
impl Default for Contents {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            d: Default::default(),
            q: Default::default(),
            other: Default::default(),
            rom: ROM::new(
                [(bits::<2>(0), St::Run), (bits::<2>(3), St::Err)]
                    .into_iter()
                    .collect(),
            ),
            ra: Default::default(),
            rs: Default::default(),
            sr: SyncROM::new(
                [
                    (bits::<3>(1), Signed::<6>::from(-5)),
                    (bits::<3>(7), Signed::<6>::from(12)),
                ]
                .into_iter()
                .collect(),
            ),
            ss: Default::default(),
            ram: RAM::new([(bits::<1>(1), bits::<1>(1))].into_iter().collect()),
            ro: Default::default(),
            init: DFFWithInit::new(9.into()),
            fb: Default::default(),
            sig: Default::default(),
            so: Default::default(),
        }
    }
}
impl Logic for Contents {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, init, fb, sr, sig);
        self.init.d.next = self.init.q.val() + self.d.val();
        self.q.next = self.init.q.val();
        self.rom.address.next = self.ra.val();
        self.rs.next = self.rom.data.val();
        self.sr.address.next = bit_cast::<3, 2>(self.ra.val()) + self.other.val();
        self.ss.next = self.sr.data.val();
        self.fb.d.next = self.fb.q.val() + 1;
        self.ram.read_clock.next = self.clock.val();
        self.ram.write_clock.next = self.clock.val();
        self.ram.read_address.next = self.other.val().into();
        self.ram.write_address.next = self.fb.q.val();
        self.ram.write_data.next = self.d.val().get_bits::<1>(3);
        self.ram.write_enable.next = self.d.val().any();
        self.ro.next = self.ram.read_data.val();
        self.sig.d.next = self.sig.q.val() - 3.into();
        if self.sig.q.val() < (-40).into() {
            self.sig.d.next = 63.into();
        }
        self.so.next = -self.sig.q.val();
    }
}

/// Names that look like those the emitter makes.
#[derive(LogicBlock, Default)]
struct Names {
    a_b: Signal<In, Bits<8>>,
    a__b: Signal<In, Bits<8>>,
    clock: Signal<In, Clock>,
    unused: Signal<In, Bit>,
    unused_2: Signal<In, Bit>,
    y__DOT__z: Signal<Out, Bits<8>>,
    step: Signal<Out, Bits<8>>,
    step_step: Signal<Local, Bits<8>>,
    y_step: Signal<Local, Bits<8>>,
    y: Signal<Out, Bits<8>>,
    dff_w8: DFF<Bits<8>>,
    module_: DFF<Bits<8>>,
    begin_: Signal<Out, Bit>,
    a_name_so_long_that_nobody_reads_it_to_its_end_as_it_goes_on_for_more_than_any_tool_may_like_and_then_tells_it_all_again_for_good_measure:
        Signal<Out, Bits<8>>,
    ST_IDLE: Signal<In, Bit>,
    is: Signal<In, St>,
    o: Signal<Out, Bit>,
    trailing_: Signal<Out, Bit>,
}
impl Logic for Names {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, dff_w8, module_);
        self.dff_w8.d.next = self.a_b.val() + self.a__b.val();
        self.module_.d.next = self.dff_w8.q.val() ^ self.a_b.val();
        self.y__DOT__z.next = self.module_.q.val();
        self.step_step.next = self.a_b.val() - 1;
        self.y_step.next = self.step_step.val() + 3;
        self.step.next = (self.y_step.val() + self.a__b.val()).get_bits::<8>(1);
        self.y.next = (self.y_step.val() + self.a_b.val()).get_bits::<8>(2) + self.y_step.val();
        self.begin_.next = self.unused.val() & self.unused_2.val();
        self.a_name_so_long_that_nobody_reads_it_to_its_end_as_it_goes_on_for_more_than_any_tool_may_like_and_then_tells_it_all_again_for_good_measure.next = self.y.val();
        self.o.next = self.is.val() == St::Idle && self.ST_IDLE.val();
        self.trailing_.next = self.is.val() != St::Idle;
    }
}

/// Nothing at all.
#[derive(LogicBlock, Default)]
struct Empty {}
impl Logic for Empty {
    #[hdl_gen]
    fn update(&mut self) {}
}

/// No outputs.
#[derive(LogicBlock, Default)]
struct OnlyIn {
    clock: Signal<In, Clock>,
    a: Signal<In, Bits<8>>,
}
impl Logic for OnlyIn {
    #[hdl_gen]
    fn update(&mut self) {}
}

/// No inputs.
#[derive(LogicBlock, Default)]
struct OnlyOut {
    y: Signal<Out, Bits<8>>,
    z: Signal<Out, Bits<200>>,
}
impl Logic for OnlyOut {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = 0x7F.into();
        self.z.next = bits::<200>(0xFFFF_FFFF_FFFF_FFFF_u64) << 136;
    }
}

/// Sub-blocks that nothing reads.
#[derive(LogicBlock, Default)]
struct NoOutChild {
    clock: Signal<In, Clock>,
    a: Signal<In, Bits<8>>,
    y: Signal<Out, Bits<8>>,
    child: OnlyIn,
    src: OnlyOut,
    e: Empty,
}
impl Logic for NoOutChild {
    #[hdl_gen]
    fn update(&mut self) {
        self.child.clock.next = self.clock.val();
        self.child.a.next = self.a.val() + 1;
        self.y.next = self.a.val();
    }
}

pub fn cases() -> Vec<Case> {
    vec![
        case!("users_reg_struct", StructRegister, StructRegister::default(); clock; [(we), (d)]; [(q), (n), (st)]),
        case!("users_feed", Feed, Feed::default(); clock; [(a)]; [(o), (p), (w)]),
        case!("users_sys", System, System::default(); clock; [(go), (ext[0].resp), (ext[0].inner.ready)]; [(ext[0].data), (ext[0].addr), (ext[0].inner.valid), (out), (last)]),
        case!("users_timer", Timer, Timer::default(); clock; [(reset), (en)]; [(pwm), (tick), (sh), (rise), (fall)]),
        case!("users_twoclk", Contents, Contents::default(); clock; [(d), (other), (ra)]; [(q), (rs), (ss), (ro), (so)]),
        case!("users_weird", Names, Names::default(); clock; [(a_b), (a__b), (unused), (unused_2), (ST_IDLE), (is)]; [(y__DOT__z), (step), (y), (begin_), (a_name_so_long_that_nobody_reads_it_to_its_end_as_it_goes_on_for_more_than_any_tool_may_like_and_then_tells_it_all_again_for_good_measure), (o), (trailing_)]),
        case!("users_no_out_child", NoOutChild, NoOutChild::default(); clock; [(a)]; [(y)]),
    ]
}
