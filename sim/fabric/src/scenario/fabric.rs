//! The fabric's tables of a scenario, and what goes wrong with it.
use serde::Deserialize;

use crate::units::{Duration, Rate, Size};

/// Switches and links; all planes are alike.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fabric {
    /// Shape of a plane.
    pub topology: Shape,
    /// Planes, 1..=8; each host has a port on each.
    #[serde(default = "one")]
    pub planes: u32,
    /// Pods; only of three tiers.
    #[serde(default = "one")]
    pub pods: u32,
    /// Leaves; of three tiers: in a pod.
    pub leaves: u32,
    /// Hosts below a leaf.
    pub hosts_per_leaf: u32,
    /// Spines; of three tiers: aggregation switches in a pod.
    pub spines: u32,
    /// Cores above each aggregation switch of a pod; only of three tiers.
    #[serde(default)]
    pub cores_per_spine: u32,
    /// Whether hosts 0, 1, 2 ... sit below one leaf or below one leaf after the other.
    #[serde(default)]
    pub placement: Placement,
    /// Every link but those named otherwise.
    #[serde(default)]
    pub link: Link,
    /// Links between switches, if others.
    pub uplink: Option<Link>,
    /// Links to cores, if others than those.
    pub core_link: Option<Link>,
    /// Time that a switch takes for a packet, beside serialization.
    #[serde(default = "half_microsecond")]
    pub switch_delay: Duration,
    /// What a frame takes on a link beyond its own bytes: preamble 8, frame check sequence 4, gap 12.
    #[serde(default = "frame_gap")]
    pub frame_gap: Size,
    /// Buffers of switches.
    #[serde(default)]
    pub buffer: Buffer,
    /// Marks.
    #[serde(default)]
    pub ecn: Ecn,
    /// How a switch chooses among equal ways.
    #[serde(default)]
    pub load_balancing: LoadBalancing,
    /// ACKs and the like go before data in every queue; probes must stay behind the data of their path.
    #[serde(default)]
    pub answers_first: bool,
    /// Lossless Ethernet; for baselines.
    pub pfc: Option<Pfc>,
}

/// Shape of a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Every leaf has a link to every spine.
    LeafSpine,
    /// Pods of leaves and aggregation switches below cores.
    ThreeTier,
}

/// Where hosts sit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// Neighbours in number below one leaf.
    #[default]
    Packed,
    /// Neighbours in number below different leaves.
    Spread,
}

/// A link, each direction.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Bits a second.
    #[serde(default = "line")]
    pub rate: Rate,
    /// Propagation.
    #[serde(default = "half_microsecond")]
    pub delay: Duration,
}

/// Buffers of a switch.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Buffer {
    /// Bytes.
    pub size: Size,
    /// Of one port, or of the switch.
    #[serde(default)]
    pub shared: bool,
}

/// When a switch marks.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Ecn {
    /// Never.
    Off,
    /// A queue of so many bytes or more.
    Threshold {
        /// Bytes.
        at: Size,
    },
    /// With a probability that grows from 0 at `min` to `probability` at `max`, and is 1 above.
    Red {
        /// Bytes.
        min: Size,
        /// Bytes.
        max: Size,
        /// At `max`, 0 to 1.
        probability: f64,
    },
}

/// How a switch chooses among equal ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoadBalancing {
    /// By a hash of addresses and ports.
    #[default]
    Ecmp,
    /// Packet by packet, at random among the shortest queues.
    Packet,
}

/// Priority flow control (IEEE 802.1Qbb), by ingress port.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pfc {
    /// Bytes of an ingress in the switch at which its sender is stopped.
    pub stop: Size,
    /// Bytes at which it may go on.
    pub go: Size,
}

/// Random losses on links.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Loss {
    /// Share of packets, 0 to 1.
    pub rate: f64,
    /// Mean packets of a burst; 1: each packet by itself.
    #[serde(default = "one_packet")]
    pub burst: f64,
    /// On which links.
    #[serde(default)]
    pub links: Links,
    /// Which packets.
    #[serde(default)]
    pub frames: Frames,
    /// Only on this plane.
    pub plane: Option<u32>,
}

/// A group of links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Links {
    /// From a leaf to its hosts.
    #[default]
    ToHosts,
    /// From hosts to their leaf.
    FromHosts,
    /// Between switches.
    Switches,
    /// Every one.
    All,
}

/// A group of packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Frames {
    /// Every one.
    #[default]
    All,
    /// With payload.
    Data,
    /// ACKs, probes and the like.
    Control,
}

/// Something that fails.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// When.
    pub at: Duration,
    /// When it is back; never without.
    pub until: Option<Duration>,
    /// The plane; alone: all its switches.
    #[serde(default)]
    pub plane: u32,
    /// Only this host's link.
    pub host: Option<u32>,
    /// Only this leaf's links: all to spines, or with `spine` the one.
    pub leaf: Option<u32>,
    /// Only this spine's links: all to leaves, or with `leaf` the one.
    pub spine: Option<u32>,
}

/// Links slower than the others.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slow {
    /// Bits a second, both directions.
    pub rate: Rate,
    /// The plane; without one: every plane.
    pub plane: Option<u32>,
    /// This host's link.
    pub host: Option<u32>,
    /// This leaf's links to spines, or with `spine` the one.
    pub leaf: Option<u32>,
    /// This spine's links to leaves, or with `leaf` the one.
    pub spine: Option<u32>,
}

impl Default for Link {
    fn default() -> Self {
        Self {
            rate: line(),
            delay: half_microsecond(),
        }
    }
}

impl Default for Buffer {
    fn default() -> Self {
        Self {
            size: Size(4_000_000),
            shared: false,
        }
    }
}

impl Default for Ecn {
    fn default() -> Self {
        Self::Threshold { at: Size(100_000) }
    }
}

impl Fabric {
    /// Hosts of the whole fabric.
    pub fn hosts(&self) -> u64 {
        u64::from(self.all_leaves()) * u64::from(self.hosts_per_leaf)
    }

    /// Leaves of a plane.
    pub fn all_leaves(&self) -> u32 {
        self.pods.saturating_mul(self.leaves)
    }

    /// Links between switches.
    pub fn between_switches(&self) -> Link {
        self.uplink.unwrap_or(self.link)
    }

    /// Links to cores.
    pub fn to_cores(&self) -> Link {
        self.core_link.unwrap_or(self.between_switches())
    }
}

fn one() -> u32 {
    1
}

fn one_packet() -> f64 {
    1.0
}

fn half_microsecond() -> Duration {
    Duration(500_000)
}

fn frame_gap() -> Size {
    Size(24)
}

fn line() -> Rate {
    Rate(400_000_000_000)
}
