//! The host side in Verilator between an AXI4-Lite master and a host memory.
#![allow(dead_code)] // each test file uses a part

use metaroce_cores::narrow::Narrowing;
use metaroce_cosim::axi_lite::{Access, Answer, AxiLiteMaster};
use metaroce_cosim::axi_mem::{self, AxiMemory, Memory, Timing};
use metaroce_cosim::bus::{Agent, Stalls};
use metaroce_cosim::model::VerilatedModel;
use metaroce_protocol::registers as map;
use metaroce_protocol::table::host::{Capabilities, ConfigCommit};
use metaroce_protocol::{ConfigTable, Counter};
use metaroce_rtl::host_side::HostSide;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::engines::{Fields, Word, model};

pub const PLANES: usize = 2;
pub const CONNECTIONS: u32 = 4;
pub const SLOTS: usize = 4;
pub const SQ_BASE: u64 = 0x1_0000_0FC0;
pub const CQ_BASE: u64 = 0x2_0000_0FC0;

/// log2 of a connection's streams.
pub const STREAM_BITS: u8 = 2;

/// What the NIC holds.
pub fn capabilities() -> Capabilities {
    Capabilities {
        connections_log2: 2,
        paths_log2: 4,
        window_log2: 8,
        planes: PLANES as u8,
        stream_bits: 16,
        regions_log2: 3,
        messages_log2: 2,
        largest_mtu_log2: 12,
        speaks_messages: true,
        streams_log2: STREAM_BITS,
        in_flight_log2: 4,
        buffers_log2: 4,
        posts_log2: 8,
        ..Capabilities::default()
    }
}

pub struct Bench {
    pub dut: VerilatedModel,
    pub bus: AxiLiteMaster,
    pub memory: AxiMemory,
    pub rng: ChaCha8Rng,
    /// ConfigWrites seen: cycles held so far, table, index, entry.
    pub configured: Vec<(u64, u64, u64, Vec<u8>)>,
    held: u64,
}

impl Bench {
    pub fn new(stalls: f64, seed: u64) -> Self {
        let whole = Narrowing::none();
        let host_side = HostSide::<PLANES, 2, 4, 1, SLOTS, 2>::new(&capabilities(), &whole);
        let dut = model(host_side, "host_side");
        let mut memory = Memory::new();
        memory.add("sq", SQ_BASE, 64 << 3, axi_mem::Access::ReadOnly);
        memory.add("cq", CQ_BASE, 32 << 2, axi_mem::Access::ReadWrite);
        let timing = if stalls == 0.0 {
            Timing::ideal()
        } else {
            Timing::random(stalls, 0..=20, seed)
        };
        let bus = AxiLiteMaster::new(&dut, "s_axil", Stalls::random(stalls, seed)).unwrap();
        let memory = AxiMemory::new(&dut, "m_axi_ctl", memory, timing).unwrap();
        let rng = ChaCha8Rng::seed_from_u64(seed);
        let mut bench = Self {
            dut,
            bus,
            memory,
            rng,
            configured: Vec::new(),
            held: 0,
        };
        bench.set("engines_idle", 1);
        // No plane writes: each could begin to.
        for plane in 0..PLANES {
            bench.set(&format!("progress_{plane}"), 0b10);
        }
        bench
    }

    pub fn set(&mut self, name: &str, value: u64) {
        let port = self
            .dut
            .port(name)
            .unwrap_or_else(|error| panic!("{error}"));
        self.dut.set_u64(port, value);
    }

    pub fn set_word(&mut self, name: &str, word: Word) {
        let port = self
            .dut
            .port(name)
            .unwrap_or_else(|error| panic!("{error}"));
        self.dut.set_bytes(port, &word.finish());
    }

    pub fn get(&self, name: &str) -> u64 {
        self.dut.get_u64(
            self.dut
                .port(name)
                .unwrap_or_else(|error| panic!("{error}")),
        )
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        let port = self.dut.port(name).unwrap();
        let mut bytes = vec![0; self.dut.width(port).div_ceil(8) as usize];
        self.dut.get_bytes(port, &mut bytes);
        bytes
    }

    /// Drives and settles; then look at outputs, then `rise`.
    pub fn settle(&mut self) {
        self.bus.drive(&mut self.dut);
        self.memory.drive(&mut self.dut);
        self.dut.settle().unwrap();
        self.bus.sample(&self.dut);
        self.memory.sample(&self.dut);
        assert!(
            self.memory.violations().is_empty(),
            "{:?}",
            self.memory.violations()
        );
        let write = self.bytes("config_write");
        let mut fields = Fields::new(&write);
        self.held = if self.get("hold") == 1 {
            self.held + 1
        } else {
            0
        };
        if fields.field(1) == 1 {
            assert!(self.held > 0, "held while an entry is written");
            let (table, index) = (fields.field(4), fields.field(16));
            let entry = (0..32).map(|_| fields.field(8) as u8).collect();
            self.configured.push((self.held, table, index, entry));
        }
    }

    pub fn cycle(&mut self) {
        self.settle();
        self.dut.rise().unwrap();
    }

    pub fn access(&mut self, access: Access) -> Answer {
        self.bus.push(access);
        for _ in 0..10_000 {
            self.cycle();
            if let Some(answer) = self.bus.pop() {
                return answer;
            }
        }
        panic!("no answer to {access:?}");
    }

    pub fn write(&mut self, offset: u32, value: u32) {
        assert_eq!(self.access(Access::Write(offset, value)).response, 0);
    }

    pub fn read(&mut self, offset: u32) -> u32 {
        let answer = self.access(Access::Read(offset));
        assert_eq!(answer.response, 0);
        answer.value
    }

    pub fn commit(&mut self, table: ConfigTable, index: u16, entry: &[u32; 8]) {
        for access in commit(table, index, entry) {
            assert_eq!(self.access(access).response, 0);
        }
    }

    pub fn counter(&mut self, counter: Counter) -> u32 {
        self.read(counter.offset())
    }
}

/// The register writes that write an entry.
pub fn commit(table: ConfigTable, index: u16, entry: &[u32; 8]) -> Vec<Access> {
    let commit = ConfigCommit {
        index,
        table,
        ..Default::default()
    };
    let words = (0..).zip(entry);
    words
        .map(|(i, &word)| Access::Write(map::CONFIG_DATA.word(i), word))
        .chain([Access::Write(
            map::CONFIG_COMMIT.offset,
            commit.to_words()[0],
        )])
        .collect()
}
