//! A dissector for Wireshark: the fields come from the table, the rest from `dissector.lua`.
use crate::codes::{Opcode, RefusalReason};
use crate::constants::UDP_PORT;
use crate::table::wire::{Bth, Path};
use crate::table::{Field, Layout, WIRE};
use std::fmt::Write;

/// Headers that Wireshark does not know: all that stand behind BTH in the table.
fn layouts() -> impl Iterator<Item = &'static Layout> {
    let known = |layout: &&Layout| layout.name != Bth::LAYOUT.name;
    WIRE.iter().skip_while(known).skip(1)
}

/// The text of a Lua script: `tshark -X lua_script:FILE`. Written for Wireshark 4.0.
pub fn dissector() -> String {
    let mut text = format!(
        "-- MetaRoCE over RoCEv2's UDP port. The fields are generated from the table of metaroce-protocol\n\
         -- (this text: metaroce dissector).\n\
         local metaroce = Proto(\"metaroce\", \"MetaRoCE\")\n\
         local UDP_PORT, BTH_BYTES = {UDP_PORT}, {}\n\
         local reasons = {{{}}}\n\
         local all_fields, layouts = {{}}, {{}}\n",
        Bth::BYTES,
        names(
            RefusalReason::ALL
                .iter()
                .map(|code| (code.code(), code.name()))
        ),
    );
    for layout in layouts() {
        add_layout(&mut text, layout);
    }
    text.push_str("local opcodes = {\n");
    for opcode in Opcode::ALL {
        let headers: Vec<_> = std::iter::once(&Path::LAYOUT)
            .chain(opcode.headers())
            .map(|layout| format!("layouts.{}", layout.name))
            .collect();
        let (code, name, headers) = (opcode.code(), opcode.name(), headers.join(", "));
        let payload = opcode.has_payload();
        line!(
            text,
            "    [{code}] = {{name = \"{name}\", payload = {payload}, headers = {{{headers}}}}},"
        );
    }
    text.push_str("}\n\n");
    text.push_str(include_str!("dissector.lua"));
    text
}

fn names(codes: impl Iterator<Item = (u8, &'static str)>) -> String {
    codes
        .map(|(code, name)| format!("[{code}] = \"{name}\""))
        .collect::<Vec<_>>()
        .join(", ")
}

fn add_layout(text: &mut String, layout: &Layout) {
    let (name, bytes) = (layout.name, layout.bytes());
    line!(
        text,
        "layouts.{name} = {{name = \"{name}\", bytes = {bytes}, fields = {{}}}}"
    );
    for (field, offset) in layout.fields_with_offsets() {
        if field.is_reserved() {
            continue;
        }
        let filter = format!("metaroce.{}.{}", name.to_lowercase(), field.name);
        let kind = kind(field);
        let values = if field.name == "reason" {
            "reasons"
        } else {
            "nil"
        };
        let display = if field.bits > 64 {
            "base.NONE".to_owned()
        } else {
            format!("{}, {values}", base(field))
        };
        let rest = if field.bits > 64 {
            String::new()
        } else {
            ", nil".into()
        };
        line!(
            text,
            "table.insert(layouts.{name}.fields, {{offset = {offset}, bits = {}, field = ProtoField.{kind}(\n    \
             \"{filter}\", \"{}\", {display}{rest}, {:?})}})",
            field.bits,
            field.name,
            field.meaning(),
        );
        line!(
            text,
            "table.insert(all_fields, layouts.{name}.fields[#layouts.{name}.fields].field)"
        );
    }
}

/// Wireshark's type with room for a field.
fn kind(field: &Field) -> &'static str {
    match field.bits {
        ..=8 => "uint8",
        9..=16 => "uint16",
        17..=24 => "uint24",
        25..=32 => "uint32",
        33..=64 => "uint64",
        _ => "bytes",
    }
}

/// Addresses and keys read better in hexadecimal.
fn base(field: &Field) -> &'static str {
    match field.name {
        "address" | "r_key" => "base.HEX",
        _ => "base.DEC",
    }
}
