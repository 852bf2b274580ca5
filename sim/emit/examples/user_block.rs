//! A block of your own, from its source to Verilog: `cargo run -p metaroce-emit --example
//! user_block -- out` writes one file a module and `files.f` into `out`. Without a folder the
//! Verilog is printed.

use std::path::Path;
use std::process::ExitCode;

use metaroce_emit::{EmitError, check_source, emit};
use rust_hdl::prelude::*;

/// High for `level` of every 256 cycles, and one cycle late.
#[derive(LogicBlock, Default)]
struct Dimmer {
    clock: Signal<In, Clock>,
    level: Signal<In, Bits<8>>,
    light: Signal<Out, Bit>,
    count: DFF<Bits<8>>,
    lit: DFF<Bit>,
}

impl Logic for Dimmer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count, lit);
        self.count.d.next = self.count.q.val() + 1;
        self.lit.d.next = self.count.q.val() < self.level.val();
        self.light.next = self.lit.q.val();
    }
}

fn run() -> Result<(), EmitError> {
    // What rust-hdl's tree has lost is in the source only: check the file that holds the block.
    check_source(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/user_block.rs"))?;
    let mut dimmer = Dimmer::default();
    dimmer.connect_all();
    let design = emit(&dimmer, "dimmer")?;
    match std::env::args().nth(1) {
        Some(dir) => {
            design.write_to(Path::new(&dir))?;
        }
        None => print!("{}", design.verilog()),
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
