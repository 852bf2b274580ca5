//! Draws a timing diagram as SVG: dark on white, one column a cycle.

use std::fmt::Write as _;

use super::read::{Row, Value, Window};

/// Sizes in pixels.
/// A column has room for 32 bits in hexadecimal.
const COLUMN: f64 = 72.0;
const LINE: f64 = 30.0;
const HEADER: f64 = 58.0;
const FOOTER: f64 = 26.0;
/// High and low level within a line.
const HIGH: f64 = 6.0;
const LOW: f64 = 24.0;
/// Half the width of a change.
const SLOPE: f64 = 4.0;
/// Width of a character of the 12-pixel monospaced type.
const CHARACTER: f64 = 7.3;
const MARGIN: f64 = 12.0;

const STYLE: &str = "\
text{font:12px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1a1a1a}\
.title{font-weight:bold;font-size:14px}.cycle{text-anchor:middle;fill:#555}\
.fail{fill:#b00020;font-weight:bold}.name{text-anchor:end}.value{text-anchor:middle}\
.foot{fill:#555;font-size:11px}\
.wave{fill:none;stroke:#1a1a1a;stroke-width:1.5;stroke-linejoin:round}\
.box{fill:#eef3fa;stroke:#1a1a1a;stroke-width:1.2;stroke-linejoin:round}\
.unknown{fill:#e4e4e4;stroke:#888;stroke-width:1}\
.grid{stroke:#e2e2e2;stroke-width:1}.mark{fill:#ffe3e3}";

struct Drawing<'a> {
    window: &'a Window,
    /// Left end of the first column.
    left: f64,
    text: String,
}

/// The picture of a window.
pub(super) fn draw(window: &Window, title: &str) -> String {
    let longest = window
        .rows
        .iter()
        .map(|row| row.name.chars().count())
        .max()
        .unwrap_or(0)
        .max("clock".len());
    let left = MARGIN + longest as f64 * CHARACTER + 10.0;
    let columns = left + window.length as f64 * COLUMN + MARGIN;
    let width =
        columns.max(2.0 * MARGIN + title.chars().count() as f64 * CHARACTER * 14.0 / 12.0 + 20.0);
    let height = HEADER + (window.rows.len() + 1) as f64 * LINE + FOOTER;
    let mut drawing = Drawing {
        window,
        left,
        text: String::new(),
    };
    let _ = writeln!(
        drawing.text,
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.0} {height:.0}">
<style>{STYLE}</style>
<rect width="100%" height="100%" fill="#ffffff"/>"##
    );
    drawing.label(MARGIN, 20.0, "title", title);
    drawing.grid(height - FOOTER);
    drawing.clock();
    for (index, row) in window.rows.iter().enumerate() {
        drawing.row(row, HEADER + (index + 1) as f64 * LINE);
    }
    drawing.label(
        MARGIN,
        height - 9.0,
        "foot",
        "A column shows what the rising edge at its right end samples.",
    );
    drawing.text + "</svg>\n"
}

impl Drawing<'_> {
    fn x(&self, column: usize) -> f64 {
        self.left + column as f64 * COLUMN
    }

    fn label(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let _ = writeln!(
            self.text,
            r#"<text class="{class}" x="{x:.1}" y="{y:.1}">{}</text>"#,
            escape(text)
        );
    }

    /// Lines between cycles, their numbers, and the cycle of interest marked.
    fn grid(&mut self, bottom: f64) {
        let top = HEADER - 24.0;
        if let Some(column) = self.window.cycle.checked_sub(self.window.first) {
            let (x, height) = (self.x(column as usize), bottom - top);
            let _ = writeln!(
                self.text,
                r#"<rect class="mark" x="{x:.1}" y="{top:.1}" width="{COLUMN:.1}" height="{height:.1}"/>"#
            );
        }
        for column in 0..=self.window.length {
            let x = self.x(column);
            let _ = writeln!(
                self.text,
                r#"<line class="grid" x1="{x:.1}" y1="{top:.1}" x2="{x:.1}" y2="{bottom:.1}"/>"#
            );
        }
        for column in 0..self.window.length {
            let cycle = self.window.first + column as u64;
            let class = if cycle == self.window.cycle {
                "cycle fail"
            } else {
                "cycle"
            };
            self.label(
                self.x(column) + COLUMN / 2.0,
                HEADER - 10.0,
                class,
                &cycle.to_string(),
            );
        }
    }

    /// High in the first half of a column: the edge before it began the cycle.
    fn clock(&mut self) {
        self.label(self.left - 8.0, HEADER + 19.0, "name", "clock");
        let (high, low) = (HEADER + HIGH, HEADER + LOW);
        let mut path = format!("M{:.1} {low:.1}", self.x(0));
        for column in 0..self.window.length {
            let (x, middle, end) = (
                self.x(column),
                self.x(column) + COLUMN / 2.0,
                self.x(column + 1),
            );
            let _ = write!(
                path,
                "L{x:.1} {high:.1}L{middle:.1} {high:.1}L{middle:.1} {low:.1}L{end:.1} {low:.1}"
            );
        }
        let _ = write!(path, "L{:.1} {high:.1}", self.x(self.window.length));
        self.path("wave", &path);
    }

    fn row(&mut self, row: &Row, top: f64) {
        self.label(self.left - 8.0, top + 19.0, "name", &row.name);
        let mut start = 0;
        // One shape for a run of equal values.
        for run in row.values.chunk_by(|a, b| a == b) {
            let end = start + run.len();
            match &run[0] {
                Value::Bit(bit) => self.bit(row, top, start, end, *bit),
                Value::Hex(text) => self.value(top, start, end, text),
                Value::Unknown => self.unknown(top, start, end),
            }
            start = end;
        }
    }

    fn bit(&mut self, row: &Row, top: f64, start: usize, end: usize, bit: bool) {
        let level = |bit| if bit { top + HIGH } else { top + LOW };
        let (from, to) = (self.x(start), self.x(end));
        // The change from the other level belongs to the run that it begins.
        let before = start.checked_sub(1).map(|index| &row.values[index]);
        let path = match before {
            Some(Value::Bit(_)) => format!(
                "M{:.1} {:.1}L{:.1} {:.1}L{to:.1} {:.1}",
                from,
                level(!bit),
                from + SLOPE,
                level(bit),
                level(bit)
            ),
            _ => format!("M{from:.1} {:.1}L{to:.1} {:.1}", level(bit), level(bit)),
        };
        self.path("wave", &path);
    }

    fn value(&mut self, top: f64, start: usize, end: usize, text: &str) {
        let (from, to) = (self.x(start), self.x(end));
        let (high, low, middle) = (top + HIGH, top + LOW, top + (HIGH + LOW) / 2.0);
        let path = format!(
            "M{from:.1} {middle:.1}L{:.1} {high:.1}L{:.1} {high:.1}L{to:.1} {middle:.1}L{:.1} {low:.1}L{:.1} {low:.1}Z",
            from + SLOPE,
            to - SLOPE,
            to - SLOPE,
            from + SLOPE
        );
        let room = ((to - from - 2.0 * SLOPE) / CHARACTER) as usize;
        let shown = shorten(text, room);
        let x = (from + to) / 2.0;
        // The whole value shows when the pointer rests on it.
        let _ = writeln!(
            self.text,
            r#"<g><title>{text}</title><path class="box" d="{path}"/><text class="value" x="{x:.1}" y="{:.1}">{shown}</text></g>"#,
            top + 19.0
        );
    }

    fn unknown(&mut self, top: f64, start: usize, end: usize) {
        let (x, width) = (self.x(start), (end - start) as f64 * COLUMN);
        let (y, height) = (top + HIGH, LOW - HIGH);
        let _ = writeln!(
            self.text,
            r#"<rect class="unknown" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}"><title>not recorded</title></rect>"#
        );
    }

    fn path(&mut self, class: &str, path: &str) {
        let _ = writeln!(self.text, r#"<path class="{class}" d="{path}"/>"#);
    }
}

/// Both ends of a value that is too long: addresses differ at one, data at the other.
fn shorten(text: &str, room: usize) -> String {
    if text.len() <= room {
        return text.into();
    }
    let kept = room.saturating_sub(1);
    let (head, tail) = (kept.div_ceil(2), kept / 2);
    format!("{}…{}", &text[..head], &text[text.len() - tail..])
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_keep_both_ends_within_their_room() {
        assert_eq!(shorten("0123456789abcdef", 16), "0123456789abcdef");
        assert_eq!(shorten("0123456789abcdef", 7), "012…def");
        assert_eq!(shorten("0123456789abcdef", 6), "012…ef");
        assert_eq!(shorten("0123", 0), "…");
    }

    #[test]
    fn names_and_titles_cannot_break_the_picture() {
        let rows = vec![Row {
            name: "a<b>&\"".into(),
            width: 1,
            values: vec![Value::Bit(true)],
        }];
        let text = draw(
            &Window {
                first: 0,
                length: 1,
                cycle: 0,
                rows,
            },
            "x < y",
        );
        assert!(
            text.contains("a&lt;b&gt;&amp;&quot;") && text.contains("x &lt; y"),
            "{text}"
        );
    }

    #[test]
    fn equal_values_are_one_box() {
        let values = ["1", "1", "2"].map(|text| Value::Hex(text.into())).to_vec();
        let window = Window {
            first: 5,
            length: 3,
            cycle: 6,
            rows: vec![Row {
                name: "a".into(),
                width: 4,
                values,
            }],
        };
        let text = draw(&window, "");
        assert_eq!(text.matches(r#"class="box""#).count(), 2);
        assert_eq!(text.matches(r#"class="cycle fail""#).count(), 1);
    }
}
