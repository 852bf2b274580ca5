//! AXI4-Lite master: register accesses of a host, one after the other.
use std::collections::VecDeque;

use verilator_sys::ModelError;

use crate::bus::{Agent, Stalls};
use crate::model::{PortId, VerilatedModel};

/// A register access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read this byte offset.
    Read(u32),
    /// Write this byte offset with this value.
    Write(u32, u32),
}

/// What the device answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The access.
    pub access: Access,
    /// The value read; 0 for a write.
    pub value: u32,
    /// `xRESP`: 0 is OKAY.
    pub response: u8,
}

/// Which of an access's handshakes are still to come.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    address: bool,
    data: bool,
}

#[derive(Debug)]
struct Ports {
    aw: [PortId; 3],
    w: [PortId; 4],
    b: [PortId; 3],
    ar: [PortId; 3],
    r: [PortId; 4],
}

/// Performs queued accesses in order; stalls come from a seed.
#[derive(Debug)]
pub struct AxiLiteMaster {
    ports: Ports,
    stalls: Stalls,
    queue: VecDeque<Access>,
    waiting: Progress,
    begun: bool,
    ready: bool,
    answers: VecDeque<Answer>,
}

impl AxiLiteMaster {
    /// A master for the model's ports `<prefix>_awaddr` and so on.
    pub fn new(model: &VerilatedModel, prefix: &str, stalls: Stalls) -> Result<Self, ModelError> {
        let port = |name: &str| model.port(&format!("{prefix}_{name}"));
        let ports = Ports {
            aw: [port("awaddr")?, port("awvalid")?, port("awready")?],
            w: [
                port("wdata")?,
                port("wstrb")?,
                port("wvalid")?,
                port("wready")?,
            ],
            b: [port("bresp")?, port("bvalid")?, port("bready")?],
            ar: [port("araddr")?, port("arvalid")?, port("arready")?],
            r: [
                port("rdata")?,
                port("rresp")?,
                port("rvalid")?,
                port("rready")?,
            ],
        };
        let queue = VecDeque::new();
        let answers = VecDeque::new();
        Ok(Self {
            ports,
            stalls,
            queue,
            waiting: Progress::default(),
            begun: false,
            ready: false,
            answers,
        })
    }

    /// Queues an access.
    pub fn push(&mut self, access: Access) {
        self.queue.push_back(access);
    }

    /// The oldest answer that was not taken yet.
    pub fn pop(&mut self) -> Option<Answer> {
        self.answers.pop_front()
    }

    /// The write that has begun and is not answered: the NIC may act on it already.
    pub fn under_way(&self) -> Option<(u32, u32)> {
        match self.queue.front() {
            Some(&Access::Write(offset, value)) if self.begun => Some((offset, value)),
            _ => None,
        }
    }

    /// Whether every access is answered.
    pub fn is_idle(&self) -> bool {
        self.queue.is_empty()
    }

    fn finish(&mut self, value: u32, response: u8) {
        let access = self
            .queue
            .pop_front()
            .expect("an answer belongs to an access");
        self.begun = false;
        self.answers.push_back(Answer {
            access,
            value,
            response,
        });
    }
}

impl Agent for AxiLiteMaster {
    fn drive(&mut self, model: &mut VerilatedModel) {
        let wait = self.stalls.wait();
        if !self.begun && !wait && !self.queue.is_empty() {
            self.begun = true;
            self.waiting = Progress {
                address: true,
                data: matches!(self.queue[0], Access::Write(..)),
            };
        }
        self.ready = !wait;
        let p = &self.ports;
        let active = self.queue.front().filter(|_| self.begun);
        let (write, read) = match active {
            Some(&Access::Write(offset, value)) => (Some((offset, value)), None),
            Some(&Access::Read(offset)) => (None, Some(offset)),
            None => (None, None),
        };
        if let Some((offset, value)) = write {
            model.set_u64(p.aw[0], offset.into());
            model.set_u64(p.w[0], value.into());
            model.set_u64(p.w[1], 0xF);
        }
        if let Some(offset) = read {
            model.set_u64(p.ar[0], offset.into());
        }
        model.set_u64(p.aw[1], (write.is_some() && self.waiting.address).into());
        model.set_u64(p.w[2], (write.is_some() && self.waiting.data).into());
        model.set_u64(p.ar[1], (read.is_some() && self.waiting.address).into());
        model.set_u64(p.b[2], (write.is_some() && self.ready).into());
        model.set_u64(p.r[3], (read.is_some() && self.ready).into());
    }

    fn sample(&mut self, model: &VerilatedModel) {
        let p = &self.ports;
        let fires = |valid, ready| model.is_set(valid) && model.is_set(ready);
        if fires(p.aw[1], p.aw[2]) || fires(p.ar[1], p.ar[2]) {
            self.waiting.address = false;
        }
        if fires(p.w[2], p.w[3]) {
            self.waiting.data = false;
        }
        if fires(p.b[1], p.b[2]) {
            let response = model.get_u64(p.b[0]) as u8;
            self.finish(0, response);
        } else if fires(p.r[2], p.r[3]) {
            let (value, response) = (model.get_u64(p.r[0]) as u32, model.get_u64(p.r[1]) as u8);
            self.finish(value, response);
        }
    }
}
