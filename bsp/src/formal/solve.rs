//! One question to SymbiYosys.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use super::contracts::Contract;
use crate::error::FlowError;
use crate::tool::{Ended, Run, Tool, Toolbox};
use crate::workshop::Workshop;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// No assertion fails.
    Holds,
    /// An assertion fails: there is a fault.
    Fails,
    /// Every `cover` is reached.
    Covers,
}

/// What SymbiYosys says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Nothing fails, all is reached.
    Pass,
    /// What fails, or is not reached.
    Fail(String),
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pass => f.write_str("no property fails"),
            Self::Fail(what) => f.write_str(what),
        }
    }
}

/// More than any question here needs on a busy machine.
const LIMIT: Duration = Duration::from_secs(900);

/// SymbiYosys's exit codes (its manual, "SBY exit codes").
const PASS: i32 = 0;
const FAIL: i32 = 2;

/// Steps that show all of a core without state: a property is judged at the end of a step, a `cover` may look back at one.
const ALL_STEPS: u32 = 3;

const ABC: &str = "abc bmc3";
/// Unrolled: without it z3 4.8 gets lost in some cores.
const Z3: &str = "smtbmc --unroll z3";

impl Goal {
    fn mode(self) -> &'static str {
        match self {
            Self::Holds | Self::Fails => "bmc",
            Self::Covers => "cover",
        }
    }
}

/// Asks; logs and traces go to `out/CORE`.
pub(super) fn solve(
    contract: &Contract,
    goal: Goal,
    verilog: &str,
    out: &Path,
    toolbox: &Toolbox,
) -> Result<Answer, FlowError> {
    let shop = Workshop::open(&out.join(contract.name), &[], toolbox)?;
    let properties = contract.properties.replace("CORE", contract.name);
    shop.write("core.v", verilog)?;
    shop.write("contract.sv", &properties)?;
    // ABC is ten times as fast where nothing is to be found. It knows no `cover`, and what it finds only z3 can name;
    // z3 alone does it too.
    if goal == Goal::Holds && run(&shop, contract, goal, ABC)?.status.code() == Some(PASS) {
        return Ok(Answer::Pass);
    }
    let ended = run(&shop, contract, goal, Z3)?;
    match ended.status.code() {
        Some(PASS) => Ok(Answer::Pass),
        Some(FAIL) => Ok(Answer::Fail(finding(&ended)?)),
        _ => Err(ended.failure()),
    }
}

fn run(shop: &Workshop, contract: &Contract, goal: Goal, engine: &str) -> Result<Ended, FlowError> {
    let depth = contract.depth.unwrap_or(ALL_STEPS);
    shop.write("job.sby", &job(goal, depth, engine))?;
    let run = Run {
        shop,
        tool: Tool::Sby,
        arguments: shop.toolbox().sby_arguments("job.sby"),
        name: &format!("{goal:?}").to_lowercase(),
        limit: LIMIT,
    };
    run.end()
}

/// The line of the log that names what failed.
fn finding(ended: &Ended) -> Result<String, FlowError> {
    let text = ended.text()?;
    let line = text.lines().find_map(|line| {
        line.find("Assert failed")
            .or(line.find("Unreached"))
            .map(|at| &line[at..])
    });
    Ok(line
        .unwrap_or("a property fails; its log says which")
        .into())
}

/// SymbiYosys's input.
fn job(goal: Goal, depth: u32, engine: &str) -> String {
    // Small memories as registers: a bit-level solver takes them better than arrays. What is undefined may be anything.
    format!(
        "[options]\nmode {}\ndepth {depth}\n\n[engines]\n{engine}\n\n\
         [script]\nread_verilog core.v\nread_verilog -sv -formal contract.sv\nprep -top contract\n\
         memory_map\nsetundef -anyseq\nopt -full\n\n[files]\ncore.v\ncontract.sv\n",
        goal.mode(),
    )
}
