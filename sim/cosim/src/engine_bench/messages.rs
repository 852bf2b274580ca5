//! What the two sides are given to send.
use metaroce_protocol::{Wqe, WqeOpcode};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The one region's key: its upper bits only, so that it is entry 0.
pub(super) const R_KEY: u32 = 0x100;
/// Bytes of the region, from address 0.
pub(super) const REGION_BYTES: u64 = 1 << 40;

/// Writes of one packet to `longest`, over some connections in turn, without end.
pub(super) struct Messages {
    rng: ChaCha8Rng,
    connections: Vec<u16>,
    made: usize,
    mtu: u32,
    longest: u32,
}

impl Messages {
    pub fn new(connections: Vec<u16>, mtu_log2: u32, longest: u32, seed: u64) -> Self {
        Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
            connections,
            made: 0,
            mtu: 1 << mtu_log2,
            longest,
        }
    }

    pub fn next(&mut self) -> Wqe {
        let connection = self.connections[self.made % self.connections.len()];
        let message = (self.made / self.connections.len()) as u16;
        self.made += 1;
        Wqe {
            opcode: WqeOpcode::Write,
            connection,
            message,
            r_key: R_KEY,
            length: self.rng.random_range(1..=self.longest) * self.mtu,
            local_address: self.rng.random_range(0..REGION_BYTES / 2),
            remote_address: self.rng.random_range(0..REGION_BYTES / 2),
            ..Default::default()
        }
    }
}

/// The engine's message slots, kept as the host's side keeps them: the oldest leaves when all its packets are delivered.
pub(super) struct Slots {
    messages: Messages,
    /// Packets not yet delivered, by slot.
    open: Vec<u32>,
    oldest: usize,
    used: usize,
    next: Wqe,
}

impl Slots {
    pub fn new(mut messages: Messages, slots: u32) -> Self {
        Self {
            next: messages.next(),
            messages,
            open: vec![0; slots as usize],
            oldest: 0,
            used: 0,
        }
    }

    /// The next message and its slot, if one is free.
    pub fn offer(&self) -> Option<(&Wqe, u8)> {
        let slot = (self.oldest + self.used) % self.open.len();
        (self.used < self.open.len()).then_some((&self.next, slot as u8))
    }

    /// The engine took it.
    pub fn take(&mut self) {
        let slot = (self.oldest + self.used) % self.open.len();
        self.open[slot] = self.next.length.div_ceil(self.messages.mtu);
        self.used += 1;
        self.next = self.messages.next();
    }

    /// A packet of a slot's message is delivered.
    pub fn delivered(&mut self, slot: usize) {
        self.open[slot] -= 1;
        while self.used > 0 && self.open[self.oldest] == 0 {
            self.oldest = (self.oldest + 1) % self.open.len();
            self.used -= 1;
        }
    }
}
