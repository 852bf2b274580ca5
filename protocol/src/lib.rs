//! The contract: header table, opcodes, constants, register map. No I/O, no clock, no hardware.
//!
//! Everything that has a layout stands once in [`table`]; structs, codec, hardware (`cores/src/generated`), dissector
//! and the fenced parts of `docs/` come from there through [`generate`].
pub mod bitvector;
pub mod codes;
pub mod constants;
pub mod error;
pub mod frame;
pub mod generate;
pub mod icrc;
pub mod mac;
pub mod numbers;
pub mod registers;
pub mod table;

pub use bitvector::Bitvector;
pub use codes::{CompletionStatus, ConfigTable, Opcode, Profile, RefusalReason, WqeOpcode};
pub use error::{OutOfRange, TooShort};
pub use frame::{Body, DropReason, Frame, Ip};
pub use icrc::Icrc;
pub use mac::MacAddr;
pub use numbers::{Psn, Tsn};
pub use registers::{Counter, Register};
pub use table::host::{ConnectionEntry, Cqe, PathEntry, RegionEntry, Rqe, Wqe};
pub use table::wire::{
    Atomic, Bth, Ethernet, Imm, Ipv4, Ipv6, Match, Msg, Nak, Original, Path, Reth, Sack, Sync, Tag,
    Udp,
};
