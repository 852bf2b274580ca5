//! `metaroce write-bw`: RDMA Write bandwidth to a server, or one file.
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use metaroce_soft::{Bandwidth, bandwidth, transfer_file};

use crate::output::{Output, Stop, reported};
use crate::soft::{Client, close};

/// RDMA Write bandwidth to a `metaroce serve`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  metaroce write-bw 127.0.0.1 --local 127.0.0.2 --mtu 4096 --loss 0.01"
)]
pub struct WriteBw {
    #[command(flatten)]
    client: Client,
    /// Bytes of a message.
    #[arg(long, default_value_t = 65_536)]
    size: u32,
    /// Messages.
    #[arg(long, default_value_t = 5_000)]
    iterations: u64,
    /// Seconds, instead of a number of messages.
    #[arg(long)]
    duration: Option<u64>,
    /// Write this file instead, and compare hashes.
    #[arg(long)]
    file: Option<PathBuf>,
}

impl WriteBw {
    /// Measures, and prints.
    pub fn run(&self, output: &Output, stop: &Stop) -> Result<()> {
        let (device, server, paths) = (
            self.client.open()?,
            self.client.server(),
            self.client.paths()?,
        );
        if let Some(file) = &self.file {
            let length = std::fs::metadata(file).map_or(0, |m| m.len());
            let mut progress = output.progress(length, "writing");
            let result = transfer_file(&device, &server, &paths, file, |bytes| {
                progress.set(bytes);
                match stop.check() {
                    Ok(()) => Ok(()),
                    Err(_) => Err(metaroce_soft::SoftError::Interrupted),
                }
            });
            drop(progress);
            let transfer = close(&device, result, stop)?;
            output.print(&transfer, || {
                vec![
                    ("bytes", transfer.bytes.to_string()),
                    ("sha256", transfer.sha256.clone()),
                    (
                        "identical",
                        if transfer.identical { "yes" } else { "NO" }.into(),
                    ),
                    ("Gb/s", format!("{:.2}", transfer.gigabits_per_second)),
                ]
            })?;
            return match transfer.identical {
                true => Ok(()),
                false => Err(reported("the receiver's hash is another one")),
            };
        }
        let limit = self.duration.map(Duration::from_secs);
        let iterations = limit.map_or(self.iterations, |_| u64::MAX);
        let stopped = || stop.check().is_err();
        let bytes = self.size as usize;
        let result = bandwidth(&device, &server, &paths, bytes, iterations, limit, stopped);
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
