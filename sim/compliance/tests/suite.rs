//! The model passes every point; every mutant is caught by the point that is meant for it; every point catches something.
use std::collections::BTreeSet;

use metaroce_compliance::report::{Outcome, Report};
use metaroce_compliance::run::{run_mutant, run_point};
use metaroce_compliance::targets::model::ModelLab;
use metaroce_compliance::{document, mutants, points};

#[test]
fn the_model_passes_every_point() {
    let mut lab = ModelLab;
    let results = points::all()
        .into_iter()
        .map(|point| run_point(point, &mut lab))
        .collect();
    let report = Report::new("model", results, Vec::new());
    let bad: Vec<_> = (report.points.iter())
        .filter(|p| p.result != Outcome::Passed)
        .map(|p| {
            format!(
                "{} {:?}: {}",
                p.id,
                p.result,
                p.detail.as_deref().unwrap_or_default()
            )
        })
        .collect();
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn every_mutant_is_caught_by_its_point() {
    let points = points::all();
    let results: Vec<_> = mutants::all()
        .map(|mutant| run_mutant(mutant, &points, &mut ModelLab))
        .collect();
    let escaped: Vec<_> = (results.iter())
        .filter(|m| !m.caught)
        .map(|m| format!("{}: {} (failed: {:?})", m.name, m.wrong, m.also))
        .collect();
    assert!(escaped.is_empty(), "{}", escaped.join("\n"));
    let toothless: Vec<_> = (points.iter())
        .map(|p| p.id)
        .filter(|id| {
            !results
                .iter()
                .any(|m| m.by == Some(id) || m.also.contains(id))
        })
        .collect();
    assert!(
        toothless.is_empty(),
        "points that catch nothing: {toothless:?}"
    );
}

#[test]
fn identifiers_are_unique_and_rules_name_their_section() {
    let points = points::all();
    let ids: BTreeSet<_> = points.iter().map(|p| p.id).collect();
    assert_eq!(ids.len(), points.len());
    let names: BTreeSet<_> = mutants::all().map(|m| m.name).collect();
    assert_eq!(names.len(), mutants::all().count());
    assert!(points.iter().all(|p| p.rule.contains("(section")));
    assert!(mutants::all().all(|m| ids.contains(m.by)));
}

#[test]
fn the_document_lists_what_the_suite_has() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compliance.md");
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == document::text(),
        "docs/compliance.md differs: cargo run -p metaroce-compliance --bin document"
    );
}
