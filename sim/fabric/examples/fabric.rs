//! Runs scenarios and prints what they end in, without building the whole command: `cargo run --release -p metaroce-fabric
//! --example fabric -- FILE...`.
use std::path::Path;

use metaroce_fabric::scenario::Scenario;
use metaroce_fabric::simulation::Simulation;

fn main() {
    for file in std::env::args().skip(1) {
        let scenario = match Scenario::read(Path::new(&file)) {
            Ok(scenario) => scenario,
            Err(error) => return eprintln!("{error}"),
        };
        let began = std::time::Instant::now();
        let summary = Simulation::new(&scenario, scenario.seed).run(|_| true);
        let text = serde_json::to_string_pretty(&summary).expect("a summary is plain data");
        println!("{text}\n{:.2} s", began.elapsed().as_secs_f64());
    }
}
