//! What `ib_write_bw`, `ib_send_bw` and `ib_read_bw` measure.
use std::time::{Duration, Instant};

use metaroce_protocol::Counter;
use metaroce_verbs::{MemoryRegion, Operation, PathAttributes};
use serde::Serialize;

use super::Verb;
use crate::client::{Client, Summary};
use crate::device::Device;
use crate::error::SoftError;
use crate::setup::{Work, pattern};

/// Messages under way: the model's message slots keep busy.
const DEPTH: u64 = 32;
/// Buffers that the server posts for Sends: twice what is under way, so that it has time to post them again.
const BUFFERS: u64 = 2 * DEPTH;
/// Bytes of those buffers together at most, if two of them are fewer.
const BUFFER_BYTES: u64 = 256 << 20;

/// What to do.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Verb.
    pub verb: Verb,
    /// Bytes of a message.
    pub bytes: usize,
    /// Messages.
    pub iterations: u64,
    /// Ends earlier after so long.
    pub limit: Option<Duration>,
}

/// What was reached, and what the transport did for it.
#[derive(Clone, Debug, Serialize)]
pub struct Bandwidth {
    /// Verb.
    pub verb: Verb,
    /// Bytes of a message.
    pub bytes: u64,
    /// Messages.
    pub iterations: u64,
    /// Best stretch between two completions an eighth of the run apart, payload.
    pub peak_gigabits_per_second: f64,
    /// Over the whole run, payload.
    pub average_gigabits_per_second: f64,
    /// Millions of messages a second.
    pub message_rate_mpps: f64,
    /// From the first post to the last completion.
    pub seconds: f64,
    /// Packets that this end sent again.
    pub retransmissions: u32,
    /// What the server counted.
    #[serde(skip)]
    pub summary: Summary,
}

/// Posts `iterations` messages of `bytes`, or as many as `limit` allows.
pub fn bandwidth(
    device: &Device,
    server: &str,
    paths: &[PathAttributes],
    load: &Load,
    stop: impl Fn() -> bool,
) -> Result<Bandwidth, SoftError> {
    let &Load {
        verb,
        bytes,
        iterations,
        limit,
    } = load;
    let local = device.register_memory(bytes.max(1))?;
    let mut client = Client::connect(device, server, paths, work(verb, bytes.max(1) as u64))?;
    let before = device.counter(Counter::TxRetransmissions);
    let operation = operation(verb, &client);
    let began = Instant::now();
    let over = || limit.is_some_and(|limit| began.elapsed() >= limit);
    let (mut posted, mut ends) = (0, Vec::new());
    while (posted < iterations && !over()) || (ends.len() as u64) < posted {
        if stop() {
            return Err(SoftError::Interrupted);
        }
        if posted < iterations && !over() && posted - (ends.len() as u64) < DEPTH {
            let range = (&local, 0..bytes);
            client.connection.post(posted, 0, range, operation)?;
            posted += 1;
        } else {
            client.complete()?;
            ends.push(began.elapsed().as_secs_f64());
        }
    }
    let after = device.counter(Counter::TxRetransmissions);
    if verb == Verb::Read && posted > 0 {
        check_pattern(&local, bytes)?;
    }
    let summary = client.finish()?;
    let retransmissions = after.wrapping_sub(before);
    Ok(Bandwidth {
        retransmissions,
        summary,
        ..digest(verb, bytes, &ends)
    })
}

fn work(verb: Verb, bytes: u64) -> Work {
    match verb {
        Verb::Write => Work::Bandwidth { bytes },
        Verb::Send => Work::Send {
            bytes,
            depth: (BUFFER_BYTES / bytes).clamp(2, BUFFERS),
        },
        Verb::Read => Work::Read { bytes },
    }
}

fn operation(verb: Verb, client: &Client) -> Operation {
    let remote = client.region.into();
    let immediate = None;
    match verb {
        Verb::Write => Operation::Write { remote, immediate },
        Verb::Send => Operation::Send { immediate },
        Verb::Read => Operation::Read { remote },
    }
}

/// What was read must be what the server holds.
fn check_pattern(local: &MemoryRegion, bytes: usize) -> Result<(), SoftError> {
    let found = local.read(0..bytes)?;
    let wrong = (0..bytes).find(|&offset| found[offset] != pattern(offset));
    wrong.map_or(Ok(()), |offset| {
        Err(SoftError::Differs {
            offset,
            needed: pattern(offset),
            found: found[offset],
        })
    })
}

/// `ends`: seconds from the start to each completion.
fn digest(verb: Verb, bytes: usize, ends: &[f64]) -> Bandwidth {
    let seconds = ends.last().copied().unwrap_or_default();
    let per_second = |amount: f64, seconds: f64| {
        if seconds > 0.0 { amount / seconds } else { 0.0 }
    };
    let rate =
        |messages: usize, seconds: f64| per_second(messages as f64 * bytes as f64 * 8e-9, seconds);
    let average = rate(ends.len(), seconds);
    // What one poll finds completes at one time: a stretch is longer than what is under way.
    let stretch = (ends.len() / 8).max(2 * DEPTH as usize);
    let peaks = ends
        .windows(stretch + 1)
        .map(|w| rate(stretch, w[stretch] - w[0]));
    Bandwidth {
        verb,
        bytes: bytes as u64,
        iterations: ends.len() as u64,
        peak_gigabits_per_second: peaks.fold(average, f64::max),
        average_gigabits_per_second: average,
        message_rate_mpps: per_second(ends.len() as f64 * 1e-6, seconds),
        seconds,
        retransmissions: 0,
        summary: Summary::default(),
    }
}
