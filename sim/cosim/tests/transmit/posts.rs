//! What both sides post, and what the peer sends.
use metaroce_model::nic::{Decision, Inputs};
use metaroce_model::tracker::ReceiveBuffer;
use metaroce_model::wire::{Body, Incoming, Verb};
use metaroce_protocol::{Wqe, WqeOpcode};
use rand::Rng;

use crate::dut::Response;
use crate::world::{KEY, World};

impl World {
    /// Posts a message of any verb that the profile offers; one that names a region, if the key is not the peer's.
    pub fn message(&mut self, connection: u32, length: u32, r_key: u32) {
        self.post(connection, length, r_key, |_| true);
    }

    /// Posts one that is cut into packets.
    pub fn long_message(&mut self, connection: u32, length: u32) {
        self.post(connection, length, KEY, |opcode| opcode != WqeOpcode::Read);
    }

    fn post(
        &mut self,
        connection: u32,
        length: u32,
        r_key: u32,
        wanted: impl Fn(WqeOpcode) -> bool,
    ) {
        let tracked = self.profile.tracks_messages();
        let names_region = |opcode| {
            matches!(
                opcode,
                WqeOpcode::Write | WqeOpcode::WriteImm | WqeOpcode::Read
            )
        };
        let fits = |&opcode: &WqeOpcode| {
            self.profile.offers(opcode) && wanted(opcode) && (r_key == KEY || names_region(opcode))
        };
        let offered: Vec<WqeOpcode> = WqeOpcode::ALL.iter().copied().filter(fits).collect();
        let opcode = offered[self.rng.random_range(0..offered.len())];
        let stream = if tracked {
            self.rng.random_range(0..self.size.trackers.streams)
        } else {
            self.rng.random()
        };
        let numbers = self.numbers.entry((connection as u16, stream)).or_default();
        let message = if tracked {
            numbers.0
        } else {
            self.rng.random()
        };
        numbers.0 = numbers.0.wrapping_add(1);
        if takes_buffer(opcode) {
            let buffer = ReceiveBuffer {
                address: self.rng.random_range(0..1 << 39),
                length,
                wr_id: 0,
            };
            if self.late.is_some() {
                self.unposted.push_back((connection, stream, buffer));
            } else {
                assert!(self.peer.post_receive(connection, stream, buffer));
            }
        }
        let wqe = Wqe {
            opcode,
            connection: connection as u16,
            stream,
            message,
            r_key,
            length,
            local_address: self.rng.random(),
            remote_address: self.rng.random_range(0..1 << 39),
            immediate: self.rng.random(),
            ..Default::default()
        };
        self.posted.push_back(wqe);
    }

    /// The peer asks for bytes of this side.
    pub fn ask(&mut self, connection: u32, length: u32) {
        let stream = self.rng.random_range(0..self.size.trackers.streams);
        let number = self.ask_numbers.entry((connection as u16, stream));
        let number = number.or_default();
        let wqe = Wqe {
            opcode: WqeOpcode::Read,
            connection: connection as u16,
            stream,
            message: *number,
            r_key: KEY,
            length,
            remote_address: self.rng.random_range(0..1 << 39),
            ..Default::default()
        };
        *number = number.wrapping_add(1);
        self.asks.push_back(wqe);
    }

    pub(super) fn offer_response(&mut self) {
        let room = self.loaded - self.responded < self.size.slots;
        let asked = self.asked.front().copied().filter(|_| room);
        let slot = (self.loaded % 16) as u8;
        self.dut
            .offer_response(asked.as_ref().map(|asked| (asked, slot)));
        self.dut.set("response_idle", asked.is_none().into());
    }

    /// What the peer sends reaches the model at once: it is not this side's concern.
    pub(super) fn peer_sends(&mut self) {
        for connection in 0..self.size.connections {
            if self.nic.failure(connection).is_some() && self.peer.failure(connection).is_none() {
                self.peer.give_up(connection);
            }
        }
        while self.peer.retire().is_some() {
            self.reads.1 += 1;
        }
        if self.peer.has_message_room()
            && let Some(wqe) = self.asks.pop_front()
        {
            self.peer.load_message(wqe);
            self.reads.0 += 1;
        }
        while self.peer.load_response() {}
        let inputs = Inputs {
            walk: None,
            room: u32::MAX,
            retransmit: 0,
            current: true,
            idle: true,
        };
        while let Decision::New(out) = self.peer.transmit(&inputs, self.dut.now) {
            self.hear(&out.frame);
            while self.peer.retire_response() {}
        }
        // Its quiet tails: a response is delivered once all of it is acknowledged.
        let paths = u64::from(self.size.connections * self.size.paths);
        let inputs = Inputs {
            walk: Some((self.cycle % paths) as u32),
            current: false,
            ..inputs
        };
        if let Decision::TailProbe(out) | Decision::TimeOutProbe(out) =
            self.peer.transmit(&inputs, self.dut.now)
        {
            self.hear(&out.frame);
            while self.peer.retire_response() {}
        }
    }

    fn hear(&mut self, frame: &Incoming) {
        self.nic.receive(frame, true);
        if let Some(ended) = self.nic.retire_receive()
            && let Body::Verb(packet) = frame.body
            && let Verb::ReadRequest { reth, tag } = packet.verb
        {
            self.asked.push_back(Response {
                connection: ended.connection,
                stream: ended.stream,
                message: ended.message,
                tag: tag.tag,
                address: reth.address,
                length: reth.length,
            });
        }
        if let Some(path) = self.nic.path_of(frame)
            && let Some(ack) = self.nic.build_ack(path)
        {
            self.peer.acknowledge(&ack.frame, self.dut.now);
            while self.peer.resolve(path).is_some() {}
        }
    }
}

/// Whether a message of this verb takes a buffer of the peer.
pub(super) fn takes_buffer(opcode: WqeOpcode) -> bool {
    !matches!(opcode, WqeOpcode::Write | WqeOpcode::Read)
}
