//! Waves of a failure: the window, the save file, the pictures.

use std::fs;
use std::path::Path;

use metaroce_cosim::Error;
use metaroce_cosim::axis::{AxisSink, AxisSource};
use metaroce_cosim::bus::{Stalls, step};
use metaroce_cosim::model::{Options, Sources, VerilatedModel};
use metaroce_cosim::waves::{self, Failure, Request, Value, WavesError};

const SIGNALS: [&str; 6] = [
    "rx_tvalid",
    "rx_tready",
    "rx_tdata",
    "tx_tvalid",
    "tx_tdata",
    "strike",
];

/// A run whose sink sees a broken rule; with a request, the same with waves.
fn run(request: Option<&Request>) -> Result<Vec<u64>, Error> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/axis_register.v");
    let options = Options {
        traced: request.is_some(),
        ..Options::small()
    }
    .with_parameter("BROKEN", 1);
    let mut model = VerilatedModel::build(&Sources::new("axis_register", [file]), &options)?;
    if let Some(request) = request {
        request.arm(&mut model)?;
    }
    let mut source = AxisSource::new(&model, "rx", Stalls::random(0.2, 1))?;
    let mut sink = AxisSink::new(&model, "tx", Stalls::random(0.5, 2))?;
    (0..400).for_each(|n| source.push(vec![n as u8; 6]));
    for _ in 0..900 {
        step(&mut model, &mut [&mut source, &mut sink])?;
    }
    Ok(sink
        .violations()
        .iter()
        .map(|violation| violation.cycle)
        .collect())
}

fn failure(cycle: u64) -> Failure {
    let mut signals: Vec<String> = SIGNALS.map(String::from).to_vec();
    signals.push("not_there".into());
    Failure {
        cycle,
        title: "tx: stable while stalled".into(),
        signals,
    }
}

#[test]
fn failure_leaves_waves_save_file_and_pictures() {
    let cycle = run(None)
        .unwrap()
        .into_iter()
        .find(|cycle| *cycle > 300)
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let rerun = |request: &Request| run(Some(request)).map(drop);
    let files = waves::record_failure(folder.path(), "stall", &failure(cycle), rerun).unwrap();

    let window = waves::read_window(
        &files.fst,
        &[SIGNALS[3].into(), SIGNALS[4].into()],
        cycle,
        250,
        60,
    )
    .unwrap();
    let recorded =
        |cycle: u64| window.rows[0].values[(cycle - window.first) as usize] != Value::Unknown;
    assert!(recorded(cycle - 200) && recorded(cycle + 50));
    assert!(!recorded(cycle - 201) && !recorded(cycle + 51));
    // The rule that the monitor saw broken shows in the waves at the same cycle.
    let data = |cycle: u64| &window.rows[1].values[(cycle - window.first) as usize];
    assert_eq!(
        window.rows[0].values[(cycle - window.first) as usize],
        Value::Bit(true)
    );
    assert_ne!(data(cycle - 1), data(cycle));

    let save = fs::read_to_string(&files.gtkw).unwrap();
    assert!(save.contains("[dumpfile] \"stall.fst\""), "{save}");
    assert!(save.contains(&format!(" {} -1", cycle * 10 + 4)), "{save}");
    assert!(
        save.contains("tx_tdata[31:0]") && !save.contains("not_there"),
        "{save}"
    );
    let svg = fs::read_to_string(&files.svg).unwrap();
    assert!(
        svg.contains("tx_tdata[31:0]") && svg.contains("cycle fail\" x="),
        "{svg}"
    );
    let json = fs::read_to_string(&files.json).unwrap();
    assert!(
        json.contains("\"wave\": \"p.") && json.contains("rx_tvalid"),
        "{json}"
    );
    if let Ok(keep) = std::env::var("METAROCE_KEEP_WAVES") {
        [files.fst, files.gtkw, files.svg, files.json]
            .iter()
            .for_each(|file| {
                fs::copy(file, Path::new(&keep).join(file.file_name().unwrap())).unwrap();
            });
    }
}

#[test]
fn unknown_signal_is_an_error_with_similar_names() {
    let folder = tempfile::tempdir().unwrap();
    let rerun = |request: &Request| run(Some(request)).map(drop);
    let files = waves::record_failure(folder.path(), "x", &failure(100), rerun).unwrap();
    let error = waves::render_svg(&files.fst, &["tx_tdat".into()], 100, 2, 2).unwrap_err();
    assert!(
        error.to_string().contains("axis_register.tx_tdata"),
        "{error}"
    );
    assert!(
        waves::signal_names(&files.fst)
            .unwrap()
            .iter()
            .any(|name| name.ends_with(".strike"))
    );
}

#[test]
fn rerun_that_never_gets_there_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let rerun = |request: &Request| run(Some(request)).map(drop);
    let result = waves::record_failure(folder.path(), "late", &failure(5_000), rerun);
    assert!(
        matches!(result, Err(WavesError::NoWaves { from: 4_800, .. })),
        "{result:?}"
    );
}
