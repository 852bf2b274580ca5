//! A frame that the target said, and the tester's own side of a path as its receiver.
use metaroce_protocol::{Bitvector, Body, Frame, Opcode, Profile, Psn, Sack, Tsn, frame};

use crate::target::Said;

/// A frame that the codec could read.
#[derive(Clone, Debug)]
pub struct Heard {
    /// When, in ticks since the connection stands.
    pub at: u32,
    /// Plane that carried it.
    pub plane: u8,
    bytes: Vec<u8>,
}

impl Heard {
    /// Fails with the parser's reason.
    pub fn new(said: Said) -> Result<Self, frame::DropReason> {
        let Said { at, plane, bytes } = said;
        frame::parse_as(&bytes, Profile::Whole)?;
        Ok(Self { at, plane, bytes })
    }

    /// Its headers.
    pub fn frame(&self) -> Frame<'_> {
        frame::parse_as(&self.bytes, Profile::Whole).expect("was read before")
    }

    /// What follows PATH.
    pub fn body(&self) -> Body<'_> {
        self.frame().body
    }

    /// Opcode.
    pub fn opcode(&self) -> Opcode {
        self.frame().bth.opcode
    }

    /// PSN of BTH.
    pub fn psn(&self) -> Psn {
        self.frame().bth.psn
    }

    /// TSN of PATH.
    pub fn tsn(&self) -> Tsn {
        self.frame().path.tsn
    }

    /// Path in the connection.
    pub fn path(&self) -> u8 {
        self.frame().path.path
    }

    /// Whether it takes a slot of its path's sequence.
    pub fn is_data(&self) -> bool {
        self.opcode().code() < Opcode::Ack.code()
    }

    /// SACK of an ACK or a SYNC_ACK.
    pub fn sack(&self) -> Option<Sack> {
        match self.body() {
            Body::Ack(sack) | Body::SyncAck(sack) => Some(sack),
            _ => None,
        }
    }

    /// Payload; empty where there is none.
    pub fn payload(&self) -> &[u8] {
        self.body().payload().unwrap_or_default()
    }

    /// First byte of its payload in the message.
    pub fn offset(&self) -> u32 {
        match self.body() {
            Body::Write { msg, .. }
            | Body::WriteImm { msg, .. }
            | Body::Send { msg, .. }
            | Body::SendImm { msg, .. }
            | Body::ReadResponse { msg, .. } => msg.offset,
            _ => 0,
        }
    }
}

/// The tester as receiver of one path of the target: what its next ACK says. Fields may be set to lie.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// First PSN not received.
    pub cum: Psn,
    /// The bitvector.
    pub bits: Bitvector,
    /// Highest TSN seen.
    pub max_tsn: Tsn,
    /// Its timestamp.
    pub timestamp: u32,
    /// Packets received.
    pub received: u16,
    /// Of those with congestion experienced.
    pub marked: u16,
    /// Share of the line.
    pub rate_hint: u16,
    window_log2: u32,
}

impl Receiver {
    /// Nothing received.
    pub fn new(psn: Psn, tsn: Tsn, window_log2: u32) -> Self {
        Self {
            cum: psn,
            bits: Bitvector::nothing_received(psn, window_log2),
            max_tsn: tsn.minus(1),
            timestamp: 0,
            received: 0,
            marked: 0,
            rate_hint: 0xFFFF,
            window_log2,
        }
    }

    /// Takes a frame of its path.
    pub fn take(&mut self, heard: &Heard) {
        self.see(heard);
        if heard.is_data() {
            self.mark(heard.psn());
        }
    }

    /// Sees that a transmission arrived, but has no use for it: moves the echo and the count.
    pub fn see(&mut self, heard: &Heard) {
        if heard.tsn().is_after(self.max_tsn) {
            (self.max_tsn, self.timestamp) = (heard.tsn(), heard.frame().path.timestamp);
        }
        self.received = self.received.wrapping_add(1);
    }

    /// Marks a PSN received.
    pub fn mark(&mut self, psn: Psn) {
        self.bits.mark(psn, self.window_log2);
        while self.bits.is_received(self.cum, self.window_log2) {
            self.cum = self.cum.next();
        }
    }

    /// What its ACK says.
    pub fn sack(&self) -> Sack {
        Sack {
            received: self.received,
            marked: self.marked,
            rate_hint: self.rate_hint,
            bitvector: self.bits,
            ..Sack::default()
        }
    }
}
