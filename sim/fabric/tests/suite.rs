//! The suite's rows in the long form of the tests: `METAROCE_LONG=1`.
use metaroce_fabric::suite::{Group, measure};

/// Rows known to fall short (docs/fabric-results.md says by how much); a row that joins or leaves them is news.
const SHORT: &[&str] = &[
    "asymmetry_2x64mb_us",
    "long_rtt_256mb_copies_loss_1pct_share",
];

#[test]
fn every_row_meets_its_goal_but_those_known() {
    if std::env::var_os("METAROCE_LONG").is_none() {
        return eprintln!("skipped: METAROCE_LONG is not set");
    }
    let report = measure(&Group::ALL, &mut |_, _| true).expect("nothing stops it");
    let short: Vec<_> = report
        .rows
        .iter()
        .filter(|row| !row.met)
        .map(|row| &row.key)
        .collect();
    assert_eq!(short, SHORT);
}

#[test]
fn incast_rows_meet_their_goals() {
    let report = measure(&[Group::Incast], &mut |_, _| true).expect("nothing stops it");
    assert_eq!(report.rows.len(), 10);
    for row in report.rows {
        assert!(row.met, "{row:?}");
    }
}

#[test]
fn who_watches_can_stop_it() {
    assert!(measure(&Group::ALL, &mut |_, _| false).is_err());
}
