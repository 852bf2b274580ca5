//! The sending end of a link: a queue, and the wire behind it.
use std::collections::VecDeque;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::loss::LossState;
use crate::packet::PacketId;
use crate::scenario::{Ecn, Link};
use crate::units::{Rate, Time};

/// A packet in a queue.
#[derive(Clone, Copy, Debug)]
pub struct Queued {
    /// Which packet.
    pub packet: PacketId,
    /// Bytes on the wire.
    pub bytes: u32,
}

/// The sending end of a link. It holds whole packets; a packet leaves the queue when its first byte does.
#[derive(Debug)]
pub struct Port {
    /// Bits a second.
    pub rate: Rate,
    /// Propagation, and the time that the switch behind it takes.
    pub delay: Time,
    /// It carries packets.
    pub up: bool,
    /// PFC: data must wait.
    pub paused: bool,
    /// When its last packet is sent whole.
    pub busy_until: Time,
    /// An event for that time is planned.
    pub free_planned: bool,
    /// Its random losses.
    pub losses: Vec<LossState>,
    first: VecDeque<Queued>,
    data: VecDeque<Queued>,
    /// Bytes that wait.
    pub bytes: u64,
    /// Most packets that ever waited.
    pub peak_packets: usize,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Bytes of the queue at which everything is marked, and where marking begins.
    ecn: Ecn,
}

impl Port {
    /// Empty.
    pub fn new(link: Link, behind: Time, ecn: Ecn) -> Self {
        Self {
            rate: link.rate,
            delay: link.delay.0 + behind,
            up: true,
            paused: false,
            busy_until: 0,
            free_planned: false,
            losses: Vec::new(),
            first: VecDeque::new(),
            data: VecDeque::new(),
            bytes: 0,
            peak_packets: 0,
            sent_bytes: 0,
            ecn,
        }
    }

    /// Whether a packet that comes now is marked.
    pub fn marks(&self, random: &mut ChaCha8Rng) -> bool {
        match self.ecn {
            Ecn::Off => false,
            Ecn::Threshold { at } => self.bytes >= at.0,
            Ecn::Red {
                min,
                max,
                probability,
            } => {
                if self.bytes < min.0 {
                    false
                } else if self.bytes >= max.0 {
                    true
                } else {
                    let share = (self.bytes - min.0) as f64 / (max.0 - min.0) as f64;
                    random.random_bool(share * probability)
                }
            }
        }
    }

    /// A packet joins the queue; `first`: before all data.
    pub fn push(&mut self, packet: Queued, first: bool) {
        let queue = if first {
            &mut self.first
        } else {
            &mut self.data
        };
        queue.push_back(packet);
        self.bytes += u64::from(packet.bytes);
        self.peak_packets = self.peak_packets.max(self.packets());
    }

    /// The packet that is sent next, if one may be.
    pub fn pop(&mut self) -> Option<Queued> {
        let next = self.first.pop_front();
        let next = next.or_else(|| {
            if self.paused {
                None
            } else {
                self.data.pop_front()
            }
        })?;
        self.bytes -= u64::from(next.bytes);
        Some(next)
    }

    /// Everything that waits, when the link fails.
    pub fn drain(&mut self) -> Vec<Queued> {
        self.bytes = 0;
        self.first.drain(..).chain(self.data.drain(..)).collect()
    }

    /// Packets that wait.
    pub fn packets(&self) -> usize {
        self.first.len() + self.data.len()
    }

    /// Whether something waits that may be sent.
    pub fn has_work(&self) -> bool {
        !self.first.is_empty() || (!self.paused && !self.data.is_empty())
    }

    /// Sends a packet: when it is sent whole.
    pub fn send(&mut self, now: Time, bytes: u32) -> Time {
        self.busy_until = now + self.rate.time_of(bytes.into());
        self.sent_bytes += u64::from(bytes);
        self.busy_until
    }

    /// Whether a packet is lost on the wire. Every rule is asked, so that each counts its own packets.
    pub fn loses(&mut self, data: bool, random: &mut ChaCha8Rng) -> bool {
        self.losses
            .iter_mut()
            .fold(false, |lost, rule| rule.loses(data, random) | lost)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::units::Size;

    fn port(ecn: Ecn) -> Port {
        Port::new(Link::default(), 0, ecn)
    }

    fn queued(packet: PacketId) -> Queued {
        Queued {
            packet,
            bytes: 1_000,
        }
    }

    #[test]
    fn answers_go_first_and_a_pause_stops_only_data() {
        let mut port = port(Ecn::Off);
        port.push(queued(1), false);
        port.push(queued(2), false);
        port.push(queued(3), true);
        assert_eq!(port.pop().map(|q| q.packet), Some(3));
        assert_eq!(port.pop().map(|q| q.packet), Some(1));
        port.paused = true;
        assert!(!port.has_work() && port.pop().is_none());
        port.push(queued(4), true);
        assert_eq!(port.pop().map(|q| q.packet), Some(4));
        assert_eq!(
            (port.bytes, port.packets(), port.peak_packets),
            (1_000, 1, 3)
        );
        assert_eq!(port.send(0, 1_000), 20_000);
    }

    #[test]
    fn marks_follow_the_queue() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let threshold = Ecn::Threshold { at: Size(3_000) };
        let red = Ecn::Red {
            min: Size(1_000),
            max: Size(5_000),
            probability: 0.5,
        };
        let mut count = |ecn, packets| {
            let mut port = port(ecn);
            (0..packets).for_each(|n| port.push(queued(n), false));
            (0..10_000).filter(|_| port.marks(&mut random)).count()
        };
        assert_eq!([2, 3].map(|n| count(threshold, n)), [0, 10_000]);
        assert_eq!([0, 5].map(|n| count(red, n)), [0, 10_000]);
        let half = count(red, 3);
        assert!((2_300..2_700).contains(&half), "a quarter: {half}");
    }
}
