//! `metaroce devinfo`: what a software peer can do.
use std::net::IpAddr;

use anyhow::{Context, Result};
use clap::Args;
use metaroce_soft::{Device, DeviceInfo, DeviceOptions, ask_device};
use metaroce_verbs::Capabilities;
use serde::Serialize;

use crate::output::Output;
use crate::soft::set_up_port;

/// What a software peer can do: verbs, sizes, planes, MTU.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  metaroce serve --local 127.0.0.1 --mtu 4096\n  metaroce devinfo 127.0.0.1"
)]
pub struct Devinfo {
    /// A server's set-up port: HOST or HOST:PORT.
    #[arg(required_unless_present = "local")]
    server: Option<String>,
    /// Own addresses, one a plane: what a peer on them could do. UDP port 4791 of each must be free.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "ADDRESS,...",
        conflicts_with = "server"
    )]
    local: Vec<IpAddr>,
}

/// What is printed.
#[derive(Debug, Serialize)]
struct Report {
    addresses: Vec<IpAddr>,
    #[serde(flatten)]
    capabilities: Capabilities,
    registered_bytes: u64,
}

impl Devinfo {
    /// Asks, and prints.
    pub fn run(&self, output: &Output) -> Result<()> {
        let info = match &self.server {
            Some(server) => ask_device(&set_up_port(server))?,
            None => Device::open(DeviceOptions::new(self.local.clone()))
                .context("can't open the device")?
                .info(),
        };
        let DeviceInfo {
            addresses,
            capabilities,
            registered,
            ..
        } = info;
        let report = Report {
            addresses,
            capabilities,
            registered_bytes: registered,
        };
        output.print(&report, || rows(&report))
    }
}

fn rows(report: &Report) -> Vec<(&'static str, String)> {
    let c = &report.capabilities;
    let addresses: Vec<_> = report.addresses.iter().map(IpAddr::to_string).collect();
    vec![
        ("addresses", addresses.join(", ")),
        ("verbs", c.names().join(", ")),
        ("MTU, payload [bytes]", c.mtu.to_string()),
        ("planes", c.planes.to_string()),
        ("connections", c.connections.to_string()),
        ("paths a connection", c.paths.to_string()),
        ("bitvector of a path [packets]", c.window.to_string()),
        ("streams a connection", c.streams.to_string()),
        ("messages under way", c.messages.to_string()),
        ("posted buffers a stream", c.receives.to_string()),
        ("memory regions", c.regions.to_string()),
        (
            "registered memory [bytes]",
            report.registered_bytes.to_string(),
        ),
    ]
}
