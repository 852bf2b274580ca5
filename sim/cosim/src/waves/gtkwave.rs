//! GTKWave's save file.

use std::fmt::Write as _;
use std::path::Path;

use super::read::Waves;
use crate::model::CYCLE_TIME;

/// Named markers of GTKWave (A to Z), of which none is set.
const NAMED_MARKERS: usize = 26;

/// GTKWave's flags of a trace: right-justified binary, for one bit.
const FLAGS_BIT: &str = "@28";
/// Right-justified hexadecimal.
const FLAGS_HEX: &str = "@22";

/// GTKWave shows `2^-zoom` time units in 200 pixels: some forty cycles in a window.
const ZOOM: f64 = -6.0;

/// Cycles left of the marker when the file is opened.
const CYCLES_SHOWN_BEFORE: u64 = 20;

/// The save file's text: the marker stands just before the cycle's rising edge, where
/// GTKWave shows the values that the edge samples.
pub(super) fn save_file(waves: &Waves, fst: &Path, signals: &[String], cycle: u64) -> String {
    // Beside the save file, so that both can be moved together.
    let dump = fst.file_name().unwrap_or_default().to_string_lossy();
    let marker = cycle * CYCLE_TIME + CYCLE_TIME / 2 - 1;
    let start = cycle.saturating_sub(CYCLES_SHOWN_BEFORE) * CYCLE_TIME;
    let mut text =
        format!("[*] cycle {cycle} is marked\n[dumpfile] \"{dump}\"\n[timestart] {start}\n");
    let _ = writeln!(text, "[size] 1500 900\n[sst_expanded] 1");
    let _ = writeln!(text, "*{ZOOM:.6} {marker}{}", " -1".repeat(NAMED_MARKERS));
    let mut scopes = std::collections::BTreeSet::new();
    let found = signals.iter().filter_map(|name| waves.find(name));
    let found: Vec<_> = waves.find("clock").into_iter().chain(found).collect();
    for (name, _) in &found {
        let ends = name
            .match_indices('.')
            .map(|(at, _)| name[..=at].to_string());
        scopes.extend(ends);
    }
    for scope in scopes {
        let _ = writeln!(text, "[treeopen] {scope}");
    }
    for (name, variable) in found {
        let range = waves.range(variable);
        let flags = if range.is_empty() {
            FLAGS_BIT
        } else {
            FLAGS_HEX
        };
        let _ = writeln!(text, "{flags}\n{name}{range}");
    }
    text
}
