//! Two whole NICs over bad planes, in lockstep with the model, with random traffic.
//!
//! 100,000 packets; METAROCE_LONG=1: ten million, and medium NICs. `metaroce cosim --packets N` runs as many as one likes.
mod flips;
mod latency;
mod patience;
mod planted;
mod windows;

use std::time::Instant;

use metaroce_cosim::bus::Pace;
use metaroce_cosim::lab::NicLab;
use metaroce_cosim::planes::Faults;
use metaroce_cosim::traffic::{Lengths, Setting, Traffic};
use metaroce_model::config::Tunables;
use metaroce_protocol::Counter;
use metaroce_rtl::sizes::Size as Built;

/// Times as many packets in the long form.
const LONG: u64 = 100;

fn is_long() -> bool {
    std::env::var_os("METAROCE_LONG").is_some()
}

fn packets(short: u64) -> u64 {
    if is_long() { LONG * short } else { short }
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
    let traffic = run(&lab, setting, total);
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
    rough(Built::Small, packets(90_000));
}

#[test]
fn rough_traffic_of_tiny_nics_agrees_with_the_model() {
    rough(Built::Tiny, packets(10_000));
}

#[test]
fn rough_traffic_of_wide_nics_agrees_with_the_model() {
    rough(Built::Wide, packets(4_000));
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

#[test]
fn buses_that_go_on_in_one_cycle_of_two_three_or_five_lose_nothing() {
    for (built, packets) in [(Built::Small, 600), (Built::Tiny, 150)] {
        let lab = NicLab::new(built).expect("Verilog");
        for period in [2, 3, 5] {
            let setting = Setting {
                pace: Pace::OneIn(period),
                ..Setting::rough(period as u64, lab.size())
            };
            run(&lab, setting, packets);
        }
    }
}

/// Lengths around each multiple of 4 KiB, at the largest MTU and at the smallest, from and to all places in a page.
#[test]
fn lengths_around_multiples_of_the_mtu_and_of_4_kib_arrive() {
    let lab = NicLab::new(Built::Small).expect("Verilog");
    for mtu_log2 in [8, 10, 12] {
        let rough = Setting::rough(mtu_log2.into(), lab.size());
        let setting = Setting {
            lengths: Lengths::mixed(1 << mtu_log2),
            tunables: Tunables {
                mtu_log2,
                ..rough.tunables
            },
            ..rough
        };
        run(&lab, setting, 600);
    }
}

#[test]
fn messages_of_no_bytes_arrive_and_complete() {
    let lab = NicLab::new(Built::Tiny).expect("Verilog");
    let setting = Setting {
        lengths: Lengths::none(),
        ..Setting::rough(3, lab.size())
    };
    let traffic = run(&lab, setting, 400);
    assert_eq!(traffic.count(Counter::RxWriteBytes), 0);
}

/// The message numbers of every stream, the rings' indices by 16 entries, PSN, TSN and the clock all pass their wrap:
/// twice 16 messages are needed for the first, 256 packets a path for PSN.
#[test]
fn every_number_that_wraps_has_wrapped() {
    for built in [Built::Small, Built::Tiny] {
        let lab = NicLab::new(built).expect("Verilog");
        let setting = Setting {
            connections: 1,
            faults: Faults {
                loss: 0.01,
                ..Faults::none(20)
            },
            pace: Pace::Full,
            lengths: Lengths::mostly_short(256),
            ..Setting::rough(5, lab.size())
        };
        let start = setting.start_time;
        let paths = u64::from(lab.size().paths);
        let traffic = run(&lab, setting, 2 * 320 * paths);
        let nic = traffic.bed.stations[0].lockstep().nic();
        let first = (lab.size().connections - 1) * lab.size().paths;
        // New packets take a plane's paths in rounds, the lowest number first.
        for path in first..first + lab.size().planes {
            let send = nic.send_path(path).expect("a path");
            assert!(send.next_psn.get() < 0x80_0000 && send.next_tsn.get() < 0x80_0000);
        }
        assert!(traffic.completed() > 2 * 3 * 16);
        assert!(u64::from(start) + traffic.bed.cycle() > 1 << 32);
    }
}

/// Every ACK comes twice, so each asks for the same holes again; every packet comes twice too.
#[test]
fn every_frame_twice_sends_nothing_again_without_need() {
    for (built, packets) in [(Built::Small, 2_000), (Built::Tiny, 300)] {
        let lab = NicLab::new(built).expect("Verilog");
        let faults = Faults {
            duplicate: 1.0,
            loss: 0.02,
            ..Faults::none(20)
        };
        let setting = Setting {
            faults,
            ..Setting::rough(7, lab.size())
        };
        let traffic = run(&lab, setting, packets);
        assert!(traffic.bed.retransmissions.all > 0);
        assert_eq!(traffic.bed.retransmissions.spurious, 0);
    }
}

/// Connections end and begin again under their numbers while copies of their old packets and ACKs are still under way: none is taken for new.
#[test]
fn frames_of_an_earlier_life_of_a_connection_change_nothing() {
    for (built, packets) in [(Built::Small, 1_500), (Built::Tiny, 200)] {
        let lab = NicLab::new(built).expect("Verilog");
        let rough = Setting::rough(13, lab.size());
        let setting = Setting {
            faults: Faults {
                late: 0.3,
                ..rough.faults
            },
            ..rough
        };
        let mut traffic = Traffic::new(&lab, setting).expect("traffic");
        for life in 1..=4 {
            while traffic.bed.packets < life * packets {
                traffic.run(200).unwrap_or_else(|error| panic!("{error}"));
            }
            let old = traffic.count(Counter::RxClosedEpoch);
            traffic.remake().unwrap_or_else(|error| panic!("{error}"));
            traffic
                .run(20_000)
                .unwrap_or_else(|error| panic!("{error}"));
            let old = traffic.count(Counter::RxClosedEpoch) - old;
            println!("{} life {life}: {old} old frames", built.name());
            assert!(old > 20, "{old} frames of life {life} were under way");
        }
        traffic.finish().unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Windows are full, and frames of a path overtake each other by thousands of cycles: many packets are sent again without need.
#[test]
fn frames_of_a_path_that_overtake_each_other_agree_with_the_model() {
    let lab = NicLab::new(Built::Small).expect("Verilog");
    let rough = Setting::rough(17, lab.size());
    let setting = Setting {
        faults: Faults {
            jitter: 6_000,
            ..Faults::none(20)
        },
        pace: Pace::Full,
        lengths: Lengths::long(256),
        connections: 1,
        tunables: Tunables {
            window: 239,
            rto: 40_000,
            ..rough.tunables
        },
        ..rough
    };
    let traffic = run(&lab, setting, 8_000);
    assert!(traffic.bed.retransmissions.spurious > 0);
}

/// Long: a NIC of 64 connections takes minutes to build.
#[test]
fn rough_traffic_of_medium_nics_agrees_with_the_model() {
    if is_long() {
        rough(Built::Medium, 20_000);
    }
}
