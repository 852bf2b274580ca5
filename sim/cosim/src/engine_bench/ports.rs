//! The verilated engine behind the model's types.
use metaroce_model::wire::{Body, Incoming, Write};
use metaroce_protocol::frame::Body as FrameBody;
use metaroce_protocol::{ConfigTable, Msg, Nak, Opcode, Reth, Sack, Wqe};
use verilator_sys::ModelError;

use crate::Error;
use crate::model::{Options, PortId, Sources, VerilatedModel};
use crate::words::{self, Packer, Unpacker};

/// Bytes of a packed `TxDescriptor`, 721 bits.
const DESCRIPTOR_BYTES: usize = 91;

/// One direction of descriptors: a word, and a valid and a ready a plane.
pub(super) struct Outlet {
    word: PortId,
    valid: Vec<PortId>,
    ready: Vec<PortId>,
}

/// One direction of events: a frame, its plane, valid and ready.
pub(super) struct Inlet {
    frame: PortId,
    plane: PortId,
    valid: PortId,
    ready: PortId,
}

/// The engine.
pub(super) struct Ports {
    pub model: VerilatedModel,
    pub receive: Inlet,
    pub acknowledge: Inlet,
    pub data: Outlet,
    pub answer: Outlet,
    pub placement_ready: Vec<PortId>,
}

impl Ports {
    /// Builds the model and resets it.
    pub fn new(sources: &Sources, planes: u32) -> Result<Self, Error> {
        let model = VerilatedModel::build(sources, &Options::default())?;
        let port = |name: &str| model.port(name);
        let each = |name: &str| -> Result<Vec<PortId>, ModelError> {
            (0..planes).map(|k| port(&format!("{name}_{k}"))).collect()
        };
        let inlet = |name: &str| -> Result<Inlet, ModelError> {
            Ok(Inlet {
                frame: port(name)?,
                plane: port(&format!("{name}_plane"))?,
                valid: port(&format!("{name}_valid"))?,
                ready: port(&format!("{name}_ready"))?,
            })
        };
        let outlet = |name: &str| -> Result<Outlet, ModelError> {
            Ok(Outlet {
                word: port(name)?,
                valid: each(&format!("{name}_valid"))?,
                ready: each(&format!("{name}_ready"))?,
            })
        };
        let (receive, acknowledge) = (inlet("receive")?, inlet("acknowledge")?);
        let (data, answer) = (outlet("data")?, outlet("answer")?);
        let placement_ready = each("placement_ready")?;
        let mut ports = Self {
            model,
            receive,
            acknowledge,
            data,
            answer,
            placement_ready,
        };
        ports.set("reset", 1)?;
        ports.model.tick()?;
        ports.model.tick()?;
        ports.set("reset", 0)?;
        Ok(ports)
    }

    /// Sets a port by its name.
    pub fn set(&mut self, name: &str, value: u64) -> Result<(), Error> {
        let port = self.model.port(name)?;
        self.model.set_u64(port, value);
        Ok(())
    }

    /// Reads a port by its name.
    pub fn get(&self, name: &str) -> Result<u64, Error> {
        Ok(self.model.get_u64(self.model.port(name)?))
    }

    /// Writes a table's entry while the engine is held, and waits until it is taken in.
    pub fn configure(&mut self, table: ConfigTable, index: u32, entry: &[u8]) -> Result<(), Error> {
        let port = self.model.port("config_write")?;
        let word = Packer::default()
            .field(1, 1)
            .field(table.code().into(), 4)
            .field(index.into(), 16)
            .wide(entry);
        self.model.set_bytes(port, word.bytes());
        self.model.tick()?;
        self.model.set_bytes(port, &[0]);
        self.wait_idle()
    }

    /// Runs until no stage holds anything.
    pub fn wait_idle(&mut self) -> Result<(), Error> {
        self.model.settle()?;
        while self.get("idle")? == 0 {
            self.model.tick()?;
            self.model.settle()?;
        }
        Ok(())
    }

    /// Offers a message in a slot, or none.
    pub fn offer_message(&mut self, offer: Option<(&Wqe, u8)>) -> Result<(), Error> {
        self.set("message_valid", offer.is_some().into())?;
        let Some((wqe, slot)) = offer else {
            return Ok(());
        };
        let port = self.model.port("message")?;
        // All Writes: with or without buffers, these take none.
        self.model
            .set_bytes(port, words::message(wqe, None).bytes());
        self.set("message_slot", slot.into())
    }
}

impl Inlet {
    /// Offers a frame of a plane, or none.
    pub fn offer(&self, model: &mut VerilatedModel, offer: Option<&(u32, Incoming)>) {
        model.set_u64(self.valid, offer.is_some().into());
        let Some((plane, frame)) = offer else { return };
        model.set_u64(self.plane, (*plane).into());
        let (body, payload) = match &frame.body {
            &Body::Write(Write { msg, reth, payload }) => {
                let body = FrameBody::Write {
                    msg,
                    reth,
                    payload: &[],
                };
                (body, payload)
            }
            Body::Ack(sack) => (FrameBody::Ack(*sack), 0),
            Body::Refusal(nak) => (FrameBody::Refusal(*nak), 0),
            _ => (FrameBody::Probe, 0),
        };
        let mut tail = body.tail();
        tail.reverse();
        let word = Packer::default()
            .field(body.opcode().code().into(), 8)
            .field(frame.ce.into(), 1)
            .field(frame.ack_request.into(), 1)
            .field(frame.dest_qp.into(), 24)
            .field(frame.psn.get().into(), 24)
            .field(frame.path.into(), 8)
            .field(frame.epoch.into(), 8)
            .field(frame.tsn.get().into(), 24)
            .field(frame.timestamp.into(), 32)
            .field(payload.into(), 16)
            .wide(&tail);
        model.set_bytes(self.frame, word.bytes());
    }

    /// Whether it is taken in the settled cycle.
    pub fn taken(&self, model: &VerilatedModel) -> bool {
        model.is_set(self.valid) && model.is_set(self.ready)
    }
}

impl Outlet {
    /// Says whether a plane takes a descriptor.
    pub fn set_ready(&self, model: &mut VerilatedModel, plane: usize, ready: bool) {
        model.set_u64(self.ready[plane], ready.into());
    }

    /// The descriptor of the settled cycle with its plane, as the frame that the peer will see.
    pub fn take(&self, model: &VerilatedModel) -> Option<(usize, Incoming)> {
        let plane = self.valid.iter().position(|&port| model.is_set(port))?;
        let mut bytes = [0; DESCRIPTOR_BYTES];
        model.get_bytes(self.word, &mut bytes);
        let mut word = Unpacker::new(&bytes);
        let opcode = Opcode::from_code(word.field(8) as u8);
        let mut frame = Incoming {
            ce: false,
            ack_request: word.field(1) == 1,
            dest_qp: word.field(24) as u32,
            psn: metaroce_protocol::Psn::truncate(word.field(24) as u32),
            path: word.field(8) as u8,
            epoch: word.field(8) as u8,
            tsn: metaroce_protocol::Tsn::truncate(word.field(24) as u32),
            timestamp: word.field(32) as u32,
            body: Body::Probe,
        };
        // Entropy and addresses.
        for width in [16, 48, 48, 32, 32, 16] {
            word.field(width);
        }
        let payload = word.field(16) as u32;
        word.field(64);
        let mut tail: [u8; 40] = std::array::from_fn(|_| word.field(8) as u8);
        tail.reverse();
        frame.body = body(opcode, &tail, payload);
        Some((plane, frame))
    }
}

/// What a descriptor's tail says: first byte of the wire first, and as long as any header.
fn body(opcode: Opcode, tail: &[u8; 40], payload: u32) -> Body {
    const LONG: &str = "a tail is as long as the longest header";
    match opcode {
        Opcode::Write => Body::Write(Write {
            msg: Msg::decode(tail).expect(LONG),
            reth: Reth::decode(&tail[Msg::BYTES..]).expect(LONG),
            payload,
        }),
        Opcode::Ack => Body::Ack(Sack::decode(tail).expect(LONG)),
        Opcode::Refusal => Body::Refusal(Nak::decode(tail).expect(LONG)),
        _ => Body::Probe,
    }
}
