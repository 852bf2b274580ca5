//! Hardware: blocks that take words apart and put them together, and addresses.
//!
//! rust-hdl takes no named constant inside `update()`, so the offsets stand there as literals.
use super::{Generated, MEND};
use crate::codes::{CompletionStatus, ConfigTable, Opcode, Profile, RefusalReason, WqeOpcode};
use crate::constants as c;
use crate::registers::{ADDRESS_BITS, ALL, Counter, ID_VALUE, VERSION_VALUE};
use crate::table::{COMMON, Field, Layout, Order, host, wire};
use std::fmt::Write;

/// The most that any hardware speaks.
const HARDWARE: Profile = Profile::Reads;

/// A pair of blocks over one word.
struct Word {
    /// Name after `Unpack` and `Pack`.
    name: &'static str,
    /// Bits of the word; headers fill it from the top, host layouts from the bottom.
    bits: usize,
    layouts: &'static [Layout],
}

const TAIL_BITS: usize = 320;

const COMMON_WORDS: &[Word] = &[Word {
    name: "Common",
    bits: 512,
    layouts: COMMON,
}];
const TAIL_WORDS: &[Word] = &[
    Word {
        name: "WriteTail",
        bits: TAIL_BITS,
        layouts: &[wire::Msg::LAYOUT, wire::Reth::LAYOUT],
    },
    Word {
        name: "WriteImmTail",
        bits: TAIL_BITS,
        layouts: &[
            wire::Msg::LAYOUT,
            wire::Reth::LAYOUT,
            wire::Match::LAYOUT,
            wire::Imm::LAYOUT,
        ],
    },
    Word {
        name: "SendTail",
        bits: TAIL_BITS,
        layouts: &[wire::Msg::LAYOUT, wire::Match::LAYOUT, wire::Imm::LAYOUT],
    },
    Word {
        name: "ReadRequestTail",
        bits: TAIL_BITS,
        layouts: &[wire::Msg::LAYOUT, wire::Reth::LAYOUT, wire::Tag::LAYOUT],
    },
    Word {
        name: "ReadResponseTail",
        bits: TAIL_BITS,
        layouts: &[wire::Msg::LAYOUT, wire::Tag::LAYOUT],
    },
    Word {
        name: "Sack",
        bits: TAIL_BITS,
        layouts: &[wire::Sack::LAYOUT],
    },
    Word {
        name: "Nak",
        bits: TAIL_BITS,
        layouts: &[wire::Nak::LAYOUT],
    },
];
const HOST_WORDS: &[Word] = &[
    Word {
        name: "Connection",
        bits: 256,
        layouts: &[host::ConnectionEntry::LAYOUT],
    },
    Word {
        name: "Path",
        bits: 256,
        layouts: &[host::PathEntry::LAYOUT],
    },
    Word {
        name: "Region",
        bits: 256,
        layouts: &[host::RegionEntry::LAYOUT],
    },
    Word {
        name: "Wqe",
        bits: 512,
        layouts: &[host::Wqe::LAYOUT],
    },
    Word {
        name: "Rqe",
        bits: 256,
        layouts: &[host::Rqe::LAYOUT],
    },
    Word {
        name: "Cqe",
        bits: 256,
        layouts: &[host::Cqe::LAYOUT],
    },
    Word {
        name: "ConfigCommit",
        bits: 32,
        layouts: &[host::ConfigCommit::LAYOUT],
    },
];

/// Names of fields that Verilog keeps for itself. The emitter refuses any that is missing here.
const RESERVED_WORDS: &[&str] = &["table"];

/// A field of a word: name of its port, the field, and the lowest bit.
struct Place {
    port: String,
    field: &'static Field,
    low: usize,
}

impl Word {
    /// Fields that carry something.
    fn places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        let mut start = 0;
        for layout in self.layouts {
            for (field, offset) in layout.fields_with_offsets() {
                let offset = start + offset;
                let low = match layout.order {
                    Order::Network => self.bits - offset - field.bits,
                    Order::Host => offset,
                };
                // Alone in its word a field needs no header's name before its own, unless Verilog takes that.
                let port = match self.layouts {
                    [_] if !RESERVED_WORDS.contains(&field.name) => field.name.to_owned(),
                    _ => format!("{}_{}", layout.name.to_lowercase(), field.name),
                };
                places.push(Place { port, field, low });
            }
            start += layout.bits;
        }
        places.retain(|place| !place.field.is_reserved());
        places
    }

    fn contents(&self) -> String {
        let names: Vec<_> = self.layouts.iter().map(|layout| layout.name).collect();
        names.join(", ")
    }

    fn place_in_words(&self) -> &'static str {
        match self.layouts[0].order {
            Order::Network => "first byte of the wire uppermost",
            Order::Host => "first byte of the host lowest",
        }
    }
}

fn signal(direction: &str, bits: usize) -> String {
    match bits {
        1 => format!("Signal<{direction}, Bit>"),
        _ => format!("Signal<{direction}, Bits<{bits}>>"),
    }
}

fn ports(text: &mut String, places: &[Place], direction: &str) {
    for place in places {
        line!(text, "    /// {}", place.field.meaning());
        line!(
            text,
            "    pub {}: {},",
            place.port,
            signal(direction, place.field.bits)
        );
    }
}

fn unpack(text: &mut String, word: &Word) {
    let (name, places) = (word.name, word.places());
    line!(
        text,
        "\n/// Fields of {} out of a word. Combinational.",
        word.contents()
    );
    line!(
        text,
        "#[derive(LogicBlock, Default)]\npub struct Unpack{name} {{"
    );
    line!(text, "    /// The word, {}.", word.place_in_words());
    line!(text, "    pub bits: {},", signal("In", word.bits));
    ports(text, &places, "Out");
    line!(
        text,
        "}}\n\nimpl Logic for Unpack{name} {{\n    #[hdl_gen]\n    fn update(&mut self) {{"
    );
    for Place { port, field, low } in &places {
        match field.bits {
            1 => line!(
                text,
                "        self.{port}.next = self.bits.val().get_bit({low});"
            ),
            width => line!(
                text,
                "        self.{port}.next = self.bits.val().get_bits::<{width}>({low});"
            ),
        }
    }
    text.push_str("    }\n}\n");
}

fn pack(text: &mut String, word: &Word) {
    let (name, places) = (word.name, word.places());
    line!(
        text,
        "\n/// A word out of the fields of {}; all other bits 0. Combinational.",
        word.contents()
    );
    line!(
        text,
        "#[derive(LogicBlock, Default)]\npub struct Pack{name} {{"
    );
    ports(text, &places, "In");
    line!(text, "    /// The word, {}.", word.place_in_words());
    line!(text, "    pub bits: {},", signal("Out", word.bits));
    line!(
        text,
        "}}\n\nimpl Logic for Pack{name} {{\n    #[hdl_gen]\n    fn update(&mut self) {{"
    );
    for (index, Place { port, field, low }) in places.iter().enumerate() {
        let start = if index == 0 {
            "        self.bits.next = "
        } else {
            "            | "
        };
        let value = match field.bits {
            1 => format!("self.{port}.val().into()"),
            _ => format!("self.{port}.val()"),
        };
        let cast = format!("bit_cast::<{}, {}>({value})", word.bits, field.bits);
        let end = if index + 1 == places.len() { ";" } else { "" };
        match low {
            0 => line!(text, "{start}{cast}{end}"),
            _ => line!(text, "{start}({cast} << {low}){end}"),
        }
    }
    text.push_str("    }\n}\n");
}

fn header(what: &str) -> String {
    format!(
        "//! {what}\n//!\n//! Generated from the table of `metaroce-protocol`: don't edit, run `{MEND}`.\n"
    )
}

fn blocks(path: &'static str, what: &str, words: &[Word]) -> Generated {
    let mut text = header(what);
    text.push_str("use rust_hdl::prelude::*;\n");
    for word in words {
        unpack(&mut text, word);
        pack(&mut text, word);
    }
    Generated { path, text }
}

fn constant(text: &mut String, doc: &str, name: &str, value: u64, hex: bool) {
    line!(text, "/// {doc}");
    match hex {
        true => line!(text, "pub const {name}: u64 = 0x{value:03X};"),
        false => line!(text, "pub const {name}: u64 = {value};"),
    }
}

fn registers() -> Generated {
    let mut text = header("Byte offsets of registers, and their values after reset.");
    constant(
        &mut text,
        "Bits of a byte offset.",
        "ADDRESS_BITS",
        ADDRESS_BITS.into(),
        false,
    );
    constant(
        &mut text,
        "What ID reads.",
        "ID_VALUE",
        ID_VALUE.into(),
        true,
    );
    constant(
        &mut text,
        "What VERSION reads.",
        "VERSION_VALUE",
        VERSION_VALUE.into(),
        true,
    );
    for register in ALL {
        constant(
            &mut text,
            register.meaning(),
            register.name,
            register.offset.into(),
            true,
        );
    }
    for tunable in c::TUNABLES {
        let doc = format!(
            "After reset, in {}; {}..={}.",
            tunable.unit, tunable.min, tunable.max
        );
        constant(
            &mut text,
            &doc,
            &format!("{}_RESET", tunable.name),
            tunable.default.into(),
            false,
        );
    }
    text.push_str("\n/// Byte offsets of counters.\npub mod counters {\n");
    let mut inner = String::new();
    constant(
        &mut inner,
        "How many there are.",
        "COUNT",
        Counter::COUNT as u64,
        false,
    );
    for counter in Counter::ALL {
        constant(
            &mut inner,
            counter.meaning(),
            &counter.name().to_uppercase(),
            counter.offset().into(),
            true,
        );
    }
    for line in inner.lines() {
        line!(text, "    {line}");
    }
    text.push_str("}\n");
    Generated {
        path: "cores/src/generated/registers.rs",
        text,
    }
}

fn constants() -> Generated {
    let mut text = header("Codes and sizes of the protocol.");
    for code in Opcode::ALL.iter().filter(|code| HARDWARE.knows(**code)) {
        constant(
            &mut text,
            code.meaning(),
            &format!("OPCODE_{}", code.name()),
            code.code().into(),
            true,
        );
    }
    let hardware_has = |code: &u8| HARDWARE.refuses(RefusalReason::from_code(*code));
    let codes = (RefusalReason::ALL
        .iter()
        .filter(|reason| HARDWARE.refuses(**reason))
        .map(|code| ("REASON", code.name(), code.meaning(), code.code())))
    .chain(
        CompletionStatus::ALL
            .iter()
            .filter(|status| hardware_has(&status.code()))
            .map(|code| ("STATUS", code.name(), code.meaning(), code.code())),
    )
    .chain(
        WqeOpcode::ALL
            .iter()
            .filter(|request| HARDWARE.offers(**request))
            .map(|code| ("WQE", code.name(), code.meaning(), code.code())),
    )
    .chain(
        ConfigTable::ALL
            .iter()
            .map(|code| ("TABLE", code.name(), code.meaning(), code.code())),
    );
    for (prefix, name, meaning, code) in codes {
        constant(
            &mut text,
            meaning,
            &format!("{prefix}_{}", name.to_uppercase()),
            code.into(),
            false,
        );
    }
    let sizes: &[(&str, &str, u64)] = &[
        ("UDP destination port.", "UDP_PORT", c::UDP_PORT.into()),
        (
            "Ethernet type of IPv4.",
            "ETHERTYPE_IPV4",
            c::ETHERTYPE_IPV4.into(),
        ),
        (
            "IP protocol of UDP.",
            "IP_PROTOCOL_UDP",
            c::IP_PROTOCOL_UDP.into(),
        ),
        ("ECN of what is sent.", "ECN_CAPABLE", c::ECN_CAPABLE.into()),
        (
            "ECN of a marked packet.",
            "ECN_MARKED",
            c::ECN_MARKED.into(),
        ),
        (
            "IPv4 flags of what is sent.",
            "IPV4_DO_NOT_FRAGMENT",
            c::IPV4_DO_NOT_FRAGMENT.into(),
        ),
        ("Time to live of what is sent.", "TTL", c::TTL.into()),
        ("Partition key of what is sent.", "P_KEY", c::P_KEY.into()),
        ("Version of PATH.", "PATH_VERSION", c::PATH_VERSION.into()),
        (
            "Rate hint \"the whole line\".",
            "RATE_HINT_FULL",
            c::RATE_HINT_FULL.into(),
        ),
        (
            "Bytes that all frames share.",
            "COMMON_BYTES",
            c::COMMON_BYTES as u64,
        ),
        (
            "Shortest frame in bytes.",
            "MIN_FRAME_BYTES",
            c::MIN_FRAME_BYTES as u64,
        ),
        (
            "A WRITE's frame without payload and pad, in bytes.",
            "WRITE_OVERHEAD_BYTES",
            c::WRITE_OVERHEAD_BYTES as u64,
        ),
        (
            "The same of a WRITE_IMM.",
            "WRITE_IMM_OVERHEAD_BYTES",
            c::WRITE_IMM_OVERHEAD_BYTES as u64,
        ),
        (
            "The same of a SEND.",
            "SEND_OVERHEAD_BYTES",
            c::SEND_OVERHEAD_BYTES as u64,
        ),
        (
            "The same of a SEND_IMM.",
            "SEND_IMM_OVERHEAD_BYTES",
            c::SEND_IMM_OVERHEAD_BYTES as u64,
        ),
        (
            "A READ_REQUEST's frame in bytes.",
            "READ_REQUEST_FRAME_BYTES",
            c::READ_REQUEST_FRAME_BYTES as u64,
        ),
        (
            "The same of a READ_RESPONSE.",
            "READ_RESPONSE_OVERHEAD_BYTES",
            c::READ_RESPONSE_OVERHEAD_BYTES as u64,
        ),
        (
            "An ACK's frame in bytes.",
            "ACK_FRAME_BYTES",
            c::ACK_FRAME_BYTES as u64,
        ),
        (
            "A REFUSAL's frame in bytes.",
            "REFUSAL_FRAME_BYTES",
            c::REFUSAL_FRAME_BYTES as u64,
        ),
        (
            "A PROBE's frame in bytes.",
            "PROBE_FRAME_BYTES",
            c::PROBE_FRAME_BYTES as u64,
        ),
        (
            "Largest payload in bytes.",
            "MAX_PAYLOAD_BYTES",
            c::MAX_PAYLOAD_BYTES as u64,
        ),
        (
            "Time-outs after which back-off stops doubling.",
            "MAX_BACKOFF_SHIFT",
            c::MAX_BACKOFF_SHIFT.into(),
        ),
        (
            "Transmissions a path may have unresolved.",
            "MAX_UNRESOLVED",
            c::MAX_UNRESOLVED.into(),
        ),
        (
            "Of those the ones that data may take.",
            "MAX_UNRESOLVED_DATA",
            c::MAX_UNRESOLVED_DATA.into(),
        ),
    ];
    for &(doc, name, value) in sizes {
        constant(&mut text, doc, name, value, false);
    }
    Generated {
        path: "cores/src/generated/constants.rs",
        text,
    }
}

/// Every file of the hardware that is generated.
pub fn files() -> Vec<Generated> {
    let mut text = header("What follows from the table of layouts.");
    text.push_str(
        "#![allow(missing_docs)] // the derive makes methods that can carry no document\n",
    );
    for module in ["common", "constants", "host", "registers", "tails"] {
        line!(text, "pub mod {module};");
    }
    vec![
        Generated {
            path: "cores/src/generated/mod.rs",
            text,
        },
        blocks(
            "cores/src/generated/common.rs",
            "The 64 bytes common to all frames.",
            COMMON_WORDS,
        ),
        blocks(
            "cores/src/generated/tails.rs",
            "Headers after the common ones.",
            TAIL_WORDS,
        ),
        blocks(
            "cores/src/generated/host.rs",
            "Table entries, descriptors and register words.",
            HOST_WORDS,
        ),
        registers(),
        constants(),
    ]
}
