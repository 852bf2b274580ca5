//! The test points, by subject. An identifier stays with its rule for ever: a point that goes leaves a gap.
use crate::check::Check;
use crate::target::Lab;

mod acknowledge;
mod atomics;
mod congestion;
mod epochs;
mod hostile;
mod lies;
mod place;
mod planes;
mod reads;
mod recover;
mod sends;
mod silence;
mod transmit;

/// One rule, and the way to see whether a target keeps it.
#[derive(Clone, Copy)]
pub struct Point {
    /// Letter of the subject and number.
    pub id: &'static str,
    /// The rule, with its section of docs/protocol.md.
    pub rule: &'static str,
    /// Sees whether a target keeps it.
    pub run: fn(&mut dyn Lab) -> Check,
}

/// Every point.
pub fn all() -> Vec<&'static Point> {
    let subjects = [
        place::POINTS,
        acknowledge::POINTS,
        hostile::POINTS,
        transmit::POINTS,
        recover::POINTS,
        silence::POINTS,
        lies::POINTS,
        congestion::POINTS,
        sends::POINTS,
        reads::POINTS,
        atomics::POINTS,
        epochs::POINTS,
        planes::POINTS,
    ];
    subjects.into_iter().flatten().collect()
}

/// Short for a point's entry.
const fn point(id: &'static str, rule: &'static str, run: fn(&mut dyn Lab) -> Check) -> Point {
    Point { id, rule, run }
}
