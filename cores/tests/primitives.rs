//! The primitives' `update()` against the text that the emitter prints for them, in Icarus;
//! and the memories that yosys makes of them.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use metaroce_cores::prim::{Dff, RamLut, RamSdp};
use metaroce_emit::emit;
use rust_hdl::prelude::*;

/// Every primitive once, fed by the same inputs.
#[derive(LogicBlock, Default)]
struct Primitives {
    clock: Signal<In, Clock>,
    data: Signal<In, Bits<12>>,
    write_at: Signal<In, Bits<3>>,
    read_at: Signal<In, Bits<3>>,
    enable: Signal<In, Bit>,
    stored: Signal<Out, Bits<12>>,
    old: Signal<Out, Bits<12>>,
    at_once: Signal<Out, Bits<12>>,
    register: Dff<Bits<12>>,
    block_ram: RamSdp<Bits<12>, 3>,
    small_ram: RamLut<Bits<12>, 3>,
}

impl Logic for Primitives {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, register);
        clock!(self, clock, block_ram, small_ram);
        self.register.d.next = self.data.val();
        self.stored.next = self.register.q.val();
        self.block_ram.write_address.next = self.write_at.val();
        self.block_ram.write_data.next = self.data.val();
        self.block_ram.write_enable.next = self.enable.val();
        self.block_ram.read_address.next = self.read_at.val();
        self.old.next = self.block_ram.read_data.val();
        self.small_ram.write_address.next = self.write_at.val();
        self.small_ram.write_data.next = self.data.val();
        self.small_ram.write_enable.next = self.enable.val();
        self.small_ram.read_address.next = self.read_at.val();
        self.at_once.next = self.small_ram.read_data.val();
    }
}

fn tool(variable: &str, default: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| default.into())
}

fn run(dir: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(dir)
        .output();
    let output = output.unwrap_or_else(|e| panic!("cannot start `{program}`: {e}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {text}{errors}");
    text
}

/// A block's text in a folder of its own.
fn written<B: Block>(mut block: B, name: &str) -> tempfile::TempDir {
    block.connect_all();
    let dir = tempfile::tempdir().expect("a folder");
    let design = emit(&block, name).unwrap_or_else(|e| panic!("{e}"));
    design.write_to(&dir.path().join("rtl")).expect("written");
    dir
}

#[test]
fn primitives_do_in_verilog_what_their_update_does() {
    let dir = written(Primitives::default(), "primitives");
    let mut uut = Primitives::default();
    uut.connect_all();
    let mut bench = String::from(
        "module bench; reg clock = 0; reg [11:0] data; reg [2:0] w; reg [2:0] r; reg e;\n\
         wire [11:0] s; wire [11:0] o; wire [11:0] a;\n\
         primitives dut(.clock(clock), .data(data), .write_at(w), .read_at(r), .enable(e), \
         .stored(s), .old(o), .at_once(a));\ninitial begin\n",
    );
    let mut random: u64 = 0x9E37_79B9_7F4A_7C15;
    for row in 0..200 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let field = |low: u32, bits: u32| (random >> low) & ((1 << bits) - 1);
        let (data, w, r, e) = (field(40, 12), field(20, 3), field(52, 3), field(60, 1));
        uut.data.next = data.into();
        uut.write_at.next = w.into();
        uut.read_at.next = r.into();
        uut.enable.next = e == 1;
        assert!(simulate(&mut uut, 50));
        let [s, o, a] = [&uut.stored, &uut.old, &uut.at_once].map(|port| port.val().to_u64());
        let _ = writeln!(
            bench,
            "data = {data}; w = {w}; r = {r}; e = {e}; #1; if ({{s, o, a}} !== {{12'd{s}, 12'd{o}, \
             12'd{a}}}) $display(\"FAIL {row}\"); clock = 1; #1; clock = 0; #1;"
        );
        for level in [true, false] {
            uut.clock.next = level.into();
            assert!(simulate(&mut uut, 50));
        }
    }
    bench += "$display(\"END\"); end endmodule\n";
    std::fs::write(dir.path().join("bench.v"), bench).expect("written");
    let arguments = [
        "-g2005",
        "-s",
        "bench",
        "-o",
        "bench.vvp",
        "-c",
        "list",
        "bench.v",
    ];
    let list = std::fs::read_to_string(dir.path().join("rtl/files.f")).expect("list");
    let list: Vec<String> = list.lines().map(|line| format!("rtl/{line}")).collect();
    std::fs::write(dir.path().join("list"), list.join("\n") + "\n").expect("written");
    run(dir.path(), &tool("IVERILOG", "iverilog"), &arguments);
    let text = run(dir.path(), &tool("VVP", "vvp"), &["-n", "bench.vvp"]);
    assert!(text.contains("END") && !text.contains("FAIL"), "{text}");
}

#[derive(LogicBlock, Default)]
struct Large {
    clock: Signal<In, Clock>,
    data: Signal<In, Bits<8>>,
    at: Signal<In, Bits<9>>,
    y: Signal<Out, Bits<8>>,
    memory: RamSdp<Bits<8>, 9>,
}

impl Logic for Large {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, memory);
        self.memory.write_address.next = self.at.val() + 1;
        self.memory.write_data.next = self.data.val();
        self.memory.write_enable.next = true;
        self.memory.read_address.next = self.at.val();
        self.y.next = self.memory.read_data.val();
    }
}

#[derive(LogicBlock, Default)]
struct Small {
    clock: Signal<In, Clock>,
    data: Signal<In, Bits<8>>,
    at: Signal<In, Bits<4>>,
    y: Signal<Out, Bits<8>>,
    memory: RamLut<Bits<8>, 4>,
}

impl Logic for Small {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, memory);
        self.memory.write_address.next = self.at.val() + 1;
        self.memory.write_data.next = self.data.val();
        self.memory.write_enable.next = true;
        self.memory.read_address.next = self.at.val();
        self.y.next = self.memory.read_data.val();
    }
}

/// What yosys makes of a design for one family.
fn synthesised(dir: &Path, family: &str, top: &str) -> String {
    let list = std::fs::read_to_string(dir.join("rtl/files.f")).expect("list");
    let files: Vec<String> = list.lines().map(|line| format!("rtl/{line}")).collect();
    let script = format!(
        "read_verilog {}; synth_{family} -top {top}; stat",
        files.join(" ")
    );
    run(dir, &tool("YOSYS", "yosys"), &["-p", &script])
}

#[test]
fn a_block_ram_is_inferred_on_ice40_and_ecp5() {
    let dir = written(Large::default(), "large_ram");
    assert!(synthesised(dir.path(), "ice40", "large_ram").contains("SB_RAM40_4K"));
    assert!(synthesised(dir.path(), "ecp5", "large_ram").contains("DP16KD"));
}

#[test]
fn a_distributed_ram_is_inferred_on_ecp5() {
    let dir = written(Small::default(), "small_ram");
    assert!(synthesised(dir.path(), "ecp5", "small_ram").contains("TRELLIS_DPR16X4"));
}
