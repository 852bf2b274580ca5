//! Walks a block with rust-hdl's own visitor and keeps what it shows.

use std::panic::{AssertUnwindSafe, catch_unwind};

use num_bigint::BigUint;
use rust_hdl_core::ast::Verilog;
use rust_hdl_core::atom::{Atom, AtomKind};
use rust_hdl_core::block::Block;
use rust_hdl_core::probe::Probe;
use rust_hdl_core::synth::VCDValue;
use rust_hdl_core::type_descriptor::TypeKind;

use crate::ty::{self, Ty};

/// One signal or constant of a module. Interface fields are joined by `$`.
#[derive(Clone, Debug)]
pub(crate) struct Signal {
    pub name: String,
    pub kind: AtomKind,
    pub ty: Result<Ty, String>,
    /// The value at the time of emission: a constant's value, or a start value.
    pub value: BigUint,
}

impl Signal {
    pub fn is_port(&self) -> bool {
        self.kind.is_parameter()
    }
}

/// One module as rust-hdl shows it.
pub(crate) struct Scope {
    /// The field name; array elements carry `$` and their index.
    pub name: String,
    /// Field names from the top, joined by dots, for messages.
    pub path: String,
    pub code: Result<Verilog, String>,
    pub signals: Vec<Signal>,
    pub children: Vec<Scope>,
}

/// Reads the whole block; `name` is the name of its top.
pub(crate) fn read<B: Block>(block: &B, name: &str) -> Result<Scope, String> {
    let mut reader = Reader::default();
    block.accept(name, &mut reader);
    match reader.top {
        Some(top) if reader.stack.is_empty() => Ok(top),
        _ => Err("the block shows no module of its own: derive `LogicBlock` for it".into()),
    }
}

#[derive(Default)]
struct Reader {
    stack: Vec<(Scope, Vec<String>)>,
    top: Option<Scope>,
}

impl Probe for Reader {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        let path = match self.stack.last() {
            Some((parent, _)) => format!("{}.{}", parent.path, name.replace('$', ".")),
            None => name.to_string(),
        };
        // Literals that do not fit make `hdl()` itself panic.
        let code =
            catch_unwind(AssertUnwindSafe(|| node.hdl())).map_err(|cause| panic_text(&*cause));
        let scope = Scope {
            name: name.into(),
            path,
            code,
            signals: Vec::new(),
            children: Vec::new(),
        };
        self.stack.push((scope, Vec::new()));
    }

    fn visit_start_namespace(&mut self, name: &str, _node: &dyn Block) {
        if let Some((_, names)) = self.stack.last_mut() {
            names.push(name.into());
        }
    }

    fn visit_end_namespace(&mut self, _name: &str, _node: &dyn Block) {
        if let Some((_, names)) = self.stack.last_mut() {
            names.pop();
        }
    }

    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        if let Some((scope, names)) = self.stack.last_mut() {
            let mut full = names.clone();
            full.push(name.into());
            scope.signals.push(read_signal(full.join("$"), atom));
        }
    }

    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        if let Some((scope, _)) = self.stack.pop() {
            match self.stack.last_mut() {
                Some((parent, _)) => parent.children.push(scope),
                None => self.top = Some(scope),
            }
        }
    }
}

fn read_signal(name: String, atom: &dyn Atom) -> Signal {
    let described = atom.descriptor();
    let mut ty = Ty::new(&described);
    if let Ok(known) = &ty
        && known.width() != atom.bits()
    {
        ty = Err(format!(
            "type `{}` says {} bits, but has {}",
            known.say(),
            known.width(),
            atom.bits()
        ));
    }
    if atom.bits() == 0 {
        ty = Err("a signal without bits has no Verilog".into());
    }
    let value = match ty::literal(&atom.verilog()) {
        Some((value, _)) if value.bits() <= atom.bits() as u64 => value,
        _ => {
            ty = Err("its value does not fit its width".into());
            BigUint::default()
        }
    };
    // A hand-written `Synth` may number its variants differently from their order.
    if let (TypeKind::Enum(labels), VCDValue::String(shown)) = (&described.kind, atom.vcd()) {
        let place = labels
            .iter()
            .position(|label| label.ends_with(&format!("::{shown}")));
        if place.map(BigUint::from) != Some(value.clone()) {
            ty = Err(format!(
                "enum `{}` does not number its variants in order",
                described.name
            ));
        }
    }
    Signal {
        name,
        kind: atom.kind(),
        ty,
        value,
    }
}

fn panic_text(cause: &(dyn std::any::Any + Send)) -> String {
    let text = cause
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| cause.downcast_ref::<&str>().map(|s| s.to_string()));
    format!(
        "its statements cannot be read: {}",
        text.unwrap_or_else(|| "panic".into())
    )
}
