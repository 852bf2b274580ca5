//! Runs cases in all simulators and compares every output of every row.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use metaroce_emit::{Design, Direction, emit};
use num_bigint::BigUint;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

use crate::tools;

/// Rows of inputs for a case without a clock.
const ROWS: usize = 60;
/// Rows, and so clock cycles, for a case with one.
const CLOCKED_ROWS: usize = 200;

/// One block with its rows: inputs, and the outputs that rust-hdl's simulation gives.
pub struct Case {
    pub name: String,
    pub design: Design,
    clock: Option<String>,
    inputs: Vec<String>,
    outputs: Vec<String>,
    rows: Vec<(Vec<BigUint>, Vec<BigUint>)>,
}

type Clocking<B> = fn(&mut B, bool);
type Poke<B> = fn(&mut B, &mut ChaCha8Rng) -> Vec<BigUint>;

/// Emits `block`, then simulates it in rust-hdl.
pub fn record<B: Block>(
    name: &str,
    mut block: B,
    clock: Option<(&str, Clocking<B>)>,
    names: (Vec<String>, Vec<String>),
    poke: Poke<B>,
    read: fn(&B) -> Vec<BigUint>,
) -> Case {
    block.connect_all();
    let design = emit(&block, name).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(
        design,
        emit(&block, name).expect("twice"),
        "{name}: another text on the second run"
    );
    let seed = name.bytes().fold(7, |seed: u64, b| {
        seed.wrapping_mul(31).wrapping_add(b.into())
    });
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut rows = Vec::new();
    let turns = if clock.is_some() { CLOCKED_ROWS } else { ROWS };
    for _ in 0..turns {
        let inputs = poke(&mut block, &mut rng);
        assert!(simulate(&mut block, 200), "{name} does not settle");
        rows.push((inputs, read(&block)));
        if let Some((_, set)) = clock {
            set(&mut block, true);
            assert!(simulate(&mut block, 200), "{name} does not settle");
            set(&mut block, false);
            assert!(simulate(&mut block, 200), "{name} does not settle");
        }
    }
    let clock = clock.map(|(name, _)| name.to_string());
    Case {
        name: name.into(),
        design,
        clock,
        inputs: names.0,
        outputs: names.1,
        rows,
    }
}

/// The Verilog name of a Rust path.
pub fn port_name(path: &str) -> String {
    path.replace([' ', ']'], "").replace(['.', '['], "_")
}

/// `case!("name", block; [(input), ..]; [(output), ..])`, with `clock` before the lists for
/// blocks that have one.
#[macro_export]
macro_rules! case {
    ($name:expr, $ty:ty, $block:expr; $([$(($($in:tt)+)),* $(,)?]; [$(($($out:tt)+)),* $(,)?])?) => {
        $crate::case!(@ $name, $ty, $block, None; $([$(($($in)+)),*]; [$(($($out)+)),*])?)
    };
    ($name:expr, $ty:ty, $block:expr; $clock:ident; [$(($($in:tt)+)),* $(,)?]; [$(($($out:tt)+)),* $(,)?]) => {{
        let set: fn(&mut $ty, bool) = |block, high| block.$clock.next = high.into();
        $crate::case!(@ $name, $ty, $block, Some((stringify!($clock), set)); [$(($($in)+)),*]; [$(($($out)+)),*])
    }};
    (@ $name:expr, $ty:ty, $block:expr, $clock:expr; [$(($($in:tt)+)),*]; [$(($($out:tt)+)),*]) => {
        $crate::bench::record::<$ty>(
            $name,
            $block,
            $clock,
            (
                vec![$($crate::bench::port_name(stringify!($($in)+))),*],
                vec![$($crate::bench::port_name(stringify!($($out)+))),*],
            ),
            |_block, _rng| vec![$({
                let value = $crate::value::Random::random(_rng);
                _block.$($in)+.next = value;
                $crate::value::bits_of(value)
            }),*],
            |block| vec![$($crate::value::bits_of(block.$($out)+.val())),*],
        )
    };
}

/// Compares all cases in all simulators.
pub fn compare(cases: &[Case]) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    write(dir.path(), cases);
    for case in cases {
        let place = dir.path().join(&case.name);
        case.design.write_to(&place).expect("written");
        tools::lint(&place, &case.name);
    }
    icarus(dir.path(), "cases.v");
    verilated(dir.path());
}

/// Compares small cases once more, lowered to gates by yosys.
pub fn compare_lowered(cases: &[Case]) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    write(dir.path(), cases);
    let lower = "read_verilog cases.v; proc; opt; wreduce; memory; opt; alumacc; techmap; opt; \
                 write_verilog -noattr netlist.v";
    tools::run(dir.path(), &tools::yosys(), &["-q", "-p", lower]);
    icarus(dir.path(), "netlist.v");
}

fn write(dir: &Path, cases: &[Case]) {
    let mut modules: Vec<(String, String)> = Vec::new();
    let mut bench = String::new();
    let mut top = String::from("module bench(input wire tick);\n");
    for case in cases {
        for module in &case.design.modules {
            match modules.iter().find(|(name, _)| *name == module.name) {
                Some((name, text)) => assert_eq!(
                    text, &module.verilog,
                    "two modules `{name}`: rename a field"
                ),
                None => modules.push((module.name.clone(), module.verilog.clone())),
            }
        }
        bench += &bench_of(case);
        fs::write(dir.join(format!("{}.hex", case.name)), rows_of(case)).expect("written");
        let _ = writeln!(
            top,
            "wire done_{0}; bench_{0} b_{0}(.tick(tick), .done(done_{0}));",
            case.name
        );
    }
    let all: Vec<String> = cases
        .iter()
        .map(|case| format!("done_{}", case.name))
        .collect();
    let _ = writeln!(
        top,
        "always @(posedge tick) if ({}) begin $display(\"ALL DONE\"); $finish; end\nendmodule",
        all.join(" && ")
    );
    let texts: Vec<String> = modules.into_iter().map(|(_, text)| text).collect();
    fs::write(dir.join("cases.v"), texts.join("\n")).expect("written");
    fs::write(dir.join("bench.v"), bench + &top).expect("written");
    let clock =
        "module clocked; reg tick = 0; always #1 tick = ~tick; bench b(.tick(tick)); endmodule\n";
    fs::write(dir.join("clocked.v"), clock).expect("written");
    fs::write(dir.join("main.cpp"), MAIN).expect("written");
}

const MAIN: &str = "#include \"Vbench.h\"\n#include \"verilated.h\"\n\
int main() { VerilatedContext c; Vbench b{&c}; \
while (!c.gotFinish()) { b.tick = !b.tick; b.eval(); c.timeInc(1); } b.final(); return 0; }\n";

fn width(case: &Case, name: &str, direction: Direction) -> usize {
    let port = case
        .design
        .ports()
        .iter()
        .find(|p| p.name == name && p.direction == direction);
    port.unwrap_or_else(|| panic!("{}: no port `{name}`", case.name))
        .width
}

fn rows_of(case: &Case) -> String {
    let mut text = String::new();
    for (inputs, outputs) in &case.rows {
        let mut row = BigUint::default();
        let ins = case
            .inputs
            .iter()
            .zip(inputs)
            .map(|(n, v)| (width(case, n, Direction::Input), v));
        let outs = case
            .outputs
            .iter()
            .zip(outputs)
            .map(|(n, v)| (width(case, n, Direction::Output), v));
        for (width, value) in ins.chain(outs) {
            row = (row << width) | value;
        }
        let _ = writeln!(text, "{row:x}");
    }
    text
}

fn bench_of(case: &Case) -> String {
    let ins: usize = case
        .inputs
        .iter()
        .map(|n| width(case, n, Direction::Input))
        .sum();
    let outs: usize = case
        .outputs
        .iter()
        .map(|n| width(case, n, Direction::Output))
        .sum();
    let (name, rows) = (&case.name, case.rows.len());
    let total = ins + outs;
    let mut text = format!(
        "module bench_{name}(input wire tick, output reg done);\n\
         reg [{}:0] rows [0:{}];\nreg [{}:0] row;\nreg clk;\nreg [1:0] phase;\ninteger at;\n\
         initial begin $readmemh(\"{name}.hex\", rows); row = 0; clk = 0; phase = 0; at = 0; done = 0; end\n",
        total - 1,
        rows - 1,
        total - 1
    );
    let mut pins = Vec::new();
    let mut high = total;
    for input in &case.inputs {
        let width = width(case, input, Direction::Input);
        pins.push(format!(".{input}(row[{}:{}])", high - 1, high - width));
        high -= width;
    }
    let mut seen = Vec::new();
    for output in &case.outputs {
        let width = width(case, output, Direction::Output);
        let _ = writeln!(text, "wire [{}:0] out_{output};", width - 1);
        pins.push(format!(".{output}(out_{output})"));
        seen.push(format!("out_{output}"));
    }
    if let Some(clock) = &case.clock {
        pins.push(format!(".{clock}(clk)"));
    }
    assert_eq!(
        pins.len(),
        case.design.ports().len(),
        "{name}: a port is not driven or not read"
    );
    let _ = writeln!(text, "{name} dut({});", pins.join(", "));
    let _ = writeln!(
        text,
        "always @(posedge tick) if (!done) case (phase)\n\
         0: begin row <= rows[at]; phase <= 1; end\n\
         1: begin if ({{{}}} !== row[{}:0]) begin $display(\"FAIL {name} row %0d: %h is not %h\", at, {{{}}}, row); $finish; end clk <= 1; phase <= 2; end\n\
         default: begin clk <= 0; phase <= 0; at <= at + 1; if (at == {}) done <= 1; end\nendcase\nendmodule",
        seen.join(", "),
        outs - 1,
        seen.join(", "),
        rows - 1
    );
    text
}

fn icarus(dir: &Path, cases: &str) {
    let out = format!("{cases}.vvp");
    tools::run(
        dir,
        &tools::iverilog(),
        &[
            "-g2005",
            "-s",
            "clocked",
            "-o",
            &out,
            cases,
            "bench.v",
            "clocked.v",
        ],
    );
    finish(
        "Icarus",
        cases,
        &tools::run(dir, &tools::vvp(), &["-n", &out]),
    );
}

fn verilated(dir: &Path) {
    let arguments = [
        "--cc",
        "--exe",
        "--build",
        "-O3",
        // The build from PyPI leaves the compiler's option for prepared headers empty.
        "-MAKEFLAGS",
        "CFG_CXXFLAGS_PCH_I=-include",
        "-CFLAGS",
        "-O0",
        "-Wno-fatal",
        "-Wno-WIDTH",
        "-Wno-lint",
        "--x-initial",
        "unique",
        "--top-module",
        "bench",
        "main.cpp",
        "bench.v",
        "cases.v",
    ];
    tools::run(dir, &tools::verilator(), &arguments);
    finish(
        "Verilator",
        "cases.v",
        &tools::run(dir, "./obj_dir/Vbench", &[]),
    );
}

fn finish(simulator: &str, cases: &str, text: &str) {
    assert!(text.contains("ALL DONE"), "{simulator} of {cases}:\n{text}");
}
