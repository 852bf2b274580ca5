//! Bandwidth and latency as perftest measures them: the same message, again and again.
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::client::{Client, Summary};
use crate::connection::PathAttributes;
use crate::device::Device;
use crate::error::SoftError;
use crate::setup::{Region, Work};

/// Writes under way: the model's message slots keep busy.
const DEPTH: u64 = 32;
/// A write that is answered takes far less.
const ANSWER: Duration = Duration::from_secs(10);

/// What `ib_write_bw` prints, and what the transport did for it.
#[derive(Clone, Debug, Serialize)]
pub struct Bandwidth {
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
    /// WRITEs sent again.
    pub retransmissions: u32,
    /// What the server counted.
    #[serde(skip)]
    pub summary: Summary,
}

/// Writes `iterations` messages of `bytes`, or as many as `limit` allows.
pub fn bandwidth(
    device: &Device,
    server: &str,
    paths: &[PathAttributes],
    bytes: usize,
    iterations: u64,
    limit: Option<Duration>,
    stop: impl Fn() -> bool,
) -> Result<Bandwidth, SoftError> {
    let source = device.register_memory(bytes.max(1))?;
    let work = Work::Bandwidth {
        bytes: bytes.max(1) as u64,
    };
    let mut client = Client::connect(device, server, paths, work)?;
    let before = device.counter(metaroce_protocol::Counter::TxRetransmissions);
    let region = client.region;
    let began = Instant::now();
    let over = || limit.is_some_and(|limit| began.elapsed() >= limit);
    let (mut posted, mut ends) = (0, Vec::new());
    while (posted < iterations && !over()) || (ends.len() as u64) < posted {
        if stop() {
            return Err(SoftError::Interrupted);
        }
        if posted < iterations && !over() && posted - (ends.len() as u64) < DEPTH {
            client.connection.post_write(
                posted,
                0,
                (&source, 0..bytes),
                region.address,
                region.r_key,
            )?;
            posted += 1;
        } else {
            client.complete()?;
            ends.push(began.elapsed().as_secs_f64());
        }
    }
    let after = device.counter(metaroce_protocol::Counter::TxRetransmissions);
    let summary = client.finish()?;
    let seconds = ends.last().copied().unwrap_or_default();
    let rate = |messages: usize, seconds: f64| messages as f64 * bytes as f64 * 8e-9 / seconds;
    let average = rate(ends.len(), seconds);
    let stretch = (ends.len() / 8).max(1);
    let peaks = ends
        .windows(stretch + 1)
        .map(|w| rate(stretch, w[stretch] - w[0]));
    Ok(Bandwidth {
        bytes: bytes as u64,
        iterations: posted,
        peak_gigabits_per_second: peaks.fold(average, f64::max),
        average_gigabits_per_second: average,
        message_rate_mpps: posted as f64 * 1e-6 / seconds,
        seconds,
        retransmissions: after.wrapping_sub(before),
        summary,
    })
}

/// What `ib_write_lat` prints: microseconds, half of there and back.
#[derive(Clone, Debug, Serialize)]
pub struct Latency {
    /// Bytes of a message.
    pub bytes: u64,
    /// Measured writes.
    pub iterations: u64,
    /// Shortest.
    pub t_min: f64,
    /// Longest.
    pub t_max: f64,
    /// Half are shorter.
    pub t_typical: f64,
    /// Mean.
    pub t_avg: f64,
    /// Standard deviation.
    pub t_stdev: f64,
    /// 99 of 100 are shorter.
    pub percentile_99: f64,
    /// 999 of 1,000 are shorter.
    pub percentile_99_9: f64,
}

/// Writes a message, waits until the server has written one back, `iterations` times.
pub fn latency(
    device: &Device,
    server: &str,
    paths: &[PathAttributes],
    bytes: usize,
    iterations: u64,
    stop: impl Fn() -> bool,
) -> Result<Latency, SoftError> {
    let bytes = bytes.max(1);
    let source = device.register_memory(bytes)?;
    let target = device.register_memory(bytes)?;
    let work = Work::Latency {
        region: Region {
            address: target.address(),
            r_key: target.r_key(),
            length: bytes as u64,
        },
    };
    let mut client = Client::connect(device, server, paths, work)?;
    let region = client.region;
    let queue = device.completion_queue();
    let mut times = Vec::new();
    for turn in 0..iterations.max(1) {
        if stop() {
            return Err(SoftError::Interrupted);
        }
        let mark = (turn % 255 + 1) as u8;
        source.write(bytes - 1, &[mark])?;
        let began = Instant::now();
        client
            .connection
            .post_write(turn, 0, (&source, 0..bytes), region.address, region.r_key)?;
        while target.with(bytes - 1..bytes, |last| last[0])? != mark {
            match queue.poll()? {
                Some(done) => done.check()?,
                None => device.advance()?,
            }
            if began.elapsed() > ANSWER {
                return Err(SoftError::TimedOut {
                    seconds: ANSWER.as_secs(),
                });
            }
        }
        times.push(began.elapsed().as_secs_f64() * 1e6 / 2.0);
    }
    client.finish()?;
    Ok(digest(bytes as u64, times))
}

fn digest(bytes: u64, mut times: Vec<f64>) -> Latency {
    times.sort_by(f64::total_cmp);
    let count = times.len();
    let at = |share: f64| times[((count as f64 * share) as usize).min(count - 1)];
    let mean = times.iter().sum::<f64>() / count as f64;
    let variance = times.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / count as f64;
    Latency {
        bytes,
        iterations: count as u64,
        t_min: at(0.0),
        t_max: at(1.0),
        t_typical: at(0.5),
        t_avg: mean,
        t_stdev: variance.sqrt(),
        percentile_99: at(0.99),
        percentile_99_9: at(0.999),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_a_thousand_numbers_are_theirs() {
        let l = digest(1, (0..1_000).rev().map(f64::from).collect());
        assert_eq!((l.t_min, l.t_max, l.t_typical), (0.0, 999.0, 500.0));
        assert_eq!((l.percentile_99, l.percentile_99_9), (990.0, 999.0));
        assert!((l.t_avg - 499.5).abs() < 1e-9);
    }
}
