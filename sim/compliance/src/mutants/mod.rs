//! Wrong targets: the model with one thing wrong each. A suite that passes one of them has a hole.
mod acknowledging;
mod inside;
mod mutation;
mod receiving;
mod sending;

pub use mutation::Mutation;

use crate::points::Point;

/// One wrong model.
#[derive(Clone, Copy)]
pub struct Mutant {
    /// Name, snake case.
    pub name: &'static str,
    /// What is wrong, in a sentence.
    pub wrong: &'static str,
    /// The point that must catch it.
    pub by: &'static str,
    /// Makes it.
    pub make: fn() -> Mutation,
}

const fn mutant(
    name: &'static str,
    by: &'static str,
    wrong: &'static str,
    make: fn() -> Mutation,
) -> Mutant {
    Mutant {
        name,
        wrong,
        by,
        make,
    }
}

/// Every one.
pub fn all() -> impl Iterator<Item = &'static Mutant> {
    let kinds = [
        receiving::MUTANTS,
        acknowledging::MUTANTS,
        sending::MUTANTS,
        inside::MUTANTS,
    ];
    kinds.into_iter().flatten()
}

/// Those that one of these points is meant to catch.
pub fn meant_for(points: &[&'static Point]) -> Vec<&'static Mutant> {
    let meant = |m: &&Mutant| points.iter().any(|p| p.id == m.by);
    all().filter(meant).collect()
}
