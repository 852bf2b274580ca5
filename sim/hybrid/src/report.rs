//! What a hybrid run ends in, and how it is judged.
use std::path::PathBuf;

use metaroce_fabric::outcome::{Summary, microseconds};
use metaroce_fabric::packet::HostId;
use metaroce_fabric::scenario::Scenario;
use metaroce_fabric::sighting::Sighting;
use metaroce_fabric::simulation::{Progress, Simulation};
use serde::Serialize;

use crate::compare::{self, Difference};
use crate::host::Stop;
use crate::run::{GoOn, HybridError, Run};
use crate::show;

/// What the models do by themselves, without any schedule, against the hardware.
#[derive(Clone, Debug, Serialize)]
pub struct Natural {
    /// Each path carries the same data packets in the same order.
    pub sequences_equal: bool,
    /// The largest difference of a flow's completion time, against the model's.
    pub fct_difference_share: f64,
    /// To the last completion, microseconds.
    pub makespan_us: f64,
}

/// What a hybrid run ends in.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The result of the run with hardware.
    #[serde(flatten)]
    pub summary: Summary,
    /// Its hardware hosts.
    pub hardware: Vec<HostId>,
    /// Every frame on every link is the same in the run with models only, and every byte that NICs sent.
    pub trace_equal: bool,
    /// Frames on links that were compared.
    pub frames_compared: u64,
    /// Frames of NICs that were compared byte for byte.
    pub whole_frames_compared: u64,
    /// Flows start, arrive and complete at the same times.
    pub flows_equal: bool,
    /// The hosts behind NICs hold what was sent to them, in both runs.
    pub memory_equal: bool,
    /// A fault that was to be planted still waits: the NIC read no payload on plane 0 from that cycle on.
    #[serde(skip)]
    pub planted: bool,
    /// Cycles of all NICs together.
    pub nic_cycles: u64,
    /// Without a schedule.
    pub natural: Option<Natural>,
    /// The first difference.
    pub first_difference: Option<Difference>,
    /// Waves around it.
    pub waves: Option<PathBuf>,
    /// The run with hardware.
    #[serde(skip)]
    pub run: Run,
}

impl Report {
    /// Of a run with hardware and one that follows its schedule.
    pub fn new(scenario: &Scenario, hardware: Run, models: &Run) -> Self {
        let compared = compare::runs(&hardware, models);
        let memory = hardware.wrong_memory.or(models.wrong_memory);
        let flows_equal = hardware.flows == models.flows;
        let planted = hardware.planted;
        let first = first_stop(&hardware).or(compared.first);
        let first = match (first, models.stops.values().next()) {
            (Some(found), Some(stop)) if hardware.stops.is_empty() => Some(Difference {
                what: format!("{}; the models stop: {}", found.what, stop.text),
                ..found
            }),
            (first, _) => first,
        };
        Self {
            hardware: scenario.hardware.clone(),
            trace_equal: first.is_none(),
            frames_compared: compared.frames,
            whole_frames_compared: compared.whole_frames,
            flows_equal,
            memory_equal: memory.is_none(),
            planted,
            nic_cycles: hardware.cycles,
            natural: None,
            first_difference: first,
            waves: None,
            summary: hardware.summary.clone(),
            run: hardware,
        }
    }

    /// Whether all is as it should be.
    pub fn is_good(&self) -> bool {
        let equal = self.trace_equal && self.flows_equal && self.memory_equal;
        equal && self.summary.finished && !self.planted
    }
}

/// The lockstep found it before any comparison of runs.
fn first_stop(hardware: &Run) -> Option<Difference> {
    let (&host, stop) = hardware.stops.iter().next()?;
    let Stop {
        text,
        frames,
        cycle,
        plane,
    } = stop.clone();
    let [models, hardware_frame] = match &frames {
        Some(frames) => [show::bytes(&frames[0]), show::bytes(&frames[1])],
        None => ["-".to_string(), "-".to_string()],
    };
    Some(Difference {
        what: text,
        at_us: hardware
            .sightings
            .last()
            .map_or(0.0, |s| microseconds(s.at)),
        hardware: hardware_frame,
        models,
        moment: Some((host, cycle, plane)),
    })
}

impl Natural {
    /// Runs the models by themselves, and compares.
    pub fn measure(
        scenario: &Scenario,
        seed: u64,
        sightings: &[Sighting],
        flows: &[Progress],
        go_on: &mut GoOn<'_>,
    ) -> Result<Self, HybridError> {
        let mut simulation = Simulation::new(scenario, seed);
        simulation.record_sightings();
        let mut interrupted = false;
        let summary = simulation.run(|simulation| {
            interrupted = !go_on(simulation.done());
            !interrupted
        });
        if interrupted {
            return Err(HybridError::Interrupted);
        }
        let topology = &simulation.network().topology;
        let ours = compare::sequences(topology, simulation.sightings());
        let share = |(a, b): (&Progress, &Progress)| match (a.fct(), b.fct()) {
            (Some(a), Some(b)) => a.abs_diff(b) as f64 / b.max(1) as f64,
            _ => f64::INFINITY,
        };
        let pairs = flows.iter().zip(simulation.flows().map(|(_, p)| p));
        Ok(Self {
            sequences_equal: compare::sequences(topology, sightings) == ours,
            fct_difference_share: pairs.map(share).fold(0.0, f64::max),
            makespan_us: summary.makespan_us,
        })
    }
}
