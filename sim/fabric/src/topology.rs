//! Which switch has which links, and which of them lead to a host.
//!
//! All planes are alike and share nothing. Links are numbered; each has one direction.
use crate::packet::HostId;
use crate::scenario::{Fabric, Link, Placement, Shape};

/// A link's number.
pub type LinkId = u32;
/// A switch's number.
pub type SwitchId = u32;

/// Where a link ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At a host.
    Host(HostId),
    /// At a switch.
    Switch(SwitchId),
}

/// One direction of a link, as built.
#[derive(Clone, Copy, Debug)]
pub struct Wire {
    /// Where it begins.
    pub from: End,
    /// Where it ends.
    pub to: End,
    /// Which plane.
    pub plane: u32,
    /// Rate and delay.
    pub link: Link,
}

/// What a switch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// Above hosts: number among the leaves of its plane.
    Leaf(u32),
    /// Above the leaves of a pod: number among the spines of its plane.
    Spine(u32),
    /// Above pods: number among the cores of its plane.
    Core(u32),
}

/// A switch.
#[derive(Clone, Debug)]
pub struct Switch {
    /// Which plane.
    pub plane: u32,
    /// What it is.
    pub tier: Tier,
    /// Links down: of a leaf by host, of a spine by leaf of its pod, of a core by pod.
    pub down: Vec<LinkId>,
    /// Links up: all equal.
    pub up: Vec<LinkId>,
}

/// All planes.
#[derive(Clone, Debug)]
pub struct Topology {
    /// By number.
    pub wires: Vec<Wire>,
    /// By number.
    pub switches: Vec<Switch>,
    /// By host, then plane: the link from the host.
    pub host_links: Vec<Vec<LinkId>>,
    fabric: Fabric,
}

/// Where a switch sends a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Over this link.
    Down(LinkId),
    /// Over any link up.
    Up,
}

impl Topology {
    /// Builds what a scenario describes.
    pub fn new(fabric: &Fabric) -> Self {
        let mut built = Self {
            wires: Vec::new(),
            switches: Vec::new(),
            host_links: vec![Vec::new(); fabric.hosts() as usize],
            fabric: fabric.clone(),
        };
        for plane in 0..fabric.planes {
            built.add_plane(plane);
        }
        built
    }

    fn add_plane(&mut self, plane: u32) {
        let fabric = self.fabric.clone();
        let leaves: Vec<_> = (0..fabric.all_leaves())
            .map(|n| self.add_switch(plane, Tier::Leaf(n)))
            .collect();
        for slot in 0..fabric.hosts() as u32 {
            let (leaf, _) = (slot / fabric.hosts_per_leaf, slot % fabric.hosts_per_leaf);
            let host = self.host_at(slot);
            let (up, down) = self.join(End::Host(host), leaves[leaf as usize], plane, fabric.link);
            self.host_links[host as usize].push(up);
            self.switches[leaves[leaf as usize] as usize]
                .down
                .push(down);
        }
        let spines: Vec<_> = (0..fabric.pods * fabric.spines)
            .map(|n| self.add_switch(plane, Tier::Spine(n)))
            .collect();
        for (n, &leaf) in leaves.iter().enumerate() {
            let pod = n as u32 / fabric.leaves;
            for s in pod * fabric.spines..(pod + 1) * fabric.spines {
                let link = fabric.between_switches();
                self.stack(leaf, spines[s as usize], plane, link);
            }
        }
        if fabric.topology == Shape::ThreeTier {
            self.add_cores(plane, &spines);
        }
    }

    fn add_cores(&mut self, plane: u32, spines: &[SwitchId]) {
        let fabric = self.fabric.clone();
        let cores: Vec<_> = (0..fabric.spines * fabric.cores_per_spine)
            .map(|n| self.add_switch(plane, Tier::Core(n)))
            .collect();
        for (n, &spine) in spines.iter().enumerate() {
            let first = (n as u32 % fabric.spines) * fabric.cores_per_spine;
            for core in first..first + fabric.cores_per_spine {
                self.stack(spine, cores[core as usize], plane, fabric.to_cores());
            }
        }
    }

    fn add_switch(&mut self, plane: u32, tier: Tier) -> SwitchId {
        self.switches.push(Switch {
            plane,
            tier,
            down: Vec::new(),
            up: Vec::new(),
        });
        self.switches.len() as SwitchId - 1
    }

    /// Joins two switches.
    fn stack(&mut self, lower: SwitchId, upper: SwitchId, plane: u32, link: Link) {
        let (up, down) = self.join(End::Switch(lower), upper, plane, link);
        self.switches[lower as usize].up.push(up);
        self.switches[upper as usize].down.push(down);
    }

    fn join(&mut self, lower: End, upper: SwitchId, plane: u32, link: Link) -> (LinkId, LinkId) {
        let upper = End::Switch(upper);
        let up = self.wires.len() as LinkId;
        for (from, to) in [(lower, upper), (upper, lower)] {
            self.wires.push(Wire {
                from,
                to,
                plane,
                link,
            });
        }
        (up, up + 1)
    }

    fn host_at(&self, slot: u32) -> HostId {
        let (leaf, place) = (
            slot / self.fabric.hosts_per_leaf,
            slot % self.fabric.hosts_per_leaf,
        );
        match self.fabric.placement {
            Placement::Packed => slot,
            Placement::Spread => place * self.fabric.all_leaves() + leaf,
        }
    }

    /// The leaf of a host, and its place below it.
    pub fn leaf_of(&self, host: HostId) -> (u32, u32) {
        let (leaves, below) = (self.fabric.all_leaves(), self.fabric.hosts_per_leaf);
        match self.fabric.placement {
            Placement::Packed => (host / below, host % below),
            Placement::Spread => (host % leaves, host / leaves),
        }
    }

    /// Where a switch sends what is for a host.
    pub fn way(&self, switch: SwitchId, to: HostId) -> Way {
        let switch = &self.switches[switch as usize];
        let (leaf, place) = self.leaf_of(to);
        let pod = leaf / self.fabric.leaves;
        match switch.tier {
            Tier::Leaf(n) if n == leaf => Way::Down(switch.down[place as usize]),
            Tier::Spine(n) if n / self.fabric.spines == pod => {
                Way::Down(switch.down[(leaf % self.fabric.leaves) as usize])
            }
            Tier::Core(_) => Way::Down(switch.down[pod as usize]),
            _ => Way::Up,
        }
    }

    /// The switch that a link leads to.
    pub fn switch_at(&self, link: LinkId) -> Option<SwitchId> {
        match self.wires[link as usize].to {
            End::Switch(switch) => Some(switch),
            End::Host(_) => None,
        }
    }

    /// The links that a packet takes from host to host on a plane.
    pub fn route(&self, from: HostId, to: HostId, plane: u32, entropy: u16) -> Vec<LinkId> {
        let mut links = vec![self.host_links[from as usize][plane as usize]];
        while let Some(switch) = links.last().and_then(|&link| self.switch_at(link)) {
            links.push(match self.way(switch, to) {
                Way::Down(link) => link,
                Way::Up => self.hashed(switch, from, to, entropy),
            });
        }
        links
    }

    /// ECMP: the link up that the hash of a packet's addresses and ports names.
    pub fn hashed(&self, switch: SwitchId, from: HostId, to: HostId, entropy: u16) -> LinkId {
        let up = &self.switches[switch as usize].up;
        up[(five_tuple_hash(from, to, entropy, switch) % up.len() as u64) as usize]
    }
}

/// Hash of what distinguishes the five-tuples here: both addresses and the source port. Each switch has a seed of its own,
/// so that tiers don't choose alike. Mixing as in SplitMix64 (Steele, Lea, Flood 2014).
fn five_tuple_hash(from: HostId, to: HostId, entropy: u16, seed: SwitchId) -> u64 {
    let addresses = u64::from(from) << 32 | u64::from(to);
    let mixed = mix(addresses ^ u64::from(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    mix(mixed ^ u64::from(entropy))
}

fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ value >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ value >> 31
}

/// Host, leaf, spine that a scenario names.
pub type Target = (Option<u32>, Option<u32>, Option<u32>);

impl Topology {
    /// The links, both directions, that a scenario's failure or slow link means; with nothing named the whole plane.
    pub fn links(&self, plane: Option<u32>, target: Target) -> Vec<LinkId> {
        let is = |wire: &Wire| {
            let ends = [wire.from, wire.to];
            let host = |h| ends.contains(&End::Host(h));
            let tier = |tier| ends.iter().any(|&end| self.tier(end) == Some(tier));
            let between = ends.iter().all(|end| matches!(end, End::Switch(_)));
            match target {
                (Some(h), _, _) => host(h),
                (_, None, None) => true,
                (_, leaf, spine) => {
                    between
                        && leaf.is_none_or(|n| tier(Tier::Leaf(n)))
                        && spine.is_none_or(|n| tier(Tier::Spine(n)))
                }
            }
        };
        let all = 0..self.wires.len() as LinkId;
        all.filter(|&link| {
            let wire = &self.wires[link as usize];
            plane.is_none_or(|p| p == wire.plane) && is(wire)
        })
        .collect()
    }

    fn tier(&self, end: End) -> Option<Tier> {
        match end {
            End::Switch(switch) => Some(self.switches[switch as usize].tier),
            End::Host(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::*;
    use crate::scenario::Scenario;

    fn topology(fabric: &str) -> Topology {
        let text = format!(
            "name = 't'\n[fabric]\n{fabric}\n[[workload]]\nall-to-all = {{ size = '1B' }}\n"
        );
        let scenario = Scenario::parse(&text, Path::new("t.toml"));
        Topology::new(&scenario.unwrap_or_else(|e| panic!("{e}")).fabric)
    }

    const TWO_TIERS: &str =
        "topology = 'leaf-spine'\nplanes = 2\nleaves = 3\nhosts_per_leaf = 4\nspines = 8";
    const THREE_TIERS: &str = "topology = 'three-tier'\npods = 2\nleaves = 2\nhosts_per_leaf = 2\nspines = 3\ncores_per_spine = 2";

    #[test]
    fn every_host_reaches_every_other_over_the_shortest_way() {
        for (fabric, planes, far) in [(TWO_TIERS, 2, 4), (THREE_TIERS, 1, 6)] {
            let topology = topology(fabric);
            let hosts = topology.host_links.len() as HostId;
            let mut longest = 0;
            for (from, to) in (0..hosts).flat_map(|a| (0..hosts).map(move |b| (a, b))) {
                for plane in (0..planes).filter(|_| from != to) {
                    let route = topology.route(from, to, plane, 0xC123);
                    let wire = |&link: &LinkId| topology.wires[link as usize];
                    assert!(route.iter().all(|link| wire(link).plane == plane));
                    assert_eq!(route.last().map(wire).map(|w| w.to), Some(End::Host(to)));
                    let near = topology.leaf_of(from).0 == topology.leaf_of(to).0;
                    assert_eq!(route.len() == 2, near);
                    longest = longest.max(route.len());
                }
            }
            assert_eq!(longest, far);
        }
    }

    #[test]
    fn the_hash_spreads_ports_evenly_and_keeps_a_port_on_its_way() {
        let topology = topology(TWO_TIERS);
        let mut used = BTreeMap::new();
        for port in 0xC000..=0xFFFF {
            let spine = topology.route(0, 5, 0, port)[1];
            assert_eq!(topology.route(0, 5, 0, port)[1], spine);
            *used.entry(spine).or_insert(0) += 1;
        }
        assert_eq!(used.len(), 8);
        assert!(
            used.values().all(|n| (1_900..2_200).contains(n)),
            "{used:?}"
        );
    }

    #[test]
    fn hosts_sit_packed_or_spread_as_asked() {
        let packed = topology(TWO_TIERS);
        let spread = topology(&format!("{TWO_TIERS}\nplacement = 'spread'"));
        let leaves = |t: &Topology| (0..12).map(|h| t.leaf_of(h).0).collect::<Vec<_>>();
        assert_eq!(leaves(&packed), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
        assert_eq!(leaves(&spread), [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]);
    }

    #[test]
    fn a_failure_means_the_links_that_it_names_in_both_directions() {
        let topology = topology(TWO_TIERS);
        let count = |target| topology.links(Some(0), target).len();
        assert_eq!(count((None, None, None)), 2 * (12 + 3 * 8));
        assert_eq!(count((Some(3), None, None)), 2);
        assert_eq!(count((None, Some(1), None)), 2 * 8);
        assert_eq!(count((None, None, Some(7))), 2 * 3);
        assert_eq!(count((None, Some(1), Some(7))), 2);
        assert_eq!(topology.links(None, (Some(3), None, None)).len(), 4);
    }
}
