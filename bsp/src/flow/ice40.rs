//! iCE40 HX8K in package CB132: the whole way to a bitstream.

use std::fs;
use std::time::Duration;

use crate::error::{FlowError, at};
use crate::flow::nextpnr::{Report, overfull};
use crate::flow::yosys::{self, Cells};
use crate::tool::{Ended, Run, Tool};
use crate::workshop::Workshop;

/// One seed takes about half a minute on a full device.
const LIMIT: Duration = Duration::from_secs(1200);

/// The device, as errors name it.
const DEVICE: &str = "iCE40 HX8K";

/// Yosys keeps notes on modules that it flattened as cells; nextpnr 0.4 would place them.
const WRITE: &str = "delete t:$scopeinfo; write_json top.json";

/// Synthesises `files` into `top.json`.
pub(crate) fn synthesise(shop: &Workshop, files: &[&str], top: &str) -> Result<Cells, FlowError> {
    yosys::synthesise(shop, files, &format!("synth_ice40 -top {top}; {WRITE}"))
}

/// Takes bits that never change out of a narrowed design before it is mapped. Yosys finds them only bit by bit, so:
/// first the enables of registers (later a register that holds its constant is an AND gate), small memories as
/// registers (so that words which nobody writes go), shifters and all else as gates; then rounds, each of which finds
/// what the one before made constant.
const PRUNE: &str = "opt_expr; opt_clean; opt_dff; opt_clean; opt_dff; opt; \
    memory_collect; opt_mem; memory_map t:$mem_v2 r:SIZE<=32 %i; opt_clean; opt_dff; \
    techmap t:$shl t:$shr t:$shiftx; simplemap";
const ROUND: &str = "opt_dff; opt; wreduce; opt_mem";
const ROUNDS: usize = 2;

/// A tile's eight registers share enable and reset: many small groups of them fill the device before its cells do, and nextpnr
/// finds no place. So an enable or reset of fewer registers than this becomes logic.
const FEWEST_SHARERS: usize = 12;

/// Registers as `synth_ice40` maps them (its step `map_ffs`), but for that.
fn map_registers() -> String {
    let kinds = [
        "$_DFF_?_ 0",
        "$_DFFE_?P_ 0",
        "$_DFF_?P?_ 0",
        "$_DFFE_?P?P_ 0",
        "$_SDFF_?P?_ 0",
        "$_SDFFCE_?P?P_ 0",
        "$_DLATCH_?_ x",
    ];
    let kinds = kinds.map(|kind| format!("-cell {kind}")).join(" ");
    format!("dfflegalize {kinds} -mince {FEWEST_SHARERS} -minsrst {FEWEST_SHARERS}")
}

/// The same for a design of which most bits are constant.
pub(crate) fn synthesise_narrowed(
    shop: &Workshop,
    files: &[&str],
    top: &str,
) -> Result<Cells, FlowError> {
    let rounds = [ROUND; ROUNDS].join("; ");
    yosys::synthesise(
        shop,
        files,
        &format!(
            "synth_ice40 -top {top} -run begin:coarse; {PRUNE}; {rounds}; \
             synth_ice40 -top {top} -run coarse:map_ffs; {}; synth_ice40 -top {top} -run map_ffs:; {WRITE}",
            map_registers()
        ),
    )
}

/// Places and routes `top.json` with one seed; a missed clock is not an error but stands in the report.
/// `pins` is the constraint file's name; without one, pins are placed freely.
pub(crate) fn place_and_route(
    shop: &Workshop,
    pins: Option<&str>,
    clock_mhz: f64,
    seed: u32,
) -> Result<(bool, Report), FlowError> {
    let name = format!("nextpnr-{seed}");
    let (text, report) = (format!("top-{seed}.asc"), format!("report-{seed}.json"));
    let mut arguments: Vec<String> = ["--hx8k", "--package", "cb132", "--json", "top.json"]
        .map(Into::into)
        .into();
    let rest = [
        ("--freq", clock_mhz.to_string()),
        ("--seed", seed.to_string()),
        ("--asc", text.clone()),
    ];
    for (key, value) in rest.into_iter().chain([("--report", report.clone())]) {
        arguments.extend([key.to_string(), value]);
    }
    match pins {
        Some(pins) => arguments.extend(["--pcf".into(), pins.into()]),
        None => arguments.push("--pcf-allow-unconstrained".into()),
    }
    let run = Run {
        shop,
        tool: Tool::NextpnrIce40,
        arguments,
        name: &name,
        limit: LIMIT,
    };
    let ended = run.end()?;
    let report = judge(&ended, shop, &report)?;
    ended.wrote(&shop.bench().join(&text))?;
    // Exit code 1 with a report is a missed clock, and so is a clock below the asked one whatever the code.
    let met =
        ended.status.success() && report.clock.is_none_or(|(reached, _)| reached >= clock_mhz);
    Ok((met, report))
}

/// The report of a run that succeeded or only missed its clock; any other end is an error.
fn judge(ended: &Ended, shop: &Workshop, report: &str) -> Result<Report, FlowError> {
    let path = shop.bench().join(report);
    if ended.status.success() {
        ended.wrote(&path)?;
        return Report::read(&path);
    }
    if ended.status.code() == Some(1) && path.exists() {
        let report = Report::read(&path)?;
        if report
            .clock
            .is_some_and(|(reached, needed)| reached < needed)
        {
            return Ok(report);
        }
    }
    let needs_list = overfull(&ended.text()?);
    if !needs_list.is_empty() {
        return Err(FlowError::DoesNotFit {
            device: DEVICE.into(),
            needs_list,
            log: ended.log.clone(),
        });
    }
    ended.check()?;
    Err(FlowError::OutputMissing {
        command: ended.command.clone(),
        path,
        log: ended.log.clone(),
    })
}

/// What a bitstream begins and ends with: the synchronisation word, and the command to wake up (iCE40
/// programming and configuration guide; Project IceStorm, "Bitstream file format").
const SYNCHRONISE: [u8; 4] = [0x7E, 0xAA, 0x99, 0x7E];
const WAKE_UP: [u8; 2] = [0x01, 0x06];

/// Packs a seed's result into `top.bin`.
pub(crate) fn pack(shop: &Workshop, seed: u32) -> Result<(), FlowError> {
    let arguments = vec![format!("top-{seed}.asc"), "top.bin".into()];
    let run = Run {
        shop,
        tool: Tool::Icepack,
        arguments,
        name: "icepack",
        limit: LIMIT,
    };
    run.succeed(&["top.bin"])?;
    let path = shop.bench().join("top.bin");
    let bytes = at("read", &path, fs::read(&path))?;
    // icepack does not notice a full disk.
    let begins = bytes.windows(4).any(|word| word == SYNCHRONISE);
    let ends = bytes[bytes.len().saturating_sub(8)..]
        .windows(2)
        .any(|word| word == WAKE_UP);
    if begins && ends {
        return Ok(());
    }
    let reason = format!(
        "{} bytes are no whole bitstream (begins: {begins}, ends: {ends})",
        bytes.len()
    );
    Err(FlowError::Report { path, reason })
}
