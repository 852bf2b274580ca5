//! Two whole NICs over bad planes, in lockstep with the model, with random traffic.
//!
//! METAROCE_LONG=1: ten times the packets. `metaroce cosim --packets N` runs as many as one likes.
use std::time::Instant;

use metaroce_cosim::bus::Pace;
use metaroce_cosim::lab::NicLab;
use metaroce_cosim::planes::Faults;
use metaroce_cosim::traffic::{Lengths, Setting, Traffic};
use metaroce_protocol::Counter;
use metaroce_rtl::sizes::Size as Built;

fn packets(short: u64) -> u64 {
    match std::env::var_os("METAROCE_LONG") {
        Some(_) => 10 * short,
        None => short,
    }
}

/// So many data packets and what belongs to them, with everything compared.
fn run(lab: &NicLab, setting: Setting, packets: u64) -> Traffic {
    println!("{}: {setting:?}", lab.built().name());
    let began = Instant::now();
    let mut traffic = Traffic::new(lab, setting).unwrap_or_else(|error| panic!("{error}"));
    while traffic.bed.packets < packets {
        traffic.run(1_000).unwrap_or_else(|error| panic!("{error}"));
    }
    traffic.finish().unwrap_or_else(|error| panic!("{error}"));
    let (seconds, cycles) = (began.elapsed().as_secs_f64(), traffic.bed.cycle());
    println!(
        "  {} packets, {} messages, {:?}, {cycles} cycles, {seconds:.1} s: {:.0} cycles/s of both NICs",
        traffic.bed.packets,
        traffic.completed(),
        traffic.bed.retransmissions,
        2.0 * cycles as f64 / seconds
    );
    traffic
}

fn rough(built: Built, total: u64) {
    let lab = NicLab::new(built).expect("Verilog");
    let setting = Setting::rough(11, lab.size());
    let traffic = run(&lab, setting, packets(total));
    assert!(traffic.bed.retransmissions.all > 0);
    for counter in [
        Counter::RxDuplicate,
        Counter::RxBadIcrc,
        Counter::RxMarked,
        Counter::TxTailProbes,
        Counter::TxRetransmissions,
    ] {
        assert!(traffic.count(counter) > 0, "{}", counter.name());
    }
}

#[test]
fn rough_traffic_of_small_nics_agrees_with_the_model() {
    rough(Built::Small, 80_000);
}

#[test]
fn rough_traffic_of_tiny_nics_agrees_with_the_model() {
    rough(Built::Tiny, 20_000);
}

#[test]
fn without_faults_nothing_is_sent_twice() {
    for built in [Built::Small, Built::Tiny] {
        let lab = NicLab::new(built).expect("Verilog");
        let setting = Setting {
            faults: Faults::none(20),
            pace: Pace::Full,
            lengths: Lengths::mixed(256),
            ..Setting::rough(1, lab.size())
        };
        let traffic = run(&lab, setting, 2_000);
        assert_eq!(traffic.bed.retransmissions.all, 0);
    }
}
