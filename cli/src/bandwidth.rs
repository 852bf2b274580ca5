//! What write-bw, send-bw and read-bw share: their options, the run, perftest's table.
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use metaroce_soft::{Bandwidth, Load, Verb, bandwidth};

use crate::output::{Output, Stop};
use crate::soft::{Client, close};

/// Options of a bandwidth test.
#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    pub client: Client,
    /// Bytes of a message.
    #[arg(long, default_value_t = 65_536)]
    size: u32,
    /// Messages.
    #[arg(long, default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..))]
    iterations: u64,
    /// Seconds, instead of a number of messages.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    duration: Option<u64>,
}

impl Options {
    /// Measures, and prints.
    pub fn run(&self, verb: Verb, output: &Output, stop: &Stop) -> Result<()> {
        let (server, paths) = (self.client.server(), self.client.paths()?);
        let device = self.client.open()?;
        let limit = self.duration.map(Duration::from_secs);
        let load = Load {
            verb,
            bytes: self.size as usize,
            iterations: limit.map_or(self.iterations, |_| u64::MAX),
            limit,
        };
        let result = bandwidth(&device, &server, &paths, &load, || stop.check().is_err());
        let result = close(&device, result, stop)?;
        output.print_lines(&result, || lines(&result))
    }
}

/// perftest's table.
fn lines(b: &Bandwidth) -> Vec<String> {
    let head = " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]";
    let row = format!(
        " {:<10} {:<14} {:<18.2} {:<20.2} {:.6}",
        b.bytes,
        b.iterations,
        b.peak_gigabits_per_second,
        b.average_gigabits_per_second,
        b.message_rate_mpps
    );
    vec![head.into(), row]
}
