//! Statements as they read in Rust, for messages.

use rust_hdl_core::ast::{
    VerilogExpression, VerilogLink, VerilogLinkDetails, VerilogOp, VerilogOpUnary, VerilogStatement,
};

use crate::ty;

pub(crate) fn statement(s: &VerilogStatement) -> String {
    match s {
        VerilogStatement::Assignment(to, from) => {
            format!("{} = {}", target(to), expression(from))
        }
        VerilogStatement::SliceAssignment {
            base,
            width,
            offset,
            replacement,
        } => format!(
            "self.{}.next bits {}..+{width} = {}",
            path(&expression(base)),
            expression(offset),
            expression(replacement)
        ),
        VerilogStatement::If(c) => format!("if {} ..", expression(&c.test)),
        VerilogStatement::Match(m) => format!("match {} ..", expression(&m.test)),
        VerilogStatement::Loop(l) => format!("for {} ..", l.index),
        VerilogStatement::Comment(text) => format!("// {text}"),
        VerilogStatement::Link(_) => "link or join".into(),
        VerilogStatement::Macro(_) => "clock!".into(),
    }
}

pub(crate) fn link(l: &VerilogLink) -> String {
    let (VerilogLink::Forward(d) | VerilogLink::Backward(d) | VerilogLink::Bidirectional(d)) = l;
    let VerilogLinkDetails {
        my_name,
        owner_name,
        other_name,
    } = d;
    format!(
        "link self.{}{my_name} with self.{}",
        path(owner_name),
        path(other_name)
    )
}

fn target(e: &VerilogExpression) -> String {
    match e {
        VerilogExpression::Signal(name) => format!("self.{}", path(name)),
        other => expression(other),
    }
}

fn path(name: &str) -> String {
    name.replace('$', ".")
}

pub(crate) fn expression(e: &VerilogExpression) -> String {
    match e {
        VerilogExpression::Signal(name) => path(name),
        VerilogExpression::Literal(value) => match ty::literal(value) {
            Some((value, _)) => format!("{value}"),
            None => format!("{value}"),
        },
        VerilogExpression::Cast(a, w) => format!("bits::<{w}>({})", expression(a)),
        VerilogExpression::Signed(a) => format!("signed({})", expression(a)),
        VerilogExpression::Unsigned(a) => format!("unsigned({})", expression(a)),
        VerilogExpression::Paren(a) => format!("({})", expression(a)),
        VerilogExpression::Binary(a, op, b) => {
            format!("{} {} {}", expression(a), binary(op), expression(b))
        }
        VerilogExpression::Unary(op, a) => unary(op, &expression(a)),
        VerilogExpression::Index(a, i) => format!("{}.get_bit({})", expression(a), expression(i)),
        VerilogExpression::Slice(a, w, i) => {
            format!("{}.get_bits::<{w}>({})", expression(a), expression(i))
        }
        VerilogExpression::IndexReplace(a, i, v) => {
            format!(
                "{}.replace_bit({}, {})",
                expression(a),
                expression(i),
                expression(v)
            )
        }
    }
}

fn unary(op: &VerilogOpUnary, a: &str) -> String {
    match op {
        VerilogOpUnary::Not => format!("!{a}"),
        VerilogOpUnary::Neg => format!("-{a}"),
        VerilogOpUnary::All => format!("{a}.all()"),
        VerilogOpUnary::Any => format!("{a}.any()"),
        VerilogOpUnary::Xor => format!("{a}.xor()"),
    }
}

fn binary(op: &VerilogOp) -> &'static str {
    match op {
        VerilogOp::Add => "+",
        VerilogOp::Sub => "-",
        VerilogOp::Mul => "*",
        VerilogOp::LogicalAnd => "&&",
        VerilogOp::LogicalOr => "||",
        VerilogOp::BitXor => "^",
        VerilogOp::BitAnd => "&",
        VerilogOp::BitOr => "|",
        VerilogOp::Shl => "<<",
        VerilogOp::Shr => ">>",
        VerilogOp::Eq => "==",
        VerilogOp::Lt => "<",
        VerilogOp::Le => "<=",
        VerilogOp::Ne => "!=",
        VerilogOp::Ge => ">=",
        VerilogOp::Gt => ">",
    }
}
