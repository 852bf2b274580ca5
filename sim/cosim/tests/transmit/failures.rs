//! Which connections have failed: the owner, and the copies that others keep, against a few lines of Rust.
use metaroce_cores::connection_state::ConnectionState;
use metaroce_cores::failed_bitmap::FailedBitmap;
use metaroce_cores::failed_connections::FailedConnections;
use metaroce_cosim::words::Unpacker;
use metaroce_protocol::CompletionStatus;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::datapath::model;
use crate::units::{get, set};

/// What a cycle changes: a connection, and whether it fails.
type Change = Option<(u64, bool)>;

/// It as `FailureWrite` is packed.
pub fn write(change: Change) -> u64 {
    change.map_or(0, |(connection, failed)| {
        1 | connection << 1 | u64::from(failed) << 13
    })
}

/// The connections that have failed, of 64.
#[derive(Default)]
pub struct Failures(u64);

impl Failures {
    pub fn failed(&self) -> u64 {
        self.0
    }

    pub fn has(&self, connection: u64) -> bool {
        self.0 >> connection & 1 == 1
    }

    pub fn first(&self) -> Option<u64> {
        (self.0 != 0).then(|| self.0.trailing_zeros().into())
    }

    pub fn apply(&mut self, change: Change) {
        if let Some((connection, failed)) = change {
            self.0 = self.0 & !(1 << connection) | u64::from(failed) << connection;
        }
    }
}

#[test]
fn a_copy_forgets_no_write() {
    let mut dut = model(FailedConnections::<6>::default(), "failed_connections");
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let (mut failures, mut asked) = (Failures::default(), 0);
    let mut met = [0; 4];
    for cycle in 0..20_000 {
        // Few connections: writes and questions meet.
        let few = |rng: &mut ChaCha8Rng| rng.random_range(0..4) * 21;
        let change = rng
            .random_bool(0.5)
            .then(|| (few(&mut rng), rng.random_bool(0.5)));
        let next = few(&mut rng);
        set(&mut dut, "write", write(change));
        set(&mut dut, "connection", next);
        dut.settle().unwrap();
        let failed = failures.has(asked);
        let fails = failed || change == Some((asked, true));
        assert_eq!(get(&dut, "failed"), u64::from(failed), "cycle {cycle}");
        assert_eq!(get(&dut, "fails"), u64::from(fails), "cycle {cycle}");
        met[usize::from(failed) * 2 + usize::from(fails)] += 1;
        dut.rise().unwrap();
        failures.apply(change);
        asked = next;
    }
    assert!(met[0] > 1_000 && met[1] > 500 && met[3] > 1_000, "{met:?}");
}

#[test]
fn the_bitmap_shows_32_connections_and_none_beyond_the_last() {
    bitmap(model(FailedBitmap::<6, 1>::default(), "failed_bitmap"), 64);
    bitmap(
        model(FailedBitmap::<3, 1>::default(), "failed_bitmap_small"),
        8,
    );
}

fn bitmap(mut dut: metaroce_cosim::model::VerilatedModel, connections: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let (mut failures, mut selected) = (Failures::default(), 0);
    let mut shown = 0u64;
    for cycle in 0..5_000 {
        let connection = rng.random_range(0..connections);
        let change = rng
            .random_bool(0.3)
            .then(|| (connection, rng.random_bool(0.6)));
        let next = match rng.random_range(0..4) {
            0 => 1,
            1 => rng.random_range(2..=u64::from(u32::MAX)),
            _ => 0,
        };
        set(&mut dut, "write", write(change));
        set(&mut dut, "select", next);
        dut.settle().unwrap();
        let word = match selected {
            0 | 1 => failures.failed() >> (32 * selected) & u64::from(u32::MAX),
            _ => 0,
        };
        assert_eq!(get(&dut, "bitmap"), word, "cycle {cycle}, word {selected}");
        shown |= word;
        dut.rise().unwrap();
        failures.apply(change);
        selected = next;
    }
    let all = u64::MAX >> (64 - connections.min(32));
    assert_eq!(shown, all, "every connection of a word was met");
}

#[test]
fn the_first_failure_names_it_until_it_is_set_up_anew() {
    const CONNECTIONS: u64 = 16;
    let mut dut = model(ConnectionState::<4>::default(), "connection_state");
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    let mut failures: [Option<(u64, u64, u64)>; CONNECTIONS as usize] = [None; 16];
    let retry_exceeded = CompletionStatus::RetryExceeded.code().into();
    let (mut asked, mut met) = (0usize, [0; 3]);
    for cycle in 0..20_000 {
        let connection = rng.random_range(0..CONNECTIONS);
        let name: (u64, u64, u64) = (
            rng.random_range(1..256),
            rng.random_range(0..1 << 16),
            rng.random_range(0..1 << 16),
        );
        let known = failures[connection as usize].is_some();
        let kind = match rng.random_range(0..4) {
            0 => 0,
            1 if !known => 1,
            2 if !known => 2,
            _ => 3,
        };
        for (port, number) in [("renew", 0), ("refused", 1), ("give_up", 2)] {
            set(&mut dut, port, u64::from(kind == number));
            set(&mut dut, &format!("{port}_connection"), connection);
        }
        set(&mut dut, "refusal", name.0 | name.1 << 8 | name.2 << 24);
        let next = rng.random_range(0..CONNECTIONS);
        set(&mut dut, "failure_connection", next);
        dut.settle().unwrap();
        let change = (kind < 3).then_some((connection, kind != 0));
        // Without `valid` the rest says nothing.
        let said = get(&dut, "write");
        assert_eq!(said & 1, write(change) & 1, "cycle {cycle}");
        assert!(change.is_none() || said == write(change), "cycle {cycle}");
        let mut bytes = [0; 6];
        dut.get_bytes(dut.port("failure").unwrap(), &mut bytes);
        let mut word = Unpacker::new(&bytes);
        let answer = [1, 8, 16, 16].map(|width| word.field(width));
        match failures[asked] {
            None => assert_eq!(answer[0], 0, "cycle {cycle}"),
            Some((reason, ..)) if reason == retry_exceeded => {
                assert_eq!(answer[..2], [1, reason], "cycle {cycle}");
            }
            Some((reason, stream, message)) => {
                assert_eq!(answer, [1, reason, stream, message], "cycle {cycle}");
            }
        }
        dut.rise().unwrap();
        let entry = &mut failures[connection as usize];
        match kind {
            0 => *entry = None,
            1 => *entry = Some(name),
            2 => *entry = Some((retry_exceeded, 0, 0)),
            _ => {}
        }
        if kind < 3 {
            met[kind] += 1;
        }
        asked = next as usize;
    }
    assert!(met.iter().all(|&times| times > 500), "{met:?}");
}
