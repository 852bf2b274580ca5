//! `metaroce write-lat`: RDMA Write latency, there and back.
use anyhow::Result;
use clap::Args;
use metaroce_soft::{Latency, latency};

use crate::output::{Output, Stop};
use crate::soft::{Client, close};

/// RDMA Write latency to a `metaroce serve`: half of there and back.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example:\n  metaroce write-lat 127.0.0.1 --local 127.0.0.2 --size 64")]
pub struct WriteLat {
    #[command(flatten)]
    client: Client,
    /// Bytes of a message.
    #[arg(long, default_value_t = 2)]
    size: u32,
    /// Messages there and back.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    iterations: u64,
}

impl WriteLat {
    /// Measures, and prints.
    pub fn run(&self, output: &Output, stop: &Stop) -> Result<()> {
        let (device, server, paths) = (
            self.client.open()?,
            self.client.server(),
            self.client.paths()?,
        );
        let stopped = || stop.check().is_err();
        let result = latency(
            &device,
            &server,
            &paths,
            self.size as usize,
            self.iterations,
            stopped,
        );
        let result = close(&device, result, stop)?;
        output.print_lines(&result, || lines(&result))
    }
}

/// perftest's table.
fn lines(l: &Latency) -> Vec<String> {
    let head = " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]";
    let row = format!(
        " {:<6} {:<14} {:<14.2} {:<12.2} {:<18.2} {:<14.2} {:<15.2} {:<22.2} {:.2}",
        l.bytes,
        l.iterations,
        l.t_min,
        l.t_max,
        l.t_typical,
        l.t_avg,
        l.t_stdev,
        l.percentile_99,
        l.percentile_99_9
    );
    vec![head.into(), row]
}
