//! Builds and drives real models with the Verilator that the environment chooses.

use std::path::{Path, PathBuf};

use verilator_sys::{
    BuildError, Direction, Initial, ModelError, Options, RawModel, Sources, build,
};

fn fixture() -> Sources {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    Sources::new("widths", [folder.join("widths.v")])
}

fn create(options: &Options, initial: Initial) -> RawModel {
    let artefact = build(&fixture(), options).unwrap_or_else(|error| panic!("{error}"));
    RawModel::create(&artefact, initial).unwrap()
}

fn number(model: &RawModel, name: &str) -> usize {
    model
        .ports()
        .iter()
        .position(|port| port.name == name)
        .unwrap()
}

fn tick(model: &mut RawModel) -> Result<(), ModelError> {
    let clock = number(model, "clock");
    model.set(clock, 0);
    model.eval()?;
    model.set(clock, 1);
    model.eval()
}

#[test]
fn values_of_every_width_pass_through() {
    let mut model = create(&Options::small(), Initial::Zero);
    for (name, value) in [
        ("byte", 0xa5),
        ("half", 0x3ff),
        ("word", 0xffff_fffe),
        ("double", 0xab_cdef_0123),
    ] {
        let (input, output) = (
            number(&model, &format!("{name}_in")),
            number(&model, &format!("{name}_out")),
        );
        model.set(input, value);
        tick(&mut model).unwrap();
        assert_eq!(
            model.get(output),
            if name == "byte" { value + 1 } else { value },
            "{name}"
        );
    }
    let (input, output) = (number(&model, "wide_in"), number(&model, "wide_out"));
    let bytes: Vec<u8> = (1..=16).chain([0x7]).collect();
    model.set_bytes(input, &bytes);
    tick(&mut model).unwrap();
    let mut found = [0xff; 20];
    model.get_bytes(output, &mut found);
    assert_eq!(found[..17], bytes);
    assert_eq!(found[17..], [0, 0, 0]);
    assert_eq!(model.get(output), 0x0807_0605_0403_0201);
}

#[test]
fn ports_have_their_verilog_names_and_directions() {
    let model = create(&Options::small(), Initial::Zero);
    let port = &model.ports()[number(&model, "tx__memory")];
    assert_eq!((port.width, port.direction), (8, Direction::Output));
    assert_eq!(model.ports()[number(&model, "wide_in")].width, 131);
}

#[test]
fn parameters_reach_the_top() {
    let mut model = create(&Options::small().with_parameter("STEP", 5), Initial::Zero);
    tick(&mut model).unwrap();
    assert_eq!(model.get(number(&model, "byte_out")), 5);
}

#[test]
#[should_panic(expected = "0x400 does not fit port `half_in` of 10 bits")]
fn value_wider_than_its_port_panics() {
    let mut model = create(&Options::small(), Initial::Zero);
    let port = number(&model, "half_in");
    model.set(port, 0x400);
}

#[test]
#[should_panic(expected = "is an output")]
fn setting_an_output_panics() {
    let mut model = create(&Options::small(), Initial::Zero);
    let port = number(&model, "half_out");
    model.set(port, 1);
}

#[test]
fn stop_is_an_error_and_other_instances_go_on() {
    let mut failing = create(&Options::small(), Initial::Zero);
    let mut other = create(&Options::small(), Initial::Zero);
    let stop = number(&failing, "stop");
    failing.set(stop, 1);
    for _ in 0..2 {
        let error = tick(&mut failing).unwrap_err().to_string();
        assert!(
            error.contains("widths.v:") && error.contains("$stop"),
            "{error}"
        );
    }
    tick(&mut other).unwrap();
}

#[test]
fn logic_that_does_not_settle_is_an_error() {
    let mut model = create(&Options::small(), Initial::Zero);
    tick(&mut model).unwrap();
    let port = number(&model, "loop");
    model.set(port, 1);
    let error = model.eval().unwrap_err().to_string();
    assert!(error.contains("converge"), "{error}");
}

#[test]
fn initial_memory_is_zero_or_random_by_seed() {
    let read = |initial| {
        let mut model = create(&Options::small(), initial);
        let (address, data) = (number(&model, "byte_in"), number(&model, "tx__memory"));
        let values = (0..16).map(|index| {
            model.set(address, index);
            model.eval().unwrap();
            model.get(data)
        });
        values.collect::<Vec<_>>()
    };
    assert_eq!(read(Initial::Zero), [0; 16]);
    assert_eq!(read(Initial::Random(7)), read(Initial::Random(7)));
    assert_ne!(read(Initial::Random(7)), read(Initial::Random(8)));
}

#[test]
fn waves_are_written_in_several_windows() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = create(&Options::small().with_trace(), Initial::Zero);
    for window in 0..2_u64 {
        let path = folder.path().join(format!("{window}.fst"));
        model.trace_open(&path, 99).unwrap();
        for cycle in 0..20 {
            tick(&mut model).unwrap();
            model.trace_dump(window * 1000 + cycle).unwrap();
        }
        model.trace_close();
        assert!(std::fs::metadata(&path).unwrap().len() > 100);
    }
    let missing = folder.path().join("missing/x.fst");
    assert!(matches!(
        model.trace_open(&missing, 99),
        Err(ModelError::Trace { .. })
    ));
    let mut untraced = create(&Options::small(), Initial::Zero);
    assert!(matches!(
        untraced.trace_open(&missing, 99),
        Err(ModelError::NotTraced { .. })
    ));
}

#[test]
fn instances_move_between_threads() {
    let workers: Vec<_> = (0..4_u64)
        .map(|value| {
            let mut model = create(&Options::small(), Initial::Zero);
            std::thread::spawn(move || {
                let (input, output) = (number(&model, "byte_in"), number(&model, "byte_out"));
                for _ in 0..1000 {
                    model.set(input, value);
                    tick(&mut model).unwrap();
                    assert_eq!(model.get(output), value + 1);
                }
                model
            })
        })
        .collect();
    // Dropped on another thread than the one that ran it.
    workers
        .into_iter()
        .for_each(|worker| drop(worker.join().unwrap()));
}

#[test]
fn second_build_comes_from_the_cache() {
    let first = build(&fixture(), &Options::small()).unwrap();
    let second = build(&fixture(), &Options::small()).unwrap();
    assert!(!second.built);
    assert_eq!(first.library, second.library);
}

#[test]
fn refused_verilog_gives_verilators_own_words() {
    let folder = tempfile::tempdir().unwrap();
    let file: PathBuf = folder.path().join("bad.v");
    std::fs::write(
        &file,
        "module bad(input a, output b); assign b = nowhere.x; endmodule\n",
    )
    .unwrap();
    match build(&Sources::new("bad", [file]), &Options::small()) {
        Err(BuildError::Verilate { top, tail, .. }) => {
            assert!(top == "bad" && tail.contains("nowhere"), "{tail}")
        }
        other => panic!("{other:?}"),
    }
}
