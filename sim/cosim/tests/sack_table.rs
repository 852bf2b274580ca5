//! The SACK table against sets of PSNs: verdict, mark and cumulative point, a packet a cycle.
mod engines;

use std::collections::{HashSet, VecDeque};

use engines::model;
use metaroce_cores::find_first::FindFirst16;
use metaroce_cores::sack_table::SackTable;
use metaroce_cosim::model::VerilatedModel;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

const SPACE: u32 = 1 << 24;
const PATHS: usize = 4;

#[derive(Clone, Copy)]
struct Packet {
    path: usize,
    psn: u32,
    take: bool,
    bad: bool,
    rider: u64,
}

/// A path as sets of PSNs see it.
#[derive(Clone, Default)]
struct Path {
    /// As it has advanced.
    cum: u32,
    /// With every accepted packet.
    true_cum: u32,
    received: HashSet<u32>,
    bits: Vec<bool>,
    highest: u32,
}

struct Bench {
    dut: VerilatedModel,
    rng: ChaCha8Rng,
    window: u32,
    paths: Vec<Path>,
    /// Packets by stage, the newest first.
    stages: VecDeque<Option<Packet>>,
    riders: VecDeque<(u64, usize)>,
    advances: VecDeque<(usize, u32)>,
    accepted: u32,
    moved: u32,
}

fn ahead(psn: u32, of: u32) -> u32 {
    (psn + SPACE - of) % SPACE
}

impl Bench {
    fn new(dut: VerilatedModel, window: u32) -> Self {
        let mut bench = Self {
            dut,
            rng: ChaCha8Rng::seed_from_u64(window.into()),
            window,
            paths: vec![Path::default(); PATHS],
            stages: [None; 4].into(),
            riders: [(0, 0); 9].into(),
            advances: VecDeque::new(),
            accepted: 0,
            moved: 0,
        };
        (0..PATHS).for_each(|path| bench.load(path, 0xFF_FE00 + 256 * (path as u32 % 2)));
        bench
    }

    fn set(&mut self, name: &str, value: u64) {
        let port = self.dut.port(name).unwrap();
        self.dut.set_u64(port, value);
    }

    fn get(&self, name: &str) -> u64 {
        self.dut.get_u64(self.dut.port(name).unwrap())
    }

    fn load(&mut self, path: usize, psn: u32) {
        for (name, value) in [
            ("load", 1),
            ("load_path", path as u64),
            ("load_psn", psn.into()),
        ] {
            self.set(name, value);
        }
        self.dut.tick().unwrap();
        self.set("load", 0);
        self.dut.settle().unwrap();
        while self.get("busy") == 1 {
            self.dut.tick().unwrap();
            self.dut.settle().unwrap();
        }
        self.paths[path] = Path {
            cum: psn,
            true_cum: psn,
            highest: psn,
            received: HashSet::new(),
            bits: vec![psn & self.window != 0; self.window as usize],
        };
    }

    /// `paths`: how many of them; `order`: share of packets that are the next in order.
    fn packet(&mut self, paths: usize, order: f64) -> Packet {
        let path = self.rng.random_range(0..paths);
        let state = &self.paths[path];
        // What is under way counts as sent.
        let under_way = self.stages.iter().take(3).flatten();
        let sent = under_way.filter(|p| p.path == path && p.take && !p.bad);
        let next = sent.fold(state.highest, |next, p| {
            if ahead(p.psn, next) < self.window {
                (p.psn + 1) % SPACE
            } else {
                next
            }
        });
        let reach = self.window;
        let psn = match self.rng.random_range(0..20) {
            _ if self.rng.random_bool(order) => next,
            0 => state.cum + self.rng.random_range(0..3 * reach),
            1 => state.cum + SPACE - self.rng.random_range(0..reach),
            2..6 => state.cum + self.rng.random_range(0..reach),
            6..9 => next + SPACE - 1,
            9..15 => state.true_cum,
            _ => state.true_cum + self.rng.random_range(0..20),
        };
        Packet {
            path,
            psn: psn % SPACE,
            take: self.rng.random_bool(0.97),
            bad: self.rng.random_bool(0.02),
            rider: self.rng.random_range(0..16),
        }
    }

    fn cycle(&mut self, packet: Option<Packet>) {
        self.stages.pop_back();
        self.stages.push_front(packet);
        if let Some(packet) = packet {
            self.set("path", packet.path as u64);
            self.set("psn", packet.psn.into());
        }
        let (checked, committed) = (self.stages[2], self.stages[3]);
        self.set("take", checked.is_some_and(|p| p.take).into());
        self.set("bad", checked.is_some_and(|p| p.bad).into());
        let rider = committed.map_or(0, |p| p.rider);
        self.set("rider", rider);
        self.dut.settle().unwrap();
        self.riders
            .push_back((rider, committed.map_or(0, |p| p.path)));
        let (rider, path) = self.riders.pop_front().unwrap();
        assert_eq!(self.get("rider_out"), rider);
        if rider & 1 == 1 {
            assert_eq!(self.get("rider_path"), path as u64);
        }
        match committed {
            Some(packet) => self.check(packet),
            None => assert_eq!(self.get("accepted"), 0),
        }
        self.check_advance();
        self.dut.rise().unwrap();
    }

    fn check(&mut self, packet: Packet) {
        let Packet {
            path,
            psn,
            take,
            bad,
            ..
        } = packet;
        let (window, paths) = (self.window, &mut self.paths);
        let state = &mut paths[path];
        let offset = ahead(psn, state.cum);
        let behind = offset >= SPACE / 2;
        // A slot between the point and the true one is received.
        let old = behind
            || offset < window
                && (ahead(psn, state.true_cum) >= SPACE / 2 || state.received.contains(&psn));
        let beyond = !behind && offset >= window;
        let fresh = !old && !beyond;
        let gap = psn
            != if state.true_cum == state.highest {
                state.highest
            } else {
                state.cum
            };
        let accepted = take && fresh && !bad;
        if accepted {
            state.received.insert(psn);
            state.bits[(psn % window) as usize] = psn & window == 0;
            if ahead(psn, state.highest) < SPACE / 2 {
                state.highest = (psn + 1) % SPACE;
            }
            while state.received.remove(&state.true_cum) {
                state.true_cum = (state.true_cum + 1) % SPACE;
            }
            self.advances.push_back((path, state.true_cum));
            self.accepted += 1;
        }
        let row = psn / 16 % (window / 16);
        let word = (0..16).fold(0, |word, i| {
            word | u64::from(self.paths[path].bits[(row * 16) as usize + i]) << i
        });
        let names = ["fresh", "duplicate", "beyond", "accepted"];
        let found = names.map(|name| self.get(name) == 1);
        let wanted = [take && fresh, take && old, take && beyond, accepted];
        let what = format!("path {path} psn {psn:#x} cum {:#x}", self.paths[path].cum);
        assert_eq!(found, wanted, "{what}");
        if accepted {
            assert_eq!(self.get("gap") == 1, gap, "{what}");
            let lap = u64::from(psn & window != 0);
            assert_eq!(
                self.get("slot"),
                u64::from(row) | lap << 4 | word << 5,
                "{what}"
            );
        }
    }

    fn check_advance(&mut self) {
        let advance = self.get("advance");
        if advance & 1 == 1 {
            let (path, cum) = self.advances.pop_front().expect("an accepted packet");
            assert_eq!(
                (advance >> 1 & 0xFFFF, advance >> 17),
                (path as u64, cum.into())
            );
            self.moved += u32::from(self.paths[path].cum != cum);
            self.paths[path].cum = cum;
        }
    }

    fn run(&mut self, cycles: u32, paths: usize, load: f64, order: f64) {
        for _ in 0..cycles {
            let packet = self
                .rng
                .random_bool(load)
                .then(|| self.packet(paths, order));
            self.cycle(packet);
        }
        (0..16).for_each(|_| self.cycle(None));
        assert_eq!(self.get("busy"), 0);
        assert!(
            self.advances.is_empty(),
            "every accepted packet has advanced"
        );
        assert!(self.paths.iter().all(|path| path.cum == path.true_cum));
    }
}

fn table(dut: VerilatedModel, window: u32) {
    let mut bench = Bench::new(dut, window);
    for turn in 0..6 {
        bench.run(1_500, 1, 1.0, 0.5);
        bench.run(1_500, 2, 1.0, 0.2);
        bench.run(1_000, PATHS, 0.6, 0.0);
        bench.run(1_500, 1, 0.8, 0.0);
        let path = bench.rng.random_range(0..PATHS);
        let first = 256 * bench.rng.random_range(0..SPACE / 256);
        bench.load(path, if turn % 2 == 0 { first } else { 0xFF_FF00 });
    }
    let accepted = bench.accepted;
    // In order on one path: each cycle accepts one and moves the point.
    bench.load(0, 0xFF_FF00);
    bench.moved = 0;
    for n in 0..1_000 {
        let psn = (0xFF_FF00 + n) % SPACE;
        bench.cycle(Some(Packet {
            path: 0,
            psn,
            take: true,
            bad: false,
            rider: 0,
        }));
    }
    bench.run(0, 1, 0.0, 0.0);
    assert_eq!(
        (bench.accepted - accepted, bench.moved),
        (1_000, 1_000),
        "1.00 packets a cycle"
    );
    assert!(accepted > 5_000, "{accepted} accepted");
}

#[test]
fn window_of_256_agrees_with_sets_of_psns() {
    table(
        model(SackTable::<16, 3, 7>::new(Bits::mask()), "sack_table_256"),
        256,
    );
}

#[test]
fn window_of_32_agrees_with_sets_of_psns() {
    table(
        model(SackTable::<2, 3, 4>::new(Bits::mask()), "sack_table_32"),
        32,
    );
}

#[test]
fn the_first_set_bit_of_sixteen_is_found() {
    let mut dut = model(FindFirst16::default(), "find_first");
    let (bits, any, index) = (
        dut.port("bits").unwrap(),
        dut.port("any").unwrap(),
        dut.port("index").unwrap(),
    );
    for word in 0..1u64 << 16 {
        dut.set_u64(bits, word);
        dut.eval().unwrap();
        assert_eq!(dut.is_set(any), word != 0);
        assert_eq!(
            dut.get_u64(index),
            u64::from(word.trailing_zeros()) % 64 % if word == 0 { 1 } else { 64 },
            "{word:#x}"
        );
    }
}
