//! What happens next: ordered by time, and at one time by the order in which events were planned.
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::packet::{HostId, PacketId};
use crate::units::Time;

/// Something that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// A packet has crossed a link.
    Arrive {
        /// Which packet.
        packet: PacketId,
        /// Over which link.
        link: u32,
    },
    /// A link has sent its last packet whole.
    Free(u32),
    /// A host looks at its timers.
    Wake(HostId),
    /// A flow may start.
    Start(u32),
    /// The fabric changes: an entry of its plan.
    Change(u32),
    /// PFC: a link may send data again, or no more.
    Pause {
        /// Which link.
        link: u32,
        /// No more.
        stop: bool,
    },
    /// Time to look at queues and windows.
    Sample,
}

/// log2 of the picoseconds of a bucket (ours): of a thousand busy hosts a few dozen events.
const BUCKET_LOG2: u32 = 11;
/// Buckets of the wheel (ours): 16.8 us, beyond nearly everything that a packet plans.
const BUCKETS: u64 = 8_192;

/// An event and its place in the order: by time, then by planning.
type Entry = Reverse<(Time, u64, Event)>;

/// Everything that is planned: a wheel of buckets (Brown 1988), a heap for the bucket of the present, another for what lies
/// beyond the wheel.
#[derive(Debug)]
pub struct Agenda {
    /// Events of the current bucket and before.
    present: BinaryHeap<Entry>,
    wheel: Vec<Vec<Entry>>,
    /// Events in the wheel.
    turning: usize,
    /// Bucket of the present, counted from time 0.
    bucket: u64,
    beyond: BinaryHeap<Entry>,
    planned: u64,
}

impl Default for Agenda {
    fn default() -> Self {
        Self {
            present: BinaryHeap::new(),
            wheel: vec![Vec::new(); BUCKETS as usize],
            turning: 0,
            bucket: 0,
            beyond: BinaryHeap::new(),
            planned: 0,
        }
    }
}

impl Agenda {
    /// Plans an event; not before the last one taken.
    pub fn plan(&mut self, at: Time, event: Event) {
        self.planned += 1;
        self.put(Reverse((at, self.planned, event)));
    }

    fn put(&mut self, entry: Entry) {
        let bucket = entry.0.0 >> BUCKET_LOG2;
        if bucket <= self.bucket {
            self.present.push(entry);
        } else if bucket < self.bucket + BUCKETS {
            self.turning += 1;
            self.wheel[(bucket % BUCKETS) as usize].push(entry);
        } else {
            self.beyond.push(entry);
        }
    }

    /// The next event.
    pub fn take_next(&mut self) -> Option<(Time, Event)> {
        while self.present.is_empty() {
            self.turn()?;
        }
        let Reverse((at, _, event)) = self.present.pop()?;
        Some((at, event))
    }

    /// On to the next bucket; past an empty wheel to the next event.
    fn turn(&mut self) -> Option<()> {
        self.bucket += 1;
        if self.turning == 0 {
            self.bucket = self.beyond.peek()?.0.0 >> BUCKET_LOG2;
        }
        while let Some(&entry) = self.beyond.peek()
            && entry.0.0 >> BUCKET_LOG2 < self.bucket + BUCKETS
        {
            self.beyond.pop();
            self.put(entry);
        }
        let due = &mut self.wheel[(self.bucket % BUCKETS) as usize];
        self.turning -= due.len();
        self.present.extend(due.drain(..));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn events_come_by_time_and_then_in_the_order_of_planning() {
        let mut agenda = Agenda::default();
        for (at, host) in [(5, 9), (3, 1), (5, 2), (3, 0)] {
            agenda.plan(at, Event::Wake(host));
        }
        let order: Vec<_> = std::iter::from_fn(|| agenda.take_next()).collect();
        let wakes = [(3, 1), (3, 0), (5, 9), (5, 2)].map(|(at, h)| (at, Event::Wake(h)));
        assert_eq!(order, wakes);
    }

    #[test]
    fn the_order_holds_across_the_wheel_and_beyond_it() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut agenda = Agenda::default();
        let mut expected = Vec::new();
        let (mut now, mut taken) = (0, Vec::new());
        for n in 0..20_000 {
            let reach = [1, 1 << 12, 1 << 23, 1 << 26][n as usize % 4];
            let at = now + random.random_range(0..reach);
            agenda.plan(at, Event::Wake(n));
            expected.push((at, Event::Wake(n)));
            if n % 3 > 0 {
                let next = agenda.take_next().unwrap();
                now = next.0;
                taken.push(next);
            }
        }
        taken.extend(std::iter::from_fn(|| agenda.take_next()));
        expected.sort();
        assert_eq!(taken, expected);
    }
}
