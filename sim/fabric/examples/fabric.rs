//! Runs scenarios over seeds and prints a line for each, without building the whole command:
//! `cargo run --release -p metaroce-fabric --example fabric -- SEEDS FILE-OR-SUITE...`.
//! With `EACH` in the environment also a line for each seed.
use std::path::Path;

use metaroce_fabric::scenario::Scenario;
use metaroce_fabric::simulation::Simulation;
use metaroce_fabric::suite::{Group, measure};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seeds: u64 = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1);
    for file in arguments {
        if let Some(group) = Group::ALL.into_iter().find(|g| g.name() == file) {
            let report = measure(&[group], &mut |_| true).expect("nothing stops it");
            for row in report.rows {
                let value = row.value.unwrap_or(f64::NAN);
                println!(
                    "{:?} {:42} {value:.5} goal {:?} ({:.5} to {:.5}, {} seeds)",
                    row.met, row.key, row.goal, row.min, row.max, row.seeds
                );
            }
            continue;
        }
        let scenario = match Scenario::read(Path::new(&file)) {
            Ok(scenario) => scenario,
            Err(error) => return eprintln!("{error}"),
        };
        let began = std::time::Instant::now();
        let runs: Vec<_> = (1..=seeds)
            .map(|seed| Simulation::new(&scenario, seed).run(|_| true))
            .collect();
        let mean = |value: fn(&metaroce_fabric::outcome::Summary) -> f64| {
            runs.iter().map(value).sum::<f64>() / seeds as f64
        };
        println!(
            "{file}: makespan {:.2} us of {:.2}, share {:.4}, first {:.1}, again {:.1}, spurious {:.1}, copies {:.1}, time-outs {:.1}, dropped {:.1}, marks {:.1}, queue {:.1}, finished {:.2}, {:.2} s",
            mean(|s| s.makespan_us),
            runs[0].limit_us,
            mean(|s| s.goodput_share),
            mean(|s| s.fct_us.min),
            mean(|s| s.retransmissions as f64),
            mean(|s| s.spurious_retransmissions as f64),
            mean(|s| s.idle_copies as f64),
            mean(|s| s.timeouts as f64),
            mean(|s| s.dropped as f64),
            mean(|s| s.marks as f64),
            mean(|s| s.peak_queue_packets as f64),
            mean(|s| f64::from(s.finished)),
            began.elapsed().as_secs_f64()
        );
        if std::env::var_os("EACH").is_some() {
            runs.iter().for_each(|r| {
                println!(
                    "  {} {:.2} lost {} again {} copies {} timeouts {}",
                    r.seed, r.makespan_us, r.lost, r.retransmissions, r.idle_copies, r.timeouts
                )
            });
        }
        if seeds == 1 {
            let text = serde_json::to_string_pretty(&runs[0]).expect("a summary is plain data");
            println!("{text}");
        }
    }
}
