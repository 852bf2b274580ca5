//! Packed words of struct ports: first field lowest.
use metaroce_protocol::{Wqe, WqeOpcode};

/// Fields to bytes, least significant first.
#[derive(Default)]
pub struct Packer {
    bytes: Vec<u8>,
    bits: usize,
}

impl Packer {
    /// Adds a field of `width` bits above what is there; the value must fit.
    pub fn field(mut self, value: u64, width: usize) -> Self {
        assert!(
            width == 64 || value >> width == 0,
            "{value:#x} in {width} bits"
        );
        for i in 0..width {
            self.bit(value >> i & 1 == 1);
        }
        self
    }

    /// Adds whole bytes, least significant first.
    pub fn wide(mut self, bytes: &[u8]) -> Self {
        for byte in bytes {
            for i in 0..8 {
                self.bit(byte >> i & 1 == 1);
            }
        }
        self
    }

    fn bit(&mut self, value: bool) {
        if self.bits.is_multiple_of(8) {
            self.bytes.push(0);
        }
        self.bytes[self.bits / 8] |= u8::from(value) << (self.bits % 8);
        self.bits += 1;
    }

    /// What is there, least significant byte first.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// The word `Message` of a WQE; `receive`: the posted buffer that it takes. `None`: as in profile `Write`.
pub fn message(wqe: &Wqe, receive: Option<u32>) -> Packer {
    let opcode = receive.map_or(0, |_| wqe.opcode.code());
    let immediate = match wqe.opcode {
        WqeOpcode::WriteImm | WqeOpcode::SendImm => wqe.immediate,
        _ => 0,
    };
    Packer::default()
        .field(wqe.connection.into(), 12)
        .field(wqe.stream.into(), 16)
        .field(wqe.message.into(), 16)
        .field(wqe.local_address, 64)
        .field(wqe.remote_address, 64)
        .field(wqe.r_key.into(), 32)
        .field(wqe.length.into(), 32)
        .field(opcode.into(), 8)
        .field(receive.unwrap_or(0).into(), 32)
        .field(immediate.into(), 32)
}

/// Bytes, least significant first, to fields.
pub struct Unpacker<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Unpacker<'a> {
    /// Of such bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next field, of `width` bits.
    pub fn field(&mut self, width: usize) -> u64 {
        let bit = |i: usize| u64::from(self.bytes[i / 8] >> (i % 8) & 1);
        let value = (0..width).fold(0, |v, i| v | bit(self.at + i) << i);
        self.at += width;
        value
    }
}
