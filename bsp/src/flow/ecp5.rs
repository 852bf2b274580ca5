//! Lattice ECP5-85 in package CABGA756: cells and clock.

use std::time::Duration;

use crate::error::FlowError;
use crate::flow::nextpnr::{Report, overfull};
use crate::flow::yosys::{self, Cells};
use crate::tool::{Run, Tool};
use crate::workshop::Workshop;

/// A half full 85F takes several minutes a seed.
const LIMIT: Duration = Duration::from_secs(7200);

/// A member of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// nextpnr's name: `--85k` or `--um5g-85k`.
    pub flag: &'static str,
    /// Speed grade.
    pub speed: u8,
}

/// Synthesises `files` into `top.json`.
pub(crate) fn synthesise(shop: &Workshop, files: &[&str], top: &str) -> Result<Cells, FlowError> {
    yosys::synthesise(
        shop,
        files,
        &format!("synth_ecp5 -top {top} -json top.json"),
    )
}

/// Places and routes `top.json` with one seed for the fastest clock.
pub(crate) fn place_and_route(
    shop: &Workshop,
    member: Member,
    clock_mhz: f64,
    seed: u32,
) -> Result<Report, FlowError> {
    let (name, report) = (format!("nextpnr-{seed}"), format!("report-{seed}.json"));
    // A missed clock is a figure here, not a failure.
    let mut arguments: Vec<String> = [
        member.flag,
        "--package",
        "CABGA756",
        "--json",
        "top.json",
        "--timing-allow-fail",
        "--lpf-allow-unconstrained",
    ]
    .map(Into::into)
    .into();
    let pairs = [
        ("--speed", member.speed.to_string()),
        ("--freq", clock_mhz.to_string()),
        ("--seed", seed.to_string()),
        ("--report", report.clone()),
    ];
    arguments.extend(
        pairs
            .into_iter()
            .flat_map(|(key, value)| [key.to_string(), value]),
    );
    let run = Run {
        shop,
        tool: Tool::NextpnrEcp5,
        arguments,
        name: &name,
        limit: LIMIT,
    };
    let ended = run.end()?;
    if !ended.status.success() {
        let needs_list = overfull(&ended.text()?);
        if !needs_list.is_empty() {
            return Err(FlowError::DoesNotFit {
                device: "ECP5-85".into(),
                needs_list,
                log: ended.log,
            });
        }
        ended.check()?;
    }
    let path = shop.bench().join(&report);
    ended.wrote(&path)?;
    Report::read(&path)
}
