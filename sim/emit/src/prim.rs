//! Registers and memories: the only blocks whose behaviour is not an `update()` in the tree.
//!
//! A primitive's text is always printed here, with the widths of its ports. It is recognised
//! by what its `hdl()` returns: the project's own primitives return
//! `metaroce-prim <kind> <key>=<hex>..`, rust-hdl's widgets return a text that is compared
//! as a whole. Any other hand-written Verilog is refused.

mod memory;
mod widget;

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;

use crate::design::{Port, SELF_MARK};
use crate::ir::mask;
use crate::module::ports;
use crate::print::{TAIL, head, sized};
use crate::tree::Scope;
use crate::ty::Ty;

/// The text and the ports of a recognised primitive.
pub(crate) struct Primitive {
    pub name: String,
    pub text: String,
    pub ports: Vec<Port>,
    pub through: BTreeMap<String, BTreeSet<String>>,
}

/// What a primitive does; addresses and widths come from its ports.
pub(crate) enum Kind {
    /// A register, and the name of its clock.
    Dff {
        clock: &'static str,
        init: BigUint,
    },
    Memory(memory::Memory),
}

/// The mark of the project's own primitives.
pub(crate) const MARK: &str = "metaroce-prim ";

pub(crate) fn recognise(scope: &Scope, text: &str) -> Result<Primitive, String> {
    for signal in &scope.signals {
        signal
            .ty
            .clone()
            .map_err(|reason| format!("signal `{}`: {reason}", signal.name))?;
    }
    if !scope.children.is_empty() {
        return Err("a primitive has no sub-blocks".into());
    }
    let kind = match text.strip_prefix(MARK) {
        Some(words) => own(words)?,
        None => widget::recognise(scope, text)?,
    };
    match kind {
        Kind::Dff { clock, init } => dff(scope, clock, init),
        Kind::Memory(memory) => memory.print(scope),
    }
}

/// One of the project's primitives.
fn own(words: &str) -> Result<Kind, String> {
    let mut words = words.split_whitespace();
    let kind = words.next().unwrap_or_default();
    let mut values = BTreeMap::new();
    for word in words {
        let (key, value) = word
            .split_once('=')
            .ok_or("a primitive's value is `key=hex`")?;
        let value =
            BigUint::parse_bytes(value.as_bytes(), 16).ok_or("a primitive's value is hex")?;
        values.insert(key, value);
    }
    let mut take = |key: &str| {
        values
            .remove(key)
            .ok_or(format!("primitive `{kind}` needs `{key}`"))
    };
    let kind = match kind {
        "dff" => Kind::Dff {
            clock: "clock",
            init: take("init")?,
        },
        "ram_sdp" => Kind::Memory(memory::Memory::sdp(take("init")?)),
        "ram_lut" => Kind::Memory(memory::Memory::lut(take("init")?)),
        other => return Err(format!("unknown primitive `{other}`")),
    };
    match values.keys().next() {
        Some(key) => Err(format!("the primitive does not know `{key}`")),
        None => Ok(kind),
    }
}

/// Checks that the ports are exactly these; returns the type of each.
fn expect(scope: &Scope, inputs: &[&str], outputs: &[&str]) -> Result<Vec<Ty>, String> {
    use rust_hdl_core::atom::AtomKind::{InputParameter, OutputParameter};
    let mut types = Vec::new();
    for (names, kind) in [(inputs, InputParameter), (outputs, OutputParameter)] {
        for name in names {
            let port = scope
                .signals
                .iter()
                .find(|s| s.name == *name && s.kind == kind);
            let ty = port.and_then(|port| port.ty.clone().ok());
            types.push(ty.ok_or(format!("a primitive of this kind has a port `{name}`"))?);
        }
    }
    if scope.signals.len() != types.len() {
        return Err("a primitive of this kind has no other signals".into());
    }
    Ok(types)
}

fn check_clock(ty: &Ty) -> Result<(), String> {
    if *ty == Ty::Clock {
        Ok(())
    } else {
        Err("a primitive's clock is of type `Clock`".into())
    }
}

fn check_value(value: &BigUint, width: usize) -> Result<(), String> {
    if *value <= mask(width) {
        Ok(())
    } else {
        Err(format!("start value {value:x} does not fit {width} bits"))
    }
}

fn dff(scope: &Scope, clock: &'static str, init: BigUint) -> Result<Primitive, String> {
    let types = expect(scope, &[clock, "d"], &["q"])?;
    check_clock(&types[0])?;
    if types[1] != types[2] || types[1] == Ty::Clock {
        return Err("a register's `d` and `q` have one type, and hold data".into());
    }
    let width = types[1].width();
    check_value(&init, width)?;
    let ports = ports(scope);
    let mut text = head(SELF_MARK, &ports, &["q"]);
    text += &format!("    initial q = {};\n\n", sized(width, &init));
    text += &format!("    always @(posedge {clock}) q <= d;\n\n");
    text += TAIL;
    let mut name = format!("dff_w{width}");
    if init != BigUint::default() {
        name += "_set";
    }
    Ok(Primitive {
        name,
        text,
        ports,
        through: BTreeMap::new(),
    })
}
