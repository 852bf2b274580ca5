//! Words for a difference between two frames or memories.
use metaroce_protocol::table::Layout;
use metaroce_protocol::{Bth, Ethernet, Ipv4, Msg, Nak, Opcode, Path, Reth, Sack, Udp};

/// Byte of the frame that holds BTH.opcode.
const OPCODE_AT: usize = 42;

/// The first field in which two frames differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Header and field, or place in payload.
    pub what: String,
    /// Byte of the frame where it begins.
    pub byte: usize,
    /// What the model says.
    pub expected: String,
    /// What the hardware did.
    pub found: String,
}

fn opcode(frame: &[u8]) -> Opcode {
    Opcode::from_code(frame.get(OPCODE_AT).copied().unwrap_or(0))
}

/// Whether a frame goes through the transmit pipeline's queue of answers.
pub fn is_answer(frame: &[u8]) -> bool {
    matches!(opcode(frame), Opcode::Ack | Opcode::Refusal)
}

/// A frame in a few words.
pub fn summary(frame: &[u8]) -> String {
    format!("{:?} of {} bytes", opcode(frame), frame.len())
}

/// Address and first bytes.
pub fn memory(address: u64, data: &[u8]) -> String {
    let head: String = data.iter().take(16).map(|b| format!("{b:02x}")).collect();
    format!(
        "{} bytes at {address:#x}: {head}{}",
        data.len(),
        if data.len() > 16 { "..." } else { "" }
    )
}

fn headers(frame: &[u8]) -> Vec<Layout> {
    let mut headers = vec![
        Ethernet::LAYOUT,
        Ipv4::LAYOUT,
        Udp::LAYOUT,
        Bth::LAYOUT,
        Path::LAYOUT,
    ];
    match opcode(frame) {
        Opcode::Write => headers.extend([Msg::LAYOUT, Reth::LAYOUT]),
        Opcode::Ack => headers.push(Sack::LAYOUT),
        Opcode::Refusal => headers.push(Nak::LAYOUT),
        _ => {}
    }
    headers
}

/// Bits `at .. at + width` of a frame, in hexadecimal.
fn field(frame: &[u8], at: usize, width: usize) -> String {
    let bits =
        (at..at + width).map(|i| frame.get(i / 8).is_some_and(|b| b >> (7 - i % 8) & 1 == 1));
    let bits: Vec<bool> = std::iter::repeat_n(false, width.wrapping_neg() % 4)
        .chain(bits)
        .collect();
    let digits: String = bits
        .chunks(4)
        .map(|n| format!("{:x}", n.iter().fold(0, |v, &b| v << 1 | u8::from(b))))
        .collect();
    format!("0x{digits}")
}

/// The first field in which the frames differ; they must differ.
pub fn first_difference(expected: &[u8], found: &[u8]) -> Difference {
    let mut at = 0;
    for header in headers(expected) {
        for (f, offset) in header.fields_with_offsets() {
            let (e, g) = (
                field(expected, at + offset, f.bits),
                field(found, at + offset, f.bits),
            );
            if e != g {
                return Difference {
                    what: format!("{}.{}", header.name, f.name),
                    byte: (at + offset) / 8,
                    expected: e,
                    found: g,
                };
            }
        }
        at += header.bits;
    }
    after_headers(expected, found, at / 8)
}

fn after_headers(expected: &[u8], found: &[u8], start: usize) -> Difference {
    if expected.len() != found.len() {
        let byte = expected.len().min(found.len());
        let [expected, found] = [expected, found].map(|f| format!("{} bytes", f.len()));
        return Difference {
            what: "frame length".into(),
            byte,
            expected,
            found,
        };
    }
    let at = (start..expected.len())
        .find(|&i| expected[i] != found[i])
        .unwrap_or(start);
    let what = if at + 4 >= expected.len() {
        "ICRC".to_string()
    } else {
        format!("payload byte {}", at - start)
    };
    let [expected, found] =
        [expected, found].map(|f| f.get(at).map_or("nothing".into(), |b| format!("{b:#04x}")));
    Difference {
        what,
        byte: at,
        expected,
        found,
    }
}
