//! How fast the software peer is: against `iperf3`, and the model alone.
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use metaroce_protocol::constants::{MIN_FRAME_BYTES, WRITE_OVERHEAD_BYTES};
use metaroce_protocol::{Ethernet, Ipv4, Udp};
use metaroce_verbs::PathAttributes;
use nix::time::{ClockId, clock_gettime};
use serde::Serialize;

use crate::client::spread;
use crate::device::{Device, DeviceOptions};
use crate::error::SoftError;
use crate::measure::{Bandwidth, Latency, Load, Ping, Verb, bandwidth, latency};
use crate::serve::{ServeOptions, Server};

mod iperf3;
mod model;

pub use model::{ModelBench, bench_model};

/// Loopback address of the server. Two peers of one host need an address each.
const SERVER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(127, 77, 0, 1));
/// Of the client.
const CLIENT: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(127, 77, 0, 2));

/// Bytes of a message whose latency is measured.
const PING: usize = 64;
/// How often.
const PINGS: u64 = 10_000;

/// Settings of [`bench_soft`].
#[derive(Clone, Debug, Serialize)]
pub struct SoftBenchOptions {
    /// Payload of a packet, log2 of bytes.
    pub mtu_log2: u32,
    /// Bytes of a message.
    pub message: usize,
    /// Paths.
    pub paths: u16,
    /// Unresolved packets of a path.
    pub window: u32,
    /// Packets to an ACK.
    pub ack_every: u32,
    /// Seconds of each measurement.
    pub seconds: u64,
    /// Pairs of measurements: ours, `iperf3`'s.
    pub rounds: u32,
    /// CPUs of server and client, for both programs. `None`: wherever the system puts them.
    pub cpus: Option<[usize; 2]>,
}

impl Default for SoftBenchOptions {
    fn default() -> Self {
        Self {
            mtu_log2: 12,
            message: 1 << 20,
            paths: 4,
            window: 64,
            ack_every: 16,
            seconds: 2,
            rounds: 3,
            cpus: Some([0, 1]),
        }
    }
}

/// What [`bench_soft`] found.
#[derive(Clone, Debug, Serialize)]
pub struct SoftBench {
    /// Median of the rounds: our payload a second, to `iperf3`'s.
    pub ratio_to_iperf3: f64,
    /// Of each round.
    pub ratios: Vec<f64>,
    /// Ours, by round.
    pub gigabits_per_second: Vec<f64>,
    /// What arrived of `iperf3`'s, by round: the best of unpaced and two paced runs, since unpaced it loses most.
    pub iperf3_gigabits_per_second: Vec<f64>,
    /// Share that `iperf3` lost in its best run, by round.
    pub iperf3_lost: Vec<f64>,
    /// What unpaced `iperf3` sent, lost or not, by round.
    pub iperf3_sent_gigabits_per_second: Vec<f64>,
    /// Nanoseconds of CPU for a packet of ours, all rounds: client, server. Does not depend on what else the machine does.
    pub cpu_ns_per_packet: [f64; 2],
    /// The same of `iperf3`'s datagrams, in its best runs.
    pub iperf3_cpu_ns_per_packet: [f64; 2],
    /// WRITEs that we sent again, all rounds.
    pub retransmissions: u32,
    /// Of an RDMA Write of 64 bytes: half of there and back, microseconds.
    pub latency_us: Latency,
    /// Bytes of each datagram, both programs.
    pub datagram: usize,
    /// How it was measured.
    pub settings: SoftBenchOptions,
}

/// Goodput over loopback between two threads, against `iperf3 -u` with datagrams of the same size; and latency.
pub fn bench_soft(
    options: &SoftBenchOptions,
    stop: impl Fn() -> bool,
) -> Result<SoftBench, SoftError> {
    let hidden = MIN_FRAME_BYTES.min(Ethernet::BYTES + Ipv4::BYTES + Udp::BYTES);
    let datagram = (1 << options.mtu_log2) + WRITE_OVERHEAD_BYTES - hidden;
    let count = options.rounds.max(1);
    let rounds: Vec<_> = (0..count)
        .map(|_| Round::run(options, datagram, &stop))
        .collect::<Result<_, _>>()?;
    let ping = Ping {
        verb: Verb::Write,
        bytes: PING,
        iterations: PINGS,
    };
    let (latency_us, _) = between(options, &stop, |device, server, paths, stop| {
        latency(device, server, paths, &ping, stop)
    })?;
    let each = |value: fn(&Round) -> f64| rounds.iter().map(value).collect::<Vec<_>>();
    let ratios = each(|r| r.ours.average_gigabits_per_second / r.theirs.arrived);
    let mut sorted = ratios.clone();
    sorted.sort_by(f64::total_cmp);
    let packets_a_message = options.message.div_ceil(1 << options.mtu_log2) as f64;
    let packets: f64 = rounds
        .iter()
        .map(|r| r.ours.iterations as f64 * packets_a_message)
        .sum();
    let cpu = |side: usize| {
        let nanoseconds = rounds.iter().map(|r| r.cpu[side].as_nanos() as f64);
        nanoseconds.sum::<f64>() / packets
    };
    let their_cpu = |side: usize| {
        let nanoseconds = rounds.iter().map(|r| r.theirs.best.cpu_ns[side]);
        nanoseconds.sum::<f64>() / f64::from(count)
    };
    Ok(SoftBench {
        ratio_to_iperf3: sorted[sorted.len() / 2],
        ratios,
        gigabits_per_second: each(|r| r.ours.average_gigabits_per_second),
        iperf3_gigabits_per_second: each(|r| r.theirs.arrived),
        iperf3_lost: each(|r| r.theirs.best.lost),
        iperf3_sent_gigabits_per_second: each(|r| r.theirs.sent_unpaced),
        cpu_ns_per_packet: [cpu(0), cpu(1)],
        iperf3_cpu_ns_per_packet: [their_cpu(0), their_cpu(1)],
        retransmissions: rounds.iter().map(|r| r.ours.retransmissions).sum(),
        latency_us,
        datagram,
        settings: options.clone(),
    })
}

/// A measurement of each program.
struct Round {
    ours: Bandwidth,
    /// CPU time of client and server.
    cpu: [Duration; 2],
    theirs: iperf3::Reached,
}

impl Round {
    fn run(
        options: &SoftBenchOptions,
        datagram: usize,
        stop: &impl Fn() -> bool,
    ) -> Result<Self, SoftError> {
        let load = Load {
            verb: Verb::Write,
            bytes: options.message,
            iterations: u64::MAX,
            limit: Some(Duration::from_secs(options.seconds)),
        };
        let (ours, cpu) = between(options, stop, |device, server, paths, stop| {
            bandwidth(device, server, paths, &load, stop)
        })?;
        let theirs = iperf3::best(options, datagram)?;
        Ok(Self { ours, cpu, theirs })
    }
}

/// Lets a client do something with a server, each on its CPU: what came of it, and the CPU time of client and server.
fn between<T: Send>(
    options: &SoftBenchOptions,
    stop: &impl Fn() -> bool,
    work: impl FnOnce(&Device, &str, &[PathAttributes], &dyn Fn() -> bool) -> Result<T, SoftError>
    + Send,
) -> Result<(T, [Duration; 2]), SoftError> {
    let device = |address| DeviceOptions {
        mtu_log2: options.mtu_log2,
        window: options.window,
        ack_every: options.ack_every,
        ..DeviceOptions::new(vec![address])
    };
    let over = AtomicBool::new(false);
    let (said, heard) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let server_device = device(SERVER);
        let server = scope.spawn(|| serve(server_device, options, &over, said));
        // The caller's thread stays free: only these two are pinned.
        let over = &over;
        let client_device = device(CLIENT);
        let client = scope.spawn(move || {
            let interrupted = Err(SoftError::Interrupted);
            // If the server does not say where it listens, its own error says why.
            let result = heard.recv().map_or(interrupted, |address: SocketAddr| {
                pin(options.cpus.map(|cpus| cpus[1]))?;
                let device = Device::open(client_device)?;
                let paths = spread(options.paths, 1, crate::FIRST_ENTROPY);
                let over = || over.load(Ordering::Relaxed);
                let result = work(&device, &address.to_string(), &paths, &over)?;
                Ok((result, cpu_time()))
            });
            over.store(true, Ordering::Relaxed);
            result
        });
        while !client.is_finished() {
            if stop() {
                over.store(true, Ordering::Relaxed);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let (server, client) = (join(server), join(client));
        let server = server?;
        let (result, client) = client?;
        Ok((result, [client, server]))
    })
}

fn join<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn serve(
    device: DeviceOptions,
    options: &SoftBenchOptions,
    over: &AtomicBool,
    said: std::sync::mpsc::Sender<SocketAddr>,
) -> Result<Duration, SoftError> {
    pin(options.cpus.map(|cpus| cpus[0]))?;
    let listen = SocketAddr::new(SERVER, 0);
    let mut server = Server::new(Device::open(device)?, ServeOptions::new(listen))?;
    let _ = said.send(server.address().unwrap_or(listen));
    drop(said);
    server.run(|| over.load(Ordering::Relaxed), |_| {})?;
    Ok(cpu_time())
}

/// CPU time of this thread so far.
fn cpu_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Into::into)
}

/// Keeps this thread on one CPU.
pub fn pin(cpu: Option<usize>) -> Result<(), SoftError> {
    let Some(cpu) = cpu else { return Ok(()) };
    let mut set = nix::sched::CpuSet::new();
    set.set(cpu)
        .and_then(|()| nix::sched::sched_setaffinity(nix::unistd::Pid::from_raw(0), &set))
        .map_err(|errno| SoftError::Cpu {
            cpu,
            cause: errno.into(),
        })
}
