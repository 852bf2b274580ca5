//! What the peer answers, and what becomes of it on its way.
use metaroce_model::wire::{Body, Incoming, Outgoing};
use rand::Rng;

use crate::world::World;

impl World {
    /// Whether a frame is one of these connections'.
    pub(super) fn is_in(&self, connections: u32, frame: &Incoming) -> bool {
        connections >> (frame.dest_qp & (self.size.connections - 1)) & 1 == 1
    }

    pub(super) fn answer(&mut self, out: Outgoing) {
        if self.is_in(self.dead, &out.frame) || self.rng.random_bool(self.trouble.loss) {
            return;
        }
        let at = self.cycle + self.rng.random_range(1..=self.trouble.latency);
        self.back[out.plane as usize].push_back((at, out.frame));
    }

    /// The frame that the ACK engine is offered in this cycle.
    pub(super) fn frame_back(&mut self) -> Option<Incoming> {
        if self.rng.random_bool(self.trouble.forge) {
            return self.forged();
        }
        let first = self.rng.random_range(0..self.back.len());
        for k in 0..self.back.len() {
            let plane = (first + k) % self.back.len();
            let come = |&(at, frame): &(u64, Incoming)| {
                at <= self.cycle && !self.is_in(self.muted, &frame)
            };
            if let Some(place) = self.back[plane].iter().position(come) {
                let frame = self.back[plane].remove(place).unwrap().1;
                self.old.push(frame);
                return Some(frame);
            }
        }
        None
    }

    /// An old ACK, as it was or with one field turned.
    fn forged(&mut self) -> Option<Incoming> {
        if self.old.is_empty() {
            return None;
        }
        let from = self.old.len().saturating_sub(200);
        let mut frame = self.old[self.rng.random_range(from..self.old.len())];
        if matches!(frame.body, Body::Refusal(_)) {
            frame.epoch ^= 1;
        }
        match self.rng.random_range(0..7) {
            0 => frame.epoch ^= 1 << self.rng.random_range(0..8),
            1 => frame.dest_qp ^= 1 << self.rng.random_range(0..24),
            2 => frame.path ^= 1 << self.rng.random_range(0..8),
            3 => frame.psn = frame.psn.plus(self.rng.random_range(400..1 << 23)),
            4 => frame.tsn = frame.tsn.plus(self.rng.random_range(400..1 << 23)),
            5 => frame.psn = frame.psn.minus(self.rng.random_range(0..1 << 22)),
            _ => {}
        }
        Some(frame)
    }
}
