//! The body of one `#[hdl_gen]` update: statements and expressions that the tree keeps whole.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{BinOp, Block, Expr, Lit, Member, Pat, RangeLimits, Stmt, UnOp};

use super::file::{Found, METHODS};

/// What surrounds an expression: decides whether `.index()` may stand there.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// A side of a comparison, a `match`, or a computed place.
    Index,
    /// Anything else: here `.index()` would make `usize` arithmetic that the tree does not show.
    Value,
}

pub(super) struct Update<'a, 'b> {
    found: &'a mut Found<'b>,
    loops: Vec<String>,
}

impl<'a, 'b> Update<'a, 'b> {
    pub fn new(found: &'a mut Found<'b>) -> Self {
        Update {
            found,
            loops: Vec::new(),
        }
    }

    fn refuse(&mut self, span: Span, reason: &str) {
        self.found.refuse(span, reason);
    }

    /// The whole body of an update.
    pub fn body(&mut self, block: &Block) {
        let mut attributes = Attributes(Vec::new());
        attributes.visit_block(block);
        for span in attributes.0 {
            self.refuse(
                span,
                "attributes are not in the tree: the statement would always stay",
            );
        }
        self.block(block);
    }

    fn block(&mut self, block: &Block) {
        for statement in &block.stmts {
            match statement {
                Stmt::Expr(e, _) => self.statement(e),
                Stmt::Macro(m) => {
                    self.macro_call(&m.mac);
                }
                Stmt::Local(_) | Stmt::Item(_) => {
                    self.refuse(statement.span(), "no definitions in an update");
                }
            }
        }
    }

    fn macro_call(&mut self, mac: &syn::Macro) {
        let known = mac.path.get_ident().is_some_and(|ident| {
            ["clock", "dff_setup", "comment", "println", "assert"]
                .iter()
                .any(|name| ident == name)
        });
        if !known {
            self.refuse(mac.span(), "an unknown macro");
        }
    }

    fn statement(&mut self, e: &Expr) {
        match e {
            Expr::Assign(a) => {
                self.target(&a.left);
                self.value(&a.right);
            }
            Expr::If(i) => self.conditional(i),
            Expr::Match(m) => self.matching(m),
            Expr::ForLoop(f) => self.looping(f),
            Expr::Macro(m) => {
                self.macro_call(&m.mac);
            }
            Expr::Call(c) => self.link(c),
            _ => self.refuse(e.span(), "this is no statement of hardware"),
        }
    }

    /// `self.path.next` or `self.path.next.field`.
    fn target(&mut self, e: &Expr) {
        let next = |e: &Expr| matches!(e, Expr::Field(f) if matches!(&f.member, Member::Named(n) if n == "next") && is_path(&f.base));
        let good = next(e) || matches!(e, Expr::Field(f) if next(&f.base));
        if !good {
            self.refuse(
                e.span(),
                "only `self.signal.next`, or one field of it, is assigned",
            );
        }
    }

    fn conditional(&mut self, i: &syn::ExprIf) {
        self.value(&i.cond);
        self.block(&i.then_branch);
        match i.else_branch.as_ref().map(|(_, e)| &**e) {
            Some(Expr::Block(b)) => self.block(&b.block),
            Some(Expr::If(next)) => self.conditional(next),
            Some(other) => self.refuse(other.span(), "an `else` of another kind"),
            None => {}
        }
    }

    fn matching(&mut self, m: &syn::ExprMatch) {
        self.expr(&m.expr, Place::Index);
        for arm in &m.arms {
            if let Some((_, guard)) = &arm.guard {
                self.refuse(
                    guard.span(),
                    "the tree drops the guard of a `match` arm: use `if` inside",
                );
            }
            match &arm.pat {
                Pat::Wild(_) | Pat::Lit(_) => {}
                Pat::Path(p) if p.path.segments.len() >= 2 => {}
                other => self.refuse(
                    other.span(),
                    "a pattern is `Enum::Variant`, a number, or `_`",
                ),
            }
            match &*arm.body {
                Expr::Block(b) => self.block(&b.block),
                single => self.statement(single),
            }
        }
    }

    fn looping(&mut self, f: &syn::ExprForLoop) {
        let Expr::Range(range) = &*f.expr else {
            return self.refuse(f.expr.span(), "a `for` runs over a range");
        };
        if matches!(range.limits, RangeLimits::Closed(_)) {
            self.refuse(
                range.span(),
                "the tree reads `..=` as `..`: write the bound plus one",
            );
        }
        if ![&range.start, &range.end]
            .into_iter()
            .flatten()
            .all(|bound| is_fixed(bound))
        {
            self.refuse(
                range.span(),
                "the tree holds a bound's value at the time of emission: write a number or a \
                 const generic",
            );
        }
        match &*f.pat {
            Pat::Ident(p) if p.by_ref.is_none() && p.mutability.is_none() && p.subpat.is_none() => {
                self.loops.push(p.ident.to_string());
                self.block(&f.body);
                self.loops.pop();
            }
            other => self.refuse(other.span(), "a loop variable is a plain name"),
        }
    }

    fn link(&mut self, c: &syn::ExprCall) {
        let named = |e: &Expr| match e {
            Expr::Path(p) => p.path.segments.last().map(|s| s.ident.to_string()),
            _ => None,
        };
        let borrowed = |e: &Expr| matches!(e, Expr::Reference(r) if r.mutability.is_some() && is_path(&r.expr));
        let known = named(&c.func).is_some_and(|name| name == "link" || name == "join");
        if !known || c.args.len() != 2 || !c.args.iter().all(borrowed) {
            self.refuse(
                c.span(),
                "the only call is `Type::link(&mut self.a, &mut self.b)`, or `join`",
            );
        }
    }

    fn value(&mut self, e: &Expr) {
        self.expr(e, Place::Value);
    }

    fn expr(&mut self, e: &Expr, place: Place) {
        match e {
            Expr::Paren(p) => self.expr(&p.expr, place),
            Expr::Binary(b) => self.binary(b, place),
            Expr::Unary(u) if matches!(u.op, UnOp::Not(_) | UnOp::Neg(_)) => self.value(&u.expr),
            Expr::Lit(l) => self.literal(&l.lit),
            Expr::Path(p) => self.path(&p.path),
            Expr::MethodCall(m) => self.method(m, place),
            Expr::Field(f) if matches!(&f.member, Member::Named(_)) && is_field_read(&f.base) => {
                self.value(&f.base);
            }
            Expr::Call(c) => self.call(c),
            _ => self.refuse(e.span(), "this is no expression of hardware"),
        }
    }

    fn binary(&mut self, b: &syn::ExprBinary, place: Place) {
        let compares = matches!(
            b.op,
            BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_)
        );
        let number = is_number(&b.left) && is_number(&b.right);
        if number && (has_width(&b.left) || has_width(&b.right)) {
            self.refuse(
                b.span(),
                "the tree does not show the width at which this wraps: use `bits::<W>(..)`",
            );
        }
        // Inside a computed place the emitter itself weighs both readings of a sum.
        let sides = if compares { Place::Index } else { place };
        for side in [&b.left, &b.right] {
            if compares && matches!(strip(side), Expr::Binary(_)) {
                self.value(side);
            } else {
                self.expr(side, sides);
            }
        }
    }

    fn literal(&mut self, lit: &Lit) {
        match lit {
            Lit::Bool(_) => {}
            // An unsuffixed literal is an `i32` in the tree, whatever it is in `update()`.
            Lit::Int(int) if int.suffix().is_empty() && int.base10_parse::<i32>().is_err() => {
                self.refuse(int.span(), "a number this large needs a suffix: `_u64`");
            }
            Lit::Int(_) => {}
            other => self.refuse(
                other.span(),
                "a literal is a whole number, `true` or `false`",
            ),
        }
    }

    fn path(&mut self, path: &syn::Path) {
        if let Some(ident) = path.get_ident()
            && !self.loops.iter().any(|name| ident == name)
        {
            self.refuse(path.span(), "a bare name looks like a signal in the tree: use a `Constant` field, or `Enum::Variant`");
        }
        // `consts::limit` has the look of `self.consts.limit`.
        let lower = |s: &syn::PathSegment| s.ident.to_string().starts_with(char::is_lowercase);
        if path.segments.len() > 1 && path.segments.last().is_some_and(lower) {
            self.refuse(path.span(), "this path looks like a signal in the tree: use a `Constant` field, or `Enum::Variant`");
        }
    }

    fn method(&mut self, m: &syn::ExprMethodCall, place: Place) {
        let name = m.method.to_string();
        if !METHODS.contains(&name.as_str()) {
            return self.refuse(m.method.span(), "a method that the tree does not know");
        }
        match name.as_str() {
            "val" => {
                if !is_path(&m.receiver) {
                    self.refuse(m.span(), "`.val()` is read from `self.signal`");
                }
                return;
            }
            "index" if place == Place::Value => {
                self.refuse(m.method.span(), "`.index()` stands in a comparison, a `match`, or a computed place: elsewhere its `usize` arithmetic is lost");
            }
            _ => {}
        }
        self.value(&m.receiver);
        for (number, argument) in m.args.iter().enumerate() {
            if name == "replace_bit" && number == 1 {
                self.value(argument);
            } else {
                self.expr(argument, Place::Index);
            }
        }
    }

    fn call(&mut self, c: &syn::ExprCall) {
        let Expr::Path(function) = &*c.func else {
            return self.refuse(c.span(), "an unknown function");
        };
        let names: Vec<String> = function
            .path
            .segments
            .iter()
            .map(|s| s.ident.to_string())
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let [argument] = c.args.iter().collect::<Vec<_>>()[..] else {
            return self.refuse(c.span(), "a function of this kind takes one argument");
        };
        match names.as_slice() {
            ["bit_cast"] if is_number(argument) => {
                self.refuse(
                    c.span(),
                    "the tree does not show the first width of this cast: use `bits`",
                );
            }
            ["bits"] | ["Bits", "from"] => {
                let turned = matches!(argument, Expr::MethodCall(m) if m.method == "into");
                if !is_number(argument) && !turned {
                    self.refuse(c.span(), "`bits` takes a number, or `signal.val().into()`");
                }
                if names.len() == 2 && !is_number(argument) {
                    self.refuse(
                        c.span(),
                        "`Bits::from` takes a number: use `bit_cast` for signals",
                    );
                }
            }
            ["bit_cast" | "signed_cast" | "signed_bit_cast" | "unsigned_cast"] => {}
            _ => {
                return self.refuse(
                    c.span(),
                    "the tree takes this function for a cast, whatever it does",
                );
            }
        }
        self.value(argument);
    }
}

/// Where attributes stand.
struct Attributes(Vec<Span>);

impl Visit<'_> for Attributes {
    fn visit_attribute(&mut self, attribute: &syn::Attribute) {
        self.0.push(attribute.span());
    }
}

fn strip(e: &Expr) -> &Expr {
    match e {
        Expr::Paren(p) => strip(&p.expr),
        _ => e,
    }
}

/// `self.a.b[i].c`.
fn is_path(e: &Expr) -> bool {
    match e {
        Expr::Path(p) => p.path.is_ident("self"),
        Expr::Field(f) => matches!(f.member, Member::Named(_)) && is_path(&f.base),
        Expr::Index(i) => is_path(&i.expr),
        _ => false,
    }
}

/// `self.signal.val()`, or a field of it.
fn is_field_read(e: &Expr) -> bool {
    match e {
        Expr::MethodCall(m) => m.method == "val",
        Expr::Field(f) => is_field_read(&f.base),
        _ => false,
    }
}

/// The same whatever the block's state is: numbers, names and what is computed of them.
fn is_fixed(e: &Expr) -> bool {
    match e {
        Expr::Lit(_) => true,
        Expr::Path(p) => !p.path.is_ident("self"),
        Expr::Paren(p) => is_fixed(&p.expr),
        Expr::Binary(b) => is_fixed(&b.left) && is_fixed(&b.right),
        Expr::Cast(c) => is_fixed(&c.expr),
        Expr::Call(c) => is_fixed(&c.func) && c.args.iter().all(is_fixed),
        _ => false,
    }
}

/// Whether a number is given a width of its own, which the tree does not show.
fn has_width(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => has_width(&p.expr),
        Expr::Binary(b) => has_width(&b.left) || has_width(&b.right),
        Expr::MethodCall(m) => {
            (m.method == "to_bits" && m.turbofish.is_some()) || has_width(&m.receiver)
        }
        _ => false,
    }
}

/// Made of numbers and names only.
fn is_number(e: &Expr) -> bool {
    match e {
        Expr::Lit(_) | Expr::Path(_) => true,
        Expr::Paren(p) => is_number(&p.expr),
        Expr::Unary(u) => is_number(&u.expr),
        Expr::Binary(b) => is_number(&b.left) && is_number(&b.right),
        Expr::MethodCall(m) => {
            is_number(&m.receiver) && (m.method == "into" || m.method == "to_bits")
        }
        _ => false,
    }
}
