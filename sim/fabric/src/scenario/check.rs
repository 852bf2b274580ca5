//! Whether a scenario can be.
use std::path::Path;

use super::locate::Field;
use super::*;
use crate::units::{Duration, Rate, Size};

/// Most hosts of a fabric (ours): addresses are 10.0.0.0/8, memory is the narrower bound.
const MAX_HOSTS: u64 = 65_536;
/// Largest flow: a WQE's length has 32 bits; the bound is the documented one.
const MAX_FLOW: u64 = 1 << 30;
/// Flows of a workload: each takes some hundred bytes from the start.
const MAX_FLOWS: u64 = 4_000_000;
/// Slowest and fastest link that the model's integers can pace.
const RATES: std::ops::RangeInclusive<u64> = 1_000_000..=10_000_000_000_000;

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Problem {
    /// Outside its range.
    #[error("is {found}, must be {wanted}")]
    Range {
        /// What it is.
        found: String,
        /// What it may be.
        wanted: String,
    },
    /// No such host.
    #[error("there is no host {host}: the fabric has {hosts}")]
    NoHost {
        /// Which.
        host: u32,
        /// How many there are.
        hosts: u64,
    },
    /// From a host to itself.
    #[error("a flow from host {0} to itself")]
    ToItself(u32),
    /// Hosts that can't reach each other.
    #[error("the topology is disconnected: {0}")]
    Disconnected(String),
    /// Fields that exclude each other.
    #[error("{0}")]
    Contradiction(String),
    /// A flow list can't be read.
    #[error("can't read {path}: {reason}")]
    FlowFile {
        /// Which file.
        path: String,
        /// Line and reason.
        reason: String,
    },
    /// Nothing to do.
    #[error("no flow at all")]
    NoFlow,
}

/// A problem and its field.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Where.
    pub field: Field,
    /// What.
    pub problem: Problem,
}

pub(super) type Checked = Result<(), Found>;

pub(super) fn fail(field: Field, problem: Problem) -> Checked {
    Err(Found { field, problem })
}

fn within<T: PartialOrd + std::fmt::Display>(field: Field, found: T, min: T, max: T) -> Checked {
    if found >= min && found <= max {
        return Ok(());
    }
    let wanted = format!("{min} to {max}");
    let found = found.to_string();
    fail(field, Problem::Range { found, wanted })
}

impl Scenario {
    pub(super) fn check(&self) -> Checked {
        self.check_fabric()?;
        self.check_transport()?;
        self.check_workloads()?;
        self.check_losses()?;
        self.check_changes()?;
        self.check_hardware()
    }

    fn check_fabric(&self) -> Checked {
        let fabric = &self.fabric;
        let at = |name| Field::of("fabric").name(name);
        within(at("planes"), fabric.planes, 1, 8)?;
        within(at("pods"), fabric.pods, 1, 1_024)?;
        within(at("leaves"), fabric.leaves, 1, 4_096)?;
        within(at("hosts_per_leaf"), fabric.hosts_per_leaf, 1, 4_096)?;
        within(at("hosts_per_leaf"), fabric.hosts(), 2, MAX_HOSTS)?;
        within(at("spines"), fabric.spines, 0, 1_024)?;
        check_rate(at("link").name("rate"), fabric.link.rate)?;
        check_rate(at("uplink").name("rate"), fabric.between_switches().rate)?;
        check_rate(at("core_link").name("rate"), fabric.to_cores().rate)?;
        within(at("frame_gap"), fabric.frame_gap, Size(0), Size(1_000))?;
        let second = Duration(crate::units::SECOND);
        let delays = [
            (at("switch_delay"), fabric.switch_delay),
            (at("link").name("delay"), fabric.link.delay),
            (at("uplink").name("delay"), fabric.between_switches().delay),
            (at("core_link").name("delay"), fabric.to_cores().delay),
        ];
        for (field, delay) in delays {
            within(field, delay, Duration(0), second)?;
        }
        let full = Size(10_000);
        within(
            at("buffer").name("size"),
            fabric.buffer.size,
            full,
            Size(1_000_000_000),
        )?;
        if let Ecn::Red {
            min,
            max,
            probability,
        } = fabric.ecn
        {
            within(at("ecn").name("min"), min, Size(0), max)?;
            within(at("ecn").name("probability"), probability, 0.0, 1.0)?;
        }
        if let Some(pfc) = &fabric.pfc {
            within(at("pfc").name("go"), pfc.go, Size(0), pfc.stop)?;
        }
        self.check_connected()
    }

    fn check_connected(&self) -> Checked {
        let fabric = &self.fabric;
        let at = |name| Field::of("fabric").name(name);
        let apart = |name, why: &str| fail(at(name), Problem::Disconnected(why.into()));
        match fabric.topology {
            Shape::LeafSpine if fabric.pods != 1 => fail(
                at("pods"),
                Problem::Contradiction("only three-tier has pods".into()),
            ),
            Shape::LeafSpine if fabric.core_link.is_some() => fail(
                at("core_link"),
                Problem::Contradiction("only three-tier has cores".into()),
            ),
            Shape::LeafSpine if fabric.cores_per_spine != 0 => fail(
                at("cores_per_spine"),
                Problem::Contradiction("only three-tier has cores".into()),
            ),
            _ if fabric.spines == 0 && fabric.all_leaves() > 1 => {
                apart("spines", "leaves without spines")
            }
            Shape::ThreeTier if fabric.cores_per_spine == 0 && fabric.pods > 1 => {
                apart("cores_per_spine", "pods without cores")
            }
            _ => Ok(()),
        }
    }

    fn check_transport(&self) -> Checked {
        let t = &self.transport;
        let at = |name| Field::of("transport").name(name);
        let tick = Duration(64_000);
        let longest = Duration(33_554_432_000);
        within(at("paths"), t.paths, self.fabric.planes, 256)?;
        within(at("window"), t.window, 1, 239)?;
        within(at("first_window"), t.first_window, 1, t.window)?;
        within(at("bootstrap_window"), t.bootstrap_window, 0, t.window)?;
        within(at("increase"), t.increase, 1, 64)?;
        within(at("reroute_marked"), t.reroute_marked, 0, 1 << 20)?;
        within(at("ack_every"), t.ack_every, 1, 255)?;
        within(at("max_retries"), t.max_retries, 1, 15)?;
        within(at("rto"), t.rto, tick, longest)?;
        within(at("rto_floor"), t.rto_floor, Duration(0), longest)?;
        within(at("max_allowance"), t.max_allowance, 0, 64)?;
        within(at("first_allowance"), t.first_allowance, 0, t.max_allowance)?;
        within(at("allowance_calm"), t.allowance_calm, 1, 1 << 30)?;
        within(at("burst"), t.burst, Size(1), Size(1 << 24))?;
        within(at("extra_tail_probes"), t.extra_tail_probes, 0, 1)?;
        within(at("recovery_probes"), t.recovery_probes, 1, 255)?;
        if t.bootstrap_window > 0
            && (t.reroute_after > 0 || t.reroute_marked > 0 || t.suspect_paths > 0)
        {
            let why = "a path that starts anew would take another connection's window";
            return fail(at("bootstrap_window"), Problem::Contradiction(why.into()));
        }
        let mtu = t.mtu.0;
        if !mtu.is_power_of_two() || !(256..=4_096).contains(&mtu) {
            let (found, wanted) = (t.mtu.to_string(), "256 B to 4,096 B, a power of two".into());
            return fail(at("mtu"), Problem::Range { found, wanted });
        }
        let ours = t.kind == Kind::Metaroce;
        if !ours && self.fabric.planes > 1 {
            let why = "the baselines have one path and so one plane";
            return fail(at("kind"), Problem::Contradiction(why.into()));
        }
        Ok(())
    }

    fn check_workloads(&self) -> Checked {
        if self.workload.is_empty() {
            return fail(Field::of("workload"), Problem::NoFlow);
        }
        for (place, workload) in self.workload.iter().enumerate() {
            let at = Field::of("workload").place(place).name(workload.name());
            self.check_workload(at, workload)?;
        }
        Ok(())
    }

    fn check_workload(&self, at: Field, workload: &Workload) -> Checked {
        self.check_values(at.clone(), workload)?;
        let flows = workload.flows(self.fabric.hosts());
        if flows > MAX_FLOWS {
            let found = format!("{flows} flows");
            let wanted = format!("at most {MAX_FLOWS}");
            return fail(at, Problem::Range { found, wanted });
        }
        Ok(())
    }

    fn check_values(&self, at: Field, workload: &Workload) -> Checked {
        let size_in = |at: Field, size: Size| within(at, size, Size(1), Size(MAX_FLOW));
        match workload {
            Workload::Permutation { size, repeat } => {
                within(at.clone().name("repeat"), *repeat, 1, 1_000_000)?;
                size_in(at.name("size"), *size)
            }
            Workload::AllToAll { size } => size_in(at.name("size"), *size),
            Workload::Incast { senders, size } => {
                let others = self.fabric.hosts() - 1;
                within(at.clone().name("senders"), u64::from(*senders), 1, others)?;
                size_in(at.name("size"), *size)
            }
            Workload::RingAllReduce { chunk, steps } => {
                let steps = steps.unwrap_or(1);
                within(at.clone().name("steps"), steps, 1, 1_000_000)?;
                size_in(at.name("chunk"), *chunk)
            }
            Workload::RingAllGather { chunk } | Workload::RingReduceScatter { chunk } => {
                size_in(at.name("chunk"), *chunk)
            }
            Workload::Flows { list, .. } => self.check_flows(at, list),
        }
    }

    fn check_flows(&self, at: Field, flows: &[ListedFlow]) -> Checked {
        if flows.is_empty() {
            return fail(at, Problem::NoFlow);
        }
        let hosts = self.fabric.hosts();
        for (place, flow) in flows.iter().enumerate() {
            let at = |name| at.clone().name("list").place(place).name(name);
            for (name, host) in [("from", flow.from), ("to", flow.to)] {
                if u64::from(host) >= hosts {
                    return fail(at(name), Problem::NoHost { host, hosts });
                }
            }
            if flow.from == flow.to {
                return fail(at("to"), Problem::ToItself(flow.to));
            }
            within(at("size"), flow.size, Size(1), Size(MAX_FLOW))?;
        }
        Ok(())
    }

    fn check_losses(&self) -> Checked {
        for (place, loss) in self.loss.iter().enumerate() {
            let at = |name| Field::of("loss").place(place).name(name);
            within(at("rate"), loss.rate, 0.0, 1.0)?;
            within(at("burst"), loss.burst, 1.0, 1e6)?;
            let plane = loss.plane.unwrap_or(0);
            within(at("plane"), plane, 0, self.fabric.planes - 1)?;
        }
        Ok(())
    }

    fn check_changes(&self) -> Checked {
        for (place, failure) in self.failure.iter().enumerate() {
            let at = |name| Field::of("failure").place(place).name(name);
            let until = failure.until.unwrap_or(Duration(u64::MAX));
            within(at("until"), until, failure.at, Duration(u64::MAX))?;
            let target = (
                Some(failure.plane),
                failure.host,
                failure.leaf,
                failure.spine,
            );
            self.check_target(&at, target)?;
        }
        for (place, slow) in self.slow.iter().enumerate() {
            let at = |name| Field::of("slow").place(place).name(name);
            check_rate(at("rate"), slow.rate)?;
            if slow.host.or(slow.leaf).or(slow.spine).is_none() {
                let why = "name a host, a leaf or a spine";
                return fail(at("rate"), Problem::Contradiction(why.into()));
            }
            self.check_target(&at, (slow.plane, slow.host, slow.leaf, slow.spine))?;
        }
        Ok(())
    }

    fn check_target(&self, at: &dyn Fn(&'static str) -> Field, target: Target) -> Checked {
        let (plane, host, leaf, spine) = target;
        let fabric = &self.fabric;
        if host.is_some() && leaf.or(spine).is_some() {
            let why = "a host's link, or a link between switches, not both";
            return fail(at("host"), Problem::Contradiction(why.into()));
        }
        let spines = fabric.pods.saturating_mul(fabric.spines);
        let bounds = [
            ("plane", plane, fabric.planes.into()),
            ("host", host, fabric.hosts()),
            ("leaf", leaf, fabric.all_leaves().into()),
            ("spine", spine, spines.into()),
        ];
        for (name, value, count) in bounds {
            let value = u64::from(value.unwrap_or(0));
            if value > 0 {
                within(at(name), value, 0, count.saturating_sub(1))?;
            }
        }
        Ok(())
    }

    /// Flow lists from files join those in the scenario.
    pub(super) fn read_flows(&mut self, folder: &Path) -> Checked {
        for (place, workload) in self.workload.iter_mut().enumerate() {
            let Workload::Flows {
                list,
                file: Some(file),
            } = workload
            else {
                continue;
            };
            let path = folder.join(file);
            let read = csv::Reader::from_path(&path)
                .and_then(|mut reader| reader.deserialize().collect::<Result<Vec<_>, _>>());
            match read {
                Ok(more) => list.extend(more),
                Err(error) => {
                    let problem = Problem::FlowFile {
                        path: path.display().to_string(),
                        reason: error.to_string(),
                    };
                    return fail(
                        Field::of("workload")
                            .place(place)
                            .name("flows")
                            .name("file"),
                        problem,
                    );
                }
            }
        }
        Ok(())
    }
}

type Target = (Option<u32>, Option<u32>, Option<u32>, Option<u32>);

fn check_rate(field: Field, rate: Rate) -> Checked {
    within(field, rate, Rate(*RATES.start()), Rate(*RATES.end()))
}

impl ScenarioError {
    /// The line that the error names, where it is the checks'.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::Check { line, .. } => Some(*line),
            _ => None,
        }
    }
}
