//! What a run ends in.
use serde::{Deserialize, Serialize};

use crate::host::Counts;
use crate::network::Tally;
use crate::scenario::Kind;
use crate::units::{MICROSECOND, Time};

/// Flow completion times: from a flow's start to its sender's completion, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fct {
    /// Shortest.
    pub min: f64,
    /// Half are shorter.
    pub p50: f64,
    /// 99 of 100 are shorter.
    pub p99: f64,
    /// Longest.
    pub max: f64,
}

/// One flow that completed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowTime {
    /// From its start to its sender's completion, microseconds.
    pub us: f64,
    /// The time that it would take alone on a lossless fabric / that.
    pub share: f64,
}

/// A flow that did not complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unfinished {
    /// Its number.
    pub flow: u32,
    /// Sender.
    pub from: u32,
    /// Receiver.
    pub to: u32,
    /// Why.
    pub reason: String,
    /// State of its paths.
    pub paths: Vec<String>,
}

/// What a failure did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recovery {
    /// From the failure to the first and the last sender that suspects the plane.
    pub noticed_first_us: Option<f64>,
    /// The last.
    pub noticed_last_us: Option<f64>,
    /// From the failure to receiving 95 % of what the other planes carry.
    pub rest_at_line_rate_us: Option<f64>,
    /// From the return to receiving 95 % of what all planes carry.
    pub all_at_line_rate_us: Option<f64>,
}

/// What a run ends in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The scenario's name.
    pub scenario: String,
    /// What decided every random choice.
    pub seed: u64,
    /// Who sent.
    pub transport: Kind,
    /// Every flow completed.
    pub finished: bool,
    /// The others.
    pub unfinished: Vec<Unfinished>,
    /// Of all flows that completed.
    pub fct_us: Fct,
    /// Of each flow, `null` if it did not complete; empty where there are more than 64.
    pub flows: Vec<Option<FlowTime>>,
    /// From the start to the last completion.
    pub makespan_us: f64,
    /// The limit by wire bytes on a lossless fabric.
    pub limit_us: f64,
    /// limit / makespan; 0 of a run that did not finish.
    pub goodput_share: f64,
    /// Packets sent again because they were taken for lost.
    pub retransmissions: u64,
    /// Of those the ones that came twice.
    pub spurious_retransmissions: u64,
    /// Second copies of tails.
    pub idle_copies: u64,
    /// Data packets sent, every one.
    pub packets: u64,
    /// Probes after a time-out.
    pub timeouts: u64,
    /// Paths that took another source port, or left a suspect plane.
    pub reroutes: u64,
    /// Packets lost at random.
    pub lost: u64,
    /// Packets that found no room in a buffer.
    pub dropped: u64,
    /// Packets sent into links that were down.
    pub dead: u64,
    /// Packets marked by a switch.
    pub marks: u64,
    /// Pauses (PFC).
    pub pauses: u64,
    /// Most packets in one queue of a switch.
    pub peak_queue_packets: usize,
    /// Most bytes in one.
    pub peak_queue_bytes: u64,
    /// Jain's index of the flows' goodputs: 1 is even.
    pub jain: f64,
    /// Bytes of whole data frames that hosts received by plane, against the mean.
    pub plane_share: Vec<f64>,
    /// What failures did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<Recovery>,
    /// Events of the simulation.
    pub events: u64,
    /// Bytes of memory of a connection, mean.
    pub bytes_per_connection: u64,
}

/// Microseconds.
pub fn microseconds(time: Time) -> f64 {
    time as f64 / MICROSECOND as f64
}

impl Fct {
    /// Of these times; all 0 of none.
    pub fn of(mut times: Vec<Time>) -> Self {
        times.sort_unstable();
        let at = |share: f64| {
            let place = (share * times.len() as f64).ceil() as usize;
            let time = times.get(place.max(1) - 1).or(times.last());
            microseconds(time.copied().unwrap_or(0))
        };
        Self {
            min: at(0.0),
            p50: at(0.5),
            p99: at(0.99),
            max: at(1.0),
        }
    }
}

/// Jain, Chiu, Hawe 1984: (sum x)^2 / (n sum x^2); 1 of nothing.
pub fn jain(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().sum();
    let squares: f64 = values.iter().map(|v| v * v).sum();
    if squares == 0.0 {
        return 1.0;
    }
    sum * sum / (values.len() as f64 * squares)
}

impl Summary {
    /// Nothing happened.
    pub fn empty() -> Self {
        Self {
            scenario: String::new(),
            seed: 0,
            transport: Kind::Metaroce,
            finished: true,
            unfinished: Vec::new(),
            fct_us: Fct::default(),
            flows: Vec::new(),
            makespan_us: 0.0,
            limit_us: 0.0,
            goodput_share: 0.0,
            retransmissions: 0,
            spurious_retransmissions: 0,
            idle_copies: 0,
            packets: 0,
            timeouts: 0,
            reroutes: 0,
            lost: 0,
            dropped: 0,
            dead: 0,
            marks: 0,
            pauses: 0,
            peak_queue_packets: 0,
            peak_queue_bytes: 0,
            jain: 1.0,
            plane_share: Vec::new(),
            recovery: None,
            events: 0,
            bytes_per_connection: 0,
        }
    }

    /// Takes over what the network and the hosts counted.
    pub fn with_counts(mut self, tally: &Tally, counts: &Counts) -> Self {
        self.retransmissions = counts.retransmissions;
        self.spurious_retransmissions = counts.spurious;
        self.idle_copies = counts.copies;
        self.timeouts = counts.timeouts;
        self.reroutes = counts.reroutes;
        self.packets = tally.sent;
        self.lost = tally.lost;
        self.dropped = tally.dropped;
        self.dead = tally.dead;
        self.marks = tally.marked;
        self.pauses = tally.pauses;
        self.peak_queue_packets = tally.peak_queue_packets;
        self.peak_queue_bytes = tally.peak_queue_bytes;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_take_the_nearest_rank() {
        let fct = Fct::of((1..=200).rev().map(|n| n * MICROSECOND).collect());
        assert_eq!(
            (fct.min, fct.p50, fct.p99, fct.max),
            (1.0, 100.0, 198.0, 200.0)
        );
        assert_eq!(Fct::of(vec![]), Fct::default());
    }

    #[test]
    fn jain_is_one_when_all_are_equal_and_one_nth_when_one_has_all() {
        assert_eq!(jain(&[3.0; 7]), 1.0);
        assert_eq!(jain(&[0.0, 0.0, 5.0, 0.0]), 0.25);
        assert_eq!(jain(&[]), 1.0);
    }
}
