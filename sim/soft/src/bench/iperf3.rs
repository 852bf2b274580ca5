//! `iperf3 -u` over the same addresses, on the same CPUs.
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{CLIENT, SERVER, SoftBenchOptions};
use crate::error::SoftError;

/// Its server gets ready within.
const READY: Duration = Duration::from_secs(5);

/// A child that does not outlive its use.
struct Guard(Child);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What `iperf3` reached.
pub(super) struct Reached {
    /// What arrived in the best run, Gb/s.
    pub(super) arrived: f64,
    /// The best run.
    pub(super) best: Run,
    /// What the unpaced run sent, Gb/s.
    pub(super) sent_unpaced: f64,
}

/// One run.
#[derive(Clone, Copy)]
pub(super) struct Run {
    /// Gb/s.
    sent: f64,
    /// Share.
    pub(super) lost: f64,
    /// Nanoseconds of CPU for a datagram: client, of those sent; server, of those that arrived.
    pub(super) cpu_ns: [f64; 2],
}

impl Run {
    fn arrived(&self) -> f64 {
        self.sent * (1.0 - self.lost)
    }
}

/// Runs unpaced, then paced: below what it could send, it may well lose less than it sends less.
pub(super) fn best(options: &SoftBenchOptions, datagram: usize) -> Result<Reached, SoftError> {
    let unpaced = run(options, datagram, 0.0)?;
    let mut best = unpaced;
    for share in [0.8, 0.6] {
        let paced = run(options, datagram, share * unpaced.sent)?;
        if paced.arrived() > best.arrived() {
            best = paced;
        }
    }
    Ok(Reached {
        arrived: best.arrived(),
        best,
        sent_unpaced: unpaced.sent,
    })
}

/// Runs at this pace in Gb/s (0: none).
fn run(options: &SoftBenchOptions, datagram: usize, pace: f64) -> Result<Run, SoftError> {
    let port = free_port()?.to_string();
    let (server, client) = (SERVER.to_string(), CLIENT.to_string());
    let pinned = |which: usize| {
        let cpu = options.cpus.map(|cpus| cpus[which].to_string());
        cpu.map_or(vec![], |cpu| vec!["-A".to_string(), cpu])
    };
    let mut listening = Command::new("iperf3");
    listening
        .args(["-s", "-1", "-B", &server, "-p", &port])
        .args(pinned(0))
        .stdout(Stdio::null());
    let _listening = Guard(
        listening
            .spawn()
            .map_err(|e| failed("to be there", &e.to_string()))?,
    );
    let pace = format!("{}M", (pace * 1e3) as u64);
    let (seconds, length) = (options.seconds.to_string(), datagram.to_string());
    let deadline = Instant::now() + READY;
    loop {
        let output = Command::new("iperf3")
            .args([
                "-u", "-J", "-b", &pace, "-w", "2M", "-c", &server, "-B", &client, "-p", &port,
            ])
            .args(["-l", &length, "-t", &seconds])
            .args(pinned(1))
            .output()
            .map_err(|e| failed("to run", &e.to_string()))?;
        match read_iperf3(&output.stdout) {
            Ok(result) => return Ok(result),
            // Its server is not listening yet.
            Err(_) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(100)),
            Err(error) => return Err(error),
        }
    }
}

fn read_iperf3(json: &[u8]) -> Result<Run, SoftError> {
    let value: serde_json::Value =
        serde_json::from_slice(json).map_err(|e| failed("JSON", &e.to_string()))?;
    if let Some(error) = value["error"].as_str() {
        return Err(failed("a run", error));
    }
    let number = |part: &str, name: &str| {
        let found = value["end"][part][name].as_f64();
        found.ok_or_else(|| failed(&format!("`end.{part}.{name}`"), "none"))
    };
    let lost = number("sum", "lost_percent")? / 100.0;
    let (seconds, packets) = (number("sum", "seconds")?, number("sum", "packets")?);
    let cpu_ns = |side: &str, packets: f64| {
        let share = number("cpu_utilization_percent", side)? / 100.0;
        Ok::<_, SoftError>(share * seconds * 1e9 / packets)
    };
    Ok(Run {
        sent: number("sum", "bits_per_second")? * 1e-9,
        lost,
        cpu_ns: [
            cpu_ns("host_total", packets)?,
            cpu_ns("remote_total", packets * (1.0 - lost))?,
        ],
    })
}

fn failed(needed: &str, found: &str) -> SoftError {
    SoftError::Program {
        program: "iperf3",
        needed: needed.into(),
        found: found.into(),
    }
}

fn free_port() -> Result<u16, SoftError> {
    let address = SocketAddr::new(SERVER, 0);
    std::net::TcpListener::bind(address)
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(|cause| SoftError::Listen { address, cause })
}
