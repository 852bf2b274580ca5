//! Bare numbers: literals, loop variables, and what is computed of them alone.

use num_bigint::BigUint;
use rust_hdl_core::ast::{VerilogExpression as Ast, VerilogOp, VerilogOpUnary};

use super::Lowerer;
use super::expr::{Lowered, Value};
use crate::ir;
use crate::names::lookup;
use crate::ty::{self, Ty};

impl Lowerer<'_> {
    /// The value of an expression made of whole numbers and loop variables only. Rust
    /// computes it in an integer type or, behind `to_bits()`, in the target's width: the
    /// result is exact in both if no step leaves the target's range, checked by the caller
    /// through `largest`.
    pub(super) fn number(&self, e: &Ast) -> Result<Option<Number>, String> {
        match e {
            Ast::Literal(literal) => match ty::literal(literal) {
                Some((_, 1)) => Ok(None),
                Some((value, _)) => Ok(Some(Number::new(value))),
                None => Err("a negative literal".into()),
            },
            Ast::Signal(raw) => {
                Ok(lookup(raw, &self.loops).map(|v| Number::new((v as u64).into())))
            }
            Ast::Paren(inner) => self.number(inner),
            Ast::Binary(a, op, b) => match (self.number(a)?, self.number(b)?) {
                (Some(a), Some(b)) => Number::combine(a, op, b),
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    pub(super) fn number_as(&self, number: Number, wanted: Option<&Ty>) -> Lowered {
        let Some(wanted) = wanted else {
            return Err(
                "a number whose width the tree does not give: write `bits::<W>(..)`".into(),
            );
        };
        let width = match wanted {
            Ty::Bits(n) => *n,
            Ty::Signed(n) => *n - 1,
            _ => return Err(format!("a number where a {} is needed", wanted.say())),
        };
        if number.largest.bits() > width as u64 {
            return Err(format!("{} does not fit {}", number.largest, wanted.say()));
        }
        Ok(Value::new(
            ir::constant(wanted.width(), number.value),
            wanted.clone(),
        ))
    }

    pub(super) fn signed_number(&self, e: &Ast) -> Result<Option<(bool, BigUint)>, String> {
        match e {
            Ast::Paren(inner) => self.signed_number(inner),
            Ast::Unary(VerilogOpUnary::Neg, inner) => {
                Ok(self.number(inner)?.map(|n| (true, n.value)))
            }
            _ => Ok(self.number(e)?.map(|n| (false, n.value))),
        }
    }
}

/// A whole number and the largest value on the way to it.
#[derive(Clone)]
pub(super) struct Number {
    pub value: BigUint,
    pub largest: BigUint,
}

impl Number {
    pub fn new(value: BigUint) -> Self {
        Number {
            largest: value.clone(),
            value,
        }
    }

    fn combine(a: Number, op: &VerilogOp, b: Number) -> Result<Option<Number>, String> {
        let (x, y) = (&a.value, &b.value);
        let value = match op {
            VerilogOp::Add => x + y,
            VerilogOp::Sub if x >= y => x - y,
            VerilogOp::Sub => return Err(format!("{x} - {y} is negative")),
            VerilogOp::Mul => x * y,
            VerilogOp::BitAnd => x & y,
            VerilogOp::BitOr => x | y,
            VerilogOp::BitXor => x ^ y,
            VerilogOp::Shr | VerilogOp::Shl => {
                let by: u32 = y
                    .try_into()
                    .ok()
                    .filter(|by| *by < 64)
                    .ok_or("a shift by 64 or more")?;
                if matches!(op, VerilogOp::Shl) {
                    x << by
                } else {
                    x >> by
                }
            }
            _ => return Ok(None),
        };
        if value.bits() > 64 {
            return Err(format!("{value} does not fit u64"));
        }
        let largest = a.largest.max(b.largest).max(value.clone());
        Ok(Some(Number { value, largest }))
    }
}
