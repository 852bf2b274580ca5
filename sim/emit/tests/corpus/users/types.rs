//! Types of the blocks: an enum, structs, and a bus with a bus in it.

use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

use crate::value::Random;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum St {
    Idle,
    Run,
    Wait,
    Stop,
    Err,
}

impl Random for St {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        [St::Idle, St::Run, St::Wait, St::Stop, St::Err][Bits::<8>::random(rng).index() % 5]
    }
}

#[derive(Copy, Clone, Debug, PartialEq, LogicStruct)]
pub struct Pt {
    pub s: Bits<5>,
    pub n: Bits<33>,
    pub st: St,
    pub b: Bit,
}

impl Default for Pt {
    fn default() -> Self {
        Pt {
            s: 21.into(),
            n: 0x1_2345_6789_u64.into(),
            st: St::Stop,
            b: true,
        }
    }
}

impl Random for Pt {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        Pt {
            s: Random::random(rng),
            n: Random::random(rng),
            st: Random::random(rng),
            b: Random::random(rng),
        }
    }
}

#[derive(Copy, Clone, Debug, PartialEq, Default, LogicStruct)]
pub struct Outer {
    pub head: Pt,
    pub tail: Pt,
    pub x: Bits<3>,
    pub sg: Bits<9>,
}

impl Random for Outer {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        Outer {
            head: Random::random(rng),
            tail: Random::random(rng),
            x: Random::random(rng),
            sg: Random::random(rng),
        }
    }
}

#[derive(LogicInterface, Default)]
#[join = "BusS"]
pub struct BusM {
    pub data: Signal<Out, Pt>,
    pub addr: Signal<Out, Bits<4>>,
    pub resp: Signal<In, St>,
    pub inner: HsM,
}

#[derive(LogicInterface, Default)]
#[join = "BusM"]
pub struct BusS {
    pub data: Signal<In, Pt>,
    pub addr: Signal<In, Bits<4>>,
    pub resp: Signal<Out, St>,
    pub inner: HsS,
}

#[derive(LogicInterface, Default)]
#[join = "HsS"]
pub struct HsM {
    pub valid: Signal<Out, Bit>,
    pub ready: Signal<In, Bit>,
}

#[derive(LogicInterface, Default)]
#[join = "HsM"]
pub struct HsS {
    pub valid: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
}
