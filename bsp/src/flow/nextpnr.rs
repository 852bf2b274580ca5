//! What nextpnr reports.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::error::{FlowError, at};

/// One placed and routed design.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Report {
    /// Clock reached and clock needed, MHz, of the slowest clock (the least reached a needed).
    pub clock: Option<(f64, f64)>,
    /// Used and available, by kind of cell.
    pub used: BTreeMap<String, (u64, u64)>,
}

impl Report {
    /// Reads the file of `nextpnr --report`.
    pub fn read(path: &Path) -> Result<Self, FlowError> {
        let text = at("read", path, fs::read_to_string(path))?;
        parse(&text).map_err(|reason| FlowError::Report {
            path: path.into(),
            reason,
        })
    }
}

fn parse(text: &str) -> Result<Report, String> {
    let report: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let object = |name: &str| {
        report[name]
            .as_object()
            .ok_or(format!("no object `{name}`"))
    };
    let mut clocks = Vec::new();
    for (name, clock) in object("fmax")? {
        let number = |key: &str| {
            clock[key]
                .as_f64()
                .ok_or(format!("clock `{name}` has no `{key}`"))
        };
        clocks.push((number("achieved")?, number("constraint")?));
    }
    clocks.sort_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
    let mut used = BTreeMap::new();
    for (kind, cells) in object("utilization")? {
        let number = |key: &str| {
            cells[key]
                .as_u64()
                .ok_or(format!("cell `{kind}` has no `{key}`"))
        };
        used.insert(kind.clone(), (number("used")?, number("available")?));
    }
    Ok(Report {
        clock: clocks.first().copied(),
        used,
    })
}

/// Kinds of which the design needs more than there are: `nextpnr` says so in its log when it gives up.
pub(crate) fn overfull(log: &str) -> Vec<(String, u64, u64)> {
    let lines = log.lines().filter_map(utilisation);
    // It prints the table before it places; a later table would be the same.
    let mut found: Vec<(String, u64, u64)> = Vec::new();
    for (kind, used, available) in lines {
        if used > available && !found.iter().any(|(known, ..)| *known == kind) {
            found.push((kind, used, available));
        }
    }
    found
}

/// `Info:  ICESTORM_LC:  9412/ 7680   122%`
fn utilisation(line: &str) -> Option<(String, u64, u64)> {
    let (kind, rest) = line.strip_prefix("Info:")?.trim().split_once(':')?;
    let (used, rest) = rest.split_once('/')?;
    let (available, percent) = rest.trim().split_once(char::is_whitespace)?;
    percent.trim().strip_suffix('%')?;
    Some((
        kind.into(),
        used.trim().parse().ok()?,
        available.parse().ok()?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slowest_clock_is_the_one_furthest_behind_its_need() {
        let text = r#"{"fmax": {"a": {"achieved": 90.0, "constraint": 50.0}, "b": {"achieved": 100.0, "constraint": 100.0}},
            "utilization": {"ICESTORM_LC": {"used": 10, "available": 7680}}}"#;
        let report = parse(text).unwrap();
        assert_eq!(report.clock, Some((100.0, 100.0)));
        assert_eq!(report.used["ICESTORM_LC"], (10, 7680));
    }

    #[test]
    fn a_cut_report_is_an_error() {
        assert!(parse(r#"{"fmax": {"a": {"achieved": 90.0,"#).is_err());
        assert!(
            parse(r#"{"fmax": {}}"#)
                .unwrap_err()
                .contains("utilization")
        );
    }

    #[test]
    fn cells_beyond_the_device_are_found_in_the_log() {
        let log = "Info: Device utilisation:\nInfo: \t         ICESTORM_LC:  9412/ 7680   122%\nInfo: \t        ICESTORM_RAM:    11/   32    34%\n";
        assert_eq!(overfull(log), [("ICESTORM_LC".to_string(), 9412, 7680)]);
    }
}
