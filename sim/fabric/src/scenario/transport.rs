//! What hosts speak: the table `[transport]`.
use serde::{Deserialize, Serialize};

use crate::units::{Duration, Size};

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
    /// Connections start with the paths that their round trip asks for, of windows of so many packets; 0: with `paths`.
    pub bootstrap_window: u32,
    /// Packets of all paths of a connection under way; 0: no bound.
    pub connection_window: u32,
    /// What moves the windows.
    pub law: Law,
    /// First window of a path under a law, packets.
    pub first_window: u32,
    /// Packets that `aimd` and `delay` add a round trip, all paths of a connection together.
    pub increase: u32,
    /// `aimd`: that increase goes to paths by their windows, not to all alike.
    pub coupled: bool,
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
    /// Deliveries after which a path that is marked far more than its siblings takes another source port; 0: never.
    pub reroute_marked: u32,
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
            bootstrap_window: 0,
            connection_window: 0,
            law: Law::Fixed,
            first_window: 8,
            increase: 1,
            coupled: false,
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
            reroute_marked: 0,
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
