//! The software peer's commands as a user runs them: a server, every test against it, JSON, wrong words.
mod support;

use std::io::{BufRead, BufReader};
use std::process::{Child, Output, Stdio};

use serde_json::Value;
use support::{file, folder, json, metaroce, stderr};

/// A server that ends with its test.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// Listens on the first of these addresses, one a plane: each test has its own.
    fn start(local: &str, words: &[&str]) -> Self {
        let mut child = metaroce()
            .args(["--json", "serve", "--local", local])
            .args(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let mut lines = BufReader::new(child.stderr.as_mut().unwrap());
        lines.read_line(&mut said).unwrap();
        assert!(said.starts_with("listening on"), "{said}");
        let address = local.split(',').next().unwrap().to_string();
        Self { child, address }
    }

    /// Runs a client's command against it.
    fn client(&self, verb: &str, local: &str, words: &[&str]) -> Output {
        metaroce()
            .args(["--json", verb, &self.address, "--local", local])
            .args(words)
            .output()
            .unwrap()
    }

    /// Its report, once it has served as many clients as it was told to.
    fn report(mut self) -> Value {
        let status = self.child.wait().unwrap();
        let mut text = String::new();
        let stdout = self.child.stdout.take().unwrap();
        std::io::Read::read_to_string(&mut BufReader::new(stdout), &mut text).unwrap();
        assert!(status.success(), "{text}");
        serde_json::from_str(&text).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a command that succeeded printed.
fn result(output: &Output) -> Value {
    assert!(output.status.success(), "{}", stderr(output));
    json(output)
}

fn assert_numbers(value: &Value, keys: &[&str]) {
    for key in keys {
        assert!(value[key].is_number(), "{key}: {value:#}");
    }
}

#[test]
fn bandwidth_of_each_verb_is_one_json_object_and_the_server_counts_it() {
    let server = Server::start("127.1.1.1", &["--clients", "3"]);
    for (command, verb) in [
        ("write-bw", "write"),
        ("send-bw", "send"),
        ("read-bw", "read"),
    ] {
        let words = [
            "--size",
            "5001",
            "--iterations",
            "50",
            "--paths",
            "4",
            "--loss",
            "0.01",
        ];
        let result = result(&server.client(command, "127.1.1.2", &words));
        assert_eq!(result["verb"], verb);
        assert_eq!(
            (&result["bytes"], &result["iterations"]),
            (&5_001.into(), &50.into())
        );
        let keys = [
            "peak_gigabits_per_second",
            "average_gigabits_per_second",
            "message_rate_mpps",
            "seconds",
            "retransmissions",
        ];
        assert_numbers(&result, &keys);
    }
    let report = server.report();
    assert_eq!(
        (&report["clients"], &report["failed"]),
        (&3.into(), &0.into())
    );
    assert_eq!(report["counters"]["rx_write_bytes"], 50 * 5_001);
}

#[test]
fn latency_of_each_verb_is_one_json_object() {
    let server = Server::start("127.1.2.1", &["--clients", "3"]);
    for (command, verb) in [
        ("write-lat", "write"),
        ("send-lat", "send"),
        ("read-lat", "read"),
    ] {
        let words = ["--size", "64", "--iterations", "100", "--paths", "2"];
        let result = result(&server.client(command, "127.1.2.2", &words));
        assert_eq!(
            (&result["verb"], &result["iterations"]),
            (&verb.into(), &100.into())
        );
        let keys = [
            "t_min",
            "t_max",
            "t_typical",
            "t_avg",
            "t_stdev",
            "percentile_99",
            "percentile_99_9",
        ];
        assert_numbers(&result, &keys);
    }
    server.report();
}

#[test]
fn devinfo_and_stats_tell_what_a_peer_can_do_and_what_it_counted() {
    let server = Server::start("127.1.3.1", &["--mtu", "4096"]);
    result(&server.client(
        "write-bw",
        "127.1.3.2",
        &["--size", "4096", "--iterations", "10"],
    ));
    let ask = |verb: &str| {
        let words = ["--json", verb, &server.address];
        result(&metaroce().args(words).output().unwrap())
    };
    let info = ask("devinfo");
    let verbs = [
        "write",
        "write_imm",
        "send",
        "send_imm",
        "read",
        "fetch_add",
        "compare_swap",
    ];
    assert_eq!(info["verbs"], Value::from(verbs.to_vec()));
    assert_eq!((&info["mtu"], &info["planes"]), (&4_096.into(), &1.into()));
    let keys = [
        "connections",
        "paths",
        "window",
        "regions",
        "messages",
        "streams",
        "receives",
    ];
    assert_numbers(&info, &keys);
    let stats = ask("stats");
    assert_eq!(stats["counters"]["rx_write_bytes"], 40_960);
    assert!(stats["sockets"]["rx_datagrams"].as_u64() >= Some(10));
    let local = metaroce()
        .args(["devinfo", "--local", "127.1.3.9"])
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&local.stdout).contains("127.1.3.9"));
}

#[test]
fn a_file_crosses_two_planes_with_losses_and_the_capture_is_whole() {
    let folder = folder();
    let kept = folder.path().join("kept");
    std::fs::create_dir(&kept).unwrap();
    let input = file(folder.path(), 300_001);
    let capture = folder.path().join("client.pcapng");
    let words = [
        "--clients",
        "1",
        "--cpu",
        "0",
        "--folder",
        kept.to_str().unwrap(),
    ];
    let server = Server::start("127.1.4.1,127.1.4.3", &words);
    let words = [
        "--file",
        input.to_str().unwrap(),
        "--pcap",
        capture.to_str().unwrap(),
        "--loss",
        "0.02",
        "--seed",
        "3",
        "--cpu",
        "1",
    ];
    let report = result(&server.client("write-bw", "127.1.4.2,127.1.4.4", &words));
    assert_eq!(report["identical"], true);
    assert_eq!(report["bytes"], 300_001);
    server.report();
    let received = std::fs::read(kept.join(input.file_name().unwrap())).unwrap();
    assert!(received == std::fs::read(&input).unwrap());
    // A section header block begins a pcapng file; all the bytes are in it.
    let bytes = std::fs::read(&capture).unwrap();
    assert_eq!(bytes[..4], [0x0A, 0x0D, 0x0D, 0x0A]);
    assert!(bytes.len() > 300_001);
}

#[test]
fn bench_prints_the_agreed_keys() {
    let model = metaroce()
        .args(["--json", "bench", "model", "--packets", "10000"])
        .output()
        .unwrap();
    assert!(result(&model)["packets_per_second"].as_f64() > Some(0.0));
    if std::process::Command::new("iperf3")
        .arg("-v")
        .output()
        .is_err()
    {
        eprintln!("skipped: iperf3 is not installed");
        return;
    }
    let words = ["--json", "bench", "soft", "--seconds", "1", "--rounds", "1"];
    let soft = result(&metaroce().args(words).output().unwrap());
    assert!(soft["ratio_to_iperf3"].as_f64() > Some(0.0), "{soft:#}");
    assert_numbers(
        &soft["latency_us"],
        &["t_typical", "percentile_99", "percentile_99_9"],
    );
}

#[test]
fn wrong_words_are_named_with_exit_code_2_and_failures_with_1() {
    let run = |words: &[&str]| metaroce().args(words).output().unwrap();
    let own = ["--local", "127.1.5.2"];
    let wrong: [(&[&str], &str); 8] = [
        (&["send-bw", "127.1.5.1"], "--local"),
        (&["read-lat", "--local", "127.1.5.2"], "<SERVER>"),
        (&["devinfo"], "<SERVER>"),
        (&["stats"], "<SERVER>"),
        (&["send-lat", "127.1.5.1", "--local", "nowhere"], "nowhere"),
        (
            &[
                "read-bw",
                "127.1.5.1",
                "--local",
                "127.1.5.2",
                "--mtu",
                "1000",
            ],
            "1024",
        ),
        (
            &[
                "send-bw",
                "127.1.5.1",
                "--local",
                "127.1.5.2",
                "--loss",
                "1",
            ],
            "0 to below 1",
        ),
        (
            &[
                "send-bw",
                "127.1.5.1",
                "--local",
                "127.1.5.2",
                "--entropy",
                "65535",
            ],
            "beyond port 65535",
        ),
    ];
    for (words, why) in wrong {
        let output = run(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(
            stderr(&output).contains(why),
            "{words:?}: {}",
            stderr(&output)
        );
        assert!(output.stdout.is_empty());
    }
    for verb in [
        "write-bw",
        "send-bw",
        "read-bw",
        "write-lat",
        "send-lat",
        "read-lat",
    ] {
        let output = run(&[&[verb, "127.1.5.1"][..], &own].concat());
        assert_eq!(output.status.code(), Some(1), "{verb}");
        let text = stderr(&output);
        assert!(
            text.contains("can't reach a peer's set-up port at 127.1.5.1:18515"),
            "{text}"
        );
        let help = run(&[verb, "--help"]);
        assert!(help.status.success());
        assert!(
            String::from_utf8_lossy(&help.stdout).contains("Example:"),
            "{verb}"
        );
    }
    for verb in ["devinfo", "stats"] {
        assert_eq!(run(&[verb, "127.1.5.1"]).status.code(), Some(1), "{verb}");
    }
    let server = Server::start("127.1.5.1", &[]);
    let output = run(&["serve", "--local", &server.address]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("UDP port 4791 of 127.1.5.1 is in use"));
    let output = run(&["serve", "--local", "127.1.5.3", "--cpu", "9999"]);
    assert!(stderr(&output).contains("can't stay on CPU 9999"));
}
