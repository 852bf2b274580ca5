//! A hybrid run, the same with models only, and whether they are the same.
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use metaroce_cosim::station::Plant;
use metaroce_cosim::waves::Request;
use metaroce_fabric::foreign::ForeignError;
use metaroce_fabric::outcome::Summary;
use metaroce_fabric::packet::HostId;
use metaroce_fabric::runs::Stopped;
use metaroce_fabric::scenario::Scenario;
use metaroce_fabric::sighting::Sighting;
use metaroce_fabric::simulation::{Progress, Simulation};
use metaroce_fabric::topology::Topology;
use metaroce_verbs::VerbsError;
use thiserror::Error;

use crate::driver::Shared;
use crate::follower::Follower;
use crate::host::{Sent, Stop};
use crate::hosts::{Hosts, cycle_time};
use crate::lab::{self, LabError, NicLab, START_TIME};
use crate::report::{Natural, Report};
use crate::schedule::Schedule;
use crate::show;
use crate::verilated::Verilated;
use crate::waves::{self, Moment};

/// Why there is no result.
#[derive(Debug, Error)]
pub enum HybridError {
    /// No NIC.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// The hosts can't be set up.
    #[error("can't set the hosts up: {0}")]
    SetUp(ForeignError),
    /// Host memory can't be read.
    #[error("can't read host memory")]
    Memory(#[from] VerbsError),
    /// A schedule of another run.
    #[error(
        "the schedule is of scenario `{scenario}`, seed {seed}, hosts {hosts:?}, not of this run"
    )]
    OtherSchedule {
        /// Its scenario.
        scenario: String,
        /// Its seed.
        seed: u64,
        /// Its hosts.
        hosts: Vec<HostId>,
    },
    /// No waves.
    #[error("can't record waves")]
    Waves(#[from] metaroce_cosim::waves::WavesError),
    /// The user wants no more.
    #[error("interrupted")]
    Interrupted,
}

/// Asked now and then: the share of a run that is done, and whether to go on.
pub type GoOn<'a> = dyn FnMut(f64) -> bool + 'a;

/// What a run left.
#[derive(Debug)]
pub struct Run {
    /// Its result.
    pub summary: Summary,
    /// Every frame on every link.
    pub sightings: Vec<Sighting>,
    /// What became of the flows.
    pub flows: Vec<Progress>,
    /// By host with a machine: the frames that left it.
    pub sent: BTreeMap<HostId, Vec<Sent>>,
    /// By host with a machine: why it could not go on.
    pub stops: BTreeMap<HostId, Stop>,
    /// The first flow whose bytes are not in its receiver's memory.
    pub wrong_memory: Option<u32>,
    /// When engines committed.
    pub schedule: Schedule,
    /// A fault that was to be planted still waits for its moment.
    pub planted: bool,
    /// Cycles of all machines.
    pub cycles: u64,
    /// What the links join.
    pub topology: Topology,
}

impl Run {
    /// The packet trace: a line for each frame on each link.
    pub fn packets(&self) -> String {
        let lines = self.sightings.iter();
        lines
            .map(|seen| show::sighting(seen, &self.topology) + "\n")
            .collect()
    }
}

fn simulate(
    scenario: &Scenario,
    seed: u64,
    mut hosts: Hosts<'_>,
    go_on: &mut GoOn<'_>,
) -> Result<Run, HybridError> {
    let simulation = Simulation::with_foreign(scenario, seed, &mut hosts, &mut || go_on(0.0));
    let mut simulation = simulation.map_err(|error| match error.is::<Stopped>() {
        true => HybridError::Interrupted,
        false => HybridError::SetUp(error),
    })?;
    simulation.record_sightings();
    let mut interrupted = false;
    let summary = simulation.run(|simulation| {
        interrupted = !go_on(simulation.done());
        !interrupted
    });
    if interrupted {
        return Err(HybridError::Interrupted);
    }
    let mut run = Run {
        summary,
        sightings: simulation.sightings().to_vec(),
        flows: simulation.flows().map(|(_, p)| p.clone()).collect(),
        sent: BTreeMap::new(),
        stops: BTreeMap::new(),
        wrong_memory: None,
        schedule: Schedule {
            scenario: scenario.name.clone(),
            seed,
            cycle_ps: cycle_time(scenario),
            hosts: BTreeMap::new(),
        },
        planted: false,
        cycles: 0,
        topology: simulation.network().topology.clone(),
    };
    for (id, host) in hosts.joined {
        let state = host.0.borrow();
        run.wrong_memory = run.wrong_memory.or(state.wrong_memory()?);
        run.sent.insert(id, state.sent.clone());
        run.stops.extend(state.stop.clone().map(|stop| (id, stop)));
        let machine = state.machine().borrow();
        run.schedule.hosts.insert(id, machine.schedule().to_vec());
        run.cycles += machine.total_cycles();
    }
    Ok(run)
}

/// The NICs of a run, to look at afterwards.
type Nics = RefCell<BTreeMap<HostId, Rc<RefCell<Verilated>>>>;

/// With the scenario's hardware hosts as verilated NICs. `plant`: a turned bit in what the first of them reads.
pub fn with_nics(
    lab: &NicLab,
    scenario: &Scenario,
    seed: u64,
    plant: Option<Plant>,
    go_on: &mut GoOn<'_>,
) -> Result<Run, HybridError> {
    nics(lab, scenario, seed, (plant, None), go_on).map(|(run, _)| run)
}

type Extras<'a> = (Option<Plant>, Option<(HostId, &'a Request)>);

fn nics(
    lab: &NicLab,
    scenario: &Scenario,
    seed: u64,
    (plant, waves): Extras<'_>,
    go_on: &mut GoOn<'_>,
) -> Result<(Run, Nics), HybridError> {
    let nics = Nics::default();
    let make = |host: HostId| -> Result<Shared, ForeignError> {
        let waves = waves.filter(|(id, _)| *id == host).map(|(_, r)| r);
        let mut nic = lab.nic(host, seed, waves)?;
        if let Some(plant) = plant
            && scenario.hardware.first() == Some(&host)
        {
            nic.station_mut().plant(plant);
        }
        let nic = Rc::new(RefCell::new(nic));
        nics.borrow_mut().insert(host, nic.clone());
        Ok(nic)
    };
    let mut run = simulate(scenario, seed, Hosts::new(&scenario.hardware, make), go_on)?;
    let waits = |nic: &Rc<RefCell<Verilated>>| nic.borrow_mut().station_mut().is_planted();
    run.planted = nics.borrow().values().any(waits);
    Ok((run, nics))
}

/// With models only; those in the place of hardware follow a schedule.
pub fn with_schedule(
    scenario: &Scenario,
    seed: u64,
    schedule: &Schedule,
    go_on: &mut GoOn<'_>,
) -> Result<Run, HybridError> {
    let hosts = schedule.hosts.keys().copied();
    let mut wanted = scenario.hardware.clone();
    wanted.sort_unstable();
    if schedule.scenario != scenario.name || schedule.seed != seed || !hosts.clone().eq(wanted) {
        return Err(HybridError::OtherSchedule {
            scenario: schedule.scenario.clone(),
            seed: schedule.seed,
            hosts: hosts.collect(),
        });
    }
    let make = |host: HostId| -> Result<Shared, ForeignError> {
        let entries = schedule.hosts[&host].clone();
        let (name, capabilities) = (lab::name(host), NicLab::capabilities());
        let follower = Follower::new(&name, capabilities, START_TIME, entries);
        Ok(Rc::new(RefCell::new(follower)))
    };
    simulate(scenario, seed, Hosts::new(&scenario.hardware, make), go_on)
}

/// Runs with NICs, with models that follow, and with models alone; compares. Waves of a difference go to `out`.
pub fn run(
    scenario: &Scenario,
    seed: u64,
    plant: Option<Plant>,
    out: &Path,
    go_on: &mut GoOn<'_>,
) -> Result<Report, HybridError> {
    let lab = NicLab::new()?;
    let hardware = with_nics(&lab, scenario, seed, plant, go_on)?;
    let models = with_schedule(scenario, seed, &hardware.schedule, go_on)?;
    let natural = match hardware.stops.is_empty() && hardware.summary.finished {
        true => {
            let (sightings, flows) = (&hardware.sightings, &hardware.flows);
            Some(Natural::measure(scenario, seed, sightings, flows, go_on)?)
        }
        false => None,
    };
    let mut report = Report::new(scenario, hardware, &models);
    report.natural = natural;
    if let Some(moment) = report.first_difference.as_ref().and_then(Moment::of) {
        report.waves = Some(waves::record(out, &moment, |request| {
            let extras = (plant, Some((moment.host, request)));
            let (_, nics) = nics(&lab, scenario, seed, extras, go_on)?;
            let nics = nics.borrow();
            waves::finish(&nics[&moment.host], request)
        })?);
    }
    Ok(report)
}
