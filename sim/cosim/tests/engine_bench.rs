//! The engine bears an event a cycle in each direction at once.
use metaroce_cosim::engine_bench::{Load, Paths, Rates, bench_engine};
use metaroce_cosim::model::Sources;
use metaroce_model::config::Size;
use metaroce_rtl::sizes;

fn rates(paths: Paths, longest: u32, stalls: f64, cycles: u64) -> Rates {
    let size = sizes::Size::Small;
    let design = sizes::emit_engine(size).unwrap();
    let folder = tempfile::tempdir().unwrap();
    design.write_to(folder.path()).unwrap();
    let sources = Sources::from_folder(&design.top, folder.path()).unwrap();
    let load = Load {
        paths,
        longest,
        stalls,
        cycles,
        seed: 1,
    };
    let size = Size::from(&size.capabilities());
    let rates = bench_engine(&sources, size, load, |_| true);
    rates.unwrap().expect("nobody stopped it")
}

#[test]
fn an_event_a_cycle_in_every_direction_at_once_for_as_long_as_one_likes() {
    const CYCLES: u64 = 100_000;
    for paths in [Paths::Many, Paths::One] {
        let rates = rates(paths, 1024, 0.0, CYCLES);
        assert_eq!(rates.commits, [CYCLES; 3], "transmit, receive, acknowledge");
        assert_eq!(rates.irregular, 0);
        assert!(rates.answers > 0.0, "the loop is closed");
        assert!(
            rates.delivered_a_cycle > 0.98,
            "{}",
            rates.delivered_a_cycle
        );
    }
}

#[test]
fn sixteen_slots_of_shorter_messages_are_nearly_enough() {
    let rates = rates(Paths::Many, 64, 0.0, 20_000);
    assert_eq!(rates.irregular, 0);
    assert!(rates.transmit > 0.97, "{}", rates.transmit);
}

/// A source offers again with this share of the cycles; a data event waits for room in its plane besides, which is there with the same share.
#[test]
fn with_stalls_it_takes_what_it_is_given() {
    let stalls = 0.3;
    let offered = 1.0 - stalls;
    let rates = rates(Paths::Many, 1024, stalls, 10_000);
    assert_eq!(rates.irregular, 0);
    assert!(rates.acknowledge > 0.97 * offered, "{}", rates.acknowledge);
    let both = offered / (1.0 + stalls);
    assert!(rates.receive > 0.97 * both, "{}", rates.receive);
    // Four planes, and their choice: 0.838 measured.
    assert!(rates.transmit > 0.8, "{}", rates.transmit);
    assert!(rates.commits.iter().all(|&commits| commits < 10_000));
}
