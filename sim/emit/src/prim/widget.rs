//! rust-hdl's own registers and memories, recognised by their whole text.

use std::collections::BTreeMap;

use num_bigint::BigUint;

use super::Kind;
use super::memory::Memory;
use crate::tree::Scope;

/// Spaces and line ends do not matter.
fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn recognise(scope: &Scope, text: &str) -> Result<Kind, String> {
    let text = squeeze(text);
    let found = dff(&text, "clock", "begin q <= d; end")
        .or_else(|| dff(&text, "clk", "q <= d;"))
        .or_else(|| ram(scope, &text))
        .or_else(|| sync_rom(scope, &text))
        .or_else(|| rom(&text));
    found.ok_or_else(|| {
        "hand-written Verilog (`Custom`) is accepted from known primitives only: write the logic \
         in an `#[hdl_gen]` update, with registers and memories as sub-blocks"
            .into()
    })
}

fn dff(text: &str, clock: &'static str, body: &str) -> Option<Kind> {
    let rest = text.strip_prefix("initial begin q = ")?;
    let (init, rest) = rest.split_once("; end ")?;
    (rest == format!("always @(posedge {clock}) {body}"))
        .then(|| value(init).map(|init| Kind::Dff { clock, init }))?
}

/// `8'h2a` or `5'b01010`, as rust-hdl prints literals.
fn value(text: &str) -> Option<BigUint> {
    let (_, rest) = text.split_once('\'')?;
    match rest.split_at_checked(1)? {
        ("h", digits) => BigUint::parse_bytes(digits.as_bytes(), 16),
        ("b", digits) => BigUint::parse_bytes(digits.as_bytes(), 2),
        _ => None,
    }
}

/// `mem[4'h1] = 8'h2a; ...`
fn words(text: &str) -> Option<BTreeMap<BigUint, BigUint>> {
    let mut all = BTreeMap::new();
    for line in text
        .split(';')
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        let (place, word) = line.strip_prefix("mem[")?.split_once("] = ")?;
        all.insert(value(place)?, value(word)?);
    }
    Some(all)
}

/// Width and last address of a port, as rust-hdl prints them.
fn shape(scope: &Scope, data: &str, address: &str) -> Option<(usize, usize)> {
    let width = |name: &str| {
        let signal = scope.signals.iter().find(|s| s.name == name)?;
        signal.ty.as_ref().ok().map(|ty| ty.width())
    };
    let bits = width(address).filter(|bits| *bits < 32)?;
    Some((width(data)? - 1, (1 << bits) - 1))
}

/// The value that every word has which nothing names: a fresh output still has it.
fn first(scope: &Scope, data: &str) -> Option<BigUint> {
    scope
        .signals
        .iter()
        .find(|s| s.name == data)
        .map(|s| s.value.clone())
}

fn ram(scope: &Scope, text: &str) -> Option<Kind> {
    let (top, last) = shape(scope, "read_data", "read_address")?;
    let rest = text.strip_prefix(&format!("reg[{top}:0] mem[{last}:0]; "))?;
    let tail = "always @(posedge read_clock) begin read_data <= mem[read_address]; end always \
                @(posedge write_clock) begin if (write_enable) begin mem[write_address] <= \
                write_data; end end";
    let start = rest.strip_suffix(tail)?.trim();
    let words = match start {
        "" => BTreeMap::new(),
        _ => words(start.strip_prefix("initial begin ")?.strip_suffix("end")?)?,
    };
    Some(Kind::Memory(Memory {
        read: ("read_address", "read_data"),
        read_clock: Some("read_clock"),
        write_clock: Some("write_clock"),
        init: first(scope, "read_data")?,
        words,
        name: "ram_two_clocks",
    }))
}

fn sync_rom(scope: &Scope, text: &str) -> Option<Kind> {
    let (top, last) = shape(scope, "data", "address")?;
    let rest = text.strip_prefix(&format!("reg[{top}:0] mem [{last}:0]; initial begin "))?;
    let start = rest.strip_suffix("end always @(posedge clock) begin data <= mem[address]; end")?;
    Some(Kind::Memory(Memory {
        read: ("address", "data"),
        read_clock: Some("clock"),
        write_clock: None,
        init: first(scope, "data")?,
        words: words(start)?,
        name: "rom_sync",
    }))
}

fn rom(text: &str) -> Option<Kind> {
    let rest = text
        .strip_prefix("always @* case (address) ")?
        .strip_suffix("; endcase")?;
    let mut words = BTreeMap::new();
    let mut init = None;
    for line in rest.split("; ") {
        let (place, word) = line.split_once(": data = ")?;
        if place == "default" {
            init = value(word);
        } else {
            words.insert(value(place)?, value(word)?);
        }
    }
    Some(Kind::Memory(Memory {
        read: ("address", "data"),
        read_clock: None,
        write_clock: None,
        init: init?,
        words,
        name: "rom",
    }))
}
