//! `metaroce send-lat`: Send latency, there and back.
use anyhow::Result;
use clap::Args;
use metaroce_soft::Verb;

use crate::latency::Options;
use crate::output::{Output, Stop};

/// Send latency to a `metaroce serve`, which sends each back: half of there and back.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  metaroce serve --local 127.0.0.1\n  metaroce send-lat 127.0.0.1 --local 127.0.0.2 --size 64"
)]
pub struct SendLat {
    #[command(flatten)]
    options: Options,
}

impl SendLat {
    /// Measures, and prints.
    pub fn run(&self, output: &Output, stop: &Stop) -> Result<()> {
        self.options.run(Verb::Send, output, stop)
    }
}
