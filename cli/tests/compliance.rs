//! `metaroce compliance`: its words, its results and its exit codes.
mod support;

use std::net::TcpStream;
use std::process::{Child, Output};
use std::time::{Duration, Instant};

use support::{folder, json, metaroce, stderr};

fn compliance(words: &[&str]) -> Output {
    let mut command = metaroce();
    command.args(["compliance", "--json"]).args(words);
    command.output().expect("the command runs")
}

#[test]
fn points_and_their_mutants_are_reported_as_json_and_junit() {
    let folder = folder();
    let xml = folder.path().join("results.xml");
    let path = xml.to_str().expect("a plain path");
    let words = [
        "--target",
        "model",
        "--mutants",
        "--junit",
        path,
        "--point",
        "P04",
        "T04",
    ];
    let output = compliance(&words);
    let report = json(&output);
    assert!(output.status.success(), "{report:#}");
    assert_eq!(
        (&report["passed"], &report["failed"], &report["skipped"]),
        (&2.into(), &0.into(), &0.into())
    );
    assert_eq!(report["points"][0]["id"], "P04");
    assert_eq!(report["points"][1]["result"], "passed");
    let mutants = report["mutants"].as_array().expect("a list");
    assert_eq!(mutants.len(), 3, "{report:#}");
    assert!(
        mutants
            .iter()
            .all(|m| m["caught"] == true && (m["by"] == "P04" || m["by"] == "T04"))
    );
    let xml = std::fs::read_to_string(xml).expect("the file is written");
    assert!(
        xml.contains("tests=\"5\"") && xml.contains("failures=\"0\""),
        "{xml}"
    );
}

#[test]
fn wrong_hardware_is_caught_too_and_what_it_lacks_is_skipped() {
    let words = ["--target", "cosim", "--mutants", "--point", "A06", "D01"];
    let output = compliance(&words);
    let report = json(&output);
    assert!(output.status.success(), "{report:#}");
    let mutants = report["mutants"].as_array().expect("a list");
    let of = |name: &str| mutants.iter().find(|m| m["name"] == name).expect(name);
    let wrong = of("mark_change_not_told");
    assert_eq!(
        (&wrong["caught"], &wrong["by"]),
        (&true.into(), &"A06".into())
    );
    let lacking = of("dead_plane_used");
    assert_eq!(
        (&lacking["caught"], &lacking["skipped"]),
        (&false.into(), &true.into())
    );
    assert!(lacking["detail"].is_string());
}

#[test]
fn wrong_words_end_with_2() {
    for words in [
        &["--target", "nobody"][..],
        &["--target", "soft://no-port"],
        &["--target", "model", "--point", "P99"],
        &["--target", "model", "--local", "127.0.0.2"],
        &["--target", "soft://127.0.0.1:1", "--mutants"],
        &[],
    ] {
        let output = compliance(words);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{words:?}: {}",
            stderr(&output)
        );
        assert!(!stderr(&output).is_empty());
    }
}

#[test]
fn a_peer_that_is_not_there_ends_with_1_and_its_name() {
    let output = compliance(&["--target", "soft://127.0.89.9:1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("127.0.89.9:1"),
        "{}",
        stderr(&output)
    );
}

/// A server that ends with the test.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve(address: &str, words: &[&str]) -> Served {
    let mut command = metaroce();
    command.args(["serve", "--local", address]).args(words);
    let served = Served(command.spawn().expect("the command runs"));
    let deadline = Instant::now() + Duration::from_secs(30);
    while TcpStream::connect((address, 18_515)).is_err() {
        assert!(Instant::now() < deadline, "the server does not listen");
        std::thread::sleep(Duration::from_millis(50));
    }
    served
}

#[test]
fn a_peer_that_breaks_a_rule_ends_with_1() {
    // One that acknowledges every third packet, where every second one is agreed.
    let _served = serve("127.0.89.1", &["--ack-every", "3"]);
    let words = [
        "--target",
        "soft://127.0.89.1:18515",
        "--point",
        "P07",
        "A02",
        "T01",
    ];
    let output = compliance(&words);
    let report = json(&output);
    assert_eq!(output.status.code(), Some(1), "{report:#}");
    let results: Vec<_> = (report["points"].as_array().expect("a list").iter())
        .map(|p| {
            (
                p["id"].as_str().unwrap_or_default(),
                p["result"].as_str().unwrap_or_default(),
            )
        })
        .collect();
    assert_eq!(
        results,
        [("P07", "passed"), ("A02", "failed"), ("T01", "skipped")]
    );
    assert!(
        report["points"][1]["detail"]
            .as_str()
            .is_some_and(|d| d.contains("ACKs"))
    );
}
