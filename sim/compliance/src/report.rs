//! What a run says: one structure for table, JSON and JUnit.
use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};
use serde::Serialize;

/// How a point ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The target keeps the rule.
    Passed,
    /// The target breaks it.
    Failed,
    /// The target lacks what the point needs.
    Skipped,
}

impl Outcome {
    /// Its word in JSON and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// One point's result.
#[derive(Clone, Debug, Serialize)]
pub struct PointResult {
    /// The point's.
    pub id: &'static str,
    /// The point's.
    pub rule: &'static str,
    /// How it ended.
    pub result: Outcome,
    /// Why it failed or was skipped.
    pub detail: Option<String>,
}

/// One mutant's result.
#[derive(Clone, Debug, Serialize)]
pub struct MutantResult {
    /// The mutant's.
    pub name: &'static str,
    /// What is wrong with it.
    pub wrong: &'static str,
    /// The point that is meant for it has failed.
    pub caught: bool,
    /// The target can't be wrong like this, or lacks what that point needs.
    pub skipped: bool,
    /// That point; `None` if it did not fail.
    pub by: Option<&'static str>,
    /// What that point said, or what the target lacks.
    pub detail: Option<String>,
    /// Other points that failed.
    pub also: Vec<&'static str>,
}

impl MutantResult {
    /// The point that is meant for it ran, and did not fail.
    pub fn escaped(&self) -> bool {
        !self.caught && !self.skipped
    }
}

/// A run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Against what.
    pub target: String,
    /// Points passed.
    pub passed: usize,
    /// Points failed.
    pub failed: usize,
    /// Points skipped.
    pub skipped: usize,
    /// Every point.
    pub points: Vec<PointResult>,
    /// Every mutant; empty if none was asked for.
    pub mutants: Vec<MutantResult>,
}

impl Report {
    /// Of these results.
    pub fn new(target: &str, points: Vec<PointResult>, mutants: Vec<MutantResult>) -> Self {
        let count = |outcome| points.iter().filter(|p| p.result == outcome).count();
        Self {
            target: target.into(),
            passed: count(Outcome::Passed),
            failed: count(Outcome::Failed),
            skipped: count(Outcome::Skipped),
            points,
            mutants,
        }
    }

    /// Mutants that were not caught.
    pub fn escaped(&self) -> usize {
        let escaped = self.mutants.iter().filter(|m| m.escaped());
        escaped.count()
    }

    /// Nothing failed and no mutant escaped.
    pub fn is_good(&self) -> bool {
        self.failed == 0 && self.escaped() == 0
    }

    /// A line a point, a line a mutant, and the sums.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = (self.points.iter())
            .map(|p| {
                let detail = p.detail.as_ref().map(|d| format!("\n             {d}"));
                format!(
                    "{:7}  {}  {}{}",
                    p.result.name(),
                    p.id,
                    p.rule,
                    detail.unwrap_or_default()
                )
            })
            .collect();
        let width = self.mutants.iter().map(|m| m.name.len()).max().unwrap_or(0);
        lines.extend(self.mutants.iter().map(|m| {
            let (word, detail) = match &m.detail {
                _ if m.escaped() => ("ESCAPED", String::new()),
                Some(why) if m.skipped => ("skipped", format!("\n             {why}")),
                _ => ("caught ", String::new()),
            };
            let by = m.by.unwrap_or("   ");
            format!("{word}  {by}  {:width$}  {}{detail}", m.name, m.wrong)
        }));
        lines.push(format!(
            "{}: {} passed, {} failed, {} skipped",
            self.target, self.passed, self.failed, self.skipped
        ));
        if !self.mutants.is_empty() {
            let caught = self.mutants.iter().filter(|m| m.caught).count();
            let skipped = self.mutants.iter().filter(|m| m.skipped).count();
            lines.push(format!(
                "{caught} of {} mutants caught, {} escaped, {skipped} skipped",
                self.mutants.len(),
                self.escaped()
            ));
        }
        lines
    }

    /// JUnit XML: a suite of points, and one of mutants if there are any.
    pub fn junit(&self) -> Result<String, quick_junit::SerializeError> {
        let mut report = Junit::new("metaroce compliance");
        let mut suite = TestSuite::new(format!("points of {}", self.target));
        suite.add_test_cases(self.points.iter().map(|p| {
            let detail = p.detail.clone().unwrap_or_default();
            let status = match p.result {
                Outcome::Passed => TestCaseStatus::success(),
                Outcome::Failed => failure(detail),
                Outcome::Skipped => skipped(detail),
            };
            TestCase::new(format!("{} {}", p.id, p.rule), status)
        }));
        report.add_test_suite(suite);
        if !self.mutants.is_empty() {
            let mut suite = TestSuite::new("mutants");
            suite.add_test_cases(self.mutants.iter().map(|m| {
                let detail = m.detail.clone().unwrap_or_default();
                let status = if m.caught {
                    TestCaseStatus::success()
                } else if m.skipped {
                    skipped(detail)
                } else {
                    failure(format!("no point caught: {}", m.wrong))
                };
                TestCase::new(m.name, status)
            }));
            report.add_test_suite(suite);
        }
        report.to_string()
    }
}

fn skipped(message: String) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(message);
    status
}

fn failure(message: String) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(message);
    status
}
