//! The commit trace: which engines of a NIC commit in a cycle, and what timing gave them (docs/architecture.md).
use metaroce_model::nic::{Choice, Offers};
use verilator_sys::ModelError;

use crate::model::{PortId, VerilatedModel};

/// A path that the background walk judges, and whether there is nothing to send.
pub type Judge = (u32, bool);

/// All commits of one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Commits {
    /// The NIC's clock.
    pub now: u32,
    /// An ACK is built for this path.
    pub ack_build: Option<u32>,
    /// The oldest refusal is built.
    pub refusal_build: bool,
    /// The background walk judges a path.
    pub judge: Option<Judge>,
    /// What timing offered to what the transmit engine does now, or does not.
    pub offers: Offers,
    /// The transmit engine does something.
    pub transmit: Option<Choice>,
    /// This transmission (path, TSN) is resolved.
    pub resolve: Option<(u32, u32)>,
    /// A frame of this plane meets the receive engine; whether a refusal could be queued.
    pub receive: Option<(u32, bool)>,
    /// The cumulative point of this path moves on by one accepted packet.
    pub advance: Option<u32>,
    /// A frame of this plane meets the ACK engine.
    pub acknowledge: Option<u32>,
    /// The window of this path becomes so many packets, by what happened 15 cycles before.
    pub window: Option<(u32, u32)>,
    /// This connection gave up, and fails now.
    pub give_up: Option<u32>,
    /// Planes whose parser drops a frame, bit by plane.
    pub drop: u32,
    /// An entry of a table is written: table and index.
    pub configure: Option<(u32, u32)>,
    /// The next WQE becomes the current message.
    pub message: bool,
    /// The oldest message completes.
    pub retire: bool,
    /// The next message of this stream ends at its receiver.
    pub retire_receive: Option<u32>,
    /// The oldest RQE is posted on this stream.
    pub post: Option<u32>,
    /// The oldest message that came and took a buffer is told of; or (`true`) the oldest RQE, that can't be posted.
    pub tell: Option<bool>,
    /// The oldest response that waits takes a slot.
    pub load_response: bool,
    /// The oldest response that holds one frees it.
    pub retire_response: bool,
}

/// The trace ports of a NIC.
#[derive(Debug)]
pub struct TracePorts {
    now: PortId,
    ack_build: (PortId, PortId),
    refusal_build: PortId,
    judge: [PortId; 3],
    offers: [PortId; 6],
    transmit: [PortId; 5],
    resolve: [PortId; 3],
    receive: [PortId; 3],
    advance: (PortId, PortId),
    acknowledge: (PortId, PortId),
    window: [PortId; 3],
    give_up: (PortId, PortId),
    drop: PortId,
    configure: [PortId; 3],
    message: PortId,
    retire: PortId,
    retire_receive: (PortId, PortId),
    post: (PortId, PortId),
    tell: (PortId, PortId),
    load_response: PortId,
    retire_response: PortId,
    flip: Option<(PortId, u64)>,
}

impl TracePorts {
    /// Finds the ports by their names.
    pub fn find(model: &VerilatedModel) -> Result<Self, ModelError> {
        let port = |name: &str| model.port(&format!("trace_{name}"));
        Ok(Self {
            now: port("now")?,
            ack_build: (port("ack_build_valid")?, port("ack_build_path")?),
            refusal_build: port("refusal_build_valid")?,
            judge: [
                port("judge_valid")?,
                port("judge_path")?,
                port("judge_idle")?,
            ],
            offers: [
                port("offer_room")?,
                port("offer_spare")?,
                port("offer_retransmit")?,
                port("offer_packet")?,
                port("offer_connection")?,
                port("offer_response")?,
            ],
            transmit: [
                port("transmit_valid")?,
                port("transmit_kind")?,
                port("transmit_path")?,
                port("transmit_able")?,
                port("transmit_ack_request")?,
            ],
            resolve: [
                port("resolve_valid")?,
                port("resolve_path")?,
                port("resolve_tsn")?,
            ],
            receive: [
                port("receive_valid")?,
                port("receive_plane")?,
                port("receive_refusal_room")?,
            ],
            advance: (port("advance_valid")?, port("advance_path")?),
            acknowledge: (port("acknowledge_valid")?, port("acknowledge_plane")?),
            window: [
                port("window_valid")?,
                port("window_path")?,
                port("window_packets")?,
            ],
            give_up: (port("give_up_valid")?, port("give_up_connection")?),
            drop: port("drop")?,
            configure: [
                port("configure_valid")?,
                port("configure_table")?,
                port("configure_index")?,
            ],
            message: port("message_valid")?,
            retire: port("retire_valid")?,
            retire_receive: (
                port("retire_receive_valid")?,
                port("retire_receive_stream")?,
            ),
            post: (port("post_valid")?, port("post_stream")?),
            tell: (port("tell_valid")?, port("tell_refused")?),
            load_response: port("load_response")?,
            retire_response: port("retire_response")?,
            flip: None,
        })
    }

    /// A fault: from now on these bits of a port are read wrong.
    pub fn flip(&mut self, port: PortId, bits: u64) {
        self.flip = Some((port, bits));
    }

    fn get(&self, model: &VerilatedModel, port: PortId) -> u64 {
        let wrong = self.flip.filter(|flip| flip.0 == port);
        model.get_u64(port) ^ wrong.map_or(0, |flip| flip.1)
    }

    /// The commits of the cycle that is under way; the model is settled.
    pub fn read(&self, model: &VerilatedModel) -> Commits {
        let is = |port| self.get(model, port) != 0;
        let value = |port| self.get(model, port) as u32;
        Commits {
            now: value(self.now),
            ack_build: is(self.ack_build.0).then(|| value(self.ack_build.1)),
            refusal_build: is(self.refusal_build),
            judge: is(self.judge[0]).then(|| (value(self.judge[1]), is(self.judge[2]))),
            offers: self.read_offers(model),
            transmit: is(self.transmit[0]).then(|| self.read_transmit(model)),
            resolve: is(self.resolve[0]).then(|| (value(self.resolve[1]), value(self.resolve[2]))),
            receive: is(self.receive[0]).then(|| (value(self.receive[1]), is(self.receive[2]))),
            advance: is(self.advance.0).then(|| value(self.advance.1)),
            acknowledge: is(self.acknowledge.0).then(|| value(self.acknowledge.1)),
            window: is(self.window[0]).then(|| (value(self.window[1]), value(self.window[2]))),
            give_up: is(self.give_up.0).then(|| value(self.give_up.1)),
            drop: value(self.drop),
            configure: is(self.configure[0])
                .then(|| (value(self.configure[1]), value(self.configure[2]))),
            message: is(self.message),
            retire: is(self.retire),
            retire_receive: is(self.retire_receive.0).then(|| value(self.retire_receive.1)),
            post: is(self.post.0).then(|| value(self.post.1)),
            tell: is(self.tell.0).then(|| is(self.tell.1)),
            load_response: is(self.load_response),
            retire_response: is(self.retire_response),
        }
    }

    fn read_offers(&self, model: &VerilatedModel) -> Offers {
        let [room, spare, retransmit, packet, connection, response] =
            self.offers.map(|p| self.get(model, p) as u32);
        Offers {
            room,
            spare,
            retransmit,
            packet: (packet != 0).then_some(connection),
            response: response != 0,
        }
    }

    fn read_transmit(&self, model: &VerilatedModel) -> Choice {
        let [_, kind, path, able, ack_request] = self.transmit.map(|p| self.get(model, p) as u32);
        Choice {
            kind,
            path,
            able,
            ack_request: ack_request != 0,
        }
    }
}
