//! Casts, slices, computed places, literals.

use rust_hdl::prelude::*;

use crate::bench::Case;
use crate::case;

#[derive(LogicBlock, Default)]
struct Casts {
    single: Signal<In, Bit>,
    one: Signal<In, Bits<1>>,
    octet: Signal<In, Bits<8>>,
    tall: Signal<In, Bits<63>>,
    wide: Signal<In, Bits<256>>,
    grown: Signal<Out, Bits<65>>,
    cut: Signal<Out, Bits<8>>,
    cut_sum: Signal<Out, Bits<64>>,
    literal: Signal<Out, Bits<48>>,
    short_one: Signal<Out, Bits<12>>,
    to_bit: Signal<Out, Bit>,
    to_bits: Signal<Out, Bits<1>>,
    truth: Signal<Out, Bits<1>>,
    same_bit: Signal<Out, Bit>,
    hot: Signal<Out, Bits<64>>,
    hot_sized: Signal<Out, Bits<8>>,
    product: Signal<Out, Bits<32>>,
    from: Signal<Out, Bits<16>>,
}

impl Logic for Casts {
    #[hdl_gen]
    fn update(&mut self) {
        self.grown.next = bit_cast::<65, 63>(self.tall.val());
        self.cut.next = bit_cast::<8, 256>(self.wide.val());
        self.cut_sum.next =
            bit_cast::<64, 256>(self.wide.val() + bit_cast::<256, 63>(!self.tall.val()));
        self.literal.next = bits::<48>(0x0180_C200_0001_u64) ^ bit_cast::<48, 8>(self.octet.val());
        self.short_one.next = 0xABC.into();
        self.to_bit.next = self.one.val().into();
        self.to_bits.next = self.single.val().into();
        self.truth.next = (self.octet.val() == 0x80).into();
        self.same_bit.next = self.one.val() == self.single.val();
        self.hot.next = 1 << self.octet.val().get_bits::<6>(1);
        self.hot_sized.next = bits::<8>(1) << self.octet.val().get_bits::<3>(2);
        self.product.next =
            self.wide.val().get_bits::<16>(100) * self.tall.val().get_bits::<16>(47);
        self.from.next = Bits::<16>::from(0x1234_u64) - bit_cast::<16, 1>(self.single.val().into());
    }
}

#[derive(LogicBlock, Default)]
struct Places {
    data: Signal<In, Bits<64>>,
    odd: Signal<In, Bits<37>>,
    at: Signal<In, Bits<3>>,
    place: Signal<In, Bits<5>>,
    value: Signal<In, Bit>,
    octet: Signal<Out, Bits<8>>,
    low: Signal<Out, Bits<8>>,
    past: Signal<Out, Bits<8>>,
    fixed: Signal<Out, Bits<5>>,
    border: Signal<Out, Bits<12>>,
    sliding: Signal<Out, Bits<16>>,
    one: Signal<Out, Bit>,
    one_fixed: Signal<Out, Bit>,
    replaced: Signal<Out, Bits<64>>,
    replaced_fixed: Signal<Out, Bits<64>>,
    replaced_ends: Signal<Out, Bits<37>>,
    of_sum: Signal<Out, Bits<4>>,
    next: Signal<Out, Bit>,
}

impl Logic for Places {
    #[hdl_gen]
    fn update(&mut self) {
        self.octet.next = self.data.val().get_bits::<8>(self.at.val().index() * 8);
        self.low.next = self.data.val().get_bits::<8>(self.place.val().index());
        self.past.next = self.odd.val().get_bits::<8>(self.place.val().index());
        self.fixed.next = self.odd.val().get_bits::<5>(30);
        self.border.next = self.odd.val().get_bits::<12>(30);
        self.sliding.next = self.odd.val().get_bits::<16>(self.at.val().index() * 4 + 1);
        self.one.next = self.data.val().get_bit(self.place.val().index());
        self.one_fixed.next = self.odd.val().get_bit(36);
        self.replaced.next = self
            .data
            .val()
            .replace_bit(self.place.val().index(), self.value.val());
        self.replaced_fixed.next = self.data.val().replace_bit(17, self.value.val());
        self.replaced_ends.next = self
            .odd
            .val()
            .replace_bit(0, !self.value.val())
            .replace_bit(36, self.value.val());
        self.of_sum.next = (self.odd.val() + 1).get_bits::<4>(33);
        self.next.next = self
            .data
            .val()
            .get_bits::<7>(0)
            .get_bit((self.at.val() & 3).index());
    }
}

pub fn cases() -> Vec<Case> {
    vec![
        case!("casts", Casts, Casts::default(); [(single), (one), (octet), (tall), (wide)];
            [(grown), (cut), (cut_sum), (literal), (short_one), (to_bit), (to_bits), (truth), (same_bit),
             (hot), (hot_sized), (product), (from)]),
        case!("places", Places, Places::default(); [(data), (odd), (at), (place), (value)];
            [(octet), (low), (past), (fixed), (border), (sliding), (one), (one_fixed), (replaced),
             (replaced_fixed), (replaced_ends), (of_sum), (next)]),
    ]
}
