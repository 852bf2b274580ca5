//! Faults that replay exactly: what happens to the n-th frame of a kind.
use std::ops::Range;

use metaroce_model::wire::Outgoing;
use metaroce_protocol::{Opcode, Psn};

/// What happens to a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Drop,
    /// It comes a second time, this many ticks later.
    Double(u64),
    /// It comes this many ticks later.
    Delay(u64),
    /// Its ICRC is wrong: the parser drops and counts it.
    Corrupt,
    /// A switch marks it.
    Mark,
}

impl Fault {
    /// Ticks by which the frame itself is late.
    pub fn delay(self) -> u64 {
        match self {
            Self::Delay(ticks) => ticks,
            _ => 0,
        }
    }

    /// Ticks by which a copy follows, if there is one.
    pub fn copy_delay(self) -> Option<u64> {
        match self {
            Self::Double(ticks) => Some(ticks),
            _ => None,
        }
    }
}

/// A fault and the frames that it meets. What is `None` meets every frame.
#[derive(Clone, Debug)]
pub struct Rule {
    pub fault: Fault,
    pub from: Option<usize>,
    pub plane: Option<u32>,
    pub path: Option<u8>,
    pub entropy: Option<u16>,
    pub opcode: Option<Opcode>,
    pub psn: Option<Psn>,
    /// Of the frames that all of the above name, these, counted from 0.
    pub which: Range<u64>,
    /// Ticks in which it holds.
    pub when: Range<u64>,
    seen: u64,
}

impl Rule {
    /// Every frame, always.
    pub fn new(fault: Fault) -> Self {
        Self {
            fault,
            from: None,
            plane: None,
            path: None,
            entropy: None,
            opcode: None,
            psn: None,
            which: 0..u64::MAX,
            when: 0..u64::MAX,
            seen: 0,
        }
    }

    pub fn from(self, host: usize) -> Self {
        let from = Some(host);
        Self { from, ..self }
    }

    pub fn plane(self, plane: u32) -> Self {
        let plane = Some(plane);
        Self { plane, ..self }
    }

    pub fn path(self, path: u8) -> Self {
        let path = Some(path);
        Self { path, ..self }
    }

    pub fn entropy(self, entropy: u16) -> Self {
        let entropy = Some(entropy);
        Self { entropy, ..self }
    }

    pub fn opcode(self, opcode: Opcode) -> Self {
        let opcode = Some(opcode);
        Self { opcode, ..self }
    }

    pub fn psn(self, psn: Psn) -> Self {
        let psn = Some(psn);
        Self { psn, ..self }
    }

    pub fn nth(self, n: u64) -> Self {
        let which = n..n + 1;
        Self { which, ..self }
    }

    pub fn when(self, when: Range<u64>) -> Self {
        Self { when, ..self }
    }

    /// What it does to this frame, which it counts if it is of its kind.
    pub fn meet(&mut self, from: usize, frame: &Outgoing, now: u64) -> Option<Fault> {
        let opcode = || frame.frame(&[]).body.opcode();
        let of_kind = self.from.is_none_or(|f| f == from)
            && self.plane.is_none_or(|p| p == frame.plane)
            && self.path.is_none_or(|p| p == frame.frame.path)
            && self.entropy.is_none_or(|e| e == frame.entropy)
            && self.psn.is_none_or(|p| p == frame.frame.psn)
            && self.opcode.is_none_or(|o| o == opcode())
            && self.when.contains(&now);
        if !of_kind {
            return None;
        }
        self.seen += 1;
        self.which.contains(&(self.seen - 1)).then_some(self.fault)
    }
}
