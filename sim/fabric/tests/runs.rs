//! Batches of runs: threads, parts, and ends before their time.
use std::path::Path;

use metaroce_fabric::batch::{Batch, Study};
use metaroce_fabric::runs::run_all;
use metaroce_fabric::scenario::Scenario;
use metaroce_fabric::shard::Shard;
use metaroce_fabric::simulation::Simulation;
use metaroce_fabric::sweep::{Sweep, Variant, jobs};

const TEXT: &str = "name = 'x'\n[fabric]\ntopology = 'leaf-spine'\nleaves = 2\nhosts_per_leaf = 4\nspines = 2\n[[workload]]\nall-to-all = { size = '100kB' }\n[[loss]]\nrate = 0.5\n";

fn batch(shard: Shard, threads: usize) -> Batch {
    let fields = ["loss.0.rate=0,0.02", "seed=1..4"].map(|sweep| sweep.parse::<Sweep>().unwrap());
    let base = Variant::of(TEXT, Path::new("x.toml")).unwrap();
    let jobs = shard.of(jobs(&base, &fields).unwrap());
    let study = Study::Sweep {
        scenario: TEXT.into(),
        fields: fields.into(),
    };
    let runs = run_all(&jobs, threads, &mut |_| true).unwrap();
    Batch { study, shard, runs }
}

#[test]
fn neither_threads_nor_parts_change_a_result() {
    let whole = batch(Shard::WHOLE, 1);
    assert_eq!(whole.runs.len(), 8);
    assert_eq!(batch(Shard::WHOLE, 3), whole);
    let part = |index| {
        let shard = Shard { index, of: 3 };
        let text = batch(shard, 2).to_text().unwrap();
        (shard.to_string(), Batch::parse("part", &text).unwrap())
    };
    assert_eq!(Batch::merge((1..=3).map(part).collect()).unwrap(), whole);
}

#[test]
fn it_ends_where_who_watches_says_so() {
    let fields = ["seed=1..1000".parse::<Sweep>().unwrap()];
    let jobs = jobs(&Variant::of(TEXT, Path::new("x.toml")).unwrap(), &fields).unwrap();
    let mut asked = 0;
    let ended = run_all(&jobs, 2, &mut |_| {
        asked += 1;
        asked < 3
    });
    assert!(ended.is_err());
}

#[test]
fn set_up_can_be_stopped_between_any_two_hosts() {
    let scenario = Scenario::parse(TEXT, Path::new("x.toml")).unwrap();
    let mut asked = 0;
    let mut never = || {
        asked += 1;
        true
    };
    assert!(Simulation::set_up(&scenario, 1, &mut never).is_ok());
    assert!(asked > 8 + 8 * 7, "asked {asked} times");
    for last in 0..asked {
        let mut left = last;
        let mut some = || {
            left -= 1;
            left >= 0
        };
        assert!(Simulation::set_up(&scenario, 1, &mut some).is_err());
    }
}
