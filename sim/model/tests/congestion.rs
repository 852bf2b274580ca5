//! Laws on a shared bottleneck, a law from outside, the measured time-out, and rate hints.
mod support;

use std::collections::{BTreeMap, VecDeque};

use metaroce_model::congestion::{AckEvent, AimdSettings, DelaySettings, Law, LawSettings, ONE};
use metaroce_model::hint::{Activity, PostedBuffers};
use metaroce_model::tracker::ReceiveBuffer;
use metaroce_protocol::{Counter, Opcode, Wqe, WqeOpcode};
use support::fault::{Fault, Rule};
use support::{MEMORY, PATHS, Pair, R_KEY, Setup};

/// Ticks of an empty round trip, and of a packet at the bottleneck: the pipe holds 80 packets.
const ROUND_TRIP: u64 = 800;
const SERVICE: u64 = 10;
/// Packets in the queue from which on a switch marks.
const MARK_AT: usize = 32;

/// A path: its law, its connection's number of paths, and what is under way.
struct Flow {
    law: Box<dyn Law>,
    paths: u32,
    in_flight: u32,
    acked: u64,
}

/// What came of a run.
struct Outcome {
    /// Packets acknowledged in the second half, by flow.
    shares: Vec<u64>,
    /// Part of the second half in which the bottleneck was busy, in percent.
    busy: u64,
    longest_queue: usize,
}

/// Flows that always have data share one queue; `paths[i]`: paths of the connection of flow i.
fn share_a_bottleneck(settings: &dyn LawSettings, paths: &[u32], ticks: u64) -> Outcome {
    let mut flows: Vec<Flow> = paths
        .iter()
        .map(|&paths| Flow {
            law: settings.start(0),
            paths,
            in_flight: 0,
            acked: 0,
        })
        .collect();
    // At the queue, and back at the sender: (time, number) -> flow, sent at, marked.
    let mut arriving = BTreeMap::new();
    let mut returning = BTreeMap::new();
    let mut queue: VecDeque<(usize, u64, bool)> = VecDeque::new();
    let (mut number, mut free_at, mut busy, mut longest_queue) = (0u64, 0u64, 0u64, 0);
    let mut half = vec![0; flows.len()];
    for now in 0..ticks {
        while let Some(entry) = arriving.first_entry() {
            let ((at, _), (flow, sent)): ((u64, u64), (usize, u64)) = (*entry.key(), *entry.get());
            if at > now {
                break;
            }
            entry.remove();
            queue.push_back((flow, sent, queue.len() >= MARK_AT));
        }
        longest_queue = longest_queue.max(queue.len());
        if now >= free_at
            && let Some((flow, sent, marked)) = queue.pop_front()
        {
            free_at = now + SERVICE;
            busy += u64::from(now >= ticks / 2) * SERVICE;
            number += 1;
            let back = (now + SERVICE + ROUND_TRIP / 2, number);
            returning.insert(back, (flow, sent, marked));
        }
        while let Some(entry) = returning.first_entry().filter(|e| e.key().0 <= now) {
            let (flow, sent, marked) = entry.remove();
            let flow = &mut flows[flow];
            flow.in_flight -= 1;
            flow.acked += 1;
            flow.law.on_ack(&AckEvent {
                delivered: 1,
                marked: marked.into(),
                rtt: Some((now - sent) as u32),
                paths: flow.paths,
                windows: 0,
                now: now as u32,
            });
        }
        for (index, flow) in flows.iter_mut().enumerate() {
            if flow.in_flight < flow.law.window() / ONE {
                flow.in_flight += 1;
                number += 1;
                arriving.insert((now + ROUND_TRIP / 2, number), (index, now));
            }
        }
        if now == ticks / 2 {
            half = flows.iter().map(|f| f.acked).collect();
        }
    }
    Outcome {
        shares: flows.iter().zip(half).map(|(f, h)| f.acked - h).collect(),
        busy: busy * 100 / (ticks / 2),
        longest_queue,
    }
}

#[test]
fn coupled_paths_gain_by_their_windows_and_together_what_uncoupled_ones_do() {
    let gain = |coupled: bool, first: u32| {
        let settings = AimdSettings {
            first,
            cap: 256,
            coupled,
            ..AimdSettings::default()
        };
        let mut law = settings.start(0);
        // Four round trips, each with a window of deliveries in two ACKs. Two paths with windows of 10 and 30.
        for _ in 0..8 {
            law.on_ack(&AckEvent {
                delivered: first / 2,
                marked: 0,
                rtt: Some(100),
                paths: 2,
                windows: u64::from(40 * ONE),
                now: 1,
            });
        }
        (law.window() - first * ONE) / (ONE / 2)
    };
    // In halves of a packet. The last round trip of an uncoupled path is a little short of its grown window.
    assert_eq!((gain(false, 10), gain(false, 30)), (3, 3));
    assert_eq!((gain(true, 10), gain(true, 30)), (2, 6));
}

fn spread(shares: &[u64]) -> u64 {
    let (most, least) = (shares.iter().max().unwrap(), shares.iter().min().unwrap());
    most * 100 / least.max(&1)
}

#[test]
fn marks_and_delay_both_fill_the_line_and_share_it() {
    let laws: [(&str, Box<dyn LawSettings>); 2] = [
        ("ECN", Box::new(AimdSettings::default())),
        ("delay", Box::new(DelaySettings::default())),
    ];
    for (name, law) in laws {
        let outcome = share_a_bottleneck(&*law, &[1; 8], 400_000);
        let Outcome {
            shares,
            busy,
            longest_queue,
        } = outcome;
        assert!(
            busy >= 95,
            "{name}: busy {busy} %, {shares:?}, {longest_queue}"
        );
        assert!(spread(&shares) <= 130, "{name}: {shares:?}");
        assert!(longest_queue <= 160, "{name}: {longest_queue} packets");
    }
}

#[test]
fn more_paths_are_no_more_aggressive() {
    // One connection with one path against one with seven: each gains one packet a round trip.
    let paths: Vec<u32> = [1].into_iter().chain([7; 7]).collect();
    let settings = AimdSettings {
        cap: 128,
        ..AimdSettings::default()
    };
    let outcome = share_a_bottleneck(&settings, &paths, 2_000_000);
    let (one, seven) = (outcome.shares[0], outcome.shares[1..].iter().sum::<u64>());
    assert!(seven <= 4 * one, "one path {one}, seven {seven}");
}

/// A law that nobody but this test knows.
#[derive(Debug)]
struct Three;

impl Law for Three {
    fn on_ack(&mut self, _: &AckEvent) {}
    fn on_loss(&mut self, _: u32) {}
    fn on_timeout(&mut self, _: u32) {}
    fn window(&self) -> u32 {
        3 * ONE
    }
}

impl LawSettings for Three {
    fn start(&self, _: u32) -> Box<dyn Law> {
        Box::new(Three)
    }
}

fn write(number: u16, length: u32) -> Wqe {
    Wqe {
        opcode: WqeOpcode::Write,
        message: number,
        r_key: R_KEY,
        length,
        wr_id: number.into(),
        ..Wqe::default()
    }
}

#[test]
fn a_law_from_outside_holds_the_window() {
    let mut pair = Pair::with_law(Setup::whole(), &|| Box::new(Three));
    pair.hosts[0].endpoint.post(write(0, MEMORY as u32));
    pair.run(1, 1_000_000);
    assert!(pair.max_unresolved <= 3 + 1, "{}", pair.max_unresolved);
}

#[test]
fn marks_shrink_windows_and_their_end_lets_them_grow() {
    let mark = Rule::new(Fault::Mark).from(0).when(0..20_000);
    let setup = Setup {
        rules: vec![mark],
        ..Setup::whole()
    };
    let mut pair = Pair::with_law(setup, &|| Box::new(AimdSettings::default()));
    (0..8).for_each(|n| pair.hosts[0].endpoint.post(write(n, MEMORY as u32)));
    let unresolved = |pair: &Pair| pair.unresolved() / PATHS;
    while pair.now < 20_000 {
        pair.step();
    }
    let marked = unresolved(&pair);
    while pair.now < 40_000 && pair.hosts[0].completions.len() < 8 {
        pair.step();
    }
    pair.run(8, 1_000_000);
    assert!(marked <= 2, "{marked} packets a path under full marks");
    assert!(pair.max_unresolved >= 8, "{}", pair.max_unresolved);
}

/// 64 packets, until something has happened to the path; then one.
#[derive(Clone, Debug, Default)]
struct Falls {
    fell: bool,
    at_loss: bool,
}

impl Law for Falls {
    fn on_ack(&mut self, _: &AckEvent) {
        self.fell |= !self.at_loss;
    }
    fn on_loss(&mut self, _: u32) {
        self.fell = true;
    }
    fn on_timeout(&mut self, _: u32) {}
    fn window(&self) -> u32 {
        if self.fell { ONE } else { 64 * ONE }
    }
}

impl LawSettings for Falls {
    fn start(&self, _: u32) -> Box<dyn Law> {
        Box::new(self.clone())
    }
}

/// Two hosts under `law`, of which the first sends more than its windows hold; it can wait for no time-out.
fn falling(law: &Falls, rules: Vec<Rule>) -> Pair {
    let mut setup = Setup {
        rules,
        ..Setup::whole()
    };
    setup.tunables.rto = 1 << 24;
    setup.tunables.ack_every = 255;
    setup.tunables.window = 64;
    let law = law.clone();
    let mut pair = Pair::with_law(setup, &|| Box::new(law.clone()));
    (0..2).for_each(|n| pair.hosts[0].endpoint.post(write(n, MEMORY as u32)));
    pair
}

#[test]
fn a_path_that_a_falling_window_closes_asks_for_an_acknowledgement() {
    // A change of marks is answered at once: windows fall while packets are under way that asked for no answer.
    let mark = (0..PATHS).map(|path| Rule::new(Fault::Mark).from(0).path(path as u8).nth(2));
    let mut pair = falling(&Falls::default(), mark.collect());
    pair.run(2, 1_000_000);
    let counters = pair.hosts[0].endpoint.nic.counters();
    assert!(counters.get(Counter::TxTailProbes) > 0);
    assert_eq!(counters.get(Counter::TxTimeoutProbes), 0);
}

#[test]
fn what_was_lost_goes_again_at_once_though_the_window_fell() {
    let law = Falls {
        at_loss: true,
        ..Falls::default()
    };
    let lose = (1..6).map(|n| Rule::new(Fault::Drop).from(0).path(0).nth(n));
    let mut pair = falling(&law, lose.collect());
    let count = |pair: &Pair, counter| pair.hosts[0].endpoint.nic.counters().get(counter);
    let before = |pair: &Pair| pair.hosts[0].endpoint.nic.send_path(0).unwrap().last_ack();
    while count(&pair, Counter::TxRetransmissions) == 0 {
        pair.step();
    }
    let acked = before(&pair);
    while before(&pair) == acked && count(&pair, Counter::TxRetransmissions) < 5 {
        pair.step();
    }
    assert_eq!(count(&pair, Counter::TxRetransmissions), 5);
    pair.run(2, 1_000_000);
}

#[test]
fn the_connection_window_bounds_all_paths_together() {
    let mut setup = Setup::whole();
    setup.options.connection_window = 10;
    let mut pair = Pair::with(setup);
    pair.hosts[0].endpoint.post(write(0, MEMORY as u32));
    let mut most = 0;
    while pair.hosts[0].completions.is_empty() {
        pair.step();
        most = most.max(pair.unresolved());
    }
    assert!((9..=10 + PATHS).contains(&most), "{most}");
}

#[test]
fn a_measured_time_out_is_found_long_before_the_register_says() {
    let ends = [0, 1_000].map(|rto_floor| {
        // A message and its tail probe are lost: only a time-out helps.
        let lost = Rule::new(Fault::Drop).from(0).when(10_000..10_010);
        let probe = Rule::new(Fault::Drop).from(0).opcode(Opcode::Probe);
        let mut setup = Setup {
            rules: vec![lost, probe.when(10_000..10_300)],
            ..Setup::whole()
        };
        setup.options.rto_floor = rto_floor;
        setup.tunables.rto = 20_000;
        let mut pair = Pair::with(setup);
        (0..50).for_each(|n| pair.hosts[0].endpoint.post(write(n, 4_000)));
        pair.run(50, 9_000);
        while pair.now < 10_000 {
            pair.step();
        }
        pair.hosts[0].endpoint.post(write(50, 10));
        pair.run(51, 100_000);
        let counters = pair.hosts[0].endpoint.nic.counters();
        assert_eq!(counters.get(Counter::TxTimeoutProbes), 1);
        pair.now
    });
    assert!(ends[0] > 30_000 && ends[1] < 13_000, "{ends:?}");
}

/// As if so many connections shared the line.
#[derive(Debug)]
struct Crowd(u32);

impl Activity for Crowd {
    fn on_heard(&mut self, _: u32, _: u32) {}
    fn on_posted(&mut self, _: u32, _: usize) {}
    fn active(&mut self, _: u32) -> u32 {
        self.0
    }
}

#[test]
fn a_sender_keeps_to_the_share_that_its_receiver_allots() {
    let ticks = [1, 4].map(|crowd| {
        let mut setup = Setup::whole();
        // 128 bytes a tick, half of what a host of the pair could send.
        (setup.options.line_rate, setup.options.burst) = (128 * 256, 1_024);
        setup.tunables.window = 64;
        let mut pair = Pair::with(setup);
        let nic = &mut pair.hosts[1].endpoint.nic;
        nic.set_activity(Box::new(Crowd(crowd)));
        (0..4).for_each(|n| pair.hosts[0].endpoint.post(write(n, MEMORY as u32)));
        pair.run(4, 1_000_000);
        pair.now
    });
    // 512 KiB and headers of 92 B to every 256 B: 5,600 ticks at the whole share.
    assert!((5_300..6_500).contains(&ticks[0]), "{ticks:?}");
    let ratio = ticks[1] * 100 / ticks[0];
    assert!((350..=420).contains(&ratio), "{ticks:?}");
}

#[test]
fn a_posted_buffer_changes_the_hint_before_anything_is_sent() {
    let mut pair = Pair::with(Setup::whole());
    let nic = &mut pair.hosts[1].endpoint.nic;
    nic.set_activity(Box::new(PostedBuffers::default()));
    let buffer = ReceiveBuffer {
        address: 0,
        length: 100,
        wr_id: 0,
    };
    assert!(nic.post_receive(0, 0, buffer));
    let clock = pair.clock();
    let pushed = pair.hosts[1].endpoint.poll_transmit(clock).unwrap();
    pair.deliver(0, &pushed.frame, &[]);
    let acks = pair.hosts[0].endpoint.nic.counters();
    assert_eq!(acks.get(Counter::RxAcks), 1, "an ACK of nothing is applied");
    assert_eq!(pair.hosts[0].endpoint.nic.hint(0), Some(0xFFFF));
}
