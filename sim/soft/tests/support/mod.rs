//! Two devices of one thread, joined.
#![allow(dead_code)]
use std::net::IpAddr;
use std::time::{Duration, Instant};

use metaroce_soft::{Device, DeviceOptions};
use metaroce_verbs::{Connection, ConnectionAttributes, PathAttributes, WorkCompletion};

/// First entropy of the tests: above Linux's own range of ports.
pub const ENTROPY: u16 = 61_000;

/// Loopback addresses `127.0.test.1` and on: each test has its own, so that all can run at once.
pub fn loopback(test: u8, count: u8) -> Vec<IpAddr> {
    (1..=count).map(|n| [127, 0, test, n].into()).collect()
}

/// Paths over planes, in turn.
pub fn paths(count: u16, planes: u32) -> Vec<PathAttributes> {
    (0..count)
        .map(|n| PathAttributes {
            plane: u32::from(n) % planes,
            entropy: ENTROPY + n,
        })
        .collect()
}

/// Two devices and a connection between them.
pub struct Pair {
    pub a: Device,
    pub b: Device,
    pub ab: Connection,
    pub ba: Connection,
}

impl Pair {
    pub fn new(a: DeviceOptions, b: DeviceOptions, path_count: u16) -> Self {
        let planes = a.addresses.len() as u32;
        let (a, b) = (Device::open(a).unwrap(), Device::open(b).unwrap());
        let mut ab = a.create_connection(ConnectionAttributes::random()).unwrap();
        let mut ba = b.create_connection(ConnectionAttributes::random()).unwrap();
        let paths = paths(path_count, planes);
        ab.connect(&ba.local(), &paths).unwrap();
        ba.connect(&ab.local(), &paths).unwrap();
        Self { a, b, ab, ba }
    }

    /// Both work until A has a completion.
    pub fn wait(&self, limit: Duration) -> WorkCompletion {
        self.wait_at(&self.a, limit)
    }

    /// Both work until this one has a completion.
    pub fn wait_at(&self, device: &Device, limit: Duration) -> WorkCompletion {
        let deadline = Instant::now() + limit;
        let queue = device.completion_queue();
        while Instant::now() < deadline {
            self.a.advance().unwrap();
            self.b.advance().unwrap();
            if let Some(done) = queue.poll().unwrap() {
                return done;
            }
        }
        panic!(
            "no completion; A {:?} {:?}; B {:?} {:?}",
            self.a.counters(),
            self.a.statistics(),
            self.b.counters(),
            self.b.statistics()
        );
    }

    /// Both work for a while.
    pub fn settle(&self, rounds: usize) {
        for _ in 0..rounds {
            self.a.advance().unwrap();
            self.b.advance().unwrap();
        }
    }
}

/// Bytes without a pattern.
pub fn noise(length: usize, seed: u32) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8
    };
    (0..length).map(|_| next()).collect()
}
