//! A whole NIC takes Writes, Sends and immediates from the model over bad planes, in lockstep: what each completion tells of is in
//! memory before it, whatever waits.
//!
//! METAROCE_LONG=1: ten times the messages.
mod bench;
mod peer;

use bench::{Bench, LONGEST, Load};
use metaroce_cosim::bus::Pace;
use metaroce_cosim::lab::NicLab;
use metaroce_cosim::planes::Faults;
use metaroce_protocol::{Counter, WqeOpcode};
use metaroce_rtl::sizes::Size as Built;

fn messages(short: u64) -> u64 {
    match std::env::var_os("METAROCE_LONG") {
        Some(_) => 10 * short,
        None => short,
    }
}

fn rough(seed: u64) -> Load {
    Load {
        seed,
        faults: Faults {
            loss: 0.01,
            duplicate: 0.02,
            corrupt: 0.005,
            mark: 0.05,
            path_spread: 60,
            jitter: 40,
            ..Faults::none(20)
        },
        pace: Pace::Random(0.1),
        mtu_log2: 8,
        rq_log2: 3,
        cq_log2: 3,
        takes: 4_000,
        idles: 0,
        posts: 0.3,
        messages: messages(300),
    }
}

fn lab() -> NicLab {
    NicLab::new(Built::Small).expect("Verilog")
}

fn report(bench: &Bench) {
    println!(
        "{:?}\n  {} told in {} cycles, {} RQEs",
        bench.load,
        bench.told,
        bench.cycles,
        bench.ring.posted()
    );
}

/// Loss, copies, damage and reordering; the receive queue's ring of 8 wraps many times; buffers come late.
#[test]
fn messages_of_all_verbs_arrive_over_bad_planes() {
    let mut bench = Bench::new(&lab(), rough(1));
    bench.run();
    report(&bench);
    assert!(bench.ring.posted() > 100 && bench.told > 100);
    for counter in [
        Counter::RxWrites,
        Counter::RxVerbs,
        Counter::RxNotReady,
        Counter::RxDuplicate,
        Counter::RxBadIcrc,
        Counter::TxRefusals,
    ] {
        assert!(bench.count(counter) > 0, "{}", counter.name());
    }
    assert_eq!(
        u64::from(bench.count(Counter::RxMessages)),
        bench.load.messages
    );
}

/// The completion queue of 8 is full for tens of thousands of cycles: Writes go on, and nothing is told twice or too early.
#[test]
fn a_completion_queue_that_is_full_for_long_holds_no_data() {
    let load = Load {
        takes: 2_000,
        idles: 30_000,
        rq_log2: 6,
        posts: 1.0,
        messages: messages(150),
        ..rough(2)
    };
    let mut bench = Bench::new(&lab(), load);
    bench.run();
    report(&bench);
}

/// Buses that go on in one cycle of two, three or five, and every length around the MTU and 4 KiB.
#[test]
fn stalls_and_lengths_lose_nothing() {
    let lab = lab();
    for (seed, (mtu_log2, pace)) in (3..).zip([
        (8, Pace::OneIn(2)),
        (10, Pace::OneIn(5)),
        (12, Pace::Random(0.5)),
        (12, Pace::Full),
    ]) {
        let load = Load {
            mtu_log2,
            pace,
            messages: messages(80),
            ..rough(seed)
        };
        let mut bench = Bench::new(&lab, load);
        bench.run();
        report(&bench);
    }
}

/// Writes with immediate while nobody posts: refused by name, again and again, and there once a buffer is posted; none of no bytes is lost.
#[test]
fn a_write_with_immediate_waits_for_its_buffer() {
    let load = Load {
        faults: Faults::none(20),
        posts: 0.0,
        messages: 0,
        ..rough(9)
    };
    let mut bench = Bench::new(&lab(), load);
    for length in [0, 1, 700, 0] {
        bench.send(WqeOpcode::WriteImm, 5, length);
    }
    (0..30_000).for_each(|_| bench.cycle());
    bench.take();
    assert_eq!(bench.told, 0);
    let refused = bench.count(Counter::RxNotReady);
    assert!(refused > 4, "{refused} refused");
    for told in 1..=4 {
        assert!(bench.post(5, LONGEST));
        (0..30_000).for_each(|_| bench.cycle());
        bench.take();
        assert_eq!(bench.told, told);
    }
    bench.finish();
}

/// Connections are set up anew with all buffers posted that the NIC holds: their places are free again, or nothing could be posted after.
#[test]
fn buffers_of_a_connection_that_begins_again_hold_no_place() {
    let load = Load {
        faults: Faults::none(20),
        rq_log2: 9,
        messages: 60,
        ..rough(10)
    };
    let mut bench = Bench::new(&lab(), load);
    let streams = bench.size.connections as usize * usize::from(bench.size.trackers.streams);
    for life in 2..5 {
        for number in 0..streams {
            for _ in 0..bench.size.trackers.receives {
                assert!(bench.post(number, LONGEST));
            }
        }
        bench.finish();
        (0..bench.size.connections).for_each(|connection| bench.connect(connection, life));
        bench.finish();
    }
    bench.run();
    report(&bench);
}
