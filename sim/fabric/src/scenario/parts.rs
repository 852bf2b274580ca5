//! The tables of a scenario.
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

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

/// What the hosts speak.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Transport {
    /// Which.
    pub kind: Kind,
    /// Paths of a connection, 1..=256.
    pub paths: u32,
    /// Source ports of the paths.
    pub entropy: Entropy,
    /// Packets of a path under way, 1..=239.
    pub window: u32,
    /// Packets of all paths of a connection under way; 0: no bound.
    pub connection_window: u32,
    /// What moves the windows.
    pub law: Law,
    /// First window of a path under a law, packets.
    pub first_window: u32,
    /// Packets of a path that ask for an ACK, 1..=255.
    pub ack_every: u32,
    /// A gap is answered once, not with every packet behind it.
    pub ack_only_skips: bool,
    /// Payload of a full packet: 256, 512, 1,024, 2,048 or 4,096 bytes.
    pub mtu: Size,
    /// Time-out before a round trip is measured.
    pub rto: Duration,
    /// Shortest time-out of a measured path; 0: `rto` always.
    pub rto_floor: Duration,
    /// Time-outs in a row that end a connection, 1..=15.
    pub max_retries: u32,
    /// Who is counted for rate hints.
    pub hints: Hints,
    /// Largest reorder allowance, packets.
    pub max_allowance: u32,
    /// Reorder allowance that a connection starts with, packets.
    pub first_allowance: u32,
    /// Deliveries without a needless retransmission after which it halves.
    pub allowance_calm: u32,
    /// Bytes that a connection may send at once under a rate hint.
    pub burst: Size,
    /// Second copies of a quiet tail.
    pub idle_copies: bool,
    /// Second copies of retransmissions in a quiet tail; `idle_copies` has them too.
    pub retransmission_copies: bool,
    /// Probes on a quiet tail beyond the first.
    pub extra_tail_probes: u32,
    /// Time-outs after which a path takes another source port; 0: never.
    pub reroute_after: u32,
    /// Silent paths that make a plane suspect; 0: never.
    pub suspect_paths: u32,
    /// Answered probes that bring it back.
    pub recovery_probes: u32,
    /// Time between doublings of a recovering plane's windows.
    pub ramp: Duration,
    /// DCQCN for baselines.
    pub dcqcn: bool,
}

impl Default for Transport {
    fn default() -> Self {
        Self {
            kind: Kind::Metaroce,
            paths: 16,
            entropy: Entropy::Learned,
            window: 8,
            connection_window: 0,
            law: Law::Fixed,
            first_window: 8,
            ack_every: 2,
            ack_only_skips: false,
            mtu: Size(4_096),
            rto: Duration(50_000_000),
            rto_floor: Duration(10_000_000),
            max_retries: 7,
            hints: Hints::Off,
            max_allowance: 0,
            first_allowance: 0,
            allowance_calm: 256,
            burst: Size(4_096),
            idle_copies: false,
            retransmission_copies: false,
            extra_tail_probes: 0,
            reroute_after: 0,
            suspect_paths: 0,
            recovery_probes: 3,
            ramp: Duration(15_000_000),
            dcqcn: true,
        }
    }
}

/// A transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The model.
    Metaroce,
    /// RoCEv2: one path, go-back-N.
    GoBackN,
    /// RoCEv2 with selective repeat, one path.
    SelectiveRepeat,
}

/// Source ports of a connection's paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Entropy {
    /// Found to spread evenly over the equal ways, as traceroute before the first packet can tell.
    Learned,
    /// At random.
    Random,
}

/// What moves the windows of paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Nothing.
    Fixed,
    /// Marks.
    Aimd,
    /// Round trips.
    Delay,
}

/// Who is counted for rate hints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hints {
    /// Nobody: every hint is the whole line.
    Off,
    /// Connections with posted buffers; flows are Sends. Posted, and heard by the senders, when connections are set up.
    Posted,
    /// Connections heard within the last four round trips.
    Heard,
}

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
