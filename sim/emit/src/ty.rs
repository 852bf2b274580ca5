//! The Rust type of a signal, as far as hardware can tell types apart.

use num_bigint::BigUint;
use rust_hdl_core::ast::VerilogLiteral;
use rust_hdl_core::type_descriptor::{TypeDescriptor, TypeKind};

/// A C-like enum: variants are numbered in the order they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EnumTy {
    pub name: String,
    pub variants: Vec<String>,
}

/// A struct: the first field holds the lowest bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StructTy {
    pub name: String,
    pub fields: Vec<(String, Ty)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    Bool,
    Clock,
    Bits(usize),
    Signed(usize),
    Enum(EnumTy),
    Struct(StructTy),
}

impl Ty {
    /// Reads rust-hdl's description; a type that describes itself in another way is refused.
    pub fn new(described: &TypeDescriptor) -> Result<Ty, String> {
        let name = described.name.as_str();
        match &described.kind {
            TypeKind::Bits(1) if name == "Bit" => Ok(Ty::Bool),
            TypeKind::Bits(1) if name == "clock" => Ok(Ty::Clock),
            TypeKind::Bits(n) if name == format!("Bits::<{n}>") => Ok(Ty::Bits(*n)),
            TypeKind::Signed(n) if name == format!("Signed::<{n}>") => Ok(Ty::Signed(*n)),
            TypeKind::Enum(labels) => enum_ty(name, labels).map(Ty::Enum),
            TypeKind::Composite(fields) => {
                let mut all = Vec::new();
                for field in fields {
                    all.push((field.fieldname.clone(), Ty::new(&field.kind)?));
                }
                Ok(Ty::Struct(StructTy {
                    name: name.into(),
                    fields: all,
                }))
            }
            _ => Err(format!(
                "type `{name}` is none of rust-hdl's own: its bits are not known"
            )),
        }
    }

    pub fn width(&self) -> usize {
        match self {
            Ty::Bool | Ty::Clock => 1,
            Ty::Bits(n) | Ty::Signed(n) => *n,
            Ty::Enum(e) => enum_width(e.variants.len()),
            Ty::Struct(s) => s.fields.iter().map(|(_, ty)| ty.width()).sum(),
        }
    }

    /// Whether a value of type `from` stands for `self` without a trace of a conversion.
    /// `.into()` is not in the tree: these are the conversions that keep the bits.
    pub fn accepts(&self, from: &Ty) -> bool {
        match (self, from) {
            (a, b) if a == b => true,
            (Ty::Bool, Ty::Bits(1)) | (Ty::Bits(1), Ty::Bool) => true,
            (Ty::Bits(n), Ty::Enum(_) | Ty::Struct(_)) => *n == from.width(),
            _ => false,
        }
    }

    /// One bit of truth: `bool`, or `Bits<1>`, which converts to it bit by bit.
    pub fn is_bit(&self) -> bool {
        matches!(self, Ty::Bool | Ty::Bits(1))
    }

    /// How a message names the type.
    pub fn say(&self) -> String {
        match self {
            Ty::Bool => "bool".into(),
            Ty::Clock => "Clock".into(),
            Ty::Bits(n) => format!("Bits<{n}>"),
            Ty::Signed(n) => format!("Signed<{n}>"),
            Ty::Enum(e) => e.name.clone(),
            Ty::Struct(s) => s.name.clone(),
        }
    }

    /// Every enum in the type, struct fields included.
    pub fn enums(&self, found: &mut Vec<EnumTy>) {
        match self {
            Ty::Enum(e) if !found.contains(e) => found.push(e.clone()),
            Ty::Struct(s) => s.fields.iter().for_each(|(_, ty)| ty.enums(found)),
            _ => {}
        }
    }
}

fn enum_width(variants: usize) -> usize {
    let mut width = 0;
    while (1usize << width) < variants {
        width += 1;
    }
    width
}

fn enum_ty(name: &str, labels: &[String]) -> Result<EnumTy, String> {
    let prefix = format!("{name}::");
    let mut variants = Vec::new();
    for label in labels {
        match label.strip_prefix(&prefix) {
            Some(variant) => variants.push(variant.to_string()),
            None => return Err(format!("enum `{name}` describes a variant as `{label}`")),
        }
    }
    Ok(EnumTy {
        name: name.into(),
        variants,
    })
}

/// Value and width of a literal; `None` if it is negative.
pub(crate) fn literal(literal: &VerilogLiteral) -> Option<(BigUint, usize)> {
    // The fields are private: the printed form is the only way to them.
    let text = format!("{literal:x}");
    let (bits, digits) = text.split_once("'h")?;
    let value = BigUint::parse_bytes(digits.as_bytes(), 16)?;
    Some((value, bits.parse().ok()?))
}
