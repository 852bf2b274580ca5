//! Frames, right and wrong, by the codec.

use metaroce_cosim::model::VerilatedModel;
use metaroce_protocol::frame::{Addresses, parse_up_to};
use metaroce_protocol::{
    Body, Bth, DropReason, Icrc, Imm, MacAddr, Match, Msg, Nak, Opcode, Path, Profile, Psn, Reth,
    Sack, Tag, Tsn,
};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::Packed;

/// A frame and the descriptor that asks for it.
pub struct Sample {
    pub bytes: Vec<u8>,
    pub payload: Vec<u8>,
    pub opcode: Opcode,
    descriptor: Packed,
    tail: [u8; 40],
}

impl Sample {
    /// A frame of this opcode with random contents.
    pub fn random(random: &mut ChaCha8Rng, opcode: Opcode, payload: usize) -> Self {
        let tail: [u8; 40] = std::array::from_fn(|_| random.random());
        let payload: Vec<u8> = (0..payload).map(|_| random.random()).collect();
        let body = match opcode {
            Opcode::Write => Body::Write {
                msg: Msg::decode(&tail[..8]).expect("8 bytes"),
                reth: Reth::decode(&tail[8..24]).expect("16 bytes"),
                payload: &payload,
            },
            Opcode::WriteImm => Body::WriteImm {
                msg: Msg::decode(&tail[..8]).expect("8 bytes"),
                reth: Reth::decode(&tail[8..24]).expect("16 bytes"),
                matching: Match::decode(&tail[24..32]).expect("8 bytes"),
                imm: Imm::decode(&tail[32..]).expect("8 bytes"),
                payload: &payload,
            },
            Opcode::Send => Body::Send {
                msg: Msg::decode(&tail[..8]).expect("8 bytes"),
                matching: Match::decode(&tail[8..16]).expect("8 bytes"),
                payload: &payload,
            },
            Opcode::SendImm => Body::SendImm {
                msg: Msg::decode(&tail[..8]).expect("8 bytes"),
                matching: Match::decode(&tail[8..16]).expect("8 bytes"),
                imm: Imm::decode(&tail[16..24]).expect("8 bytes"),
                payload: &payload,
            },
            Opcode::ReadRequest => Body::ReadRequest {
                msg: Msg::decode(&tail[..8]).expect("8 bytes"),
                reth: Reth::decode(&tail[8..24]).expect("16 bytes"),
                tag: Tag::decode(&tail[24..32]).expect("8 bytes"),
            },
            Opcode::ReadResponse => Body::ReadResponse {
                msg: Msg::decode(&tail[..8]).expect("8 bytes"),
                tag: Tag::decode(&tail[8..16]).expect("8 bytes"),
                payload: &payload,
            },
            Opcode::Ack => Body::Ack(Sack::decode(&tail).expect("40 bytes")),
            Opcode::Refusal => Body::Refusal(Nak::decode(&tail[..8]).expect("8 bytes")),
            _ => Body::Probe,
        };
        let addresses = Addresses {
            dst_mac: MacAddr::truncate(random.random()),
            src_mac: MacAddr::truncate(random.random()),
            src_ip: random.random::<u32>().into(),
            dst_ip: random.random::<u32>().into(),
        };
        let entropy: u16 = random.random();
        let mut frame = addresses.frame(entropy, body);
        frame.bth = Bth {
            dest_qp: random.random::<u32>() & 0xFF_FFFF,
            ack_request: random.random(),
            psn: Psn::truncate(random.random()),
            ..frame.bth
        };
        frame.path = Path {
            path: random.random(),
            epoch: random.random(),
            tsn: Tsn::truncate(random.random()),
            timestamp: random.random(),
            ..frame.path
        };
        let (bth, path, tail) = (frame.bth, frame.path, body.tail());
        let descriptor = Packed::default()
            .put(opcode.code().into(), 8)
            .put(bth.ack_request.into(), 1)
            .put(bth.dest_qp.into(), 24)
            .put(bth.psn.get().into(), 24)
            .put(path.path.into(), 8)
            .put(path.epoch.into(), 8)
            .put(path.tsn.get().into(), 24)
            .put(path.timestamp.into(), 32)
            .put(entropy.into(), 16)
            .put(addresses.dst_mac.to_u64(), 48)
            .put(addresses.src_mac.to_u64(), 48)
            .put(addresses.src_ip.to_bits().into(), 32)
            .put(addresses.dst_ip.to_bits().into(), 32)
            .put(addresses.ip_sum().into(), 16)
            .put(payload.len() as u64, 16);
        let bytes = frame.encode().expect("a legal frame");
        Sample {
            bytes,
            opcode,
            descriptor,
            tail,
            payload,
        }
    }

    /// Any opcode that `profile` knows; of payloads, short and full ones above all.
    pub fn any(random: &mut ChaCha8Rng, most: usize, profile: Profile) -> Self {
        let opcode = match random.random_range(0..12) {
            0 => Opcode::Ack,
            1 => Opcode::Refusal,
            2 => Opcode::Probe,
            3 => Opcode::WriteImm,
            4 => Opcode::Send,
            5 => Opcode::SendImm,
            6 => Opcode::ReadRequest,
            7 => Opcode::ReadResponse,
            _ => Opcode::Write,
        };
        let opcode = if profile.knows(opcode) {
            opcode
        } else {
            Opcode::Write
        };
        let payload = match random.random_range(0..10) {
            _ if !opcode.has_payload() => 0,
            0..5 => random.random_range(0..40),
            5..8 => random.random_range(0..=most.min(400)),
            8 => most - random.random_range(0..9),
            _ => random.random_range(0..=most),
        };
        Self::random(random, opcode, payload)
    }

    /// The descriptor, with its payload at this address.
    pub fn descriptor(&self, address: u64) -> Vec<u8> {
        self.descriptor
            .clone()
            .put(address, 64)
            .put_network(&self.tail)
            .bytes()
    }
}

/// Makes a frame hostile. The ICRC is often right, so that the later checks are reached too.
pub fn spoil(random: &mut ChaCha8Rng, frame: &mut Vec<u8>) {
    let set = |frame: &mut Vec<u8>, at: usize, value: u16| {
        if let Some(bytes) = frame.get_mut(at..at + 2) {
            bytes.copy_from_slice(&value.to_be_bytes());
        }
    };
    let agree = |frame: &mut Vec<u8>| {
        let length = frame.len() as u16;
        set(frame, 16, length.wrapping_sub(14));
        set(frame, 38, length.wrapping_sub(34));
    };
    match random.random_range(0..12) {
        0 => {
            *frame = (0..random.random_range(1..300))
                .map(|_| random.random())
                .collect()
        }
        1 => frame.truncate(random.random_range(1..=frame.len())),
        2 => {
            let more = match random.random_range(0..100) {
                0 => random.random_range(1..100_000),
                1..20 => random.random_range(1..5_000),
                _ => random.random_range(1..20),
            };
            frame.extend((0..more).map(|_| random.random::<u8>()));
            if random.random() {
                agree(frame);
            }
        }
        3 => {
            let at = random.random_range(0..frame.len());
            frame[at] ^= 1 << random.random_range(0..8);
            return;
        }
        4 | 5 => {
            for _ in 0..random.random_range(1..3) {
                let at = random.random_range(0..frame.len().min(64));
                frame[at] ^= 1 << random.random_range(0..8);
            }
        }
        6 => frame[42] = random.random(),
        7 => {
            let value = frame.len() as u16 - 14 + random.random_range(0..9) - 4;
            set(frame, 16, value);
            set(frame, 38, value - 20 + random.random_range(0..3) - 1);
        }
        8 => {
            frame[42] = random.random_range(0xC1..0xD0);
            frame.resize(random.random_range(68..200), 7);
            agree(frame);
        }
        9 => {
            frame.resize(frame.len() / 4 * 4 + 4 * random.random_range(0..1200), 9);
            agree(frame);
        }
        10 => frame[43] ^= random.random_range(0..4) << 4,
        _ => frame.truncate(random.random_range(60..=frame.len().min(110))),
    }
    if random.random_bool(0.8) {
        Icrc::seal(frame);
    }
}

/// What a frame must become.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    Drop(DropReason),
    /// Data or PROBE.
    Receive(Event),
    /// ACK or REFUSAL.
    Acknowledge(Event),
}

/// A FrameEvent; of `tail` what the opcode defines.
#[derive(Debug, PartialEq, Eq)]
pub struct Event {
    pub opcode: u8,
    flags: [bool; 2],
    numbers: [u64; 6],
    pub payload: usize,
    tail: Vec<u8>,
}

impl Event {
    /// Of a struct port.
    pub fn of_port(word: &[u8]) -> Self {
        let mut packed = Packed::of(word);
        let opcode = packed.take(8) as u8;
        let flags = [packed.take(1) == 1, packed.take(1) == 1];
        let numbers = [24, 24, 8, 8, 24, 32].map(|bits| packed.take(bits));
        let payload = packed.take(16) as usize;
        let tail = packed.take_network::<40>();
        let length = Opcode::from_code(opcode).header_bytes();
        Event {
            opcode,
            flags,
            numbers,
            payload,
            tail: tail[..length].to_vec(),
        }
    }
}

/// What the codec makes of a frame, for a NIC of this profile whose largest payload is `most`.
pub fn outcome(frame: &[u8], most: usize, profile: Profile) -> Outcome {
    let frame = match parse_up_to(frame, profile, most) {
        Ok(frame) => frame,
        Err(reason) => return Outcome::Drop(reason),
    };
    let (bth, path) = (frame.bth, frame.path);
    let payload = frame.body.payload().map_or(0, <[u8]>::len);
    let event = Event {
        opcode: bth.opcode.code(),
        flags: [frame.is_marked(), bth.ack_request],
        numbers: [
            bth.dest_qp.into(),
            bth.psn.get().into(),
            path.path.into(),
            path.epoch.into(),
            path.tsn.get().into(),
            path.timestamp.into(),
        ],
        payload,
        tail: frame.body.tail()[..bth.opcode.header_bytes()].to_vec(),
    };
    match frame.body {
        Body::Ack(_) | Body::Refusal(_) => Outcome::Acknowledge(event),
        _ => Outcome::Receive(event),
    }
}

/// The drop pulses of this cycle.
pub fn drops(model: &VerilatedModel) -> Vec<DropReason> {
    let names = [
        ("drop_foreign", DropReason::Foreign),
        ("drop_malformed", DropReason::Malformed),
        ("drop_bad_icrc", DropReason::BadIcrc),
        ("drop_unknown_opcode", DropReason::UnknownOpcode),
    ];
    let up = |name| model.is_set(model.port(name).expect("a drop pulse"));
    names
        .into_iter()
        .filter(|(name, _)| up(name))
        .map(|(_, reason)| reason)
        .collect()
}

/// Runs of a test: `short`, or 100 times as many if METAROCE_LONG is set.
pub fn runs(short: usize) -> usize {
    if std::env::var_os("METAROCE_LONG").is_some() {
        100 * short
    } else {
        short
    }
}
