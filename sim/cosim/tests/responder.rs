//! A responder's Reads: from their turn, over memory and a slot, to the delivery of what they asked for.
mod engines;
mod writers;

use std::collections::VecDeque;

use engines::{Word, model};
use metaroce_cosim::model::VerilatedModel;
use metaroce_protocol::{ConfigTable, Opcode};
use metaroce_rtl::responder::Responder;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use writers::Plane;

const PLANES: usize = 3;
const CONNECTIONS: u64 = 4;
/// Reads of a connection that may wait.
const MOST: usize = 16;
const MTU_LOG2: u32 = 8;

/// A Read whose turn has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Read {
    connection: u64,
    stream: u64,
    message: u64,
    tag: u64,
    address: u64,
    length: u64,
    /// What must be in memory, by plane.
    marks: [u64; PLANES],
}

impl Read {
    fn draw(rng: &mut ChaCha8Rng, planes: &[Plane; PLANES]) -> Self {
        Self {
            connection: rng.random_range(0..CONNECTIONS),
            stream: rng.random_range(0..2),
            message: rng.random::<u16>().into(),
            tag: rng.random::<u16>().into(),
            address: rng.random(),
            length: match rng.random_range(0..3) {
                0 => 0,
                1 => rng.random_range(0..4) << MTU_LOG2,
                _ => rng.random_range(0..3_000),
            },
            marks: std::array::from_fn(|k| planes[k].ordered),
        }
    }

    /// As `AskedRead`.
    fn asked(&self) -> Vec<u8> {
        let word = Word::default().field(self.connection << 1 | self.stream, 16);
        let word = word.field(self.message, 16).field(self.tag, 16);
        word.field(self.address, 64).field(self.length, 32).finish()
    }

    /// As `Message`.
    fn message(&self) -> Vec<u8> {
        let word = Word::default().field(self.connection, 12);
        let word = word.field(self.stream, 16).field(self.message, 16);
        let word = word.field(self.address, 64).field(0, 64).field(0, 32);
        let opcode = u8::from(Opcode::ReadResponse);
        let word = word.field(self.length, 32).field(opcode.into(), 8);
        word.field(self.tag, 32).field(0, 32).finish()
    }

    fn packets(&self) -> u64 {
        self.length.div_ceil(1 << MTU_LOG2).max(1)
    }
}

/// A response in its slot.
struct Slot {
    connection: u64,
    left: u64,
    failed: bool,
}

struct Bench {
    dut: VerilatedModel,
    rng: ChaCha8Rng,
    planes: [Plane; PLANES],
    waiting: VecDeque<Read>,
    slots: VecDeque<Slot>,
    /// Responses that ever took a slot.
    loaded: u64,
    failed: u64,
    /// What is said next of a connection: it fails, or is set up anew.
    says: Option<(u64, bool)>,
    /// Cycles for which the oldest could have gone.
    silent: [u32; 2],
    /// Cycles since a Read's turn came.
    quiet: u32,
    /// Loads of the cycle before.
    told: bool,
}

impl Bench {
    fn new(seed: u64) -> Self {
        let mut dut = model(Responder::<PLANES, 2, 6>::new(1, true), "responder");
        let port = dut.port("mtu_log2").unwrap();
        dut.set_u64(port, MTU_LOG2.into());
        Self {
            dut,
            rng: ChaCha8Rng::seed_from_u64(seed),
            planes: Default::default(),
            waiting: VecDeque::new(),
            slots: VecDeque::new(),
            loaded: 0,
            failed: 0,
            says: None,
            silent: [0; 2],
            quiet: 0,
            told: false,
        }
    }

    fn set(&mut self, name: &str, value: u64) {
        let port = self.dut.port(name).unwrap_or_else(|e| panic!("{e}"));
        self.dut.set_u64(port, value);
    }

    fn get(&self, name: &str) -> u64 {
        let port = self.dut.port(name).unwrap_or_else(|e| panic!("{e}"));
        self.dut.get_u64(port)
    }

    fn word(&mut self, name: &str, word: &[u8]) {
        let port = self.dut.port(name).unwrap();
        self.dut.set_bytes(port, word);
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        let port = self.dut.port(name).unwrap();
        let mut bytes = vec![0; self.dut.width(port).div_ceil(8) as usize];
        self.dut.get_bytes(port, &mut bytes);
        bytes
    }

    /// A cycle. `asks`, `ready`, `delivers`: how likely each is.
    fn step(&mut self, asks: f64, ready: f64, delivers: f64) {
        for (k, plane) in self.planes.iter_mut().enumerate() {
            plane.drive(&mut self.dut, k, &mut self.rng, asks > 0.0);
        }
        let read = Read::draw(&mut self.rng, &self.planes);
        let of = self.waiting.iter();
        let room = of.filter(|r| r.connection == read.connection).count() < MOST;
        let stopped = self.get("asked_stop") == 1;
        let asks = room && !stopped && self.quiet >= 2 && self.rng.random_bool(asks);
        self.quiet = if asks { 0 } else { self.quiet + 1 };
        self.word("asked", &read.asked());
        self.set("asked_valid", asks.into());
        let ready = self.rng.random_bool(ready);
        self.set("response_ready", ready.into());
        let delivered = self.deliver(delivers);
        self.set("delivered_valid", delivered.is_some().into());
        self.set("delivered_slot", delivered.unwrap_or(0));
        let (connection, failed) = self.says.unwrap_or_default();
        let failure = Word::default().field(self.says.take().is_some().into(), 1);
        let failure = failure.field(connection, 12).field(failed.into(), 1);
        self.word("failure", &failure.finish());
        self.dut.settle().unwrap();
        self.compare(ready);
        if asks {
            self.waiting.push_back(read);
        }
        self.dut.rise().unwrap();
        // For what is asked before the next cycle's inputs.
        self.dut.settle().unwrap();
    }

    /// A packet of a response, or of a message, is delivered: its slot.
    fn deliver(&mut self, likely: f64) -> Option<u64> {
        if !self.rng.random_bool(likely) {
            return None;
        }
        if self.rng.random_bool(0.3) {
            return Some(self.rng.random_range(0..16));
        }
        let first = self.loaded - self.slots.len() as u64;
        let failed = self.failed;
        let open = |slot: &&mut Slot| slot.left > 0 && failed >> slot.connection & 1 == 0;
        let of = (0..).zip(&mut self.slots).filter(|(_, slot)| open(slot));
        let mut of: Vec<(u64, &mut Slot)> = of.collect();
        if of.is_empty() {
            return None;
        }
        let (place, slot) = &mut of.swap_remove(self.rng.random_range(0..of.len()));
        slot.left -= 1;
        Some(16 + (first + *place) % 16)
    }

    fn compare(&mut self, ready: bool) {
        assert_eq!(self.get("trace_load") == 1, self.told, "told a cycle later");
        // What is delivered in this cycle shows in the next.
        let retires = self.get("trace_retire") == 1;
        let over = |slot: &Slot| slot.left == 0 || slot.failed;
        if retires {
            let slot = self.slots.pop_front().expect("a response");
            assert!(over(&slot), "it is delivered, or its connection failed");
        }
        self.silent[0] = match self.slots.front().is_some_and(over) && !retires {
            true => self.silent[0] + 1,
            false => 0,
        };
        assert!(self.silent[0] < 20, "a slot is not freed");

        let valid = self.get("response_valid") == 1;
        let written = |read: &Read| {
            (0..)
                .zip(read.marks)
                .all(|(k, mark): (usize, u64)| self.planes[k].written >= mark)
        };
        let front = self.waiting.front().copied();
        if valid {
            let read = front.expect("a Read waits");
            assert!(written(&read), "before it is in memory");
            assert_eq!(self.bytes("response"), read.message());
            assert_eq!(self.get("response_slot"), self.loaded % 16);
            assert_eq!(self.get("coming"), read.connection);
        }
        self.told = valid && ready;
        assert_eq!(self.get("loaded") == 1, self.told);
        let could = front.is_some_and(|read| written(&read)) && self.slots.len() < 15;
        self.silent[1] = if could && !valid {
            self.silent[1] + 1
        } else {
            0
        };
        assert!(self.silent[1] < 150, "a Read is forgotten");
        if self.get("response_idle") == 1 {
            let full = self.slots.len() + usize::from(retires) == 16;
            assert!(front.is_none() || full, "a response can be sent");
        }
        if self.told {
            let read = self.waiting.pop_front().expect("a Read");
            self.slots.push_back(Slot {
                connection: read.connection,
                left: read.packets(),
                failed: self.failed >> read.connection & 1 == 1,
            });
            self.loaded += 1;
        }
    }

    fn fail(&mut self, connection: u64) {
        self.failed |= 1 << connection;
        self.says = Some((connection, true));
        for slot in &mut self.slots {
            slot.failed |= slot.connection == connection;
        }
    }

    /// Sets a connection up anew, as the register file does: once nothing is busy, and what failed is found.
    fn configure(&mut self, connection: u64) {
        for _ in 0..20 {
            self.step(0.0, 0.0, 0.3);
        }
        while self.get("busy") == 1 {
            self.step(0.0, 0.0, 0.3);
        }
        let table = u8::from(ConfigTable::Connection);
        let entry = Word::default().field(1, 1).field(table.into(), 4);
        self.word("config_write", &entry.field(connection, 16).finish());
        self.says = Some((connection, false));
        self.step(0.0, 0.0, 0.0);
        self.word("config_write", &[0; 35]);
        self.failed &= !(1 << connection);
        self.waiting.retain(|read| read.connection != connection);
    }
}

#[test]
fn a_read_is_answered_in_its_turn_once_memory_has_what_came_before_and_a_slot_is_free() {
    let mut bench = Bench::new(3);
    let (mut most, mut full, mut lives) = (0, 0, 0);
    for round in 0..60_u64 {
        // By turns all goes, slots are all taken, and many wait.
        let (asks, ready, delivers) = match round % 3 {
            0 => (0.05, 0.5, 0.5),
            1 => (0.1, 0.5, 0.02),
            _ => (0.1, 0.02, 0.3),
        };
        for _ in 0..600 {
            bench.step(asks, ready, delivers);
            most = most.max(bench.waiting.len());
            full += u32::from(bench.slots.len() == 16);
        }
        let connection = bench.rng.random_range(0..CONNECTIONS);
        // One that has responses under way can't be set up anew unless it fails.
        bench.fail(connection);
        if bench.rng.random() {
            bench.step(0.1, 0.5, 0.3);
        }
        let before = bench.waiting.len();
        bench.configure(connection);
        lives += u32::from(bench.waiting.len() < before);
        while bench.get("asked_stop") == 1 {
            bench.step(0.0, 0.5, 0.3);
        }
    }
    while !bench.waiting.is_empty() || !bench.slots.is_empty() {
        bench.step(0.0, 0.5, 0.5);
    }
    println!(
        "{} responses, {most} waited at most, {full} cycles without a slot, {lives} times some were forgotten",
        bench.loaded
    );
    assert!(bench.loaded > 400 && most > 40 && full > 1_000 && lives > 10);
}
