//! A peer without buffers.
use metaroce_protocol::Counter;
use rand::Rng;

use crate::lockstep::{SMALL, SMALL_NIC, tunables};
use crate::world::{KEY, Trouble, World};

/// Patient for so long, towards a peer that posts a buffer after a message asks for it, with this probability in a cycle.
fn world(ticks: u32, late: f64, trouble: Trouble, seed: u64) -> World {
    let mut world = World::new(SMALL_NIC, SMALL, tunables(), trouble, seed, !8);
    world.dut.set("not_ready_ticks", ticks.into());
    world.nic.set_patience(ticks);
    world.late = Some(late);
    world
}

#[test]
fn a_peer_that_posts_late_is_borne() {
    let trouble = Trouble {
        loss: 0.02,
        stall: 0.1,
        latency: 40,
        ..Trouble::NONE
    };
    let mut world = world(1 << 30, 0.01, trouble, 40);
    for _ in 0..80 {
        let connection = world.rng.random_range(0..SMALL.connections);
        let length = world.rng.random_range(0..3_000);
        world.message(connection, length, KEY);
    }
    world.run_to_end(400_000);
    assert_eq!((world.done, world.failed), (80, 0));
    assert!(world.counter(Counter::RxRefusals) > 20);
}

#[test]
fn patience_ends_unless_something_is_delivered() {
    let trouble = Trouble {
        latency: 10,
        ..Trouble::NONE
    };
    for (seed, ticks) in [(41, 500), (42, 3_000)] {
        let mut world = world(ticks, 0.0, trouble, seed);
        // A Send that finds no buffer, and Writes beside it: as long as any arrives it is borne.
        while world.failed == 0 {
            if world.posted.len() < 2 && world.cycle < 4_000 {
                world.message(0, 100, KEY);
            }
            world.step();
            assert!(world.cycle < 20_000, "it is borne for ever");
        }
        let refused = world.counter(Counter::RxRefusals);
        assert!(refused > 2, "{refused}");
        assert!(world.cycle > u64::from(ticks), "{}", world.cycle);
        println!("patience of {ticks} ends in cycle {}", world.cycle);
    }
}
