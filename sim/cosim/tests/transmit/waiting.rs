//! A lost packet that waits long for its turn.
use metaroce_model::config::Tunables;
use metaroce_protocol::{Counter, Psn};

use crate::lockstep::{SMALL, SMALL_NIC, tunables};
use crate::world::{Trouble, World};

/// Bytes of a packet.
const MTU: u32 = 256;
/// Packets that may be unresolved.
const WINDOW: u32 = 239;
/// Of connection 0, on plane 0.
const BLOCKED: u32 = 0;
/// Of connection 1, on plane 0 as well.
const WAITING: u32 = SMALL.paths + 3;
const NEW: u32 = 3;
const AGAIN: u32 = 2;

fn sent(world: &World, kind: u32, path: u32) -> usize {
    let of_it = world
        .log
        .iter()
        .filter(|&&(_, k, p)| (k, p) == (kind, path));
    of_it.count()
}

fn step_until(world: &mut World, what: &str, is_so: impl Fn(&World) -> bool) {
    let end = world.cycle + 100_000;
    while !is_so(world) {
        assert!(world.cycle < end, "never: {what}");
        world.step();
    }
}

/// The plane's oldest lost packets are of a path that may send nothing; `false`: not this time, new data or
/// retransmissions came too soon.
fn block(world: &mut World) -> bool {
    // Two paths, and as much new data as keeps packets waiting once the pipe is full, but the message from being blocked itself.
    world.long_message(0, (2 * WINDOW + 28) * MTU);
    world.trouble.loss = 1.0;
    step_until(world, "a full window", |w| {
        sent(w, NEW, BLOCKED) == WINDOW as usize
    });
    world.trouble.loss = 0.0;
    step_until(world, "a loss", |w| sent(w, AGAIN, BLOCKED) > 0);
    world.muted = 1;
    for _ in 0..4_000 {
        world.step();
    }
    let full = world.nic.send_path(BLOCKED).unwrap().unresolved() >= WINDOW;
    let again = world.log.iter().filter(|entry| entry.1 == AGAIN).count();
    let lost = world.counter(Counter::ResolvedLost) as usize;
    full && !world.nic.has_current() && again + 4 < lost
}

/// A packet is taken for lost, and arrives.
fn lose_for_a_while(world: &mut World) -> Psn {
    let of_path = |w: &World, at: usize| {
        let (_, frame) = w.dropped[at];
        (w.is_in(2, &frame) && u32::from(frame.path) == WAITING % SMALL.paths).then_some(frame)
    };
    let before = world.dropped.len();
    world.trouble.loss = 1.0;
    step_until(world, "a drop", |w| {
        (before..w.dropped.len()).any(|at| of_path(w, at).is_some())
    });
    world.trouble.loss = 0.0;
    let lost = world.counter(Counter::ResolvedLost);
    step_until(world, "a loss", |w| w.counter(Counter::ResolvedLost) > lost);
    let frames = (before..world.dropped.len()).filter_map(|at| of_path(world, at));
    let frames: Vec<_> = frames.collect();
    for &frame in &frames {
        world.carry(0, frame);
    }
    frames[0].psn
}

/// A lost packet waits until `laps` newer ones are sent.
fn wait(seed: u64, laps: u32) {
    let tunables = Tunables {
        window: WINDOW,
        max_retries: 15,
        ..tunables()
    };
    let trouble = Trouble {
        latency: 20,
        ..Trouble::NONE
    };
    let worlds = (seed..seed + 20).map(|seed| {
        let mut world = World::new(SMALL_NIC, SMALL, tunables, trouble, seed, 0b1001);
        let blocked = block(&mut world);
        (world, blocked)
    });
    let blocked = worlds.into_iter().find(|(_, blocked)| *blocked);
    let (mut world, _) = blocked.expect("a plane that is blocked");
    world.long_message(1, 3_000 * MTU);
    step_until(&mut world, "the second message", |w| {
        sent(w, NEW, WAITING) > 20
    });
    let psn = lose_for_a_while(&mut world);
    step_until(&mut world, "laps", |w| {
        let path = w.nic.send_path(WAITING).unwrap();
        path.next_psn.distance_from(psn) > laps
    });
    assert_eq!(sent(&world, AGAIN, WAITING), 0, "it still waits");
    world.muted = 0;
    world.run_to_end(200_000);
    assert_eq!(world.done, 2);
    assert!(sent(&world, AGAIN, WAITING) > 0);
}

#[test]
fn a_lost_packet_that_waits_while_its_place_is_used_again_stays_itself() {
    // More than a window; more than ten bits and a window's parity tell apart; more than ten bits hold.
    for (seed, laps) in [(30, 400), (50, 780), (70, 1_100)] {
        wait(seed, laps);
    }
}
