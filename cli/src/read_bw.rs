//! `metaroce read-bw`: RDMA Read bandwidth from a server.
use anyhow::Result;
use clap::Args;
use metaroce_soft::Verb;

use crate::bandwidth::Options;
use crate::output::{Output, Stop};

/// RDMA Read bandwidth from a `metaroce serve`; what was read last is compared.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  metaroce serve --local 127.0.0.1\n  metaroce read-bw 127.0.0.1 --local 127.0.0.2 --mtu 4096"
)]
pub struct ReadBw {
    #[command(flatten)]
    options: Options,
}

impl ReadBw {
    /// Measures, and prints.
    pub fn run(&self, output: &Output, stop: &Stop) -> Result<()> {
        self.options.run(Verb::Read, output, stop)
    }
}
