//! Two NICs and the lossy planes between them.
use std::collections::HashMap;

use metaroce_protocol::{Opcode, Profile, frame};

use crate::planes::{Fate, Faults, Plane};
use crate::station::{Failure, Station};

/// A frame on the wire, for whoever watches.
pub struct Sighting<'a> {
    /// 0: NIC A sent it, 1: NIC B.
    pub nic: usize,
    /// On this plane.
    pub plane: usize,
    /// Its last beat left in this cycle.
    pub cycle: u64,
    /// Its bytes.
    pub frame: &'a [u8],
}

type Watcher = Box<dyn FnMut(&Sighting<'_>)>;

/// Retransmissions, and those among them whose packet had not been lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retransmissions {
    /// All.
    pub all: u64,
    /// Needless ones.
    pub spurious: u64,
}

/// NIC A (0) and NIC B (1).
pub struct Testbed {
    /// The NICs.
    pub stations: [Station; 2],
    planes: [Vec<Plane>; 2],
    watcher: Option<Watcher>,
    cycle: u64,
    /// By NIC, path and PSN: whether the newest transmission was lost or damaged.
    sent: HashMap<(usize, u32, u8, u32), bool>,
    /// Counted from what crossed the wire.
    pub retransmissions: Retransmissions,
    /// Data packets that crossed the wire, retransmissions too.
    pub packets: u64,
}

impl Testbed {
    /// Joins two NICs by `planes` planes of these faults, each under its own seed.
    pub fn new(stations: [Station; 2], planes: u32, faults: Faults, seed: u64) -> Self {
        let direction = |nic: u64| {
            let plane = |k: u64| Plane::new(faults, seed.wrapping_mul(64) + nic * 32 + k);
            (0..u64::from(planes)).map(plane).collect()
        };
        Self {
            stations,
            planes: [direction(0), direction(1)],
            watcher: None,
            cycle: 0,
            sent: HashMap::new(),
            retransmissions: Retransmissions::default(),
            packets: 0,
        }
    }

    /// Shows every frame that leaves a NIC to `watcher`.
    pub fn watch(&mut self, watcher: impl FnMut(&Sighting<'_>) + 'static) {
        self.watcher = Some(Box::new(watcher));
    }

    /// Planes by sending NIC.
    pub fn planes(&self) -> &[Vec<Plane>; 2] {
        &self.planes
    }

    /// From now on this happens to frames on all planes.
    pub fn set_faults(&mut self, faults: Faults) {
        let planes = self.planes.iter_mut().flatten();
        planes.for_each(|plane| plane.set_faults(faults));
    }

    /// Cycles so far.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// One clock cycle of everything.
    pub fn step(&mut self) -> Result<(), Failure> {
        for nic in 0..2 {
            for (plane, frame) in self.stations[nic].cycle()? {
                self.on_sent(nic, plane, frame);
            }
        }
        for nic in 0..2 {
            for (k, plane) in self.planes[nic].iter_mut().enumerate() {
                while let Some(frame) = plane.arrived(self.cycle) {
                    self.stations[1 - nic].deliver(k, frame);
                }
            }
        }
        self.cycle += 1;
        Ok(())
    }

    fn on_sent(&mut self, nic: usize, plane: usize, frame: Vec<u8>) {
        if let Some(watcher) = &mut self.watcher {
            watcher(&Sighting {
                nic,
                plane,
                cycle: self.cycle,
                frame: &frame,
            });
        }
        let identity = identity(&frame);
        let fate = self.planes[nic][plane].enter(frame, self.cycle);
        let Some((qp, path, psn)) = identity else {
            return;
        };
        self.packets += 1;
        if let Some(lost) = self
            .sent
            .insert((nic, qp, path, psn), fate != Fate::Arrives)
        {
            self.retransmissions.all += 1;
            self.retransmissions.spurious += u64::from(!lost);
        }
    }

    /// Whether nothing is on the way and both NICs have been quiet for this many cycles.
    pub fn is_quiet(&self, cycles: u64) -> bool {
        let empty = self
            .planes
            .iter()
            .flatten()
            .all(|plane| plane.in_flight() == 0);
        empty
            && self
                .stations
                .iter()
                .all(|station| station.quiet_for() >= cycles)
    }
}

/// Destination QP, path and PSN of a data packet.
fn identity(bytes: &[u8]) -> Option<(u32, u8, u32)> {
    let frame = frame::parse_as(bytes, Profile::Whole).ok()?;
    let is_data = !matches!(
        frame.bth.opcode,
        Opcode::Ack | Opcode::Refusal | Opcode::Probe | Opcode::Unknown(_)
    );
    is_data.then_some((frame.bth.dest_qp, frame.path.path, frame.bth.psn.get()))
}
