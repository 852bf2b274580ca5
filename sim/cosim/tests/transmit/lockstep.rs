//! Random traffic, loss and stalls; every decision, fate and descriptor is the model's.
use metaroce_model::config::{Size, TrackerSize, Tunables};
use metaroce_protocol::{Counter, Profile};
use metaroce_rtl::sizes::Size as Built;
use rand::Rng;

use crate::world::{KEY, Trouble, World};

/// So that the streams of small are met often; buffers enough for all that a test posts on one.
const TRACKERS: TrackerSize = TrackerSize {
    streams: 4,
    messages: 16,
    receives: 256,
};
pub const SMALL: Size = Size {
    connections: 4,
    paths: 16,
    window_log2: 8,
    planes: 4,
    regions: 16,
    slots: 16,
    trackers: TRACKERS,
};
const TINY: Size = Size {
    connections: 2,
    paths: 4,
    window_log2: 5,
    planes: 1,
    regions: 4,
    slots: 4,
    trackers: TRACKERS,
};

/// Every verb of today's hardware, and Writes alone.
pub const SMALL_NIC: (Built, Profile) = (Built::Small, Profile::Reads);
const TINY_NIC: (Built, Profile) = (Built::Tiny, Profile::Write);

pub fn tunables() -> Tunables {
    Tunables {
        window: 16,
        rto: 400,
        max_retries: 4,
        ack_every: 2,
        mtu_log2: 8,
    }
}

fn traffic(
    built: (Built, Profile),
    size: Size,
    tunables: Tunables,
    trouble: Trouble,
    seed: u64,
    messages: u32,
) -> World {
    println!("seed {seed}: {built:?} {tunables:?} {trouble:?}");
    let mut world = World::new(built, size, tunables, trouble, seed, !8);
    for _ in 0..messages {
        let connection = world.rng.random_range(0..size.connections);
        let length = match world.rng.random_range(0..4) {
            0 => world.rng.random_range(0..4),
            1 => 256,
            _ => world.rng.random_range(0..20_000),
        };
        world.message(connection, length, KEY);
        if built.1.answers_reads() && world.rng.random_bool(0.5) {
            world.ask(connection, length);
        }
    }
    world.run_to_end(400_000);
    assert_eq!(world.done, messages);
    println!(
        "  {} cycles, decisions by kind {:?}",
        world.cycle, world.decisions
    );
    world
}

#[test]
fn without_trouble_nothing_is_sent_twice() {
    let calm = Trouble::NONE;
    for (built, size) in [(SMALL_NIC, SMALL), (TINY_NIC, TINY)] {
        let world = traffic(built, size, tunables(), calm, 1, 60);
        assert_eq!(world.counter(Counter::TxRetransmissions), 0);
    }
}

#[test]
fn loss_stalls_and_forged_acks_are_survived() {
    for seed in 0..6 {
        let trouble = Trouble {
            loss: 0.03 * seed as f64,
            stall: 0.15 * seed as f64,
            forge: 0.1,
            latency: 1 + 20 * seed,
            mark: 0.0,
        };
        let window = [16, 1, 64, 239, 255, 5][seed as usize];
        let tunables = Tunables {
            window,
            max_retries: 15,
            ..tunables()
        };
        let world = traffic(SMALL_NIC, SMALL, tunables, trouble, seed, 60);
        assert!(seed == 0 || world.counter(Counter::TxRetransmissions) > 0);
        assert!(world.responded > 10);
        traffic(TINY_NIC, TINY, tunables, trouble, seed, 60);
    }
}

#[test]
fn a_refused_or_silent_connection_fails_and_opens_again() {
    for seed in 10..14 {
        let trouble = Trouble {
            loss: 0.05,
            stall: 0.3,
            forge: 0.05,
            latency: 30,
            mark: 0.0,
        };
        let mut world = traffic(SMALL_NIC, SMALL, tunables(), trouble, seed, 20);
        for round in 0..3 {
            world.message(0, 5_000, KEY + 16);
            world.dead = 2;
            for _ in 0..30 {
                let connection = world.rng.random_range(0..4);
                world.message(connection, 3_000, KEY);
                world.ask(connection, 2_000);
            }
            world.run_to_end(600_000);
            assert!(
                world.nic.failure(0).is_some() && world.nic.failure(1).is_some(),
                "round {round}"
            );
            world.dead = 0;
            for connection in 0..4 {
                world.open(connection);
            }
        }
        for connection in 0..4 {
            world.message(connection, 30_000, KEY);
        }
        world.run_to_end(400_000);
        println!(
            "  {} cycles, decisions by kind {:?}",
            world.cycle, world.decisions
        );
    }
}

const CALM: Trouble = Trouble::NONE;

/// Cycles and paths of the new packets sent so far.
fn new_packets(world: &World) -> Vec<(u64, u32)> {
    let new = world.log.iter().filter(|entry| entry.1 == 3);
    new.map(|entry| (entry.0, entry.2)).collect()
}

fn is_one_a_cycle(new: &[(u64, u32)]) -> bool {
    new.windows(2).all(|pair| pair[1].0 == pair[0].0 + 1)
}

#[test]
fn four_planes_get_a_packet_every_cycle() {
    let tunables = Tunables {
        window: 64,
        rto: 4_000,
        ..tunables()
    };
    let mut world = World::new(SMALL_NIC, SMALL, tunables, CALM, 2, !0);
    world.long_message(1, 400 * 256);
    for i in 0..12 {
        world.message(i % 4, 100, KEY);
    }
    world.run_to_end(10_000);
    let new = new_packets(&world);
    assert_eq!(new.len(), 412);
    let cycles = new[411].0 - new[0].0 + 1;
    println!("  412 packets in {cycles} cycles");
    assert_eq!(cycles, 412);
}

#[test]
fn responses_and_messages_send_in_turn_packet_by_packet() {
    let mut world = World::new(SMALL_NIC, SMALL, tunables(), CALM, 8, !0);
    for connection in 0..4 {
        world.long_message(connection, 60 * 256);
        world.ask((connection + 1) % 4, 100 * 256);
    }
    world.run_to_end(10_000);
    let new = &world.responses;
    assert_eq!(new.len(), 4 * (60 + 100));
    assert_eq!(new.iter().filter(|&&response| response).count(), 400);
    let first = new.iter().position(|&response| response).expect("one");
    let last = new.iter().rposition(|&response| !response).expect("one");
    println!("  in turn from packet {first} to packet {last}");
    let both = &new[first..last];
    assert!(both.len() > 2 * 200, "{first} {last}");
    assert!(both.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn messages_of_one_packet_of_other_connections_go_one_a_cycle() {
    let mut world = World::new(SMALL_NIC, SMALL, tunables(), CALM, 4, !0);
    for i in 0..16 {
        world.message(i * 7 % 4, 100, KEY);
    }
    world.run_to_end(10_000);
    let new = new_packets(&world);
    assert_eq!(new.len(), 16);
    assert!(is_one_a_cycle(&new), "{new:?}");
}

#[test]
fn one_path_gets_a_packet_every_cycle_until_its_plane_has_one_place_left() {
    let mut world = World::new(TINY_NIC, TINY, tunables(), CALM, 3, 1);
    world.long_message(1, 40 * 256);
    world.run_to_end(10_000);
    let new = new_packets(&world);
    assert!(is_one_a_cycle(&new[..3]), "{new:?}");
    assert!(new.iter().all(|&(_, path)| path == 4));
}

#[test]
fn one_path_fills_its_window_and_no_more() {
    for window in [1, 16] {
        let far = Trouble {
            latency: 100_000,
            ..CALM
        };
        let tunables = Tunables {
            window,
            rto: 1 << 20,
            ..tunables()
        };
        let mut world = World::new(SMALL_NIC, SMALL, tunables, far, 5, 1);
        world.long_message(2, 40 * 256);
        for _ in 0..250 {
            world.step();
        }
        let path = world.nic.send_path(32).expect("a path");
        assert_eq!(path.unresolved(), window, "nothing comes back");
        let new = new_packets(&world);
        let last = new.last().expect("packets").0 - new[0].0;
        println!("  window {window}: full after {last} cycles");
        assert!(last <= u64::from(window) * 9);
    }
}

#[test]
fn lost_packets_and_silent_paths_have_their_turn_beside_new_data() {
    let lossy = Trouble { loss: 0.05, ..CALM };
    let tunables = Tunables {
        window: 64,
        max_retries: 15,
        ..tunables()
    };
    let mut world = World::new(SMALL_NIC, SMALL, tunables, lossy, 6, !0);
    world.dead = 1;
    world.long_message(0, 16 * 256);
    world.long_message(1, 8_000 * 256);
    while new_packets(&world).len() < 4_000 {
        world.step();
        assert!(world.cycle < 40_000, "{:?}", world.decisions);
    }
    println!(
        "  {} cycles, decisions by kind {:?}",
        world.cycle, world.decisions
    );
    let lost = world.counter(Counter::ResolvedLost);
    let again = world.counter(Counter::TxRetransmissions);
    assert!(again > 100 && again + 30 > lost, "{again} of {lost} lost");
    let silent = |entry: &&(u64, u32, u32)| entry.1 == 1 && entry.2 < SMALL.paths;
    assert!(world.log.iter().filter(silent).count() >= 16);
}
