//! The receive side in Verilator against the plain reference, commit by commit.
mod bench;
#[path = "../engines/mod.rs"]
mod engines;
#[path = "../message_senders/mod.rs"]
mod message_senders;
mod messages;
mod reference;

use bench::{Bench, Load, PLANES, SPACE};
use engines::model;
use metaroce_cores::narrow::Narrowing;
use metaroce_cosim::model::VerilatedModel;
use metaroce_protocol::Profile;
use metaroce_rtl::receive_side::ReceiveSide;
use rand::Rng;
use reference::Event;

fn dut_256() -> VerilatedModel {
    model(
        ReceiveSide::<PLANES, 16, 1, 3, 2, 7, 4, 2, 2, 3, 4, 5>::new(
            2,
            Profile::Write,
            &Narrowing::none(),
        ),
        "receive_side_256",
    )
}

fn dut_32() -> VerilatedModel {
    model(
        ReceiveSide::<PLANES, 2, 1, 3, 2, 4, 4, 2, 2, 3, 4, 5>::new(
            2,
            Profile::Write,
            &Narrowing::none(),
        ),
        "receive_side_32",
    )
}

fn dut_messages() -> VerilatedModel {
    model(
        ReceiveSide::<PLANES, 16, 1, 3, 2, 7, 4, 2, 2, 3, 4, 5>::new(
            2,
            Profile::Messages,
            &Narrowing::none(),
        ),
        "receive_side_messages",
    )
}

const HARD: Load = Load {
    events: 0.7,
    stalls: 0.3,
    path: None,
    ack_every: 2,
    first_psn: 0xFF_FF00,
};

#[test]
fn events_with_stalls_agree_with_the_reference_window_256() {
    let mut bench = Bench::new(dut_256(), 256, HARD, 1);
    bench.run(20_000);
    assert!(bench.acks > 1_000 && bench.refusals > 100 && bench.duplicates > 1_000);
    let wrapped = bench
        .reference
        .paths
        .iter()
        .filter(|path| path.cum < SPACE / 2)
        .count();
    assert!(wrapped > 4, "most paths met the PSN's wrap");
}

#[test]
fn events_with_stalls_agree_with_the_reference_window_32() {
    let mut bench = Bench::new(dut_32(), 32, HARD, 2);
    bench.run(20_000);
    assert!(bench.acks > 1_000 && bench.refusals > 100);
}

#[test]
fn one_event_a_cycle_back_to_back_on_one_path() {
    for (seed, dut, window) in [(3, dut_256(), 256), (4, dut_32(), 32)] {
        let load = Load {
            events: 1.0,
            stalls: 0.0,
            path: Some(5),
            ..HARD
        };
        let mut bench = Bench::new(dut, window, load, seed);
        (0..5_000).for_each(|_| bench.cycle(true));
        // The door opens one cycle after `hold` falls; a commit is four cycles after its event entered.
        assert_eq!(bench.events, 5_000 - 5, "one event a cycle");
        bench.run(0);
    }
}

#[test]
fn acks_are_spread_by_ack_every_and_planes_share_the_builder() {
    for ack_every in [1, 7, 255] {
        let load = Load { ack_every, ..HARD };
        Bench::new(dut_256(), 256, load, 5).run(4_000);
    }
}

#[test]
fn refusals_that_find_no_room_are_dropped_and_counted() {
    let load = Load {
        events: 1.0,
        stalls: 0.9,
        ..HARD
    };
    let mut bench = Bench::new(dut_256(), 256, load, 6);
    // Answers leave slowly: the queue of four fills.
    for _ in 0..20_000 {
        bench.cycle(true);
        bench
            .busy
            .iter_mut()
            .for_each(|busy| *busy = (*busy * 2).min(60));
    }
    bench.run(0);
    assert!(bench.dropped_refusals > 0, "the queue was full");
}

#[test]
fn a_path_configured_anew_forgets_its_requests_and_answers_on_its_new_plane() {
    let mut bench = Bench::new(dut_256(), 256, HARD, 7);
    for _ in 0..200 {
        for _ in 0..bench.rng.random_range(0..150) {
            bench.cycle(true);
        }
        bench.renew_path();
    }
    bench.run(0);
    assert!(bench.acks > 1_000 && bench.refusals > 100);
}

#[test]
fn a_verdict_comes_after_4_cycles_and_the_ack_after_20() {
    let mut bench = Bench::new(dut_256(), 256, HARD, 8);
    let path = &bench.reference.paths[1];
    let event = Event {
        plane: path.plane,
        ack_request: true,
        dest_qp: 0xABC0,
        psn: path.cum,
        path: 1,
        epoch: path.epoch,
        tsn: path.max_tsn + 1,
        payload: 64,
        address: 0x1_0000,
        r_key: 0x100,
        ..Event::default()
    };
    bench.load.stalls = 0.0;
    (0..4).for_each(|_| bench.cycle(false));
    bench.waiting = Some(event);
    let (mut verdict, mut answer) = (None, None);
    for cycle in 0..40 {
        let (events, acks) = (bench.events, bench.built.is_some());
        bench.cycle(false);
        verdict = verdict.or((bench.events > events).then_some(cycle));
        answer = answer.or(acks.then_some(cycle));
    }
    assert_eq!((verdict, answer), (Some(4), Some(20)));
    assert_eq!(
        bench.reference.paths[1].cum,
        (event.psn + 1) % SPACE,
        "told by the ACK"
    );
}

#[test]
fn messages_with_stalls_and_lies_agree_with_the_reference() {
    let mut bench = Bench::new(dut_messages(), 256, HARD, 9);
    bench.speak_of_messages();
    let turns = if std::env::var_os("METAROCE_LONG").is_some() {
        100
    } else {
        16
    };
    for turn in 0..turns {
        (0..1_000).for_each(|_| bench.cycle(true));
        bench.renew_connection(turn % 2);
    }
    bench.run(0);
    let retired = bench.messages.as_ref().map_or(0, |m| m.retired);
    assert!(retired > 500, "{retired} messages ended");
    assert!(bench.acks > 1_000 && bench.refusals > 100 && bench.duplicates > 1_000);
}

#[test]
fn one_packet_of_a_message_a_cycle_while_others_end() {
    let load = Load {
        events: 1.0,
        stalls: 0.0,
        ..HARD
    };
    let mut bench = Bench::new(dut_messages(), 256, load, 10);
    bench.speak_of_messages();
    (0..10_000).for_each(|_| bench.cycle(true));
    assert!(bench.events > 7_000, "{} packets", bench.events);
}
