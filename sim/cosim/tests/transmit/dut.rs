//! The verilated transmit side behind plain Rust types.
use metaroce_cosim::model::{Options, PortId, Sources, VerilatedModel};
use metaroce_model::config::Congestion;
use metaroce_model::nic::{Choice, Offers};
use metaroce_model::wire::{Body, Incoming, Outgoing};
use metaroce_protocol::{Frame, Opcode, Profile, Wqe};
use metaroce_rtl::sizes::{Size, emit_transmit_side};

use metaroce_cosim::words::{self, Packer, Unpacker};

/// Bytes of a packed `TxDescriptor`, 721 bits.
const DESCRIPTOR_BYTES: usize = 91;

/// What the design commits in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Commits {
    /// A path that is judged, and whether there is nothing to send.
    pub judge: Option<(u32, bool)>,
    pub offers: Offers,
    pub transmit: Option<Choice>,
    pub resolve: Option<(u32, u32)>,
    pub acknowledge: bool,
    /// The window of a path becomes so many packets.
    pub window: Option<(u32, u32)>,
    /// A connection that gave up fails.
    pub give_up: Option<u32>,
    pub message: bool,
    pub response: bool,
    pub delivered: Option<u8>,
}

/// What a peer's Read asks for.
#[derive(Clone, Copy, Debug)]
pub struct Response {
    pub connection: u32,
    pub stream: u16,
    pub message: u16,
    pub tag: u16,
    pub address: u64,
    pub length: u32,
}

impl Response {
    /// As `Message`.
    fn word(&self) -> Packer {
        Packer::default()
            .field(self.connection.into(), 12)
            .field(self.stream.into(), 16)
            .field(self.message.into(), 16)
            .field(self.address, 64)
            .field(0, 64)
            .field(0, 32)
            .field(self.length.into(), 32)
            .field(u8::from(Opcode::ReadResponse).into(), 8)
            .field(self.tag.into(), 32)
            .field(0, 32)
    }
}

/// A descriptor, comparable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    pub opcode: u64,
    pub ack_request: bool,
    pub dest_qp: u64,
    pub psn: u64,
    pub path: u64,
    pub epoch: u64,
    pub tsn: u64,
    pub timestamp: u64,
    pub entropy: u64,
    pub addresses: [u64; 5],
    pub payload: u64,
    pub local_address: u64,
    pub tail: [u8; 40],
}

impl From<&Outgoing> for Descriptor {
    fn from(outgoing: &Outgoing) -> Self {
        let payload = vec![0; outgoing.payload_length() as usize];
        let frame: Frame = outgoing.frame(&payload);
        let c = &outgoing.connection;
        let mac = |m: [u8; 6]| m.iter().fold(0, |v, b| v << 8 | u64::from(*b));
        Self {
            opcode: u8::from(frame.body.opcode()).into(),
            ack_request: frame.bth.ack_request,
            dest_qp: frame.bth.dest_qp.into(),
            psn: frame.bth.psn.get().into(),
            path: frame.path.path.into(),
            epoch: frame.path.epoch.into(),
            tsn: frame.path.tsn.get().into(),
            timestamp: frame.path.timestamp.into(),
            entropy: outgoing.entropy.into(),
            addresses: [
                mac(c.dst_mac.0),
                mac(c.src_mac.0),
                u32::from(c.src_ip).into(),
                u32::from(c.dst_ip).into(),
                c.ip_sum.into(),
            ],
            payload: payload.len() as u64,
            local_address: outgoing.local_address,
            tail: frame.body.tail(),
        }
    }
}

pub struct Dut {
    pub model: VerilatedModel,
    pub planes: usize,
    pub now: u32,
    data: PortId,
    data_valid: Vec<PortId>,
    data_ready: Vec<PortId>,
}

impl Dut {
    pub fn new(size: Size, profile: Profile, planes: usize, now: u32) -> Self {
        let design = emit_transmit_side(size, profile).unwrap_or_else(|error| panic!("{error}"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("verilog");
        design.write_to(&path).unwrap();
        let sources = Sources::from_folder(&design.top, &path).unwrap();
        let model = VerilatedModel::build(&sources, &Options::small())
            .unwrap_or_else(|error| panic!("{error}"));
        let ports = |name: &str| {
            (0..planes)
                .map(|k| model.port(&format!("{name}_{k}")).unwrap())
                .collect::<Vec<_>>()
        };
        let (data_valid, data_ready) = (ports("data_valid"), ports("data_ready"));
        let data = model.port("data").unwrap();
        let mut dut = Self {
            model,
            planes,
            now,
            data,
            data_valid,
            data_ready,
        };
        dut.set("reset", 1);
        dut.set("sq_idle", 1);
        dut.set("response_idle", 1);
        dut.set("now", now.into());
        dut.model.tick().unwrap();
        dut.model.tick().unwrap();
        dut.set("reset", 0);
        dut
    }

    pub fn set(&mut self, name: &str, value: u64) {
        let port = self.model.port(name).unwrap();
        self.model.set_u64(port, value);
    }

    pub fn get(&self, name: &str) -> u64 {
        self.model.get_u64(self.model.port(name).unwrap())
    }

    fn set_wide(&mut self, name: &str, packed: &Packer) {
        let port = self.model.port(name).unwrap();
        self.model.set_bytes(port, packed.bytes());
    }

    /// Writes a table entry; the design must be held and idle.
    pub fn configure(&mut self, table: u64, index: u32, entry: &[u8]) {
        let word = Packer::default()
            .field(1, 1)
            .field(table, 4)
            .field(index.into(), 16)
            .wide(entry);
        self.set_wide("config_write", &word);
        self.model.tick().unwrap();
        self.set_wide("config_write", &Packer::default());
    }

    pub fn offer_message(&mut self, wqe: Option<(&Wqe, u8, Option<u32>)>) {
        self.set("message_valid", wqe.is_some().into());
        let Some((wqe, slot, receive)) = wqe else {
            return;
        };
        self.set_wide("message", &words::message(wqe, receive));
        self.set("message_slot", slot.into());
    }

    pub fn offer_response(&mut self, response: Option<(&Response, u8)>) {
        self.set("response_valid", response.is_some().into());
        let Some((response, slot)) = response else {
            return;
        };
        self.set_wide("response", &response.word());
        self.set("response_slot", slot.into());
    }

    pub fn offer_frame(&mut self, frame: Option<&Incoming>) {
        self.set("frame_valid", frame.is_some().into());
        let Some(frame) = frame else { return };
        let body = match frame.body {
            Body::Ack(sack) => metaroce_protocol::frame::Body::Ack(sack),
            Body::Refusal(nak) => metaroce_protocol::frame::Body::Refusal(nak),
            _ => panic!("not for the ACK engine"),
        };
        let mut tail = body.tail();
        tail.reverse();
        let word = Packer::default()
            .field(u8::from(body.opcode()).into(), 8)
            .field(frame.ce.into(), 1)
            .field(frame.ack_request.into(), 1)
            .field(frame.dest_qp.into(), 24)
            .field(frame.psn.get().into(), 24)
            .field(frame.path.into(), 8)
            .field(frame.epoch.into(), 8)
            .field(frame.tsn.get().into(), 24)
            .field(frame.timestamp.into(), 32)
            .field(0, 16)
            .wide(&tail);
        self.set_wide("frame", &word);
    }

    pub fn set_ready(&mut self, plane: usize, ready: bool) {
        self.model.set_u64(self.data_ready[plane], ready.into());
    }

    /// The descriptor on the bus, with its plane.
    pub fn descriptor(&self) -> Option<(usize, Descriptor)> {
        let plane = (0..self.planes).find(|&k| self.model.is_set(self.data_valid[k]))?;
        let mut bytes = [0; DESCRIPTOR_BYTES];
        self.model.get_bytes(self.data, &mut bytes);
        let mut u = Unpacker::new(&bytes);
        let opcode = u.field(8);
        let ack_request = u.field(1) == 1;
        let mut next = |width| u.field(width);
        let descriptor = Descriptor {
            opcode,
            ack_request,
            dest_qp: next(24),
            psn: next(24),
            path: next(8),
            epoch: next(8),
            tsn: next(24),
            timestamp: next(32),
            entropy: next(16),
            addresses: [next(48), next(48), next(32), next(32), next(16)],
            payload: next(16),
            local_address: next(64),
            tail: std::array::from_fn(|_| 0),
        };
        let mut tail: [u8; 40] = std::array::from_fn(|_| next(8) as u8);
        tail.reverse();
        Some((plane, Descriptor { tail, ..descriptor }))
    }

    fn window(&self) -> Option<(u32, u32)> {
        let word = self.get("trace_window").to_le_bytes();
        let mut u = Unpacker::new(&word);
        let [valid, path, packets] = [1, 16, 9].map(|width| u.field(width) as u32);
        (valid == 1).then_some((path, packets))
    }

    /// Registers of congestion control.
    pub fn control(&mut self, congestion: &Congestion) {
        let word = Packer::default()
            .field(congestion.law.into(), 2)
            .field(congestion.first.into(), 9)
            .field(congestion.cap.into(), 9)
            .field(congestion.increase.into(), 15)
            .field(congestion.decrease.into(), 9)
            .field(congestion.margin_log2.into(), 4)
            .field(congestion.gain.into(), 9)
            .field(congestion.rto_floor.into(), 26);
        self.set_wide("congestion", &word);
    }

    fn offers(&self) -> Offers {
        let word = self.get("trace_offer").to_le_bytes();
        let mut u = Unpacker::new(&word);
        let [room, spare, retransmit, packet, connection, response] =
            [8, 8, 8, 1, 12, 1].map(|width| u.field(width) as u32);
        Offers {
            room,
            spare,
            retransmit,
            packet: (packet != 0).then_some(connection),
            response: response != 0,
        }
    }

    /// The settled cycle's commits.
    pub fn commits(&self) -> Commits {
        let is = |name| self.get(name) != 0;
        let value = |name| self.get(name) as u32;
        Commits {
            judge: is("trace_judge_valid")
                .then(|| (value("trace_judge_path"), is("trace_judge_idle"))),
            offers: self.offers(),
            transmit: is("trace_transmit_valid").then(|| Choice {
                kind: value("trace_transmit_kind"),
                path: value("trace_transmit_path"),
                able: value("trace_transmit_able"),
                ack_request: is("trace_transmit_ack_request"),
            }),
            resolve: is("trace_resolve_valid")
                .then(|| (value("trace_resolve_path"), value("trace_resolve_tsn"))),
            acknowledge: is("trace_acknowledge_valid"),
            window: self.window(),
            give_up: is("trace_give_up_valid").then(|| value("trace_give_up_connection")),
            message: is("message_valid") && is("message_ready"),
            response: is("response_valid") && is("response_ready"),
            delivered: is("delivered_valid").then(|| value("delivered_slot") as u8),
        }
    }
}
