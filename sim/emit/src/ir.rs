//! The typed tree: every expression has its width. Constructors fold constants, so that
//! no printed comparison is decided before it runs (tools warn of those).

use std::rc::Rc;

use num_bigint::BigUint;
use num_traits::{One, Zero};

/// A wire of a module, by its place in the module's list.
pub(crate) type NetId = usize;
pub(crate) type E = Rc<Expr>;

#[derive(Debug)]
pub(crate) struct Expr {
    pub width: usize,
    pub kind: Kind,
}

#[derive(Debug)]
pub(crate) enum Kind {
    /// A value, and the name it prints under (a constant field or an enum variant).
    Const(BigUint, Option<String>),
    Net(NetId),
    Not(E),
    Neg(E),
    Reduce(Reduce, E),
    Binary(Op, E, E),
    Shift(Dir, E, E),
    /// Bits from `offset` up.
    Slice(E, usize),
    /// Lowest part first.
    Concat(Vec<E>),
    SignExtend(E),
    Mux(E, E, E),
    /// `width` bits from a computed place that is never out of range.
    Select(E, E),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduce {
    All,
    Any,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dir {
    Left,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    SignedLt,
    SignedLe,
    SignedGt,
    SignedGe,
}

impl Op {
    pub fn is_compare(self) -> bool {
        !matches!(
            self,
            Op::Add | Op::Sub | Op::Mul | Op::And | Op::Or | Op::Xor
        )
    }

    pub fn is_signed(self) -> bool {
        matches!(
            self,
            Op::SignedLt | Op::SignedLe | Op::SignedGt | Op::SignedGe
        )
    }
}

fn node(width: usize, kind: Kind) -> E {
    assert!(width > 0, "an expression without bits");
    Rc::new(Expr { width, kind })
}

pub(crate) fn mask(width: usize) -> BigUint {
    (BigUint::one() << width) - BigUint::one()
}

impl Expr {
    pub fn value(&self) -> Option<&BigUint> {
        match &self.kind {
            Kind::Const(value, _) => Some(value),
            _ => None,
        }
    }
}

pub(crate) fn constant(width: usize, value: BigUint) -> E {
    node(width, Kind::Const(value & mask(width), None))
}

pub(crate) fn named(width: usize, value: BigUint, name: String) -> E {
    node(width, Kind::Const(value & mask(width), Some(name)))
}

pub(crate) fn bit(value: bool) -> E {
    constant(1, BigUint::from(u8::from(value)))
}

pub(crate) fn net(id: NetId, width: usize) -> E {
    node(width, Kind::Net(id))
}

pub(crate) fn not(a: E) -> E {
    match (&a.kind, a.value()) {
        (_, Some(v)) => constant(a.width, v ^ mask(a.width)),
        (Kind::Not(inner), _) => inner.clone(),
        _ => node(a.width, Kind::Not(a)),
    }
}

pub(crate) fn neg(a: E) -> E {
    match a.value() {
        Some(v) => constant(a.width, (mask(a.width) - v) + BigUint::one()),
        None => node(a.width, Kind::Neg(a)),
    }
}

pub(crate) fn reduce(op: Reduce, a: E) -> E {
    if a.width == 1 {
        return a;
    }
    match a.value() {
        Some(v) => bit(match op {
            Reduce::All => *v == mask(a.width),
            Reduce::Any => !v.is_zero(),
            Reduce::Xor => v.count_ones() % 2 == 1,
        }),
        None => node(1, Kind::Reduce(op, a)),
    }
}

pub(crate) fn binary(op: Op, a: E, b: E) -> E {
    assert_eq!(a.width, b.width, "operands of one width");
    if op.is_compare() {
        return compare(op, a, b);
    }
    let width = a.width;
    if let (Some(x), Some(y)) = (a.value(), b.value()) {
        let value = match op {
            Op::Add => x + y,
            Op::Sub => x + (mask(width) - y) + BigUint::one(),
            Op::Mul => x * y,
            Op::And => x & y,
            Op::Or => x | y,
            _ => x ^ y,
        };
        return constant(width, value);
    }
    node(width, Kind::Binary(op, a, b))
}

/// Signed order is unsigned order with the top bit turned over.
fn order_key(op: Op, width: usize, value: &BigUint) -> BigUint {
    if op.is_signed() {
        value ^ (BigUint::one() << (width - 1))
    } else {
        value.clone()
    }
}

fn compare(op: Op, a: E, b: E) -> E {
    let width = a.width;
    let (x, y) = (
        a.value().map(|v| order_key(op, width, v)),
        b.value().map(|v| order_key(op, width, v)),
    );
    if let (Some(x), Some(y)) = (&x, &y) {
        return bit(match op {
            Op::Eq => x == y,
            Op::Ne => x != y,
            Op::Lt | Op::SignedLt => x < y,
            Op::Le | Op::SignedLe => x <= y,
            Op::Gt | Op::SignedGt => x > y,
            _ => x >= y,
        });
    }
    let (x_zero, x_top) = (
        x.as_ref().is_some_and(Zero::is_zero),
        x == Some(mask(width)),
    );
    let (y_zero, y_top) = (
        y.as_ref().is_some_and(Zero::is_zero),
        y == Some(mask(width)),
    );
    let decided = match op {
        Op::Lt | Op::SignedLt if y_zero || x_top => Some(false),
        Op::Ge | Op::SignedGe if y_zero || x_top => Some(true),
        Op::Gt | Op::SignedGt if x_zero || y_top => Some(false),
        Op::Le | Op::SignedLe if x_zero || y_top => Some(true),
        _ => None,
    };
    match decided {
        Some(answer) => bit(answer),
        None => node(1, Kind::Binary(op, a, b)),
    }
}

pub(crate) fn shift(dir: Dir, a: E, amount: E) -> E {
    let width = a.width;
    let Some(by) = amount.value() else {
        return shift_computed(dir, a, amount);
    };
    if *by >= BigUint::from(width) {
        return constant(width, BigUint::zero());
    }
    let by = by.iter_u32_digits().next().unwrap_or(0) as usize;
    if by == 0 {
        return a;
    }
    let zeros = constant(by, BigUint::zero());
    match dir {
        Dir::Left => concat(vec![zeros, slice(a, 0, width - by)]),
        Dir::Right => concat(vec![slice(a, by, width - by), zeros]),
    }
}

/// An amount wider than it needs to be is cut, and its upper bits make zero: Verilator takes
/// no amount of more than 32 bits.
fn shift_computed(dir: Dir, a: E, amount: E) -> E {
    let width = a.width;
    let needed = usize::BITS as usize - width.leading_zeros() as usize;
    if amount.width <= needed {
        return node(width, Kind::Shift(dir, a, amount));
    }
    let high = slice(amount.clone(), needed, amount.width - needed);
    let low = slice(amount, 0, needed);
    let shifted = node(width, Kind::Shift(dir, a, low));
    mux(
        reduce(Reduce::Any, high),
        constant(width, BigUint::zero()),
        shifted,
    )
}

pub(crate) fn slice(a: E, offset: usize, width: usize) -> E {
    assert!(offset + width <= a.width, "slice inside its vector");
    if width == a.width {
        return a;
    }
    match &a.kind {
        Kind::Const(v, _) => constant(width, v >> offset),
        Kind::Slice(inner, from) => slice(inner.clone(), from + offset, width),
        Kind::Concat(parts) => slice_parts(parts, offset, width),
        _ => node(width, Kind::Slice(a, offset)),
    }
}

fn slice_parts(parts: &[E], offset: usize, width: usize) -> E {
    let (mut low, mut picked) = (0, Vec::new());
    for part in parts {
        let (from, to) = (low.max(offset), (low + part.width).min(offset + width));
        if from < to {
            picked.push(slice(part.clone(), from - low, to - from));
        }
        low += part.width;
    }
    concat(picked)
}

/// Joins parts, lowest first; neighbours of one vector become one slice again.
pub(crate) fn concat(parts: Vec<E>) -> E {
    let mut joined: Vec<E> = Vec::new();
    for part in parts {
        let inner = match &part.kind {
            Kind::Concat(inner) => inner.clone(),
            _ => vec![part],
        };
        for part in inner {
            match joined.last().and_then(|last| fuse(last, &part)) {
                Some(both) => *joined.last_mut().expect("not empty") = both,
                None => joined.push(part),
            }
        }
    }
    if joined.len() == 1 {
        return joined.remove(0);
    }
    node(
        joined.iter().map(|part| part.width).sum(),
        Kind::Concat(joined),
    )
}

fn fuse(low: &E, high: &E) -> Option<E> {
    match (&low.kind, &high.kind) {
        (Kind::Const(a, _), Kind::Const(b, _)) => {
            Some(constant(low.width + high.width, a | (b << low.width)))
        }
        (Kind::Slice(a, from), Kind::Slice(b, to)) if same(a, b) && from + low.width == *to => {
            Some(slice(a.clone(), *from, low.width + high.width))
        }
        _ => None,
    }
}

/// One and the same value: one node, or one wire.
pub(crate) fn same(a: &E, b: &E) -> bool {
    if Rc::ptr_eq(a, b) {
        return true;
    }
    match (&a.kind, &b.kind) {
        (Kind::Net(x), Kind::Net(y)) => x == y,
        (Kind::Const(x, m), Kind::Const(y, n)) => a.width == b.width && x == y && m == n,
        (Kind::Slice(x, i), Kind::Slice(y, j)) => a.width == b.width && i == j && same(x, y),
        _ => false,
    }
}

pub(crate) fn zero_extend(a: E, width: usize) -> E {
    assert!(width >= a.width, "extension");
    if width == a.width {
        return a;
    }
    let zeros = constant(width - a.width, BigUint::zero());
    concat(vec![a, zeros])
}

/// Zero-extends or cuts.
pub(crate) fn resize(a: E, width: usize) -> E {
    if width <= a.width {
        slice(a, 0, width)
    } else {
        zero_extend(a, width)
    }
}

/// Sign-extends or cuts.
pub(crate) fn resize_signed(a: E, width: usize) -> E {
    if width <= a.width {
        return slice(a, 0, width);
    }
    match a.value() {
        Some(v) if v.bit(a.width as u64 - 1) => constant(width, v | (mask(width) ^ mask(a.width))),
        Some(v) => constant(width, v.clone()),
        None => node(width, Kind::SignExtend(a)),
    }
}

pub(crate) fn mux(test: E, then: E, otherwise: E) -> E {
    assert_eq!(then.width, otherwise.width, "branches of one width");
    match test.value() {
        Some(v) if v.is_zero() => otherwise,
        Some(_) => then,
        None if same(&then, &otherwise) => then,
        None => node(then.width, Kind::Mux(test, then, otherwise)),
    }
}

/// `width` bits of `a` from place `index`; the caller knows that they are inside.
pub(crate) fn select(a: E, index: E, width: usize) -> E {
    node(width, Kind::Select(a, index))
}
