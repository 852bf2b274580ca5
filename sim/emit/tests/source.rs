//! What the tree has lost is refused from the source, and the project's own source passes.

use std::path::Path;

use metaroce_emit::{check_source, check_text};

/// An update with this body, and what stands beside it.
fn refusals(body: &str, beside: &str) -> Vec<String> {
    let text =
        format!("impl Logic for X {{ #[hdl_gen] fn update(&mut self) {{ {body} }} }}\n{beside}");
    match check_text(&text, "x.rs") {
        Ok(()) => Vec::new(),
        Err(error) => error.refusals().iter().map(|r| r.reason.clone()).collect(),
    }
}

#[track_caller]
fn refused(body: &str, reason: &str) {
    let found = refusals(body, "");
    assert!(
        found.iter().any(|r| r.contains(reason)),
        "{body}: {found:?}"
    );
}

#[track_caller]
fn passes(body: &str) {
    let found = refusals(body, "");
    assert!(found.is_empty(), "{body}: {found:?}");
}

#[test]
fn an_inclusive_range_is_refused() {
    refused("for i in 0..=3 { self.y[i].next = self.a.val(); }", "`..=`");
    passes("for i in 0..4 { self.y[i].next = self.a.val(); }");
}

#[test]
fn a_bound_that_a_signal_gives_is_refused() {
    refused(
        "for i in 0..self.count.val().index() { self.y.next = self.a.val(); }",
        "time of emission",
    );
    passes("for i in N..2 * N + 1 { self.y.next = self.a.val(); }");
    passes("for i in 0..clog2(N) { self.y.next = self.a.val(); }");
}

#[test]
fn a_number_that_wraps_at_a_width_of_its_own_is_refused() {
    refused(
        "for i in 0..4 { self.y.next = self.a.val() << (i.to_bits::<2>() + 3); }",
        "width at which this wraps",
    );
    passes("for i in 0..4 { self.y.next = self.a.val() << (8 * i).to_bits::<6>(); }");
    passes("for i in 0..4 { self.y.next = self.a.val() + i.to_bits::<8>(); }");
}

#[test]
fn a_field_of_a_field_passes() {
    passes("self.y.next = self.a.val().inner.count + 1;");
}

#[test]
fn a_guard_is_refused() {
    refused(
        "match self.s.val() { S::A if self.a.val() => {} _ => {} }",
        "guard",
    );
}

#[test]
fn an_attribute_is_refused() {
    refused(
        "#[cfg(feature = \"x\")] { self.y.next = true; }",
        "hardware",
    );
    refused("#[cfg(test)] self.y.next = true;", "attributes");
    refused(
        "match self.s.val() { #[cfg(test)] S::A => {} _ => {} }",
        "attributes",
    );
}

#[test]
fn a_function_named_like_a_cast_is_refused() {
    refused(
        "self.y.next = bits_reversed(self.a.val());",
        "takes this function for a cast",
    );
    refused(
        "self.y.next = bit_cast::<64, 40>(5_u64.into());",
        "first width",
    );
    refused(
        "self.y.next = Bits::<8>::from(self.state.q.val());",
        "`Bits::from`",
    );
    passes("self.y.next = bit_cast::<9, 8>(self.a.val() + self.b.val());");
    passes("self.y.next = bits::<48>(0x0180_C200_0001_u64);");
}

#[test]
fn usize_arithmetic_is_refused_where_the_tree_reads_bits() {
    refused(
        "self.y.next = self.a.val().index() + 1 == self.b.val().index();",
        "`.index()`",
    );
    refused("if (self.a.val().index() - 1) < 4 { }", "`.index()`");
    passes("for i in 0..4 { self.y.next = self.a.val().index() == i + 1; }");
    passes("self.y.next = self.a.val().get_bits::<8>(self.b.val().index() * 8);");
}

#[test]
fn a_bare_name_is_refused() {
    refused("self.y.next = a;", "bare name");
    refused("self.y.next = consts::limit;", "this path");
    refused(
        "match self.s.val() { Idle => {} other => {} }",
        "a pattern is",
    );
}

#[test]
fn a_large_number_without_suffix_is_refused() {
    refused("self.y.next = self.a.val() + 0x1_0000_0001;", "suffix");
}

#[test]
fn an_unknown_method_or_macro_is_refused() {
    refused("self.y.next = self.a.val().reversed();", "method");
    refused("connect!(self);", "macro");
    refused("let x = 3;", "no definitions");
    refused("self.y = 3;", "only `self.signal.next`");
}

#[test]
fn definitions_that_change_a_meaning_are_refused() {
    let beside = |text: &str| refusals("", text);
    assert!(!beside("fn bit_cast() {}").is_empty());
    assert!(!beside("use other::reverse as bits;").is_empty());
    assert!(!beside("macro_rules! clock { () => {} }").is_empty());
    assert!(
        !beside("impl From<State> for Bits<8> { fn from(x: State) -> Self { bits(7) } }")
            .is_empty()
    );
    assert!(
        !beside("impl PartialEq for State { fn eq(&self, _: &Self) -> bool { true } }").is_empty()
    );
    assert!(!beside("impl Synth for State {}").is_empty());
    assert!(!beside("trait Any { fn any(&self) -> bool; }").is_empty());
    assert!(beside("fn helper() {}").is_empty());
}

#[test]
fn a_type_in_a_file_of_its_own_is_checked() {
    let text = |rest: &str| check_text(&format!("use rust_hdl::prelude::*; {rest}"), "x.rs");
    assert!(text("impl PartialEq for State { fn eq(&self, _: &Self) -> bool { true } }").is_err());
    assert!(text("fn bits<const N: usize>(x: u64) -> Bits<N> { x.into() }").is_err());
    assert!(text("#[derive(LogicStruct)] struct S { a: Bit, _pad: Bit }").is_err());
    assert!(text("#[derive(LogicStruct)] struct S { a: Bit, pad: Bit }").is_ok());
}

#[test]
fn an_update_under_another_name_is_refused() {
    let update = "fn update(&mut self) { for i in 0..=3 {} }";
    for text in [
        format!("use rust_hdl::prelude::hdl_gen as made; impl Logic for X {{ #[made] {update} }}"),
        format!("impl Logic for X {{ #[cfg_attr(all(), hdl_gen)] {update} }}"),
    ] {
        assert!(check_text(&text, "x.rs").is_err(), "{text}");
    }
}

#[test]
fn an_update_inside_a_macro_is_checked() {
    let text = "macro_rules! table { ($name:ident) => { impl Logic for $name { #[hdl_gen] fn update(&mut self) { for i in 0..=3 {} } } } }";
    assert!(check_text(text, "x.rs").is_err());
}

#[test]
fn the_projects_own_source_passes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for folder in ["cores/src", "rtl/src", "bsp/src"] {
        if let Err(error) = check_source(&root.join(folder)) {
            panic!("{folder}: {error}");
        }
    }
}
