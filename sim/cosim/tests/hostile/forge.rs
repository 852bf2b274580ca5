//! Frames that no good peer sends: near to good ones, so that every check of the receiver has its turn.
use std::collections::BTreeMap;

use metaroce_model::config::Size;
use metaroce_model::nic::Nic;
use metaroce_protocol::frame::Addresses;
use metaroce_protocol::table::{COMMON, Layout};
use metaroce_protocol::{
    Bitvector, Body, Bth, Icrc, Imm, MacAddr, Match, Msg, Nak, Opcode, Path, Profile, Psn,
    RefusalReason, Reth, Sack, Tsn,
};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::target::{QP, REGIONS, Region};

/// Frames longer than this are jumbo: no MAC with the largest MTU takes more.
const LARGEST_FRAME: usize = 4_192;

/// How a frame is spoilt.
type Spoil = (&'static str, u32, fn(&mut Forge, &mut Vec<u8>));

/// Name, weight and deed of each kind.
const SPOILS: &[Spoil] = &[
    ("good", 30, |_, _| {}),
    ("field at its edge", 30, |forge, frame| {
        forge.field_at_its_edge(frame)
    }),
    ("field random", 12, |forge, frame| forge.field_random(frame)),
    ("length field", 6, |forge, frame| forge.length_field(frame)),
    ("truncated at a beat", 8, Forge::truncated_at_a_beat),
    ("truncated anywhere", 3, Forge::truncated_anywhere),
    ("payload of any length", 4, Forge::payload_of_any_length),
    ("too long", 4, Forge::too_long),
    ("jumbo", 1, Forge::jumbo),
    ("runt", 4, Forge::runt),
    ("bad ICRC", 6, |forge, frame| forge.bad_icrc(frame)),
    ("opcode", 5, |forge, frame| forge.opcode(frame)),
    ("ethertype", 3, |forge, frame| forge.ethertype(frame)),
    ("VLAN tag", 1, Forge::vlan_tag),
    ("noise", 2, Forge::noise),
];

/// Where frames come from: the same seed and the same NIC give the same frames.
pub struct Forge {
    random: ChaCha8Rng,
    size: Size,
    profile: Profile,
    largest_payload: usize,
    /// Of the round.
    pub epoch: u8,
    /// Frames made, by kind.
    pub made: BTreeMap<&'static str, u64>,
}

impl Forge {
    pub fn new(seed: u64, size: Size, profile: Profile, largest_payload: usize) -> Self {
        Self {
            random: ChaCha8Rng::seed_from_u64(seed),
            size,
            profile,
            largest_payload,
            epoch: 0,
            made: BTreeMap::new(),
        }
    }

    /// The next frame for a NIC in this state.
    pub fn frame(&mut self, nic: &Nic) -> Vec<u8> {
        let mut frame = self.good(nic);
        let total = SPOILS.iter().map(|(_, weight, _)| weight).sum();
        let mut ticket = self.random.random_range(0..total);
        for (name, weight, spoil) in SPOILS {
            if ticket < *weight {
                *self.made.entry(name).or_default() += 1;
                spoil(self, &mut frame);
                return frame;
            }
            ticket -= weight;
        }
        unreachable!("a ticket below the sum of all weights belongs to one of them")
    }

    /// A frame that a peer might send, its numbers near to what the NIC expects.
    fn good(&mut self, nic: &Nic) -> Vec<u8> {
        let connection = self.random.random_range(0..self.size.connections);
        let first = connection * self.size.paths;
        let mut path = self.random.random_range(0..self.size.paths);
        if nic.receive_path(first + path).is_none() && self.random.random_bool(0.9) {
            path = 0;
        }
        let global = first + path;
        let payload = self.payload();
        let (body, psn, tsn) = match self.random.random_range(0..100) {
            0..56 => {
                let (psn, tsn) = self.arrival(nic, global);
                (self.data(nic, connection, &payload), psn, tsn)
            }
            56..66 => {
                let (psn, tsn) = self.arrival(nic, global);
                (Body::Probe, psn, tsn)
            }
            66..100 if self.random.random_bool(0.99) => self.ack(nic, global),
            _ => {
                let (psn, tsn) = self.arrival(nic, global);
                (self.refusal(), psn, tsn)
            }
        };
        let addresses = Addresses {
            dst_mac: MacAddr::truncate(self.random.random()),
            src_mac: MacAddr::truncate(self.random.random()),
            src_ip: self.random.random::<u32>().into(),
            dst_ip: self.random.random::<u32>().into(),
        };
        let mut frame = addresses.frame(self.random.random(), body);
        frame.bth = Bth {
            dest_qp: QP | connection,
            ack_request: self.random.random_bool(0.3),
            psn,
            ..frame.bth
        };
        frame.path = Path {
            path: path as u8,
            epoch: self.epoch,
            tsn,
            timestamp: self.random.random(),
            ..frame.path
        };
        let mut bytes = frame.encode().expect("a legal frame");
        if self.random.random_bool(0.2) {
            // Congestion experienced; the ICRC leaves it out.
            bytes[15] |= 3;
        }
        bytes
    }

    fn payload(&mut self) -> Vec<u8> {
        let most = self.largest_payload;
        let length = match self.random.random_range(0..100) {
            0..10 => 0,
            10..80 => self.random.random_range(1..=72),
            80..97 => self.random.random_range(1..=400),
            97 => most - self.random.random_range(0..9),
            98 => most,
            _ => self.random.random_range(0..=most),
        };
        (0..length).map(|_| self.random.random()).collect()
    }

    /// PSN and TSN of a frame for the receiver of a path.
    fn arrival(&mut self, nic: &Nic, path: u32) -> (Psn, Tsn) {
        let window = 1 << self.size.window_log2;
        let Some(receive) = nic.receive_path(path) else {
            return (self.any_psn(), Tsn::truncate(self.random.random()));
        };
        let psn = match self.random.random_range(0..20) {
            0..14 => receive.cum.plus(self.random.random_range(0..6)),
            14 => receive.cum.minus(self.random.random_range(1..2 * window)),
            15 => receive
                .cum
                .plus(window - 2 + self.random.random_range(0..4)),
            16..19 => receive.cum.plus(self.random.random_range(0..window)),
            _ => self.any_psn(),
        };
        let tsn = match self.random.random_range(0..10) {
            0..8 => receive.max_tsn.next(),
            8 => receive.max_tsn.plus(self.random.random_range(0..20)),
            _ => receive.max_tsn.minus(self.random.random_range(0..20)),
        };
        (psn, tsn)
    }

    fn any_psn(&mut self) -> Psn {
        Psn::truncate(self.random.random())
    }

    fn data<'a>(&mut self, nic: &Nic, connection: u32, payload: &'a [u8]) -> Body<'a> {
        let Region { key, base, length } = *REGIONS.choose(&mut self.random).expect("a region");
        let last = length - (payload.len() as u64).min(length);
        let offset = match self.random.random_range(0..10) {
            0 => 0,
            1 => last,
            // One byte, or some, out of it at either end.
            2 => last + self.random.random_range(1..20),
            3 => 0u64.wrapping_sub(self.random.random_range(1..20)),
            _ => self.random.random_range(0..=last),
        };
        let reth = Reth {
            address: base.wrapping_add(offset),
            r_key: key,
            length: self.random.random(),
        };
        if !self.profile.tracks_messages() {
            let msg = Msg {
                stream: self.random.random(),
                message: self.random.random(),
                offset: self.random.random(),
            };
            return Body::Write { msg, reth, payload };
        }
        self.of_message(nic, connection, reth, payload)
    }

    /// Of a message near to the one that its stream expects: mostly whole in one packet.
    fn of_message<'a>(
        &mut self,
        nic: &Nic,
        connection: u32,
        reth: Reth,
        payload: &'a [u8],
    ) -> Body<'a> {
        let random = &mut self.random;
        let stream = match random.random_range(0..50) {
            0 => random.random(),
            _ => random.random_range(0..self.size.trackers.streams),
        };
        let (next, first) = nic.expects(connection, stream);
        let ahead = match random.random_range(0..20) {
            0 => random.random_range(0..20),
            1..6 => random.random_range(0..3),
            _ => 0,
        };
        let message = match random.random_range(0..40) {
            0 => next.wrapping_sub(random.random_range(1..5)),
            _ => next.wrapping_add(ahead),
        };
        let whole = payload.len() as u32;
        let (offset, length) = match random.random_range(0..12) {
            0 => (
                random.random_range(0..100),
                whole + random.random_range(0..200),
            ),
            1 => (random.random(), random.random()),
            _ => (0, whole),
        };
        let msg = Msg {
            stream,
            message,
            offset,
        };
        let reth = Reth { length, ..reth };
        let other = random.random_range(0..10) == 0;
        let matching = Match {
            receive: first.wrapping_add(if other {
                random.random_range(0..20)
            } else {
                ahead.into()
            }),
            length,
        };
        let imm = Imm {
            immediate: random.random(),
            ..Imm::default()
        };
        match random.random_range(0..5) {
            0 => Body::WriteImm {
                msg,
                reth,
                matching,
                imm,
                payload,
            },
            1 => Body::Send {
                msg,
                matching,
                payload,
            },
            2 => Body::SendImm {
                msg,
                matching,
                imm,
                payload,
            },
            _ => Body::Write { msg, reth, payload },
        }
    }

    /// An ACK: now honest, now about what was never sent.
    fn ack(&mut self, nic: &Nic, path: u32) -> (Body<'static>, Psn, Tsn) {
        let bits = match self.random.random_range(0..4) {
            0 => [0; 4],
            1 => [u64::MAX; 4],
            _ => self.random.random(),
        };
        let sack = Body::Ack(Sack {
            received: self.random.random(),
            marked: self.random.random(),
            rate_hint: self.random.random(),
            bitvector: Bitvector(bits),
            ..Sack::default()
        });
        let Some(send) = nic.send_path(path) else {
            return (sack, self.any_psn(), Tsn::truncate(self.random.random()));
        };
        let psn = match self.random.random_range(0..10) {
            0..6 => send.next_psn.minus(self.random.random_range(0..4)),
            6 => send.next_psn.plus(self.random.random_range(0..3)),
            7 => {
                let window = 1 << self.size.window_log2;
                send.next_psn
                    .minus(window - 1 + self.random.random_range(0..3))
            }
            8 => send.next_psn.minus(self.random.random_range(0..300)),
            _ => self.any_psn(),
        };
        let tsn = match self.random.random_range(0..10) {
            0..7 => send.next_tsn.minus(self.random.random_range(0..6)),
            7 => send.echo().plus(self.random.random_range(0..3)),
            8 => send.next_tsn.plus(self.random.random_range(0..3)),
            _ => Tsn::truncate(self.random.random()),
        };
        (sack, psn, tsn)
    }

    fn refusal(&mut self) -> Body<'static> {
        Body::Refusal(Nak {
            reason: RefusalReason::from_code(self.random.random_range(0..6)),
            stream: self.random.random_range(0..4),
            message: self.random.random_range(0..8),
            ..Nak::default()
        })
    }

    // ---- what spoils

    fn seal_mostly(&mut self, frame: &mut [u8]) {
        if self.random.random_bool(0.8) {
            Icrc::seal(frame);
        }
    }

    /// IP and UDP say what the frame's length is.
    fn agree(frame: &mut [u8]) {
        let length = frame.len() as u16;
        set(frame, 16, length.wrapping_sub(14));
        set(frame, 38, length.wrapping_sub(34));
    }

    /// Where a random field of a random header lies: bits from the frame's start, width.
    fn field(&mut self, frame: &[u8]) -> (usize, usize) {
        let mut headers: Vec<Layout> = COMMON.to_vec();
        headers.extend(Opcode::from_code(frame[42]).headers());
        let mut at = 0;
        let places: Vec<_> = headers
            .iter()
            .map(|header| {
                at += header.bits;
                (header, at - header.bits)
            })
            .collect();
        let (header, start) = *places.choose(&mut self.random).expect("five at least");
        let fields: Vec<_> = header.fields_with_offsets().collect();
        let (field, offset) = *fields.choose(&mut self.random).expect("one at least");
        (start + offset, field.bits)
    }

    fn field_at_its_edge(&mut self, frame: &mut [u8]) {
        let (at, width) = self.field(frame);
        let low = at + width - 1;
        match self.random.random_range(0..6) {
            0 => (at..=low).for_each(|bit| set_bit(frame, bit, false)),
            1 => (at..=low).for_each(|bit| set_bit(frame, bit, true)),
            2 => (at..=low).for_each(|bit| set_bit(frame, bit, bit == low)),
            3 => (at..=low).for_each(|bit| set_bit(frame, bit, bit == at)),
            4 => turn_bit(frame, low),
            _ => {
                let chosen = self.random.random_range(at..=low);
                turn_bit(frame, chosen);
            }
        }
        self.seal_mostly(frame);
    }

    fn field_random(&mut self, frame: &mut [u8]) {
        let (at, width) = self.field(frame);
        (at..at + width).for_each(|place| set_bit(frame, place, self.random.random()));
        self.seal_mostly(frame);
    }

    /// The lengths that IP and UDP say, near to the right ones.
    fn length_field(&mut self, frame: &mut [u8]) {
        let off = self.random.random_range(0..9u16);
        for (at, right) in [(16, frame.len() - 14), (38, frame.len() - 34)] {
            if self.random.random_bool(0.7) {
                set(frame, at, (right as u16).wrapping_add(off).wrapping_sub(4));
            }
        }
        self.seal_mostly(frame);
    }

    fn truncated_at_a_beat(&mut self, frame: &mut Vec<u8>) {
        let beats = frame.len() / 8;
        let at = 8 * self.random.random_range(1..=beats) + self.random.random_range(0..3) - 1;
        self.cut(frame, at);
    }

    fn truncated_anywhere(&mut self, frame: &mut Vec<u8>) {
        let at = self.random.random_range(1..=frame.len());
        self.cut(frame, at);
    }

    fn cut(&mut self, frame: &mut Vec<u8>, at: usize) {
        frame.truncate(at.max(1));
        if self.random.random() {
            Self::agree(frame);
        }
        self.seal_mostly(frame);
    }

    /// The last beat may hold any number of bytes; all else agrees with it, but for the pad.
    fn payload_of_any_length(&mut self, frame: &mut Vec<u8>) {
        let length = frame.len() + self.random.random_range(0..17);
        frame.resize(length, 7);
        frame[43] ^= self.random.random_range(0..4) << 4;
        Self::agree(frame);
        self.seal_mostly(frame);
    }

    fn too_long(&mut self, frame: &mut Vec<u8>) {
        let more = match self.random.random_range(0..10) {
            0 => self.random.random_range(1..1_500),
            _ => self.random.random_range(1..24),
        };
        frame.resize(frame.len() + more, 9);
        if self.random.random() {
            Self::agree(frame);
        }
        self.seal_mostly(frame);
    }

    /// Just above the NIC's largest payload, just above any NIC's, or much more.
    fn jumbo(&mut self, frame: &mut Vec<u8>) {
        frame[42] = Opcode::Write.code();
        let length = match self.random.random_range(0..4) {
            0 => 92 + self.largest_payload + 4 * self.random.random_range(0..4),
            1 => LARGEST_FRAME + 4 * self.random.random_range(0..4),
            2 => self.random.random_range(LARGEST_FRAME..9_300) / 4 * 4,
            _ => self.random.random_range(LARGEST_FRAME..16_384),
        };
        frame.resize(length, 3);
        Self::agree(frame);
        self.seal_mostly(frame);
    }

    fn runt(&mut self, frame: &mut Vec<u8>) {
        frame.truncate(self.random.random_range(1..=64));
        if self.random.random() {
            Self::agree(frame);
            Icrc::seal(frame);
        }
    }

    fn bad_icrc(&mut self, frame: &mut [u8]) {
        let place = self.random.random_range(0..8 * frame.len());
        turn_bit(frame, place);
    }

    fn opcode(&mut self, frame: &mut [u8]) {
        frame[42] = match self.random.random() {
            true => self.random.random_range(0xBE..=0xD4),
            false => self.random.random(),
        };
        self.seal_mostly(frame);
    }

    fn ethertype(&mut self, frame: &mut [u8]) {
        let kinds = [
            0x0000, 0x0801, 0x0806, 0x86DD, 0x8100, 0x88CC, 0x8915, 0xFFFF,
        ];
        set(frame, 12, *kinds.choose(&mut self.random).expect("one"));
        self.seal_mostly(frame);
    }

    fn vlan_tag(&mut self, frame: &mut Vec<u8>) {
        frame.splice(12..12, [0x81, 0x00, 0x00, self.random.random()]);
        self.seal_mostly(frame);
    }

    fn noise(&mut self, frame: &mut Vec<u8>) {
        let length = self.random.random_range(1..300);
        *frame = (0..length).map(|_| self.random.random()).collect();
    }
}

fn set(frame: &mut [u8], at: usize, value: u16) {
    if let Some(bytes) = frame.get_mut(at..at + 2) {
        bytes.copy_from_slice(&value.to_be_bytes());
    }
}

/// Turns a bit; bit 0 is byte 0's uppermost.
fn turn_bit(frame: &mut [u8], place: usize) {
    frame[place / 8] ^= 1 << (7 - place % 8);
}

fn set_bit(frame: &mut [u8], place: usize, value: bool) {
    let mask = 1 << (7 - place % 8);
    match value {
        true => frame[place / 8] |= mask,
        false => frame[place / 8] &= !mask,
    }
}
