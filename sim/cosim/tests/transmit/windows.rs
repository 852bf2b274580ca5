//! Congestion control joined to the transmit side: windows move by either law while everything goes wrong, and every choice is still the
//! model's.
use metaroce_model::config::{Congestion, Tunables};
use metaroce_protocol::Counter;
use rand::Rng;

use crate::lockstep::{SMALL, SMALL_NIC, tunables};
use crate::world::{KEY, Trouble, World};

/// Small NICs, these paths of each connection live.
fn world(
    congestion: &Congestion,
    tunables: Tunables,
    trouble: Trouble,
    seed: u64,
    live: u32,
) -> World {
    println!("seed {seed}: {congestion:?} {tunables:?} {trouble:?}");
    World::controlled(SMALL_NIC, SMALL, tunables, trouble, seed, live, congestion)
}

fn post(world: &mut World, messages: u32) {
    for _ in 0..messages {
        let connection = world.rng.random_range(0..SMALL.connections);
        let length = world.rng.random_range(0..20_000);
        world.message(connection, length, KEY);
    }
}

/// Mean of the windows told since `from`.
fn mean(world: &World, from: usize) -> f64 {
    let told = &world.windows[from..];
    let sum: u32 = told.iter().map(|&(_, packets)| packets).sum();
    f64::from(sum) / told.len().max(1) as f64
}

#[test]
fn both_laws_survive_marks_loss_stalls_and_forged_acks() {
    let mut halved = 0;
    for (seed, law, rto_floor) in [(20, 1, 0), (21, 2, 100), (22, 1, 1_000), (23, 0, 300)] {
        let congestion = Congestion {
            law,
            // A packet a path, not a connection: windows move in a short run.
            increase: 4_096,
            rto_floor,
            ..Congestion::default()
        };
        let trouble = Trouble {
            loss: 0.03,
            stall: 0.1,
            forge: 0.05,
            latency: 60,
            mark: 0.05,
        };
        let tunables = Tunables {
            window: 40,
            max_retries: 15,
            ..tunables()
        };
        let mut world = world(&congestion, tunables, trouble, seed, !8);
        post(&mut world, 80);
        world.run_to_end(400_000);
        let (least, most) = (
            world.windows.iter().map(|w| w.1).min(),
            world.windows.iter().map(|w| w.1).max(),
        );
        println!(
            "  {} cycles, {:?}, windows {least:?} to {most:?}",
            world.cycle, world.decisions
        );
        assert!(world.windows.len() > 500, "{}", world.windows.len());
        assert!(
            law == 0 || least < Some(3) && most > Some(4),
            "{least:?} {most:?}"
        );
        halved += world.counter(Counter::TxTimeoutProbes);
    }
    assert!(halved > 0, "no time-out");
}

#[test]
fn marks_slow_a_sender_down_and_their_end_lets_it_recover() {
    let congestion = Congestion {
        law: 1,
        increase: 2_048,
        decrease: 256,
        ..Congestion::default()
    };
    let trouble = Trouble {
        latency: 40,
        mark: 0.5,
        ..Trouble::NONE
    };
    let tunables = Tunables {
        window: 32,
        rto: 4_000,
        ..tunables()
    };
    let mut world = world(&congestion, tunables, trouble, 24, 0xF);
    let sent = |world: &mut World, cycles: u64| {
        let (from, told, end) = (world.log.len(), world.windows.len(), world.cycle + cycles);
        while world.cycle < end {
            if world.posted.is_empty() {
                post(world, 8);
            }
            world.step();
        }
        let new = world.log[from..]
            .iter()
            .filter(|entry| entry.1 == 3)
            .count();
        (new, mean(world, told))
    };
    let marked = sent(&mut world, 6_000);
    world.trouble.mark = 0.0;
    sent(&mut world, 6_000);
    let calm = sent(&mut world, 6_000);
    world.trouble.mark = 0.5;
    sent(&mut world, 2_000);
    let again = sent(&mut world, 6_000);
    assert!(
        world.decisions[0] > 0,
        "a window that falls asks for an acknowledgement"
    );
    println!("  packets and mean window: marked {marked:?}, calm {calm:?}, marked again {again:?}");
    assert!(marked.1 < 3.0 && again.1 < 3.0 && calm.1 > 8.0);
    assert!(2 * marked.0 < calm.0 && 2 * again.0 < calm.0);
    assert_eq!(world.counter(Counter::TxRetransmissions), 0);
}
