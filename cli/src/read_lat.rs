//! `metaroce read-lat`: RDMA Read latency.
use anyhow::Result;
use clap::Args;
use metaroce_soft::Verb;

use crate::latency::Options;
use crate::output::{Output, Stop};

/// RDMA Read latency from a `metaroce serve`: from posting to completion.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  metaroce serve --local 127.0.0.1\n  metaroce read-lat 127.0.0.1 --local 127.0.0.2 --size 64"
)]
pub struct ReadLat {
    #[command(flatten)]
    options: Options,
}

impl ReadLat {
    /// Measures, and prints.
    pub fn run(&self, output: &Output, stop: &Stop) -> Result<()> {
        self.options.run(Verb::Read, output, stop)
    }
}
