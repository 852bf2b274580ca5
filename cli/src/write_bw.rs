//! `metaroce write-bw`: RDMA Write bandwidth to a server, or one file.
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use metaroce_soft::{SoftError, Verb, transfer_file};

use crate::bandwidth::Options;
use crate::output::{Output, Stop, reported};
use crate::soft::close;

/// RDMA Write bandwidth to a `metaroce serve`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  metaroce serve --local 127.0.0.1\n  metaroce write-bw 127.0.0.1 --local 127.0.0.2 --mtu 4096 --loss 0.01"
)]
pub struct WriteBw {
    #[command(flatten)]
    options: Options,
    /// Write this file instead, and compare hashes.
    #[arg(long)]
    file: Option<PathBuf>,
}

impl WriteBw {
    /// Measures, and prints.
    pub fn run(&self, output: &Output, stop: &Stop) -> Result<()> {
        match &self.file {
            Some(file) => self.write_file(file, output, stop),
            None => self.options.run(Verb::Write, output, stop),
        }
    }

    fn write_file(&self, file: &Path, output: &Output, stop: &Stop) -> Result<()> {
        let client = &self.options.client;
        let (server, paths) = (client.server(), client.paths()?);
        let device = client.open()?;
        let length = std::fs::metadata(file).map_or(0, |m| m.len());
        let mut progress = output.progress(length, "writing");
        let result = transfer_file(&device, &server, &paths, file, |bytes| {
            progress.set(bytes);
            stop.check().map_err(|_| SoftError::Interrupted)
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
        match transfer.identical {
            true => Ok(()),
            false => Err(reported("the receiver's hash is another one")),
        }
    }
}
