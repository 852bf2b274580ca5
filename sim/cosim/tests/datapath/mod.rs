//! What the tests of the datapath's cores share: a block becomes a running model of its emitted Verilog.
#![allow(dead_code)] // each test file uses a part

pub mod frames;
pub mod planes;

use std::collections::VecDeque;
use std::path::Path;
use std::process::Command;

use metaroce_cosim::bus::{Agent, Stalls};
use metaroce_cosim::model::{Options, PortId, Sources, VerilatedModel};
use metaroce_emit::Design;
use rust_hdl::prelude::*;

/// Emits a block.
pub fn design<B: Block>(mut block: B, name: &str) -> Design {
    block.connect_all();
    metaroce_emit::emit(&block, name).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs a model of a block's Verilog, reset and one cycle after it.
pub fn model<B: Block>(block: B, name: &str) -> VerilatedModel {
    model_of(&design(block, name))
}

/// Runs a model of this Verilog, reset and one cycle after it.
pub fn model_of(design: &Design) -> VerilatedModel {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("verilog");
    design
        .write_to(&path)
        .unwrap_or_else(|error| panic!("{error}"));
    let sources =
        Sources::from_folder(&design.top, &path).unwrap_or_else(|error| panic!("{error}"));
    let mut model = VerilatedModel::build(&sources, &Options::small())
        .unwrap_or_else(|error| panic!("{error}"));
    reset(&mut model);
    model
}

/// Holds reset for two cycles, all other inputs 0.
pub fn reset(model: &mut VerilatedModel) {
    let Some(reset) = model.find("reset") else {
        return;
    };
    model.set_u64(reset, 1);
    for _ in 0..2 {
        model.tick().expect("a cycle");
    }
    model.set_u64(reset, 0);
}

/// A tool by its variable, or its name.
pub fn tool(variable: &str, name: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| name.into())
}

/// Verilator must have nothing to say.
pub fn lint(design: &Design) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("verilog");
    design.write_to(&path).expect("files");
    let output = Command::new(tool("VERILATOR", "verilator"))
        .args([
            "--lint-only",
            "-Wall",
            "--top-module",
            &design.top,
            "-f",
            "files.f",
        ])
        .current_dir(&path)
        .output()
        .expect("verilator runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    // The summary that newer versions print is no complaint.
    let said: Vec<&str> = said
        .lines()
        .filter(|line| !line.starts_with("- "))
        .collect();
    assert!(
        output.status.success() && said.is_empty(),
        "{}: {}",
        design.top,
        said.join("\n")
    );
}

/// Yosys must make a netlist of it in which `check` finds nothing and this last command succeeds.
pub fn synthesise(design: &Design, synth: &str, last: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("verilog");
    design.write_to(&path).expect("files");
    let names = design
        .modules
        .iter()
        .map(|module| format!("{}.v", module.name));
    let files = names.collect::<Vec<_>>().join(" ");
    let script = format!(
        "read_verilog {files}; {synth} -top {}; check -assert; {last}",
        design.top
    );
    run(&path, &tool("YOSYS", "yosys"), &["-q", "-p", &script]);
}

fn run(folder: &Path, program: &str, arguments: &[&str]) {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {said}");
}

/// Fields of a struct port, in the order of the Rust fields.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    bytes: Vec<u8>,
    place: usize,
}

impl Packed {
    /// To be read.
    pub fn of(bytes: &[u8]) -> Self {
        Packed {
            bytes: bytes.to_vec(),
            place: 0,
        }
    }

    /// The next field.
    pub fn take(&mut self, bits: usize) -> u64 {
        let value = (0..bits).fold(0, |value, bit| {
            let at = self.place + bit;
            value | u64::from(self.bytes[at / 8] >> (at % 8) & 1) << bit
        });
        self.place += bits;
        value
    }

    /// The next field, whose first byte is uppermost.
    pub fn take_network<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        bytes
            .iter_mut()
            .rev()
            .for_each(|byte| *byte = self.take(8) as u8);
        bytes
    }

    /// Appends a field.
    pub fn put(mut self, value: u64, bits: usize) -> Self {
        assert!(bits == 64 || value < 1 << bits, "{value} in {bits} bits");
        self.bytes.resize((self.place + bits).div_ceil(8), 0);
        for bit in 0..bits {
            let at = self.place + bit;
            self.bytes[at / 8] |= ((value >> bit & 1) as u8) << (at % 8);
        }
        self.place += bits;
        self
    }

    /// Appends a field whose first byte is uppermost.
    pub fn put_network(self, bytes: &[u8]) -> Self {
        bytes
            .iter()
            .rev()
            .fold(self, |packed, byte| packed.put((*byte).into(), 8))
    }

    /// The whole word.
    pub fn bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Drives a word with `<name>_valid` and `<name>_ready`; holds what it offers until it is taken.
pub struct Source {
    data: Vec<PortId>,
    valid: PortId,
    ready: PortId,
    stalls: Stalls,
    presenting: bool,
    pub queue: VecDeque<Vec<Vec<u8>>>,
    /// Cycle of each transfer.
    pub cycles: Vec<u64>,
}

impl Source {
    /// The word is one port of the pair's name.
    pub fn new(model: &VerilatedModel, name: &str, stalls: Stalls) -> Self {
        Self::of(model, name, &[name], stalls)
    }

    /// The word is in several ports.
    pub fn of(model: &VerilatedModel, name: &str, data: &[&str], stalls: Stalls) -> Self {
        let port = |name: &str| model.port(name).unwrap_or_else(|error| panic!("{error}"));
        Source {
            data: data.iter().map(|name| port(name)).collect(),
            valid: port(&format!("{name}_valid")),
            ready: port(&format!("{name}_ready")),
            stalls,
            presenting: false,
            queue: VecDeque::new(),
            cycles: Vec::new(),
        }
    }

    /// Queues a word of one port.
    pub fn push(&mut self, word: Vec<u8>) {
        self.queue.push_back(vec![word]);
    }
}

impl Agent for Source {
    fn drive(&mut self, model: &mut VerilatedModel) {
        if self.presenting {
            return;
        }
        let wait = self.stalls.wait();
        match self.queue.front() {
            Some(word) if !wait => {
                for (port, bytes) in self.data.iter().zip(word) {
                    model.set_bytes(*port, bytes);
                }
                model.set_u64(self.valid, 1);
                self.presenting = true;
            }
            _ => {
                // Nobody may use what is not valid.
                for port in &self.data {
                    let width = model.width(*port) as usize;
                    let mut nonsense = vec![0xA5; width.div_ceil(8)];
                    if !width.is_multiple_of(8) {
                        *nonsense.last_mut().expect("a byte") &= (1 << (width % 8)) - 1;
                    }
                    model.set_bytes(*port, &nonsense);
                }
                model.set_u64(self.valid, 0);
            }
        }
    }

    fn sample(&mut self, model: &VerilatedModel) {
        if self.presenting && model.is_set(self.ready) {
            self.presenting = false;
            self.queue.pop_front();
            self.cycles.push(model.cycle());
        }
    }
}

/// Takes words with `<name>_valid` and `<name>_ready`, and checks that an offer holds.
pub struct Sink {
    data: PortId,
    valid: PortId,
    ready: PortId,
    stalls: Stalls,
    taking: bool,
    offered: Option<Vec<u8>>,
    /// Words and the cycles of their transfers.
    pub got: VecDeque<(u64, Vec<u8>)>,
}

impl Sink {
    /// The word is one port of the pair's name.
    pub fn new(model: &VerilatedModel, name: &str, stalls: Stalls) -> Self {
        Self::of(model, name, name, stalls)
    }

    /// The word's port has another name.
    pub fn of(model: &VerilatedModel, name: &str, data: &str, stalls: Stalls) -> Self {
        let port = |name: &str| model.port(name).unwrap_or_else(|error| panic!("{error}"));
        Sink {
            data: port(data),
            valid: port(&format!("{name}_valid")),
            ready: port(&format!("{name}_ready")),
            stalls,
            taking: false,
            offered: None,
            got: VecDeque::new(),
        }
    }
}

impl Agent for Sink {
    fn drive(&mut self, model: &mut VerilatedModel) {
        self.taking = !self.stalls.wait();
        model.set_u64(self.ready, self.taking.into());
    }

    fn sample(&mut self, model: &VerilatedModel) {
        let valid = model.is_set(self.valid);
        let mut word = vec![0; (model.width(self.data) as usize).div_ceil(8)];
        model.get_bytes(self.data, &mut word);
        if let Some(before) = self.offered.take() {
            assert!(
                valid && word == before,
                "an offer changed at cycle {}",
                model.cycle()
            );
        }
        if valid && self.taking {
            self.got.push_back((model.cycle(), word));
        } else if valid {
            self.offered = Some(word);
        }
    }
}

/// Stalls of one run: never, every other cycle, or random.
pub fn stalls(kind: usize, seed: u64) -> Stalls {
    match kind {
        0 => Stalls::never(),
        1 => Stalls::every_other(),
        2 => Stalls::random(0.2, seed),
        _ => Stalls::random(0.7, seed),
    }
}
