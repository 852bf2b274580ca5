//! How fast the simulator is.
use std::path::Path;
use std::time::Instant;

use serde::Serialize;

use crate::scenario::Scenario;
use crate::simulation::Simulation;

/// What [`bench_fabric`] found.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FabricBench {
    /// Events a second.
    pub events_per_second: f64,
    /// Data packets from host to host a second.
    pub packets_per_second: f64,
    /// Bytes of memory of a connection: tables of both its ends.
    pub bytes_per_connection: u64,
    /// Seconds it took, set-up included.
    pub seconds: f64,
    /// Events.
    pub events: u64,
    /// Data packets.
    pub packets: u64,
    /// Hosts.
    pub hosts: u32,
    /// Every flow completed.
    pub finished: bool,
}

/// A permutation of 2 MB flows over leaves of 32 hosts and 32 spines. `watch` hears the share done and says whether to go on.
pub fn bench_fabric(hosts: u32, mut watch: impl FnMut(f64) -> bool) -> FabricBench {
    let text = format!(
        "name = 'bench'\n[fabric]\ntopology = 'leaf-spine'\nleaves = {}\nhosts_per_leaf = 32\nspines = 32\n[[workload]]\npermutation = {{ size = '2MB' }}\n",
        hosts / 32
    );
    let scenario = Scenario::parse(&text, Path::new("bench.toml"));
    let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
    let began = Instant::now();
    let summary = Simulation::new(&scenario, 1).run(|simulation| watch(simulation.done()));
    let seconds = began.elapsed().as_secs_f64();
    FabricBench {
        events_per_second: summary.events as f64 / seconds,
        packets_per_second: summary.packets as f64 / seconds,
        bytes_per_connection: summary.bytes_per_connection,
        seconds,
        events: summary.events,
        packets: summary.packets,
        hosts: hosts / 32 * 32,
        finished: summary.finished,
    }
}
