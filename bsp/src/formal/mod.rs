//! `metaroce formal`: the contracts of cores, proved on their emitted Verilog by SymbiYosys.

mod contracts;
mod solve;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use serde::Serialize;

use crate::error::FlowError;
use crate::tool::{Tool, Toolbox};
use contracts::{CONTRACTS, Contract};
use solve::{Answer, Goal};

/// What became of one contract.
#[derive(Clone, Debug, Serialize)]
pub struct Proof {
    /// The core.
    pub core: &'static str,
    /// What was emitted.
    pub size: &'static str,
    /// Cycles after reset that were looked at; none: the core has no state, the proof is complete.
    pub depth: Option<u32>,
    /// No property is violated within `depth`.
    pub holds: bool,
    /// Every state that the contract wants to see can be reached: the assumptions leave room.
    pub reachable: bool,
    /// The planted fault was found.
    pub fault_found: bool,
    /// What the solver said if something of this is false.
    pub details: Vec<String>,
    /// Time that it took, s.
    pub seconds: f64,
}

impl Proof {
    /// All is as it should be.
    pub fn is_good(&self) -> bool {
        self.holds && self.reachable && self.fault_found
    }
}

/// Every core with a contract.
pub fn cores() -> impl Iterator<Item = &'static str> {
    CONTRACTS.iter().map(|contract| contract.name)
}

/// The tools, by name and version; an error if one is missing.
pub fn tools(toolbox: &Toolbox) -> Result<std::collections::BTreeMap<String, String>, FlowError> {
    // SymbiYosys does not know its own: it comes with Yosys.
    toolbox.version(Tool::Sby)?;
    toolbox.versions(&[Tool::Yosys, Tool::Z3])
}

/// Proves these cores' contracts, a core each on every processor; `done` hears how many have ended.
pub fn prove_all(
    cores: &[&str],
    out: &Path,
    toolbox: &Toolbox,
    done: impl Fn(usize) + Sync,
) -> Result<Vec<Proof>, FlowError> {
    let ended = AtomicUsize::new(0);
    let proofs = cores.par_iter().with_max_len(1).map(|core| {
        let proof = prove(core, out, toolbox);
        done(ended.fetch_add(1, Ordering::Relaxed) + 1);
        proof
    });
    proofs.collect()
}

/// Proves one core's contract; logs, and traces of what failed, go to `out`.
fn prove(core: &str, out: &Path, toolbox: &Toolbox) -> Result<Proof, FlowError> {
    let contract = CONTRACTS.iter().find(|contract| contract.name == core);
    let contract = contract.ok_or_else(|| crate::area::unknown("core", core, cores()))?;
    let began = Instant::now();
    let design = (contract.emit)()?.verilog();
    let faulty = plant(contract, &design);
    let mut details = Vec::new();
    let mut ask = |goal, verilog: &str, passes| {
        let answer = solve::solve(contract, goal, verilog, out, toolbox)?;
        let good = (answer == Answer::Pass) == passes;
        if !good {
            details.push(format!("{goal:?}: {answer}"));
        }
        Ok::<bool, FlowError>(good)
    };
    let holds = ask(Goal::Holds, &design, true)?;
    let reachable = ask(Goal::Covers, &design, true)?;
    let fault_found = ask(Goal::Fails, &faulty, false)?;
    Ok(Proof {
        core: contract.name,
        size: contract.size,
        depth: contract.depth,
        holds,
        reachable,
        fault_found,
        details,
        seconds: began.elapsed().as_secs_f64(),
    })
}

/// The Verilog with the contract's fault in it.
fn plant(contract: &Contract, verilog: &str) -> String {
    let fault = &contract.fault;
    assert_eq!(
        verilog.matches(fault.right).count(),
        1,
        "the fault's place in the Verilog of {}: {}",
        contract.name,
        fault.right
    );
    verilog.replace(fault.right, fault.wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fault that is nowhere, or in two places, would prove nothing.
    #[test]
    fn every_fault_has_one_place() {
        for contract in CONTRACTS {
            let design = (contract.emit)().expect("it emits").verilog();
            assert_ne!(plant(contract, &design), design, "{}", contract.name);
        }
    }
}
