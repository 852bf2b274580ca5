//! Tables of the documents.
use crate::codes::{CompletionStatus, ConfigTable, Opcode, RefusalReason, WqeOpcode};
use crate::constants::{COMMON_BYTES, TUNABLES};
use crate::registers::{ALL, Access, Counter, WITH_FIELDS};
use crate::table::{DESCRIPTORS, ENTRIES, Layout, Order, WIRE};
use std::fmt::Write;

/// The name that a fence asks by, and what fills it.
type Section = (&'static str, fn() -> String);

/// Every section.
pub const SECTIONS: &[Section] = &[
    ("headers", || layouts(WIRE)),
    ("opcodes", opcodes),
    ("refusals", || {
        codes(
            RefusalReason::ALL
                .iter()
                .map(|code| (code.code(), code.name(), code.meaning())),
        )
    }),
    ("constants", constants),
    ("registers", registers),
    ("register fields", || layouts(WITH_FIELDS)),
    ("counters", counters),
    ("config tables", config_tables),
    ("descriptors", || layouts(DESCRIPTORS)),
    ("requests", || {
        codes(
            WqeOpcode::ALL
                .iter()
                .map(|code| (code.code(), code.name(), code.meaning())),
        )
    }),
    ("statuses", || {
        codes(
            CompletionStatus::ALL
                .iter()
                .map(|code| (code.code(), code.name(), code.meaning())),
        )
    }),
];

fn layouts(layouts: &[Layout]) -> String {
    let mut text = String::new();
    for layout in layouts {
        let start = if layout.order == Order::Network {
            "byte 0's uppermost"
        } else {
            "byte 0's lowest"
        };
        line!(
            text,
            "\n**{}**, {} B. {} Bit 0 is {start}.\n",
            layout.name,
            layout.bytes(),
            layout.meaning()
        );
        line!(text, "| bits | field | meaning |\n| --- | --- | --- |");
        for (field, offset) in layout.fields_with_offsets() {
            let bits = match field.bits {
                1 => offset.to_string(),
                width => format!("{offset}..={}", offset + width - 1),
            };
            line!(text, "| {bits} | `{}` | {} |", field.name, field.meaning());
        }
    }
    text.push('\n');
    text
}

fn codes(codes: impl Iterator<Item = (u8, &'static str, &'static str)>) -> String {
    let mut text = String::from("| code | name | meaning |\n| --- | --- | --- |\n");
    for (code, name, meaning) in codes {
        line!(text, "| {code} | `{name}` | {meaning} |");
    }
    text
}

fn opcodes() -> String {
    let mut text = String::new();
    line!(
        text,
        "| opcode | name | headers after the {COMMON_BYTES} B | meaning |\n| --- | --- | --- | --- |"
    );
    for opcode in Opcode::ALL {
        let (code, bytes) = (opcode.code(), opcode.header_bytes());
        line!(
            text,
            "| 0x{code:02X} | {} | {bytes} B | {} |",
            opcode.name(),
            opcode.meaning()
        );
    }
    text
}

/// With a comma every three digits.
fn grouped(value: u32) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn constants() -> String {
    let mut text = String::from(
        "| register | default | range | unit | reason |\n| --- | --- | --- | --- | --- |\n",
    );
    for tunable in TUNABLES {
        let [default, min, max] = [tunable.default, tunable.min, tunable.max].map(grouped);
        line!(
            text,
            "| {} | {default} | {min}..={max} | {} | {} |",
            tunable.name,
            tunable.unit,
            tunable.reason
        );
    }
    text
}

fn registers() -> String {
    let mut text = String::from(
        "| offset | register | access | reset | meaning |\n| --- | --- | --- | --- | --- |\n",
    );
    for register in ALL {
        let words = if register.count == 1 {
            String::new()
        } else {
            format!("[0..{}]", register.count)
        };
        let access = match register.access {
            Access::ReadOnly => "read",
            Access::ReadWrite => "read, write",
        };
        let reset = if register.reset < 0x1_0000 {
            register.reset.to_string()
        } else {
            format!("0x{:08X}", register.reset)
        };
        line!(
            text,
            "| 0x{:03X} | {}{words} | {access} | {reset} | {} |",
            register.offset,
            register.name,
            register.meaning()
        );
    }
    text
}

fn counters() -> String {
    let mut text = String::from("| offset | counter | meaning |\n| --- | --- | --- |\n");
    for counter in Counter::ALL {
        line!(
            text,
            "| 0x{:03X} | `{}` | {} |",
            counter.offset(),
            counter.name(),
            counter.meaning()
        );
    }
    text
}

fn config_tables() -> String {
    let tables = codes(
        ConfigTable::ALL
            .iter()
            .map(|code| (code.code(), code.name(), code.meaning())),
    );
    tables + &layouts(ENTRIES)
}
