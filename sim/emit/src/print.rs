//! Prints one module. Everything is a continuous assignment: it has a value at time zero in
//! every simulator, cannot be a latch, and reads the same in simulation and synthesis.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::design::{Direction, Port};
use crate::ir::{E, Kind, NetId};
use crate::lower::{Logic, Role};
use crate::names::{Taken, forbidden, forbidden_at_top};
use crate::tidy::Plan;
use crate::tree::Scope;

/// A sub-block: the module it is an instance of, by its mark in the text.
pub(crate) struct ChildModule {
    pub mark: String,
}

/// Prints a module of logic; the module's own name is left out as `mark`.
pub(crate) fn logic(
    scope: &Scope,
    logic: &Logic,
    ports: &[Port],
    children: &[ChildModule],
    mark: &str,
) -> Result<String, Vec<String>> {
    let names = Names::new(scope, logic)?;
    let plan = Plan::new(logic);
    let mut printer = Printer {
        logic,
        names,
        plan,
        params: BTreeMap::new(),
        whole: BTreeSet::new(),
    };
    Ok(printer.module(scope, ports, children, mark))
}

/// First line of every file: only what begins with it is replaced.
pub(crate) const SIGNATURE: &str =
    "// Emitted from Rust by metaroce-emit: change the Rust source, not this file.";

/// The head of a module, ports first.
pub(crate) fn head(mark: &str, ports: &[Port], registered: &[&str]) -> String {
    let mut out = format!("{SIGNATURE}\n`default_nettype none\n\n");
    let _ = write!(out, "module {mark} (");
    let lines: Vec<String> = ports
        .iter()
        .map(|port| {
            let way = if port.direction == Direction::Output {
                "output"
            } else {
                "input "
            };
            let kind = if registered.contains(&port.name.as_str()) {
                "reg "
            } else {
                "wire"
            };
            format!("\n    {way} {kind} {}{}", range(port.width), port.name)
        })
        .collect();
    let _ = write!(out, "{}\n);\n\n", lines.join(","));
    out
}

/// The end of a module.
pub(crate) const TAIL: &str = "endmodule\n\n`default_nettype wire\n";

pub(crate) fn range(width: usize) -> String {
    if width == 1 {
        String::new()
    } else {
        format!("[{}:0] ", width - 1)
    }
}

/// A literal with its width.
pub(crate) fn sized(width: usize, value: &num_bigint::BigUint) -> String {
    if width == 1 {
        format!("1'b{value}")
    } else {
        format!("{width}'h{value:x}")
    }
}

/// Instances have names that no signal has: Verilator takes a signal with the name of an
/// instance anywhere above it for a mistake.
const INSTANCE: &str = "u_";

/// Verilator does not take the top's own name inside the top.
fn is_top(scope: &Scope) -> bool {
    scope.path == scope.name
}

/// The Verilog name of every wire and instance.
struct Names {
    nets: Vec<String>,
    instances: Vec<String>,
    taken: Taken,
}

impl Names {
    fn new(scope: &Scope, logic: &Logic) -> Result<Names, Vec<String>> {
        let mut taken = Taken::default();
        let mut nets = vec![String::new(); logic.nets.len()];
        let mut reasons = Vec::new();
        let own = |role: &Role| matches!(role, Role::Input | Role::Output);
        for (id, net) in logic.nets.iter().enumerate().filter(|(_, n)| own(&n.role)) {
            let name = net.name.replace('$', "_");
            reasons.extend(forbidden(&name));
            if name.starts_with(INSTANCE) {
                reasons.push(format!(
                    "port `{name}`: names in `{INSTANCE}` are kept for instances"
                ));
            }
            reasons.extend(is_top(scope).then(|| forbidden_at_top(&name)).flatten());
            if is_top(scope) && name == scope.name {
                reasons.push(format!("port `{name}` has the name of the top module"));
            }
            if !taken.reserve(&name) {
                reasons.push(format!("two ports are both named `{name}` in Verilog"));
            }
            nets[id] = name;
        }
        if is_top(scope) {
            taken.reserve(&scope.name);
        }
        let mut instances = Vec::new();
        for child in &scope.children {
            instances.push(taken.unique(&format!("{INSTANCE}{}", child.name.replace('$', "_"))));
        }
        for (id, net) in logic.nets.iter().enumerate().filter(|(_, n)| !own(&n.role)) {
            let name = net.name.replace('$', "_");
            reasons.extend(forbidden(&name));
            let name = if name.starts_with(INSTANCE) {
                format!("w_{name}")
            } else {
                name
            };
            nets[id] = taken.unique(&name);
        }
        if reasons.is_empty() {
            Ok(Names {
                nets,
                instances,
                taken,
            })
        } else {
            Err(reasons)
        }
    }
}

struct Printer<'a> {
    logic: &'a Logic,
    names: Names,
    plan: Plan,
    /// Constants that print under a name, by that name's source.
    params: BTreeMap<String, (String, String)>,
    /// Wires read with all their bits.
    whole: BTreeSet<String>,
}

impl Printer<'_> {
    fn module(
        &mut self,
        scope: &Scope,
        ports: &[Port],
        children: &[ChildModule],
        mark: &str,
    ) -> String {
        let hoisted = self.name_hoisted();
        let mut steps = String::new();
        for (name, e) in &hoisted {
            let _ = writeln!(steps, "    assign {name} ={};", self.right(e));
        }
        let mut assigns = String::new();
        for (id, e) in &self.logic.values {
            if !self.plan.direct.contains(id) {
                let other = self.plan.names.get(&crate::tidy::key(e));
                let right = match other.filter(|name| **name != self.names.nets[*id]) {
                    Some(_) => format!(" {}", self.expr(e)),
                    None => self.right(e),
                };
                let _ = writeln!(assigns, "    assign {} ={right};", self.names.nets[*id]);
            }
        }
        let instances = self.instances(scope, children);
        let mut out = head(mark, ports, &[]);
        for (name, text) in self.params.values() {
            let _ = writeln!(out, "    localparam {name} = {text};");
        }
        let wires = self.wires(&hoisted);
        let unused = self.unused(&hoisted);
        let sections = [wires, instances, steps, assigns, unused];
        let text: Vec<&String> = sections.iter().filter(|s| !s.is_empty()).collect();
        for (place, section) in text.iter().enumerate() {
            if place > 0 || !out.ends_with("\n\n") {
                out.push('\n');
            }
            out.push_str(section);
        }
        if !text.is_empty() || !self.params.is_empty() {
            out.push('\n');
        }
        out.push_str(TAIL);
        out
    }

    /// Names for shared values: after the target that needs them first.
    fn name_hoisted(&mut self) -> Vec<(String, E)> {
        for (id, e) in &self.plan.owned {
            self.plan
                .names
                .insert(crate::tidy::key(e), self.names.nets[*id].clone());
        }
        let mut all = Vec::new();
        for (target, e) in self.plan.hoisted.clone() {
            let wish = self.wish(target, &e);
            let name = self.names.taken.unique(&wish);
            self.plan.names.insert(crate::tidy::key(&e), name.clone());
            all.push((name, e));
        }
        all
    }

    fn wish(&self, target: NetId, e: &E) -> String {
        if let Kind::Binary(crate::ir::Op::Eq, a, b) = &e.kind
            && let (Kind::Net(id), Kind::Const(_, Some(label))) = (&a.kind, &b.kind)
        {
            let last = label.split('$').next_back().unwrap_or(label);
            return format!(
                "{}_is_{}",
                self.names.nets[*id],
                crate::names::snake_case(last)
            );
        }
        format!("{}_step", self.names.nets[target])
    }

    fn wires(&self, hoisted: &[(String, E)]) -> String {
        let mut out = String::new();
        for (id, net) in self.logic.nets.iter().enumerate() {
            let needed = match net.role {
                Role::Input | Role::Output => false,
                Role::Local => self.logic.values.contains_key(&id),
                Role::ChildInput(_) => !self.plan.direct.contains(&id),
                Role::ChildOutput(_) => true,
            };
            if needed {
                let _ = writeln!(
                    out,
                    "    wire {}{};",
                    range(net.ty.width()),
                    self.names.nets[id]
                );
            }
        }
        for (name, e) in hoisted {
            let _ = writeln!(out, "    wire {}{name};", range(e.width));
        }
        out
    }

    fn instances(&mut self, scope: &Scope, children: &[ChildModule]) -> String {
        let mut out = String::new();
        for (place, child) in scope.children.iter().enumerate() {
            let mut pins = Vec::new();
            for signal in child.signals.iter().filter(|s| s.is_port()) {
                let full = format!("{}${}", child.name, signal.name);
                let Some(id) = self.logic.nets.iter().position(|n| n.name == full) else {
                    continue;
                };
                let pin = signal.name.replace('$', "_");
                let is_input = matches!(self.logic.nets[id].role, Role::ChildInput(_));
                let to = match self.logic.values.get(&id) {
                    Some(e) if self.plan.direct.contains(&id) => self.expr(e),
                    _ if is_input => self.net(id),
                    _ => self.names.nets[id].clone(),
                };
                pins.push(format!("\n        .{pin}({to})"));
            }
            let gap = if out.is_empty() { "" } else { "\n" };
            let name = &self.names.instances[place];
            let _ = writeln!(
                out,
                "{gap}    {} {name} ({}\n    );",
                children[place].mark,
                pins.join(",")
            );
        }
        out
    }

    /// Reads every wire that nothing reads in full: tools take a signal named so as meant.
    fn unused(&mut self, hoisted: &[(String, E)]) -> String {
        let mut idle = Vec::new();
        for (id, net) in self.logic.nets.iter().enumerate() {
            let exists = match net.role {
                Role::Output => false,
                Role::Local => self.logic.values.contains_key(&id),
                Role::ChildInput(_) => false,
                _ => true,
            };
            if exists && !self.whole.contains(&self.names.nets[id]) {
                idle.push(self.names.nets[id].clone());
            }
        }
        let partly = hoisted
            .iter()
            .map(|(name, _)| name)
            .filter(|name| !self.whole.contains(*name));
        idle.extend(partly.cloned());
        if idle.is_empty() {
            return String::new();
        }
        let name = self.names.taken.unique("unused");
        format!("    wire {name} = &{{1'b0, {}}};\n", idle.join(", "))
    }

    fn net(&mut self, id: NetId) -> String {
        let name = self.names.nets[id].clone();
        self.whole.insert(name.clone());
        name
    }

    /// The right side of an assignment: a choice takes one line a case.
    fn right(&mut self, e: &E) -> String {
        let Kind::Mux(..) = &e.kind else {
            return format!(" {}", self.inner(e));
        };
        let mut out = String::new();
        let mut rest = e.clone();
        let mut first = true;
        while let Kind::Mux(test, then, otherwise) = &rest.kind {
            if !first && self.plan.names.contains_key(&crate::tidy::key(&rest)) {
                break;
            }
            first = false;
            let (test, then) = (self.expr(test), self.expr(then));
            let _ = write!(out, "\n        {test} ? {then} :");
            let next = otherwise.clone();
            rest = next;
        }
        let last = self.expr(&rest);
        format!("{out}\n        {last}")
    }

    fn expr(&mut self, e: &E) -> String {
        match self.plan.names.get(&crate::tidy::key(e)) {
            Some(name) => {
                let name = name.clone();
                self.whole.insert(name.clone());
                name
            }
            None => self.inner(e),
        }
    }

    /// The name of a vector of which bits are taken.
    fn base(&self, e: &E) -> String {
        match &e.kind {
            Kind::Net(id) => self.names.nets[*id].clone(),
            _ => self
                .plan
                .names
                .get(&crate::tidy::key(e))
                .expect("a hoisted vector")
                .clone(),
        }
    }

    fn inner(&mut self, e: &E) -> String {
        match &e.kind {
            Kind::Const(value, None) => sized(e.width, value),
            Kind::Const(value, Some(label)) => self.param(label, e.width, value),
            Kind::Net(id) => self.net(*id),
            Kind::Not(a) => format!("(~{})", self.expr(a)),
            Kind::Neg(a) => format!("(-{})", self.expr(a)),
            Kind::Reduce(op, a) => {
                let op = match op {
                    crate::ir::Reduce::All => "&",
                    crate::ir::Reduce::Any => "|",
                    crate::ir::Reduce::Xor => "^",
                };
                format!("({op}{})", self.expr(a))
            }
            Kind::Binary(op, a, b) => self.binary(*op, a, b),
            Kind::Shift(dir, a, n) => {
                let op = if *dir == crate::ir::Dir::Left {
                    "<<"
                } else {
                    ">>"
                };
                format!("({} {op} {})", self.expr(a), self.expr(n))
            }
            Kind::Slice(a, at) if e.width == 1 => format!("{}[{at}]", self.base(a)),
            Kind::Slice(a, at) => format!("{}[{}:{at}]", self.base(a), at + e.width - 1),
            Kind::Concat(parts) => {
                let parts: Vec<String> = parts.iter().rev().map(|part| self.expr(part)).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Kind::SignExtend(a) => {
                let more = e.width - a.width;
                let whole = self.expr(a);
                let top = if a.width == 1 {
                    whole.clone()
                } else {
                    format!("{}[{}]", self.base(a), a.width - 1)
                };
                format!("{{{{{more}{{{top}}}}}, {whole}}}")
            }
            Kind::Mux(test, then, otherwise) => {
                format!(
                    "({} ? {} : {})",
                    self.expr(test),
                    self.expr(then),
                    self.expr(otherwise)
                )
            }
            Kind::Select(a, at) => {
                let at = self.expr(at);
                let base = self.base(a);
                if e.width == 1 {
                    format!("{base}[{at}]")
                } else {
                    format!("{base}[{at} +: {}]", e.width)
                }
            }
        }
    }

    fn binary(&mut self, op: crate::ir::Op, a: &E, b: &E) -> String {
        use crate::ir::Op;
        let (x, y) = (self.expr(a), self.expr(b));
        let sign = match op {
            Op::Add => "+",
            Op::Sub => "-",
            Op::Mul => "*",
            Op::And => "&",
            Op::Or => "|",
            Op::Xor => "^",
            Op::Eq => "==",
            Op::Ne => "!=",
            Op::Lt | Op::SignedLt => "<",
            Op::Le | Op::SignedLe => "<=",
            Op::Gt | Op::SignedGt => ">",
            Op::Ge | Op::SignedGe => ">=",
        };
        if op.is_signed() {
            format!("($signed({x}) {sign} $signed({y}))")
        } else {
            format!("({x} {sign} {y})")
        }
    }

    fn param(&mut self, label: &str, width: usize, value: &num_bigint::BigUint) -> String {
        let key = format!("{label}/{width}/{value}");
        if let Some((name, _)) = self.params.get(&key) {
            return name.trim_start_matches(&range(width)).to_string();
        }
        let words: Vec<String> = label.split('$').map(crate::names::snake_case).collect();
        let name = self.names.taken.unique(&words.join("_").to_uppercase());
        self.params.insert(
            key,
            (format!("{}{name}", range(width)), sized(width, value)),
        );
        name
    }
}
