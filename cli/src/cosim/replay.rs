//! The same seed once more, with waves of the cycles around a failure, or any other moment.
use anyhow::{Context, Result};
use metaroce_cosim::waves::{self, Request};

use super::run::Outcome;
use super::{Cosim, run};
use crate::output::{Output, Stop};

/// What a reader of the waves looks for first: the engines' commits, then the buses of a plane (`K`).
const SIGNALS: &[&str] = &[
    "trace_transmit_valid",
    "trace_transmit_kind",
    "trace_transmit_path",
    "trace_receive_valid",
    "trace_acknowledge_valid",
    "trace_resolve_valid",
    "m_axi_K_rvalid",
    "m_axi_K_rready",
    "m_axi_K_rdata",
    "tx_axis_K_tvalid",
    "tx_axis_K_tready",
    "tx_axis_K_tlast",
    "tx_axis_K_tdata",
];

/// Runs again and writes waves, save file and picture into the output folder.
pub fn replay(
    options: &Cosim,
    file: &[u8],
    outcome: &mut Outcome,
    output: &Output,
    stop: &Stop,
) -> Result<()> {
    let Some(moment) = &outcome.moment else {
        return Ok(());
    };
    let shown = waves::Failure {
        cycle: moment.cycle,
        title: moment.title.clone(),
        signals: signals(moment.plane),
    };
    let name = if moment.fails { "failure" } else { "moment" };
    let again = Cosim {
        no_pcap: true,
        ..options.clone()
    };
    let rerun = |request: &Request| run::run_traced(&again, file, moment, request, output, stop);
    let files =
        waves::record_failure(&options.out, name, &shown, rerun).context("can't record waves")?;
    outcome.report.waves = Some(files.fst);
    outcome.report.gtkwave = Some(files.gtkw);
    outcome.report.picture = Some(files.svg);
    Ok(())
}

fn signals(plane: usize) -> Vec<String> {
    let name = |name: &&str| name.replace('K', &plane.to_string());
    SIGNALS.iter().map(name).collect()
}
