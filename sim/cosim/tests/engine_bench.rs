//! The engine bears an event a cycle in each direction at once.
use metaroce_cosim::engine_bench::{Load, Paths, Rates, bench_engine};
use metaroce_cosim::model::Sources;
use metaroce_model::config::Size;
use metaroce_rtl::sizes;

fn rates(paths: Paths, stalls: f64, cycles: u64) -> Rates {
    let size = sizes::Size::Small;
    let design = sizes::emit_engine(size).unwrap();
    let folder = tempfile::tempdir().unwrap();
    design.write_to(folder.path()).unwrap();
    let sources = Sources::from_folder(&design.top, folder.path()).unwrap();
    let load = Load {
        paths,
        longest: 1024,
        stalls,
        cycles,
        seed: 1,
    };
    let size = Size::from(&size.capabilities());
    let rates = bench_engine(&sources, size, load, |_| true);
    rates.unwrap().expect("nobody stopped it")
}

#[test]
fn an_event_a_cycle_in_every_direction_at_once() {
    for paths in [Paths::Many, Paths::One] {
        let rates = rates(paths, 0.0, 10_000);
        assert_eq!(rates.commits, [10_000; 3], "transmit, receive, acknowledge");
        assert_eq!(rates.irregular, 0);
        assert!(
            rates.answers > 0.0 && rates.delivered > 5_000,
            "the loop is closed"
        );
    }
}

#[test]
fn with_stalls_it_takes_what_it_is_given() {
    let rates = rates(Paths::Many, 0.3, 3_000);
    assert_eq!(rates.irregular, 0);
    assert!(rates.commits.iter().all(|&commits| commits < 3_000));
}
