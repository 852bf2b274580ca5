//! The verilated NIC keeps every rule of profile `Write`.
use metaroce_compliance::points;
use metaroce_compliance::report::Outcome;
use metaroce_compliance::run::run_point;
use metaroce_compliance::targets::cosim::CosimLab;

#[test]
fn the_verilated_nic_keeps_every_rule_of_its_profile() {
    let mut lab = CosimLab::new().unwrap_or_else(|error| panic!("{error}"));
    let mut failed = Vec::new();
    for point in points::all() {
        let began = std::time::Instant::now();
        let result = run_point(point, &mut lab);
        let detail = result.detail.unwrap_or_default();
        println!(
            "{:?} {} {:?} {detail}",
            result.result,
            point.id,
            began.elapsed()
        );
        match (result.result, &point.id[..1]) {
            (Outcome::Passed, _) | (Outcome::Skipped, "C" | "V" | "Q" | "F" | "E" | "D") => {}
            _ => failed.push(format!("{}: {detail}", point.id)),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
