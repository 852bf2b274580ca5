//! Counters of many NICs: the register map's and the model's own.
use metaroce_model::counters::{Counters, Extra};
use metaroce_model::nic::Nic;
use metaroce_protocol::Counter;

/// A sum of counters, each 32 bits that wrap.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    counters: Counters,
    extra: [u32; Extra::ALL.len()],
}

impl Tally {
    pub(crate) fn add(&mut self, counter: Counter, n: u32) {
        self.counters.add(counter, n);
    }

    pub(crate) fn get(&self, counter: Counter) -> u32 {
        self.counters.get(counter)
    }

    pub(crate) fn get_extra(&self, counter: Extra) -> u32 {
        self.extra[counter as usize]
    }

    /// Adds all of a NIC's.
    pub(crate) fn absorb(&mut self, nic: &Nic) {
        for &counter in Counter::ALL {
            self.counters.add(counter, nic.counters().get(counter));
        }
        for &counter in Extra::ALL {
            let sum = &mut self.extra[counter as usize];
            *sum = sum.wrapping_add(nic.extra().get(counter));
        }
    }

    /// Those that are not 0, by name.
    pub(crate) fn named(&self) -> Vec<(&'static str, u32)> {
        let known = Counter::ALL.iter().map(|&c| (c.name(), self.get(c)));
        let extra = Extra::ALL.iter().map(|&c| (c.name(), self.get_extra(c)));
        known.chain(extra).filter(|&(_, n)| n != 0).collect()
    }
}
