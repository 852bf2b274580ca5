//! Two verilated NICs, their planes, and their drivers.
use anyhow::Result;
use metaroce_cosim::bus::Pace;
use metaroce_cosim::lab::NicLab;
use metaroce_cosim::station::{Plant, Station, Surroundings};
use metaroce_cosim::testbed::Testbed;
use metaroce_cosim::waves::Request;
use metaroce_host_driver::{DeviceOptions, Lab, open};
use metaroce_protocol::{MacAddr, Psn, Tsn};
use metaroce_rtl::sizes;
use metaroce_verbs::{Connection, ConnectionAttributes, Device, MemoryRegion, PathAttributes};

use super::Cosim;

/// Largest latency of host memory, cycles.
const MEMORY_LATENCY: u64 = 24;
/// First of the paths' UDP source ports: the dynamic range of RFC 6335.
const FIRST_ENTROPY: u16 = 0xC000;

/// One host: its device, and its end of the connection.
pub struct Host {
    pub device: Device,
    pub region: MemoryRegion,
    pub connection: Connection,
}

/// Which of the two NICs is to be traced.
pub struct Tracing<'a> {
    pub nic: usize,
    pub request: &'a Request,
}

/// Builds NICs, planes and watchers.
pub fn build(options: &Cosim, tracing: Option<&Tracing<'_>>) -> Result<Lab> {
    let size = sizes::Size::Small;
    let nics = NicLab::new(size)?;
    let station = |nic: usize| -> Result<Station> {
        let traced = tracing.filter(|t| t.nic == nic);
        let surroundings = Surroundings {
            pace: Pace::Random(options.stall),
            memory_latency: MEMORY_LATENCY,
            seed: options.seed.wrapping_mul(2).wrapping_add(nic as u64),
            // The clocks of two hosts never agree; one of them wraps soon.
            start_time: if nic == 0 { u32::MAX - 20_000 } else { 7_000 },
        };
        let waves = traced.map(|t| t.request);
        Ok(nics.station(["A", "B"][nic], &surroundings, waves)?)
    };
    let mut stations = [station(0)?, station(1)?];
    if let Some(cycle) = options.plant_fault {
        stations[0].plant(Plant { cycle });
    }
    Ok(Lab::new(Testbed::new(
        stations,
        nics.size().planes,
        options.faults(),
        options.seed,
    )))
}

/// Opens both devices and joins them over all paths, evenly over the planes.
pub fn connect(options: &Cosim, lab: &Lab, bytes: usize) -> Result<[Host; 2]> {
    let mut hosts = [host(lab, 0, bytes)?, host(lab, 1, bytes)?];
    let paths: Vec<PathAttributes> = (0..hosts[0].device.capabilities().paths)
        .map(|path| PathAttributes {
            plane: path % options.planes,
            entropy: FIRST_ENTROPY + path as u16,
        })
        .collect();
    let peers = [hosts[1].connection.local(), hosts[0].connection.local()];
    for (host, peer) in hosts.iter_mut().zip(&peers) {
        host.connection.connect(peer, &paths)?;
    }
    Ok(hosts)
}

fn host(lab: &Lab, nic: usize, bytes: usize) -> Result<Host> {
    let mac = MacAddr([0x02, 0, 0, 0, 0, 1 + nic as u8]);
    let options = DeviceOptions::new(mac, [10, 0, 0, 1 + nic as u8].into());
    let device = open(lab.backend(nic), options)?;
    let region = device.register_memory(bytes.max(1))?;
    // Next to the wrap: every run of some length crosses it.
    let attributes = ConnectionAttributes {
        first_psn: Psn::truncate(0xFF_FF00),
        first_tsn: Tsn::truncate(0xFF_FFF0),
    };
    let connection = device.create_connection(attributes)?;
    Ok(Host {
        device,
        region,
        connection,
    })
}
