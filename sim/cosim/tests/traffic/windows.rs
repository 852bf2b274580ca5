//! Two whole NICs whose windows follow a law, over planes that mark, lose and overtake.
use metaroce_cosim::bus::Pace;
use metaroce_cosim::lab::NicLab;
use metaroce_cosim::planes::Faults;
use metaroce_cosim::traffic::{Lengths, Setting, Traffic};
use metaroce_model::config::{Congestion, Size, Tunables};
use metaroce_protocol::Counter;
use metaroce_rtl::sizes::Size as Built;

use crate::{packets, run};

fn setting(law: u32, mark: f64, seed: u64, size: Size) -> Setting {
    let rough = Setting::rough(seed, size);
    Setting {
        congestion: Congestion {
            law,
            // A packet a path, not a connection: windows move in a short run.
            increase: 4_096,
            rto_floor: 1_000,
            ..Congestion::default()
        },
        tunables: Tunables {
            window: 64,
            ..rough.tunables
        },
        faults: Faults {
            mark,
            ..rough.faults
        },
        ..rough
    }
}

/// Windows of the paths that A has sent on.
fn windows(traffic: &Traffic, size: Size) -> Vec<u32> {
    let nic = traffic.bed.stations[0].lockstep().nic();
    let paths = 0..size.connections * size.paths;
    paths.filter_map(|path| nic.path_window(path)).collect()
}

/// New packets of A.
fn sent(traffic: &Traffic) -> u32 {
    let counters = traffic.bed.stations[0].lockstep().nic().counters();
    counters.get(Counter::TxWrites) + counters.get(Counter::TxVerbs)
}

#[test]
fn both_laws_agree_with_the_model() {
    let lab = NicLab::new(Built::Small).expect("Verilog");
    for (law, seed) in [(1, 31), (2, 32)] {
        let setting = setting(law, 0.05, seed, lab.size());
        let traffic = run(&lab, setting, packets(4_000));
        let windows = windows(&traffic, lab.size());
        let (least, most) = (windows.iter().min(), windows.iter().max());
        println!("  law {law}: windows {least:?} to {most:?}");
        assert!(least < most, "windows move");
        assert!(traffic.count(Counter::TxRetransmissions) > 0);
        assert!(traffic.count(Counter::RxMarked) > 0);
    }
}

#[test]
fn marks_slow_a_nic_down_and_their_end_lets_it_recover() {
    let lab = NicLab::new(Built::Small).expect("Verilog");
    let faults = |mark| Faults {
        mark,
        ..Faults::none(200)
    };
    let mild = setting(1, 1.0, 33, lab.size());
    let setting = Setting {
        faults: faults(1.0),
        congestion: Congestion {
            decrease: 256,
            ..mild.congestion
        },
        // One connection and long messages: windows hold it back, nothing else.
        connections: 1,
        both_ways: false,
        lengths: Lengths::mixed(256),
        pace: Pace::Full,
        ..mild
    };
    let mut traffic = Traffic::new(&lab, setting).expect("traffic");
    let mut phase = |mark| {
        traffic.bed.set_faults(faults(mark));
        traffic.run(8_000).expect("lockstep");
        let before = sent(&traffic);
        traffic.run(20_000).expect("lockstep");
        let sent = sent(&traffic) - before;
        let windows = windows(&traffic, lab.size());
        let used = &windows[windows.len() - lab.size().paths as usize..];
        let mean = f64::from(used.iter().sum::<u32>()) / used.len() as f64;
        println!("  marked {mark}: {sent} packets, mean window {mean:.1}");
        (sent, mean)
    };
    let [marked, calm, again] = [1.0, 0.0, 1.0].map(&mut phase);
    assert!(marked.1 < 2.0 && again.1 < 2.0 && calm.1 > 6.0);
    // Reads hold message slots for a round trip more, whatever the window is.
    assert!(3 * marked.0 < 2 * calm.0 && 3 * again.0 < 2 * calm.0);
    traffic.finish().expect("lockstep");
}
