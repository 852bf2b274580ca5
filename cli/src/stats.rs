//! `metaroce stats`: a software peer's counters.
use std::collections::BTreeMap;

use anyhow::Result;
use clap::Args;
use metaroce_soft::{Statistics, ask_device};
use serde::Serialize;

use crate::output::Output;
use crate::soft::set_up_port;

/// A server's counters by name: all connections, closed ones too. Those that are 0 are left out; the sockets' five are always there.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  metaroce serve --local 127.0.0.1\n  metaroce stats 127.0.0.1 --json"
)]
pub struct Stats {
    /// The server's set-up port: HOST or HOST:PORT.
    server: String,
}

/// What is printed.
#[derive(Debug, Serialize)]
struct Report {
    counters: BTreeMap<String, u32>,
    sockets: Statistics,
}

impl Stats {
    /// Asks, and prints.
    pub fn run(&self, output: &Output) -> Result<()> {
        let info = ask_device(&set_up_port(&self.server))?;
        let report = Report {
            counters: info.counters,
            sockets: info.sockets,
        };
        output.print(&report, || {
            let counters = report.counters.iter();
            let mut rows: Vec<_> = counters
                .map(|(name, n)| (name.clone(), n.to_string()))
                .collect();
            rows.extend(socket_rows(&report.sockets));
            rows
        })
    }
}

/// What the sockets saw, for a table.
fn socket_rows(s: &Statistics) -> Vec<(String, String)> {
    let rows = [
        ("tx_datagrams", s.tx_datagrams),
        ("tx_refused", s.tx_refused),
        ("tx_injected_losses", s.tx_injected_losses),
        ("rx_datagrams", s.rx_datagrams),
        ("rx_batches", s.rx_batches),
    ];
    rows.map(|(name, n)| (name.to_string(), n.to_string()))
        .into()
}
