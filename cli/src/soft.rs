//! What the commands of the software peer share: its device, and how a client finds its server.
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use metaroce_protocol::constants::{ACK_EVERY, MAX_RETRIES, RTO, Tunable, WINDOW};
use metaroce_soft::{Device, DeviceOptions, FIRST_ENTROPY, SoftError, pin, setup::PORT, spread};
use metaroce_verbs::PathAttributes;

use crate::output::{Ending, Stop, usage};

/// The sockets' side.
#[derive(Args, Clone, Debug)]
pub struct Sockets {
    /// Own addresses, one a plane, IPv4 or IPv6: UDP port 4791 of each must be free.
    #[arg(
        long,
        value_delimiter = ',',
        required = true,
        value_name = "ADDRESS,..."
    )]
    local: Vec<IpAddr>,
    /// Largest payload of a packet in bytes; datagrams are up to 66 bytes longer, and IP and UDP headers come on top.
    #[arg(long, default_value_t = 1024, value_parser = mtu)]
    mtu: u32,
    /// Unresolved packets of a path.
    #[arg(long, default_value_t = WINDOW.default, value_parser = tunable(&WINDOW))]
    window: u32,
    /// Received packets of a path to an ACK.
    #[arg(long, default_value_t = ACK_EVERY.default, value_parser = tunable(&ACK_EVERY))]
    ack_every: u32,
    /// Microseconds of silence before a path is probed.
    #[arg(long, default_value_t = RTO.default, value_parser = tunable(&RTO))]
    rto: u32,
    /// Time-outs in a row before a connection fails.
    #[arg(long, default_value_t = MAX_RETRIES.default, value_parser = tunable(&MAX_RETRIES))]
    max_retries: u32,
    /// Share of frames thrown away instead of sent, 0 to below 1.
    #[arg(long, default_value_t = 0.0, value_parser = share)]
    loss: f64,
    /// Decides which.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Milliseconds for which Sends to a peer that has posted no buffer are tried again; 0: the first refusal is the end.
    #[arg(long, default_value_t = 5_000)]
    not_ready: u64,
    /// Silent paths that make a plane suspect, so that its load moves to the others; 0: never. For peers that have a CPU each.
    #[arg(long, default_value_t = 0)]
    suspect_paths: u32,
    /// Write everything sent and received to this pcapng file.
    #[arg(long)]
    pcap: Option<PathBuf>,
    /// Microseconds without work before a wait sleeps.
    #[arg(long, default_value_t = 50)]
    spin: u64,
    /// Stay on this CPU.
    #[arg(long)]
    cpu: Option<usize>,
}

/// What register of this tunable takes.
fn tunable(tunable: &Tunable) -> RangedU64ValueParser<u32> {
    RangedU64ValueParser::new().range(u64::from(tunable.min)..=tunable.max.into())
}

fn mtu(text: &str) -> Result<u32, String> {
    match text.parse::<u32>() {
        Ok(bytes) if bytes.is_power_of_two() && (256..=4096).contains(&bytes) => Ok(bytes),
        _ => Err(format!("256, 512, 1024, 2048 or 4096, not {text}")),
    }
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..1.0).contains(&value) => Ok(value),
        _ => Err(format!("0 to below 1, not {text}")),
    }
}

impl Sockets {
    /// Opens the device.
    pub fn open(&self) -> Result<Device> {
        pin(self.cpu)?;
        let options = DeviceOptions {
            mtu_log2: self.mtu.ilog2(),
            window: self.window,
            ack_every: self.ack_every,
            rto: self.rto,
            max_retries: self.max_retries,
            not_ready: Duration::from_millis(self.not_ready),
            suspect_paths: self.suspect_paths,
            loss: self.loss,
            seed: self.seed,
            capture: self.pcap.clone(),
            spin: Duration::from_micros(self.spin),
            ..DeviceOptions::new(self.local.clone())
        };
        Device::open(options).context("can't open the device")
    }

    /// Where set-ups are taken by default.
    pub fn default_listen(&self) -> SocketAddr {
        SocketAddr::new(self.local[0], PORT)
    }

    fn planes(&self) -> usize {
        self.local.len()
    }
}

/// A client's side.
#[derive(Args, Clone, Debug)]
pub struct Client {
    /// The server's set-up port: HOST or HOST:PORT.
    server: String,
    #[command(flatten)]
    sockets: Sockets,
    /// Paths, over the planes in turn.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=255))]
    paths: u16,
    /// UDP source port of the first path; the others follow.
    #[arg(long, default_value_t = FIRST_ENTROPY)]
    entropy: u16,
}

impl Client {
    /// Opens the device.
    pub fn open(&self) -> Result<Device> {
        self.sockets.open()
    }

    /// HOST:PORT.
    pub fn server(&self) -> String {
        set_up_port(&self.server)
    }

    /// The paths.
    pub fn paths(&self) -> Result<Vec<PathAttributes>> {
        let paths = spread(self.paths, self.sockets.planes(), self.entropy);
        if paths.len() < self.paths.into() {
            return Err(usage("--entropy and --paths lead beyond port 65535"));
        }
        Ok(paths)
    }
}

/// HOST:PORT of what was given as HOST or HOST:PORT; IPv6 with a port in brackets.
pub fn set_up_port(server: &str) -> String {
    match server.parse::<IpAddr>() {
        Ok(address) => SocketAddr::new(address, PORT).to_string(),
        Err(_) if server.contains(':') => server.to_string(),
        Err(_) => format!("{server}:{PORT}"),
    }
}

/// Ends a command's capture whatever became of its work, and tells an interruption as such.
pub fn close<T>(device: &Device, result: Result<T, SoftError>, stop: &Stop) -> Result<T> {
    let capture = device.finish_capture();
    stop.check()?;
    let result = match result {
        Err(SoftError::Interrupted) => return Err(Ending::Interrupted.into()),
        other => other?,
    };
    capture?;
    Ok(result)
}
