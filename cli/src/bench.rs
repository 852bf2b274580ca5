//! `metaroce bench`: how fast the software is, and how many events a cycle the engine takes.
use anyhow::Result;
use clap::{Args, Subcommand};
use metaroce_fabric::bench::bench_fabric;
use metaroce_soft::{SoftBenchOptions, SoftError, bench_model, bench_soft};

use crate::output::{Ending, Output, Stop};

mod engine;
mod plane;

/// How fast the software is, and how many events a cycle the hardware takes.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  metaroce bench model\n  metaroce bench soft --rounds 3\n  metaroce bench fabric --hosts 1024 --json\n  metaroce bench engine --cycles 20000\n  metaroce bench engine --size large --json\n  metaroce bench plane --width 512 --json"
)]
pub struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Clone, Debug)]
enum What {
    /// The software peer over loopback, against `iperf3 -u` with datagrams of the same size.
    Soft {
        /// Seconds of each measurement.
        #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=3600))]
        seconds: u64,
        /// Measurements of each program, in turn.
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
        rounds: u32,
        /// CPUs of server and client, for both programs.
        #[arg(long, value_delimiter = ',', num_args = 2, default_values_t = [0, 1])]
        cpus: Vec<usize>,
    },
    /// The network simulator: a permutation of 2 MB flows.
    Fabric {
        /// Hosts, a multiple of 32.
        #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(32..=16_384))]
        hosts: u32,
    },
    /// The verilated engine: events a cycle in all three directions at once, the model its peer.
    Engine(engine::Engine),
    /// A verilated plane: beats a cycle, sent and received, of frames of one payload each.
    Plane(plane::Plane),
    /// The model alone, in process.
    Model {
        /// Paths of the connection.
        #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=256))]
        paths: u16,
        /// Data packets.
        #[arg(long, default_value_t = 1_000_000)]
        packets: u64,
    },
}

impl Bench {
    /// Measures, and prints.
    pub fn run(&self, output: &Output, stop: &Stop) -> Result<()> {
        match &self.what {
            What::Soft {
                seconds,
                rounds,
                cpus,
            } => {
                let options = SoftBenchOptions {
                    seconds: *seconds,
                    rounds: *rounds,
                    cpus: cpus.as_slice().try_into().ok(),
                    ..SoftBenchOptions::default()
                };
                let bench = match bench_soft(&options, || stop.check().is_err()) {
                    Err(SoftError::Interrupted) => return Err(Ending::Interrupted.into()),
                    other => other?,
                };
                let all = |values: &[f64]| {
                    let words: Vec<_> = values.iter().map(|v| format!("{v:.2}")).collect();
                    words.join(", ")
                };
                output.print(&bench, || {
                    vec![
                        (
                            "ratio to iperf3 -u (median)",
                            format!("{:.2}", bench.ratio_to_iperf3),
                        ),
                        ("of each round", all(&bench.ratios)),
                        ("goodput [Gb/s]", all(&bench.gigabits_per_second)),
                        (
                            "iperf3, arrived at best [Gb/s]",
                            all(&bench.iperf3_gigabits_per_second),
                        ),
                        ("iperf3, share lost then", all(&bench.iperf3_lost)),
                        (
                            "iperf3, sent unpaced [Gb/s]",
                            all(&bench.iperf3_sent_gigabits_per_second),
                        ),
                        (
                            "CPU a packet, client and server [ns]",
                            all(&bench.cpu_ns_per_packet),
                        ),
                        ("iperf3's [ns]", all(&bench.iperf3_cpu_ns_per_packet)),
                        (
                            "latency of 64 B: median, 99 %, 99.9 % [us]",
                            all(&[
                                bench.latency_us.t_typical,
                                bench.latency_us.percentile_99,
                                bench.latency_us.percentile_99_9,
                            ]),
                        ),
                        ("bytes of a datagram", bench.datagram.to_string()),
                        ("retransmissions", bench.retransmissions.to_string()),
                    ]
                })
            }
            What::Fabric { hosts } => {
                let mut progress = output.progress(1_000, "permutation");
                let bench = bench_fabric(*hosts, |done| {
                    progress.set((1_000.0 * done) as u64);
                    stop.check().is_ok()
                });
                drop(progress);
                stop.check()?;
                output.print(&bench, || {
                    let whole = |value: f64| format!("{value:.0}");
                    vec![
                        ("events a second", whole(bench.events_per_second)),
                        ("data packets a second", whole(bench.packets_per_second)),
                        ("bytes a connection", bench.bytes_per_connection.to_string()),
                        ("seconds", format!("{:.2}", bench.seconds)),
                        ("hosts", bench.hosts.to_string()),
                    ]
                })
            }
            What::Engine(engine) => engine.run(output, stop),
            What::Plane(plane) => plane.run(output, stop),
            What::Model { paths, packets } => {
                let bench = bench_model(*paths, *packets);
                output.print(&bench, || {
                    vec![
                        (
                            "packets a second",
                            format!("{:.0}", bench.packets_per_second),
                        ),
                        ("packets", bench.packets.to_string()),
                        ("ACKs", bench.acknowledgements.to_string()),
                        ("paths", bench.paths.to_string()),
                    ]
                })
            }
        }
    }
}
