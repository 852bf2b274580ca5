//! Statements: assignments, `if`, `match`, `for`, links and clock macros.

use std::collections::BTreeSet;

use num_bigint::BigUint;
use num_traits::Zero;
use rust_hdl_core::ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogCase, VerilogConditional, VerilogExpression,
    VerilogLink, VerilogLinkDetails, VerilogLiteral, VerilogLoop, VerilogMatch, VerilogStatement,
};
use syn::Lit;

use super::expr::Value;
use super::state::State;
use super::{Lowerer, Role};
use crate::ir::{self, E, NetId, Op};
use crate::names::resolve;
use crate::render;
use crate::ty::{self, Ty};

/// More turns than any of the project's blocks needs; a typo in a bound ends here.
const MOST_TURNS: usize = 1 << 16;

/// Nobody names every value of a wider vector.
const MOST_MATCHED_BITS: usize = 16;

impl Lowerer<'_> {
    pub(super) fn block(&mut self, block: &VerilogBlock) {
        for statement in block {
            self.statement = render::statement(statement);
            if let Err(reason) = self.one(statement) {
                self.refuse(reason);
            }
        }
    }

    fn one(&mut self, statement: &VerilogStatement) -> Result<(), String> {
        match statement {
            VerilogStatement::Assignment(to, from) => self.assignment(to, from),
            VerilogStatement::SliceAssignment {
                base,
                width,
                offset,
                replacement,
            } => self.field_assignment(base, *width, offset, replacement),
            VerilogStatement::If(c) => self.conditional(c),
            VerilogStatement::Match(m) => self.matching(m),
            VerilogStatement::Loop(l) => self.looping(l),
            VerilogStatement::Comment(_) => Ok(()),
            VerilogStatement::Link(links) => self.links(links),
            VerilogStatement::Macro(block) => {
                self.block(block);
                Ok(())
            }
        }
    }

    fn assignment(
        &mut self,
        to: &VerilogExpression,
        from: &VerilogExpression,
    ) -> Result<(), String> {
        let VerilogExpression::Signal(raw) = to else {
            return Err("the target is no signal".into());
        };
        let Some(raw) = raw.strip_suffix("$next") else {
            return Err("only `.next` of a signal or one field of it can be assigned".into());
        };
        let id = self.target(raw)?;
        let ty = self.nets[id].ty.clone();
        let value = self.sized(from, Some(&ty))?;
        if !ty.accepts(&value.ty) {
            return Err(format!(
                "a {} is assigned to a {}",
                value.ty.say(),
                ty.say()
            ));
        }
        self.store(id, value.e);
        Ok(())
    }

    fn field_assignment(
        &mut self,
        base: &VerilogExpression,
        width: usize,
        offset: &VerilogExpression,
        replacement: &VerilogExpression,
    ) -> Result<(), String> {
        let (VerilogExpression::Signal(raw), VerilogExpression::Literal(offset)) = (base, offset)
        else {
            return Err("only a named field of a signal can be assigned".into());
        };
        let id = self.target(raw)?;
        let net_ty = self.nets[id].ty.clone();
        let offset = bounded(offset)?;
        let field = field_at(&net_ty, offset, width)
            .ok_or_else(|| format!("{} has no field of these bits", net_ty.say()))?;
        let value = self.sized(replacement, Some(&field))?;
        if !field.accepts(&value.ty) {
            return Err(format!(
                "a {} is assigned to a {}",
                value.ty.say(),
                field.say()
            ));
        }
        self.state
            .drive(id, net_ty.width())
            .assign_part(offset, value.e);
        Ok(())
    }

    fn store(&mut self, id: NetId, value: E) {
        self.state.drive(id, value.width).assign(value);
    }

    /// The wire that a statement assigns.
    fn target(&self, raw: &str) -> Result<NetId, String> {
        let name = resolve(raw, &self.loops)?;
        if let Some(why) = self.hidden.get(&name) {
            return Err(why.clone());
        }
        let Some(id) = self.by_name.get(&name) else {
            return Err(format!(
                "`{}` is no signal of this module",
                name.replace('$', ".")
            ));
        };
        match self.nets[*id].role {
            Role::Input => Err("an input of its own module cannot be assigned".into()),
            Role::ChildOutput(_) => Err("a sub-block's output cannot be assigned".into()),
            _ => Ok(*id),
        }
    }

    fn conditional(&mut self, c: &VerilogConditional) -> Result<(), String> {
        let test = self.truth(&c.test)?;
        // A branch that is never taken may hold what has no meaning, as `a[i - 1]` for i = 0.
        if let Some(decided) = test.value() {
            if !decided.is_zero() {
                self.block(&c.then);
            } else {
                self.otherwise(&c.otherwise);
            }
            return Ok(());
        }
        let before = self.state.clone();
        self.block(&c.then);
        let then = std::mem::replace(&mut self.state, before);
        self.otherwise(&c.otherwise);
        let otherwise = std::mem::take(&mut self.state);
        self.state = State::join(&test, then, otherwise);
        Ok(())
    }

    fn otherwise(&mut self, branch: &VerilogBlockOrConditional) {
        match branch {
            VerilogBlockOrConditional::Block(block) => self.block(block),
            VerilogBlockOrConditional::Conditional(next) => self.block(&vec![(**next).clone()]),
            VerilogBlockOrConditional::None => {}
        }
    }

    /// The first arm that fits is taken; the last one takes what is left, as Rust has checked
    /// that the arms cover every value.
    fn matching(&mut self, m: &VerilogMatch) -> Result<(), String> {
        let test = self.sized(&m.test, None)?;
        if !matches!(test.ty, Ty::Enum(_) | Ty::Bool | Ty::Bits(_)) {
            return Err(format!("`match` on {} is not supported", test.ty.say()));
        }
        let statement = self.statement.clone();
        let before = self.state.clone();
        let mut arms = Vec::new();
        let mut named = BTreeSet::new();
        for case in &m.cases {
            self.statement = statement.clone();
            let value = self.pattern(case, &test)?;
            let within = value.as_ref().filter(|v| v.width == test.e.width);
            named.extend(within.and_then(|value| value.value().cloned()));
            // Once every value has its arm, a `_` is dead.
            let covered = values(&test.ty).is_some_and(|all| named.len() == all);
            let test = value.map(|value| equals(&test.e, value));
            let decided = test.as_ref().and_then(|test| test.value().cloned());
            if decided.as_ref().is_some_and(Zero::is_zero) {
                continue;
            }
            self.state = before.clone();
            self.block(&case.block);
            let last = covered || test.is_none() || decided.is_some();
            arms.push((test, std::mem::take(&mut self.state)));
            if last {
                break;
            }
        }
        let Some((_, mut joined)) = arms.pop() else {
            self.state = before;
            return Ok(());
        };
        for (test, state) in arms.into_iter().rev() {
            let test = test.ok_or("an arm after `_`")?;
            joined = State::join(&test, state, joined);
        }
        self.state = joined;
        Ok(())
    }

    /// The value that an arm is taken for: `None` is any. A number of more bits is never met.
    fn pattern(&self, case: &VerilogCase, test: &Value) -> Result<Option<E>, String> {
        let text = case.condition.as_str();
        if text == "default" {
            return Ok(None);
        }
        let value = if let Ty::Enum(_) = test.ty {
            let variant = self.variant(text)?.ok_or_else(|| {
                format!("pattern `{text}` is no variant: write `Enum::Variant`, or `_`")
            })?;
            if variant.ty != test.ty {
                return Err(format!("pattern `{text}` is not of type {}", test.ty.say()));
            }
            variant.e
        } else {
            let number = pattern_number(text, &test.ty)
                .ok_or_else(|| format!("pattern `{text}` is neither a number nor `_`"))?;
            let width = test.e.width.max(number.bits() as usize);
            ir::constant(width, number)
        };
        Ok(Some(value))
    }

    fn looping(&mut self, l: &VerilogLoop) -> Result<(), String> {
        let (from, to) = (bounded(&l.from)?, bounded(&l.to)?);
        if self.by_name.contains_key(&l.index) || self.constants.contains_key(&l.index) {
            return Err(format!(
                "loop variable `{}` has the name of a signal",
                l.index
            ));
        }
        for turn in from..to {
            self.turns += 1;
            if self.turns > MOST_TURNS {
                return Err(format!("the loops take more than {MOST_TURNS} turns"));
            }
            self.loops.push((l.index.clone(), turn as i128));
            self.block(&l.block);
            self.loops.pop();
        }
        Ok(())
    }

    fn links(&mut self, links: &[VerilogLink]) -> Result<(), String> {
        for link in links {
            self.statement = render::link(link);
            let (to, from) = match link {
                VerilogLink::Forward(d) => (full(&d.other_name, d), full(&d.owner_name, d)),
                VerilogLink::Backward(d) => (full(&d.owner_name, d), full(&d.other_name, d)),
                VerilogLink::Bidirectional(_) => {
                    return Err("a bidirectional signal cannot be linked".into());
                }
            };
            self.assignment(
                &VerilogExpression::Signal(format!("{to}$next")),
                &VerilogExpression::Signal(from),
            )?;
        }
        Ok(())
    }
}

/// Whether `e` has this value; a wider value is out of its reach.
fn equals(e: &E, value: E) -> E {
    if value.width > e.width {
        ir::bit(false)
    } else {
        ir::binary(Op::Eq, e.clone(), value)
    }
}

/// How many values a type has, where a `match` may name them all.
fn values(ty: &Ty) -> Option<usize> {
    match ty {
        Ty::Enum(e) => Some(e.variants.len()),
        Ty::Bool => Some(2),
        Ty::Bits(n) if *n <= MOST_MATCHED_BITS => Some(1 << n),
        _ => None,
    }
}

fn full(side: &str, d: &VerilogLinkDetails) -> String {
    format!("{side}{}", d.my_name.replace('.', "$"))
}

fn bounded(value: &VerilogLiteral) -> Result<usize, String> {
    let (value, _) = ty::literal(value).ok_or("a negative number")?;
    match value.to_u64_digits().as_slice() {
        [] => Ok(0),
        [one] if *one <= u64::from(u32::MAX) => Ok(*one as usize),
        _ => Err(format!("{value} is too large")),
    }
}

fn pattern_number(text: &str, ty: &Ty) -> Option<BigUint> {
    match (text, ty) {
        ("true", Ty::Bool) => Some(1u8.into()),
        ("false", Ty::Bool) => Some(0u8.into()),
        (_, Ty::Bits(_)) => match syn::parse_str(text).ok()? {
            Lit::Int(int) => int.base10_digits().parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// The field of a struct that fills exactly these bits.
pub(super) fn field_at(ty: &Ty, offset: usize, width: usize) -> Option<Ty> {
    let Ty::Struct(s) = ty else { return None };
    let mut low = 0;
    for (_, field) in &s.fields {
        if low == offset && field.width() == width {
            return Some(field.clone());
        }
        low += field.width();
    }
    None
}
