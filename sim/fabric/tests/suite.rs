//! The suite's rows: in the short form the quick groups, with `METAROCE_LONG=1` every one.
use metaroce_fabric::suite::{Group, measure};

/// Rows known to fall short (docs/fabric-results.md says by how much); a row that joins or leaves them is news.
const SHORT: &[&str] = &[
    "asymmetry_2x64mb_us",
    "long_rtt_256mb_copies_loss_1pct_share",
];

fn groups() -> &'static [Group] {
    if std::env::var_os("METAROCE_LONG").is_some() {
        &Group::ALL
    } else {
        &[Group::Loss, Group::Incast]
    }
}

#[test]
fn every_row_meets_its_goal_but_those_known() {
    let report = measure(groups(), &mut |_, _| true).expect("nothing stops it");
    assert!(report.rows.len() >= 13);
    for row in report.rows {
        assert_eq!(row.met, !SHORT.contains(&row.key.as_str()), "{row:?}");
    }
}

#[test]
fn who_watches_can_stop_it() {
    assert!(measure(&Group::ALL, &mut |_, _| false).is_err());
}
