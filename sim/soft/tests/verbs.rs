//! Every verb between two devices over loopback sockets: all lengths, refusals by name, buffers that come late, loss.
use std::time::{Duration, Instant};

use metaroce_model::counters::Extra;
use metaroce_protocol::{CompletionStatus, Counter};
use metaroce_soft::{Device, DeviceOptions};
use metaroce_verbs::{Completed, MemoryRegion, Operation, Remote, VerbsError};

mod support;
use support::{Pair, loopback, noise};

const LIMIT: Duration = Duration::from_secs(20);
/// Payload of a packet in these tests.
const MTU: usize = 1_024;
const ROOM: usize = 9 * MTU;
/// What no message holds where it must not write.
const UNTOUCHED: u8 = 0xEE;

fn options(test: u8, nic: usize) -> DeviceOptions {
    DeviceOptions {
        mtu_log2: MTU.ilog2(),
        ..DeviceOptions::new(vec![loopback(test, 2)[nic]])
    }
}

/// None, a few, around one packet and two, and not multiples of four.
fn lengths() -> impl Iterator<Item = usize> {
    let around = |packets: usize| packets * MTU - 5..=packets * MTU + 5;
    (0..=9)
        .chain(around(1))
        .chain(around(2))
        .chain([8 * MTU + 3])
}

/// Two joined devices, a region of noise at A and one for whatever comes at B.
struct Bench {
    pair: Pair,
    source: MemoryRegion,
    target: MemoryRegion,
    data: Vec<u8>,
}

impl Bench {
    fn new(a: DeviceOptions, b: DeviceOptions) -> Self {
        let pair = Pair::new(a, b, 4);
        let source = pair.a.register_memory(ROOM).unwrap();
        let target = pair.b.register_memory(ROOM).unwrap();
        let data = noise(ROOM, 11);
        source.write(0, &data).unwrap();
        Self {
            pair,
            source,
            target,
            data,
        }
    }

    fn of(test: u8) -> Self {
        Self::new(options(test, 0), options(test, 1))
    }

    /// A's next completion must be the success of this request.
    fn expect(&self, wr_id: u64, length: usize) {
        let done = self.pair.wait(LIMIT);
        done.check().unwrap();
        assert_eq!((done.wr_id, done.length), (wr_id, length as u32));
        assert_eq!(done.completed, Completed::Request);
    }

    /// B's next completion must be of this buffer.
    fn expect_received(&self, wr_id: u64, length: usize, immediate: Option<u32>) {
        let done = self.pair.wait_at(&self.pair.b, LIMIT);
        done.check().unwrap();
        assert_eq!((done.wr_id, done.length), (wr_id, length as u32));
        assert_eq!(
            (done.completed, done.immediate),
            (Completed::Receive, immediate)
        );
    }

    /// How A's next completion ends.
    fn status(&self) -> CompletionStatus {
        self.pair.wait(LIMIT).status
    }
}

/// `region` holds `data` from `offset` on and nothing else.
fn assert_only(region: &MemoryRegion, offset: usize, data: &[u8]) {
    let found = region.read(0..region.len()).unwrap();
    let end = offset + data.len();
    assert!(found[offset..end] == *data, "{} bytes", data.len());
    let rest = found[..offset].iter().chain(&found[end..]);
    assert!(rest.into_iter().all(|&byte| byte == UNTOUCHED));
}

fn clear(region: &MemoryRegion) {
    region.write(0, &vec![UNTOUCHED; region.len()]).unwrap();
}

#[test]
fn a_write_with_an_immediate_lands_at_its_address_and_takes_a_buffer() {
    let mut bench = Bench::of(40);
    let buffer = bench.pair.b.register_memory(4).unwrap();
    clear(&buffer);
    for (turn, length) in lengths().enumerate() {
        clear(&bench.target);
        let immediate = turn as u32 ^ 0xDEAD_BEEF;
        bench
            .pair
            .ba
            .post_receive(500 + turn as u64, 0, (&buffer, 0..4))
            .unwrap();
        let (local, remote) = ((&bench.source, 0..length), bench.target.remote().at(1));
        bench
            .pair
            .ab
            .post_write_immediate(turn as u64, 0, local, remote, immediate)
            .unwrap();
        bench.expect(turn as u64, length);
        bench.expect_received(500 + turn as u64, length, Some(immediate));
        assert_only(&bench.target, 1, &bench.data[..length]);
    }
    assert_only(&buffer, 0, &[]);
}

#[test]
fn sends_of_all_lengths_fill_their_buffers_and_touch_nothing_else() {
    let mut bench = Bench::of(41);
    for (turn, length) in lengths().enumerate() {
        clear(&bench.target);
        let immediate = (turn % 2 == 1).then_some(turn as u32);
        let buffer = (&bench.target, 3..3 + length);
        bench.pair.ba.post_receive(turn as u64, 0, buffer).unwrap();
        let local = (&bench.source, 1..1 + length);
        bench
            .pair
            .ab
            .post_send(900 + turn as u64, 0, local, immediate)
            .unwrap();
        bench.expect(900 + turn as u64, length);
        bench.expect_received(turn as u64, length, immediate);
        assert_only(&bench.target, 3, &bench.data[1..1 + length]);
    }
}

#[test]
fn reads_of_all_lengths_bring_the_bytes_and_touch_nothing_else() {
    let mut bench = Bench::of(42);
    bench.target.write(0, &noise(ROOM, 12)).unwrap();
    let held = bench.target.read(0..ROOM).unwrap();
    for (turn, length) in lengths().enumerate() {
        clear(&bench.source);
        let local = (&bench.source, 5..5 + length);
        let remote = bench.target.remote().at(7);
        bench
            .pair
            .ab
            .post_read(turn as u64, 0, local, remote)
            .unwrap();
        bench.expect(turn as u64, length);
        assert_only(&bench.source, 5, &held[7..7 + length]);
    }
    assert!(bench.target.read(0..ROOM).unwrap() == held);
}

#[test]
fn atomics_change_the_word_once_and_bring_what_it_held() {
    let mut bench = Bench::of(43);
    clear(&bench.target);
    bench.target.write(8, &u64::MAX.to_le_bytes()).unwrap();
    let word = bench.target.remote().at(8);
    let held = |region: &MemoryRegion, offset: usize| {
        let mut bytes = [0; 8];
        region.read_into(offset, &mut bytes).unwrap();
        u64::from_le_bytes(bytes)
    };
    let mut expected = u64::MAX;
    for turn in 0..40_u64 {
        let local = (&bench.source, 16);
        let connection = &mut bench.pair.ab;
        let next = match turn % 3 {
            0 => {
                let add = turn.wrapping_mul(0x1234_5678_9ABC);
                connection
                    .post_fetch_add(turn, 0, local, word, add)
                    .unwrap();
                expected.wrapping_add(add)
            }
            1 => {
                let words = [expected, turn];
                connection
                    .post_compare_swap(turn, 0, local, word, words)
                    .unwrap();
                turn
            }
            _ => {
                let words = [expected ^ 1, turn];
                connection
                    .post_compare_swap(turn, 0, local, word, words)
                    .unwrap();
                expected
            }
        };
        bench.expect(turn, 8);
        assert_eq!(held(&bench.source, 16), expected);
        assert_eq!(held(&bench.target, 8), next);
        expected = next;
    }
    let executed = bench.pair.b.extra_counter(Extra::AtomicsExecuted);
    assert_eq!(executed, 40);
    assert_only(&bench.target, 8, &expected.to_le_bytes());
}

#[test]
fn a_send_without_a_buffer_waits_for_one_and_is_no_error() {
    let mut bench = Bench::of(44);
    let local = (&bench.source, 0..3_000);
    bench.pair.ab.post_send(1, 0, local, None).unwrap();
    bench.pair.settle(200);
    let refused = bench.pair.b.counter(Counter::RxNotReady);
    assert!(refused > 0, "it came before its buffer");
    clear(&bench.target);
    bench
        .pair
        .ba
        .post_receive(2, 0, (&bench.target, 0..3_000))
        .unwrap();
    bench.expect(1, 3_000);
    bench.expect_received(2, 3_000, None);
    assert_only(&bench.target, 0, &bench.data[..3_000]);
}

#[test]
fn a_send_whose_buffer_never_comes_ends_by_name() {
    for not_ready in [Duration::ZERO, Duration::from_millis(50)] {
        let impatient = DeviceOptions {
            not_ready,
            ..options(45, 0)
        };
        let mut bench = Bench::new(impatient, options(45, 1));
        let began = Instant::now();
        let local = (&bench.source, 0..10);
        bench.pair.ab.post_send(1, 0, local, None).unwrap();
        let done = bench.pair.wait(LIMIT);
        assert_eq!(done.status, CompletionStatus::ReceiverNotReady);
        assert!(began.elapsed() >= not_ready);
        let text = done.check().unwrap_err().to_string();
        assert!(
            text.contains("`receiver_not_ready`: the peer posted no buffer"),
            "{text}"
        );
    }
}

#[test]
fn what_the_peer_refuses_ends_by_name_and_changes_nothing() {
    let good = |target: &MemoryRegion| target.remote();
    let bad_key = |target: &MemoryRegion| Remote {
        r_key: target.r_key() ^ 0x100,
        ..target.remote()
    };
    let bad_range = |target: &MemoryRegion| target.remote().at(ROOM as u64 - 4);
    let odd = |target: &MemoryRegion| target.remote().at(4);
    type Place = fn(&MemoryRegion) -> Remote;
    type Ask = fn(Remote) -> Operation;
    let read = |remote| Operation::Read { remote };
    let add = |remote| Operation::FetchAdd { remote, add: 1 };
    let swap = |remote| Operation::CompareSwap {
        remote,
        compare: u64::from_le_bytes([UNTOUCHED; 8]),
        swap: 1,
    };
    let write = |remote| Operation::Write {
        remote,
        immediate: Some(1),
    };
    let cases: [(Ask, Place, CompletionStatus); 9] = [
        (read, bad_key, CompletionStatus::BadKey),
        (read, bad_range, CompletionStatus::BadRange),
        (add, bad_key, CompletionStatus::BadKey),
        (add, bad_range, CompletionStatus::BadRange),
        (add, odd, CompletionStatus::BadRange),
        (swap, bad_key, CompletionStatus::BadKey),
        (swap, odd, CompletionStatus::BadRange),
        (write, bad_key, CompletionStatus::BadKey),
        (
            |_| Operation::Send { immediate: None },
            good,
            CompletionStatus::BadRange,
        ),
    ];
    for (operation, place, status) in cases {
        let mut bench = Bench::of(46);
        clear(&bench.target);
        // A Send of eight bytes is longer than this.
        let buffer = (&bench.target, 0..7);
        bench.pair.ba.post_receive(0, 0, buffer).unwrap();
        let operation = operation(place(&bench.target));
        bench
            .pair
            .ab
            .post(1, 0, (&bench.source, 0..8), operation)
            .unwrap();
        assert_eq!(bench.status(), status, "{operation:?}");
        assert_only(&bench.target, 0, &[]);
    }
}

#[test]
fn what_cant_be_posted_is_said_at_once_and_takes_no_message_number() {
    let mut bench = Bench::of(47);
    let elsewhere = Device::open(DeviceOptions::new(loopback(48, 1))).unwrap();
    let foreign = elsewhere.register_memory(8).unwrap();
    let mut lonely = bench
        .pair
        .a
        .create_connection(metaroce_verbs::ConnectionAttributes::random())
        .unwrap();
    let (source, ab) = (&bench.source, &mut bench.pair.ab);
    let unconnected = lonely.post_send(0, 0, (source, 0..1), None).unwrap_err();
    assert!(matches!(unconnected, VerbsError::State { .. }));
    let error = ab.post_send(0, 0, (&foreign, 0..1), None).unwrap_err();
    assert!(matches!(error, VerbsError::ForeignRegion));
    let error = ab.post_send(0, 64, (source, 0..1), None).unwrap_err();
    assert_eq!(error.to_string(), "stream is at most 63, found 64");
    let error = ab.post_send(0, 0, (source, 9..ROOM + 1), None).unwrap_err();
    assert!(matches!(error, VerbsError::OutsideRegion { .. }));
    let error = ab
        .post_fetch_add(0, 0, (source, ROOM - 7), bench.target.remote(), 1)
        .unwrap_err();
    assert!(matches!(error, VerbsError::OutsideRegion { .. }));
    let ba = &mut bench.pair.ba;
    for buffer in 0..256 {
        ba.post_receive(buffer, 0, (&bench.target, 0..8)).unwrap();
    }
    let error = ba.post_receive(0, 0, (&bench.target, 0..8)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no receive buffer of this stream left: the device has 256"
    );
    // The first message of the stream after all that is number 0, or its receiver would wait for others.
    bench
        .pair
        .ab
        .post_send(7, 0, (&bench.source, 0..8), None)
        .unwrap();
    bench.expect(7, 8);
    bench.expect_received(0, 8, None);
}

#[test]
fn every_verb_on_several_streams_survives_loss_in_both_directions() {
    let lossy = |nic: usize| DeviceOptions {
        loss: 0.05,
        seed: 5 + nic as u64,
        max_retries: 15,
        ..options(49, nic)
    };
    let mut bench = Bench::new(lossy(0), lossy(1));
    let counter = bench.pair.b.register_memory(8).unwrap();
    let readable = bench.pair.b.register_memory(5_000).unwrap();
    let inbox = bench.pair.b.register_memory(5_000).unwrap();
    let read = bench.pair.a.register_memory(5_000).unwrap();
    let old = bench.pair.a.register_memory(8).unwrap();
    readable.write(0, &noise(5_000, 13)).unwrap();
    let turns = 60;
    for turn in 0..turns {
        let length = 4_000 + turn % 7;
        let (ab, ba) = (&mut bench.pair.ab, &mut bench.pair.ba);
        ba.post_receive(1, 3, (&inbox, 0..5_000)).unwrap();
        let sent = (&bench.source, turn..turn + length);
        ab.post_send(1, 3, sent.clone(), Some(turn as u32)).unwrap();
        ab.post_write(2, 0, sent, bench.target.remote()).unwrap();
        ab.post_read(3, 1, (&read, 0..length), readable.remote())
            .unwrap();
        ab.post_fetch_add(4, 2, (&old, 0), counter.remote(), 2)
            .unwrap();
        for _ in 0..4 {
            bench.pair.wait(LIMIT).check().unwrap();
        }
        bench.expect_received(1, length, Some(turn as u32));
        let data = &bench.data[turn..turn + length];
        assert!(inbox.read(0..length).unwrap() == data);
        assert!(bench.target.read(0..length).unwrap() == data);
        assert!(read.read(0..length).unwrap() == readable.read(0..length).unwrap());
        assert_eq!(old.read(0..8).unwrap(), (2 * turn as u64).to_le_bytes());
    }
    assert_eq!(
        counter.read(0..8).unwrap(),
        (2 * turns as u64).to_le_bytes()
    );
    for device in [&bench.pair.a, &bench.pair.b] {
        assert!(device.statistics().tx_injected_losses > 0);
    }
}
