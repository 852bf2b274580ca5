//! One file: finds the `#[hdl_gen]` updates, and definitions that change what they mean.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::update::Update;
use crate::error::Refusal;

/// Functions and macros that the tree knows by their name alone.
const FUNCTIONS: &[&str] = &[
    "bit_cast",
    "bits",
    "signed_cast",
    "signed_bit_cast",
    "unsigned_cast",
    "link",
    "join",
];
const MACROS: &[&str] = &["clock", "dff_setup", "comment", "println", "assert"];
/// Methods that the tree knows by their name alone.
pub(super) const METHODS: &[&str] = &[
    "val",
    "into",
    "index",
    "to_bits",
    "to_signed_bits",
    "get_bit",
    "get_bits",
    "replace_bit",
    "all",
    "any",
    "xor",
];
/// Traits whose hand-written forms change operators and conversions.
const TRAITS: &[(&str, &str)] = &[
    (
        "Synth",
        "derive `LogicStruct` or `LogicState`: its bits are not seen otherwise",
    ),
    (
        "Block",
        "derive `LogicBlock`: its fields are not seen otherwise",
    ),
    ("PartialEq", "derive it: `==` compares bits in Verilog"),
    ("PartialOrd", "order of values is order of bits in Verilog"),
    (
        "LogicLink",
        "derive `LogicInterface`: a link connects fields of one name",
    ),
    (
        "LogicJoin",
        "derive `LogicInterface`: a join connects fields of one name",
    ),
];

pub(super) fn check(text: &str, name: &str) -> Vec<Refusal> {
    // A type of hardware may stand in a file of its own, apart from the updates that use it.
    if !["hdl_gen", "rust_hdl", "LogicSt"]
        .iter()
        .any(|word| text.contains(word))
    {
        return Vec::new();
    }
    let mut found = Found {
        name,
        lines: text.lines().collect(),
        refused: Vec::new(),
        owner: String::new(),
        updates: text.contains("hdl_gen"),
    };
    match syn::parse_file(text) {
        Ok(file) => found.visit_file(&file),
        Err(error) => found.refuse(error.span(), &format!("it is no Rust: {error}")),
    }
    found.refused
}

pub(super) struct Found<'a> {
    name: &'a str,
    lines: Vec<&'a str>,
    refused: Vec<Refusal>,
    owner: String,
    /// Whether the file holds updates.
    updates: bool,
}

impl Found<'_> {
    pub fn refuse(&mut self, span: Span, reason: &str) {
        let line = span.start().line;
        let statement = self
            .lines
            .get(line.saturating_sub(1))
            .map_or("", |text| text.trim());
        let owner = if self.owner.is_empty() {
            String::new()
        } else {
            format!(" {}", self.owner)
        };
        let refusal = Refusal {
            module: format!("{}:{line}{owner}", self.name),
            statement: statement.into(),
            reason: reason.into(),
        };
        if !self.refused.contains(&refusal) {
            self.refused.push(refusal);
        }
    }

    fn check_name(&mut self, ident: &syn::Ident, names: &[&str]) {
        if names.iter().any(|name| ident == name) {
            self.refuse(
                ident.span(),
                &format!("the tree takes every `{ident}` for rust-hdl's own"),
            );
        }
    }

    /// A macro's body with its parameters as plain names, if that reads as items.
    fn macro_body(&mut self, tokens: TokenStream) {
        let mut bodies = Vec::new();
        groups(tokens, &mut bodies);
        for group in bodies {
            let text = group.stream().to_string();
            if !text.contains("hdl_gen") {
                continue;
            }
            match syn::parse2::<syn::File>(plain(group.stream())) {
                Ok(file) => self.visit_file(&file),
                Err(_) => self.refuse(
                    group.span(),
                    "this macro makes an update that cannot be read: no repetitions around it",
                ),
            }
        }
    }
}

/// The outermost braces of a macro's arms.
fn groups(tokens: TokenStream, found: &mut Vec<Group>) {
    for tree in tokens {
        if let TokenTree::Group(group) = tree
            && group.delimiter() != Delimiter::Bracket
        {
            found.push(group);
        }
    }
}

/// `$name` becomes `name`; `$name:ty` does not occur in bodies.
fn plain(tokens: TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .filter(|tree| !matches!(tree, TokenTree::Punct(p) if p.as_char() == '$'))
        .map(|tree| match tree {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), plain(group.stream()));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            other => other,
        })
        .collect()
}

impl<'ast> Visit<'ast> for Found<'_> {
    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let name = item
            .trait_
            .as_ref()
            .and_then(|(_, path, _)| path.segments.last());
        let kind = name
            .map(|segment| segment.ident.to_string())
            .unwrap_or_default();
        // A `Synth` in a file without updates is meant to be a type of its own, tested there.
        let own_type = kind == "Synth" && !self.updates;
        let meant = TRAITS.iter().find(|(name, _)| *name == kind);
        if let (Some((_, why)), false) = (meant, own_type) {
            self.refuse(item.span(), why);
        }
        if kind == "From" && last_ident(&item.self_ty).is_some_and(|ident| ident == "Bits") {
            self.refuse(
                item.span(),
                "the tree does not show which `.into()` uses this conversion",
            );
        }
        if kind == "Into" {
            self.refuse(
                item.span(),
                "the tree does not show which `.into()` uses this conversion",
            );
        }
        let before = std::mem::take(&mut self.owner);
        self.owner = last_ident(&item.self_ty)
            .map(|ident| ident.to_string())
            .unwrap_or_default();
        for inner in &item.items {
            let syn::ImplItem::Fn(function) = inner else {
                continue;
            };
            let made = function.attrs.iter().any(|a| {
                a.path()
                    .segments
                    .last()
                    .is_some_and(|s| s.ident == "hdl_gen")
            });
            if made {
                Update::new(self).body(&function.block);
            }
        }
        visit::visit_item_impl(self, item);
        self.owner = before;
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        let hidden = attribute.path().is_ident("cfg_attr")
            && matches!(&attribute.meta, syn::Meta::List(list) if list.tokens.to_string().contains("hdl_gen"));
        if hidden {
            self.refuse(
                attribute.span(),
                "write `#[hdl_gen]` itself: this check does not see it here",
            );
        }
    }

    /// `LogicStruct` leaves out a field whose name starts with `_`, `==` does not.
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        let is_value = item.attrs.iter().any(|a| {
            a.path().is_ident("derive")
                && matches!(&a.meta, syn::Meta::List(l) if l.tokens.to_string().contains("LogicStruct"))
        });
        for field in item.fields.iter().filter(|_| is_value) {
            if field
                .ident
                .as_ref()
                .is_some_and(|name| name.to_string().starts_with('_'))
            {
                self.refuse(
                    field.span(),
                    "`LogicStruct` leaves out a field that starts with `_`",
                );
            }
        }
        visit::visit_item_struct(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.check_name(&item.sig.ident, FUNCTIONS);
        visit::visit_item_fn(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        for inner in &item.items {
            if let syn::TraitItem::Fn(function) = inner {
                self.check_name(&function.sig.ident, METHODS);
                self.check_name(&function.sig.ident, &["link", "join"]);
            }
        }
        visit::visit_item_trait(self, item);
    }

    fn visit_use_rename(&mut self, item: &'ast syn::UseRename) {
        let derives = ["hdl_gen", "LogicBlock", "LogicState", "LogicStruct"];
        if derives.iter().any(|name| item.ident == name) {
            self.refuse(item.span(), "under another name this check does not see it");
        }
        self.check_name(&item.rename, FUNCTIONS);
        self.check_name(&item.rename, MACROS);
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        if let Some(ident) = &item.ident {
            self.check_name(ident, MACROS);
        }
        self.macro_body(item.mac.tokens.clone());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path
            .segments
            .last()
            .is_some_and(|segment| segment.ident == "Combinatorial")
        {
            self.refuse(
                path.span(),
                "a tree made by hand may differ from its `update()`",
            );
        }
        visit::visit_path(self, path);
    }
}

fn last_ident(ty: &syn::Type) -> Option<&syn::Ident> {
    match ty {
        syn::Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        _ => None,
    }
}
