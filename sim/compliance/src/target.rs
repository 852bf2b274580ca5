//! What the suite can ask of an endpoint. Whatever an endpoint can't do it says with [`Stop::Lacks`].
use metaroce_protocol::{CompletionStatus, Wqe, WqeOpcode};

use crate::check::{Check, Stop};
use crate::mutants::Mutant;
use crate::setup::{Identity, Setup};

/// Where connections to a target come from: each point has its own.
pub trait Lab {
    /// A fresh connection.
    fn connect(&mut self, setup: &Setup) -> Check<Box<dyn Target>>;
}

/// A lab whose targets can have something wrong.
pub trait MutantLab: Lab {
    /// A fresh connection to a target that has. Lacking is that it can't have this.
    fn connect_wrong(&mut self, setup: &Setup, mutant: &Mutant) -> Check<Box<dyn Target>>;
}

/// A request that the target's application posts.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// What to do.
    pub verb: WqeOpcode,
    /// Stream in the connection.
    pub stream: u16,
    /// Bytes.
    pub length: u32,
    /// Address of the first byte at the target.
    pub local: u64,
    /// Address of the first byte at the tester: any number.
    pub remote: u64,
    /// The tester's key: any number.
    pub r_key: u32,
    /// Immediate, where the verb has one.
    pub immediate: u32,
    /// Atomics: number to add or to put in place.
    pub operand: u64,
    /// Compare-and-swap: what the word must hold.
    pub compare: u64,
    /// Comes back in the completion.
    pub wr_id: u64,
}

impl Work {
    /// Message `message` of its stream, as a WQE.
    pub fn wqe(&self, connection: u16, message: u16) -> Wqe {
        Wqe {
            opcode: self.verb,
            connection,
            stream: self.stream,
            message,
            r_key: self.r_key,
            length: self.length,
            local_address: self.local,
            remote_address: self.remote,
            wr_id: self.wr_id,
            immediate: self.immediate,
            operand: self.operand,
            compare: self.compare,
            ..Wqe::default()
        }
    }
}

/// A buffer that the target's application posts.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// Address at the target.
    pub address: u64,
    /// Bytes.
    pub length: u32,
    /// Comes back with the message that takes it.
    pub wr_id: u64,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The request's.
    pub wr_id: u64,
    /// How.
    pub status: CompletionStatus,
}

/// A message that the target's application has received whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Stream.
    pub stream: u16,
    /// Number in the stream.
    pub message: u16,
    /// Bytes.
    pub length: u32,
    /// The buffer that it took.
    pub wr_id: Option<u64>,
    /// What it hands over.
    pub immediate: Option<u32>,
}

/// A frame that a target said.
#[derive(Clone, Debug)]
pub struct Said {
    /// When, in ticks since the connection stands.
    pub at: u32,
    /// Plane that carried it.
    pub plane: u8,
    /// Ethernet to ICRC.
    pub bytes: Vec<u8>,
}

/// One endpoint with its connections to the tester.
pub trait Target {
    /// Who it is.
    fn identity(&self) -> &Identity;
    /// A frame, Ethernet to ICRC, arrives on a plane now.
    fn deliver(&mut self, plane: u8, frame: &[u8]) -> Check;
    /// Lets the target go on until it has nothing more to say now. Time passes where it can't be held.
    fn settle(&mut self) -> Check;
    /// What it has said since the last call.
    fn frames(&mut self) -> Check<Vec<Said>>;
    /// Time passes.
    fn advance(&mut self, ticks: u32) -> Check;
    /// Ticks since the connection stands.
    fn now(&self) -> u32;

    /// Whether the region holds these bytes, and nothing around it was written. May be the last question of a point.
    fn holds(&mut self, region: &[u8]) -> Check<bool>;
    /// A counter by its name in docs/registers.md.
    fn counter(&mut self, _name: &str) -> Check<u32> {
        Err(Stop::lacks("the target shows no counters"))
    }
    /// Writes its memory.
    fn write(&mut self, _address: u64, _bytes: &[u8]) -> Check {
        Err(Stop::lacks("the target's memory can't be set"))
    }
    /// Reads its memory.
    fn read(&mut self, _address: u64, _length: usize) -> Check<Vec<u8>> {
        Err(Stop::lacks("the target's memory can't be read"))
    }
    /// Its application posts a request on its first connection.
    fn post(&mut self, _work: &Work) -> Check {
        Err(Stop::lacks(
            "the target's application can't be asked to post work",
        ))
    }
    /// Its application posts a buffer. Connections are counted from 0.
    fn post_receive(&mut self, _connection: u32, _stream: u16, _buffer: &Buffer) -> Check {
        Err(Stop::lacks(
            "the target's application can't be asked to post buffers",
        ))
    }
    /// Completions since the last call.
    fn completions(&mut self) -> Check<Vec<Completion>> {
        Err(Stop::lacks("the target's completions can't be seen"))
    }
    /// Messages received since the last call.
    fn arrivals(&mut self) -> Check<Vec<Arrival>> {
        Err(Stop::lacks("the target's received messages can't be seen"))
    }
    /// A path takes another UDP source port.
    fn reroute(&mut self, _path: u8, _entropy: u16) -> Check {
        Err(Stop::lacks("the target's paths can't be rerouted"))
    }
}
