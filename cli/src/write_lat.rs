//! `metaroce write-lat`: RDMA Write latency, there and back.
use anyhow::Result;
use clap::Args;
use metaroce_soft::Verb;

use crate::latency::Options;
use crate::output::{Output, Stop};

/// RDMA Write latency to a `metaroce serve`: half of there and back.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  metaroce serve --local 127.0.0.1\n  metaroce write-lat 127.0.0.1 --local 127.0.0.2 --size 64"
)]
pub struct WriteLat {
    #[command(flatten)]
    options: Options,
}

impl WriteLat {
    /// Measures, and prints.
    pub fn run(&self, output: &Output, stop: &Stop) -> Result<()> {
        self.options.run(Verb::Write, output, stop)
    }
}
