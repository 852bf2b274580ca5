//! Runs points against a lab, and against mutants.
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use crate::check::{Check, Stop};
use crate::mutants::Mutant;
use crate::points::Point;
use crate::report::{MutantResult, Outcome, PointResult};
use crate::setup::Setup;
use crate::target::{Lab, MutantLab, Target};

thread_local! {
    /// A panic on this thread is a target's, and becomes a result.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs one point.
pub fn run_point(point: &'static Point, lab: &mut dyn Lab) -> PointResult {
    let (result, detail) = match without_panic(|| (point.run)(lab)) {
        Ok(()) => (Outcome::Passed, None),
        Err(Stop::Fails(why)) => (Outcome::Failed, Some(why)),
        Err(Stop::Lacks(what)) => (Outcome::Skipped, Some(what)),
    };
    PointResult {
        id: point.id,
        rule: point.rule,
        result,
        detail,
    }
}

/// A target in process may panic: that is its failure, not the suite's end.
fn without_panic(run: impl FnOnce() -> Check) -> Check {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
    QUIET.set(true);
    let end = catch_unwind(AssertUnwindSafe(run));
    QUIET.set(false);
    end.unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<&str>().map(ToString::to_string);
        let words = words.or_else(|| panic.downcast_ref().cloned());
        let words = words.unwrap_or_default();
        Err(Stop::fails(format!("the target panicked: {words}")))
    })
}

/// A lab of targets with one thing wrong.
struct Wrong<'a> {
    lab: &'a mut dyn MutantLab,
    mutant: &'static Mutant,
}

impl Lab for Wrong<'_> {
    fn connect(&mut self, setup: &Setup) -> Check<Box<dyn Target>> {
        self.lab.connect_wrong(setup, self.mutant)
    }
}

/// Runs points against one wrong target.
pub fn run_mutant(
    mutant: &'static Mutant,
    points: &[&'static Point],
    lab: &mut dyn MutantLab,
) -> MutantResult {
    let mut lab = Wrong { lab, mutant };
    let results: Vec<_> = points
        .iter()
        .map(|point| run_point(point, &mut lab))
        .collect();
    let meant = results.iter().find(|r| r.id == mutant.by);
    let is = |outcome| move |r: &&PointResult| r.result == outcome;
    let caught = meant.filter(is(Outcome::Failed));
    let lacking = meant.filter(is(Outcome::Skipped));
    let also = results.iter().filter(is(Outcome::Failed));
    MutantResult {
        name: mutant.name,
        wrong: mutant.wrong,
        caught: caught.is_some(),
        skipped: lacking.is_some(),
        by: caught.map(|r| r.id),
        detail: caught.or(lacking).and_then(|r| r.detail.clone()),
        also: also.map(|r| r.id).filter(|id| *id != mutant.by).collect(),
    }
}
