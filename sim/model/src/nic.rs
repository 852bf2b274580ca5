//! A NIC: tables and counters, and one method for each engine's commit.
//!
//! The caller decides *when* an engine commits, the model *what* comes of it. Hardware lockstep feeds the commits of the trace;
//! [`crate::endpoint`] runs them in a canonical order. Time is an argument and never goes back.
use std::collections::VecDeque;

use metaroce_protocol::{
    ConnectionEntry, Counter, PathEntry, Profile, Psn, RefusalReason, RegionEntry, Tsn,
};

use crate::config::{Options, Size, Tunables};
use crate::congestion::{Fixed, Law, LawSettings, RttEstimate};
use crate::counters::{Counters, Extra, ExtraCounters};
use crate::hint::Activity;
use crate::message::{Message, Messages};
use crate::mutant::Mutant;
use crate::receive::ReceivePath;
use crate::reorder::Reorder;
use crate::send::{Lost, Packet, SendPath};
use crate::wire::{Body, Incoming, Outgoing};

mod acknowledge;
mod completion;
mod connection;
mod control;
mod epoch;
mod follow;
mod hear;
mod look;
mod placement;
mod plane;
mod receive;
mod respond;
mod steer;
mod transmit;

pub use completion::{Completion, ReceiveCompletion};
pub use follow::{Choice, JUDGE_TO_COMMIT, Offers};
pub use plane::Health;
pub use receive::Received;
pub use respond::{MemoryOrder, Operation};
pub use transmit::{Decision, Inputs};

use connection::ConnectionState;
use epoch::{Closed, Standing};
use respond::Response;
use steer::Marks;

/// Refusals that wait to be sent.
pub const REFUSALS: usize = 4;
/// Slots of responses are numbered from here.
const RESPONSE_SLOTS: u8 = 0x80;

/// Why a connection takes no more part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// MAX_RETRIES time-outs in a row.
    RetryExceeded,
    /// The peer refused a packet of this message.
    Refused {
        /// Why.
        reason: RefusalReason,
        /// Stream of the refused packet.
        stream: u16,
        /// Its message.
        message: u16,
    },
}

#[derive(Debug)]
struct PathState {
    config: PathEntry,
    send: SendPath,
    receive: ReceivePath,
    law: Box<dyn Law>,
    rtt: RttEstimate,
    /// Counts of the newest ACK: received, marked.
    acked: (u16, u16),
    /// How often its packets were marked.
    marks: Marks,
    /// Epochs of the two directions: PathEntry's until one ends.
    epoch_tx: u8,
    epoch_rx: u8,
    standing: Standing,
    /// The receiver's epoch that ended last.
    closed: Option<Closed>,
}

/// A refused packet, until its answer is built.
#[derive(Clone, Copy, Debug)]
struct PendingRefusal {
    path: u32,
    psn: Psn,
    tsn: Tsn,
    reason: RefusalReason,
    stream: u16,
    message: u16,
}

/// The whole NIC.
#[derive(Debug)]
pub struct Nic {
    size: Size,
    tunables: Tunables,
    options: Options,
    connections: Vec<Option<ConnectionState>>,
    /// By global path number: connection x paths + path.
    paths: Vec<Option<PathState>>,
    regions: Vec<Option<RegionEntry>>,
    messages: Messages,
    /// Answers to the peers' Reads and atomics, sent as messages of their own.
    responses: Messages,
    responses_waiting: VecDeque<Response>,
    last_was_response: bool,
    orders: VecDeque<MemoryOrder>,
    /// Packets of closed epochs that need another path, with their connections.
    moved: VecDeque<(u32, Packet)>,
    /// By plane.
    health: Vec<Health>,
    /// Streams whose next message is whole.
    ready: VecDeque<(u32, u16)>,
    /// By plane: paths and what they lost.
    retransmit: Vec<VecDeque<(u32, Lost)>>,
    last_retransmit_plane: u32,
    last_new_plane: u32,
    /// By path number: served in its plane's round.
    served: Vec<bool>,
    /// What looks saw, for a NIC that follows hardware.
    looks: Option<look::Looks>,
    hearing: hear::Hearing,
    refusals: VecDeque<PendingRefusal>,
    counters: Counters,
    extra: ExtraCounters,
    laws: Box<dyn LawSettings>,
    activity: Option<Box<dyn Activity>>,
    /// What the newest hint is computed from.
    active: u32,
    /// Paths that were asked for an ACK by something else than a frame.
    asked: VecDeque<u32>,
    /// The time, for events that come without one.
    clock: u32,
}

impl Nic {
    /// A NIC without connections that does what today's hardware does.
    pub fn new(size: Size, tunables: Tunables) -> Self {
        Self::with_options(size, tunables, Options::default())
    }

    /// A NIC without connections.
    pub fn with_options(size: Size, tunables: Tunables, options: Options) -> Self {
        Self {
            size,
            tunables,
            options,
            connections: (0..size.connections).map(|_| None).collect(),
            paths: (0..size.connections * size.paths).map(|_| None).collect(),
            regions: vec![None; size.regions as usize],
            messages: Messages::new(size.slots, 0),
            responses: Messages::new(size.slots, RESPONSE_SLOTS),
            responses_waiting: VecDeque::new(),
            last_was_response: false,
            orders: VecDeque::new(),
            moved: VecDeque::new(),
            health: vec![Health::default(); size.planes as usize],
            ready: VecDeque::new(),
            retransmit: vec![VecDeque::new(); size.planes as usize],
            last_retransmit_plane: size.planes - 1,
            last_new_plane: size.planes - 1,
            looks: None,
            hearing: hear::Hearing::default(),
            served: vec![false; size.paths as usize],
            refusals: VecDeque::new(),
            counters: Counters::default(),
            extra: ExtraCounters::default(),
            laws: Box::new(Fixed),
            activity: None,
            active: 0,
            asked: VecDeque::new(),
            clock: 0,
        }
    }

    /// Its dimensions.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Counts an event that happened outside the engines, in a parser.
    pub fn count(&mut self, counter: Counter) {
        self.counters.add(counter, 1);
    }

    /// Sets the registers that tune.
    pub fn set_tunables(&mut self, tunables: Tunables) {
        self.tunables = tunables;
    }

    /// Writes an entry of the connection table. The connection has not failed.
    pub fn write_connection(&mut self, index: u32, entry: ConnectionEntry) {
        let Options {
            first_allowance,
            max_allowance,
            ..
        } = self.options;
        let reorder = Reorder::starting_at(first_allowance.min(max_allowance));
        self.connections[index as usize] = (entry.valid).then(|| ConnectionState {
            reorder,
            ..ConnectionState::new(entry)
        });
        self.responses_waiting.retain(|r| r.connection != index);
        self.orders
            .retain(|order| order.connection() != Some(index));
        self.ready.retain(|&(connection, _)| connection != index);
        self.moved.retain(|&(connection, _)| connection != index);
    }

    /// Writes an entry of the path table, by global path number: both sides start anew.
    pub fn write_path(&mut self, path: u32, entry: PathEntry, now: u32) {
        let window = self.size.window_log2;
        self.forget_windows(path);
        self.paths[path as usize] = entry.valid.then(|| PathState {
            config: entry,
            send: SendPath::new(window, entry.first_psn_tx, entry.first_tsn_tx, now),
            receive: ReceivePath::new(window, entry.first_psn_rx, entry.first_tsn_rx),
            law: self.laws.start(now),
            rtt: RttEstimate::default(),
            acked: (0, 0),
            marks: Marks::default(),
            epoch_tx: entry.epoch,
            epoch_rx: entry.epoch,
            standing: Standing::Open,
            closed: None,
        });
    }

    /// Writes an entry of the region table.
    pub fn write_region(&mut self, index: u32, entry: RegionEntry) {
        self.regions[index as usize] = entry.valid.then_some(entry);
    }

    /// Counters by name.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Counters that only the model has.
    pub fn extra(&self) -> &ExtraCounters {
        &self.extra
    }

    /// What the NIC does beyond today's hardware.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The global number of the path that a frame names, if it exists.
    pub fn path_of(&self, frame: &Incoming) -> Option<u32> {
        self.lookup(frame.dest_qp, frame.path)
    }

    /// Whether a live message is being cut into packets.
    pub fn has_current(&self) -> bool {
        self.is_live(&self.messages)
    }

    fn is_live(&self, ring: &Messages) -> bool {
        let message = ring.current().and_then(|p| ring.in_slot(p.slot));
        message.is_some_and(|m| self.failure(m.wqe.connection.into()).is_none())
    }

    fn is_whole(&self) -> bool {
        self.options.profile == Profile::Whole
    }

    /// The messages among which a slot is.
    fn ring_of(&self, slot: u8) -> &Messages {
        if slot < RESPONSE_SLOTS {
            &self.messages
        } else {
            &self.responses
        }
    }

    fn ring_of_mut(&mut self, slot: u8) -> &mut Messages {
        if slot < RESPONSE_SLOTS {
            &mut self.messages
        } else {
            &mut self.responses
        }
    }

    fn message(&self, slot: u8) -> &Message {
        self.ring_of(slot)
            .in_slot(slot)
            .expect("a message in flight keeps its slot")
    }

    /// Whether a refusal finds a place.
    pub fn has_refusal_room(&self) -> bool {
        self.refusals.len() < REFUSALS
    }

    /// Why a connection failed, if it did.
    pub fn failure(&self, connection: u32) -> Option<Failure> {
        self.connections[connection as usize].as_ref()?.failure
    }

    /// The sender's side of a path, to look at.
    pub fn send_path(&self, path: u32) -> Option<&SendPath> {
        let path = self.paths.get(path as usize).and_then(Option::as_ref);
        path.map(|p| &p.send)
    }

    /// The receiver's side of a path, to look at.
    pub fn receive_path(&self, path: u32) -> Option<&ReceivePath> {
        self.paths[path as usize].as_ref().map(|p| &p.receive)
    }

    fn connection_index(&self, qp: u32) -> usize {
        (qp & (self.size.connections - 1)) as usize
    }

    fn connection_of(&self, path: u32) -> u32 {
        path / self.size.paths
    }

    fn path_in_connection(&self, path: u32) -> u8 {
        (path % self.size.paths) as u8
    }

    /// The global number of a frame's path, if its connection and path exist.
    fn lookup(&self, dest_qp: u32, path: u8) -> Option<u32> {
        let index = self.connection_index(dest_qp);
        let connection = self.connections[index].as_ref()?;
        let known = connection.config.local_qp == dest_qp && u32::from(path) < self.size.paths;
        let global = index as u32 * self.size.paths + u32::from(path);
        (known && self.paths[global as usize].is_some()).then_some(global)
    }

    /// Finds the path of what a sender sent and checks its epoch; counts a failure under its name.
    fn admit(&mut self, frame: &Incoming) -> Option<u32> {
        self.admit_epoch(frame, |path| path.epoch_rx)
    }

    /// The same for what answers it.
    fn admit_answer(&mut self, frame: &Incoming) -> Option<u32> {
        self.admit_epoch(frame, |path| path.epoch_tx)
    }

    fn admit_epoch(&mut self, frame: &Incoming, epoch: fn(&PathState) -> u8) -> Option<u32> {
        let Some(global) = self.lookup(frame.dest_qp, frame.path) else {
            self.counters.add(Counter::RxUnknownConnection, 1);
            return None;
        };
        let closed = epoch(self.path(global)) != frame.epoch;
        if closed && !self.options.is(Mutant::ClosedEpochTaken) {
            self.counters.add(Counter::RxClosedEpoch, 1);
            return None;
        }
        Some(global)
    }

    fn path(&self, path: u32) -> &PathState {
        self.paths[path as usize]
            .as_ref()
            .expect("the path is configured")
    }

    fn path_mut(&mut self, path: u32) -> &mut PathState {
        self.paths[path as usize]
            .as_mut()
            .expect("the path is configured")
    }

    fn connection(&self, path: u32) -> &ConnectionState {
        let index = self.connection_of(path) as usize;
        self.connections[index]
            .as_ref()
            .expect("the connection is configured")
    }

    fn connection_mut(&mut self, path: u32) -> &mut ConnectionState {
        let index = self.connection_of(path) as usize;
        self.connections[index]
            .as_mut()
            .expect("the connection is configured")
    }

    /// What all frames to the peer of a path say. An answer carries the epoch of the other direction.
    fn header(&self, path: u32, psn: Psn, tsn: Tsn, body: Body) -> Incoming {
        let state = self.path(path);
        let answer = matches!(body, Body::Ack(_) | Body::Refusal(_));
        Incoming {
            ce: false,
            ack_request: false,
            dest_qp: self.connection(path).config.remote_qp,
            psn,
            path: self.path_in_connection(path),
            epoch: if answer {
                state.epoch_rx
            } else {
                state.epoch_tx
            },
            tsn,
            timestamp: 0,
            body,
        }
    }

    fn address(&self, path: u32, frame: Incoming) -> Outgoing {
        let config = self.path(path).config;
        let connection = self.connection(path).config;
        Outgoing {
            plane: config.plane.into(),
            entropy: config.entropy,
            connection,
            frame,
            local_address: 0,
        }
    }

    /// The first failure stays.
    fn fail(&mut self, connection: u32, failure: Failure) {
        if let Some(state) = &mut self.connections[connection as usize] {
            if let (None, Some(looks)) = (state.failure, &mut self.looks) {
                looks.fail(connection);
            }
            state.failure.get_or_insert(failure);
        }
        self.messages.give_up(connection);
        self.responses.give_up(connection);
    }
}
