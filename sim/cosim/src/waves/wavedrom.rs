//! The picture for WaveDrom.

use serde_json::{Value as Json, json};

use super::read::{Row, Value, Window};

/// WaveJSON with cycle numbers above and the title.
pub(super) fn json(window: &Window, title: &str) -> String {
    let clock = format!("p{}", ".".repeat(window.length.saturating_sub(1)));
    let mut signals = vec![json!({ "name": "clock", "wave": clock })];
    signals.extend(window.rows.iter().map(signal));
    let picture = json!({
        "signal": signals,
        "head": { "text": title, "tick": window.first },
        "foot": { "text": format!("failing cycle {}", window.cycle) },
        "config": { "hscale": 2 },
    });
    format!("{picture:#}\n")
}

fn signal(row: &Row) -> Json {
    let mut wave = String::new();
    let mut data = Vec::new();
    for (index, value) in row.values.iter().enumerate() {
        if index > 0 && row.values[index - 1] == *value {
            wave.push('.');
            continue;
        }
        wave.push(match value {
            Value::Bit(false) => '0',
            Value::Bit(true) => '1',
            Value::Hex(text) => {
                data.push(text.as_str());
                '='
            }
            Value::Unknown => 'x',
        });
    }
    if data.is_empty() {
        return json!({ "name": row.name, "wave": wave });
    }
    json!({ "name": row.name, "wave": wave, "data": data })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_listed_once_a_run() {
        let values = [
            Value::Unknown,
            Value::Hex("a".into()),
            Value::Hex("a".into()),
            Value::Hex("b".into()),
        ];
        let row = Row {
            name: "s[3:0]".into(),
            width: 4,
            values: values.to_vec(),
        };
        let found = signal(&row);
        assert_eq!(
            found,
            json!({ "name": "s[3:0]", "wave": "x=.=", "data": ["a", "b"] })
        );
    }
}
