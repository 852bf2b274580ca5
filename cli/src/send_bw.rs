//! `metaroce send-bw`: bandwidth of Sends into a server's posted buffers.
use anyhow::Result;
use clap::Args;
use metaroce_soft::Verb;

use crate::bandwidth::Options;
use crate::output::{Output, Stop};

/// Send bandwidth to a `metaroce serve`, into buffers that it posts.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  metaroce serve --local 127.0.0.1\n  metaroce send-bw 127.0.0.1 --local 127.0.0.2 --mtu 4096 --loss 0.01"
)]
pub struct SendBw {
    #[command(flatten)]
    options: Options,
}

impl SendBw {
    /// Measures, and prints.
    pub fn run(&self, output: &Output, stop: &Stop) -> Result<()> {
        self.options.run(Verb::Send, output, stop)
    }
}
