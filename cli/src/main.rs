//! The one command: each verb is a thin door to a crate.
use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod area;
mod bandwidth;
mod bench;
mod compliance;
mod cosim;
mod devinfo;
mod emit;
mod fabric;
mod formal;
mod latency;
mod output;
mod read_bw;
mod read_lat;
mod send_bw;
mod send_lat;
mod serve;
mod soft;
mod stats;
mod synth;
mod tables;
mod wave;
mod write_bw;
mod write_lat;

use output::{Output, Stop};

/// MetaRoCE transport for FPGA network cards: emit it, simulate it against its model, look at it.
#[derive(Parser)]
#[command(name = "metaroce", version, propagate_version = true)]
#[command(
    after_help = "Example:\n  metaroce cosim --file README.md --planes 4 --loss 0.01 --seed 7"
)]
struct Cli {
    /// Print one JSON object on stdout and nothing else.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Emit(emit::Emit),
    Cosim(cosim::Cosim),
    Compliance(compliance::Compliance),
    Synth(synth::Synth),
    Area(area::Area),
    Fabric(fabric::Fabric),
    Formal(formal::Formal),
    Wave(wave::Wave),
    Registers(tables::Registers),
    Dissector(tables::Dissector),
    Serve(serve::Serve),
    WriteBw(write_bw::WriteBw),
    WriteLat(write_lat::WriteLat),
    SendBw(send_bw::SendBw),
    SendLat(send_lat::SendLat),
    ReadBw(read_bw::ReadBw),
    ReadLat(read_lat::ReadLat),
    Devinfo(devinfo::Devinfo),
    Stats(stats::Stats),
    Bench(bench::Bench),
}

fn run(cli: &Cli) -> anyhow::Result<()> {
    let output = Output::new(cli.json);
    let stop = Stop::on_interrupt()?;
    let result = dispatch(cli, &output, &stop);
    // ^C reaches the tools that a verb has started too: their end is no failure of theirs.
    if result.is_err() {
        stop.check()?;
    }
    result
}

fn dispatch(cli: &Cli, output: &Output, stop: &Stop) -> anyhow::Result<()> {
    match &cli.verb {
        Verb::Emit(verb) => verb.run(output),
        Verb::Cosim(verb) => verb.run(output, stop),
        Verb::Compliance(verb) => verb.run(output, stop),
        Verb::Synth(verb) => verb.run(output, stop),
        Verb::Formal(verb) => verb.run(output, stop),
        Verb::Area(verb) => verb.run(output, stop),
        Verb::Fabric(verb) => verb.run(output, stop),
        Verb::Wave(verb) => verb.run(output),
        Verb::Registers(verb) => verb.run(output),
        Verb::Dissector(verb) => verb.run(output),
        Verb::Serve(verb) => verb.run(output, stop),
        Verb::WriteBw(verb) => verb.run(output, stop),
        Verb::WriteLat(verb) => verb.run(output, stop),
        Verb::SendBw(verb) => verb.run(output, stop),
        Verb::SendLat(verb) => verb.run(output, stop),
        Verb::ReadBw(verb) => verb.run(output, stop),
        Verb::ReadLat(verb) => verb.run(output, stop),
        Verb::Devinfo(verb) => verb.run(output),
        Verb::Stats(verb) => verb.run(output),
        Verb::Bench(verb) => verb.run(output, stop),
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("metaroce: {error:#}");
            ExitCode::from(output::exit_code(&error))
        }
    }
}
