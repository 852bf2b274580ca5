//! What happens next: a heap ordered by time, and at one time by the order in which events were planned.
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

/// Everything that is planned.
#[derive(Debug, Default)]
pub struct Agenda {
    heap: BinaryHeap<Reverse<(Time, u64, Event)>>,
    planned: u64,
}

impl Agenda {
    /// Plans an event.
    pub fn plan(&mut self, at: Time, event: Event) {
        self.planned += 1;
        self.heap.push(Reverse((at, self.planned, event)));
    }

    /// The next event.
    pub fn take_next(&mut self) -> Option<(Time, Event)> {
        self.heap.pop().map(|Reverse((at, _, event))| (at, event))
    }
}

#[cfg(test)]
mod tests {
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
}
