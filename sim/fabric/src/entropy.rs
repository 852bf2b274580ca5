//! Source ports of a connection's paths.
use std::collections::BTreeMap;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::packet::HostId;
use crate::scenario::{Entropy, Scenario};
use crate::topology::Topology;

/// Ports of the dynamic range (RFC 6335) begin here.
const FIRST: u16 = 0xC000;
/// Candidates looked at for one path (ours): the whole range twice.
const TRIES: u32 = 32_768;

/// One port a path from one host to another; path k is on plane k modulo planes.
///
/// Learned: no way through the fabric carries more than one path more than another, as far as there are ways enough. A
/// host learns ways with packets whose time to live ends at each hop, before the connection carries data; here the
/// topology answers at once.
pub fn ports(
    scenario: &Scenario,
    topology: &Topology,
    (from, to): (HostId, HostId),
    paths: u32,
    random: &mut ChaCha8Rng,
) -> Vec<u16> {
    let planes = scenario.fabric.planes;
    let mut used: Vec<BTreeMap<Vec<u32>, u32>> = vec![BTreeMap::new(); planes as usize];
    let ways = ways(topology, from, to);
    (0..paths)
        .map(|path| {
            let plane = path % planes;
            let used = &mut used[plane as usize];
            match scenario.transport.entropy {
                Entropy::Random => random.random_range(FIRST..=u16::MAX),
                Entropy::Learned => {
                    let most = (path / planes) / ways;
                    learn(most, used, random, |port| {
                        topology.route(from, to, plane, port)
                    })
                }
            }
        })
        .collect()
}

/// A port whose way carries at most `most` paths so far.
fn learn(
    most: u32,
    used: &mut BTreeMap<Vec<u32>, u32>,
    random: &mut ChaCha8Rng,
    route: impl Fn(u16) -> Vec<u32>,
) -> u16 {
    let mut port = FIRST;
    for _ in 0..TRIES {
        port = random.random_range(FIRST..=u16::MAX);
        if used.get(&route(port)).copied().unwrap_or(0) <= most {
            break;
        }
    }
    *used.entry(route(port)).or_default() += 1;
    port
}

/// Different ways from host to host on a plane.
fn ways(topology: &Topology, from: HostId, to: HostId) -> u32 {
    let route = topology.route(from, to, 0, 0);
    let choices = route.iter().filter_map(|&link| {
        let switch = topology.switch_at(link)?;
        let up = topology.way(switch, to) == crate::topology::Way::Up;
        up.then(|| topology.switches[switch as usize].up.len() as u32)
    });
    choices.product()
}
