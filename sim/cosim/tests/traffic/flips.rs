//! The lockstep believes no wrong trace: the lowest or the highest bit of a port is read wrong, and it says so.
use std::collections::BTreeSet;

use metaroce_cosim::lab::NicLab;
use metaroce_cosim::planes::Faults;
use metaroce_cosim::traffic::{Setting, Traffic, TrafficError};
use metaroce_model::config::Congestion;
use metaroce_rtl::sizes::Size as Built;

/// Cycles of traffic in which a wrong bit must show.
const SOON: u64 = 30_000;

/// What the traffic must be like for a port to say anything.
fn setting(port: &str, lab: &NicLab) -> Setting {
    let rough = Setting::rough(5, lab.size());
    match port {
        // A connection gives up when nothing arrives.
        "trace_give_up_connection" => Setting {
            faults: Faults {
                loss: 1.0,
                ..rough.faults
            },
            tunables: metaroce_model::config::Tunables {
                rto: 400,
                max_retries: 1,
                ..rough.tunables
            },
            ..rough
        },
        _ if port.starts_with("trace_window") => Setting {
            congestion: Congestion {
                law: 1,
                ..Congestion::default()
            },
            ..rough
        },
        _ => rough,
    }
}

/// Ports that tell of messages at their receiver, of responses, or of windows under a law of congestion: the smallest size has none.
const LARGER: &[&str] = &[
    "trace_load_response",
    "trace_offer_response",
    "trace_post",
    "trace_retire_receive",
    "trace_retire_response",
    "trace_tell",
    "trace_window",
];

/// Says nothing while no packet is refused, and none is here: its wrong bits are not looked for.
const QUIET: &[&str] = &["trace_receive_refusal_room"];

#[test]
fn a_wrong_bit_of_any_port_of_the_trace_is_found() {
    let [tiny, small] =
        [Built::Tiny, Built::Small].map(|built| NicLab::new(built).expect("Verilog"));
    let right = Traffic::new(&tiny, Setting::rough(5, tiny.size())).expect("traffic");
    let ports: Vec<_> = right.bed.stations[0].trace_ports().collect();
    assert!(ports.len() > 20, "{ports:?}");
    let mut unseen = Vec::new();
    for (port, width) in ports.iter().filter(|(port, _)| !QUIET.contains(port)) {
        let larger = LARGER.iter().any(|name| port.starts_with(name));
        let lab = if larger { &small } else { &tiny };
        for bit in BTreeSet::from([0, width - 1]) {
            let mut traffic = Traffic::new(lab, setting(port, lab)).expect("traffic");
            let nic = &mut traffic.bed.stations[0];
            nic.flip_trace(port, 1 << bit).expect("a port");
            // Entries of tables are written where connections are made.
            let run = match port.starts_with("trace_configure") {
                true => traffic.remake(),
                false => traffic.run(SOON),
            };
            match run {
                Err(TrafficError::Failure(difference)) => println!("{port}[{bit}]: {difference}"),
                other => unseen.push(format!("{port}[{bit}]: {other:?}")),
            }
        }
    }
    assert!(unseen.is_empty(), "{}", unseen.join("\n"));
}
