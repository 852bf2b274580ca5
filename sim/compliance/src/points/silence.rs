//! O: time-outs (section 5).
use metaroce_protocol::CompletionStatus::{RetryExceeded, Success};
use metaroce_protocol::Opcode;

use super::{Point, point};
use crate::bench::{Bench, data, silent};
use crate::check::{Check, Stop, ensure, ensure_eq};
use crate::heard::Heard;
use crate::setup::Setup;
use crate::target::Lab;

pub const POINTS: &[Point] = &[
    point(
        "O01",
        "A time-out comes after RTO of silence, the next ones after twice the time each (section 5).",
        back_off,
    ),
    point(
        "O02",
        "A time-out sends a probe, never data (section 5).",
        probes_only,
    ),
    point(
        "O03",
        "The time stops doubling after six time-outs (section 5).",
        longest,
    ),
    point(
        "O04",
        "After MAX_RETRIES time-outs the connection fails with retry_exceeded and falls silent (section 5).",
        give_up,
    ),
    point(
        "O05",
        "An ACK that is applied starts the back-off anew (section 5).",
        reset,
    ),
    point(
        "O06",
        "A path that has nothing unresolved is silent for ever (section 5).",
        rest,
    ),
];

/// Ticks that a frame may be off: a NIC looks at its paths in turn, and a frame takes time to leave.
const SLACK: u32 = 160;

/// A connection in virtual time with one packet sent and its tail probed, and the time of that.
fn started(lab: &mut dyn Lab, setup: Setup) -> Check<(Bench, Vec<Heard>, u32)> {
    let mut b = Bench::start(lab, setup)?;
    if b.id.real_time {
        return Err(Stop::lacks("its clock can't be moved"));
    }
    b.post_packets(1, 1)?;
    let heard = b.hear()?;
    let since = newest(&heard)?;
    Ok((b, heard, since))
}

/// When the last frame came.
fn newest(heard: &[Heard]) -> Check<u32> {
    let newest = heard.last().map(|f| f.at);
    newest.ok_or_else(|| Stop::fails("nothing was sent"))
}

/// The frames came at these times after `since`, in RTOs.
fn times(b: &Bench, heard: &[Heard], since: u32, needed: &[u32]) -> Check {
    let found: Vec<u32> = heard.iter().map(|f| f.at - since).collect();
    let due = |n: u32| n * b.setup.rto;
    let near = |(&at, &n): (&u32, &u32)| (due(n) - SLACK..=due(n) + SLACK * n).contains(&at);
    let right = found.len() == needed.len() && found.iter().zip(needed).all(near);
    let rto = b.setup.rto;
    ensure!(
        right,
        "time-outs: needed after {needed:?} x {rto} ticks, found after {found:?}"
    );
    Ok(())
}

fn back_off(lab: &mut dyn Lab) -> Check {
    let (mut b, _, since) = started(lab, Setup::one_path())?;
    let heard = b.until(since + 16 * b.setup.rto)?;
    times(&b, &heard, since, &[1, 3, 7, 15])
}

fn probes_only(lab: &mut dyn Lab) -> Check {
    let (mut b, first, since) = started(lab, Setup::one_path())?;
    let heard = b.until(since + 8 * b.setup.rto)?;
    let found: Vec<_> = heard.iter().map(Heard::opcode).collect();
    ensure_eq!(found, [Opcode::Probe; 3], "frames of three time-outs");
    let last = first.last().map(Heard::tsn);
    let tsns: Vec<_> = heard.iter().map(|f| Some(f.tsn())).collect();
    let needed: Vec<_> = (1..=3).map(|n| last.map(|tsn| tsn.plus(n))).collect();
    ensure_eq!(tsns, needed, "TSNs");
    ensure!(
        heard.iter().all(|f| f.frame().bth.ack_request),
        "a probe asks for no ACK"
    );
    Ok(())
}

fn longest(lab: &mut dyn Lab) -> Check {
    let setup = Setup {
        max_retries: 15,
        rto: 1_024,
        ..Setup::one_path()
    };
    let (mut b, _, since) = started(lab, setup)?;
    let heard = b.until(since + 300 * b.setup.rto)?;
    times(&b, &heard, since, &[1, 3, 7, 15, 31, 63, 127, 191, 255])
}

fn give_up(lab: &mut dyn Lab) -> Check {
    let setup = Setup {
        max_retries: 2,
        ..Setup::one_path()
    };
    let (mut b, _, _) = started(lab, setup)?;
    b.post_packets(2, 1)?;
    let since = newest(&b.hear()?)?;
    // Two time-outs, and the time of a third.
    let heard = b.until(since + 7 * b.setup.rto - SLACK)?;
    ensure_eq!(heard.len(), 2, "probes before it gives up");
    b.completed(&[])?;
    b.until(since + 7 * (b.setup.rto + SLACK))?;
    b.completed(&[(1, RetryExceeded), (2, RetryExceeded)])?;
    silent(&b.wait(20 * b.setup.rto)?, "after the connection failed")
}

fn reset(lab: &mut dyn Lab) -> Check {
    let (mut b, first, since) = started(lab, Setup::one_path())?;
    let heard = b.until(since + 4 * b.setup.rto)?;
    ensure_eq!(heard.len(), 2, "probes of two time-outs");
    // They arrive; the packet did not.
    heard.iter().for_each(|f| b.receivers[0].take(f));
    b.ack(0)?;
    let heard = b.hear()?;
    let again: Vec<_> = data(&heard).iter().map(|f| f.psn()).collect();
    ensure_eq!(again, [first[0].psn()], "PSNs sent again");
    let since = newest(&heard)?;
    let heard = b.until(since + 4 * b.setup.rto)?;
    times(&b, &heard, since, &[1, 3])
}

fn rest(lab: &mut dyn Lab) -> Check {
    let (mut b, first, _) = started(lab, Setup::one_path())?;
    b.take_all(&first)?;
    b.run()?;
    b.completed(&[(1, Success)])?;
    silent(&b.wait(60 * b.setup.rto)?, "with nothing unresolved")
}
