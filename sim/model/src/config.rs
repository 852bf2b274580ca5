//! What a NIC is built for, and what its registers tune. Its tables hold the protocol's own entries.

use metaroce_protocol::table::host::Capabilities;
use metaroce_protocol::{Profile, constants};

/// Dimensions fixed at synthesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Connections, a power of two, 1..=4096.
    pub connections: u32,
    /// Paths a connection, a power of two, 1..=256.
    pub paths: u32,
    /// Bitvector bits (W), log2: 5 or 8.
    pub window_log2: u32,
    /// Planes, 1..=8.
    pub planes: u32,
    /// Memory regions, a power of two, up to 65,536.
    pub regions: u32,
    /// Message slots, a power of two, 2..=16.
    pub slots: u32,
    /// What a receiver holds for messages.
    pub trackers: TrackerSize,
}

/// What a receiver holds for each connection's messages: memory on a chip is dear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackerSize {
    /// Streams a connection may use (ours), a power of two: a receiver's memory must not grow by what a peer names.
    pub streams: u16,
    /// Messages of a stream that may be on their way (ours), a power of two: as many as a sender has slots.
    pub messages: u16,
    /// Buffers that may be posted on a stream (ours), a power of two, at least as many as messages that can take one.
    pub receives: u32,
}

impl TrackerSize {
    /// What software has.
    pub const SOFTWARE: Self = Self {
        streams: 64,
        messages: 16,
        receives: 256,
    };
}

impl From<&Capabilities> for Size {
    fn from(c: &Capabilities) -> Self {
        let trackers = match c.speaks_messages {
            true => TrackerSize {
                streams: 1 << c.streams_log2,
                messages: 1 << c.in_flight_log2,
                receives: 1 << c.buffers_log2,
            },
            false => TrackerSize::SOFTWARE,
        };
        Self {
            connections: 1 << c.connections_log2,
            paths: 1 << c.paths_log2,
            window_log2: c.window_log2.into(),
            planes: c.planes.into(),
            regions: 1 << c.regions_log2,
            slots: 1 << c.messages_log2,
            trackers,
        }
    }
}

/// What registers tune.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunables {
    /// Unresolved transmissions a path may have, 1..=255.
    pub window: u32,
    /// Ticks without transmission or ACK before a path probes, 64..2^31.
    pub rto: u32,
    /// Time-outs in a row before a connection fails, 1..=15.
    pub max_retries: u32,
    /// Accepted packets of a path that ask for an ACK, 1..=255.
    pub ack_every: u32,
    /// log2 of a full packet's payload bytes, 8..=12.
    pub mtu_log2: u32,
}

/// What the registers of congestion control say (docs/registers.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Congestion {
    /// 0 `Fixed`, 1 `Aimd`, 2 `Delay`.
    pub law: u32,
    /// First window, packets, 1..=cap.
    pub first: u32,
    /// Largest window, packets, 1..=256.
    pub cap: u32,
    /// What a round trip adds to a connection, in 1/256 packet.
    pub increase: u32,
    /// `Aimd`: what a mark takes, in 1/256 packet.
    pub decrease: u32,
    /// `Delay`: margin as a shift of the shortest round trip.
    pub margin_log2: u32,
    /// `Delay`: part of the excess that a delivery takes, in 1/256 packet.
    pub gain: u32,
    /// Shortest measured time-out, ticks; 0: not measured.
    pub rto_floor: u32,
}

impl Congestion {
    /// From the registers' values, in their order (`metaroce_protocol::registers::CONGESTION`).
    pub const fn from_registers(values: [u32; 8]) -> Self {
        let [
            law,
            first,
            cap,
            increase,
            decrease,
            margin_log2,
            gain,
            rto_floor,
        ] = values;
        Self {
            law,
            first,
            cap,
            increase,
            decrease,
            margin_log2,
            gain,
            rto_floor,
        }
    }

    /// The registers' values.
    pub const fn to_registers(self) -> [u32; 8] {
        [
            self.law,
            self.first,
            self.cap,
            self.increase,
            self.decrease,
            self.margin_log2,
            self.gain,
            self.rto_floor,
        ]
    }
}

impl Default for Congestion {
    fn default() -> Self {
        Self {
            law: constants::CONGESTION_LAW.default,
            first: constants::WINDOW_FIRST.default,
            cap: constants::WINDOW_CAP.default,
            increase: constants::INCREASE.default,
            decrease: constants::DECREASE.default,
            margin_log2: constants::DELAY_MARGIN_LOG2.default,
            gain: constants::DELAY_GAIN.default,
            rto_floor: constants::RTO_FLOOR.default,
        }
    }
}

/// Paths that a connection may have at most (ours): a trial of long round trips needed no more.
pub const MAX_PATHS: u32 = 96;

/// Paths for a connection whose round trip was measured: a lost packet holds its path's cumulative point for two round
/// trips, so paths x window must be two bandwidth-delay products. `line_rate`: bytes a tick in 1/256; `packet`: bytes of a
/// full frame; `window`: largest window of a path in packets; `planes`: at least a path on each.
pub fn paths_for(rtt: u32, line_rate: u32, packet: u32, window: u32, planes: u32) -> u32 {
    let bytes = u64::from(rtt) * u64::from(line_rate) / 256;
    let packets = (2 * bytes).div_ceil(packet.max(1).into());
    let paths = packets.div_ceil(window.max(1).into());
    let most = u64::from(MAX_PATHS);
    (paths.clamp(planes.clamp(1, MAX_PATHS).into(), most)) as u32
}

/// What the whole protocol can do and today's hardware can't. The default is today's hardware.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Verbs that the NIC offers and understands.
    pub profile: Profile,
    /// Ticks for which refusals with `receiver_not_ready` are answered by sending again, since the last message that
    /// found its buffer; 0: the first one fails the connection.
    pub not_ready_ticks: u32,
    /// Shortest time-out in ticks: with a round trip measured, a path's is mean + 4 deviations, but no shorter than this.
    /// 0: always the RTO register.
    pub rto_floor: u32,
    /// Transmissions that a connection's paths together may have unresolved; 0: as many as their windows allow.
    pub connection_window: u32,
    /// Bytes a tick of the line in 1/256, at most 2^20; 0: rate hints hold nobody back.
    pub line_rate: u32,
    /// Bytes that a connection may send at once under a hint; several packets.
    pub burst: u32,
    /// Largest reorder allowance in packets, 0..=64; 0: a gap is a loss.
    pub max_allowance: u32,
    /// Allowance that a connection starts with; at most `max_allowance`.
    pub first_allowance: u32,
    /// Deliveries without a needless retransmission after which the allowance halves; 0: 256.
    pub allowance_calm: u32,
    /// A connection with nothing new to send and losses lately sends a second copy of what is under way.
    pub idle_copies: bool,
    /// The same of retransmissions alone: the round trip that a second loss costs is the dearest.
    pub retransmission_copies: bool,
    /// Probes on a quiet tail beyond the first, 0 or 1; with an allowance there are as many more.
    pub extra_tail_probes: u32,
    /// Time-outs in a row after which a path ends its epoch and goes on with another entropy; 0: never.
    pub reroute_after: u32,
    /// Deliveries of a path after which it is judged by its marks: one marked far more than its siblings goes on with another
    /// entropy; 0: never.
    pub reroute_marked: u32,
    /// A receiver answers at once where a TSN is left out, and not every packet behind a gap: under heavy loss half the ACKs.
    pub ack_only_skips: bool,
    /// Silent paths that make a plane suspect; 0: never.
    pub suspect_paths: u32,
    /// Probes answered in a row that bring a suspect plane back; at least 1.
    pub recovery_probes: u32,
    /// Ticks between two doublings of a recovering plane's windows; a round trip or two.
    pub ramp_ticks: u32,
    /// What is wrong with the model, if anything.
    #[cfg(feature = "mutants")]
    pub mutant: Option<crate::mutant::Mutant>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_paths_follows_the_round_trip_up_to_a_bound() {
        // 400 Gb/s, ticks of a nanosecond: 50 bytes a tick; 4,096 bytes and headers; windows of 16.
        let paths = |rtt| paths_for(rtt, 50 * 256, 4_188, 16, 4);
        assert_eq!(paths(7_340), 11, "scale-out: about 12 paths are reported");
        assert_eq!(paths(100), 4, "one on each plane");
        assert_eq!(paths(u32::MAX), MAX_PATHS);
        // Scale-across: 70 times that, windows of 256.
        assert_eq!(paths_for(513_800, 50 * 256, 4_188, 256, 4), 48);
    }
}
