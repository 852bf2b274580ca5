//! Looks at what was heard.
use metaroce_protocol::Opcode;

use crate::check::{Check, Stop, ensure, ensure_eq};
use crate::heard::Heard;

/// Bytes that differ from place to place.
pub fn pattern(offset: u32, length: u32) -> Vec<u8> {
    (offset..offset + length)
        .map(|at| (at.wrapping_mul(0x9E37_79B1) >> 23) as u8)
        .collect()
}

/// The data packets of what was heard.
pub fn data(heard: &[Heard]) -> Vec<&Heard> {
    heard.iter().filter(|f| f.is_data()).collect()
}

/// What was heard of one opcode.
pub fn of(heard: &[Heard], opcode: Opcode) -> Vec<&Heard> {
    heard.iter().filter(|f| f.opcode() == opcode).collect()
}

/// The only frame that was heard; it must be of this opcode.
pub fn only(heard: Vec<Heard>, opcode: Opcode) -> Check<Heard> {
    let found: Vec<_> = heard.iter().map(Heard::opcode).collect();
    ensure_eq!(found, [opcode], "what the target says");
    heard
        .into_iter()
        .next()
        .ok_or_else(|| Stop::fails("silence"))
}

/// The target says nothing.
pub fn silent(heard: &[Heard], when: &str) -> Check {
    let found: Vec<_> = heard.iter().map(Heard::opcode).collect();
    ensure!(found.is_empty(), "{when}: needed silence, found {found:?}");
    Ok(())
}
