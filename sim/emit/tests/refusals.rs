//! Everything that the emitter refuses, one block each: with its module, its statement and
//! its reason.

use metaroce_emit::emit;
use rust_hdl::prelude::*;

/// Defines a block, emits it, and looks for a part of the reason and of the statement.
macro_rules! refused {
    ($test:ident, $reason:expr, $statement:expr, { $($field:ident: $ty:ty),* $(,)? }, $($update:tt)*) => {
        #[test]
        fn $test() {
            #[derive(LogicBlock, Default)]
            struct Uut {
                $($field: $ty),*
            }
            impl Logic for Uut {
                $($update)*
            }
            check(Uut::default(), $reason, $statement);
        }
    };
}

fn check<B: Block>(mut block: B, reason: &str, statement: &str) {
    block.connect_all();
    let error = emit(&block, "uut_top").expect_err("it is refused");
    let found = error.refusals().iter().any(|r| {
        r.reason.contains(reason)
            && r.statement.contains(statement)
            && r.module.starts_with("uut_top")
    });
    assert!(found, "{error}");
    assert!(error.to_string().contains(reason));
}

const LIMIT: u32 = 3;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Mode {
    Off,
    On,
}

use Mode::{Off, On};

refused!(a_latch, "latch", "", { a: Signal<In, Bit>, y: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    if self.a.val() {
        self.y.next = true;
    }
});

refused!(a_latch_of_one_field, "latch", "", { a: Signal<In, Bit>, y: Signal<Out, Pair> }, #[hdl_gen] fn update(&mut self) {
    self.y.next.high = 3.into();
    if self.a.val() {
        self.y.next.low = 1.into();
    }
});

refused!(an_output_without_driver, "`y` is never assigned", "", { a: Signal<In, Bit>, y: Signal<Out, Bit>, z: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.z.next = self.a.val();
});

refused!(a_sub_blocks_input_without_driver, "`register.d` is never assigned", "",
    { clock: Signal<In, Clock>, y: Signal<Out, Bit>, register: DFF<Bit> }, #[hdl_gen] fn update(&mut self) {
    self.register.clock.next = self.clock.val();
    self.y.next = self.register.q.val();
});

refused!(a_local_that_is_read_only, "`hidden` is never assigned", "", { y: Signal<Out, Bit>, hidden: Signal<Local, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = self.hidden.val();
});

refused!(an_input_that_is_assigned, "cannot be assigned", "self.a.next = 1", { a: Signal<In, Bit>, y: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.a.next = true;
    self.y.next = self.a.val();
});

refused!(a_loop_without_register, "a loop without a register", "", { a: Signal<Local, Bit>, y: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.a.next = !self.y.val();
    self.y.next = self.a.val();
});

refused!(a_constant_outside_the_block, "put a constant into a `Constant` field", "self.y.next = a + LIMIT",
    { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = self.a.val() + LIMIT.to_bits();
});

refused!(a_shift_whose_width_is_lost, "width the tree does not give", "", { a: Signal<In, Bits<3>>, y: Signal<Out, Bits<8>> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = bit_cast::<8, 64>(1 << self.a.val());
});

refused!(a_number_that_does_not_fit, "300 does not fit Bits<8>", "", { y: Signal<Out, Bits<8>> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = 300.into();
});

refused!(a_number_too_wide_for_a_long_vector, "does not fit Bits<33>", "", { a: Signal<In, Bits<33>>, y: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = self.a.val() == 0x3_0000_0000_u64;
});

refused!(a_keyword_as_a_name, "`initial` is a keyword", "", { initial: Signal<In, Bit>, y: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = self.initial.val();
});

refused!(a_name_kept_for_instances, "kept for instances", "", { u_a: Signal<In, Bit>, y: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = self.u_a.val();
});

refused!(a_port_named_as_the_top, "name of the top module", "", { uut_top: Signal<In, Bit>, y: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = self.uut_top.val();
});

refused!(a_port_that_verilators_class_has, "Verilator's class", "", { eval: Signal<In, Bit>, y: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = self.eval.val();
});

refused!(a_port_that_is_a_macro, "Verilator's class", "", { linux: Signal<In, Bit>, y: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = self.linux.val();
});

refused!(a_name_that_is_not_ascii, "no Verilog name", "", { a: Signal<In, Bit>, y: Signal<Out, Bit>, größe: Signal<Local, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = self.a.val();
});

refused!(a_sub_block_whose_name_is_not_ascii, "no plain path", "", { clock: Signal<In, Clock>, y: Signal<Out, Bit>, größe: DFF<Bit> }, #[hdl_gen] fn update(&mut self) {
    self.größe.clock.next = self.clock.val();
    self.größe.d.next = !self.größe.q.val();
    self.y.next = self.größe.q.val();
});

refused!(a_raw_name, "no plain path", "", { r#type: Signal<In, Bit>, y: Signal<Out, Bit>, r#in: DFF<Bit> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = self.r#type.val();
});

refused!(a_match_that_leaves_out_a_value, "latch", "", { a: Signal<In, Bits<2>>, y: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    match self.a.val().index() {
        0 => self.y.next = true,
        1 => self.y.next = false,
        3 => self.y.next = false,
        4 => self.y.next = false,
        _ => {}
    }
});

refused!(a_name_that_the_tree_garbles, "garbles a name", "", { myself: Signal<In, Bit>, y: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = true;
});

refused!(a_gated_clock, "must be an input clock", "", { clock: Signal<In, Clock>, on: Signal<In, Bit>, other: Signal<In, Clock>, r: DFF<Bit> }, #[hdl_gen] fn update(&mut self) {
    self.r.clock.next = self.other.val();
    if self.on.val() {
        self.r.clock.next = self.clock.val();
    }
    self.r.d.next = !self.r.q.val();
});

refused!(an_inverted_clock, "this operator on a Clock", "", { clock: Signal<In, Clock>, r: DFF<Bit> }, #[hdl_gen] fn update(&mut self) {
    self.r.clock.next = !self.clock.val();
    self.r.d.next = !self.r.q.val();
});

refused!(a_clock_as_data, "a clock is no data", "", { clock: Signal<In, Clock>, other: Signal<In, Clock>, y: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = self.clock.val() == self.other.val();
});

refused!(a_bidirectional_signal, "bidirectional", "", { pin: Signal<InOut, Bit>, y: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = self.pin.val();
});

refused!(a_tristate_widget, "known primitives only", "", { a: Signal<In, Bit>, y: Signal<Out, Bit>, buffer: TristateBuffer<Bit> }, #[hdl_gen] fn update(&mut self) {
    self.buffer.write_enable.next = self.a.val();
    self.buffer.write_data.next = self.a.val();
    self.y.next = self.buffer.read_data.val();
});

refused!(a_pattern_without_its_enum, "is no variant", "match mode", { mode: Signal<In, Mode>, y: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = true;
    match self.mode.val() {
        On => self.y.next = false,
        Off => self.y.next = true,
    }
});

refused!(a_variant_of_a_renamed_enum, "not in the tree", "Renamed.On", { mode: Signal<In, Mode>, y: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = self.mode.val() == Renamed::On;
});
use Mode as Renamed;

refused!(a_slice_past_the_end, "out of range", "get_bits", { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<4>> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = self.a.val().get_bits::<4>(9);
});

refused!(a_bit_past_the_end, "out of range", "get_bit(8)", { a: Signal<In, Bits<8>>, y: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = self.a.val().get_bit(8);
});

refused!(a_place_that_may_wrap, "wraps as `Bits` or not as `usize`", "", { a: Signal<In, Bits<16>>, i: Signal<In, Bits<3>>, y: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = self.a.val().get_bit(self.i.val().index() + 1);
});

refused!(an_index_that_is_a_signal, "array index", "", { a: [Signal<In, Bit>; 4], i: Signal<In, Bits<2>>, y: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = self.a[self.i.val().index()].val();
});

refused!(an_index_that_is_a_constant, "array index", "", { a: [Signal<In, Bit>; 4], y: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = self.a[LIMIT as usize].val();
});

refused!(a_loop_variable_named_as_a_signal, "has the name of a signal", "", { a: Signal<In, Bits<4>>, y: Signal<Out, Bits<4>> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = 0.into();
    for a in 0..3 {
        self.y.next = self.y.val() + a;
    }
});

refused!(a_sub_blocks_output_that_is_assigned, "a sub-block's output cannot be assigned", "", { clock: Signal<In, Clock>, r: DFF<Bit> }, #[hdl_gen] fn update(&mut self) {
    dff_setup!(self, clock, r);
    self.r.q.next = true;
});

refused!(a_helper_that_looks_like_a_cast, "a cast", "", { p: Signal<In, Pair>, y: Signal<Out, Bits<8>> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = bits_of_pair(self.p.val());
});

fn bits_of_pair(p: Pair) -> Bits<8> {
    bit_cast::<8, 4>(p.low)
}

#[derive(Copy, Clone, Debug, PartialEq, Default, LogicStruct)]
struct Pair {
    low: Bits<4>,
    high: Bits<5>,
}

/// A block without `#[hdl_gen]`.
#[derive(LogicBlock, Default)]
struct Unseen {
    a: Signal<In, Bit>,
    y: Signal<Out, Bit>,
}

impl Logic for Unseen {
    fn update(&mut self) {
        self.y.next = !self.a.val();
    }
    fn connect(&mut self) {
        self.y.connect();
    }
}

#[test]
fn an_update_that_the_tree_does_not_show() {
    check(Unseen::default(), "no `#[hdl_gen]` update", "");
}

/// Hand-written Verilog under another block's name of signals.
#[derive(LogicBlock, Default)]
struct Handmade {
    d: Signal<In, Bit>,
    q: Signal<Out, Bit>,
    clock: Signal<In, Clock>,
}

impl Logic for Handmade {
    fn update(&mut self) {
        self.q.next = self.d.val();
    }
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom("always @(negedge clock) q <= d;".into())
    }
}

#[test]
fn hand_written_verilog() {
    check(Handmade::default(), "known primitives only", "");
}

/// A literal that makes `hdl()` itself panic.
#[derive(LogicBlock, Default)]
struct Panics {
    y: Signal<Out, Bits<4>>,
}

impl Logic for Panics {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = bits::<4>(77);
    }
}

#[test]
fn a_literal_that_panics_in_rust() {
    check(Panics::default(), "does not fit", "");
}

mod other {
    use rust_hdl::prelude::*;
    /// Never made: its name alone matters.
    #[allow(dead_code)]
    #[derive(Copy, Clone, Debug, PartialEq, LogicState)]
    pub enum Mode {
        On,
        Off,
        Dim,
    }
}

refused!(two_enums_of_one_name, "two enums named `Mode`", "", { a: Signal<In, Mode>, b: Signal<In, other::Mode>, y: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.y.next = self.a.val() == Mode::On;
});

#[test]
fn several_refusals_come_together() {
    #[derive(LogicBlock, Default)]
    struct Uut {
        a: Signal<In, Bits<8>>,
        y: Signal<Out, Bits<8>>,
        z: Signal<Out, Bits<8>>,
    }
    impl Logic for Uut {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = self.a.val() + LIMIT.to_bits();
            self.z.next = 256.into();
        }
    }
    let mut uut = Uut::default();
    uut.connect_all();
    let error = emit(&uut, "uut_top").expect_err("refused");
    assert!(error.refusals().len() >= 2, "{error}");
}
