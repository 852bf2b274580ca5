//! A file crosses lossy planes in lockstep: every seed and loss, every awkward length, every wrong word.
mod support;

use std::time::Duration;

use support::{assert_identical, cosim, file, folder, json, long, metaroce, stderr};

#[test]
fn seeds_and_losses_stay_in_lockstep() {
    let folder = folder();
    let bytes = if long() { 1 << 20 } else { 200_000 };
    let input = file(folder.path(), bytes);
    let seeds = if long() { 1..=20 } else { 1..=3 };
    for seed in seeds {
        for loss in [0.0, 0.001, 0.01, 0.05, 0.1] {
            let (seed, loss_text) = (seed.to_string(), loss.to_string());
            let output = cosim(
                &input,
                folder.path(),
                &["--seed", &seed, "--loss", &loss_text, "--no-pcap"],
            );
            let report = assert_identical(&output);
            if loss == 0.0 {
                assert_eq!(report["retransmissions"], 0, "nothing was lost");
            }
            assert_eq!(
                report["spurious_retransmissions"], 0,
                "paths keep their order: {report:#}"
            );
        }
    }
}

#[test]
fn everything_at_once_stays_in_lockstep() {
    let folder = folder();
    let input = file(folder.path(), 150_000);
    for seed in 1..=(if long() { 20 } else { 2 }) {
        let seed = seed.to_string();
        let words = [
            "--seed",
            &seed,
            "--loss",
            "0.03",
            "--mark",
            "0.2",
            "--duplicate",
            "0.05",
            "--corrupt",
            "0.03",
        ];
        let harder = [
            "--jitter",
            "300",
            "--stall",
            "0.3",
            "--message",
            "10000",
            "--no-pcap",
        ];
        assert_identical(&cosim(
            &input,
            folder.path(),
            &[&words[..], &harder[..]].concat(),
        ));
    }
}

#[test]
fn awkward_lengths_arrive_whole() {
    let folder = folder();
    for bytes in [0, 1, 3, 4, 7, 8, 1023, 1024, 1025, 4095, 4096, 4097] {
        let input = file(folder.path(), bytes);
        assert_identical(&cosim(
            &input,
            folder.path(),
            &["--loss", "0.05", "--no-pcap"],
        ));
    }
}

#[test]
fn every_number_of_planes_works_and_no_other() {
    let folder = folder();
    let input = file(folder.path(), 50_000);
    for planes in ["1", "2", "3", "4"] {
        assert_identical(&cosim(
            &input,
            folder.path(),
            &["--planes", planes, "--loss", "0.01", "--no-pcap"],
        ));
    }
    for planes in ["0", "5", "-1", "many"] {
        let output = cosim(&input, folder.path(), &["--planes", planes]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn total_loss_fails_the_connection_by_name() {
    let folder = folder();
    let input = file(folder.path(), 5_000);
    let output = cosim(&input, folder.path(), &["--loss", "1.0", "--no-pcap"]);
    assert_eq!(output.status.code(), Some(1));
    let report = json(&output);
    assert_eq!(report["identical"], false);
    assert_eq!(report["lockstep_mismatches"], 0, "{report:#}");
    assert!(
        report["failure"]
            .as_str()
            .unwrap()
            .contains("retry_exceeded"),
        "{report:#}"
    );
}

#[test]
fn a_planted_fault_is_found_and_shown() {
    let folder = folder();
    let input = file(folder.path(), 100_000);
    let output = cosim(
        &input,
        folder.path(),
        &["--plant-fault", "2500", "--no-pcap"],
    );
    assert_eq!(output.status.code(), Some(1));
    let report = json(&output);
    assert_eq!(report["lockstep_mismatches"], 1, "{report:#}");
    let failure = report["failure"].as_str().unwrap();
    assert!(
        failure.contains("NIC A") && failure.contains("payload byte"),
        "{failure}"
    );
    for key in ["waves", "gtkwave", "picture"] {
        let path = report[key]
            .as_str()
            .unwrap_or_else(|| panic!("no {key}: {report:#}"));
        assert!(std::fs::metadata(path).unwrap().len() > 0);
    }
    let save = std::fs::read_to_string(report["gtkwave"].as_str().unwrap()).unwrap();
    assert!(save.contains("trace_transmit_valid"), "{save}");
}

#[test]
fn the_capture_is_whole_and_tshark_decodes_it() {
    let folder = folder();
    let input = file(folder.path(), 30_000);
    let report = assert_identical(&cosim(&input, folder.path(), &["--loss", "0.01"]));
    let lua = folder.path().join("metaroce.lua");
    assert!(
        metaroce()
            .args(["dissector", "--out"])
            .arg(&lua)
            .status()
            .unwrap()
            .success()
    );
    let script = format!("lua_script:{}", lua.display());
    let pcap = report["pcap"].as_str().unwrap();
    let output = std::process::Command::new("tshark")
        .args([
            "-X",
            &script,
            "-r",
            pcap,
            "-T",
            "fields",
            "-e",
            "infiniband.bth.opcode",
            "-e",
            "metaroce.path.tsn",
        ])
        .output()
        .expect("tshark is there: ./setup installs it");
    let text = String::from_utf8_lossy(&output.stdout);
    let rows: Vec<_> = text.lines().collect();
    assert!(
        rows.len() as u64 >= report["packets"].as_u64().unwrap(),
        "{text}{}",
        stderr(&output)
    );
    assert!(
        rows.iter()
            .all(|row| row.split('\t').all(|field| !field.is_empty())),
        "{text}"
    );
}

#[test]
fn bad_input_is_named_and_leaves_nothing() {
    let folder = folder();
    let input = file(folder.path(), 100);
    let missing = folder.path().join("missing");
    let output = cosim(&missing, folder.path(), &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("missing"), "{}", stderr(&output));
    // A file where the folder should be.
    let output = cosim(&input, &input.join("below"), &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("can't make"),
        "{}",
        stderr(&output)
    );
    for words in [
        ["--loss", "1.5"],
        ["--loss", "x"],
        ["--stall", "1.0"],
        ["--message", "0"],
    ] {
        assert_eq!(
            cosim(&input, folder.path(), &words).status.code(),
            Some(2),
            "{words:?}"
        );
    }
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(left, ["input-100"]);
}

#[test]
fn a_missing_or_old_verilator_is_named() {
    let folder = folder();
    let input = file(folder.path(), 100);
    let run = |verilator: &str| {
        let mut command = metaroce();
        command
            .env("VERILATOR", verilator)
            .env("METAROCE_CACHE", folder.path().join("cache"));
        command
            .args(["cosim", "--file"])
            .arg(&input)
            .arg("--out")
            .arg(folder.path())
            .output()
            .unwrap()
    };
    let output = run("/nonexistent/verilator");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("/nonexistent/verilator"),
        "{}",
        stderr(&output)
    );
    let old = folder.path().join("old-verilator");
    std::fs::write(
        &old,
        "#!/bin/sh\necho 'Verilator 4.038 2020-07-11 rev v4.036'\n",
    )
    .unwrap();
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o755)).unwrap();
    let output = run(old.to_str().unwrap());
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("4.038"), "{}", stderr(&output));
}

#[test]
fn an_interrupt_ends_cleanly() {
    let folder = folder();
    let input = file(folder.path(), 8 << 20);
    // The NIC is built before, so that the interrupt falls into the simulation.
    assert_identical(&cosim(
        &file(folder.path(), 1),
        folder.path(),
        &["--no-pcap"],
    ));
    let out = folder.path().join("out");
    let mut child = metaroce()
        .args(["cosim", "--file"])
        .arg(&input)
        .arg("--out")
        .arg(&out)
        .spawn()
        .unwrap();
    let partial = out.join("planes.pcapng.partial");
    let deadline = std::time::Instant::now() + Duration::from_secs(120);
    while !partial.exists() && std::time::Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_millis(300));
    let kill = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(
        std::fs::read_dir(&out).unwrap().next().is_none(),
        "nothing half-written is left"
    );
}
