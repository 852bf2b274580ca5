//! Reads the cycles of interest back from an FST file.

use std::path::{Path, PathBuf};

use wellen::simple::Waveform;
use wellen::{SignalRef, Var};

use super::WavesError;
use crate::model::CYCLE_TIME;

/// Similar names that an error shows.
const SIMILAR_SHOWN: usize = 8;

/// What a signal holds in a cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// One bit.
    Bit(bool),
    /// Several bits, in hexadecimal without a prefix.
    Hex(String),
    /// Not recorded, or not of zeros and ones.
    Unknown,
}

/// One signal's values, a cycle each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Name as asked for, with the range of its bits.
    pub name: String,
    /// Width in bits.
    pub width: u32,
    /// The values, the first one of the window's first cycle.
    pub values: Vec<Value>,
}

/// Signals over some cycles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The first cycle.
    pub first: u64,
    /// Number of cycles.
    pub length: usize,
    /// The cycle of interest.
    pub cycle: u64,
    /// The signals, in the order asked for.
    pub rows: Vec<Row>,
}

/// These signals from `before` cycles before `cycle` to `after` cycles after it; a
/// name is the end of a hierarchical name.
pub fn read_window(
    fst: &Path,
    signals: &[String],
    cycle: u64,
    before: u64,
    after: u64,
) -> Result<Window, WavesError> {
    Waves::open(fst)?.window(signals, cycle, before, after)
}

/// An open wave file.
pub(super) struct Waves {
    path: PathBuf,
    waveform: Waveform,
    /// Hierarchical name and variable, the highest in the hierarchy first.
    variables: Vec<(String, Var)>,
}

impl Waves {
    pub(super) fn open(path: &Path) -> Result<Self, WavesError> {
        let failed = |reason: String| WavesError::Read {
            path: path.into(),
            reason,
        };
        let waveform = wellen::simple::read(path).map_err(|error| failed(error.to_string()))?;
        let hierarchy = waveform.hierarchy();
        let all = hierarchy.all_vars().map(|var| &hierarchy[var]);
        let mut variables: Vec<_> = all
            .map(|var| (var.full_name(hierarchy), var.clone()))
            .collect();
        variables.sort_by_key(|(name, _)| (name.matches('.').count(), name.clone()));
        Ok(Waves {
            path: path.into(),
            waveform,
            variables,
        })
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.variables
            .iter()
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// The highest variable whose hierarchical name ends like this.
    pub(super) fn find(&self, name: &str) -> Option<&(String, Var)> {
        let ends = |full: &str| {
            full.strip_suffix(name)
                .is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        self.variables.iter().find(|(full, _)| ends(full))
    }

    /// The range of a variable's bits, as `[7:0]`, or nothing for one bit.
    pub(super) fn range(&self, variable: &Var) -> String {
        let width = variable.length(self.waveform.hierarchy()).unwrap_or(1);
        match variable.index() {
            Some(index) if width > 1 => format!("[{}:{}]", index.msb(), index.lsb()),
            _ if width > 1 => format!("[{}:0]", width - 1),
            _ => String::new(),
        }
    }

    pub(super) fn window(
        mut self,
        signals: &[String],
        cycle: u64,
        before: u64,
        after: u64,
    ) -> Result<Window, WavesError> {
        let first = cycle.saturating_sub(before);
        let length = (cycle + after + 1 - first) as usize;
        let mut found = Vec::new();
        for name in signals {
            let (_, variable) = self.find(name).ok_or_else(|| self.unknown(name))?;
            let width = variable.length(self.waveform.hierarchy()).unwrap_or(1);
            found.push((
                format!("{name}{}", self.range(variable)),
                width,
                variable.signal_ref(),
            ));
        }
        let ids: Vec<SignalRef> = found.iter().map(|(.., id)| *id).collect();
        self.waveform.load_signals(&ids);
        let cycles = first..first + length as u64;
        let row = |(name, width, id)| {
            let values = cycles
                .clone()
                .map(|cycle| self.value(id, width, cycle))
                .collect();
            Row {
                name,
                width,
                values,
            }
        };
        let rows = found.into_iter().map(row).collect();
        Ok(Window {
            first,
            length,
            cycle,
            rows,
        })
    }

    /// What the rising edge of a cycle samples.
    fn value(&self, id: SignalRef, width: u32, cycle: u64) -> Value {
        let times = self.waveform.time_table();
        let settled = cycle * CYCLE_TIME;
        let index = times.partition_point(|time| *time <= settled);
        let recorded = times.last().is_some_and(|last| settled <= *last);
        let Some(index) = index.checked_sub(1).filter(|_| recorded) else {
            return Value::Unknown;
        };
        let signal = self.waveform.get_signal(id);
        let value = signal.and_then(|signal| {
            let offset = signal.get_offset(index as u32)?;
            signal
                .get_value_at(&offset, offset.elements - 1)
                .to_bit_string()
        });
        value.map_or(Value::Unknown, |bits| from_bits(&bits, width))
    }

    fn unknown(&self, name: &str) -> WavesError {
        let leaf = name.rsplit('.').next().unwrap_or(name);
        let stem: String = leaf.chars().take(3).collect();
        let resembles = |full: &&String| {
            full.rsplit('.')
                .next()
                .is_some_and(|last| last.contains(&stem))
        };
        let names = self.variables.iter().map(|(full, _)| full);
        let similar = names
            .filter(resembles)
            .take(SIMILAR_SHOWN)
            .cloned()
            .collect();
        WavesError::UnknownSignal {
            name: name.into(),
            path: self.path.clone(),
            similar,
        }
    }
}

fn from_bits(bits: &str, width: u32) -> Value {
    if !bits.bytes().all(|bit| matches!(bit, b'0' | b'1')) {
        return Value::Unknown;
    }
    if width == 1 {
        return Value::Bit(bits == "1");
    }
    let bits = bits.as_bytes();
    // Digits of four bits from the right; only the first may be shorter.
    let digit = |chunk: &[u8]| {
        let value = chunk
            .iter()
            .fold(0, |value, bit| value << 1 | u32::from(bit - b'0'));
        char::from_digit(value, 16).unwrap_or('?')
    };
    Value::Hex(bits.rchunks(4).rev().map(digit).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_become_digits_from_the_right() {
        assert_eq!(from_bits("1", 1), Value::Bit(true));
        assert_eq!(from_bits("101111", 6), Value::Hex("2f".into()));
        assert_eq!(from_bits("00001010", 8), Value::Hex("0a".into()));
        assert_eq!(from_bits("1x", 2), Value::Unknown);
    }
}
