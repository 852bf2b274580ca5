//! The verilated NIC keeps every rule of profile `Reads` and of the law `Aimd`, and the same suite catches it where it does not.
use metaroce_compliance::report::Outcome;
use metaroce_compliance::run::{run_mutant, run_point};
use metaroce_compliance::targets::cosim::CosimLab;
use metaroce_compliance::{mutants, points};

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
        // Of congestion it has the law Aimd, C01 to C04.
        let lacks =
            matches!(&point.id[..1], "F" | "E" | "D") || matches!(point.id, "C05" | "C06" | "C07");
        match result.result {
            Outcome::Passed => {}
            Outcome::Skipped if lacks => {}
            _ => failed.push(format!("{}: {detail}", point.id)),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Registers and frames by default; faults in the Verilog, of which each is a NIC to build, with METAROCE_LONG=1.
#[test]
fn every_mutant_of_the_verilated_nic_is_caught_by_its_point() {
    let long = std::env::var_os("METAROCE_LONG").is_some_and(|v| v == "1");
    let mut lab = CosimLab::new().unwrap_or_else(|error| panic!("{error}"));
    let points = points::all();
    let (mut escaped, mut caught, mut planted) = (Vec::new(), 0, 0);
    for mutant in mutants::all().filter(|m| long || !CosimLab::is_planted(m)) {
        let meant: Vec<_> = points
            .iter()
            .copied()
            .filter(|p| p.id == mutant.by)
            .collect();
        let result = run_mutant(mutant, &meant, &mut lab);
        let detail = result.detail.as_deref().unwrap_or_default();
        println!(
            "{} {} {} {detail}",
            mutant.by,
            mutant.name,
            if result.skipped { "skipped" } else { "" }
        );
        caught += usize::from(result.caught);
        planted += usize::from(CosimLab::is_planted(mutant) && result.caught);
        if result.escaped() {
            escaped.push(format!("{}: {}", mutant.name, mutant.wrong));
        }
    }
    assert!(escaped.is_empty(), "{}", escaped.join("\n"));
    let plants = mutants::all().filter(|m| CosimLab::is_planted(m)).count();
    assert_eq!(planted, if long { plants } else { 0 });
    assert_eq!(caught - planted, 52, "by registers and frames");
}
