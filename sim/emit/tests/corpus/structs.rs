//! Structs, interfaces, links and joins.

use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

use crate::bench::Case;
use crate::case;
use crate::value::Random;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Kind {
    Data,
    Ack,
    Nak,
}

impl Random for Kind {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        [Kind::Data, Kind::Ack, Kind::Nak][(Bits::<8>::random(rng).index()) % 3]
    }
}

impl Default for Inner {
    fn default() -> Self {
        Inner {
            flag: false,
            count: 0.into(),
        }
    }
}

#[derive(Copy, Clone, Debug, PartialEq, LogicStruct)]
struct Inner {
    flag: Bit,
    count: Bits<5>,
}

#[derive(Copy, Clone, Debug, PartialEq, Default, LogicStruct)]
struct Packet {
    kind: Kind,
    length: Bits<9>,
    last: Bit,
    inner: Inner,
    payload: Bits<70>,
}

impl Random for Inner {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        Inner {
            flag: Random::random(rng),
            count: Random::random(rng),
        }
    }
}

impl Random for Packet {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        Packet {
            kind: Random::random(rng),
            length: Random::random(rng),
            last: Random::random(rng),
            inner: Random::random(rng),
            payload: Random::random(rng),
        }
    }
}

#[derive(LogicBlock, Default)]
struct Packets {
    packet: Signal<In, Packet>,
    other: Signal<In, Packet>,
    p: Signal<In, Bit>,
    copied: Signal<Out, Packet>,
    edited: Signal<Out, Packet>,
    built: Signal<Out, Packet>,
    chosen: Signal<Out, Packet>,
    length: Signal<Out, Bits<9>>,
    inner: Signal<Out, Inner>,
    flat: Signal<Out, Bits<88>>,
    same: Signal<Out, Bit>,
    is_ack: Signal<Out, Bit>,
    high: Signal<Out, Bits<6>>,
}

impl Logic for Packets {
    #[hdl_gen]
    fn update(&mut self) {
        self.copied.next = self.packet.val();
        self.edited.next = self.packet.val();
        self.edited.next.length = self.packet.val().length + 1;
        if self.p.val() {
            self.edited.next.kind = Kind::Nak;
            self.edited.next.payload = self.edited.val().payload ^ self.other.val().payload;
            self.edited.next.last = !self.edited.val().last;
        }
        // Field by field, without a whole default.
        self.built.next.kind = Kind::Ack;
        self.built.next.length = self.other.val().length;
        if self.p.val() {
            self.built.next.last = true;
        } else {
            self.built.next.last = self.packet.val().last;
        }
        self.built.next.inner = self.packet.val().inner;
        self.built.next.payload = bit_cast::<70, 9>(self.built.val().length) << 3;
        match self.packet.val().kind {
            Kind::Data => {
                self.chosen.next = self.packet.val();
            }
            Kind::Ack => {
                self.chosen.next = self.other.val();
                self.chosen.next.last = self.p.val();
            }
            Kind::Nak => {
                self.chosen.next = self.edited.val();
            }
        }
        self.length.next = self.packet.val().length & self.other.val().length;
        self.inner.next = self.other.val().inner;
        self.flat.next = self.edited.val().into();
        self.same.next = self.packet.val() == self.other.val();
        self.is_ack.next = self.packet.val().kind == Kind::Ack;
        self.high.next = self.other.val().payload.get_bits::<6>(64);
    }
}

#[derive(LogicInterface, Default)]
#[join = "Sink"]
struct Source {
    data: Signal<Out, Bits<8>>,
    valid: Signal<Out, Bit>,
    ready: Signal<In, Bit>,
}

#[derive(LogicInterface, Default)]
#[join = "Source"]
struct Sink {
    data: Signal<In, Bits<8>>,
    valid: Signal<In, Bit>,
    ready: Signal<Out, Bit>,
}

#[derive(LogicBlock, Default)]
struct Stage {
    upstream: Sink,
    downstream: Source,
}

impl Logic for Stage {
    #[hdl_gen]
    fn update(&mut self) {
        self.downstream.data.next = self.upstream.data.val() + 1;
        self.downstream.valid.next = self.upstream.valid.val();
        self.upstream.ready.next = self.downstream.ready.val();
    }
}

#[derive(LogicBlock, Default)]
struct Pipeline {
    from: Sink,
    into: Source,
    stages: [Stage; 3],
    spare: Signal<In, Bits<8>>,
    copy: Stage,
    seen: Signal<Out, Bits<8>>,
}

impl Logic for Pipeline {
    #[hdl_gen]
    fn update(&mut self) {
        Sink::link(&mut self.from, &mut self.stages[0].upstream);
        for i in 1..3 {
            Source::join(
                &mut self.stages[i - 1].downstream,
                &mut self.stages[i].upstream,
            );
        }
        Source::link(&mut self.into, &mut self.stages[2].downstream);
        self.copy.upstream.data.next = self.spare.val();
        self.copy.upstream.valid.next = true;
        self.copy.downstream.ready.next = self.into.valid.val();
        self.seen.next = self.copy.downstream.data.val();
    }
}

pub fn cases() -> Vec<Case> {
    vec![
        case!("packets", Packets, Packets::default(); [(packet), (other), (p)];
            [(copied), (edited), (built), (chosen), (length), (inner), (flat), (same), (is_ack), (high)]),
        case!("pipeline", Pipeline, Pipeline::default();
            [(from.data), (from.valid), (into.ready), (spare)];
            [(from.ready), (into.data), (into.valid), (seen)]),
    ]
}
