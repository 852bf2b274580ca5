//! The host side in Verilator: registers, configuration, send queue and completion queue at their wraps.
mod engines;

use std::collections::VecDeque;

use engines::{Fields, Word, model};
use metaroce_cosim::axi_lite::{Access, Answer, AxiLiteMaster};
use metaroce_cosim::axi_mem::{self, AxiMemory, Memory, Timing};
use metaroce_cosim::bus::{Agent, Stalls};
use metaroce_cosim::model::VerilatedModel;
use metaroce_protocol::registers as map;
use metaroce_protocol::table::host::{Capabilities, ConfigCommit};
use metaroce_protocol::{CompletionStatus, ConfigTable, Counter, Cqe, Wqe, WqeOpcode};
use metaroce_rtl::host_side::HostSide;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const PLANES: usize = 2;
const CONNECTIONS: u32 = 4;
const SLOTS: usize = 4;
const SQ_BASE: u64 = 0x1_0000_0FC0;
const CQ_BASE: u64 = 0x2_0000_0FC0;

struct Bench {
    dut: VerilatedModel,
    bus: AxiLiteMaster,
    memory: AxiMemory,
    rng: ChaCha8Rng,
    /// ConfigWrites seen: cycles held so far, table, index, entry.
    configured: Vec<(u64, u64, u64, Vec<u8>)>,
    held: u64,
}

impl Bench {
    fn new(stalls: f64, seed: u64) -> Self {
        let dut = model(HostSide::<PLANES, 2, SLOTS, 2>::new(256, 4, 3), "host_side");
        let mut memory = Memory::new();
        memory.add("sq", SQ_BASE, 64 << 3, axi_mem::Access::ReadOnly);
        memory.add("cq", CQ_BASE, 32 << 2, axi_mem::Access::ReadWrite);
        let timing = if stalls == 0.0 { Timing::ideal() } else { Timing::random(stalls, 0..=20, seed) };
        let bus = AxiLiteMaster::new(&dut, "s_axil", Stalls::random(stalls, seed)).unwrap();
        let memory = AxiMemory::new(&dut, "m_axi_ctl", memory, timing).unwrap();
        let rng = ChaCha8Rng::seed_from_u64(seed);
        let mut bench = Self { dut, bus, memory, rng, configured: Vec::new(), held: 0 };
        bench.set("engines_idle", 1);
        bench
    }

    fn set(&mut self, name: &str, value: u64) {
        let port = self.dut.port(name).unwrap_or_else(|error| panic!("{error}"));
        self.dut.set_u64(port, value);
    }

    fn set_word(&mut self, name: &str, word: Word) {
        let port = self.dut.port(name).unwrap_or_else(|error| panic!("{error}"));
        self.dut.set_bytes(port, &word.finish());
    }

    fn get(&self, name: &str) -> u64 {
        self.dut.get_u64(self.dut.port(name).unwrap_or_else(|error| panic!("{error}")))
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        let port = self.dut.port(name).unwrap();
        let mut bytes = vec![0; self.dut.width(port).div_ceil(8) as usize];
        self.dut.get_bytes(port, &mut bytes);
        bytes
    }

    /// Drives and settles; then look at outputs, then `rise`.
    fn settle(&mut self) {
        self.bus.drive(&mut self.dut);
        self.memory.drive(&mut self.dut);
        self.dut.settle().unwrap();
        self.bus.sample(&self.dut);
        self.memory.sample(&self.dut);
        assert!(self.memory.violations().is_empty(), "{:?}", self.memory.violations());
        let write = self.bytes("config_write");
        let mut fields = Fields::new(&write);
        self.held = if self.get("hold") == 1 { self.held + 1 } else { 0 };
        if fields.field(1) == 1 {
            assert!(self.held > 0, "held while an entry is written");
            let (table, index) = (fields.field(4), fields.field(16));
            let entry = (0..32).map(|_| fields.field(8) as u8).collect();
            self.configured.push((self.held, table, index, entry));
        }
    }

    fn cycle(&mut self) {
        self.settle();
        self.dut.rise().unwrap();
    }

    fn access(&mut self, access: Access) -> Answer {
        self.bus.push(access);
        for _ in 0..10_000 {
            self.cycle();
            if let Some(answer) = self.bus.pop() {
                return answer;
            }
        }
        panic!("no answer to {access:?}");
    }

    fn write(&mut self, offset: u32, value: u32) {
        assert_eq!(self.access(Access::Write(offset, value)).response, 0);
    }

    fn read(&mut self, offset: u32) -> u32 {
        let answer = self.access(Access::Read(offset));
        assert_eq!(answer.response, 0);
        answer.value
    }

    fn commit(&mut self, table: ConfigTable, index: u16, entry: &[u32; 8]) {
        for (i, &word) in entry.iter().enumerate() {
            self.write(map::CONFIG_DATA.word(i as u32), word);
        }
        self.write(map::CONFIG_COMMIT.offset, ConfigCommit { index, table, ..Default::default() }.to_words()[0]);
    }

    fn counter(&mut self, counter: Counter) -> u32 {
        self.read(counter.offset())
    }
}

/// Writable bits of a register.
fn mask(name: &str) -> u32 {
    match name {
        "CONTROL" => 1,
        "SQ_BASE_LO" | "CQ_BASE_LO" => !63,
        "SQ_SIZE_LOG2" | "CQ_SIZE_LOG2" => 0x1F,
        "WINDOW" | "ACK_EVERY" => 0xFF,
        "MAX_RETRIES" | "MTU_LOG2" => 0xF,
        "CONFIG_COMMIT" => 0xF000_FFFF,
        _ => u32::MAX,
    }
}

#[test]
fn every_register_keeps_what_it_may_and_no_more() {
    let mut bench = Bench::new(0.3, 1);
    let capabilities = Capabilities {
        connections_log2: 2,
        paths_log2: 4,
        window_log2: 8,
        planes: PLANES as u8,
        stream_bits: 16,
        regions_log2: 3,
        messages_log2: 2,
    };
    // Tables are cleared after the reset: reads of CONFIG_COMMIT say busy until then.
    while bench.read(map::CONFIG_COMMIT.offset) != 0 {}
    let words = |register: &metaroce_protocol::Register| (0..register.count).map(|i| register.word(i)).collect::<Vec<_>>();
    let reset = |register: &metaroce_protocol::Register| match register.name {
        "CAPABILITIES" => capabilities.to_words()[0],
        _ => register.reset,
    };
    for register in map::ALL {
        for offset in words(register) {
            assert_eq!(bench.read(offset), reset(register), "{}", register.name);
        }
    }
    for register in map::ALL {
        for offset in words(register) {
            // Not CONTROL.reset.
            let value = if register.name == "CONTROL" { 1 } else { 0xA5C3_9669 ^ offset.rotate_left(13) };
            bench.write(offset, value);
            (0..20).for_each(|_| bench.cycle());
            let kept = if register.access == map::Access::ReadWrite { value & mask(register.name) } else { reset(register) };
            assert_eq!(bench.read(offset), kept, "{}", register.name);
            if register.name == "CONTROL" {
                // Nothing is fetched while queues are written at random.
                bench.write(offset, 0);
            }
        }
    }
    for (port, name) in [("window", "WINDOW"), ("rto", "RTO"), ("max_retries", "MAX_RETRIES"), ("ack_every", "ACK_EVERY"), ("mtu_log2", "MTU_LOG2")] {
        let register = map::ALL.iter().find(|register| register.name == name).unwrap();
        let value = bench.read(register.offset);
        assert_eq!(bench.get(port), u64::from(value), "{name}");
    }
    for offset in [0x00C, 0x0FC, 0x1FC, 0xFFC, 0x1000, 0x8040] {
        bench.write(offset, u32::MAX);
        assert_eq!(bench.read(offset), 0, "offset {offset:#x} is no register");
    }
    // Unaligned offsets name the word that they lie in.
    assert_eq!(bench.read(map::ID.offset + 3), map::ID_VALUE);
    // Software's reset brings all back.
    bench.write(map::CONTROL.offset, 3);
    while bench.read(map::CONFIG_COMMIT.offset) != 0 {}
    for register in map::ALL {
        for offset in words(register) {
            assert_eq!(bench.read(offset), reset(register), "{}", register.name);
        }
    }
}

#[test]
fn an_entry_is_written_while_engines_are_held_and_empty() {
    let mut bench = Bench::new(0.0, 2);
    (0..300).for_each(|_| bench.cycle());
    // After a reset every entry of every table is zero: paths have the longest table here.
    let cleared: Vec<_> = bench.configured.drain(..).map(|(_, table, index, entry)| (table, index, entry)).collect();
    let wanted: Vec<_> = (1..=3).flat_map(|table| (0..64).map(move |index| (table, index, vec![0; 32]))).collect();
    assert!(cleared == wanted, "{} entries cleared", cleared.len());
    assert_eq!(bench.get("hold"), 1, "not enabled");
    bench.write(map::CONTROL.offset, 1);
    assert_eq!(bench.get("hold"), 0);
    bench.set("engines_idle", 0);
    bench.commit(ConfigTable::Path, 0x2A, &[1, 2, 3, 4, 5, 6, 7, 0x8000_0008]);
    (0..50).for_each(|_| bench.cycle());
    assert!(bench.configured.is_empty() && bench.get("hold") == 1, "the engines are not empty yet");
    assert_ne!(bench.read(map::CONFIG_COMMIT.offset) & 1 << 27, 0, "busy");
    // A write that comes too early waits and harms nothing.
    bench.bus.push(Access::Write(map::CONFIG_DATA.offset, 0xFFFF_FFFF));
    (0..20).for_each(|_| bench.cycle());
    bench.set("engines_idle", 1);
    (0..20).for_each(|_| bench.cycle());
    let (held, table, index, entry) = bench.configured.pop().expect("the entry is written");
    assert_eq!((table, index), (2, 0x2A));
    assert!(held > 4, "held before an entry is written");
    let words: Vec<u8> = [1u32, 2, 3, 4, 5, 6, 7, 0x8000_0008].iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(entry, words);
    assert_eq!((bench.get("hold"), bench.configured.len()), (0, 0));
    assert_eq!(bench.bus.pop().map(|answer| answer.response), Some(0));
    assert_eq!(bench.read(map::CONFIG_DATA.offset), 0xFFFF_FFFF);
}

#[test]
fn counters_count_what_the_sides_and_planes_say() {
    let mut bench = Bench::new(0.0, 3);
    // Receive: frames, duplicate, writes with 4000 bytes; transmit: frames, unknown connection, 96 bytes.
    let receive = Word::default().field(0b10_0000_1001 & 0xFF, 8);
    let receive = receive.field(4000, 16).field(0, 5);
    bench.set_word("receive_counts", receive);
    let transmit = Word::default().field(0b11, 3).field(0, 5).field(1, 1).field(96, 16).field(0, 7);
    bench.set_word("transmit_counts", transmit);
    for plane in 0..PLANES {
        bench.set(&format!("drop_bad_icrc_{plane}"), 1);
    }
    bench.set("drop_foreign_1", 1);
    (0..10).for_each(|_| bench.cycle());
    bench.set_word("receive_counts", Word::default().field(0, 29));
    bench.set_word("transmit_counts", Word::default().field(0, 32));
    for name in ["drop_bad_icrc_0", "drop_bad_icrc_1", "drop_foreign_1"] {
        bench.set(name, 0);
    }
    for &counter in Counter::ALL {
        let wanted = match counter {
            Counter::RxFrames => 10 * (1 + 1 + 2 + 1),
            Counter::RxForeign => 10,
            Counter::RxBadIcrc => 20,
            Counter::RxUnknownConnection => 10,
            Counter::RxDuplicate => 10,
            Counter::RxWriteBytes => 40_000,
            Counter::TxWrites => 10,
            Counter::TxWriteBytes => 960,
            _ => 0,
        };
        assert_eq!(bench.counter(counter), wanted, "{}", counter.name());
    }
}

/// A posted message.
struct Posted {
    index: u32,
    wqe: Wqe,
    taken: bool,
    /// Packets not delivered.
    left: u32,
}

impl Posted {
    fn is_bad(&self) -> bool {
        self.wqe.opcode != WqeOpcode::Write || self.wqe.connection >= 3
    }

    fn slot(&self) -> u64 {
        u64::from(self.index) % SLOTS as u64
    }
}

/// Posts random work to queues much smaller than it, plays the transmit side, and compares every CQE.
struct Queues {
    bench: Bench,
    sq_log2: u32,
    cq_log2: u32,
    /// Not completed, oldest first.
    messages: VecDeque<Posted>,
    failures: Vec<Option<(CompletionStatus, u16, u16)>>,
    doorbell: u32,
    taken: u32,
    completed: u32,
    consumed: u32,
    /// Not yet seen in memory: address and CQE.
    cqes: VecDeque<(u64, Cqe)>,
    statuses: Vec<CompletionStatus>,
}

impl Queues {
    fn new(stalls: f64, seed: u64, sq_log2: u32, cq_log2: u32) -> Self {
        let mut bench = Bench::new(stalls, seed);
        for (register, value) in [
            (map::SQ_BASE_LO, SQ_BASE as u32),
            (map::SQ_BASE_HI, (SQ_BASE >> 32) as u32),
            (map::SQ_SIZE_LOG2, sq_log2),
            (map::CQ_BASE_LO, CQ_BASE as u32),
            (map::CQ_BASE_HI, (CQ_BASE >> 32) as u32),
            (map::CQ_SIZE_LOG2, cq_log2),
            (map::CONTROL, 1),
        ] {
            bench.write(register.offset, value);
        }
        // Connection 3 does not exist.
        for index in 0..CONNECTIONS as u16 - 1 {
            bench.commit(ConfigTable::Connection, index, &[1, 0, 0, 0, 0, 0, 0, 0]);
        }
        Self {
            bench,
            sq_log2,
            cq_log2,
            messages: VecDeque::new(),
            failures: vec![None; CONNECTIONS as usize],
            doorbell: 0,
            taken: 0,
            completed: 0,
            consumed: 0,
            cqes: VecDeque::new(),
            statuses: Vec::new(),
        }
    }

    fn random_wqe(&mut self) -> Wqe {
        let rng = &mut self.bench.rng;
        let length = match rng.random_range(0..6) {
            0 => 0,
            1 => rng.random_range(1..=1024),
            2 => 1025,
            3 => 2048,
            _ => rng.random_range(1..20_000),
        };
        Wqe {
            opcode: if rng.random_bool(0.05) { WqeOpcode::Unknown(9) } else { WqeOpcode::Write },
            connection: if rng.random_bool(0.05) { rng.random_range(3..0x1000) } else { rng.random_range(0..3) },
            stream: rng.random_range(0..4),
            message: rng.random_range(0..4),
            r_key: rng.random(),
            length,
            local_address: rng.random(),
            remote_address: rng.random(),
            wr_id: rng.random(),
            ..Default::default()
        }
    }

    fn post(&mut self) {
        let index = self.doorbell;
        let wqe = self.random_wqe();
        let address = SQ_BASE + 64 * u64::from(index & ((1 << self.sq_log2) - 1));
        self.bench.memory.memory_mut().bytes_mut(address, 64).expect("the queue").copy_from_slice(&wqe.encode());
        self.messages.push_back(Posted { index, wqe, taken: false, left: wqe.length.div_ceil(1024).max(1) });
        self.doorbell += 1;
        self.bench.bus.push(Access::Write(map::SQ_DOORBELL.offset, self.doorbell));
    }

    fn fail(&mut self) {
        let which = self.bench.rng.random_range(0..self.messages.len().max(1));
        let Some(message) = self.messages.get(which).filter(|message| !message.is_bad()) else { return };
        let reason = [CompletionStatus::BadKey, CompletionStatus::BadRange, CompletionStatus::RetryExceeded][which % 3];
        self.failures[usize::from(message.wqe.connection)].get_or_insert((reason, message.wqe.stream, message.wqe.message));
    }

    fn failure(&self, connection: u16) -> Option<(CompletionStatus, u16, u16)> {
        self.failures.get(usize::from(connection)).copied().flatten()
    }

    /// Sets the transmit side's outputs: an answer about failures, a delivered packet, readiness.
    fn play_transmit_side(&mut self) -> (Option<usize>, bool) {
        self.bench.dut.eval().unwrap();
        let asked = self.bench.get("failure_connection") as u16;
        let word = self.failure(asked).map_or(Word::default().field(0, 41), |(status, stream, message)| {
            Word::default().field(1, 1).field(status.code().into(), 8).field(stream.into(), 16).field(message.into(), 16)
        });
        self.bench.set_word("failure", word);
        let flying: Vec<usize> = (0..self.messages.len())
            .filter(|&i| {
                let message = &self.messages[i];
                message.taken && !message.is_bad() && message.left > 0 && self.failure(message.wqe.connection).is_none()
            })
            .collect();
        let delivered = (!flying.is_empty() && self.bench.rng.random_bool(0.6))
            .then(|| flying[self.bench.rng.random_range(0..flying.len())]);
        self.bench.set("delivered_valid", delivered.is_some().into());
        if let Some(which) = delivered {
            self.bench.set("delivered_slot", self.messages[which].slot());
        }
        let ready = self.bench.rng.random_bool(0.3);
        self.bench.set("message_ready", ready.into());
        (delivered, ready)
    }

    fn cycle(&mut self) {
        let (delivered, ready) = self.play_transmit_side();
        self.bench.settle();
        // In one cycle: resolve, message load, retire; but a commit knows only what was before the cycle.
        let load = self.bench.get("trace_message_valid") == 1;
        let retire = self.bench.get("trace_retire_valid") == 1;
        assert!(ready || !load || self.bench.get("message_valid") == 0);
        if load {
            self.check_message(ready);
        }
        if retire {
            self.check_retire();
        }
        if let Some(which) = delivered {
            self.messages[which - usize::from(retire)].left -= 1;
        }
        for write in self.bench.memory.take_writes() {
            let (address, cqe) = self.cqes.pop_front().expect("a CQE that was decided");
            assert_eq!((write.address, Cqe::decode(&write.data)), (address, Ok(cqe)));
            assert_eq!(write.data.len(), 32);
        }
        self.bench.dut.rise().unwrap();
    }

    fn check_message(&mut self, ready: bool) {
        let message = self.messages.iter_mut().find(|message| !message.taken).expect("a posted WQE");
        message.taken = true;
        let (wqe, slot, bad) = (message.wqe, message.slot(), message.is_bad());
        self.taken += 1;
        assert_eq!(ready && self.bench.get("message_valid") == 1, !bad, "{wqe:?}");
        assert_eq!(self.bench.get("message_slot"), slot);
        if !bad {
            let message = Word::default()
                .field(wqe.connection.into(), 12)
                .field(wqe.stream.into(), 16)
                .field(wqe.message.into(), 16)
                .field(wqe.local_address, 64)
                .field(wqe.remote_address, 64)
                .field(wqe.r_key.into(), 32)
                .field(wqe.length.into(), 32);
            assert_eq!(self.bench.bytes("message"), message.finish());
        }
    }

    fn check_retire(&mut self) {
        assert!(self.completed - self.consumed < 1 << self.cq_log2, "a free CQE");
        let message = self.messages.pop_front().expect("a message");
        assert!(message.taken);
        let wqe = message.wqe;
        let status = match self.failure(wqe.connection) {
            _ if message.is_bad() => CompletionStatus::BadRequest,
            _ if message.left == 0 => CompletionStatus::Success,
            Some((status, ..)) if status == CompletionStatus::RetryExceeded => status,
            Some((status, stream, number)) if (stream, number) == (wqe.stream, wqe.message) => status,
            Some(_) => CompletionStatus::Flushed,
            None => panic!("{wqe:?} lacks {} packets", message.left),
        };
        let Wqe { wr_id, opcode, connection, length, .. } = wqe;
        let phase = self.completed >> self.cq_log2 & 1 == 0;
        let cqe = Cqe { wr_id, status, opcode, connection, length, wqe_index: message.index, phase };
        let place = self.completed & ((1 << self.cq_log2) - 1);
        self.cqes.push_back((CQ_BASE + 32 * u64::from(place), cqe));
        self.completed += 1;
        self.statuses.push(status);
    }
}

fn run_queues(mut queues: Queues, fail: bool) -> Vec<CompletionStatus> {
    const MESSAGES: u32 = 150;
    for cycle in 0..400_000 {
        if queues.bench.bus.is_idle() {
            let done = queues.completed - queues.cqes.len() as u32;
            if queues.doorbell < MESSAGES && queues.doorbell - queues.taken < 1 << queues.sq_log2 {
                queues.post();
            } else if queues.consumed < done && queues.bench.rng.random_bool(0.02) {
                queues.consumed += 1;
                queues.bench.bus.push(Access::Write(map::CQ_CONSUMER.offset, queues.consumed));
            }
        }
        if fail && queues.completed > MESSAGES / 3 && cycle % 500 == 0 {
            queues.fail();
        }
        queues.cycle();
        if queues.completed == MESSAGES && queues.cqes.is_empty() && queues.bench.bus.is_idle() {
            break;
        }
    }
    assert_eq!((queues.completed, queues.cqes.len()), (MESSAGES, 0), "all messages complete");
    while queues.bench.bus.pop().is_some() {}
    let mut bench = queues.bench;
    assert_eq!(bench.get("sq_idle"), 1);
    assert_eq!(bench.counter(Counter::Messages), MESSAGES);
    assert_eq!(bench.counter(Counter::Completions), MESSAGES);
    queues.statuses
}

#[test]
fn queues_wrap_and_every_completion_is_right() {
    for (seed, stalls, sq_log2, cq_log2) in [(10, 0.0, 3, 2), (11, 0.3, 3, 2), (12, 0.2, 1, 0), (13, 0.2, 0, 1)] {
        let statuses = run_queues(Queues::new(stalls, seed, sq_log2, cq_log2), false);
        assert!(statuses.contains(&CompletionStatus::BadRequest));
    }
}

#[test]
fn failed_connections_complete_with_their_names() {
    let mut statuses = Vec::new();
    for seed in 20..24 {
        statuses.extend(run_queues(Queues::new(0.2, seed, 3, 2), true));
    }
    for status in [CompletionStatus::BadKey, CompletionStatus::RetryExceeded, CompletionStatus::Flushed] {
        assert!(statuses.contains(&status), "{} was met", status.name());
    }
}
