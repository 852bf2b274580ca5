//! D: a plane that fails and comes back (section 11).
use metaroce_protocol::CompletionStatus::Success;
use metaroce_protocol::Opcode;

use super::{Point, point};
use crate::bench::{Bench, data};
use crate::check::{Check, ensure, ensure_eq};
use crate::heard::Heard;
use crate::setup::{Setup, Whole};
use crate::target::Lab;

pub const POINTS: &[Point] = &[
    point(
        "D01",
        "Two silent paths make their plane suspect: its load moves to the others, and only probes go on (section 11).",
        dies,
    ),
    point(
        "D02",
        "Answered probes bring the plane back, with windows that begin at one packet (section 11).",
        returns,
    ),
];

/// The plane that fails.
const DEAD: u8 = 1;

/// A sender on four planes of which one is cut; ticks pass until the message is through.
fn cut(lab: &mut dyn Lab) -> Check<Bench> {
    let whole = Whole {
        suspect_paths: 2,
        recovery_probes: 3,
        ramp_ticks: 20_000,
        ..Whole::default()
    };
    let mut b = Bench::whole(lab, Setup::whole(whole))?;
    b.post_packets(1, 80)?;
    // A time-out, another one after twice the time, and what follows.
    pass(&mut b, 5)?;
    b.completed(&[(1, Success)])?;
    Ok(b)
}

/// Some RTOs pass; the dead plane loses everything. What was said.
fn pass(b: &mut Bench, rtos: u32) -> Check<Vec<Heard>> {
    let mut all = Vec::new();
    for _ in 0..rtos * b.setup.rto / 128 {
        let heard = b.wait(128)?;
        let (_, alive): (Vec<_>, Vec<_>) = heard.iter().cloned().partition(|f| f.plane == DEAD);
        b.take_all(&alive)?;
        all.extend(heard);
    }
    Ok(all)
}

fn dies(lab: &mut dyn Lab) -> Check {
    let mut b = cut(lab)?;
    b.post_packets(2, 100)?;
    let heard = pass(&mut b, 4)?;
    let dead: Vec<_> = heard.iter().filter(|f| f.plane == DEAD).collect();
    ensure!(!dead.is_empty(), "a suspect plane is not probed");
    let wrong = dead.iter().find(|f| f.opcode() != Opcode::Probe);
    ensure!(
        wrong.is_none(),
        "a suspect plane carries {:?}",
        wrong.map(|f| f.opcode())
    );
    ensure_eq!(data(&heard).len(), 100, "packets of the second message");
    b.completed(&[(2, Success)])
}

fn returns(lab: &mut dyn Lab) -> Check {
    let mut b = cut(lab)?;
    // Three probes, answered.
    for _ in 0..4 * b.setup.rto / 128 {
        let heard = b.wait(128)?;
        b.take_all(&heard)?;
    }
    b.post_packets(2, 100)?;
    let heard = b.hear()?;
    for path in (0..b.setup.paths).filter(|&p| b.setup.plane(p) == DEAD) {
        let packets = data(&heard).iter().filter(|f| f.path() == path).count();
        ensure_eq!(
            packets,
            1,
            "packets on path {path} of the plane that came back"
        );
    }
    b.take_all(&heard)?;
    b.run()?;
    b.completed(&[(2, Success)])
}
