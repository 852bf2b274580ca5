//! The event loop: datagrams to the model, the model's frames to datagrams.
use std::collections::VecDeque;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use metaroce_model::wire::Outgoing;
use metaroce_protocol::{Counter, Frame, RegionEntry};
use metaroce_verbs::{VerbsError, WorkCompletion};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::{CONNECTIONS, DeviceOptions, Lane, LaneAttributes, LaneSender, Statistics, Tally};
use crate::capture::Capture;
use crate::clock::Clock;
use crate::error::SoftError;
use crate::memory::Memory;
use crate::outer;
use crate::socket::{BATCH, Receiver, Sender};

/// A lane's timers are looked at this often, in ticks: a quarter of the shortest time-out in use.
const TIMER_TICKS: u32 = 1_000;
/// Frames that may wait in front of the sockets.
const WAITING: usize = 4 * BATCH;

/// A sender and what it is bound to.
pub(crate) struct PathSender {
    plane: usize,
    entropy: u16,
    users: usize,
    sender: Sender,
}

pub(crate) struct Inner {
    pub(crate) options: DeviceOptions,
    pub(crate) clock: Clock,
    pub(crate) receivers: Vec<Receiver>,
    pub(crate) senders: Vec<Option<PathSender>>,
    pub(crate) lanes: Vec<Option<Lane>>,
    /// Indices that a connection holds, connected or not.
    pub(crate) reserved: [bool; CONNECTIONS],
    pub(crate) memory: Memory,
    /// Of frames that reach no lane, and of lanes that are closed.
    pub(crate) counters: Tally,
    pub(crate) completions: VecDeque<WorkCompletion>,
    pub(crate) capture: Option<Capture>,
    pub(crate) faults: ChaCha8Rng,
    pub(crate) secrets: ChaCha8Rng,
    pub(crate) statistics: Statistics,
    pub(crate) last_tick: u32,
    pub(crate) last_work: Instant,
    /// The lane that may send first in this round.
    pub(crate) turn: usize,
}

impl Inner {
    /// Of all connections, closed ones too.
    pub(crate) fn tally(&self) -> Tally {
        let mut sum = self.counters.clone();
        for lane in self.lanes.iter().flatten() {
            sum.absorb(&lane.endpoint.nic);
        }
        sum
    }

    pub(crate) fn register(&mut self, length: usize) -> Result<RegionEntry, VerbsError> {
        let tag = self.secrets.random::<u32>() & 0xFF_FFFF;
        let index = self.memory.register(length, tag)?;
        let entry = self.memory.entry(index);
        self.write_region(index, entry);
        Ok(entry)
    }

    pub(crate) fn deregister(&mut self, index: usize) {
        self.memory.deregister(index);
        self.write_region(index, RegionEntry::default());
    }

    fn write_region(&mut self, index: usize, entry: RegionEntry) {
        for lane in self.lanes.iter_mut().flatten() {
            lane.endpoint.nic.write_region(index as u32, entry);
        }
    }

    /// Takes a place among the lanes: its index, and a QP number whose upper part is not to be guessed.
    pub(crate) fn reserve(&mut self) -> Result<(usize, u32), VerbsError> {
        let free = self.reserved.iter().position(|taken| !taken);
        let index = free.ok_or(VerbsError::Exhausted {
            what: "connection",
            limit: CONNECTIONS as u64,
        })?;
        self.reserved[index] = true;
        let tag = self.secrets.random_range(1..=0xFFFF_u32);
        Ok((index, tag << 8 | index as u32))
    }

    pub(crate) fn lane(&self, index: usize) -> Option<&Lane> {
        self.lanes.get(index)?.as_ref()
    }

    pub(crate) fn lane_mut(&mut self, index: usize) -> Option<&mut Lane> {
        self.lanes.get_mut(index)?.as_mut()
    }

    /// The socket of a path, shared by all connections with this plane and entropy.
    pub(crate) fn sender(&mut self, plane: usize, entropy: u16) -> Result<usize, SoftError> {
        let same = |s: &Option<PathSender>| {
            s.as_ref()
                .is_some_and(|s| (s.plane, s.entropy) == (plane, entropy))
        };
        if let Some(index) = self.senders.iter().position(same) {
            if let Some(sender) = &mut self.senders[index] {
                sender.users += 1;
            }
            return Ok(index);
        }
        let address = self.options.addresses[plane];
        let sender = Some(PathSender {
            plane,
            entropy,
            users: 1,
            sender: Sender::open(address, entropy, self.options.socket_buffer)?,
        });
        let free = self.senders.iter().position(Option::is_none);
        match free {
            Some(index) => self.senders[index] = sender,
            None => self.senders.push(sender),
        }
        Ok(free.unwrap_or(self.senders.len() - 1))
    }

    /// One connection less uses these senders.
    pub(crate) fn release(&mut self, senders: &[LaneSender]) {
        for used in senders {
            if let Some(sender) = &mut self.senders[used.index] {
                sender.users -= 1;
                if sender.users == 0 {
                    self.senders[used.index] = None;
                }
            }
        }
    }

    pub(crate) fn open_lane(&mut self, index: usize, attributes: LaneAttributes) {
        let now = self.clock.now();
        let lane = Lane::new(&self.options, attributes, self.memory.entries(), now);
        if self.lanes.len() <= index {
            self.lanes.resize_with(index + 1, || None);
        }
        self.lanes[index] = Some(lane);
    }

    pub(crate) fn close_lane(&mut self, index: usize) {
        self.reserved[index] = false;
        // The next connection of this index must not hear of this one's.
        self.completions
            .retain(|done| done.connection as usize != index);
        let Some(lane) = self.lanes.get_mut(index).and_then(Option::take) else {
            return;
        };
        self.counters.absorb(&lane.endpoint.nic);
        self.release(&lane.senders);
    }

    /// One round: whether there was anything to do.
    pub(crate) fn progress(&mut self) -> Result<bool, SoftError> {
        let now = self.clock.now();
        let mut worked = false;
        for plane in 0..self.receivers.len() {
            worked |= self.receive(plane, now)?;
        }
        if now.wrapping_sub(self.last_tick) >= TIMER_TICKS {
            self.last_tick = now;
            for lane in self.lanes.iter_mut().flatten() {
                lane.dirty = true;
            }
        }
        worked |= self.transmit(now)?;
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            let Some(lane) = lane else { continue };
            while let Some(done) = lane.poll(index as u32) {
                worked = true;
                self.completions.push_back(done);
            }
        }
        if worked {
            self.last_work = Instant::now();
        }
        Ok(worked)
    }

    /// Sleeps until a datagram comes or a timer may be due, if there has been no work for a while.
    pub(crate) fn rest(&mut self) {
        if self.last_work.elapsed() < self.options.spin {
            std::hint::spin_loop();
            return;
        }
        let mut fds: Vec<_> = self
            .receivers
            .iter()
            .map(|r| PollFd::new(r.as_fd(), PollFlags::POLLIN))
            .collect();
        // A signal ends the sleep early, which is as good.
        let _ = poll(&mut fds, PollTimeout::from(1_u8));
    }

    fn receive(&mut self, plane: usize, now: u32) -> Result<bool, SoftError> {
        let receiver = &mut self.receivers[plane];
        let count = receiver.receive()?;
        if count == 0 {
            return Ok(false);
        }
        let address = receiver.address();
        self.statistics.rx_batches += 1;
        self.statistics.rx_datagrams += count as u64;
        self.counters.add(Counter::RxFrames, count as u32);
        for index in 0..count {
            let Some(bytes) = receiver.frame(index) else {
                self.counters.add(Counter::RxMalformed, 1);
                continue;
            };
            if let Some(capture) = &mut self.capture {
                capture.frame(plane, wall_clock(), bytes)?;
            }
            match outer::parse(bytes, address) {
                Err(reason) => self.counters.add(reason.counter(), 1),
                Ok(frame) => deliver(
                    &frame,
                    &mut self.lanes,
                    &mut self.memory,
                    &mut self.counters,
                    now,
                ),
            }
        }
        Ok(true)
    }

    fn transmit(&mut self, now: u32) -> Result<bool, SoftError> {
        let mut room = WAITING.saturating_sub(self.waiting()).min(BATCH);
        let mut worked = false;
        let count = self.lanes.len();
        self.turn = (self.turn + 1) % count.max(1);
        let first = self.turn;
        // In turn: a lane full of data to send holds no other's acknowledgements back.
        for index in (first..count).chain(0..first) {
            while room > 0 {
                let lane = self.lanes[index].as_mut().filter(|lane| lane.dirty);
                let Some(lane) = lane else { break };
                let Some(outgoing) = lane.endpoint.poll_transmit(now) else {
                    lane.dirty = false;
                    break;
                };
                room -= 1;
                worked = true;
                self.send(index, &outgoing)?;
            }
        }
        for sender in self.senders.iter_mut().flatten() {
            if sender.sender.waiting() > 0 {
                self.statistics.tx_refused += u64::from(sender.sender.flush()?);
            }
        }
        Ok(worked)
    }

    fn waiting(&self) -> usize {
        let senders = self.senders.iter().flatten();
        senders.map(|sender| sender.sender.waiting()).sum()
    }

    fn send(&mut self, lane: usize, outgoing: &Outgoing) -> Result<(), SoftError> {
        if self.options.loss > 0.0 && self.faults.random_bool(self.options.loss.min(1.0)) {
            self.statistics.tx_injected_losses += 1;
            return Ok(());
        }
        let Some(lane) = &self.lanes[lane] else {
            return Ok(());
        };
        let plane = outgoing.plane as usize;
        let (source, peer) = (self.options.addresses[plane], lane.peers[plane]);
        let length = outgoing.payload_length() as usize;
        // The range was checked when the work was posted; a region that is gone since sends nothing, and its work times out.
        let payload = match length {
            0 => Some(&[][..]),
            _ => self.memory.get(outgoing.local_address, length),
        };
        let (Some(payload), Some(ip)) = (payload, outer::ip(source, peer)) else {
            return Ok(());
        };
        let frame = Frame {
            ip,
            ..outgoing.frame(payload)
        };
        let bytes = frame.encode()?;
        if let Some(capture) = &mut self.capture {
            capture.frame(plane, wall_clock(), &bytes)?;
        }
        let sender = lane.sender_of(outgoing);
        if let Some(sender) = sender.and_then(|index| self.senders[index].as_mut()) {
            self.statistics.tx_datagrams += 1;
            sender.sender.push(peer, bytes);
        }
        Ok(())
    }
}

fn deliver(
    frame: &Frame<'_>,
    lanes: &mut [Option<Lane>],
    memory: &mut Memory,
    counters: &mut Tally,
    now: u32,
) {
    let index = frame.bth.dest_qp as usize % CONNECTIONS;
    match lanes.get_mut(index).and_then(Option::as_mut) {
        Some(lane) => lane.deliver(frame, memory, now),
        None => counters.add(Counter::RxUnknownConnection, 1),
    }
}

fn wall_clock() -> Duration {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default()
}
