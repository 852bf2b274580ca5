//! From rust-hdl's tree to the typed tree: one value for every target of a module.
//!
//! `update()` is run once on symbols. At rest (when nothing changes any more) rust-hdl's
//! simulation holds exactly these values: a local or an output reads what was assigned just
//! before, or its settled value if nothing was; a sub-block's input always reads its settled
//! value, because `.val()` of an input is what arrived, not what was just assigned.

mod expr;
mod index;
mod number;
mod state;
mod stmt;

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use rust_hdl_core::ast::{Verilog, VerilogBlock};
use rust_hdl_core::atom::AtomKind;

use crate::error::Refusal;
use crate::ir::{E, NetId};
use crate::names::Loops;
use crate::tree::{Scope, Signal};
use crate::ty::{EnumTy, Ty};
use state::State;

/// What a wire is to its module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Input,
    Output,
    Local,
    /// An input of sub-block number `.0`.
    ChildInput(usize),
    /// An output of sub-block number `.0`.
    ChildOutput(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct Net {
    /// As the tree names it: fields joined by `$`.
    pub name: String,
    pub ty: Ty,
    pub role: Role,
    /// The port's name in the module that it is a port of.
    pub port: String,
}

impl Net {
    /// Whether this module's statements give it its value.
    pub fn is_target(&self) -> bool {
        matches!(self.role, Role::Output | Role::Local | Role::ChildInput(_))
    }
}

/// A module's logic: its wires and the value of each target.
pub(crate) struct Logic {
    pub nets: Vec<Net>,
    pub values: BTreeMap<NetId, E>,
}

/// Lowers the statements of one module.
pub(crate) fn lower(scope: &Scope) -> Result<Logic, Vec<Refusal>> {
    let mut lowerer = Lowerer::new(scope);
    lowerer.declare();
    match &scope.code {
        Ok(Verilog::Combinatorial(block)) => lowerer.run(block),
        Ok(Verilog::Empty) => {
            lowerer.refuse("it has no `#[hdl_gen]` update: its statements cannot be seen".into())
        }
        Ok(_) => lowerer.refuse(
            "hand-written Verilog (`Custom`, `Wrapper`, `Blackbox`) is accepted from known \
             primitives only"
                .into(),
        ),
        Err(reason) => lowerer.refuse(reason.clone()),
    }
    lowerer.finish()
}

struct Lowerer<'a> {
    scope: &'a Scope,
    nets: Vec<Net>,
    by_name: BTreeMap<String, NetId>,
    constants: BTreeMap<String, (Ty, BigUint)>,
    enums: Vec<EnumTy>,
    /// Names that a read must not use, and why.
    hidden: BTreeMap<String, String>,
    loops: Loops,
    turns: usize,
    state: State,
    read: BTreeSet<NetId>,
    refusals: Vec<Refusal>,
    statement: String,
}

impl<'a> Lowerer<'a> {
    fn new(scope: &'a Scope) -> Self {
        Lowerer {
            scope,
            nets: Vec::new(),
            by_name: BTreeMap::new(),
            constants: BTreeMap::new(),
            enums: Vec::new(),
            hidden: BTreeMap::new(),
            loops: Vec::new(),
            turns: 0,
            state: State::default(),
            read: BTreeSet::new(),
            refusals: Vec::new(),
            statement: String::new(),
        }
    }

    fn refuse(&mut self, reason: String) {
        let refusal = Refusal {
            module: self.scope.path.clone(),
            statement: self.statement.clone(),
            reason,
        };
        if !self.refusals.contains(&refusal) {
            self.refusals.push(refusal);
        }
    }

    fn declare(&mut self) {
        for signal in &self.scope.signals {
            self.declare_own(signal);
        }
        for (place, child) in self.scope.children.iter().enumerate() {
            for signal in child.signals.iter().filter(|signal| signal.is_port()) {
                let role = match signal.kind {
                    AtomKind::InputParameter => Role::ChildInput(place),
                    _ => Role::ChildOutput(place),
                };
                self.add(format!("{}${}", child.name, signal.name), signal, role);
            }
            for signal in child.signals.iter().filter(|signal| !signal.is_port()) {
                self.hidden.insert(
                    format!("{}${}", child.name, signal.name),
                    "it is inside a sub-block: make it a port".into(),
                );
            }
        }
    }

    fn declare_own(&mut self, signal: &Signal) {
        match signal.kind {
            AtomKind::InputParameter => self.add(signal.name.clone(), signal, Role::Input),
            AtomKind::OutputParameter => self.add(signal.name.clone(), signal, Role::Output),
            AtomKind::LocalSignal => self.add(signal.name.clone(), signal, Role::Local),
            AtomKind::Constant => {
                if let Some(ty) = self.check_ty(signal) {
                    self.constants
                        .insert(signal.name.clone(), (ty, signal.value.clone()));
                }
            }
            _ => self.refuse(format!(
                "signal `{}` is bidirectional: split it into an input and an output",
                signal.name
            )),
        }
    }

    fn check_ty(&mut self, signal: &Signal) -> Option<Ty> {
        // The tree writes `self.x` as `x` by removing every `self.`, also inside names.
        if signal.name.split('$').any(|part| part.ends_with("self")) {
            self.refuse(format!(
                "the tree garbles a name that ends in `self`: `{}`",
                signal.name
            ));
        }
        match &signal.ty {
            Ok(ty) => {
                ty.enums(&mut self.enums);
                Some(ty.clone())
            }
            Err(reason) => {
                self.refuse(format!("signal `{}`: {reason}", signal.name));
                None
            }
        }
    }

    fn add(&mut self, name: String, signal: &Signal, role: Role) {
        let Some(ty) = self.check_ty(signal) else {
            return;
        };
        if self.by_name.insert(name.clone(), self.nets.len()).is_some() {
            self.refuse(format!("two signals have the name `{name}` in the tree"));
        }
        self.nets.push(Net {
            name,
            ty,
            role,
            port: signal.name.replace('$', "_"),
        });
    }

    fn run(&mut self, block: &VerilogBlock) {
        if self
            .scope
            .children
            .iter()
            .any(|c| c.name.split('$').any(|p| p.ends_with("self")))
        {
            self.refuse("the tree garbles a sub-block's name that ends in `self`".into());
        }
        self.block(block);
        self.statement.clear();
        for id in 0..self.nets.len() {
            self.check_driven(id);
        }
        self.check_clocks();
    }

    fn check_driven(&mut self, id: NetId) {
        let net = self.nets[id].clone();
        if !net.is_target() {
            return;
        }
        let name = net.name.replace('$', ".");
        match self.state.0.get(&id) {
            // A local that nobody reads or writes is no wire at all.
            None if net.role == Role::Local && !self.read.contains(&id) => {}
            None => self.refuse(format!("`{name}` is never assigned")),
            Some(drive) if drive.assigned != crate::ir::mask(drive.width()) => {
                self.refuse(format!(
                    "`{name}` is not assigned on every path: it would be a latch. Assign a \
                     default first"
                ));
            }
            Some(_) => {}
        }
    }

    /// A clock is handed on as it came. Everything else (gates, inverters, a clock that left
    /// a sub-block) arrives later in rust-hdl's simulation than data, which has its own order.
    fn check_clocks(&mut self) {
        for id in 0..self.nets.len() {
            let net = self.nets[id].clone();
            let Some(drive) = self.state.0.get(&id) else {
                continue;
            };
            if net.ty != Ty::Clock || !net.is_target() {
                continue;
            }
            let plain = match &drive.value().kind {
                crate::ir::Kind::Net(from) => self.nets[*from].role == Role::Input,
                _ => false,
            };
            if !plain {
                self.refuse(format!(
                    "clock `{}` must be an input clock of this module, unchanged and on every path",
                    net.name.replace('$', ".")
                ));
            }
        }
    }

    fn finish(self) -> Result<Logic, Vec<Refusal>> {
        if !self.refusals.is_empty() {
            return Err(self.refusals);
        }
        let values = self
            .state
            .0
            .iter()
            .map(|(id, drive)| (*id, drive.value()))
            .collect();
        Ok(Logic {
            nets: self.nets,
            values,
        })
    }
}
