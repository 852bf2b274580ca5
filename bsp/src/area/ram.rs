//! RAM bits of the NIC by block and by what they grow with, counted in the emitted Verilog.
use std::collections::{BTreeMap, HashMap};

use metaroce_emit::Design;
use metaroce_rtl::sizes::{Size, emit};
use serde::Serialize;

use crate::error::FlowError;

/// The sizes that are compared, the largest last.
pub const SIZES: [Size; 3] = [Size::Small, Size::Medium, Size::Large];

/// RAM bits of a block. Of the largest size; entries that hold an index are narrower in smaller ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RamRow {
    /// Its place in the NIC; all of an array are one block.
    pub block: String,
    /// Bits a path.
    pub path: u64,
    /// Bits a connection, in tables with an entry a connection.
    pub connection: u64,
    /// Bits a stream.
    pub stream: u64,
    /// Bits of all that grows with none of them, by size.
    pub other: [u64; 3],
}

/// RAM bits of the NIC.
#[derive(Clone, Debug, Serialize)]
pub struct RamReport {
    /// The sizes, in the order of every array.
    pub sizes: [&'static str; 3],
    /// Paths of each.
    pub paths: [u64; 3],
    /// Connections of each.
    pub connections: [u64; 3],
    /// Streams of each.
    pub streams: [u64; 3],
    /// All bits of each.
    pub bits: [u64; 3],
    /// By block.
    pub rows: Vec<RamRow>,
    /// Their sum.
    pub total: RamRow,
}

/// A memory of a design.
#[derive(Debug, PartialEq, Eq)]
struct Memory {
    path: String,
    words_log2: u32,
    width: u64,
}

/// What a memory has entries of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Path,
    Connection,
    Stream,
    Other,
}

/// Counts the bits of every size.
pub fn ram_bits() -> Result<RamReport, FlowError> {
    let mut designs = Vec::new();
    for size in SIZES {
        designs.push(memories(&emit(size)?));
    }
    let log2 = SIZES.map(|size| {
        let c = size.capabilities();
        let of = |log2: u8| u32::from(c.connections_log2 + log2);
        [of(c.paths_log2), of(0), of(c.streams_log2)]
    });
    let counts = |kind: usize| log2.map(|log2| 1u64 << log2[kind]);
    let mut rows: BTreeMap<String, RamRow> = BTreeMap::new();
    let mut total = RamRow {
        block: "all".into(),
        ..RamRow::default()
    };
    for (i, largest) in designs[2].iter().enumerate() {
        let all = [&designs[0][i], &designs[1][i], largest];
        assert!(
            all.iter().all(|memory| memory.path == largest.path),
            "sizes differ in widths alone"
        );
        let (of, entries_log2) = kind(all.map(|memory| memory.words_log2), log2);
        let bits = largest.width << entries_log2;
        let row = rows.entry(block(&largest.path)).or_default();
        for row in [row, &mut total] {
            match of {
                Of::Path => row.path += bits,
                Of::Connection => row.connection += bits,
                Of::Stream => row.stream += bits,
                Of::Other => {
                    for (sum, memory) in row.other.iter_mut().zip(all) {
                        *sum += memory.width << memory.words_log2;
                    }
                }
            }
        }
    }
    let sum = |size: usize| -> u64 {
        let bits = designs[size].iter().map(|m| m.width << m.words_log2);
        bits.sum()
    };
    let named = |(block, row)| RamRow { block, ..row };
    Ok(RamReport {
        sizes: SIZES.map(Size::name),
        paths: counts(0),
        connections: counts(1),
        streams: counts(2),
        bits: [0, 1, 2].map(sum),
        rows: rows.into_iter().map(named).collect(),
        total,
    })
}

/// What a memory of so many words has entries of, and how many of an entry, log2.
fn kind(words_log2: [u32; 3], log2: [[u32; 3]; 3]) -> (Of, u32) {
    let kinds = [Of::Path, Of::Connection, Of::Stream];
    for (i, of) in kinds.into_iter().enumerate() {
        let entries = |size: usize| words_log2[size].checked_sub(log2[size][i]);
        if let Some(entries_log2) = entries(2)
            && entries(0) == entries(2)
            && entries(1) == entries(2)
        {
            return (of, entries_log2);
        }
    }
    (Of::Other, 0)
}

/// The block of a memory's path: three steps of the way, without the engine's own and without numbers of an array.
fn block(path: &str) -> String {
    let steps = path.strip_prefix("engine.").unwrap_or(path).split('.');
    let plain = |step: &str| {
        let digits = |c: char| c.is_ascii_digit();
        match step.trim_end_matches(digits).strip_suffix('_') {
            Some(array) if step.ends_with(digits) => array.to_string(),
            _ => step.to_string(),
        }
    };
    let steps: Vec<String> = steps.map(plain).collect();
    let depth = match steps.get(..2) {
        Some([side, engine]) if side == "transmit_side" && engine == "engine" => 3,
        _ => 2,
    };
    steps[..depth.min(steps.len() - 1)].join(".")
}

/// Every memory of a design, in the order of its hierarchy.
fn memories(design: &Design) -> Vec<Memory> {
    let modules: HashMap<&str, &str> = design
        .modules
        .iter()
        .map(|module| (module.name.as_str(), module.verilog.as_str()))
        .collect();
    let mut found = Vec::new();
    descend(&modules, &design.top, "", &mut found);
    found
}

fn descend(modules: &HashMap<&str, &str>, module: &str, path: &str, found: &mut Vec<Memory>) {
    for line in modules[module].lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["reg", range, "memory", depth] => found.push(Memory {
                path: path.into(),
                words_log2: bound(depth, "[0:", "];").ilog2() + 1,
                width: u64::from(bound(range, "[", ":0]")) + 1,
            }),
            ["reg", "memory", depth] => found.push(Memory {
                path: path.into(),
                words_log2: bound(depth, "[0:", "];").ilog2() + 1,
                width: 1,
            }),
            [child, instance, "("] if modules.contains_key(child) => {
                let name = instance.trim_start_matches("u_");
                let dot = if path.is_empty() { "" } else { "." };
                descend(modules, child, &format!("{path}{dot}{name}"), found);
            }
            _ => {}
        }
    }
}

/// The number in a range of the emitted text.
fn bound(range: &str, before: &str, after: &str) -> u32 {
    let number = range
        .strip_prefix(before)
        .and_then(|rest| rest.strip_suffix(after));
    let number = number.and_then(|number| number.parse().ok());
    number.expect("the emitter writes ranges of numbers")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ram_of_paths_connections_and_streams_grows_with_their_number_alone() {
        let report = ram_bits().unwrap();
        for (i, bits) in report.bits.into_iter().enumerate() {
            let RamRow {
                path,
                connection,
                stream,
                other,
                ..
            } = report.total;
            let linear = path * report.paths[i]
                + connection * report.connections[i]
                + stream * report.streams[i]
                + other[i];
            // Entries that hold an index are narrower in smaller sizes, by 8 bits at most.
            let narrower = linear - bits;
            assert!(narrower * 10 < bits, "{}: {narrower}", report.sizes[i]);
        }
        let [.., large] = report.total.other;
        assert!(large * 10 < report.bits[2], "{large} bits grow with none");
        let sums = report.rows.iter().map(|row| row.path).sum::<u64>();
        assert_eq!(sums, report.total.path);
    }

    #[test]
    fn memories_are_counted_once_an_instance() {
        let all = memories(&emit(Size::Tiny).unwrap());
        let rings = all.iter().filter(|m| m.path.ends_with("resolver.ring"));
        let rings: Vec<_> = rings.collect();
        // 8 paths of 256 transmissions: 10 bits of PSN, 5 of the slot, a probe.
        assert_eq!(rings.len(), 1);
        assert_eq!((rings[0].words_log2, rings[0].width), (11, 16));
    }
}
