//! Two devices over loopback sockets.
use std::time::{Duration, Instant};

use metaroce_protocol::{CompletionStatus, Counter};
use metaroce_soft::{Device, DeviceOptions, SoftError};
use metaroce_verbs::{ConnectionAttributes, Remote, VerbsError};

mod support;
use support::{Pair, loopback, noise};

const LIMIT: Duration = Duration::from_secs(20);

fn options(test: u8, nic: usize, mtu_log2: u32) -> DeviceOptions {
    DeviceOptions {
        mtu_log2,
        ..DeviceOptions::new(vec![loopback(test, 2)[nic]])
    }
}

#[test]
fn writes_of_all_lengths_arrive_and_touch_nothing_else() {
    let mut pair = Pair::new(options(1, 0, 10), options(1, 1, 10), 4);
    let source = pair.a.register_memory(20_000).unwrap();
    let target = pair.b.register_memory(20_002).unwrap();
    let data = noise(20_000, 1);
    source.write(0, &data).unwrap();
    for length in [0, 1, 3, 1_024, 1_025, 4_097, 20_000] {
        target.write(0, &[0xEE; 20_002]).unwrap();
        pair.ab
            .post_write(9, 0, (&source, 0..length), target.remote().at(1))
            .unwrap();
        let done = pair.wait(LIMIT);
        assert_eq!((done.wr_id, done.length), (9, length as u32));
        done.check().unwrap();
        let found = target.read(0..20_002).unwrap();
        assert_eq!(found[1..=length], data[..length]);
        assert_eq!(found[0], 0xEE);
        assert!(found[length + 1..].iter().all(|&byte| byte == 0xEE));
    }
}

#[test]
fn a_lossy_transfer_is_whole_and_every_loss_is_sent_again() {
    let lossy = |nic| DeviceOptions {
        loss: 0.02,
        seed: 7 + nic as u64,
        ..options(2, nic, 12)
    };
    let mut pair = Pair::new(lossy(0), lossy(1), 16);
    let length = 8 << 20;
    let source = pair.a.register_memory(length).unwrap();
    let target = pair.b.register_memory(length).unwrap();
    let data = noise(length, 2);
    source.write(0, &data).unwrap();
    pair.ab
        .post_write(1, 0, (&source, 0..length), target.remote())
        .unwrap();
    pair.wait(LIMIT).check().unwrap();
    assert!(target.read(0..length).unwrap() == data);
    assert!(pair.a.statistics().tx_injected_losses > 0);
    assert!(pair.a.counter(Counter::TxRetransmissions) > 0);
    assert_eq!(pair.b.counter(Counter::RxBadIcrc), 0);
}

#[test]
fn a_connection_full_of_data_lets_another_send() {
    let mut pair = Pair::new(options(8, 0, 10), options(8, 1, 10), 64);
    let random = ConnectionAttributes::random;
    let mut modest = pair.a.create_connection(random()).unwrap();
    let other_end = pair.b.create_connection(random()).unwrap();
    modest
        .connect(&other_end.local(), &support::paths(2, 1))
        .unwrap();
    let source = pair.a.register_memory(16 << 20).unwrap();
    let target = pair.b.register_memory(16 << 20).unwrap();
    let all = (&source, 0..16 << 20);
    pair.ab.post_write(1, 0, all, target.remote()).unwrap();
    modest
        .post_write(2, 0, (&source, 0..1), target.remote())
        .unwrap();
    let queue = pair.a.completion_queue();
    // The first one's windows have room for 64 rounds.
    for _ in 0..3 {
        assert_eq!(queue.poll().unwrap(), None);
    }
    let sent = pair.a.connection_counters(modest.index());
    assert!(sent.contains(&("tx_writes", 1)), "{sent:?}");
}

#[test]
fn a_closed_connection_leaves_no_completion_to_the_next_of_its_index() {
    let Pair { a, b, mut ab, ba } = Pair::new(options(9, 0, 10), options(9, 1, 10), 2);
    let source = a.register_memory(10).unwrap();
    let target = b.register_memory(10).unwrap();
    let index = ab.index();
    ab.post_write(1, 0, (&source, 0..10), target.remote())
        .unwrap();
    let deadline = Instant::now() + LIMIT;
    while a.counter(Counter::Completions) == 0 {
        a.advance().unwrap();
        b.advance().unwrap();
        assert!(Instant::now() < deadline, "{:?}", a.counters());
    }
    drop((ab, ba));
    let next = a.create_connection(ConnectionAttributes::random()).unwrap();
    assert_eq!(next.index(), index);
    assert_eq!(a.completion_queue().poll().unwrap(), None);
}

#[test]
fn a_wrong_key_and_a_wrong_range_are_refused_by_name() {
    for (add, status) in [
        ((0, 1_u32), CompletionStatus::BadKey),
        ((1, 0), CompletionStatus::BadRange),
    ] {
        let mut pair = Pair::new(options(3, 0, 10), options(3, 1, 10), 2);
        let source = pair.a.register_memory(100).unwrap();
        let target = pair.b.register_memory(100).unwrap();
        let remote = Remote {
            address: target.address() + add.0,
            r_key: target.r_key().wrapping_add(add.1 << 8),
        };
        pair.ab.post_write(5, 0, (&source, 0..100), remote).unwrap();
        let done = pair.wait(LIMIT);
        assert_eq!(done.status, status);
        assert_eq!(
            done.check().unwrap_err().to_string(),
            format!("message 5 ended with `{}`", status.name())
        );
        assert_eq!(target.read(0..100).unwrap(), [0; 100]);
    }
}

#[test]
fn a_region_that_was_dropped_is_closed() {
    let mut pair = Pair::new(options(4, 0, 10), options(4, 1, 10), 2);
    let source = pair.a.register_memory(100).unwrap();
    let target = pair.b.register_memory(100).unwrap();
    let remote = target.remote();
    drop(target);
    pair.ab.post_write(5, 0, (&source, 0..100), remote).unwrap();
    assert_eq!(pair.wait(LIMIT).status, CompletionStatus::BadKey);
}

#[test]
fn a_peer_that_dies_ends_the_work_by_name() {
    let impatient = DeviceOptions {
        max_retries: 3,
        rto: 1_000,
        ..options(5, 0, 10)
    };
    let Pair { a, b, mut ab, ba } = Pair::new(impatient, options(5, 1, 10), 2);
    let source = a.register_memory(100_000).unwrap();
    let target = b.register_memory(100_000).unwrap();
    let remote = target.remote();
    drop((target, ba, b));
    ab.post_write(5, 0, (&source, 0..100_000), remote).unwrap();
    let done = a.completion_queue().wait(LIMIT).unwrap();
    assert_eq!(done.status, CompletionStatus::RetryExceeded);
    let text = done.check().unwrap_err().to_string();
    assert!(text.contains("the peer answers no more"), "{text}");
}

#[test]
fn a_port_in_use_is_said_so() {
    let first = Device::open(options(6, 0, 10)).unwrap();
    let error = Device::open(options(6, 0, 10)).err().unwrap();
    assert!(matches!(error, SoftError::PortInUse { port: 4791, .. }));
    assert!(
        error
            .to_string()
            .contains("UDP port 4791 of 127.0.6.1 is in use")
    );
    drop(first);
    Device::open(options(6, 0, 10)).unwrap();
}

#[test]
fn unfitting_options_say_what_would_fit() {
    for addresses in [vec![], vec!["0.0.0.0"], vec!["127.0.7.1", "::1"]] {
        let addresses = addresses.iter().map(|a| a.parse().unwrap()).collect();
        let error = Device::open(DeviceOptions::new(addresses)).err().unwrap();
        assert!(
            matches!(error, SoftError::Verbs(VerbsError::Addresses { .. })),
            "{error}"
        );
    }
    let error = Device::open(options(7, 0, 13)).err().unwrap();
    assert_eq!(error.to_string(), "MTU_LOG2 is at most 12, found 13");
}

#[test]
fn ipv6_loopback_needs_one_address_a_peer() {
    let error = Device::open(DeviceOptions::new(vec!["::1".parse().unwrap(); 2])).err();
    assert!(
        matches!(error, Some(SoftError::PortInUse { .. })),
        "{error:?}"
    );
}
