//! `synth` and `area`: wrong use, missing tools, ^C; and the whole bitstream in the long form.
mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use support::{folder, json, long, metaroce, stderr};

fn run(command: &mut Command) -> Output {
    command.output().expect("the command runs")
}

/// Wrong use: exit code 2, a word of what is right, nothing on stdout.
fn assert_wrong_use(words: &[&str], hint: &str) {
    let output = run(metaroce().args(words));
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(output.stdout.is_empty());
    assert!(stderr(&output).contains(hint), "{}", stderr(&output));
}

/// A tool that is a shell script.
fn script(folder: &Path, body: &str) -> PathBuf {
    let path = folder.join("tool");
    fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn wrong_words_are_told_with_the_right_ones() {
    assert_wrong_use(&["synth"], "--board");
    assert_wrong_use(&["synth", "--board", "none"], "alchitry-cu");
    for clock in ["0", "-1", "fast", "inf"] {
        let clock = format!("--clock={clock}");
        assert_wrong_use(&["synth", "--board", "alchitry-cu", &clock], "--clock");
    }
    assert_wrong_use(&["area", "nic", "--device", "none"], "ecp5-85-8");
    assert_wrong_use(&["area", "--device", "hx8k"], "<CORE>");
    assert_wrong_use(&["area", "nic", "--ram-bits"], "--ram-bits");
    let out = folder();
    let out = out.path().to_str().unwrap();
    assert_wrong_use(
        &["area", "none", "--device", "hx8k", "--out", out],
        "ram_sdp",
    );
    let words = [
        "area", "ram_sdp", "--size", "none", "--device", "hx8k", "--out", out,
    ];
    assert_wrong_use(&words, "w64a9");
}

#[test]
fn ram_bits_are_counted_by_block() {
    let output = run(metaroce().args(["area", "--ram-bits", "--json"]));
    assert!(output.status.success(), "{}", stderr(&output));
    let report = json(&output);
    assert_eq!(
        report["paths"],
        serde_json::json!([64, 1_024, 16_384]),
        "small, medium, large"
    );
    let rows = report["rows"].as_array().unwrap();
    let resolver = rows
        .iter()
        .find(|row| row["block"] == "transmit_side.resolver");
    // A path's transmissions (256 of 16 bits), its packets (256 of 24), its bitvector, and smaller things.
    let bits = resolver.unwrap()["path"].as_u64().unwrap();
    assert!((256 * (16 + 24) + 256..11_000).contains(&bits), "{bits}");
}

#[test]
fn a_missing_tool_is_named_and_no_old_bitstream_stays() {
    let out = folder();
    let old = out.path().join("alchitry-cu.bin");
    fs::write(&old, "of an earlier run").unwrap();
    let mut command = metaroce();
    command.args(["synth", "--board", "alchitry-cu", "--json", "--out"]);
    let output = run(command
        .arg(out.path())
        .env("METAROCE_YOSYS", "/nowhere/yosys"));
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(output.stdout.is_empty());
    let text = stderr(&output);
    assert!(
        text.contains("METAROCE_YOSYS") && text.contains("./setup"),
        "{text}"
    );
    assert!(!old.exists());

    let mut command = metaroce();
    command.args(["area", "ram_sdp", "--device", "hx8k", "--out"]);
    let output = run(command
        .arg(out.path())
        .env("METAROCE_NEXTPNR_ICE40", "/nowhere/nextpnr"));
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("METAROCE_NEXTPNR_ICE40"));
}

#[test]
fn a_small_core_is_measured() {
    let out = folder();
    let mut command = metaroce();
    command.args([
        "area", "ram_sdp", "--device", "hx8k", "--seeds", "1,2", "--json", "--out",
    ]);
    let output = run(command.arg(out.path()));
    assert!(output.status.success(), "{}", stderr(&output));
    let report = json(&output);
    assert_eq!(report["core"], "ram_sdp");
    assert_eq!(report["device"], "hx8k");
    // 2^11 bytes in RAMs of 4 kbit.
    assert_eq!(report["rams"], 4, "{report:#}");
    let by_seed = report["fmax_by_seed"].as_object().unwrap();
    let best = by_seed
        .values()
        .map(|mhz| mhz.as_f64().unwrap())
        .fold(0.0, f64::max);
    assert_eq!(by_seed.len(), 2);
    assert_eq!(report["fmax_mhz"], best);
    assert!(
        report["tools"]["yosys"]
            .as_str()
            .unwrap()
            .starts_with("Yosys")
    );
}

#[test]
fn interrupted_it_leaves_nothing_half_made() {
    let out = folder();
    // It says its version, then works for ever.
    let slow = script(
        out.path(),
        "[ \"$1\" = --version ] && echo Yosys 0 && exit 0\necho > \"$0.began\"\nexec sleep 600",
    );
    let began = out.path().join("tool.began");
    let work = out.path().join("out");
    let mut command = metaroce();
    command.args([
        "area",
        "ram_sdp",
        "--device",
        "hx8k",
        "--cells-only",
        "--out",
    ]);
    let mut child = command
        .arg(&work)
        .env("METAROCE_YOSYS", &slow)
        .spawn()
        .unwrap();
    while !began.exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let id = child.id().to_string();
    assert!(
        run(Command::new("kill").args(["-INT", &id]))
            .status
            .success()
    );
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let left: Vec<_> = fs::read_dir(&work)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["logs"]);
}

#[test]
fn the_whole_bitstream() {
    if !long() {
        eprintln!("skipped: METAROCE_LONG is not set");
        return;
    }
    let out = folder();
    let mut command = metaroce();
    command.args(["synth", "--board", "alchitry-cu", "--json", "--out"]);
    let output = run(command.arg(out.path()));
    assert!(output.status.success(), "{}", stderr(&output));
    let report = json(&output);
    assert_eq!(report["timing_met"], true, "{report:#}");
    let (clock, reached) = (&report["clock_mhz"], &report["fmax_mhz"]);
    assert!(reached.as_f64() >= clock.as_f64(), "{report:#}");
    let bitstream = report["bitstream"].as_str().unwrap();
    assert!(fs::metadata(bitstream).unwrap().len() > 100_000);
}
