//! `metaroce registers` and `metaroce dissector`: what the one table says, for people and tools.
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use metaroce_protocol::registers as map;
use metaroce_protocol::{Counter, generate};
use serde::Serialize;

use crate::output::Output;

/// List the register map.
#[derive(Args)]
#[command(after_help = "Example:\n  metaroce registers --json")]
pub struct Registers {}

#[derive(Serialize)]
struct Row {
    name: String,
    offset: u32,
    words: u32,
    access: &'static str,
    reset: u32,
    meaning: &'static str,
}

#[derive(Serialize)]
struct Map {
    version: u32,
    registers: Vec<Row>,
}

impl Registers {
    /// Prints the map.
    pub fn run(&self, output: &Output) -> Result<()> {
        let register = |r: &metaroce_protocol::Register| Row {
            name: r.name.to_string(),
            offset: r.offset,
            words: r.count,
            access: match r.access {
                map::Access::ReadOnly => "ro",
                map::Access::ReadWrite => "rw",
            },
            reset: r.reset,
            meaning: r.meaning(),
        };
        let counter = |c: &Counter| Row {
            name: c.name().to_string(),
            offset: c.offset(),
            words: 1,
            access: "ro",
            reset: 0,
            meaning: c.meaning(),
        };
        let registers = map::ALL
            .iter()
            .map(register)
            .chain(Counter::ALL.iter().map(counter))
            .collect();
        let map = Map {
            version: map::VERSION_VALUE,
            registers,
        };
        output.print_lines(&map, || map.registers.iter().map(line).collect())
    }
}

fn line(row: &Row) -> String {
    let Row {
        name,
        offset,
        words,
        access,
        reset,
        meaning,
    } = row;
    format!("{offset:#05x}  {access}  {words:>2}  {reset:#010x}  {name:<26}  {meaning}")
}

/// Write a Wireshark dissector for the protocol.
#[derive(Args)]
#[command(
    after_help = "Example:\n  metaroce dissector --out out/metaroce.lua\n  tshark -X lua_script:out/metaroce.lua -r out/cosim/planes.pcapng -O metaroce"
)]
pub struct Dissector {
    /// File to write; without it the text goes to stdout.
    #[arg(long)]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct Written {
    dissector: PathBuf,
}

impl Dissector {
    /// Writes the dissector.
    pub fn run(&self, output: &Output) -> Result<()> {
        let text = generate::dissector();
        let Some(path) = &self.out else {
            print!("{text}");
            return Ok(());
        };
        crate::output::write_whole(path, text.as_bytes())
            .with_context(|| format!("can't write {}", path.display()))?;
        let written = Written {
            dissector: path.clone(),
        };
        output.print(&written, || vec![("dissector", path.display().to_string())])
    }
}
