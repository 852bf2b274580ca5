//! From workloads to flows and what they wait for.
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::packet::HostId;
use crate::scenario::{ListedFlow, Workload};
use crate::units::Time;

/// A flow's number, from 0.
pub type FlowId = u32;

/// One flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Sender.
    pub from: HostId,
    /// Receiver.
    pub to: HostId,
    /// Bytes of payload.
    pub bytes: u64,
    /// Not before this time.
    pub start: Time,
    /// Flows whose data must have arrived.
    pub after: Vec<FlowId>,
}

/// All flows of a scenario; a flow waits only for flows before it.
pub fn flows(workloads: &[Workload], hosts: u32, random: &mut ChaCha8Rng) -> Vec<Flow> {
    let mut flows = Vec::new();
    for workload in workloads {
        match workload {
            Workload::Permutation { size, repeat } => {
                permutation(&mut flows, hosts, size.0, *repeat, random);
            }
            Workload::Incast { senders, size } => {
                flows.extend((1..=*senders).map(|from| flow(from, 0, size.0)));
            }
            Workload::AllToAll { size } => flows.extend((1..hosts).flat_map(|step| {
                (0..hosts).map(move |host| flow(host, (host + step) % hosts, size.0))
            })),
            Workload::RingAllReduce { chunk, steps } => {
                ring(&mut flows, hosts, chunk.0, steps.unwrap_or(2 * (hosts - 1)));
            }
            Workload::RingAllGather { chunk } | Workload::RingReduceScatter { chunk } => {
                ring(&mut flows, hosts, chunk.0, hosts - 1);
            }
            Workload::Flows { list, .. } => flows.extend(list.iter().map(Flow::from)),
        }
    }
    flows
}

impl From<&ListedFlow> for Flow {
    fn from(listed: &ListedFlow) -> Self {
        Self {
            start: listed.start.0,
            ..flow(listed.from, listed.to, listed.size.0)
        }
    }
}

fn flow(from: HostId, to: HostId, bytes: u64) -> Flow {
    Flow {
        from,
        to,
        bytes,
        start: 0,
        after: Vec::new(),
    }
}

/// Nobody sends to itself: hosts in a random circle, each sends to the next.
fn permutation(
    flows: &mut Vec<Flow>,
    hosts: u32,
    bytes: u64,
    repeat: u32,
    random: &mut ChaCha8Rng,
) {
    let mut circle: Vec<HostId> = (0..hosts).collect();
    circle.shuffle(random);
    for _ in 0..repeat {
        let next = circle.iter().cycle().skip(1);
        flows.extend(circle.iter().zip(next).map(|(&a, &b)| flow(a, b, bytes)));
    }
}

/// In each step every host sends to the next what came from the one before.
fn ring(flows: &mut Vec<Flow>, hosts: u32, bytes: u64, steps: u32) {
    let first = flows.len() as FlowId;
    for step in 0..steps {
        for host in 0..hosts {
            let before = (host + hosts - 1) % hosts;
            let after = (step > 0).then(|| first + (step - 1) * hosts + before);
            flows.push(Flow {
                after: after.into_iter().collect(),
                ..flow(host, (host + 1) % hosts, bytes)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::SeedableRng;

    use super::*;
    use crate::units::Size;

    fn of(workload: Workload, hosts: u32) -> Vec<Flow> {
        flows(&[workload], hosts, &mut ChaCha8Rng::seed_from_u64(3))
    }

    #[test]
    fn a_permutation_uses_every_host_once_each_way_and_nobody_sends_to_itself() {
        let size = Size(5);
        let flows = of(Workload::Permutation { size, repeat: 1 }, 50);
        let ends = |end: fn(&Flow) -> HostId| flows.iter().map(end).collect::<BTreeSet<_>>();
        assert_eq!((ends(|f| f.from).len(), ends(|f| f.to).len()), (50, 50));
        assert!(flows.iter().all(|f| f.from != f.to));
    }

    #[test]
    fn a_ring_step_waits_for_what_its_host_received_in_the_step_before() {
        let chunk = Size(7);
        let flows = of(Workload::RingAllReduce { chunk, steps: None }, 4);
        assert_eq!(flows.len(), 6 * 4);
        for (id, flow) in flows.iter().enumerate() {
            assert_eq!(flow.after.is_empty(), id < 4);
            for &before in &flow.after {
                assert_eq!(flows[before as usize].to, flow.from);
                assert_eq!(before as usize / 4, id / 4 - 1);
            }
        }
    }

    #[test]
    fn all_to_all_has_every_pair_once() {
        let flows = of(Workload::AllToAll { size: Size(1) }, 6);
        let pairs: BTreeSet<_> = flows.iter().map(|f| (f.from, f.to)).collect();
        assert_eq!((flows.len(), pairs.len()), (30, 30));
    }
}
