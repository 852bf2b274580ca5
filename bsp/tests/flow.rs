//! What can go wrong with outside tools, and that nothing half done is left behind.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use metaroce_bsp::FlowError;
use metaroce_bsp::synth::{Build, Built};
use metaroce_bsp::tool::{Tool, Toolbox};

/// A small design with a known shape: an adder on its own sum.
const ADDER: &str = "module adder (input wire clock, input wire [7:0] step, output reg [7:0] sum);
    initial sum = 0;
    always @(posedge clock) sum <= sum + step;
endmodule
";

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A tool that is a shell script; it answers when asked for its version.
    fn script(&self, name: &str, body: &str) -> PathBuf {
        let path = self.path().join(name);
        let text = format!(
            "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'Version 0 (script)'; exit 0; fi\n{body}\n"
        );
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Tools that all do their work, without doing it.
    fn toolbox(&self) -> Toolbox {
        let report = r#"{"fmax": {"clock": {"achieved": 80.0, "constraint": 50.0}}, "utilization": {"ICESTORM_LC": {"used": 9, "available": 7680}, "ICESTORM_RAM": {"used": 0, "available": 32}}}"#;
        let stat = r#"{"design": {"num_cells_by_type": {"SB_LUT4": 9}}}"#;
        Toolbox::default()
            .with(
                Tool::Yosys,
                self.script(
                    "yosys",
                    &format!("echo '{stat}' > stat.json; echo '{{}}' > top.json"),
                ),
            )
            .with(
                Tool::NextpnrIce40,
                self.script(
                    "nextpnr",
                    &format!("echo '{report}' > report-1.json; echo text > top-1.asc"),
                ),
            )
            .with(
                Tool::Icepack,
                self.script(
                    "icepack",
                    r"printf '\377\176\252\231\176xxxx\001\006\000' > top.bin",
                ),
            )
    }

    fn build(&self, toolbox: &Toolbox) -> Result<Built, FlowError> {
        let build = Build {
            name: "adder",
            top: "adder",
            verilog: &[("adder.v", ADDER)],
            pins: None,
            clock_mhz: 50.0,
            seeds: &[1],
            toolbox,
        };
        build.run(&self.out())
    }

    fn out(&self) -> PathBuf {
        self.path().join("out")
    }

    /// Names in the output folder, hidden ones as well.
    fn left(&self) -> Vec<String> {
        let entries = fs::read_dir(self.out()).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect()
    }
}

/// The error's text; the build must have failed and have left nothing but logs.
fn failure(place: &Place, toolbox: &Toolbox) -> (FlowError, String) {
    fs::create_dir_all(place.out()).unwrap();
    fs::write(place.out().join("adder.bin"), "of an earlier run").unwrap();
    let error = place.build(toolbox).unwrap_err();
    assert_eq!(place.left(), ["logs"]);
    let text = error.to_string();
    (error, text)
}

#[test]
fn tools_that_do_their_work_give_a_bitstream() {
    let place = Place::new();
    let built = place.build(&place.toolbox()).unwrap();
    assert_eq!(built.bitstream, place.out().join("adder.bin"));
    assert_eq!(
        (built.seed, built.cells, built.fmax_mhz),
        (1, (9, 7680), 80.0)
    );
    let mut left = place.left();
    left.sort();
    assert_eq!(left, ["adder.bin", "logs"]);
}

#[test]
fn a_missing_tool_is_named_with_the_way_out() {
    let place = Place::new();
    for tool in [Tool::Yosys, Tool::NextpnrIce40] {
        let toolbox = place.toolbox().with(tool, "/nowhere/tool");
        let (error, text) = failure(&place, &toolbox);
        assert!(matches!(error, FlowError::ToolMissing { .. }), "{error:?}");
        assert!(
            text.contains("./setup")
                && text.contains(tool.variable())
                && text.contains("/nowhere/tool"),
            "{text}"
        );
    }
    // icepack has no version to ask for: it is missed when it is needed.
    let (error, _) = failure(
        &place,
        &place.toolbox().with(Tool::Icepack, "/nowhere/tool"),
    );
    assert!(matches!(error, FlowError::ToolMissing { .. }), "{error:?}");
}

#[test]
fn every_tools_exit_code_counts() {
    for tool in [Tool::Yosys, Tool::NextpnrIce40, Tool::Icepack] {
        let place = Place::new();
        // It writes all that it should, and fails then.
        let good = place.toolbox().program(tool);
        let body = fs::read_to_string(&good)
            .unwrap()
            .lines()
            .skip(2)
            .collect::<Vec<_>>()
            .join("\n");
        let bad = place.script(
            "bad",
            &format!("{body}\necho first; echo ERROR: no luck >&2\nexit 3"),
        );
        let (error, text) = failure(&place, &place.toolbox().with(tool, bad));
        let FlowError::ToolFailed { tail, log, .. } = &error else {
            panic!("{error:?}")
        };
        assert!(
            tail.ends_with("ERROR: no luck") && text.contains("exit code 3"),
            "{text}"
        );
        assert!(fs::read_to_string(log).unwrap().contains("first"));
    }
}

#[test]
fn a_tool_that_writes_nothing_or_half_has_failed() {
    let place = Place::new();
    for tool in [Tool::Yosys, Tool::NextpnrIce40, Tool::Icepack] {
        let toolbox = place.toolbox().with(tool, place.script("idle", "exit 0"));
        let (error, _) = failure(&place, &toolbox);
        assert!(
            matches!(error, FlowError::OutputMissing { .. }),
            "{tool:?}: {error:?}"
        );
    }
    let half = place.script("half", r"printf '\377\176\252\231\176xxxx' > top.bin");
    let (error, text) = failure(&place, &place.toolbox().with(Tool::Icepack, half));
    assert!(
        matches!(error, FlowError::Report { .. }) && text.contains("no whole bitstream"),
        "{error:?}"
    );
    let cut = place.script(
        "cut",
        "echo '{\"fmax\": {' > report-1.json; echo text > top-1.asc",
    );
    let (error, _) = failure(&place, &place.toolbox().with(Tool::NextpnrIce40, cut));
    assert!(matches!(error, FlowError::Report { .. }), "{error:?}");
}

#[test]
fn a_design_beyond_the_device_is_told_with_its_needs() {
    let place = Place::new();
    let full = place.script(
        "full",
        "echo 'Info:          ICESTORM_LC:  9412/ 7680   122%'; exit 255",
    );
    let (error, text) = failure(&place, &place.toolbox().with(Tool::NextpnrIce40, full));
    assert!(matches!(error, FlowError::DoesNotFit { .. }), "{error:?}");
    assert!(text.contains("9412 ICESTORM_LC of 7680"), "{text}");
}

#[test]
fn an_output_folder_that_cannot_be_is_told() {
    let place = Place::new();
    fs::write(place.out(), "a file").unwrap();
    let error = place.build(&place.toolbox()).unwrap_err();
    assert!(matches!(error, FlowError::Io { .. }), "{error:?}");
    assert!(error.to_string().contains("logs"), "{error}");
}

#[test]
fn a_full_disk_is_told() {
    // What every write to it answers: no space left on device.
    let place = Place::new();
    fs::create_dir_all(place.out().join("logs")).unwrap();
    std::os::unix::fs::symlink("/dev/full", place.out().join("logs/yosys.log")).unwrap();
    let noisy = place.script("noisy", "echo words || exit 1");
    let error = place
        .build(&place.toolbox().with(Tool::Yosys, noisy))
        .unwrap_err();
    assert!(matches!(error, FlowError::ToolFailed { .. }), "{error:?}");
    assert_eq!(place.left(), ["logs"]);
}

#[test]
fn who_asks_to_stop_is_obeyed() {
    let place = Place::new();
    let stop = Arc::new(AtomicBool::new(false));
    let slow = place.script("slow", "sleep 60");
    let toolbox = place.toolbox().with(Tool::Yosys, slow);
    let asked = stop.clone();
    let helper = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        asked.store(true, Ordering::Relaxed);
    });
    let began = Instant::now();
    let (error, _) = failure(&place, &toolbox.with_stop(stop));
    helper.join().unwrap();
    assert!(matches!(error, FlowError::Interrupted), "{error:?}");
    assert!(began.elapsed() < Duration::from_secs(30));
}

/// With yosys, nextpnr and icepack themselves.
mod real {
    use super::*;

    fn adder(place: &Place, clock_mhz: f64) -> Result<Built, FlowError> {
        let build = Build {
            name: "adder",
            top: "adder",
            verilog: &[("adder.v", ADDER)],
            pins: None,
            clock_mhz,
            seeds: &[1, 2],
            toolbox: &Toolbox::default(),
        };
        build.run(&place.out())
    }

    #[test]
    fn an_adder_becomes_a_bitstream() {
        let place = Place::new();
        let built = adder(&place, 50.0).unwrap();
        assert_eq!(built.seed, 1);
        assert!(built.fmax_mhz > 50.0, "{built:?}");
        // Eight sums and their registers share cells; the carry may take one more.
        assert!((8..=12).contains(&built.cells.0), "{built:?}");
        assert_eq!((built.cells.1, built.rams), (7680, (0, 32)));
        // What an HX8K takes, whatever is in it.
        assert!(fs::metadata(&built.bitstream).unwrap().len() > 100_000);
        assert!(built.tools["yosys"].starts_with("Yosys"), "{built:?}");
    }

    #[test]
    fn a_missed_clock_is_an_error_and_leaves_no_bitstream() {
        let place = Place::new();
        adder(&place, 50.0).unwrap();
        let error = adder(&place, 2000.0).unwrap_err();
        let FlowError::TimingMissed { tried, .. } = &error else {
            panic!("{error:?}")
        };
        assert_eq!(tried.len(), 2, "every seed was tried");
        assert_eq!(place.left(), ["logs"]);
    }

    #[test]
    fn what_is_no_verilog_is_told_in_yosys_words() {
        let place = Place::new();
        let build = Build {
            name: "adder",
            top: "adder",
            verilog: &[("adder.v", "module adder (input wire clock;")],
            pins: None,
            clock_mhz: 50.0,
            seeds: &[1],
            toolbox: &Toolbox::default(),
        };
        let error = build.run(&place.out()).unwrap_err();
        assert!(
            matches!(error, FlowError::ToolFailed { .. })
                && error.to_string().contains("syntax error"),
            "{error}"
        );
        assert_eq!(place.left(), ["logs"]);
    }
}
