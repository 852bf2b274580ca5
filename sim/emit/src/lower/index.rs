//! Computed places in a vector. Rust computes them in `usize` and panics out of range;
//! `.index()` itself is not in the tree, so that `(x + 1).index()` and `x.index() + 1` look
//! the same. A sum is accepted only where both readings agree.

use num_bigint::BigUint;
use num_traits::One;
use rust_hdl_core::ast::{VerilogExpression as Ast, VerilogOp};

use super::Lowerer;
use super::expr::{Lowered, Value};
use super::number::Number;
use super::stmt::field_at;
use crate::ir::{self, Dir, E, Op};
use crate::ty::Ty;

/// `index()` takes no more bits.
const MOST_INDEX_BITS: usize = 32;

enum Place {
    Fixed(usize),
    Computed(E),
}

impl Lowerer<'_> {
    pub(super) fn get_bits(&mut self, a: &Ast, width: usize, offset: &Ast) -> Lowered {
        if self.open(a)? {
            return Err("bits of a number whose width the tree does not give".into());
        }
        let x = self.sized(a, None)?;
        match x.ty {
            Ty::Struct(_) => {
                let Some(offset) = self.number(offset)? else {
                    return Err("a struct has named fields only".into());
                };
                let offset: usize = offset
                    .value
                    .try_into()
                    .map_err(|_| "a field out of range")?;
                let field = field_at(&x.ty, offset, width)
                    .ok_or_else(|| format!("{} has no field of these bits", x.ty.say()))?;
                Ok(Value::new(ir::slice(x.e, offset, width), field))
            }
            Ty::Bits(_) => Ok(Value::new(
                self.bits_at(x.e, offset, width)?,
                Ty::Bits(width),
            )),
            Ty::Signed(_) => Ok(Value::new(
                self.bits_at(x.e, offset, width)?,
                Ty::Signed(width),
            )),
            _ => Err(format!("bits of a {}", x.ty.say())),
        }
    }

    pub(super) fn get_bit(&mut self, a: &Ast, place: &Ast) -> Lowered {
        if self.open(a)? {
            return Err("a bit of a number whose width the tree does not give".into());
        }
        let x = self.sized(a, None)?;
        match x.ty {
            Ty::Bits(_) | Ty::Signed(_) => Ok(Value::new(self.bit_at(x.e, place)?, Ty::Bool)),
            _ => Err(format!("a bit of a {}", x.ty.say())),
        }
    }

    pub(super) fn replace_bit(
        &mut self,
        a: &Ast,
        place: &Ast,
        value: &Ast,
        wanted: Option<&Ty>,
    ) -> Lowered {
        let x = self.sized(a, wanted)?;
        let Ty::Bits(_) = x.ty else {
            return Err(format!("`replace_bit` of a {}", x.ty.say()));
        };
        let value = self.truth(value)?;
        Ok(Value::new(self.bit_replaced(x.e, place, value)?, x.ty))
    }

    /// `get_bits::<width>(place)`: what lies above the vector is zero.
    pub(super) fn bits_at(&mut self, a: E, place: &Ast, width: usize) -> Result<E, String> {
        if width == 0 {
            return Err("a slice without bits".into());
        }
        let size = a.width;
        match self.place(place, size)? {
            Place::Fixed(at) if at > size => {
                Err(format!("place {at} is out of range: it panics in Rust"))
            }
            Place::Fixed(at) if at == size => Ok(ir::constant(width, BigUint::default())),
            Place::Fixed(at) => {
                let inside = width.min(size - at);
                Ok(ir::zero_extend(ir::slice(a, at, inside), width))
            }
            Place::Computed(at) => {
                let fits = at.width < 32 && (1usize << at.width) - 1 + width <= size;
                if fits {
                    Ok(ir::select(a, ir::zero_extend(at, index_width(size)), width))
                } else {
                    Ok(ir::resize(ir::shift(Dir::Right, a, at), width))
                }
            }
        }
    }

    /// `get_bit(place)`.
    pub(super) fn bit_at(&mut self, a: E, place: &Ast) -> Result<E, String> {
        let size = a.width;
        match self.place(place, size - 1)? {
            Place::Fixed(at) if at >= size => {
                Err(format!("bit {at} is out of range: it panics in Rust"))
            }
            Place::Fixed(at) => Ok(ir::slice(a, at, 1)),
            Place::Computed(at) if at.width < 32 && (1usize << at.width) <= size => {
                Ok(ir::select(a, ir::zero_extend(at, index_width(size)), 1))
            }
            Place::Computed(at) => Ok(ir::slice(ir::shift(Dir::Right, a, at), 0, 1)),
        }
    }

    /// `replace_bit(place, value)`.
    pub(super) fn bit_replaced(&mut self, a: E, place: &Ast, value: E) -> Result<E, String> {
        let size = a.width;
        match self.place(place, size - 1)? {
            Place::Fixed(at) if at >= size => {
                Err(format!("bit {at} is out of range: it panics in Rust"))
            }
            Place::Fixed(at) => {
                let mut parts = Vec::new();
                if at > 0 {
                    parts.push(ir::slice(a.clone(), 0, at));
                }
                parts.push(value);
                if at + 1 < size {
                    parts.push(ir::slice(a, at + 1, size - at - 1));
                }
                Ok(ir::concat(parts))
            }
            Place::Computed(at) => {
                let one = ir::shift(Dir::Left, ir::constant(size, BigUint::one()), at.clone());
                let new = ir::shift(Dir::Left, ir::zero_extend(value, size), at);
                let kept = ir::binary(Op::And, a, ir::not(one));
                Ok(ir::binary(Op::Or, kept, new))
            }
        }
    }

    /// `limit` is the largest place that Rust accepts.
    fn place(&mut self, e: &Ast, limit: usize) -> Result<Place, String> {
        if let Some(n) = self.number(e)? {
            return fixed(&n).map(Place::Fixed);
        }
        if let Some(at) = self.constant_sum(e)? {
            return Ok(Place::Fixed(at));
        }
        self.computed(e, limit).map(Place::Computed)
    }

    /// The sum of two constants, if it wraps in neither reading.
    fn constant_sum(&mut self, e: &Ast) -> Result<Option<usize>, String> {
        let Ast::Binary(a, VerilogOp::Add, b) = strip(e) else {
            return Ok(None);
        };
        if self.number(a)?.is_some() || self.number(b)?.is_some() {
            return Ok(None);
        }
        let (Ast::Signal(_), Ast::Signal(_)) = (strip(a), strip(b)) else {
            return Ok(None);
        };
        let (x, y) = (self.plain(a)?, self.plain(b)?);
        let (Some(p), Some(q)) = (x.value(), y.value()) else {
            return Ok(None);
        };
        let sum = p + q;
        let narrow = x.width.min(y.width) as u64;
        Ok(sum
            .try_into()
            .ok()
            .filter(|sum| BigUint::from(*sum).bits() <= narrow))
    }

    fn computed(&mut self, e: &Ast, limit: usize) -> Result<E, String> {
        match e {
            Ast::Paren(inner) => self.computed(inner, limit),
            Ast::Binary(a, op @ (VerilogOp::Add | VerilogOp::Sub), b) => {
                match (self.number(a)?, self.number(b)?) {
                    (None, Some(n)) => self.moved(a, op, &n, limit),
                    (Some(n), None) if matches!(op, VerilogOp::Add) => self.moved(b, op, &n, limit),
                    _ => Err(ambiguous()),
                }
            }
            Ast::Binary(a, VerilogOp::Mul, b) => match (self.number(a)?, self.number(b)?) {
                (None, Some(n)) => self.scaled(a, &n),
                (Some(n), None) => self.scaled(b, &n),
                _ => Err(ambiguous()),
            },
            Ast::Binary(_, VerilogOp::Shl | VerilogOp::Shr, _) => Err(ambiguous()),
            _ => self.plain(e),
        }
    }

    /// A value without arithmetic on top.
    fn plain(&mut self, e: &Ast) -> Result<E, String> {
        if sums(e) {
            return Err(ambiguous());
        }
        let value = self.sized(e, None)?;
        match value.ty {
            Ty::Bits(n) if n <= MOST_INDEX_BITS => Ok(value.e),
            _ => Err(format!("a place of type {}", value.ty.say())),
        }
    }

    /// Only `usize` is multiplied by a number: no wrap.
    fn scaled(&mut self, a: &Ast, n: &Number) -> Result<E, String> {
        let by = fixed(n)?;
        let a = self.plain(a)?;
        let width = a.width + BigUint::from(by).bits().max(1) as usize;
        Ok(ir::binary(
            Op::Mul,
            ir::zero_extend(a, width),
            ir::constant(width, by.into()),
        ))
    }

    fn moved(&mut self, a: &Ast, op: &VerilogOp, n: &Number, limit: usize) -> Result<E, String> {
        let by = fixed(n)?;
        let op = if matches!(op, VerilogOp::Add) {
            Op::Add
        } else {
            Op::Sub
        };
        if let Ast::Binary(_, VerilogOp::Mul, _) = strip(a) {
            let a = self.computed(a, limit)?;
            let width = a.width.max(BigUint::from(by).bits() as usize) + 1;
            return Ok(ir::binary(
                op,
                ir::zero_extend(a, width),
                ir::constant(width, by.into()),
            ));
        }
        let a = self.plain(a)?;
        let width = a.width;
        if BigUint::from(by).bits() > width as u64 {
            // As `Bits` this number panics: it is `usize`.
            let wide = BigUint::from(by).bits() as usize + 1;
            return Ok(ir::binary(
                op,
                ir::zero_extend(a, wide),
                ir::constant(wide, by.into()),
            ));
        }
        // Where the two readings differ, the sum is at least 2^width: out of range, a panic.
        if width >= 32 || (1usize << width) > limit {
            return Ok(ir::binary(op, a, ir::constant(width, by.into())));
        }
        Err(ambiguous())
    }
}

fn fixed(n: &Number) -> Result<usize, String> {
    match n.value.to_u64_digits().as_slice() {
        [] => Ok(0),
        [one] if *one <= u64::from(u32::MAX) => Ok(*one as usize),
        _ => Err(format!("place {} is too large", n.value)),
    }
}

fn strip(e: &Ast) -> &Ast {
    match e {
        Ast::Paren(inner) => strip(inner),
        _ => e,
    }
}

/// Whether the outer operators of `e` include one that may wrap; `&`, `|` and `^` do not.
fn sums(e: &Ast) -> bool {
    match strip(e) {
        Ast::Binary(a, VerilogOp::BitAnd | VerilogOp::BitOr | VerilogOp::BitXor, b) => {
            sums(a) || sums(b)
        }
        Ast::Binary(..) => true,
        _ => false,
    }
}

fn ambiguous() -> String {
    "the tree does not say whether this place wraps as `Bits` or not as `usize`: compute it in a \
     signal of its own"
        .into()
}

fn index_width(size: usize) -> usize {
    let mut width = 1;
    while (1usize << width) < size {
        width += 1;
    }
    width
}
