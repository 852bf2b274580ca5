//! What `ib_write_lat`, `ib_send_lat` and `ib_read_lat` measure.
use std::time::{Duration, Instant};

use metaroce_verbs::{Completed, MemoryRegion, PathAttributes, WorkCompletion};
use serde::Serialize;

use super::Verb;
use crate::client::Client;
use crate::device::Device;
use crate::error::SoftError;
use crate::setup::{Region, Work};

/// A message that is answered takes far less.
const ANSWER: Duration = Duration::from_secs(10);
/// Buffers that wait for the server's Sends: one is enough, two never let it wait.
const BUFFERS: u64 = 2;

/// What to do.
#[derive(Clone, Copy, Debug)]
pub struct Ping {
    /// Verb.
    pub verb: Verb,
    /// Bytes of a message.
    pub bytes: usize,
    /// Messages, one after the other.
    pub iterations: u64,
}

/// Microseconds: half of there and back for Write and Send; a Read's whole time.
#[derive(Clone, Debug, Serialize)]
pub struct Latency {
    /// Verb.
    pub verb: Verb,
    /// Bytes of a message.
    pub bytes: u64,
    /// Measured messages.
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

/// A message at a time, `iterations` times: a Write or Send waits until the server has answered with one, a Read until it
/// is complete.
pub fn latency(
    device: &Device,
    server: &str,
    paths: &[PathAttributes],
    ping: &Ping,
    stop: impl Fn() -> bool,
) -> Result<Latency, SoftError> {
    let &Ping {
        verb, iterations, ..
    } = ping;
    let mut turns = Turns::new(device, server, paths, ping)?;
    let mut times = Vec::new();
    for turn in 0..iterations.max(1) {
        if stop() {
            return Err(SoftError::Interrupted);
        }
        let began = Instant::now();
        match verb {
            Verb::Write => turns.write(turn)?,
            Verb::Send => turns.send(turn)?,
            Verb::Read => turns.read(turn)?,
        }
        let share = if verb == Verb::Read { 1.0 } else { 0.5 };
        times.push(began.elapsed().as_secs_f64() * 1e6 * share);
    }
    turns.client.finish()?;
    Ok(digest(verb, turns.bytes as u64, times))
}

/// What a message at a time needs.
struct Turns {
    device: Device,
    client: Client,
    bytes: usize,
    source: MemoryRegion,
    /// Where answers come.
    target: MemoryRegion,
}

impl Turns {
    fn new(
        device: &Device,
        server: &str,
        paths: &[PathAttributes],
        ping: &Ping,
    ) -> Result<Self, SoftError> {
        // A Write shows itself by its last byte.
        let bytes = match ping.verb {
            Verb::Write => ping.bytes.max(1),
            Verb::Send | Verb::Read => ping.bytes,
        };
        let (source, target) = (
            device.register_memory(bytes.max(1))?,
            device.register_memory(bytes.max(1))?,
        );
        let length = bytes.max(1) as u64;
        let work = match ping.verb {
            Verb::Write => Work::Latency {
                region: Region::from(&target),
            },
            Verb::Send => Work::SendLatency { bytes: length },
            Verb::Read => Work::Read { bytes: length },
        };
        let client = Client::connect(device, server, paths, work)?;
        let mut turns = Self {
            device: device.clone(),
            client,
            bytes,
            source,
            target,
        };
        if ping.verb == Verb::Send {
            (0..BUFFERS).try_for_each(|buffer| turns.post_buffer(buffer))?;
        }
        Ok(turns)
    }

    fn post_buffer(&mut self, wr_id: u64) -> Result<(), SoftError> {
        let local = (&self.target, 0..self.bytes);
        Ok(self.client.connection.post_receive(wr_id, 0, local)?)
    }

    /// Writes, and waits until the server has written the same back.
    fn write(&mut self, turn: u64) -> Result<(), SoftError> {
        let (last, mark) = (self.bytes - 1, (turn % 255 + 1) as u8);
        self.source.write(last, &[mark])?;
        let (local, remote) = ((&self.source, 0..self.bytes), self.client.region.into());
        self.client.connection.post_write(turn, 0, local, remote)?;
        let target = &self.target;
        let mut found = [0];
        wait(&self.device, |_| {
            target.read_into(last, &mut found)?;
            Ok(found[0] == mark)
        })
    }

    /// Sends, and waits until the server has sent the same back.
    fn send(&mut self, turn: u64) -> Result<(), SoftError> {
        let local = (&self.source, 0..self.bytes);
        self.client.connection.post_send(turn, 0, local, None)?;
        let mut taken = None;
        wait(&self.device, |done| {
            if let Some(done) = done.filter(|done| done.completed == Completed::Receive) {
                taken = Some(done.wr_id);
            }
            Ok(taken.is_some())
        })?;
        taken.map_or(Ok(()), |buffer| self.post_buffer(buffer))
    }

    /// Reads, and waits until it is complete.
    fn read(&mut self, turn: u64) -> Result<(), SoftError> {
        let (local, remote) = ((&self.target, 0..self.bytes), self.client.region.into());
        self.client.connection.post_read(turn, 0, local, remote)?;
        wait(&self.device, |done| {
            Ok(done.is_some_and(|done| done.wr_id == turn))
        })
    }
}

/// Lets the device work until `over` says so; it hears each completion.
fn wait(
    device: &Device,
    mut over: impl FnMut(Option<WorkCompletion>) -> Result<bool, SoftError>,
) -> Result<(), SoftError> {
    let began = Instant::now();
    let queue = device.completion_queue();
    while began.elapsed() < ANSWER {
        let done = queue.poll()?;
        if let Some(done) = &done {
            done.check()?;
        }
        if over(done)? {
            return Ok(());
        }
        if done.is_none() {
            device.advance()?;
        }
    }
    Err(metaroce_verbs::VerbsError::TimedOut {
        seconds: ANSWER.as_secs(),
    }
    .into())
}

fn digest(verb: Verb, bytes: u64, mut times: Vec<f64>) -> Latency {
    times.sort_by(f64::total_cmp);
    let count = times.len();
    let at = |share: f64| times[((count as f64 * share) as usize).min(count - 1)];
    let mean = times.iter().sum::<f64>() / count as f64;
    let variance = times.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / count as f64;
    Latency {
        verb,
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
        let times = (0..1_000).rev().map(f64::from).collect();
        let l = digest(Verb::Write, 1, times);
        assert_eq!((l.t_min, l.t_max, l.t_typical), (0.0, 999.0, 500.0));
        assert_eq!((l.percentile_99, l.percentile_99_9), (990.0, 999.0));
        assert!((l.t_avg - 499.5).abs() < 1e-9);
    }
}
