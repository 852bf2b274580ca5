//! What write-lat, send-lat and read-lat share: their options, the run, perftest's table.
use anyhow::Result;
use clap::Args;
use metaroce_soft::{Latency, Ping, Verb, latency};

use crate::output::{Output, Stop};
use crate::soft::{Client, close};

/// Options of a latency test.
#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    client: Client,
    /// Bytes of a message.
    #[arg(long, default_value_t = 2)]
    size: u32,
    /// Messages, one after the other.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    iterations: u64,
}

impl Options {
    /// Measures, and prints.
    pub fn run(&self, verb: Verb, output: &Output, stop: &Stop) -> Result<()> {
        let (server, paths) = (self.client.server(), self.client.paths()?);
        let device = self.client.open()?;
        let ping = Ping {
            verb,
            bytes: self.size as usize,
            iterations: self.iterations,
        };
        let result = latency(&device, &server, &paths, &ping, || stop.check().is_err());
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
