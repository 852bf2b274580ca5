//! Builds modules from the bottom up, and looks for loops without a register.

use std::collections::{BTreeMap, BTreeSet};

use rust_hdl_core::ast::Verilog;

use crate::design::{Direction, Port, SELF_MARK, Store, Summary};
use crate::error::Refusal;
use crate::ir::{E, Kind, NetId};
use crate::lower::{self, Logic, Role};
use crate::print::{self, ChildModule};
use crate::tidy::parts;
use crate::tree::Scope;
use crate::ty::Ty;
use crate::{names, prim};

/// Emits a module and what is below it. `None` after a refusal.
pub(crate) fn build(
    scope: &Scope,
    store: &mut Store,
    refused: &mut Vec<Refusal>,
) -> Option<Summary> {
    if let Ok(Verilog::Custom(text)) = &scope.code {
        return match prim::recognise(scope, text) {
            Ok(primitive) => {
                let mark = store.intern(primitive.text, &primitive.name);
                Some(Summary {
                    mark,
                    ports: primitive.ports,
                    through: primitive.through,
                })
            }
            Err(reason) => refuse(scope, vec![reason], refused),
        };
    }
    let children: Vec<Option<Summary>> = scope
        .children
        .iter()
        .map(|child| build(child, store, refused))
        .collect();
    let logic = match lower::lower(scope) {
        Ok(logic) => logic,
        Err(reasons) => {
            refused.extend(reasons);
            return None;
        }
    };
    let children: Vec<Summary> = children.into_iter().collect::<Option<_>>()?;
    let graph = Graph::new(&logic, &children);
    if let Some(cycle) = graph.cycle() {
        return refuse(scope, vec![loop_text(&logic, &cycle)], refused);
    }
    let ports = ports(scope);
    let marks: Vec<ChildModule> = children
        .iter()
        .map(|c| ChildModule {
            mark: c.mark.clone(),
        })
        .collect();
    let text = match print::logic(scope, &logic, &ports, &marks, SELF_MARK) {
        Ok(text) => text,
        Err(reasons) => return refuse(scope, reasons, refused),
    };
    let mark = store.intern(text, &wish(&scope.name));
    Some(Summary {
        mark,
        ports,
        through: graph.through(&logic),
    })
}

fn refuse(scope: &Scope, reasons: Vec<String>, refused: &mut Vec<Refusal>) -> Option<Summary> {
    refused.extend(reasons.into_iter().map(|reason| Refusal {
        module: scope.path.clone(),
        statement: String::new(),
        reason,
    }));
    None
}

/// A field name without its array place.
fn wish(name: &str) -> String {
    let plain = name.split('$').next().unwrap_or(name);
    names::snake_case(plain)
}

/// The ports of a module, in the order of its fields.
pub(crate) fn ports(scope: &Scope) -> Vec<Port> {
    let mut all = Vec::new();
    for signal in scope.signals.iter().filter(|signal| signal.is_port()) {
        let Ok(ty) = &signal.ty else { continue };
        let input = signal.kind == rust_hdl_core::atom::AtomKind::InputParameter;
        all.push(Port {
            name: signal.name.replace('$', "_"),
            width: ty.width(),
            direction: if input {
                Direction::Input
            } else {
                Direction::Output
            },
            is_clock: *ty == Ty::Clock,
        });
    }
    all
}

/// Which wires a wire's value depends on at the same moment.
struct Graph {
    from: Vec<BTreeSet<NetId>>,
}

impl Graph {
    fn new(logic: &Logic, children: &[Summary]) -> Graph {
        let mut from = vec![BTreeSet::new(); logic.nets.len()];
        for (id, e) in &logic.values {
            reads(e, &mut from[*id], &mut BTreeSet::new());
        }
        for (id, net) in logic.nets.iter().enumerate() {
            let Role::ChildOutput(child) = net.role else {
                continue;
            };
            for (other, input) in logic.nets.iter().enumerate() {
                let through = children[child].through.get(&net.port);
                if input.role == Role::ChildInput(child)
                    && through.is_some_and(|inputs| inputs.contains(&input.port))
                {
                    from[id].insert(other);
                }
            }
        }
        Graph { from }
    }

    /// A wire that depends on itself, and the way back to it.
    fn cycle(&self) -> Option<Vec<NetId>> {
        let mut done = BTreeSet::new();
        (0..self.from.len()).find_map(|id| self.search(id, &mut Vec::new(), &mut done))
    }

    fn search(
        &self,
        id: NetId,
        way: &mut Vec<NetId>,
        done: &mut BTreeSet<NetId>,
    ) -> Option<Vec<NetId>> {
        if let Some(start) = way.iter().position(|seen| *seen == id) {
            return Some(way[start..].to_vec());
        }
        if done.contains(&id) {
            return None;
        }
        way.push(id);
        let found = self.from[id]
            .iter()
            .find_map(|next| self.search(*next, way, done));
        way.pop();
        done.insert(id);
        found
    }

    fn through(&self, logic: &Logic) -> BTreeMap<String, BTreeSet<String>> {
        let mut all = BTreeMap::new();
        for (id, net) in logic
            .nets
            .iter()
            .enumerate()
            .filter(|(_, n)| n.role == Role::Output)
        {
            let mut reached = BTreeSet::new();
            self.reach(id, &mut reached);
            let inputs = reached
                .iter()
                .filter(|id| logic.nets[**id].role == Role::Input);
            let names = inputs.map(|id| logic.nets[*id].port.clone()).collect();
            all.insert(net.port.clone(), names);
        }
        all
    }

    fn reach(&self, id: NetId, reached: &mut BTreeSet<NetId>) {
        if reached.insert(id) {
            self.from[id]
                .iter()
                .for_each(|next| self.reach(*next, reached));
        }
    }
}

fn reads(e: &E, found: &mut BTreeSet<NetId>, seen: &mut BTreeSet<*const crate::ir::Expr>) {
    if !seen.insert(crate::tidy::key(e)) {
        return;
    }
    if let Kind::Net(id) = e.kind {
        found.insert(id);
    }
    parts(e)
        .into_iter()
        .for_each(|part| reads(part, found, seen));
}

fn loop_text(logic: &Logic, cycle: &[NetId]) -> String {
    let mut names: Vec<String> = cycle
        .iter()
        .map(|id| format!("`{}`", logic.nets[*id].name.replace('$', ".")))
        .collect();
    names.extend(names.first().cloned());
    format!("a loop without a register: {}", names.join(" from "))
}
