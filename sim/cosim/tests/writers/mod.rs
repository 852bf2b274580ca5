//! Planes' writers and their memories: writes of several bursts, answered late.
#![allow(dead_code)] // each test file uses a part

use std::collections::VecDeque;

use metaroce_cosim::model::VerilatedModel;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// One plane's.
#[derive(Default)]
pub struct Plane {
    /// Ordered, not begun: bursts of each.
    orders: VecDeque<u32>,
    /// Bursts of the write under way whose address was not taken.
    left: u32,
    /// Bursts asked for and not answered: whether it is its write's last.
    unanswered: VecDeque<bool>,
    pub ordered: u64,
    pub written: u64,
}

impl Plane {
    /// A cycle: what the design sees of plane `k`. `orders`: a write may be ordered.
    pub fn drive(
        &mut self,
        dut: &mut VerilatedModel,
        k: usize,
        rng: &mut ChaCha8Rng,
        orders: bool,
    ) {
        let ordered = orders && self.orders.len() < 8 && rng.random_bool(0.08);
        if ordered {
            self.orders.push_back(rng.random_range(1..4));
            self.ordered += 1;
        }
        let ready = self.left == 0;
        // An order is not seen by the writer in its own cycle.
        let waits = self.orders.len() > usize::from(ordered);
        let started = ready && waits && rng.random_bool(0.5);
        let asked = self.left > 0 && rng.random_bool(0.5);
        let answered = !self.unanswered.is_empty() && rng.random_bool(0.3);
        let mut set = |name: &str, value| {
            let port = dut.port(&format!("{name}_{k}"));
            dut.set_u64(port.unwrap_or_else(|error| panic!("{error}")), value);
        };
        set("placed", ordered.into());
        let progress = [started, ready, asked, answered];
        let bits = (0..).zip(progress).map(|(i, up)| u64::from(up) << i).sum();
        set("progress", bits);
        if answered && self.unanswered.pop_front() == Some(true) {
            self.written += 1;
        }
        if asked {
            self.left -= 1;
            self.unanswered.push_back(self.left == 0);
        }
        if started {
            self.left = self.orders.pop_front().expect("an order");
        }
    }
}
