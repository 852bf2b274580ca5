//! Each message arrives once and whole, under any faults; without loss nothing is sent twice.
mod support;

use metaroce_protocol::{CompletionStatus, Counter};
use proptest::prelude::*;
use support::{Faults, MEMORY, PATHS, Pair, tunables};

#[derive(Clone, Debug)]
struct Schedule {
    seed: u64,
    loss: f64,
    duplicate: f64,
    mark: f64,
    jitter: u64,
    window: u32,
    ack_every: u32,
    lengths: Vec<u32>,
    first: u32,
    start: u32,
}

fn schedules() -> impl Strategy<Value = Schedule> {
    let faults = (
        prop_oneof![Just(0.0), 0.0..0.2f64],
        prop_oneof![Just(0.0), 0.0..0.2f64],
        prop_oneof![Just(0.0), 0.0..0.5f64],
        prop_oneof![Just(0u64), 0..60u64],
    );
    // Next to their wrap as often as anywhere.
    let first = prop_oneof![
        0xFF_F000u32..=0xFF_FFFF,
        any::<u32>().prop_map(|n| n & 0xFF_FFFF)
    ];
    let start = prop_oneof![u32::MAX - 5_000..=u32::MAX, any::<u32>()];
    let lengths = prop::collection::vec(prop_oneof![0..5u32, 250..260u32, 0..20_000u32], 1..20);
    (
        any::<u64>(),
        faults,
        1..64u32,
        1..8u32,
        lengths,
        first,
        start,
    )
        .prop_map(
            |(seed, (loss, duplicate, mark, jitter), window, ack_every, lengths, first, start)| {
                Schedule {
                    seed,
                    loss,
                    duplicate,
                    mark,
                    jitter,
                    window,
                    ack_every,
                    lengths,
                    first,
                    start,
                }
            },
        )
}

fn run(schedule: &Schedule) -> Pair {
    let &Schedule {
        seed,
        loss,
        duplicate,
        mark,
        jitter,
        window,
        ack_every,
        first,
        start,
        ..
    } = schedule;
    let tunables = metaroce_model::config::Tunables {
        window,
        ack_every,
        max_retries: 15,
        ..tunables()
    };
    let mut pair = Pair::new(
        Faults {
            loss,
            duplicate,
            mark,
            jitter,
        },
        tunables,
        seed,
        first,
        start,
    );
    for (n, &length) in schedule.lengths.iter().enumerate() {
        let offset = (n * 6_007) as u32 % (MEMORY as u32 - 20_000);
        pair.post(n as u16, offset, length);
    }
    pair.run(schedule.lengths.len(), 10_000_000);
    pair.settle();
    pair
}

fn check(schedule: &Schedule, pair: &Pair) {
    let [a, b] = &pair.hosts;
    let ids: Vec<u64> = a.completions.iter().map(|c| c.wqe.wr_id).collect();
    assert!(
        ids.iter().copied().eq(0..schedule.lengths.len() as u64),
        "order: {ids:?}"
    );
    assert!(
        a.completions
            .iter()
            .all(|c| c.status == CompletionStatus::Success)
    );
    let mut expected = vec![0; MEMORY];
    for (n, &length) in schedule.lengths.iter().enumerate() {
        let at = n * 6_007 % (MEMORY - 20_000);
        expected[at..at + length as usize].copy_from_slice(&a.memory[at..at + length as usize]);
    }
    assert!(b.memory == expected, "memory differs");
    let (sent, got) = (a.endpoint.nic.counters(), b.endpoint.nic.counters());
    // Every PSN is accepted once and delivered once.
    assert_eq!(got.get(Counter::RxWrites), sent.get(Counter::TxWrites));
    assert_eq!(
        sent.get(Counter::ResolvedDelivered),
        sent.get(Counter::TxWrites)
    );
    assert!((0..PATHS).all(|p| a.endpoint.nic.send_path(p).unwrap().unresolved() == 0));
    assert!(pair.max_unresolved <= schedule.window.min(239) + 16);
    if schedule.loss == 0.0 && schedule.jitter == 0 {
        assert_eq!(sent.get(Counter::TxRetransmissions), 0, "nothing was lost");
        assert_eq!(sent.get(Counter::ResolvedLost), 0);
    }
    if schedule.jitter == 0 && schedule.duplicate == 0.0 {
        assert_eq!(
            got.get(Counter::RxDuplicate),
            0,
            "a retransmission was not needed"
        );
    }
}

proptest! {
    #![proptest_config(support::schedules::config(300, 20_000))]
    #[test]
    fn each_message_arrives_once_and_whole(schedule in schedules()) {
        check(&schedule, &run(&schedule));
    }
}

#[test]
fn a_dead_peer_fails_the_connection_and_every_message() {
    let mut pair = Pair::new(
        Faults {
            loss: 1.0,
            ..Faults::default()
        },
        tunables(),
        1,
        0,
        0,
    );
    (0..5).for_each(|n| pair.post(n, 0, 1_000));
    pair.run(5, 10_000_000);
    let statuses: Vec<_> = pair.hosts[0].completions.iter().map(|c| c.status).collect();
    assert_eq!(statuses, [CompletionStatus::RetryExceeded; 5]);
    assert_eq!(
        pair.hosts[0].endpoint.nic.failure(0),
        Some(metaroce_model::nic::Failure::RetryExceeded)
    );
}

#[test]
fn a_write_outside_the_region_is_refused_by_name_and_the_rest_is_flushed() {
    let mut pair = Pair::new(Faults::default(), tunables(), 1, 0, 0);
    pair.post(0, 0, 1_000);
    pair.run(1, 100_000);
    pair.post(1, MEMORY as u32 - 100, 100);
    pair.run(2, 100_000);
    // The local side must exist; only the remote address leaves its region.
    pair.hosts[0].memory.resize(MEMORY + 1_000, 0);
    pair.post(2, MEMORY as u32 - 100, 101);
    pair.post(3, 0, 10);
    pair.run(4, 1_000_000);
    let statuses: Vec<_> = pair.hosts[0].completions.iter().map(|c| c.status).collect();
    use CompletionStatus::{BadRange, Flushed, Success};
    assert_eq!(statuses, [Success, Success, BadRange, Flushed]);
    assert_eq!(
        pair.hosts[1]
            .endpoint
            .nic
            .counters()
            .get(Counter::RxBadRange),
        1
    );
}
