//! Path epochs and planes: entropy changes under load, last words, suspicion and recovery.
mod support;

use metaroce_model::counters::Extra;
use metaroce_model::nic::Health;
use metaroce_protocol::{Counter, Opcode, Wqe, WqeOpcode};
use support::fault::{Fault, Rule};
use support::{MEMORY, PATHS, PLANES, Pair, R_KEY, Setup};

const MESSAGE: u32 = 256 * 100;

fn write(number: u16) -> Wqe {
    Wqe {
        opcode: WqeOpcode::Write,
        message: number,
        r_key: R_KEY,
        length: MESSAGE,
        wr_id: number.into(),
        ..Wqe::default()
    }
}

fn with(rules: Vec<Rule>) -> Setup {
    Setup {
        rules,
        ..Setup::whole()
    }
}

/// A pair in the middle of `messages` messages.
fn under_load(setup: Setup, messages: u16, until: u64) -> Pair {
    let mut pair = Pair::with(setup);
    (0..messages).for_each(|n| pair.hosts[0].endpoint.post(write(n)));
    while pair.now < until {
        pair.step();
    }
    pair
}

fn finish(pair: &mut Pair, messages: usize) {
    pair.run(messages, 1_000_000);
    pair.settle();
    let [a, b] = &pair.hosts;
    let length = MESSAGE as usize;
    assert_eq!(a.memory[..length], b.memory[..length]);
    assert_eq!(b.received.len(), messages, "each once");
    assert!(b.memory[length..MEMORY].iter().all(|&byte| byte == 0));
}

fn extra(pair: &Pair, host: usize, counter: Extra) -> u32 {
    pair.hosts[host].endpoint.nic.extra().get(counter)
}

fn counter(pair: &Pair, host: usize, counter: Counter) -> u32 {
    pair.hosts[host].endpoint.nic.counters().get(counter)
}

#[test]
fn an_entropy_change_under_load_moves_what_is_missing_and_drops_what_is_late() {
    // Path 7 is slow at first: its packets arrive after the SYNC on path 0 has closed their epoch.
    let slow = Rule::new(Fault::Delay(400)).from(0).path(7);
    let mut pair = under_load(with(vec![slow.when(0..150)]), 6, 150);
    assert!(pair.hosts[0].endpoint.nic.reroute(7, 0xD00D));
    assert!(
        !pair.hosts[0].endpoint.nic.reroute(7, 0xD00D),
        "once at a time"
    );
    finish(&mut pair, 6);
    let moved = extra(&pair, 0, Extra::PacketsMoved);
    let late = counter(&pair, 1, Counter::RxClosedEpoch);
    assert!(moved > 0 && late == moved, "{moved} moved, {late} late");
    assert_eq!(counter(&pair, 0, Counter::TxRetransmissions), 0);
    assert_eq!(counter(&pair, 0, Counter::TxTimeoutProbes), 0);
}

#[test]
fn the_path_goes_on_with_its_new_entropy_and_epoch() {
    let mut pair = under_load(with(vec![]), 6, 150);
    assert!(pair.hosts[0].endpoint.nic.reroute(3, 0xD00D));
    let mut seen = Vec::new();
    while seen.len() < 10 {
        pair.step();
        let frame = pair
            .last_sent
            .filter(|f| f.frame.path == 3 && f.frame.body.is_data());
        seen.extend(frame.filter(|f| f.entropy == 0xD00D));
    }
    assert!(seen.iter().all(|frame| frame.frame.epoch == 4));
    finish(&mut pair, 6);
    assert_eq!(extra(&pair, 0, Extra::TxSyncs), 1);
}

#[test]
fn a_lost_sync_and_a_lost_answer_are_asked_for_again_and_the_last_word_stays() {
    let lost = |opcode| Rule::new(Fault::Drop).opcode(opcode).nth(0);
    let rules = vec![
        lost(Opcode::Sync),
        lost(Opcode::SyncAck),
        Rule::new(Fault::Drop).from(0).path(2).when(100..160),
    ];
    let mut pair = under_load(with(rules), 4, 150);
    assert!(pair.hosts[0].endpoint.nic.reroute(2, 0xD00D));
    finish(&mut pair, 4);
    assert_eq!(extra(&pair, 0, Extra::TxSyncs), 3);
    assert!(extra(&pair, 0, Extra::PacketsMoved) > 0);
}

#[test]
fn a_path_that_keeps_timing_out_takes_another_entropy() {
    let dead = Rule::new(Fault::Drop).from(0).entropy(0xC005);
    let dead = dead.when(200..u64::MAX);
    let mut setup = with(vec![dead]);
    setup.options.reroute_after = 2;
    let mut pair = under_load(setup, 4, 200);
    finish(&mut pair, 4);
    // Two time-outs, the second after twice as long, and a few round trips.
    assert!(pair.now < 200 + 3 * 2_000 + 2_000, "{}", pair.now);
    assert_eq!(extra(&pair, 0, Extra::EpochsEnded), 1);
}

#[test]
fn a_path_marked_far_more_than_its_siblings_takes_another_entropy() {
    let mut setup = with(vec![Rule::new(Fault::Mark).from(0).entropy(0xC005)]);
    setup.options.reroute_marked = 16;
    let mut pair = Pair::with(setup);
    (0..16).for_each(|n| pair.hosts[0].endpoint.post(write(n)));
    finish(&mut pair, 16);
    assert_eq!(extra(&pair, 0, Extra::PathsSteered), 1);
    assert_eq!(extra(&pair, 0, Extra::EpochsEnded), 1);
    let nic = &pair.hosts[0].endpoint.nic;
    let ports: Vec<u16> = (0..PATHS).filter_map(|path| nic.entropy(path)).collect();
    assert!(!ports.contains(&0xC005), "{ports:x?}");
}

#[test]
fn where_all_paths_are_marked_alike_none_is_changed() {
    let mut setup = with(vec![Rule::new(Fault::Mark).from(0)]);
    setup.options.reroute_marked = 16;
    let mut pair = Pair::with(setup);
    (0..16).for_each(|n| pair.hosts[0].endpoint.post(write(n)));
    finish(&mut pair, 16);
    assert_eq!(extra(&pair, 0, Extra::EpochsEnded), 0);
}

fn plane_failure(until: u64) -> Setup {
    let mut setup = with(vec![Rule::new(Fault::Drop).plane(1).when(2_000..until)]);
    setup.options.suspect_paths = 2;
    setup.options.recovery_probes = 4;
    setup.options.ramp_ticks = 400;
    setup
}

#[test]
fn a_failed_plane_is_suspected_and_the_others_carry_on() {
    let mut pair = Pair::with(plane_failure(u64::MAX));
    (0..200).for_each(|n| pair.hosts[0].endpoint.post(write(n)));
    pair.run(200, 200_000);
    let nic = &pair.hosts[0].endpoint.nic;
    assert!(matches!(nic.health(1), Health::Suspect { .. }));
    assert!(
        (0..PLANES)
            .filter(|&p| p != 1)
            .all(|p| nic.health(p) == Health::Up)
    );
    assert_eq!(extra(&pair, 0, Extra::PlanesSuspected), 1);
    assert_eq!(pair.hosts[1].received.len(), 200, "each once");
    // 20,000 packets in windows of 6 x 16 a round trip of some 230 ticks, and two time-outs.
    assert!(pair.now < 20_000 * 230 / 96 + 3 * 2_000 + 2_000);
}

#[test]
fn a_plane_that_answers_again_comes_back_with_a_ramp() {
    let mut pair = Pair::with(plane_failure(20_000));
    (0..600).for_each(|n| pair.hosts[0].endpoint.post(write(n)));
    let mut ramp = Vec::new();
    while pair.hosts[0].completions.len() < 600 {
        pair.step();
        let health = pair.hosts[0].endpoint.nic.health(1);
        if let Health::Recovering { .. } = health {
            let path = pair.hosts[0].endpoint.nic.send_path(1).unwrap();
            ramp.push(path.unresolved());
        }
        assert!(pair.now < 200_000);
    }
    let nic = &pair.hosts[0].endpoint.nic;
    assert_eq!(nic.health(1), Health::Up);
    assert_eq!(extra(&pair, 0, Extra::PlanesSuspected), 1);
    assert_eq!(extra(&pair, 0, Extra::PlanesRecovered), 1);
    assert!(
        ramp[..300].iter().all(|&n| n <= 2),
        "one packet and a probe at first"
    );
    assert!(ramp.iter().any(|&n| n >= 8), "and a window at the end");
    pair.settle();
    assert_eq!(pair.hosts[1].received.len(), 600, "each once");
}
