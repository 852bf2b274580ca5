//! On which line of a TOML text a field stands.
use std::fmt;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A field: names and, in arrays, places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field(Vec<Step>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Name(&'static str),
    Place(usize),
}

impl Field {
    /// A field of the scenario itself.
    pub fn of(name: &'static str) -> Self {
        Self(vec![Step::Name(name)])
    }

    /// A field inside.
    pub fn name(mut self, name: &'static str) -> Self {
        self.0.push(Step::Name(name));
        self
    }

    /// An entry of an array.
    pub fn place(mut self, place: usize) -> Self {
        self.0.push(Step::Place(place));
        self
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, step) in self.0.iter().enumerate() {
            match step {
                Step::Name(name) if n == 0 => write!(f, "{name}")?,
                Step::Name(name) => write!(f, ".{name}")?,
                Step::Place(place) => write!(f, "[{place}]")?,
            }
        }
        Ok(())
    }
}

/// The line of a field, from 1; of what holds it where it stands at its default.
pub fn line_of(text: &str, field: &Field) -> usize {
    let start = DeTable::parse(text).map_or(0, |table| start_of(&table, field));
    1 + text[..start].matches('\n').count()
}

fn start_of(root: &Spanned<DeTable<'_>>, field: &Field) -> usize {
    let mut start = 0;
    let mut value: Option<&Spanned<DeValue<'_>>> = None;
    for step in &field.0 {
        let next = match (step, value.map(Spanned::get_ref)) {
            (Step::Name(name), None) => root.get_ref().get(*name),
            (Step::Name(name), Some(DeValue::Table(table))) => table.get(*name),
            (Step::Place(place), Some(DeValue::Array(array))) => array.get(*place),
            _ => None,
        };
        let Some(next) = next else { break };
        start = next.span().start;
        value = Some(next);
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_and_a_default_stands_where_its_table_does() {
        let text =
            "name = 'x'\n\n[fabric]\nleaves = 2\n\n[[loss]]\nrate = 0.1\n[[loss]]\nrate = 0.2\n";
        let line = |field| line_of(text, &field);
        assert_eq!(line(Field::of("fabric").name("leaves")), 4);
        assert_eq!(line(Field::of("fabric").name("spines")), 3);
        assert_eq!(line(Field::of("loss").place(1).name("rate")), 9);
        assert_eq!(line(Field::of("failure").place(1)), 1);
        let field = Field::of("loss").place(1).name("rate");
        assert_eq!(field.to_string(), "loss[1].rate");
    }
}
