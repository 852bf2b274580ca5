//! Expressions: every one gets Rust's type, or is refused.

use num_bigint::BigUint;
use rust_hdl_core::ast::{VerilogExpression as Ast, VerilogOp, VerilogOpUnary};

use super::number::Number;
use super::{Lowerer, Role};
use crate::ir::{self, Dir, E, Op, Reduce};
use crate::names::resolve;
use crate::ty::{self, EnumTy, Ty};

/// An expression with its type.
#[derive(Clone)]
pub(super) struct Value {
    pub e: E,
    pub ty: Ty,
}

impl Value {
    pub fn new(e: E, ty: Ty) -> Self {
        Value { e, ty }
    }
}

pub(super) type Lowered = Result<Value, String>;

/// Rust's shift amounts go through `u64`.
const MOST_AMOUNT_BITS: usize = 64;

impl Lowerer<'_> {
    /// Lowers `e`. `wanted` is the type that Rust's inference gives it from outside; it is
    /// used only where the expression has no type of its own.
    pub(super) fn sized(&mut self, e: &Ast, wanted: Option<&Ty>) -> Lowered {
        if let Some(number) = self.number(e)? {
            return self.number_as(number, wanted);
        }
        match e {
            Ast::Signal(raw) => self.read(raw),
            Ast::Literal(_) => self.truth_literal(e),
            Ast::Paren(inner) => self.sized(inner, wanted),
            Ast::Cast(inner, width) => self.cast(inner, *width),
            Ast::Signed(inner) => self.signed(inner, wanted),
            Ast::Unsigned(inner) => self.unsigned(inner),
            Ast::Binary(a, op, b) => self.binary(a, op, b, wanted),
            Ast::Unary(op, a) => self.unary(op, a, wanted),
            Ast::Index(a, i) => self.get_bit(a, i),
            Ast::Slice(a, width, i) => self.get_bits(a, *width, i),
            Ast::IndexReplace(a, i, v) => self.replace_bit(a, i, v, wanted),
        }
    }

    /// A condition.
    pub(super) fn truth(&mut self, e: &Ast) -> Result<E, String> {
        let value = self.sized(e, Some(&Ty::Bool))?;
        if value.ty.is_bit() {
            Ok(value.e)
        } else {
            Err(format!("a condition of type {}", value.ty.say()))
        }
    }

    fn truth_literal(&self, e: &Ast) -> Lowered {
        match e {
            Ast::Literal(literal) => match ty::literal(literal) {
                Some((value, 1)) => Ok(Value::new(ir::constant(1, value), Ty::Bool)),
                _ => Err("a literal without a type".into()),
            },
            _ => Err("a literal without a type".into()),
        }
    }

    fn read(&mut self, raw: &str) -> Lowered {
        if let Some(variant) = self.variant(raw)? {
            return Ok(variant);
        }
        if raw.ends_with("$next") {
            return Err("`.next` cannot be read: use `.val()`".into());
        }
        if let Some((signal, fields)) = raw.split_once("$val()$")
            && !fields.contains([']', '('])
        {
            return self.fields_of(signal, fields);
        }
        let name = resolve(raw, &self.loops)?;
        if let Some((ty, value)) = self.constants.get(&name) {
            return Ok(Value::new(
                ir::named(ty.width(), value.clone(), name),
                ty.clone(),
            ));
        }
        if let Some(why) = self.hidden.get(&name) {
            return Err(format!("`{}`: {why}", name.replace('$', ".")));
        }
        let Some(id) = self.by_name.get(&name).copied() else {
            return Err(unknown(&name));
        };
        let net = &self.nets[id];
        let ty = net.ty.clone();
        let settled = !matches!(net.role, Role::Local | Role::Output);
        self.read.insert(id);
        let e = match self.state.0.get(&id) {
            Some(drive) if !settled => drive.value(),
            _ => ir::net(id, ty.width()),
        };
        Ok(Value::new(e, ty))
    }

    /// `signal.val().outer.inner`: the tree keeps a field of a field as text.
    fn fields_of(&mut self, signal: &str, fields: &str) -> Lowered {
        let mut value = self.read(signal)?;
        for name in fields.split('$') {
            let Ty::Struct(s) = &value.ty else {
                return Err(format!("`{name}` of a {}", value.ty.say()));
            };
            let place = s.fields.iter().position(|(field, _)| field == name);
            let place = place.ok_or_else(|| format!("{} has no field `{name}`", s.name))?;
            let offset = s.fields[..place].iter().map(|(_, ty)| ty.width()).sum();
            let ty = s.fields[place].1.clone();
            value = Value::new(ir::slice(value.e, offset, ty.width()), ty);
        }
        Ok(value)
    }

    /// `Enum$Variant`, if it is one.
    pub(super) fn variant(&self, raw: &str) -> Result<Option<Value>, String> {
        let parts: Vec<&str> = raw.split('$').collect();
        let [.., name, variant] = parts.as_slice() else {
            return Ok(None);
        };
        let mut found: Vec<&EnumTy> = self
            .enums
            .iter()
            .filter(|e| e.name == *name && e.variants.iter().any(|v| v == variant))
            .collect();
        // Field paths are lower case; an enum may be named like one.
        if found.is_empty() || self.by_name.contains_key(raw) {
            return Ok(None);
        }
        found.dedup();
        let [one] = found.as_slice() else {
            return Err(format!(
                "two enums named `{name}` are in sight of this module"
            ));
        };
        let place = one.variants.iter().position(|v| v == variant).unwrap_or(0);
        let ty = Ty::Enum((*one).clone());
        let label = format!("{name}${variant}");
        Ok(Some(Value::new(
            ir::named(ty.width(), place.into(), label),
            ty,
        )))
    }

    /// `bit_cast`, `bits` and `Bits::from`: the argument's width is its own.
    fn cast(&mut self, inner: &Ast, width: usize) -> Lowered {
        let wanted = Ty::Bits(width);
        if self.number(inner)?.is_some() {
            return self.sized(inner, Some(&wanted));
        }
        let value = self.sized(inner, None)?;
        match value.ty {
            Ty::Bits(_) | Ty::Bool | Ty::Enum(_) => {}
            Ty::Struct(_) if value.e.width == width => {}
            _ => return Err(format!("a cast of a {} to {} bits", value.ty.say(), width)),
        }
        Ok(Value::new(ir::resize(value.e, width), wanted))
    }

    /// `signed_cast`, `signed_bit_cast` (its width is not in the tree) and `to_signed_bits`.
    fn signed(&mut self, inner: &Ast, wanted: Option<&Ty>) -> Lowered {
        if let Some(number) = self.signed_number(inner)? {
            return signed_literal(number, wanted);
        }
        let value = self.sized(inner, None)?;
        match (&value.ty, wanted) {
            (Ty::Bits(n), _) => Ok(Value::new(value.e, Ty::Signed(*n))),
            (Ty::Signed(_), Some(Ty::Signed(n))) => {
                Ok(Value::new(ir::resize_signed(value.e, *n), Ty::Signed(*n)))
            }
            (Ty::Signed(_), _) => {
                Err("the tree does not give the width of this `signed_bit_cast`: assign it to a signal of its own".into())
            }
            _ => Err(format!("a signed cast of a {}", value.ty.say())),
        }
    }

    fn unsigned(&mut self, inner: &Ast) -> Lowered {
        let value = self.sized(inner, None)?;
        match value.ty {
            Ty::Signed(n) => Ok(Value::new(value.e, Ty::Bits(n))),
            _ => Err(format!("`unsigned_cast` of a {}", value.ty.say())),
        }
    }

    fn unary(&mut self, op: &VerilogOpUnary, a: &Ast, wanted: Option<&Ty>) -> Lowered {
        if let (VerilogOpUnary::Neg, Some(number)) = (op, self.number(a)?) {
            return signed_literal((true, number.value), wanted);
        }
        if self.number(a)?.is_some() {
            return Err(
                "this operator on a bare number depends on a width that the tree does not give"
                    .into(),
            );
        }
        let inner = matches!(op, VerilogOpUnary::Not | VerilogOpUnary::Neg)
            .then_some(wanted)
            .flatten();
        let value = self.sized(a, inner)?;
        let reduced = |op| Ok(Value::new(ir::reduce(op, value.e.clone()), Ty::Bool));
        match (op, &value.ty) {
            (VerilogOpUnary::Not, Ty::Bool | Ty::Bits(_)) => {
                Ok(Value::new(ir::not(value.e), value.ty))
            }
            (VerilogOpUnary::Neg, Ty::Signed(_)) => Ok(Value::new(ir::neg(value.e), value.ty)),
            (VerilogOpUnary::All, Ty::Bits(_)) => reduced(Reduce::All),
            (VerilogOpUnary::Any, Ty::Bits(_)) => reduced(Reduce::Any),
            (VerilogOpUnary::Xor, Ty::Bits(_)) => reduced(Reduce::Xor),
            _ => Err(format!("this operator on a {}", value.ty.say())),
        }
    }

    fn binary(&mut self, a: &Ast, op: &VerilogOp, b: &Ast, wanted: Option<&Ty>) -> Lowered {
        match op {
            VerilogOp::Shl => self.shift(Dir::Left, a, b, wanted),
            VerilogOp::Shr => self.shift(Dir::Right, a, b, wanted),
            VerilogOp::LogicalAnd => self.logical(Op::And, a, b),
            VerilogOp::LogicalOr => self.logical(Op::Or, a, b),
            VerilogOp::Mul => self.multiply(a, b),
            VerilogOp::Add => self.arithmetic(Op::Add, a, b, wanted),
            VerilogOp::Sub => self.arithmetic(Op::Sub, a, b, wanted),
            VerilogOp::BitAnd => self.arithmetic(Op::And, a, b, wanted),
            VerilogOp::BitOr => self.arithmetic(Op::Or, a, b, wanted),
            VerilogOp::BitXor => self.arithmetic(Op::Xor, a, b, wanted),
            VerilogOp::Eq => self.compare(Op::Eq, a, b),
            VerilogOp::Ne => self.compare(Op::Ne, a, b),
            VerilogOp::Lt => self.compare(Op::Lt, a, b),
            VerilogOp::Le => self.compare(Op::Le, a, b),
            VerilogOp::Gt => self.compare(Op::Gt, a, b),
            VerilogOp::Ge => self.compare(Op::Ge, a, b),
        }
    }

    /// Whether an expression takes its width from outside.
    pub(super) fn open(&self, e: &Ast) -> Result<bool, String> {
        if self.number(e)?.is_some() {
            return Ok(true);
        }
        Ok(match e {
            Ast::Paren(inner) => self.open(inner)?,
            Ast::Signed(inner) => match &**inner {
                Ast::Signal(raw) => matches!(self.peek(raw), Some(Ty::Signed(_))),
                _ => self.open(inner)? || self.gives_signed(inner),
            },
            Ast::Unary(VerilogOpUnary::Not | VerilogOpUnary::Neg, inner) => self.open(inner)?,
            Ast::Binary(a, VerilogOp::Shl | VerilogOp::Shr, _) => self.open(a)?,
            Ast::Binary(
                a,
                VerilogOp::Add
                | VerilogOp::Sub
                | VerilogOp::BitAnd
                | VerilogOp::BitOr
                | VerilogOp::BitXor,
                b,
            ) => self.open(a)? && self.open(b)?,
            Ast::IndexReplace(a, _, _) => self.open(a)?,
            _ => false,
        })
    }

    fn peek(&self, raw: &str) -> Option<Ty> {
        let name = resolve(raw, &self.loops).ok()?;
        let constant = self.constants.get(&name).map(|(ty, _)| ty.clone());
        constant.or_else(|| self.by_name.get(&name).map(|id| self.nets[*id].ty.clone()))
    }

    /// Whether an expression is a `Signed`, so that `Signed` of it is a cast to an unknown width.
    fn gives_signed(&self, e: &Ast) -> bool {
        match e {
            Ast::Signal(raw) => matches!(self.peek(raw), Some(Ty::Signed(_))),
            Ast::Paren(a) | Ast::Unary(_, a) | Ast::Slice(a, _, _) => self.gives_signed(a),
            Ast::Binary(a, _, b) => self.gives_signed(a) || self.gives_signed(b),
            Ast::Signed(_) => true,
            _ => false,
        }
    }

    /// Both sides, each with its type; a bare number takes the other's.
    fn pair(&mut self, a: &Ast, b: &Ast, wanted: Option<&Ty>) -> Result<(Value, Value), String> {
        if !self.open(a)? {
            let x = self.sized(a, None)?;
            let y = self.sized(b, Some(&x.ty.clone()))?;
            return Ok((x, y));
        }
        if !self.open(b)? {
            let y = self.sized(b, None)?;
            let x = self.sized(a, Some(&y.ty.clone()))?;
            return Ok((x, y));
        }
        Ok((self.sized(a, wanted)?, self.sized(b, wanted)?))
    }

    fn arithmetic(&mut self, op: Op, a: &Ast, b: &Ast, wanted: Option<&Ty>) -> Lowered {
        let (x, mut y) = self.pair(a, b, wanted)?;
        // `Bits + bool` is the one operator of two types.
        if let (Op::Add, Ty::Bits(n), true) = (op, &x.ty, y.ty == Ty::Bool) {
            y = Value::new(ir::zero_extend(y.e, *n), x.ty.clone());
        }
        let bitwise = matches!(op, Op::And | Op::Or | Op::Xor);
        let fits = match (&x.ty, &y.ty) {
            (Ty::Bits(m), Ty::Bits(n)) => m == n,
            (Ty::Signed(m), Ty::Signed(n)) => m == n && !bitwise,
            (a, b) if a.is_bit() && b.is_bit() => bitwise || *a == Ty::Bits(1),
            _ => false,
        };
        if !fits {
            return Err(format!(
                "this operator on {} and {}",
                x.ty.say(),
                y.ty.say()
            ));
        }
        Ok(Value::new(ir::binary(op, x.e, y.e), x.ty))
    }

    fn logical(&mut self, op: Op, a: &Ast, b: &Ast) -> Lowered {
        let (x, y) = (self.truth(a)?, self.truth(b)?);
        Ok(Value::new(ir::binary(op, x, y), Ty::Bool))
    }

    /// rust-hdl multiplies 16 by 16 bits only.
    fn multiply(&mut self, a: &Ast, b: &Ast) -> Lowered {
        let (x, y) = (self.sized(a, None)?, self.sized(b, None)?);
        match (&x.ty, &y.ty) {
            (Ty::Bits(16), Ty::Bits(16)) => {
                let (x, y) = (ir::zero_extend(x.e, 32), ir::zero_extend(y.e, 32));
                Ok(Value::new(ir::binary(Op::Mul, x, y), Ty::Bits(32)))
            }
            (Ty::Signed(16), Ty::Signed(16)) => {
                let (x, y) = (ir::resize_signed(x.e, 32), ir::resize_signed(y.e, 32));
                Ok(Value::new(ir::binary(Op::Mul, x, y), Ty::Signed(32)))
            }
            _ => Err(format!(
                "{} times {}: only 16 bits by 16 bits are multiplied",
                x.ty.say(),
                y.ty.say()
            )),
        }
    }

    fn shift(&mut self, dir: Dir, a: &Ast, b: &Ast, wanted: Option<&Ty>) -> Lowered {
        if self.open(a)? && wanted.is_none() {
            return Err(
                "a shifted number whose width the tree does not give: write `bits::<64>(..) << ..`"
                    .into(),
            );
        }
        let x = self.sized(a, wanted)?;
        if !matches!(x.ty, Ty::Bits(_)) {
            return Err(format!("a shift of a {}", x.ty.say()));
        }
        let amount = match self.number(b)? {
            Some(n) if n.largest.bits() > 32 => {
                return Err("a shift by more than 32 bits' worth".into());
            }
            Some(n) => ir::constant(32, n.value),
            None => {
                let y = self.sized(b, None)?;
                match y.ty {
                    Ty::Bits(n) if n <= MOST_AMOUNT_BITS => y.e,
                    _ => return Err(format!("a shift by a {}", y.ty.say())),
                }
            }
        };
        Ok(Value::new(ir::shift(dir, x.e, amount), x.ty))
    }

    fn compare(&mut self, op: Op, a: &Ast, b: &Ast) -> Lowered {
        let (na, nb) = (self.number(a)?, self.number(b)?);
        let answer = match (na, nb) {
            (Some(x), Some(y)) => {
                let width = x.value.bits().max(y.value.bits()).max(1) as usize;
                ir::binary(
                    op,
                    ir::constant(width, x.value),
                    ir::constant(width, y.value),
                )
            }
            (None, Some(n)) => {
                let x = self.sized(a, None)?;
                return self.compare_number(op, x, n, false);
            }
            (Some(n), None) => {
                let y = self.sized(b, None)?;
                return self.compare_number(op, y, n, true);
            }
            (None, None) => {
                let (x, y) = self.pair(a, b, None)?;
                return compare_values(op, x, y);
            }
        };
        Ok(Value::new(answer, Ty::Bool))
    }

    /// A comparison with a bare number. Up to 32 bits, a number that does not fit either
    /// panics in Rust (as `Bits`) or decides the comparison (as an index): both give this.
    fn compare_number(&self, op: Op, x: Value, n: Number, number_first: bool) -> Lowered {
        let Ty::Bits(width) = x.ty else {
            let y = self.number_as(n, Some(&x.ty))?;
            return if number_first {
                compare_values(op, y, x)
            } else {
                compare_values(op, x, y)
            };
        };
        let wide = n.largest.bits() as usize;
        if wide > width && width > 32 {
            return Err(format!("{} does not fit {}", n.largest, x.ty.say()));
        }
        let wide = wide.max(width);
        let decided = |below: bool| match op {
            Op::Eq => false,
            Op::Ne => true,
            Op::Lt | Op::Le => below,
            _ => !below,
        };
        let answer = if wide > width {
            ir::bit(decided(!number_first))
        } else {
            let y = ir::constant(width, n.value);
            if number_first {
                ir::binary(op, y, x.e)
            } else {
                ir::binary(op, x.e, y)
            }
        };
        Ok(Value::new(answer, Ty::Bool))
    }
}

fn compare_values(op: Op, x: Value, y: Value) -> Lowered {
    let equality = matches!(op, Op::Eq | Op::Ne);
    let fits = match (&x.ty, &y.ty) {
        (Ty::Clock, _) | (_, Ty::Clock) => return Err("a clock is no data".into()),
        (a, b) if a.is_bit() && b.is_bit() => true,
        (Ty::Bits(m), Ty::Bits(n)) | (Ty::Signed(m), Ty::Signed(n)) => m == n,
        (a, b) => equality && a == b,
    };
    if !fits {
        return Err(format!("a comparison of {} and {}", x.ty.say(), y.ty.say()));
    }
    let op = match (op, &x.ty) {
        (Op::Lt, Ty::Signed(_)) => Op::SignedLt,
        (Op::Le, Ty::Signed(_)) => Op::SignedLe,
        (Op::Gt, Ty::Signed(_)) => Op::SignedGt,
        (Op::Ge, Ty::Signed(_)) => Op::SignedGe,
        _ => op,
    };
    Ok(Value::new(ir::binary(op, x.e, y.e), Ty::Bool))
}

fn signed_literal((negative, value): (bool, BigUint), wanted: Option<&Ty>) -> Lowered {
    let Some(Ty::Signed(n)) = wanted else {
        return Err("a signed number whose width the tree does not give".into());
    };
    if value.bits() >= *n as u64 {
        return Err(format!("{value} does not fit Signed<{n}>"));
    }
    let e = ir::constant(*n, value);
    Ok(Value::new(
        if negative { ir::neg(e) } else { e },
        Ty::Signed(*n),
    ))
}

fn unknown(name: &str) -> String {
    let shown = name.replace('$', ".");
    let upper = name.chars().next().is_some_and(|c| c.is_ascii_uppercase());
    if upper {
        format!("`{shown}` is not in the tree: put a constant into a `Constant` field")
    } else {
        format!("`{shown}` is no signal of this module")
    }
}
