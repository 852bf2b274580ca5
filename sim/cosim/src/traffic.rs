//! Random traffic between two NICs over bad planes, in lockstep with the model: as long as one likes, and the same for one seed.
use std::collections::VecDeque;

use metaroce_model::config::{Congestion, Size, Tunables};
use metaroce_protocol::registers as map;
use metaroce_protocol::{CompletionStatus, Counter, Cqe, Profile, Wqe, WqeOpcode};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use thiserror::Error;

use crate::bus::Pace;
use crate::host::{self, Rings};
use crate::lab::{LabError, NicLab};
use crate::planes::Faults;
use crate::station::{Failure, Station, Surroundings};
use crate::testbed::Testbed;

mod peers;
mod receiver;
mod sizes;

use receiver::Receiver;
pub use sizes::Lengths;

/// Host memory that messages are read from.
const SOURCE: u64 = 0x10_0000;
/// Host memory that messages are written to, a place each.
const SINK: u64 = 0x4000_0000;
/// Host memory that Reads fill, a place each.
const READS: u64 = 0x6000_0000;
/// Places: many more than messages are in flight.
const PLACES: u64 = 128;
/// Room in front of a message, so that it may begin anywhere in a page.
const PAGE: u64 = 4_096;
/// Entries of the queues, log2: small, so that they wrap all the time.
const QUEUE_LOG2: u32 = 4;
/// Cycles between two looks at the completion queue.
const POLL: u64 = 16;
/// Messages that a patient sender sends before their buffers are posted, on a stream.
const AHEAD: u32 = 3;
/// Cycles without any event in both NICs, and with messages in flight, after which a run has hung: above the longest time-out.
const HANGS: u64 = 64 * 20_000;

/// What the traffic is like.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Decides everything.
    pub seed: u64,
    /// What the planes do.
    pub faults: Faults,
    /// How often buses wait.
    pub pace: Pace,
    /// Largest latency of host memory, cycles.
    pub memory_latency: u64,
    /// Registers that tune.
    pub tunables: Tunables,
    /// Register NOT_READY_TICKS; with patience, messages are sent before their buffers are posted too.
    pub patience: u32,
    /// Registers of congestion control.
    pub congestion: Congestion,
    /// Lengths of messages.
    pub lengths: Lengths,
    /// B sends too, not only A.
    pub both_ways: bool,
    /// Connections that are used, spread over all that there are.
    pub connections: u32,
    /// What both NICs' clocks start from.
    pub start_time: u32,
}

impl Setting {
    /// Loss, copies, damage, marks and overtaking; stalls on every stream; all numbers next to their wrap.
    pub fn rough(seed: u64, size: Size) -> Self {
        Self {
            seed,
            faults: Faults {
                loss: 0.004,
                duplicate: 0.01,
                late: 0.0,
                corrupt: 0.002,
                mark: 0.05,
                delay: 20,
                path_spread: 60,
                jitter: 0,
            },
            pace: Pace::Random(0.1),
            memory_latency: 16,
            tunables: Tunables {
                window: 16,
                // A plane of few bits takes longer for a frame.
                rto: 8_000 / size.planes,
                max_retries: 15,
                ack_every: 2,
                mtu_log2: 8,
            },
            patience: 0,
            congestion: Congestion::default(),
            lengths: Lengths::mostly_short(256),
            both_ways: true,
            connections: size.connections.min(8),
            start_time: 0u32.wrapping_sub(20_000),
        }
    }
}

/// Why the traffic can't go on.
#[derive(Debug, Error)]
pub enum TrafficError {
    /// Hardware and model differ, or a bus rule is broken.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// There is no NIC.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// A message did not arrive.
    #[error("NIC {nic}: message {message} ended with `{status}`")]
    Ended {
        /// Its sender.
        nic: &'static str,
        /// Its number.
        message: u64,
        /// How.
        status: &'static str,
    },
    /// Other bytes arrived.
    #[error("NIC {nic}: message {message} arrived with other bytes")]
    Bytes {
        /// Its receiver.
        nic: &'static str,
        /// Its number.
        message: u64,
    },
    /// A receiver's host is told of another message than was sent.
    #[error("NIC {nic}: a message came otherwise than it was sent: {difference}")]
    Told {
        /// The receiver.
        nic: &'static str,
        /// How.
        difference: String,
    },
    /// Nothing happens any more.
    #[error(
        "nothing happens any more, with {in_flight} messages in flight, or a message that its receiver is not told of"
    )]
    Hangs {
        /// Of both NICs.
        in_flight: u32,
    },
}

const NAMES: [&str; 2] = ["A", "B"];

/// One NIC's host.
struct Host {
    rings: Rings,
    /// Of a NIC that understands more than Writes.
    receiver: Option<Receiver>,
    /// Numbers of the next messages, by connection and stream.
    next: Vec<u16>,
    posted: u64,
    completed: u64,
    /// Messages whose place is not given to another yet, the oldest first.
    sent: VecDeque<Wqe>,
}

/// Two NICs that write into each other's memory.
pub struct Traffic {
    /// The NICs.
    pub bed: Testbed,
    hosts: [Host; 2],
    setting: Setting,
    size: Size,
    profile: Profile,
    random: ChaCha8Rng,
    /// Times that the connections were made again.
    lives: u8,
}

impl Traffic {
    /// Two fresh NICs, their connections made.
    pub fn new(lab: &NicLab, setting: Setting) -> Result<Self, TrafficError> {
        let size = lab.size();
        let mut random = ChaCha8Rng::seed_from_u64(setting.seed);
        let mut stations = [0u64, 1].map(|nic| {
            let surroundings = Surroundings {
                pace: setting.pace,
                memory_latency: setting.memory_latency,
                seed: setting.seed.wrapping_mul(2).wrapping_add(nic),
                start_time: setting.start_time.wrapping_add(nic as u32 * 1_000),
            };
            lab.station(NAMES[nic as usize], &surroundings, None)
        });
        let mut made = Vec::new();
        for (nic, station) in stations.iter_mut().enumerate() {
            if let Ok(station) = station {
                let profile = lab.built().profile();
                made.push(host(station, nic, size, profile, &setting, &mut random));
            }
        }
        let [a, b] = stations;
        let bed = Testbed::new([a?, b?], size.planes, setting.faults, setting.seed);
        let hosts = made
            .try_into()
            .unwrap_or_else(|_| unreachable!("both NICs are there"));
        let mut traffic = Self {
            bed,
            hosts,
            setting,
            size,
            profile: lab.built().profile(),
            random,
            lives: 0,
        };
        traffic.post_buffers();
        traffic.rest()?;
        Ok(traffic)
    }

    /// Messages that have arrived.
    pub fn completed(&self) -> u64 {
        self.hosts.iter().map(|host| host.completed).sum()
    }

    /// So many cycles with traffic.
    pub fn run(&mut self, cycles: u64) -> Result<(), TrafficError> {
        for _ in 0..cycles {
            if self.bed.cycle().is_multiple_of(POLL) {
                self.take()?;
                let senders = if self.setting.both_ways { 2 } else { 1 };
                (0..senders).for_each(|nic| self.post(nic));
            }
            self.step()?;
        }
        self.check_alive()
    }

    /// One cycle.
    fn step(&mut self) -> Result<(), TrafficError> {
        self.bed.step()?;
        for (host, station) in self.hosts.iter_mut().zip(&self.bed.stations) {
            if let (Some(receiver), Some(stream)) = (&mut host.receiver, station.commits().post) {
                receiver.on_posted(stream, self.size, &self.setting);
            }
        }
        Ok(())
    }

    /// New buffers in the place of those that were taken.
    fn post_buffers(&mut self) {
        for (host, station) in self.hosts.iter_mut().zip(&mut self.bed.stations) {
            if let Some(receiver) = &mut host.receiver {
                receiver.post(station, self.size, &self.setting, &mut self.random);
            }
        }
    }

    /// No new messages: until all have arrived, byte for byte, and every counter agrees.
    pub fn finish(&mut self) -> Result<(), TrafficError> {
        self.drain()?;
        self.rest()?;
        for nic in 0..2 {
            while let Some(wqe) = self.hosts[nic].sent.pop_front() {
                self.check(nic, &wqe)?;
            }
        }
        self.bed.stations.iter_mut().for_each(host::ask_counters);
        self.rest()?;
        for station in &mut self.bed.stations {
            let values = host::counters(station);
            station.check_quiet(|counter| values[&counter])?;
        }
        Ok(())
    }

    /// Sets all connections up anew, under the same numbers, once their messages have arrived: frames of their last life may still
    /// be under way.
    pub fn remake(&mut self) -> Result<(), TrafficError> {
        self.drain()?;
        self.lives = self.lives.wrapping_add(1);
        for nic in [1, 0] {
            let station = &mut self.bed.stations[nic];
            peers::connect(station, nic, self.size, &self.setting, self.lives);
        }
        while !self.bed.stations.iter().all(Station::is_configured) {
            self.step()?;
            self.check_hangs()?;
        }
        for host in &mut self.hosts {
            host.next.fill(peers::first_message(self.profile));
            host.receiver.iter_mut().for_each(Receiver::forget);
        }
        self.post_buffers();
        Ok(())
    }

    /// What both NICs have counted under a name.
    pub fn count(&self, counter: Counter) -> u64 {
        let stations = self.bed.stations.iter();
        let counts = stations.map(|station| station.lockstep().nic().counters().get(counter));
        counts.map(u64::from).sum()
    }

    /// Until every message has arrived, and its receiver knows.
    fn drain(&mut self) -> Result<(), TrafficError> {
        let rests = |host: &Host| host.receiver.iter().all(Receiver::is_at_rest);
        while self.in_flight() > 0 || !self.hosts.iter().all(rests) || self.responds() {
            for _ in 0..POLL {
                self.step()?;
            }
            self.take()?;
            self.check_hangs()?;
        }
        Ok(())
    }

    /// A response is not delivered, as far as its sender knows: its connection may not be set up anew.
    fn responds(&self) -> bool {
        let mut stations = self.bed.stations.iter();
        stations.any(|station| station.lockstep().nic().responds())
    }

    fn in_flight(&self) -> u32 {
        self.hosts.iter().map(|host| host.rings.in_flight()).sum()
    }

    fn check_alive(&self) -> Result<(), TrafficError> {
        match self.in_flight() > 0 {
            true => self.check_hangs(),
            false => Ok(()),
        }
    }

    /// For who waits for something: it still may come.
    fn check_hangs(&self) -> Result<(), TrafficError> {
        let in_flight = self.in_flight();
        match self.bed.is_quiet(HANGS) {
            true => Err(TrafficError::Hangs { in_flight }),
            false => Ok(()),
        }
    }

    /// Until both NICs are quiet and know what became of all that they sent: a time-out's probe may be long in coming.
    fn rest(&mut self) -> Result<(), TrafficError> {
        self.step()?;
        let quiet = 2 * u64::from(self.setting.tunables.rto);
        while !(self.bed.is_quiet(quiet) && self.is_resolved()) {
            self.step()?;
            self.check_hangs()?;
        }
        Ok(())
    }

    fn is_resolved(&self) -> bool {
        let paths = self.size.connections * self.size.paths;
        self.bed.stations.iter().all(|station| {
            let nic = station.lockstep().nic();
            let mut sent = (0..paths).filter_map(|path| nic.send_path(path));
            sent.all(|path| path.unresolved() == 0)
        })
    }

    fn take(&mut self) -> Result<(), TrafficError> {
        for (nic, name) in NAMES.into_iter().enumerate() {
            let completions = self.hosts[nic].rings.take(&mut self.bed.stations[nic]);
            for cqe in completions {
                if cqe.received {
                    self.on_told(nic, &cqe)?;
                    continue;
                }
                let Cqe { wr_id, status, .. } = cqe;
                if status != CompletionStatus::Success {
                    return Err(TrafficError::Ended {
                        nic: name,
                        message: wr_id,
                        status: status.name(),
                    });
                }
                self.hosts[nic].completed += 1;
                // What a Read asked for is there when it ends.
                let mut sent = self.hosts[nic].sent.iter();
                if let Some(wqe) = sent.find(|wqe| wqe.wr_id == wr_id)
                    && wqe.opcode == WqeOpcode::Read
                {
                    self.check(nic, wqe)?;
                }
            }
            // The receiver's last beats may still be on their way: a place is looked at when another message needs it.
            while self.hosts[nic].sent.len() as u64 > PLACES - (1 << QUEUE_LOG2) {
                let wqe = self.hosts[nic].sent.pop_front().expect("more than none");
                self.check(nic, &wqe)?;
            }
        }
        self.post_buffers();
        Ok(())
    }

    fn on_told(&mut self, nic: usize, cqe: &Cqe) -> Result<(), TrafficError> {
        let [own, sender] = [nic, 1 - nic].map(|nic| self.bed.stations[nic].memory());
        let told = match &mut self.hosts[nic].receiver {
            Some(receiver) => receiver.on_told(cqe, sender, own),
            None => Err("it has no receive queue".into()),
        };
        told.map_err(|difference| TrafficError::Told {
            nic: NAMES[nic],
            difference,
        })
    }

    /// A message of NIC `nic` lies in the other's memory, or what it read there in its own.
    fn check(&self, nic: usize, wqe: &Wqe) -> Result<(), TrafficError> {
        let [from, to] = [nic, 1 - nic].map(|nic| self.bed.stations[nic].memory().borrow());
        let length = match wqe.opcode {
            WqeOpcode::Write | WqeOpcode::WriteImm | WqeOpcode::Read => wqe.length as usize,
            // Its receiver has looked at the buffer.
            _ => 0,
        };
        let own = from.bytes(wqe.local_address, length);
        if length == 0 || own.is_some() && own == to.bytes(wqe.remote_address, length) {
            return Ok(());
        }
        Err(TrafficError::Bytes {
            nic: NAMES[1 - nic],
            message: wqe.wr_id,
        })
    }

    fn post(&mut self, nic: usize) {
        while self.hosts[nic].rings.has_room() {
            let number = self.random.random_range(0..self.setting.connections);
            let stream = self.random.random_range(0..peers::streams(self.size));
            let wqe = self.draw(nic, number, stream);
            if let Some(receiver) = &mut self.hosts[1 - nic].receiver
                && !matches!(wqe.opcode, WqeOpcode::Write | WqeOpcode::Read)
            {
                receiver.expect(number, &wqe);
            }
            let host = &mut self.hosts[nic];
            host.posted += 1;
            host.sent.push_back(wqe);
            host.rings.post(&mut self.bed.stations[nic], &wqe);
        }
    }

    /// The next message of a stream: one that takes a buffer only if there is one, or soon will be.
    fn draw(&mut self, nic: usize, number: u32, stream: u32) -> Wqe {
        let ahead = if self.setting.patience > 0 { AHEAD } else { 0 };
        let receiver = &mut self.hosts[1 - nic].receiver;
        let buffer = receiver
            .as_mut()
            .is_some_and(|receiver| receiver.has_buffer(number, stream, ahead));
        let opcode = match (self.profile.answers_reads(), buffer) {
            (true, true) => WqeOpcode::from_code(self.random.random_range(1..=5)),
            (true, false) if self.random.random() => WqeOpcode::Read,
            (false, true) => WqeOpcode::from_code(self.random.random_range(1..=4)),
            (_, false) => WqeOpcode::Write,
        };
        let (host, streams) = (&mut self.hosts[nic], peers::streams(self.size));
        let next = &mut host.next[(number * streams + stream) as usize];
        let message = *next;
        *next = next.wrapping_add(1);
        let lengths = self.setting.lengths;
        let place = |begin| begin + host.posted % PLACES * place_bytes(lengths.most);
        let read = opcode == WqeOpcode::Read;
        let [local, remote] = match read {
            true => [place(READS), SOURCE],
            false => [SOURCE, place(SINK)],
        };
        Wqe {
            opcode,
            connection: peers::connection(number, &self.setting, self.size) as u16,
            stream: stream as u16,
            message,
            r_key: if read { peers::READ_KEY } else { peers::KEY },
            length: lengths.draw(&mut self.random),
            local_address: local + lengths.offset(&mut self.random),
            remote_address: remote + lengths.offset(&mut self.random),
            wr_id: host.posted,
            immediate: self.random.random(),
            ..Wqe::default()
        }
    }
}

fn place_bytes(most: u32) -> u64 {
    PAGE + u64::from(most).next_multiple_of(PAGE)
}

fn host(
    station: &mut Station,
    nic: usize,
    size: Size,
    profile: Profile,
    setting: &Setting,
    random: &mut ChaCha8Rng,
) -> Host {
    let rings = Rings::new(station, QUEUE_LOG2, QUEUE_LOG2);
    let receiver = profile
        .tracks_messages()
        .then(|| Receiver::new(station, size, setting));
    peers::memory(station, setting, random);
    if setting.congestion != Congestion::default() {
        host::control(station, &setting.congestion);
    }
    if setting.patience > 0 {
        host::write(station, map::NOT_READY_TICKS.offset, setting.patience);
    }
    peers::regions(station, size, setting);
    peers::connect(station, nic, size, setting, 0);
    host::enable(station, &setting.tunables);
    let first = peers::first_message(profile);
    Host {
        rings,
        receiver,
        next: vec![first; (setting.connections * peers::streams(size)) as usize],
        posted: 0,
        completed: 0,
        sent: VecDeque::new(),
    }
}
