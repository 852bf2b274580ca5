//! Decides what becomes a wire of its own: values used more than once, vectors of which bits
//! are taken, and every so often a step of an expression that would be too deep for a parser.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use crate::ir::{E, Expr, Kind, NetId};
use crate::lower::{Logic, Role};

/// Deepest expression on one line.
const MOST_DEPTH: usize = 12;
/// Longest chain of choices in one assignment.
const MOST_CASES: usize = 64;

pub(crate) type Key = *const Expr;

pub(crate) fn key(e: &E) -> Key {
    Rc::as_ptr(e)
}

pub(crate) struct Plan {
    /// Sub-block inputs that are connected without a wire of their own.
    pub direct: BTreeSet<NetId>,
    /// Values with a wire of their own, in order, and the target that needs them first.
    pub hoisted: Vec<(NetId, E)>,
    /// Values that are a target's final value: they have that target's wire.
    pub owned: Vec<(NetId, E)>,
    /// The wires' names; looked up, never walked.
    pub names: HashMap<Key, String>,
}

impl Plan {
    pub fn new(logic: &Logic) -> Plan {
        let mut count = Count::default();
        for e in logic.values.values() {
            count.visit(e);
        }
        let direct = direct(logic, &count.nets);
        let owned = owned(logic, &direct);
        let owners: BTreeMap<Key, NetId> = owned.iter().map(|(id, e)| (key(e), *id)).collect();
        let mut collect = Collect {
            count: &count,
            owners,
            seen: HashMap::new(),
            hoisted: Vec::new(),
        };
        for (id, e) in &logic.values {
            collect.inside(*id, e);
        }
        Plan {
            direct,
            hoisted: collect.hoisted,
            owned,
            names: HashMap::new(),
        }
    }
}

/// Inputs of sub-blocks that only hand on a wire or a constant, and that nobody reads.
fn direct(logic: &Logic, read: &BTreeSet<NetId>) -> BTreeSet<NetId> {
    let mut all = BTreeSet::new();
    for (id, e) in &logic.values {
        let child = matches!(logic.nets[*id].role, Role::ChildInput(_));
        let plain = matches!(e.kind, Kind::Net(_) | Kind::Const(..));
        if child && plain && !read.contains(id) {
            all.insert(*id);
        }
    }
    all
}

/// The wire of each final value; of two targets with one value, the first.
fn owned(logic: &Logic, direct: &BTreeSet<NetId>) -> Vec<(NetId, E)> {
    let mut all: Vec<(NetId, E)> = Vec::new();
    for (id, e) in &logic.values {
        let leaf = matches!(e.kind, Kind::Net(_) | Kind::Const(..));
        if !leaf && !direct.contains(id) && !all.iter().any(|(_, seen)| Rc::ptr_eq(seen, e)) {
            all.push((*id, e.clone()));
        }
    }
    all
}

/// How often each value is used, and which wires are read.
#[derive(Default)]
struct Count {
    uses: BTreeMap<Key, usize>,
    bases: BTreeSet<Key>,
    nets: BTreeSet<NetId>,
}

impl Count {
    fn visit(&mut self, e: &E) {
        let uses = self.uses.entry(key(e)).or_insert(0);
        *uses += 1;
        if *uses > 1 {
            return;
        }
        match &e.kind {
            Kind::Net(id) => {
                self.nets.insert(*id);
            }
            Kind::Slice(a, _) | Kind::SignExtend(a) | Kind::Select(a, _) => {
                self.bases.insert(key(a));
            }
            _ => {}
        }
        for part in parts(e) {
            self.visit(part);
        }
    }
}

pub(crate) fn parts(e: &E) -> Vec<&E> {
    match &e.kind {
        Kind::Const(..) | Kind::Net(_) => vec![],
        Kind::Not(a)
        | Kind::Neg(a)
        | Kind::Reduce(_, a)
        | Kind::Slice(a, _)
        | Kind::SignExtend(a) => {
            vec![a]
        }
        Kind::Binary(_, a, b) | Kind::Shift(_, a, b) | Kind::Select(a, b) => vec![a, b],
        Kind::Concat(all) => all.iter().collect(),
        Kind::Mux(a, b, c) => vec![a, b, c],
    }
}

struct Collect<'a> {
    count: &'a Count,
    owners: BTreeMap<Key, NetId>,
    /// Depth of each value as it will be printed.
    seen: HashMap<Key, usize>,
    hoisted: Vec<(NetId, E)>,
}

impl Collect<'_> {
    fn is_base(&self, e: &E) -> bool {
        self.count.bases.contains(&key(e)) && !matches!(e.kind, Kind::Net(_))
    }

    fn inside(&mut self, target: NetId, e: &E) -> usize {
        if let Kind::Mux(test, then, otherwise) = &e.kind {
            // A chain of choices prints one line a case: only its length counts.
            let first = self.visit(target, test).max(self.visit(target, then));
            let chain = self.visit(target, otherwise);
            return first.max(chain + 1);
        }
        parts(e)
            .into_iter()
            .map(|part| self.visit(target, part))
            .max()
            .unwrap_or(0)
            + 1
    }

    fn visit(&mut self, target: NetId, e: &E) -> usize {
        if let Some(depth) = self.seen.get(&key(e)) {
            return *depth;
        }
        if self.owners.contains_key(&key(e)) {
            return 1;
        }
        let depth = self.inside(target, e);
        let leaf = match &e.kind {
            Kind::Net(_) | Kind::Const(..) => true,
            Kind::Slice(a, _) => matches!(a.kind, Kind::Net(_)),
            _ => false,
        };
        let shared = self.count.uses.get(&key(e)).is_some_and(|uses| *uses > 1);
        let most = if matches!(e.kind, Kind::Mux(..)) {
            MOST_CASES
        } else {
            MOST_DEPTH
        };
        let hoist = self.is_base(e) || (!leaf && (shared || depth >= most));
        if hoist {
            self.hoisted.push((target, e.clone()));
        }
        let printed = if hoist { 1 } else { depth };
        self.seen.insert(key(e), printed);
        printed
    }
}
