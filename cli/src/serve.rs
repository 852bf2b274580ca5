//! `metaroce serve`: a software peer that others write to, send to and read from.
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use metaroce_soft::{ServeOptions, Served, Server, Statistics};
use serde::Serialize;

use crate::output::{Output, Stop};
use crate::soft::{Sockets, close};

/// A MetaRoCE peer over UDP sockets, for write-bw, send-bw, read-bw, the -lat tests, devinfo and stats. Ends by ^C.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  metaroce serve --local 127.0.0.1\n  metaroce write-bw 127.0.0.1 --local 127.0.0.2"
)]
pub struct Serve {
    #[command(flatten)]
    sockets: Sockets,
    /// Where set-ups are taken [default: the first own address, port 18515].
    #[arg(long)]
    listen: Option<SocketAddr>,
    /// Keep received files in this folder.
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Largest memory of a client in bytes.
    #[arg(long, default_value_t = 1 << 30)]
    max_region: u64,
    /// Largest memory of all clients in bytes.
    #[arg(long, default_value_t = 4 << 30)]
    max_memory: u64,
    /// Seconds after which a silent client is gone.
    #[arg(long, default_value_t = 30)]
    patience: u64,
    /// End after so many clients; 0: go on.
    #[arg(long, default_value_t = 0)]
    clients: u64,
}

/// What a server reports at its end.
#[derive(Debug, Serialize)]
struct Report {
    clients: u64,
    failed: u64,
    counters: BTreeMap<&'static str, u32>,
    sockets: Statistics,
}

impl Serve {
    /// Serves until ^C.
    pub fn run(&self, output: &Output, stop: &Stop) -> Result<()> {
        if let Some(folder) = self.folder.as_ref().filter(|folder| !folder.is_dir()) {
            bail!("{} is not a folder", folder.display());
        }
        let device = self.sockets.open()?;
        let listen = self.listen.unwrap_or(self.sockets.default_listen());
        let options = ServeOptions {
            max_region: self.max_region,
            max_memory: self.max_memory,
            folder: self.folder.clone(),
            patience: Duration::from_secs(self.patience),
            clients: self.clients,
            ..ServeOptions::new(listen)
        };
        let mut server = Server::new(device.clone(), options)?;
        eprintln!("listening on {}", server.address().unwrap_or(listen));
        let mut failed = 0;
        let told = |end: &Served| match &end.result {
            Ok(()) => eprintln!("{}: done", end.client),
            Err(error) => {
                failed += 1;
                eprintln!("{}: {error}", end.client);
            }
        };
        let clients = server.run(|| stop.check().is_err(), told)?;
        // ^C is how a server ends: no failure.
        close(&device, Ok(()), &Stop::default())?;
        let report = Report {
            clients,
            failed,
            counters: device.counters().into_iter().collect(),
            sockets: device.statistics(),
        };
        output.print(&report, || {
            let mut rows = vec![
                ("clients", report.clients.to_string()),
                ("failed", report.failed.to_string()),
            ];
            rows.extend(
                report
                    .counters
                    .iter()
                    .map(|(name, n)| (*name, n.to_string())),
            );
            rows
        })
    }
}
