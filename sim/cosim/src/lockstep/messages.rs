//! Messages at their receiver: what is posted, what ends, and what is told of it once its bytes are in memory.
use std::collections::{HashMap, VecDeque};

use metaroce_model::nic::ReceiveCompletion;
use metaroce_model::tracker::ReceiveBuffer;
use metaroce_model::wire::{Body, Verb, VerbPacket};
use metaroce_protocol::{CompletionStatus, Cqe, Msg, Rqe};

use super::{Lockstep, Mismatch, Outcome};

/// By plane: so many of its writes must be in memory.
type Marks = Vec<u64>;

/// What the receiver's side of messages still has to show.
#[derive(Debug, Default)]
pub(super) struct Receiving {
    /// By connection, stream and message: where its packets' bytes are among the writes.
    parts: HashMap<(u32, u16, u16), Marks>,
    /// By connection and stream: the same of all messages that ended.
    streams: HashMap<(u32, u16), Marks>,
    /// They took a buffer, and nobody was told.
    ended: VecDeque<(ReceiveCompletion, Marks)>,
    /// Reads whose turn has come, with their connections: what was placed by then must be in memory when they are answered.
    asked: VecDeque<(u32, Marks)>,
    /// By slot: where the bytes of this NIC's own Reads are among the writes.
    reads: HashMap<u8, Marks>,
}

fn join(into: &mut Marks, marks: &[u64]) {
    into.resize(marks.len().max(into.len()), 0);
    for (into, mark) in into.iter_mut().zip(marks) {
        *into = (*into).max(*mark);
    }
}

impl Receiving {
    /// A packet was accepted, and its bytes are write number `mark` of its plane.
    pub fn on_placed(&mut self, connection: u32, body: &Body, plane: usize, mark: u64) {
        let mut marks = vec![0; plane + 1];
        marks[plane] = mark;
        let Msg {
            stream, message, ..
        } = body.msg();
        let into = match body {
            // It was placed, so its tag is a slot.
            Body::Verb(VerbPacket {
                verb: Verb::ReadResponse { tag },
                ..
            }) => self.reads.entry(tag.tag as u8).or_default(),
            _ => self.parts.entry((connection, stream, message)).or_default(),
        };
        join(into, &marks);
    }

    /// The Read in a slot has ended.
    pub fn take_read(&mut self, slot: u8) -> Marks {
        self.reads.remove(&slot).unwrap_or_default()
    }

    /// A connection starts anew.
    pub fn forget(&mut self, connection: u32) {
        self.asked.retain(|(of, _)| *of != connection);
    }

    fn on_end(&mut self, ended: ReceiveCompletion) {
        let stream = (ended.connection, ended.stream);
        let marks = self.streams.entry(stream).or_default();
        if let Some(part) = self.parts.remove(&(stream.0, stream.1, ended.message)) {
            join(marks, &part);
        }
        if ended.asks {
            self.asked.push_back((ended.connection, marks.clone()));
        }
        if ended.receive.is_some() {
            self.ended.push_back((ended, marks.clone()));
        }
    }

    /// Messages that took a buffer and were not told of.
    pub fn waiting(&self) -> usize {
        self.ended.len()
    }
}

impl Lockstep {
    /// RQEs posted that the NIC has not taken.
    pub fn waiting_rqes(&self) -> u32 {
        self.host.waiting_rqes()
    }

    /// A stream's number over all connections, taken apart.
    fn stream_of(&self, number: u32) -> (u32, u16) {
        let streams = u32::from(self.size.trackers.streams);
        (number / streams, (number % streams) as u16)
    }

    fn next_rqe(&mut self, signal: &str) -> Result<Option<Rqe>, Mismatch> {
        if self.host.waiting_rqes() == 0 {
            return Err(self.differs(signal, "no RQE is posted", "one is read"));
        }
        let address = self.host.next_rqe_address();
        let memory = self.memory.borrow();
        let bytes = memory.bytes(address, Rqe::BYTES);
        Ok(bytes.and_then(|bytes| Rqe::decode(bytes).ok()))
    }

    pub(super) fn on_post(&mut self, number: u32) -> Outcome {
        let (connection, stream) = self.stream_of(number);
        let rqe = self.next_rqe("trace_post_valid")?;
        let told = format!("connection {connection}, stream {stream}");
        let named =
            rqe.filter(|rqe| (u32::from(rqe.connection), rqe.stream) == (connection, stream));
        let Some(rqe) = named else {
            return Err(self.differs("trace_post_stream", format!("{rqe:?}"), told));
        };
        let buffer = ReceiveBuffer {
            address: rqe.address,
            length: rqe.length,
            wr_id: rqe.wr_id,
        };
        match self.nic.post_receive(connection, stream, buffer) {
            true => Ok(()),
            false => Err(self.differs("trace_post_valid", "it has no room for a buffer", told)),
        }
    }

    pub(super) fn on_retire_receive(&mut self, number: u32) -> Outcome {
        let (connection, stream) = self.stream_of(number);
        let Some(ended) = self.nic.retire_receive_of(connection, stream) else {
            let told = format!("one of connection {connection}, stream {stream}");
            return Err(self.differs("trace_retire_receive_valid", "no message is whole", told));
        };
        self.receiving.on_end(ended);
        Ok(())
    }

    pub(super) fn on_load_response(&mut self) -> Outcome {
        let loaded = self.nic.load_response();
        let asked = self.receiving.asked.pop_front().filter(|_| loaded);
        let Some((_, marks)) = asked else {
            let expected = "none waits, or all slots are taken";
            return Err(self.differs("trace_load_response", expected, "one takes a slot"));
        };
        self.check_written(&marks)
    }

    pub(super) fn on_tell(&mut self, refused: bool) -> Outcome {
        let (cqe, marks) = match refused {
            true => (self.refusal()?, Marks::new()),
            false => self.told()?,
        };
        let (address, phase) = self.next_cqe_place("trace_tell_valid")?;
        let cqe = Cqe {
            received: true,
            phase,
            ..cqe
        };
        self.nic.count(metaroce_protocol::Counter::Completions);
        self.completions.push_back((address, cqe.encode(), marks));
        Ok(())
    }

    /// Where the next CQE goes: the completion queue has a place for it, by what its host said it has read.
    pub(super) fn next_cqe_place(&mut self, signal: &str) -> Result<(u64, bool), Mismatch> {
        if !self.host.has_cqe_room() {
            return Err(self.differs(signal, "the completion queue is full", "a completion"));
        }
        Ok(self.host.next_cqe_place())
    }

    /// The NIC is quiet: no message is whole and has not ended, none that ended is not told of, and no RQE waits that could be posted.
    pub(super) fn check_messages_told(&mut self) -> Outcome {
        if let Some((connection, stream)) = self.nic.next_whole() {
            let found = format!("one of connection {connection}, stream {stream}");
            return Err(self.differs("messages that are whole and go on", "0", found));
        }
        if !self.host.has_cqe_room() {
            return Ok(());
        }
        let told = self.receiving.waiting();
        if told > 0 {
            let what = "messages that came and are not told of";
            return Err(self.differs(what, "0", told.to_string()));
        }
        let most = 1 << self.capabilities.posts_log2;
        match self.host.peek_rqe(&self.memory.borrow()) {
            Some(rqe) if self.is_due(&rqe) && self.nic.held_buffers() < most => {
                Err(self.differs("RQEs that could be posted", "0", format!("{rqe:?}")))
            }
            _ => Ok(()),
        }
    }

    /// Whether an RQE can be posted, or must be refused.
    fn is_due(&self, rqe: &Rqe) -> bool {
        let (connection, stream) = (rqe.connection.into(), rqe.stream);
        !self.nic.takes_receives(connection, stream) || self.nic.can_post(connection, stream)
    }

    fn told(&mut self) -> Result<(Cqe, Marks), Mismatch> {
        let ended = self.receiving.ended.pop_front();
        let Some((ended, marks)) = ended else {
            return Err(self.differs("trace_tell_valid", "no message ended", "one"));
        };
        let cqe = Cqe {
            wr_id: ended.receive.map_or(0, |buffer| buffer.wr_id),
            status: CompletionStatus::Success,
            connection: ended.connection as u16,
            length: ended.length,
            has_immediate: ended.immediate.is_some(),
            stream: ended.stream,
            message: ended.message,
            immediate: ended.immediate.unwrap_or(0),
            ..Cqe::default()
        };
        Ok((cqe, marks))
    }

    /// The oldest RQE, which must be bad.
    fn refusal(&mut self) -> Result<Cqe, Mismatch> {
        let rqe = self.next_rqe("trace_tell_refused")?;
        let Some(rqe) = rqe else {
            let found = "an RQE that memory did not give is told of";
            return Err(self.differs("trace_tell_refused", "what it says is not known", found));
        };
        if self.nic.takes_receives(rqe.connection.into(), rqe.stream) {
            let expected = format!("{rqe:?} is posted");
            return Err(self.differs("trace_tell_refused", expected, "it is refused"));
        }
        Ok(Cqe {
            wr_id: rqe.wr_id,
            status: CompletionStatus::BadRequest,
            connection: rqe.connection,
            stream: rqe.stream,
            ..Cqe::default()
        })
    }

    /// A CQE is in memory: what it tells of must be there.
    pub(super) fn check_written(&self, marks: &[u64]) -> Outcome {
        for (plane, &mark) in marks.iter().enumerate() {
            let written = self.planes[plane].written;
            if written < mark {
                let expected = format!("write {mark} is in memory before the completion");
                let mismatch = self.differs("completion", expected, written.to_string());
                return Err(mismatch.on_plane(plane));
            }
        }
        Ok(())
    }
}
