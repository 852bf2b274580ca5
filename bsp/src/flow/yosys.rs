//! Synthesis and its counts.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::error::{FlowError, at};
use crate::tool::{Run, Tool};
use crate::workshop::Workshop;

/// Far beyond the largest size's synthesis: a hanging tool, not a slow one.
const LIMIT: Duration = Duration::from_secs(3600);

/// Cells of the synthesised top, by kind.
pub(crate) type Cells = BTreeMap<String, u64>;

/// Synthesises `files` with this command (`synth_ice40 -top x -json y`); returns the top's cells.
pub(crate) fn synthesise(
    shop: &Workshop,
    files: &[&str],
    command: &str,
) -> Result<Cells, FlowError> {
    let script = format!("{command}; tee -q -o stat.json stat -json");
    let mut arguments: Vec<String> = ["-q", "-l", "yosys.txt", "-p", &script]
        .map(Into::into)
        .into();
    arguments.extend(files.iter().map(|file| file.to_string()));
    let run = Run {
        shop,
        tool: Tool::Yosys,
        arguments,
        name: "yosys",
        limit: LIMIT,
    };
    run.succeed(&["stat.json"])?;
    read(&shop.bench().join("stat.json"))
}

fn read(path: &Path) -> Result<Cells, FlowError> {
    let text = at("read", path, fs::read_to_string(path))?;
    parse(&text).map_err(|reason| FlowError::Report {
        path: path.into(),
        reason,
    })
}

fn parse(text: &str) -> Result<Cells, String> {
    // Older versions print a line of their own before the object.
    let text = text.find('{').map_or(text, |start| &text[start..]);
    let stat: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let design = &stat["design"];
    let kinds = design["num_cells_by_type"].as_object();
    let kinds = kinds.ok_or("no object `design.num_cells_by_type`")?;
    let mut cells = Cells::new();
    for (kind, count) in kinds {
        let count = count.as_u64().ok_or(format!("`{kind}` has no count"))?;
        cells.insert(kind.clone(), count);
    }
    Ok(cells)
}

/// The sum of these kinds.
pub(crate) fn sum(cells: &Cells, kinds: &[&str]) -> u64 {
    kinds.iter().filter_map(|kind| cells.get(*kind)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_come_from_the_whole_design() {
        let text = r#"
            {"creator": "Yosys", "modules": {"\\top": {"num_cells_by_type": {"LUT4": 1}}},
             "design": {"num_cells": 5, "num_cells_by_type": {"LUT4": 3, "CCU2C": 2}}}"#;
        let cells = parse(text).unwrap();
        assert_eq!(sum(&cells, &["LUT4", "CCU2C", "DP16KD"]), 5);
        assert!(parse("{\"design\": {").is_err());
    }
}
