//! Counters by name, 32 bits, wrapping, as the hardware's registers.
use metaroce_protocol::Counter;

/// One value for each counter of the register map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters([u32; Counter::COUNT]);

impl Default for Counters {
    fn default() -> Self {
        Self([0; Counter::COUNT])
    }
}

impl Counters {
    /// Adds `n`, wrapping.
    pub fn add(&mut self, counter: Counter, n: u32) {
        let value = &mut self.0[counter as usize];
        *value = value.wrapping_add(n);
    }

    /// Its value.
    pub fn get(&self, counter: Counter) -> u32 {
        self.0[counter as usize]
    }
}
