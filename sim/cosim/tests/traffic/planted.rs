//! Faults of the transmit engine that harm no packet: only the lockstep can tell.
use metaroce_cosim::lab::NicLab;
use metaroce_cosim::traffic::{Setting, Traffic, TrafficError};
use metaroce_model::config::Tunables;
use metaroce_rtl::sizes::Size as Built;

/// Cycles of traffic in which a fault must show.
const SOON: u64 = 30_000;

/// Faults of a short run: each is a NIC to build.
const QUICK: usize = 2;

/// What stands in the Verilog exactly once, and what takes its place.
const FAULTS: &[(&str, &str, &str)] = &[
    (
        "path 1 is never able",
        "assign there1_d = there;",
        "assign there1_d = there & 4'b1101;",
    ),
    (
        "no path is judged to want a probe",
        "(valid4_q & ((judge_tail | judge_timeout) | judge_give_up))",
        "(valid4_q & 1'b0)",
    ),
    (
        "the last packet of a window never asks for an acknowledgement",
        "assign tight = (|(just_q & last2_q));",
        "assign tight = 1'b0;",
    ),
    (
        "every packet asks for an acknowledgement",
        "assign tight = (|(just_q & last2_q));",
        "assign tight = 1'b1;",
    ),
];

#[test]
fn a_choice_that_is_not_the_models_is_found() {
    let all = std::env::var_os("METAROCE_LONG").is_some();
    let faults = if all { FAULTS } else { &FAULTS[..QUICK] };
    for (what, right, wrong) in faults {
        let lab = NicLab::changed(Built::Tiny, |design| {
            let mut places: Vec<_> = (design.modules.iter_mut())
                .filter(|module| module.verilog.contains(right))
                .collect();
            assert_eq!(places.len(), 1, "{what}: {right}");
            let verilog = &mut places[0].verilog;
            assert_eq!(verilog.matches(right).count(), 1, "{what}: {right}");
            *verilog = verilog.replace(right, wrong);
        });
        let lab = lab.expect("Verilog");
        let rough = Setting::rough(5, lab.size());
        // A window that is full now and then.
        let setting = Setting {
            tunables: Tunables {
                window: 4,
                ..rough.tunables
            },
            ..rough
        };
        let mut traffic = Traffic::new(&lab, setting).expect("traffic");
        match traffic.run(SOON) {
            Err(TrafficError::Failure(difference)) => println!("{what}: {difference}"),
            other => panic!("{what}: {other:?}"),
        }
    }
}
