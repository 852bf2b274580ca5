//! Lockstep: the model follows a NIC's commits, and everything that comes out of the NIC is compared with what the model says.
use std::collections::VecDeque;

use metaroce_model::config::{Options, Size};
use metaroce_model::nic::{Completion, Decision, Nic, Received};
use metaroce_model::send::Fate;
use metaroce_model::wire::Outgoing;
use metaroce_protocol::table::host::Capabilities;
use metaroce_protocol::{Counter, Cqe, Wqe};

use crate::axi_mem::{SharedMemory, WriteRecord};
use crate::axis::Transferred;
use crate::explain;
use crate::host_view::HostView;
use crate::trace::Commits;

mod arrivals;
mod configuration;
mod messages;
mod mismatch;
mod names;
mod predicted;
mod walk;

use arrivals::Arrivals;
use messages::Receiving;
pub use mismatch::Mismatch;
use walk::Unlooked;

/// What happened, for reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Packet events: receive, acknowledge and transmit commits.
    pub events: u64,
    /// Frames compared on the wire.
    pub frames: u64,
    /// Payload bytes compared in memory.
    pub placed: u64,
    /// Completions compared.
    pub completions: u64,
    /// Cycle of the first transmit decision.
    pub first_transmission: Option<u64>,
    /// Cycle of the first retransmission.
    pub first_retransmission: Option<u64>,
}

#[derive(Debug, Default)]
struct Plane {
    arrivals: Arrivals,
    /// Frames that must come out, by the queue of the transmit pipeline that carries them.
    data: VecDeque<Vec<u8>>,
    answers: VecDeque<Vec<u8>>,
    /// Payload that must reach memory.
    placements: VecDeque<(u64, Vec<u8>)>,
    /// Writes of a byte at least: ordered, and in memory whole.
    ordered: u64,
    written: u64,
}

/// A NIC's model and what is still to be compared.
#[derive(Debug)]
pub struct Lockstep {
    name: String,
    size: Size,
    nic: Nic,
    host: HostView,
    memory: SharedMemory,
    planes: Vec<Plane>,
    receiving: Receiving,
    unlooked: Unlooked,
    /// Address, bytes, and how much of each plane must be in memory before.
    completions: VecDeque<(u64, [u8; Cqe::BYTES], Vec<u64>)>,
    cycle: u64,
    /// Address and bytes of what the newest cycle's receive commit accepted.
    accepted: Option<(u64, u32)>,
    capabilities: Capabilities,
    /// What happened so far.
    pub tally: Tally,
}

type Outcome = Result<(), Mismatch>;

impl Lockstep {
    /// Follows a NIC that is so, whose host memory is `memory`.
    pub fn new(name: &str, capabilities: Capabilities, memory: SharedMemory) -> Self {
        let (size, host) = (Size::from(&capabilities), HostView::default());
        let options = Options {
            profile: capabilities.profile(),
            ..Options::default()
        };
        Self {
            name: name.into(),
            size,
            nic: Nic::with_options(size, host.tunables(), options),
            host,
            memory,
            planes: (0..size.planes).map(|_| Plane::default()).collect(),
            receiving: Receiving::default(),
            unlooked: Unlooked::default(),
            completions: VecDeque::new(),
            cycle: 0,
            accepted: None,
            capabilities,
            tally: Tally::default(),
        }
    }

    /// The model.
    pub fn nic(&self) -> &Nic {
        &self.nic
    }

    /// A frame whose last beat the NIC takes in this cycle.
    pub fn on_frame_in(&mut self, plane: usize, frame: &[u8]) {
        let arrivals = &mut self.planes[plane].arrivals;
        arrivals.push(frame, &self.capabilities);
    }

    /// A cycle's commits, in the order that docs/architecture.md defines.
    pub fn on_commits(&mut self, commits: &Commits, cycle: u64) -> Outcome {
        self.cycle = cycle;
        self.accepted = None;
        self.check_names(commits)?;
        self.nic.begin_cycle(cycle);
        // By what was sent before this cycle.
        let can_be_true = commits.acknowledge.is_none_or(|plane| {
            let ack = self.planes[plane as usize].arrivals.peek_acknowledge();
            ack.is_some_and(|ack| self.nic.can_be_true(ack))
        });
        if let Some(path) = commits.ack_build {
            let ack = self.nic.build_ack(path).ok_or_else(|| {
                self.differs(
                    "trace_ack_build_valid",
                    "no ACK is asked for",
                    format!("path {path}"),
                )
            })?;
            self.expect_answer(ack);
        }
        if commits.refusal_build {
            let refusal = self.nic.build_refusal().ok_or_else(|| {
                self.differs("trace_refusal_build_valid", "no refusal waits", "one")
            })?;
            self.expect_answer(refusal);
        }
        if let Some((path, idle)) = commits.judge {
            if idle && (self.nic.has_current() || self.nic.has_response_to_send()) {
                return Err(self.differs("trace_judge_idle", "a message to send", "none"));
            }
            let unresolved = self.nic.send_path(path).map(|send| send.unresolved());
            let some = unresolved.is_some_and(|count| count > 0);
            self.unlooked.looked(path, some, cycle);
            self.nic.judge(path, idle, commits.now);
        }
        self.on_transmit(commits)?;
        if let Some((path, tsn)) = commits.resolve {
            self.on_resolve(path, tsn)?;
        }
        if let Some((plane, room)) = commits.receive {
            self.on_receive(plane as usize, room)?;
        }
        if let Some(stream) = commits.retire_receive {
            self.on_retire_receive(stream)?;
        }
        if let Some(stream) = commits.post {
            self.on_post(stream)?;
        }
        if let Some(path) = commits.advance {
            self.on_advance(path)?;
        }
        if let Some(plane) = commits.acknowledge {
            self.on_acknowledge(plane as usize, can_be_true, commits.now)?;
        }
        let window = self.nic.tell_window();
        if window != commits.window {
            let found = format!("{:?}", commits.window);
            return Err(self.differs("trace_window", format!("{window:?}"), found));
        }
        if let Some(connection) = commits.give_up {
            self.nic.give_up(connection);
        }
        for plane in (0..self.planes.len()).filter(|plane| commits.drop >> plane & 1 == 1) {
            self.on_drop(plane)?;
        }
        if commits.load_response {
            self.on_load_response()?;
        }
        if commits.message {
            self.on_message()?;
        }
        if commits.retire {
            self.on_retire()?;
        }
        if commits.retire_response && !self.nic.retire_response() {
            let expected = "the oldest response goes on";
            return Err(self.differs("trace_retire_response", expected, "it is over"));
        }
        if let Some(refused) = commits.tell {
            self.on_tell(refused)?;
        }
        if let Some(entry) = commits.configure {
            self.on_configure(entry, commits.now)?;
        }
        Ok(())
    }

    fn on_transmit(&mut self, commits: &Commits) -> Outcome {
        let choice = commits.transmit.as_ref();
        let decision = self
            .nic
            .follow(&commits.offers, choice, commits.now)
            .map_err(|differs| self.differs("trace_transmit", differs, format!("{choice:?}")))?;
        if choice.is_none() {
            return Ok(());
        }
        self.tally.events += 1;
        let outgoing = match decision {
            Decision::TailProbe(frame)
            | Decision::TimeOutProbe(frame)
            | Decision::Retransmit(frame)
            | Decision::New(frame) => Some(frame),
            Decision::Nothing | Decision::Discard(_) | Decision::GiveUp(_) => None,
        };
        self.tally.first_transmission.get_or_insert(self.cycle);
        if let Some(choice) = choice {
            self.unlooked.sent(choice.path, self.cycle);
        }
        if matches!(decision, Decision::Retransmit(_)) {
            self.tally.first_retransmission.get_or_insert(self.cycle);
        }
        if let Some(outgoing) = outgoing {
            let bytes = self.encode(&outgoing)?;
            self.planes[outgoing.plane as usize].data.push_back(bytes);
        }
        Ok(())
    }

    fn encode(&self, outgoing: &Outgoing) -> Result<Vec<u8>, Mismatch> {
        let memory = self.memory.borrow();
        let length = outgoing.payload_length() as usize;
        let payload = match length {
            0 => Some(&[][..]),
            _ => memory.bytes(outgoing.local_address, length),
        };
        let payload = payload.ok_or_else(|| {
            self.differs(
                "payload",
                format!("host memory at {:#x}", outgoing.local_address),
                "none there",
            )
        })?;
        outgoing
            .frame(payload)
            .encode()
            .map_err(|error| self.differs("payload", error.to_string(), "a frame"))
    }

    fn expect_answer(&mut self, answer: Outgoing) {
        let bytes = answer
            .frame(&[])
            .encode()
            .expect("an answer has no payload");
        self.planes[answer.plane as usize].answers.push_back(bytes);
    }

    fn on_resolve(&mut self, path: u32, tsn: u32) -> Outcome {
        let expected = self.nic.send_path(path).map(|p| p.resolved.get());
        if expected != Some(tsn) {
            return Err(self.differs(
                "trace_resolve_tsn",
                format!("{expected:?}"),
                format!("path {path}, TSN {tsn}"),
            ));
        }
        match self.nic.resolve(path) {
            Some(Fate::Probe | Fate::Delivered(_) | Fate::Lost(_)) => Ok(()),
            None => Err(self.differs(
                "trace_resolve_valid",
                "no echo reaches it",
                format!("path {path}, TSN {tsn}"),
            )),
        }
    }

    fn on_receive(&mut self, plane: usize, room: bool) -> Outcome {
        self.tally.events += 1;
        let next = self.planes[plane].arrivals.next_receive();
        let (frame, payload) =
            next.ok_or_else(|| self.no_frame(plane, "trace_receive_valid", "a receive event"))?;
        self.nic.count(Counter::RxFrames);
        match self.nic.arrive(&frame, room) {
            Received::Placed { address, length } if length > 0 => {
                self.accepted = Some((address, length));
                let state = &mut self.planes[plane];
                state.placements.push_back((address, payload));
                state.ordered += 1;
                let connection = self.nic.path_of(&frame).unwrap_or(0) / self.size.paths;
                self.receiving
                    .on_placed(connection, &frame.body, plane, state.ordered);
            }
            Received::Placed { .. } | Received::Dropped => {}
        }
        Ok(())
    }

    fn on_advance(&mut self, path: u32) -> Outcome {
        let moved = self.nic.advance(path);
        let none = || {
            self.differs(
                "trace_advance_valid",
                "every accepted packet has advanced",
                format!("path {path}"),
            )
        };
        moved.map(|_| ()).ok_or_else(none)
    }

    fn on_acknowledge(&mut self, plane: usize, can_be_true: bool, now: u32) -> Outcome {
        self.tally.events += 1;
        let next = self.planes[plane].arrivals.next_acknowledge();
        let frame =
            next.ok_or_else(|| self.no_frame(plane, "trace_acknowledge_valid", "an ACK event"))?;
        self.nic.count(Counter::RxFrames);
        self.nic.acknowledge_judged(&frame, can_be_true, now);
        Ok(())
    }

    fn on_drop(&mut self, plane: usize) -> Outcome {
        let next = self.planes[plane].arrivals.next_drop();
        let reason = next.ok_or_else(|| self.no_frame(plane, "trace_drop", "a drop"))?;
        self.nic.count(Counter::RxFrames);
        self.nic.count(reason.counter());
        Ok(())
    }

    fn no_frame(&self, plane: usize, signal: &str, end: &str) -> Mismatch {
        let expected = format!("no frame that arrived ends as {end}");
        self.differs(signal, expected, format!("one on plane {plane}"))
    }

    fn on_message(&mut self) -> Outcome {
        let address = self.host.next_wqe_address();
        let memory = self.memory.borrow();
        let wqe = memory
            .bytes(address, Wqe::BYTES)
            .and_then(|bytes| Wqe::decode(bytes).ok());
        let wqe = wqe.ok_or_else(|| {
            self.differs(
                "trace_message_valid",
                format!("a WQE at {address:#x}"),
                "none there",
            )
        })?;
        drop(memory);
        self.nic.load_message(wqe);
        Ok(())
    }

    fn on_retire(&mut self) -> Outcome {
        let reads = self.nic.oldest_read();
        let Completion { wqe, index, status } = self.nic.retire().ok_or_else(|| {
            self.differs(
                "trace_retire_valid",
                "the oldest message goes on",
                "it completes",
            )
        })?;
        let (address, phase) = self.next_cqe_place("trace_retire_valid")?;
        let cqe = Cqe {
            wr_id: wqe.wr_id,
            status,
            opcode: wqe.opcode,
            connection: wqe.connection,
            length: wqe.length,
            wqe_index: index,
            phase,
            ..Cqe::default()
        };
        let marks = reads.map_or_else(Vec::new, |slot| self.receiving.take_read(slot));
        self.completions.push_back((address, cqe.encode(), marks));
        Ok(())
    }

    /// A frame whose last beat leaves the NIC in this cycle.
    pub fn on_frame_out(&mut self, plane: usize, sent: &Transferred) -> Outcome {
        self.tally.frames += 1;
        let frame = &sent.frame.data;
        let queues = &mut self.planes[plane];
        let queue = match explain::is_answer(frame) {
            true => &mut queues.answers,
            false => &mut queues.data,
        };
        let Some(expected) = queue.pop_front() else {
            let what = format!("plane {plane}: frame");
            let mismatch = self.differs(&what, "no frame", explain::summary(frame));
            return Err(mismatch.on_plane(plane));
        };
        if expected == *frame {
            return Ok(());
        }
        // The beat tells more than the frame's end, where the difference is noticed.
        let difference = explain::first_difference(&expected, frame);
        self.cycle = sent.cycle_of(difference.byte);
        let what = format!("plane {plane}: {}", difference.what);
        let mismatch = Mismatch {
            frames: Some(Box::new([expected, frame.clone()])),
            ..self.differs(&what, difference.expected, difference.found)
        };
        Err(mismatch.on_plane(plane))
    }

    /// Bytes that a plane's write port made visible in host memory.
    pub fn on_placed(&mut self, plane: usize, record: &WriteRecord) -> Outcome {
        self.tally.placed += record.data.len() as u64;
        let Some((address, data)) = self.planes[plane].placements.front_mut() else {
            let found = format!("{:#x}", record.address);
            let mismatch = self.differs(&format!("plane {plane}: write"), "no write", found);
            return Err(mismatch.on_plane(plane));
        };
        let length = record.data.len();
        if *address != record.address || data.get(..length) != Some(&record.data[..]) {
            let expected = explain::memory(*address, data);
            let found = explain::memory(record.address, &record.data);
            let mismatch = self.differs(&format!("plane {plane}: write"), expected, found);
            return Err(mismatch.on_plane(plane));
        }
        data.drain(..length);
        *address += length as u64;
        if data.is_empty() {
            self.planes[plane].placements.pop_front();
            self.planes[plane].written += 1;
        }
        Ok(())
    }

    /// Bytes that the control port made visible in host memory.
    pub fn on_completion(&mut self, record: &WriteRecord) -> Outcome {
        self.tally.completions += 1;
        let found = explain::memory(record.address, &record.data);
        let Some((address, cqe, marks)) = self.completions.pop_front() else {
            return Err(self.differs("completion", "none", found));
        };
        if address == record.address && cqe[..] == record.data[..] {
            return self.check_written(&marks);
        }
        Err(self.differs("completion", explain::memory(address, &cqe), found))
    }

    /// The NIC is quiet: nothing may be left over, and every counter must agree.
    pub fn on_quiet(&mut self, counter: impl Fn(Counter) -> u32) -> Outcome {
        for (k, plane) in self.planes.iter().enumerate() {
            let left = [
                ("frame in", plane.arrivals.len()),
                ("data frame", plane.data.len()),
                ("answer", plane.answers.len()),
                ("write", plane.placements.len()),
            ];
            if let Some((what, n)) = left.into_iter().find(|&(_, n)| n > 0) {
                return Err(self.differs(
                    &format!("plane {k}: {what}s left over"),
                    n.to_string(),
                    "0",
                ));
            }
        }
        if self.host.unwritten() > 0 {
            let left = self.host.unwritten().to_string();
            return Err(self.differs("entries of tables left over", left, "0"));
        }
        self.check_messages_told()?;
        let values = |name| (self.nic.counters().get(name), counter(name));
        let differing = Counter::ALL.iter().filter(|&&name| {
            let (expected, found) = values(name);
            expected != found
        });
        let (names, values): (Vec<_>, Vec<_>) =
            differing.map(|&name| (name.name(), values(name))).unzip();
        if !names.is_empty() {
            let list = |values: Vec<u32>| format!("{values:?}");
            let (expected, found) = values.into_iter().unzip();
            let what = format!("counter {}", names.join(", "));
            return Err(self.differs(&what, list(expected), list(found)));
        }
        Ok(())
    }

    fn differs(
        &self,
        what: &str,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Mismatch {
        Mismatch {
            nic: self.name.as_str().into(),
            cycle: self.cycle,
            plane: None,
            what: what.into(),
            expected: expected.into(),
            found: found.into(),
            frames: None,
        }
    }
}
