//! Blocks as users write them, in the forms that rust-hdl's documentation shows.

mod control;
mod systems;
mod types;
mod values;
mod widgets;

use crate::bench::Case;

pub fn cases() -> Vec<Case> {
    let mut cases = control::cases();
    cases.extend(systems::cases());
    cases.extend(values::cases());
    cases.extend(widgets::cases());
    cases
}
