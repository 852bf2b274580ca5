//! The receive side in Verilator beside the plain reference, commit by commit.

use std::collections::VecDeque;

use metaroce_cosim::model::{PortId, VerilatedModel};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::engines::{Fields, Word};
use crate::messages::Messages;
use crate::reference::{Connection, Event, PATHS, Receiver, Region, counts};

pub const SPACE: u32 = 1 << 24;
pub const PLANES: usize = 2;

/// How a run is made hard.
#[derive(Clone, Copy)]
pub struct Load {
    /// Share of cycles with an event at the door.
    pub events: f64,
    /// Share of cycles in which a plane's verdict FIFO or answer slot is not free.
    pub stalls: f64,
    /// Only this path.
    pub path: Option<u32>,
    pub ack_every: u32,
    pub first_psn: u32,
}

pub struct Bench {
    pub dut: VerilatedModel,
    pub reference: Receiver,
    pub rng: ChaCha8Rng,
    pub load: Load,
    /// Events in the stages, the one that commits first.
    pub stages: VecDeque<Option<Event>>,
    /// Cycles since a refusal left: its place is free two cycles later.
    pub since_refusal: u32,
    /// An answer built in the last cycle: path, plane, bytes.
    pub built: Option<(usize, u32, Vec<u8>)>,
    pub waiting: Option<Event>,
    pub busy: [u32; PLANES],
    pub events: u64,
    pub acks: u64,
    pub refusals: u64,
    pub dropped_refusals: u64,
    pub duplicates: u64,
    /// What data belongs to, in profile `Messages`.
    pub messages: Option<Messages>,
}

impl Bench {
    pub fn new(dut: VerilatedModel, window: u32, load: Load, seed: u64) -> Self {
        let connection = |index: u32| Connection {
            local_qp: 0xABC0 + index,
            remote_qp: 0x123450 + index,
            dst_mac: 0x0200_0000_0001 + u64::from(index),
            src_mac: 0x0200_0000_0101 + u64::from(index),
            src_ip: 0x0A00_0001,
            dst_ip: 0x0A00_0102 + index,
            ip_sum: 0xBEEF,
        };
        let region = |r_key: u32, base: u64, length: u64| Region {
            r_key,
            base,
            length,
        };
        let regions = vec![
            region(0x100, 0x1_0000, 0x10_0000),
            region(0x7771, 0, 0x1000),
            region(0xFFFF_FFF2, u64::MAX - 0xFFFF, 0x1_0000),
            region(0x33, 0x5000, 0),
        ];
        let mut reference = Receiver::new(
            window,
            load.ack_every,
            vec![connection(0), connection(1)],
            regions,
        );
        for number in 0..2 * PATHS {
            let path = reference.path(
                number % PLANES as u32,
                7 + number as u8,
                0xC000 + number as u16,
                load.first_psn.wrapping_add(number * 256) % SPACE,
                0xFF_FFF0 + number,
            );
            reference.paths.push(path);
        }
        let mut bench = Self {
            dut,
            reference,
            rng: ChaCha8Rng::seed_from_u64(seed),
            load,
            stages: [None; 4].into(),
            since_refusal: 9,
            built: None,
            waiting: None,
            busy: [0; PLANES],
            events: 0,
            acks: 0,
            refusals: 0,
            dropped_refusals: 0,
            duplicates: 0,
            messages: None,
        };
        bench.configure();
        bench
    }

    pub fn port(&self, name: &str) -> PortId {
        self.dut
            .port(name)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    pub fn set(&mut self, name: &str, value: u64) {
        let port = self.port(name);
        self.dut.set_u64(port, value);
    }

    pub fn get(&self, name: &str) -> u64 {
        self.dut.get_u64(self.port(name))
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        let port = self.port(name);
        let mut bytes = vec![0; self.dut.width(port).div_ceil(8) as usize];
        self.dut.get_bytes(port, &mut bytes);
        bytes
    }

    pub fn write_entry(&mut self, table: u64, index: usize, entry: Word) {
        let head = Word::default()
            .field(1, 1)
            .field(table, 4)
            .field(index as u64, 16);
        let word = head.bytes(&entry.finish());
        let port = self.port("config_write");
        self.dut.set_bytes(port, &word.finish());
        self.dut.tick().unwrap();
        self.dut.set_bytes(port, &[0]);
        self.wait_idle();
    }

    /// Lets a path's slots be set up.
    pub fn wait_idle(&mut self) {
        self.dut.settle().unwrap();
        while self.get("idle") == 0 {
            self.dut.tick().unwrap();
            self.dut.settle().unwrap();
        }
    }

    pub fn configure(&mut self) {
        self.set("ack_every", self.load.ack_every.into());
        self.set("hold", 1);
        self.dut.tick().unwrap();
        for index in 0..2 {
            self.write_connection(index);
        }
        (0..self.reference.paths.len()).for_each(|index| self.write_path(index));
        for index in 0..self.reference.regions.len() {
            let r = self.reference.regions[index];
            let entry = Word::default()
                .field(1, 1)
                .field(r.r_key.into(), 32)
                .field(r.base, 64)
                .field(r.length, 64);
            self.write_entry(3, index, entry);
        }
        self.set("hold", 0);
    }

    pub fn write_connection(&mut self, index: usize) {
        let c = &self.reference.connections[index];
        let entry = Word::default()
            .field(1, 1)
            .field(c.local_qp.into(), 24)
            .field(c.remote_qp.into(), 24)
            .field(PATHS.into(), 8)
            .field(c.dst_mac, 48)
            .field(c.src_mac, 48)
            .field(c.src_ip.into(), 32)
            .field(c.dst_ip.into(), 32)
            .field(c.ip_sum.into(), 16);
        self.write_entry(1, index, entry);
    }

    pub fn write_path(&mut self, index: usize) {
        let p = &self.reference.paths[index];
        let entry = Word::default()
            .field(p.valid.into(), 1)
            .field(p.plane.into(), 3)
            .field(p.epoch.into(), 8)
            .field(p.entropy.into(), 16)
            .field(0, 48)
            .field(p.cum.into(), 24)
            .field(u64::from((p.max_tsn + 1) % SPACE), 24);
        self.write_entry(2, index, entry);
    }

    /// Gives a path a new life while others go on, with requests and refusals of the old one still waiting.
    pub fn renew_path(&mut self) {
        self.set("hold", 1);
        (0..24).for_each(|_| self.cycle(false));
        assert_eq!(self.get("idle"), 1);
        let index = self.rng.random_range(0..self.reference.paths.len());
        let epoch = self.reference.paths[index].epoch.wrapping_add(1);
        let (plane, entropy) = (self.rng.random_range(0..PLANES as u32), self.rng.random());
        let psn = self.rng.random_range(0..SPACE / 256) * 256;
        let tsn = self.rng.random_range(0..SPACE);
        let mut path = self.reference.path(plane, epoch, entropy, psn, tsn);
        path.valid = self.rng.random_bool(0.9);
        self.reference.paths[index] = path;
        self.write_path(index);
        self.set("hold", 0);
    }

    pub fn event(&mut self) -> Event {
        let rng = &mut self.rng;
        let number = self
            .load
            .path
            .unwrap_or_else(|| rng.random_range(0..2 * PATHS));
        let path = &self.reference.paths[number as usize];
        let window = self.reference.window;
        let reach = match rng.random_range(0..10) {
            0 => 2 * window,
            1 => window,
            _ => 4,
        };
        let back = rng.random_range(0..3);
        let psn = (path.cum + SPACE + rng.random_range(0..reach) - back) % SPACE;
        let tsn = (path.max_tsn + SPACE + rng.random_range(0..6) - 2) % SPACE;
        let mut payload = rng.random_range(0..=4096);
        let (mut r_key, mut address) = (0x100, 0x1_0000 + rng.random_range(0..0x10_0000 - 4096));
        match rng.random_range(0..20) {
            0 => r_key = 0x104,
            1 => address = 0xFFFF,
            2 => address = 0x11_0000 - u64::from(payload),
            3 => address = 0x11_0001 - u64::from(payload),
            4 => (r_key, address, payload) = (0xFFFF_FFF2, u64::MAX, rng.random_range(0..4)),
            5 => (r_key, address, payload) = (0x33, 0x5000, rng.random_range(0..2)),
            _ => {}
        }
        let mut event = Event {
            plane: path.plane,
            probe: rng.random_bool(0.1),
            ce: rng.random_bool(0.2),
            ack_request: rng.random_bool(0.1),
            dest_qp: 0xABC0 + number / PATHS + if rng.random_bool(0.03) { 0x10 } else { 0 },
            psn,
            path: (number % PATHS) as u8
                + if rng.random_bool(0.03) {
                    PATHS as u8
                } else {
                    0
                },
            epoch: path.epoch.wrapping_add(rng.random_bool(0.03).into()),
            tsn,
            timestamp: rng.random(),
            payload,
            stream: rng.random(),
            message: rng.random(),
            offset: rng.random(),
            address,
            r_key,
            ..Event::default()
        };
        self.speak((number / PATHS) as usize, &mut event);
        event
    }

    pub fn cycle(&mut self, feed: bool) {
        if self.waiting.is_none() && feed && self.rng.random_bool(self.load.events) {
            self.waiting = Some(self.event());
        }
        self.set("frame_valid", self.waiting.is_some().into());
        if let Some(event) = self.waiting {
            let port = self.port("frame");
            self.dut.set_bytes(port, &event.word());
            self.set("frame_plane", event.plane.into());
        }
        for plane in 0..PLANES {
            let stalled = self.rng.random_bool(self.load.stalls);
            self.set(&format!("placement_ready_{plane}"), (!stalled).into());
            // A slot becomes busy by a transfer only.
            self.set(
                &format!("answer_ready_{plane}"),
                (self.busy[plane] == 0).into(),
            );
            self.busy[plane] = self.busy[plane].saturating_sub(1);
        }
        self.offer();
        self.dut.settle().unwrap();
        self.check_answers();
        self.check_receive();
        self.ends();
        if self.get("trace_advance_valid") == 1 {
            let path = self.get("trace_advance_path") as usize;
            self.reference.advance(path);
        }
        let enters = self.waiting.is_some() && self.get("frame_ready") == 1;
        let entering = if enters { self.waiting.take() } else { None };
        self.stages.push_back(entering);
        self.dut.rise().unwrap();
    }

    pub fn check_answers(&mut self) {
        let ack = self.get("trace_ack_build_valid") == 1;
        let refusal = self.get("trace_refusal_build_valid") == 1;
        assert!(!(ack && refusal), "one answer a cycle");
        self.since_refusal = if refusal { 0 } else { self.since_refusal + 1 };
        let built = if ack {
            let path = self.get("trace_ack_build_path") as usize;
            self.acks += 1;
            Some((path, self.reference.build_ack(path)))
        } else {
            refusal.then(|| {
                self.refusals += 1;
                self.reference.build_refusal()
            })
        };
        let built = built.map(|(path, bytes)| (path, self.reference.paths[path].plane, bytes));
        let expected = std::mem::replace(&mut self.built, built);
        for plane in 0..PLANES {
            let valid = self.get(&format!("answer_valid_{plane}")) == 1;
            let mine = expected
                .as_ref()
                .is_some_and(|(_, its, _)| *its as usize == plane);
            assert_eq!(valid, mine, "plane {plane} cycle {}", self.dut.cycle());
            if valid {
                assert_eq!(
                    self.get(&format!("answer_ready_{plane}")),
                    1,
                    "an answer into a free slot"
                );
                self.busy[plane] = if self.load.stalls == 0.0 {
                    0
                } else {
                    self.rng.random_range(0..12)
                };
            }
        }
        if let Some((path, _, bytes)) = expected {
            assert_eq!(self.bytes("answer"), bytes, "answer of path {path}");
        }
    }

    pub fn check_receive(&mut self) {
        let (up, amount) = counts(&self.bytes("counts"));
        let mut up: Vec<_> = up
            .into_iter()
            .filter(|name| !name.starts_with("tx_"))
            .collect();
        let Some(event) = self.stages.pop_front().flatten() else {
            assert_eq!(self.get("trace_receive_valid"), 0);
            assert!(up.is_empty(), "{up:?}");
            return;
        };
        assert_eq!(self.get("trace_receive_valid"), 1);
        assert_eq!(self.get("trace_receive_plane"), u64::from(event.plane));
        let room = self.get("trace_receive_refusal_room") == 1;
        let leaves = self.since_refusal < 2 && self.reference.refusal_room();
        assert!(
            leaves || room == self.reference.refusal_room(),
            "refusal room"
        );
        let verdict = self.reference.receive_with_room(&event, room);
        if verdict.accept {
            let index = event.dest_qp as usize % self.reference.connections.len();
            self.heard(index, &event);
        }
        self.events += 1;
        self.duplicates += u64::from(verdict.counts.contains(&"rx_duplicate"));
        self.dropped_refusals += u64::from(verdict.counts.contains(&"refusals_dropped"));
        let mut wanted = verdict.counts.clone();
        wanted.push("rx_frames");
        wanted.sort_unstable();
        up.sort_unstable();
        assert_eq!(up, wanted, "{event:?}");
        assert_eq!(
            amount,
            if verdict.accept && event.receive.is_none() {
                u64::from(event.payload)
            } else {
                0
            }
        );
        for plane in 0..PLANES {
            let valid = self.get(&format!("placement_valid_{plane}")) == 1;
            assert_eq!(valid, !event.probe && event.plane as usize == plane);
        }
        if !event.probe {
            let bytes = self.bytes("placement");
            let mut placement = Fields::new(&bytes);
            let found = [1, 64, 16].map(|bits| placement.field(bits));
            // The address of a SEND that is not accepted counts for nothing.
            let address = if verdict.accept || !event.into_buffer {
                verdict.address
            } else {
                found[1]
            };
            let wanted = [verdict.accept.into(), address, event.payload.into()];
            assert_eq!(found, wanted, "{event:?}");
        }
    }

    /// Runs, then lets everything out.
    pub fn run(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| self.cycle(true));
        (0..400).for_each(|_| self.cycle(false));
        assert!(
            self.waiting.is_none() && self.reference.quiet(),
            "everything asked for is built"
        );
        // A post that waits for room lets go.
        self.set("hold", 1);
        (0..8).for_each(|_| self.cycle(false));
        assert_eq!(self.get("idle"), 1);
        self.set("hold", 0);
    }
}
