//! The memory behind a copying master, right and broken.

use std::path::Path;

use metaroce_cosim::axi_mem::{Access, AxiMemory, Memory, Timing};
use metaroce_cosim::bus::step;
use metaroce_cosim::model::{Options, Sources, VerilatedModel};

const FROM: u64 = 0x1_0000;
const TO: u64 = 0x2_0000;
const LENGTH: usize = 0x4000;

struct Bench {
    model: VerilatedModel,
    memory: AxiMemory,
}

impl Bench {
    fn new(bytes: usize, broken: u32, timing: Timing) -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/axi_copy.v");
        let options = Options::small()
            .with_parameter("BYTES", bytes)
            .with_parameter("BROKEN", broken);
        let sources = Sources::new("axi_copy", [file]);
        let mut model =
            VerilatedModel::build(&sources, &options).unwrap_or_else(|error| panic!("{error}"));
        let reset = model.input("reset", 1).unwrap();
        model.set_u64(reset, 1);
        model.tick().unwrap();
        model.set_u64(reset, 0);
        let mut memory = Memory::new();
        memory.add("from", FROM, LENGTH, Access::ReadOnly);
        memory.add("to", TO, LENGTH, Access::ReadWrite);
        for (index, byte) in memory
            .region_mut("from")
            .unwrap()
            .data
            .iter_mut()
            .enumerate()
        {
            *byte = (index * 31 + index / 256) as u8;
        }
        let memory = AxiMemory::new(&model, "host", memory, timing).unwrap();
        Bench { model, memory }
    }

    /// One burst; gives up after a while, as a broken master may never end.
    fn copy(&mut self, from: u64, to: u64, beats: u64) {
        let port = |name: &str| self.model.port(name).unwrap();
        let (go, busy, done) = (port("go"), port("busy"), port("done"));
        for (name, value) in [("from", from), ("to", to), ("length", beats - 1)] {
            let port = self.model.port(name).unwrap();
            self.model.set_u64(port, value);
        }
        let before = self.model.get_u64(done);
        self.model.set_u64(go, 1);
        for _ in 0..5_000 {
            step(&mut self.model, &mut [&mut self.memory]).unwrap();
            self.model.set_u64(go, 0);
            if self.model.get_u64(done) != before && !self.model.is_set(busy) {
                return;
            }
        }
    }

    fn rules(&self) -> Vec<&'static str> {
        self.memory
            .violations()
            .iter()
            .map(|violation| violation.rule)
            .collect()
    }
}

#[test]
fn bursts_copy_at_every_width_and_timing() {
    for bytes in [4, 8, 16, 64] {
        for timing in [Timing::ideal(), Timing::random(0.4, 0..=20, 9)] {
            let mut bench = Bench::new(bytes, 0, timing);
            for (place, beats) in [(0, 1), (0x40, 2), (0x1000, 32), (0x2000, 7)] {
                bench.copy(FROM + place, TO + place, beats);
                let length = beats as usize * bytes;
                let memory = bench.memory.memory();
                assert_eq!(
                    memory.bytes(TO + place, length),
                    memory.bytes(FROM + place, length)
                );
            }
            assert_eq!(bench.memory.violations(), []);
            let errors = bench.model.port("errors").unwrap();
            assert_eq!(bench.model.get_u64(errors), 0);
            assert!(bench.memory.is_idle());
        }
    }
}

#[test]
fn log_has_address_data_and_cycle_of_each_run() {
    let mut bench = Bench::new(8, 0, Timing::ideal());
    bench.copy(FROM, TO + 3, 2);
    let writes = bench.memory.take_writes();
    assert_eq!(writes.len(), 1, "one run over both beats: {writes:?}");
    assert_eq!((writes[0].address, writes[0].data.len()), (TO + 3, 13));
    assert!(writes[0].accepted && writes[0].cycle > 0 && writes[0].cycle <= bench.model.cycle());
    assert_eq!(bench.memory.violations(), []);
}

#[test]
fn write_outside_any_region_is_recorded_and_refused() {
    let mut bench = Bench::new(8, 0, Timing::ideal());
    bench.copy(FROM, TO + LENGTH as u64, 1);
    bench.copy(FROM, FROM + 8, 1);
    let violations = bench.memory.violations();
    assert_eq!(violations.len(), 2, "{violations:?}");
    assert!(
        violations[0].detail.contains("0x24000") && violations[0].cycle > 0,
        "{violations:?}"
    );
    assert!(violations[1].detail.contains("`from`"), "{violations:?}");
    assert!(bench.memory.writes().iter().all(|write| !write.accepted));
    let errors = bench.model.port("errors").unwrap();
    assert_eq!(
        bench.model.get_u64(errors),
        2,
        "the master got error responses"
    );
}

#[test]
fn read_outside_any_region_is_recorded_but_a_last_beat_may_reach_over() {
    let mut bench = Bench::new(8, 0, Timing::ideal());
    bench.copy(0x9_0000, TO, 1);
    assert_eq!(bench.rules(), ["reads inside regions"]);
    let mut bench = Bench::new(64, 0, Timing::ideal());
    bench
        .memory
        .memory_mut()
        .add("odd", 0x5_0000, 100, Access::ReadOnly);
    bench.copy(0x5_0000, TO, 2);
    assert_eq!(bench.rules(), [""; 0]);
}

#[test]
fn every_broken_rule_is_caught_by_name() {
    let rules = [
        (1, "wlast on the last beat"),
        (2, "AW stable while stalled"),
        (3, "strobes on addressed lanes"),
        (4, "INCR bursts"),
    ];
    for (broken, rule) in rules {
        let mut bench = Bench::new(8, broken, Timing::random(0.7, 0..=3, 5));
        // Several: a single one may happen not to be stalled.
        (0..5).for_each(|_| bench.copy(FROM, TO + 0x103, 4));
        assert!(
            bench.rules().contains(&rule),
            "{broken}: {:?}",
            bench.memory.violations()
        );
    }
    let mut bench = Bench::new(8, 0, Timing::ideal());
    bench.copy(FROM, TO + 0xff0, 3);
    assert_eq!(bench.rules(), ["no burst over a 4 KiB boundary"]);
}

#[test]
fn master_that_does_not_wait_for_its_response_reads_stale_memory() {
    let copied = |broken| {
        let mut bench = Bench::new(
            8,
            broken,
            Timing {
                latency: 30..=30,
                ..Timing::ideal()
            },
        );
        bench.copy(FROM, TO, 1);
        bench.memory.memory().bytes(TO, 8).map(<[u8]>::to_vec)
            == bench.memory.memory().bytes(FROM, 8).map(<[u8]>::to_vec)
    };
    assert!(copied(0));
    assert!(!copied(5), "the write is visible only with its response");
}
