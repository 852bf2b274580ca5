//! All verbs, both directions, any faults: delivered once and whole, in order per stream, memory exact, and it ends.
mod support;

use std::cell::RefCell;

use metaroce_model::config::{Options, TrackerSize, Tunables};
use metaroce_model::congestion::{AimdSettings, DelaySettings, Fixed, LawSettings};
use metaroce_model::counters::Extra;
use metaroce_model::tracker::ReceiveBuffer;
use metaroce_protocol::{CompletionStatus, Counter, Opcode, Wqe, WqeOpcode};
use proptest::prelude::*;
use support::fault::{Fault, Rule};
use support::verbs::{Op, Play, SOURCE, STREAMS};
use support::{Faults, PATHS, PLANES, Pair, R_KEY, Setup, tunables};

const VERBS: [WqeOpcode; 7] = [
    WqeOpcode::Write,
    WqeOpcode::WriteImm,
    WqeOpcode::Send,
    WqeOpcode::SendImm,
    WqeOpcode::Read,
    WqeOpcode::FetchAdd,
    WqeOpcode::CompareSwap,
];

fn op() -> impl Strategy<Value = Op> {
    let length = prop_oneof![0..3u32, 254..260u32, 0..3_000u32];
    (
        0..2usize,
        0..STREAMS as u16,
        0..7usize,
        length,
        any::<u32>(),
    )
        .prop_map(|(host, stream, verb, length, source)| {
            let verb = VERBS[verb];
            let atomic = matches!(verb, WqeOpcode::FetchAdd | WqeOpcode::CompareSwap);
            let length = if atomic { 8 } else { length };
            Op {
                host,
                stream,
                verb,
                length,
                source: source % (SOURCE as u32 - length),
            }
        })
}

#[derive(Clone, Debug)]
struct Schedule {
    ops: Vec<Op>,
    setup: Setup,
    late: bool,
    law: u8,
    /// Ticks, host, path.
    reroutes: Vec<(u64, usize, u32)>,
}

fn schedules() -> impl Strategy<Value = Schedule> {
    let faults = (
        prop_oneof![Just(0.0), 0.0..0.2f64],
        prop_oneof![Just(0.0), 0.0..0.2f64],
        prop_oneof![Just(0.0), 0.0..0.5f64],
        prop_oneof![Just(0u64), 0..60u64],
    );
    let faults = faults.prop_map(|(loss, duplicate, mark, jitter)| Faults {
        loss,
        duplicate,
        mark,
        jitter,
    });
    let first = prop_oneof![
        0xFF_F000u32..=0xFF_FFFF,
        any::<u32>().prop_map(|n| n & 0xFF_FFFF)
    ];
    let start = prop_oneof![u32::MAX - 5_000..=u32::MAX, any::<u32>()];
    let ops = prop::collection::vec(op(), 1..24);
    let late = prop::bool::weighted(0.2);
    let numbers = (any::<u64>(), first, start, 1..64u32, 1..8u32);
    let reroute = (0..3_000u64, 0..2usize, 0..PATHS);
    let reroutes = prop_oneof![Just(vec![]), prop::collection::vec(reroute, 1..6)];
    let disturbances = (late, reroutes, outage());
    (ops, faults, numbers, disturbances, 0..4u8, options()).prop_map(
        |(ops, faults, numbers, (late, reroutes, rules), law, options)| {
            let (seed, first, start, window, ack_every) = numbers;
            let tunables = Tunables {
                window,
                ack_every,
                max_retries: 15,
                ..tunables()
            };
            let setup = Setup {
                faults,
                rules,
                seed,
                first,
                start,
                options,
                tunables,
            };
            Schedule {
                ops,
                setup,
                late,
                law,
                reroutes,
            }
        },
    )
}

/// A plane that is away for a while, in one direction or both; more often none.
fn outage() -> impl Strategy<Value = Vec<Rule>> {
    let some = (0..PLANES, 0..2_000u64, 1..30_000u64, 0..3usize);
    let some = some.prop_map(|(plane, from, ticks, host)| {
        let rule = Rule::new(Fault::Drop).plane(plane).when(from..from + ticks);
        vec![if host < 2 { rule.from(host) } else { rule }]
    });
    prop_oneof![2 => Just(vec![]), 1 => some]
}

/// What is switched on beyond the verbs: nothing as often as something.
fn options() -> impl Strategy<Value = Options> {
    let rto_floor = prop_oneof![Just(0u32), 300..3_000u32];
    let connection_window = prop_oneof![Just(0u32), 1..200u32];
    let max_allowance = prop_oneof![Just(0u32), 1..17u32];
    let switches = (any::<bool>(), 0..2u32);
    let reroutes = (
        prop_oneof![Just(0u32), 1..4u32],
        prop_oneof![Just(0u32), 4..32u32],
    );
    let planes = (reroutes, 0..3u32, 1..6u32);
    let numbers = (rto_floor, connection_window, max_allowance);
    (numbers, switches, planes).prop_map(
        |(
            (rto_floor, connection_window, max_allowance),
            (idle_copies, extra_tail_probes),
            ((reroute_after, reroute_marked), suspect_paths, recovery_probes),
        )| Options {
            not_ready_ticks: 1 << 20,
            rto_floor,
            connection_window,
            max_allowance,
            idle_copies,
            extra_tail_probes,
            reroute_after,
            reroute_marked,
            suspect_paths,
            recovery_probes,
            ramp_ticks: 300,
            ..Setup::whole().options
        },
    )
}

fn play(schedule: &Schedule) -> Play {
    let law = || -> Box<dyn LawSettings> {
        match schedule.law {
            0 => Box::new(AimdSettings::default()),
            1 => Box::new(DelaySettings::default()),
            _ => Box::new(Fixed),
        }
    };
    let mut play = Play::new(schedule.setup.clone(), &law, &schedule.ops, schedule.late);
    if schedule.late {
        (0..200).for_each(|_| play.pair.step());
        play.post_buffers();
    }
    play.reroute(schedule.reroutes.clone());
    play.run(20_000_000);
    play.check();
    let faults = schedule.setup.faults;
    let undisturbed = schedule.setup.rules.is_empty() && !schedule.late;
    if faults.loss == 0.0 && faults.jitter == 0 && undisturbed {
        for host in &play.pair.hosts {
            let broken = host.endpoint.nic.counters().get(Counter::RxInvalidRequest);
            assert_eq!(broken, 0, "an honest peer breaks no limit");
            let counters = host.endpoint.nic.counters();
            assert_eq!(counters.get(Counter::TxRetransmissions), 0);
        }
    }
    play
}

proptest! {
    #![proptest_config(support::schedules::config(10_000, 1_000_000))]
    fn schedules_hold(schedule in schedules()) {
        REACHED.with(|reached| reached.borrow_mut().add(&play(&schedule)));
    }
}

/// Events of all schedules so far.
struct Reached([u64; Extra::ALL.len()]);

impl Reached {
    fn add(&mut self, play: &Play) {
        for host in &play.pair.hosts {
            for (sum, &counter) in self.0.iter_mut().zip(Extra::ALL) {
                *sum += u64::from(host.endpoint.nic.extra().get(counter));
            }
        }
    }
}

thread_local! {
    static REACHED: RefCell<Reached> = const { RefCell::new(Reached([0; Extra::ALL.len()])) };
}

#[test]
fn every_verb_arrives_once_and_whole_and_in_the_order_of_its_stream() {
    schedules_hold();
    // A proof of nothing if nothing happened. An honest peer never makes these.
    let never = [Extra::AtomicsReplayed];
    REACHED.with(|reached| {
        for (&counter, &sum) in Extra::ALL.iter().zip(&reached.borrow().0) {
            assert_eq!(
                sum > 0,
                !never.contains(&counter),
                "{} {sum}",
                counter.name()
            );
        }
    });
}

fn wqe(opcode: WqeOpcode, stream: u16, message: u16, length: u32) -> Wqe {
    Wqe {
        opcode,
        stream,
        message,
        r_key: R_KEY,
        length,
        local_address: 0,
        remote_address: 0x4000,
        wr_id: message.into(),
        ..Wqe::default()
    }
}

fn statuses(pair: &Pair, host: usize) -> Vec<CompletionStatus> {
    pair.hosts[host]
        .completions
        .iter()
        .map(|c| c.status)
        .collect()
}

fn buffer(address: u64, length: u32) -> ReceiveBuffer {
    ReceiveBuffer {
        address,
        length,
        wr_id: address,
    }
}

#[test]
fn a_send_lands_before_the_messages_ahead_of_it_have_arrived() {
    // The first packet of the first Send is lost; all else arrives.
    let rule = Rule::new(Fault::Drop).from(0).opcode(Opcode::Send).nth(0);
    let mut pair = Pair::with(Setup {
        rules: vec![rule],
        ..Setup::whole()
    });
    for n in 0..3 {
        let nic = &mut pair.hosts[1].endpoint.nic;
        assert!(nic.post_receive(0, 0, buffer(0x4000 + 0x100 * n, 256)));
        let wqe = wqe(WqeOpcode::Send, 0, n as u16, 256);
        pair.hosts[0].endpoint.post(wqe);
    }
    while pair.now < 170 {
        pair.step();
    }
    let (source, target) = (&pair.hosts[0].memory, &pair.hosts[1].memory);
    assert_eq!(
        source[..256],
        target[0x4200..0x4300],
        "the third is in place"
    );
    assert_ne!(source[..256], target[0x4000..0x4100], "the first is not");
    assert!(pair.hosts[1].received.is_empty(), "and none completes");
    pair.run(3, 100_000);
    let order: Vec<_> = pair.hosts[1].received.iter().map(|r| r.message).collect();
    assert_eq!(order, [0, 1, 2]);
}

#[test]
fn a_loss_in_one_stream_holds_up_no_other() {
    let rule = Rule::new(Fault::Drop).from(0).opcode(Opcode::Write).nth(0);
    let mut pair = Pair::with(Setup {
        rules: vec![rule],
        ..Setup::whole()
    });
    for (stream, message) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let wqe = wqe(WqeOpcode::Write, stream, message, 100);
        pair.hosts[0].endpoint.post(wqe);
    }
    pair.run(4, 100_000);
    let order = |streams: Vec<u16>| assert_eq!(streams, [1, 1, 0, 0]);
    order(
        pair.hosts[0]
            .completions
            .iter()
            .map(|c| c.wqe.stream)
            .collect(),
    );
    order(pair.hosts[1].received.iter().map(|r| r.stream).collect());
}

#[test]
fn a_read_sees_the_writes_before_it_in_its_stream() {
    // The Write's only packet is lost once, so the Read's request arrives first.
    let rule = Rule::new(Fault::Drop).from(0).opcode(Opcode::Write).nth(0);
    let mut pair = Pair::with(Setup {
        rules: vec![rule],
        ..Setup::whole()
    });
    let write = wqe(WqeOpcode::Write, 0, 0, 200);
    let read = Wqe {
        local_address: 0x8000,
        ..wqe(WqeOpcode::Read, 0, 1, 200)
    };
    pair.hosts[0].endpoint.post(write);
    pair.hosts[0].endpoint.post(read);
    pair.run(2, 100_000);
    let memory = &pair.hosts[0].memory;
    assert_eq!(memory[..200], memory[0x8000..0x8000 + 200]);
    let responder = pair.hosts[1].endpoint.nic.counters();
    assert_eq!(
        responder.get(Counter::TxVerbs),
        1,
        "one response, its own packet"
    );
}

#[test]
fn without_a_posted_buffer_a_send_is_refused_by_name() {
    let mut pair = Pair::with(Setup::whole());
    pair.hosts[0].endpoint.post(wqe(WqeOpcode::Send, 0, 0, 10));
    pair.hosts[0].endpoint.post(wqe(WqeOpcode::Write, 0, 1, 10));
    pair.run(2, 100_000);
    assert_eq!(
        statuses(&pair, 0),
        [
            CompletionStatus::ReceiverNotReady,
            CompletionStatus::Flushed
        ]
    );
    assert_eq!(
        pair.hosts[1]
            .endpoint
            .nic
            .counters()
            .get(Counter::RxNotReady),
        1
    );
}

#[test]
fn a_patient_sender_waits_for_the_buffer() {
    let mut setup = Setup::whole();
    setup.options.not_ready_ticks = 1 << 16;
    let mut pair = Pair::with(setup);
    pair.hosts[0].endpoint.post(wqe(WqeOpcode::Send, 0, 0, 10));
    while pair.now < 20_000 {
        pair.step();
    }
    assert!(pair.hosts[0].completions.is_empty());
    let nic = &mut pair.hosts[1].endpoint.nic;
    assert!(nic.post_receive(0, 0, buffer(0x4000, 10)));
    pair.run(1, 200_000);
    assert_eq!(statuses(&pair, 0), [CompletionStatus::Success]);
    assert!(
        pair.hosts[1]
            .endpoint
            .nic
            .counters()
            .get(Counter::RxNotReady)
            > 1
    );
}

#[test]
fn a_message_longer_than_its_buffer_is_refused() {
    let mut pair = Pair::with(Setup::whole());
    let nic = &mut pair.hosts[1].endpoint.nic;
    assert!(nic.post_receive(0, 0, buffer(0x4000, 9)));
    pair.hosts[0].endpoint.post(wqe(WqeOpcode::Send, 0, 0, 10));
    pair.run(1, 100_000);
    assert_eq!(statuses(&pair, 0), [CompletionStatus::BadRange]);
    assert!(pair.hosts[1].memory.iter().all(|&byte| byte == 0));
}

#[test]
fn requests_outside_their_region_or_beside_a_word_are_refused_and_nothing_happens() {
    let end = support::MEMORY as u64;
    let cases = [
        (WqeOpcode::Read, end - 7, R_KEY, CompletionStatus::BadRange),
        (
            WqeOpcode::FetchAdd,
            end - 7,
            R_KEY,
            CompletionStatus::BadRange,
        ),
        (WqeOpcode::FetchAdd, 4, R_KEY, CompletionStatus::BadRange),
        (
            WqeOpcode::CompareSwap,
            8,
            R_KEY + 1,
            CompletionStatus::BadKey,
        ),
        (WqeOpcode::WriteImm, 8, R_KEY + 1, CompletionStatus::BadKey),
    ];
    for (verb, remote_address, r_key, status) in cases {
        let mut pair = Pair::with(Setup::whole());
        pair.hosts[0].endpoint.post(Wqe {
            remote_address,
            r_key,
            ..wqe(verb, 0, 0, 8)
        });
        pair.run(1, 100_000);
        assert_eq!(statuses(&pair, 0), [status], "{verb:?}");
        let extra = pair.hosts[1].endpoint.nic.extra();
        assert_eq!(extra.get(Extra::AtomicsExecuted), 0);
        assert!(pair.hosts[1].memory.iter().all(|&byte| byte == 0));
    }
}

#[test]
fn what_no_nic_can_ask_for_fails_and_takes_no_number_from_its_stream() {
    let mut pair = Pair::with(Setup::whole());
    for bad in [
        wqe(WqeOpcode::Unknown(99), 0, 0, 8),
        wqe(WqeOpcode::FetchAdd, 0, 0, 4),
        wqe(WqeOpcode::Send, TrackerSize::SOFTWARE.streams, 0, 4),
    ] {
        pair.hosts[0].endpoint.post(bad);
    }
    pair.hosts[0].endpoint.post(wqe(WqeOpcode::Write, 0, 0, 8));
    pair.run(4, 100_000);
    let bad = CompletionStatus::BadRequest;
    assert_eq!(statuses(&pair, 0).iter().filter(|&&s| s == bad).count(), 3);
    assert_eq!(pair.hosts[1].received.len(), 1);
}

#[test]
fn an_atomic_that_comes_again_under_another_psn_is_answered_from_the_record() {
    let mut pair = Pair::with(Setup::whole());
    pair.hosts[0].endpoint.post(Wqe {
        operand: 5,
        ..wqe(WqeOpcode::FetchAdd, 0, 0, 8)
    });
    let clock = pair.clock();
    let first = pair.hosts[0].endpoint.poll_transmit(clock).unwrap().frame;
    pair.deliver(1, &first, &[]);
    let other_path = metaroce_model::wire::Incoming { path: 7, ..first };
    pair.deliver(1, &other_path, &[]);
    let nic = &pair.hosts[1].endpoint.nic;
    assert_eq!(nic.extra().get(Extra::AtomicsExecuted), 1);
    assert_eq!(nic.extra().get(Extra::AtomicsReplayed), 1);
    assert_eq!(pair.hosts[1].memory[0x4000], 5);
    pair.run(1, 100_000);
    pair.settle();
    let requester = pair.hosts[0].endpoint.nic.counters();
    assert_eq!(
        requester.get(Counter::RxStrayResponse),
        1,
        "the second answer"
    );
    assert_eq!(pair.hosts[0].memory[..8], [0; 8], "the word before");
}

#[test]
fn todays_hardware_knows_no_verb_but_write() {
    let mut whole = Pair::with(Setup::whole());
    whole.hosts[0].endpoint.post(wqe(WqeOpcode::Read, 0, 0, 8));
    let frame = whole.hosts[0].endpoint.poll_transmit(0).unwrap();
    let mut hardware = Pair::new(Faults::default(), tunables(), 1, 0, 0);
    hardware.deliver(1, &support::round_trip(&frame, &[]), &[]);
    let nic = &hardware.hosts[1].endpoint.nic;
    assert_eq!(nic.counters().get(Counter::RxUnknownOpcode), 1);
    hardware.hosts[0]
        .endpoint
        .post(wqe(WqeOpcode::Read, 0, 0, 8));
    hardware.run(1, 10_000);
    assert_eq!(statuses(&hardware, 0), [CompletionStatus::BadRequest]);
}
