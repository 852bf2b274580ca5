//! The host side in Verilator: send queue and completion queue at their wraps.
mod engines;
mod host_bench;

use std::collections::{HashMap, VecDeque};

use engines::Word;
use host_bench::{Bench, CONNECTIONS, CQ_BASE, SLOTS, SQ_BASE, STREAM_BITS, STREAMS, commit};
use metaroce_cosim::axi_lite::Access;
use metaroce_cosim::words;
use metaroce_protocol::registers as map;
use metaroce_protocol::{CompletionStatus, ConfigTable, Counter, Cqe, Profile, Wqe, WqeOpcode};
use rand::Rng;

/// Messages to be sent in a run.
const MESSAGES: u32 = 150;

/// A posted message.
struct Posted {
    index: u32,
    wqe: Wqe,
    taken: bool,
    /// It can't be: known once it is taken.
    bad: bool,
    /// Packets not delivered.
    left: u32,
}

impl Posted {
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
    /// Connections that exist.
    known: Vec<bool>,
    /// By connection and stream: the buffer that the next message takes, if it takes one.
    receives: HashMap<(u16, u16), u32>,
    doorbell: u32,
    taken: u32,
    /// CQEs, and of those the ones of messages that came.
    completed: u32,
    told: u32,
    consumed: u32,
    /// Messages that came and wait to be told of.
    came: VecDeque<Cqe>,
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
        bench.configured.clear();
        Self {
            bench,
            sq_log2,
            cq_log2,
            messages: VecDeque::new(),
            failures: vec![None; CONNECTIONS as usize],
            known: vec![true, true, true, false],
            receives: HashMap::new(),
            doorbell: 0,
            taken: 0,
            completed: 0,
            told: 0,
            consumed: 0,
            came: VecDeque::new(),
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
            opcode: WqeOpcode::from_code(match rng.random_range(0..20) {
                0 => rng.random_range(5..=255),
                1 => 0,
                _ => rng.random_range(1..=4),
            }),
            connection: if rng.random_bool(0.05) {
                rng.random_range(3..0x1000)
            } else {
                rng.random_range(0..3)
            },
            stream: if rng.random_bool(0.05) {
                rng.random_range(STREAMS..0x1000)
            } else {
                rng.random_range(0..STREAMS)
            },
            message: rng.random_range(0..4),
            immediate: rng.random(),
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
        self.bench
            .memory
            .memory_mut()
            .bytes_mut(address, 64)
            .expect("the queue")
            .copy_from_slice(&wqe.encode());
        self.messages.push_back(Posted {
            index,
            wqe,
            taken: false,
            bad: false,
            left: wqe.length.div_ceil(1024).max(1),
        });
        self.doorbell += 1;
        self.bench
            .bus
            .push(Access::Write(map::SQ_DOORBELL.offset, self.doorbell));
    }

    /// Sets a connection up anew, or ends it, while WQEs of it may wait.
    fn configure(&mut self) {
        let index = self.bench.rng.random_range(0..CONNECTIONS as u16);
        let valid = self.bench.rng.random_bool(0.8);
        let entry = [valid.into(), 0, 0, 0, 0, 0, 0, 0];
        for access in commit(ConfigTable::Connection, index, &entry) {
            self.bench.bus.push(access);
        }
    }

    fn fail(&mut self) {
        let which = self.bench.rng.random_range(0..self.messages.len().max(1));
        let Some(message) = self.messages.get(which).filter(|m| m.taken && !m.bad) else {
            return;
        };
        let reason = [
            CompletionStatus::BadKey,
            CompletionStatus::BadRange,
            CompletionStatus::RetryExceeded,
        ][which % 3];
        self.failures[usize::from(message.wqe.connection)].get_or_insert((
            reason,
            message.wqe.stream,
            message.wqe.message,
        ));
    }

    fn failure(&self, connection: u16) -> Option<(CompletionStatus, u16, u16)> {
        self.failures
            .get(usize::from(connection))
            .copied()
            .flatten()
    }

    /// Sets the transmit side's outputs: an answer about failures, a delivered packet, readiness.
    fn play_transmit_side(&mut self) -> (Option<usize>, bool) {
        self.bench.dut.eval().unwrap();
        let asked = self.bench.get("failure_connection") as u16;
        let word = self.failure(asked).map_or(
            Word::default().field(0, 41),
            |(status, stream, message)| {
                Word::default()
                    .field(1, 1)
                    .field(status.code().into(), 8)
                    .field(stream.into(), 16)
                    .field(message.into(), 16)
            },
        );
        self.bench.set_word("failure", word);
        let flying: Vec<usize> = (0..self.messages.len())
            .filter(|&i| {
                let message = &self.messages[i];
                message.taken
                    && !message.bad
                    && message.left > 0
                    && self.failure(message.wqe.connection).is_none()
            })
            .collect();
        let delivered = (!flying.is_empty() && self.bench.rng.random_bool(0.6))
            .then(|| flying[self.bench.rng.random_range(0..flying.len())]);
        self.bench
            .set("delivered_valid", delivered.is_some().into());
        if let Some(which) = delivered {
            self.bench
                .set("delivered_slot", self.messages[which].slot());
        }
        let ready = self.bench.rng.random_bool(0.3);
        self.bench.set("message_ready", ready.into());
        (delivered, ready)
    }

    fn play_receive_side(&mut self) {
        let rng = &mut self.bench.rng;
        let open = self.completed - self.told < MESSAGES;
        let ends = open && self.came.len() < 200 && rng.random_bool(0.05);
        self.bench.set("whole_valid", ends.into());
        if !ends {
            return;
        }
        let rng = &mut self.bench.rng;
        let has_immediate = rng.random();
        let cqe = Cqe {
            wr_id: rng.random(),
            connection: rng.random_range(0..3),
            length: rng.random(),
            received: true,
            has_immediate,
            stream: rng.random_range(0..1 << STREAM_BITS),
            message: rng.random(),
            immediate: if has_immediate { rng.random() } else { 0 },
            ..Cqe::default()
        };
        let took = rng.random_bool(0.8);
        let word = Word::default()
            .field((cqe.connection << STREAM_BITS | cqe.stream).into(), 16)
            .field(cqe.message.into(), 16)
            .field(cqe.length.into(), 32)
            .field(cqe.has_immediate.into(), 1)
            .field(cqe.immediate.into(), 32)
            .field(took.into(), 1)
            .field(cqe.wr_id, 64);
        self.bench.set_word("whole", word);
        if took {
            self.came.push_back(cqe);
        }
    }

    /// A CQE is decided: its place and phase.
    fn complete(&mut self, cqe: Cqe) {
        assert!(
            self.completed - self.consumed < 1 << self.cq_log2,
            "a free CQE"
        );
        let phase = self.completed >> self.cq_log2 & 1 == 0;
        let place = self.completed & ((1 << self.cq_log2) - 1);
        let address = CQ_BASE + 32 * u64::from(place);
        self.cqes.push_back((address, Cqe { phase, ..cqe }));
        self.completed += 1;
    }

    fn cycle(&mut self) {
        self.play_receive_side();
        let (delivered, ready) = self.play_transmit_side();
        self.bench.settle();
        self.note_configuration();
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
        if self.bench.get("trace_tell_valid") == 1 {
            assert!(!retire, "one CQE at a time");
            let cqe = self.came.pop_front().expect("a message that came");
            self.complete(cqe);
            self.told += 1;
        }
        if let Some(which) = delivered {
            self.messages[which - usize::from(retire)].left -= 1;
        }
        for write in self.bench.memory.take_writes() {
            let (address, cqe) = self.cqes.pop_front().expect("a CQE that was decided");
            assert_eq!(
                (write.address, Cqe::decode(&write.data)),
                (address, Ok(cqe))
            );
            assert_eq!(write.data.len(), 32);
        }
        self.bench.dut.rise().unwrap();
    }

    /// A connection was set up anew: its streams start again.
    fn note_configuration(&mut self) {
        for (_, table, index, entry) in self.bench.configured.drain(..) {
            assert_eq!(table, u64::from(ConfigTable::Connection.code()));
            self.known[index as usize] = entry[0] & 1 == 1;
            self.receives.retain(|&(of, _), _| u64::from(of) != index);
            assert_eq!(
                self.bench
                    .dut
                    .get_u64(self.bench.dut.port("trace_message_valid").unwrap()),
                0,
                "none is taken meanwhile"
            );
        }
    }

    /// Whether a WQE can be, as the tables stand.
    fn is_bad(&self, wqe: &Wqe) -> bool {
        let known = self.known.get(usize::from(wqe.connection));
        !Profile::Messages.offers(wqe.opcode) || wqe.stream >= STREAMS || known != Some(&true)
    }

    fn check_message(&mut self, ready: bool) {
        let next = self.messages.iter().find(|message| !message.taken);
        let bad = self.is_bad(&next.expect("a posted WQE").wqe);
        let message = self
            .messages
            .iter_mut()
            .find(|message| !message.taken)
            .expect("a posted WQE");
        (message.taken, message.bad) = (true, bad);
        let (wqe, slot) = (message.wqe, message.slot());
        self.taken += 1;
        assert_eq!(
            ready && self.bench.get("message_valid") == 1,
            !bad,
            "{wqe:?}"
        );
        assert_eq!(self.bench.get("message_slot"), slot);
        if !bad {
            let receive = self
                .receives
                .entry((wqe.connection, wqe.stream))
                .or_default();
            let message = words::message(&wqe, Some(*receive));
            assert_eq!(self.bench.bytes("message"), message.bytes(), "{wqe:?}");
            if wqe.opcode != WqeOpcode::Write {
                *receive += 1;
            }
        }
    }

    fn check_retire(&mut self) {
        let message = self.messages.pop_front().expect("a message");
        assert!(message.taken);
        let wqe = message.wqe;
        let status = match self.failure(wqe.connection) {
            _ if message.bad => CompletionStatus::BadRequest,
            _ if message.left == 0 => CompletionStatus::Success,
            Some((status, ..)) if status == CompletionStatus::RetryExceeded => status,
            Some((status, stream, number)) if (stream, number) == (wqe.stream, wqe.message) => {
                status
            }
            Some(_) => CompletionStatus::Flushed,
            None => panic!("{wqe:?} lacks {} packets", message.left),
        };
        let Wqe {
            wr_id,
            opcode,
            connection,
            length,
            ..
        } = wqe;
        self.complete(Cqe {
            wr_id,
            status,
            opcode,
            connection,
            length,
            wqe_index: message.index,
            ..Cqe::default()
        });
        self.statuses.push(status);
    }
}

fn run_queues(mut queues: Queues, fail: bool) -> Vec<CompletionStatus> {
    for cycle in 0..400_000 {
        if queues.bench.bus.is_idle() {
            let done = queues.completed - queues.cqes.len() as u32;
            if queues.doorbell < MESSAGES && queues.doorbell - queues.taken < 1 << queues.sq_log2 {
                queues.post();
            } else if queues.consumed < done && queues.bench.rng.random_bool(0.02) {
                queues.consumed += 1;
                queues
                    .bench
                    .bus
                    .push(Access::Write(map::CQ_CONSUMER.offset, queues.consumed));
            }
        }
        if queues.bench.bus.is_idle() && queues.bench.rng.random_bool(0.005) {
            queues.configure();
        }
        if fail && queues.completed - queues.told > MESSAGES / 3 && cycle % 500 == 0 {
            queues.fail();
        }
        queues.cycle();
        if queues.completed - queues.told == MESSAGES
            && queues.came.is_empty()
            && queues.cqes.is_empty()
            && queues.bench.bus.is_idle()
        {
            break;
        }
    }
    assert_eq!(
        (queues.completed - queues.told, queues.cqes.len()),
        (MESSAGES, 0),
        "all messages complete"
    );
    assert!(queues.told > 5, "{} messages that came", queues.told);
    while queues.bench.bus.pop().is_some() {}
    let mut bench = queues.bench;
    assert_eq!(bench.get("sq_idle"), 1);
    assert_eq!(bench.counter(Counter::Messages), MESSAGES);
    let told = queues.told;
    assert_eq!(bench.counter(Counter::Completions), MESSAGES + told);
    queues.statuses
}

#[test]
fn queues_wrap_and_every_completion_is_right() {
    for (seed, stalls, sq_log2, cq_log2) in [
        (10, 0.0, 3, 2),
        (11, 0.3, 3, 2),
        (12, 0.2, 1, 0),
        (13, 0.2, 0, 1),
    ] {
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
    for status in [
        CompletionStatus::BadKey,
        CompletionStatus::RetryExceeded,
        CompletionStatus::Flushed,
    ] {
        assert!(statuses.contains(&status), "{} was met", status.name());
    }
}
