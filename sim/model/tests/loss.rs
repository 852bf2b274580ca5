//! How losses are found and mended: in the middle, at the tail, of a retransmission; reordering; idle copies.
mod support;

use metaroce_model::counters::Extra;
use metaroce_protocol::{Counter, Opcode, Psn, Wqe, WqeOpcode};
use support::fault::{Fault, Rule};
use support::{PATHS, Pair, R_KEY, Setup};

/// Ticks there and back on path 0.
const ROUND_TRIP: u64 = 200;

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

/// Runs one message under rules; the pair when it has completed.
fn run(setup: Setup, length: u32) -> Pair {
    run_some(setup, length, 1)
}

fn run_some(setup: Setup, length: u32, messages: u16) -> Pair {
    let mut pair = Pair::with(setup);
    (0..messages).for_each(|n| pair.hosts[0].endpoint.post(write(n, length)));
    pair.run(messages.into(), 1_000_000);
    pair.settle();
    pair
}

fn with(rules: Vec<Rule>) -> Setup {
    Setup {
        rules,
        ..Setup::whole()
    }
}

fn sent(pair: &Pair, counter: Counter) -> u32 {
    pair.hosts[0].endpoint.nic.counters().get(counter)
}

fn extra(pair: &Pair, counter: Extra) -> u32 {
    pair.hosts[0].endpoint.nic.extra().get(counter)
}

fn lost(opcode: Opcode, path: u8) -> Rule {
    Rule::new(Fault::Drop).from(0).opcode(opcode).path(path)
}

#[test]
fn a_loss_in_the_middle_costs_one_retransmission_and_no_probe_of_a_time_out() {
    for fault in [Fault::Drop, Fault::Corrupt] {
        let rule = Rule::new(fault)
            .from(0)
            .opcode(Opcode::Write)
            .path(0)
            .nth(3);
        let pair = run(with(vec![rule]), 256 * 100);
        assert_eq!(sent(&pair, Counter::TxRetransmissions), 1);
        assert_eq!(sent(&pair, Counter::TxTimeoutProbes), 0);
    }
}

#[test]
fn a_loss_at_the_tail_is_found_by_a_probe_within_a_round_trip() {
    let pair = run(with(vec![lost(Opcode::Write, 0).nth(0)]), 256);
    assert_eq!(
        sent(&pair, Counter::TxTailProbes),
        2,
        "after each data packet"
    );
    assert_eq!(sent(&pair, Counter::TxTimeoutProbes), 0);
    assert!(pair.now < 4 * ROUND_TRIP, "{}", pair.now);
}

#[test]
fn a_lost_retransmission_costs_one_more_round_trip_not_a_time_out() {
    let rule = lost(Opcode::Write, 0).psn(Psn::truncate(0));
    let rules = vec![rule.clone().nth(0), rule.nth(1)];
    let pair = run(with(rules), 256 * 200);
    assert_eq!(sent(&pair, Counter::TxRetransmissions), 2);
    assert_eq!(sent(&pair, Counter::TxTimeoutProbes), 0);
}

#[test]
fn a_second_tail_probe_saves_the_time_out_when_the_first_is_lost() {
    let ends = [0, 1].map(|extra_tail_probes| {
        let rules = vec![lost(Opcode::Write, 0).nth(0), lost(Opcode::Probe, 0).nth(0)];
        let mut setup = with(rules);
        setup.options.extra_tail_probes = extra_tail_probes;
        let pair = run(setup, 256);
        (pair.now, sent(&pair, Counter::TxTimeoutProbes))
    });
    assert_eq!((ends[0].1, ends[1].1), (1, 0));
    assert!(ends[0].0 > 2_000 && ends[1].0 < 4 * ROUND_TRIP, "{ends:?}");
}

#[test]
fn a_late_packet_raises_the_allowance_and_the_next_one_is_not_sent_again() {
    // On path 0 every fifth packet comes 60 ticks late: behind several of its successors.
    let late = |n| {
        let rule = Rule::new(Fault::Delay(60)).from(0).opcode(Opcode::Write);
        rule.path(0).nth(n)
    };
    let resent = [0, 16].map(|max_allowance| {
        let mut setup = with((0..40).map(|n| late(5 + 5 * n)).collect());
        setup.options.max_allowance = max_allowance;
        let pair = run_some(setup, 256 * 500, 4);
        (
            sent(&pair, Counter::TxRetransmissions),
            extra(&pair, Extra::NeedlessRetransmissions),
        )
    });
    assert!(resent[0].0 >= 20, "a gap is a loss: {resent:?}");
    assert!(2 * resent[1].0 < resent[0].0, "{resent:?}");
}

#[test]
fn an_allowance_ends_at_the_tail_too() {
    let mut setup = with(vec![
        Rule::new(Fault::Delay(30)).from(0).path(0).nth(5),
        lost(Opcode::Write, 0).nth(24),
    ]);
    setup.options.max_allowance = 16;
    let pair = run(setup, 256 * 200);
    assert_eq!(
        sent(&pair, Counter::TxTimeoutProbes),
        0,
        "enough tail probes"
    );
}

#[test]
fn an_idle_copy_mends_a_tail_without_a_round_trip() {
    // The first message loses a packet, so the second may be copied; its only packet is lost as well.
    let ends = [false, true].map(|idle_copies| {
        let mut setup = with(vec![
            lost(Opcode::Write, 0).nth(2),
            Rule::new(Fault::Drop)
                .from(0)
                .opcode(Opcode::Write)
                .when(5_000..5_200)
                .nth(0),
        ]);
        setup.options.idle_copies = idle_copies;
        let mut pair = run(setup, 256 * 100);
        assert!(pair.now < 5_000);
        while pair.now < 5_000 {
            pair.step();
        }
        let start = pair.now;
        pair.hosts[0].endpoint.post(write(1, 256));
        pair.run(2, 100_000);
        (pair.now - start, extra(&pair, Extra::TxCopies) > 0)
    });
    assert_eq!((ends[0].1, ends[1].1), (false, true));
    assert!(ends[1].0 < ends[0].0 - ROUND_TRIP / 2, "{ends:?}");
}

#[test]
fn no_copies_without_losses_and_none_under_marks() {
    for (rules, what) in [
        (vec![], "no loss"),
        (
            vec![
                lost(Opcode::Write, 0).nth(2),
                Rule::new(Fault::Mark).from(0),
            ],
            "marks",
        ),
    ] {
        let mut setup = with(rules);
        setup.options.idle_copies = true;
        let mut pair = run(setup, 256 * 100);
        let before = extra(&pair, Extra::TxCopies);
        pair.hosts[0]
            .endpoint
            .post(write(1, 256 * u32::from(PATHS as u16)));
        pair.run(2, 1_000_000);
        assert_eq!(extra(&pair, Extra::TxCopies) - before, 0, "{what}");
    }
}
