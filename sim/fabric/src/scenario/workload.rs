//! What hosts do: the table `[[workload]]`.
use std::path::PathBuf;

use serde::Deserialize;

use crate::units::{Duration, Size};

/// What hosts do.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Workload {
    /// Each host sends to one other, each hears from one other; at random.
    Permutation {
        /// Bytes of each flow.
        size: Size,
        /// Flows of each host, one after the other.
        #[serde(default = "one")]
        repeat: u32,
    },
    /// Hosts 1 to `senders` send to host 0.
    Incast {
        /// How many.
        senders: u32,
        /// Bytes of each flow.
        size: Size,
    },
    /// Each host sends to every other, beginning with its neighbour.
    AllToAll {
        /// Bytes of each flow.
        size: Size,
    },
    /// Reduce-scatter, then all-gather. A step begins when the data of the step before has arrived.
    RingAllReduce {
        /// Bytes of a step: the buffer divided by the hosts.
        chunk: Size,
        /// Steps, if not twice the hosts less 2.
        steps: Option<u32>,
    },
    /// The second half of an all-reduce.
    RingAllGather {
        /// Bytes of a step.
        chunk: Size,
    },
    /// The first half of an all-reduce.
    RingReduceScatter {
        /// Bytes of a step.
        chunk: Size,
    },
    /// These flows.
    Flows {
        /// In the scenario.
        #[serde(default)]
        list: Vec<ListedFlow>,
        /// In a CSV file with the columns from, to, size, start; its path is relative to the scenario's.
        file: Option<PathBuf>,
    },
}

impl Workload {
    /// Flows that it makes among so many hosts.
    pub fn flows(&self, hosts: u64) -> u64 {
        let others = hosts.saturating_sub(1);
        match self {
            Workload::Permutation { repeat, .. } => hosts * u64::from(*repeat),
            Workload::Incast { senders, .. } => u64::from(*senders),
            Workload::AllToAll { .. } => hosts * others,
            Workload::RingAllReduce { steps, .. } => hosts * steps.map_or(2 * others, u64::from),
            Workload::RingAllGather { .. } | Workload::RingReduceScatter { .. } => hosts * others,
            Workload::Flows { list, .. } => list.len() as u64,
        }
    }
}

/// One flow of a list.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedFlow {
    /// Sender.
    pub from: u32,
    /// Receiver.
    pub to: u32,
    /// Bytes, 1 B to 1 GiB.
    pub size: Size,
    /// When.
    #[serde(default)]
    pub start: Duration,
}

impl Workload {
    /// Its name in scenarios.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Permutation { .. } => "permutation",
            Self::Incast { .. } => "incast",
            Self::AllToAll { .. } => "all-to-all",
            Self::RingAllReduce { .. } => "ring-all-reduce",
            Self::RingAllGather { .. } => "ring-all-gather",
            Self::RingReduceScatter { .. } => "ring-reduce-scatter",
            Self::Flows { .. } => "flows",
        }
    }
}

fn one() -> u32 {
    1
}
