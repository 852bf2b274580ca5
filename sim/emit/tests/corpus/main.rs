//! The corpus: blocks of every operator, width and form, each with random inputs in four
//! simulations that must agree: rust-hdl's own, Icarus and Verilator of the emitted text,
//! and Icarus of the netlist that yosys lowers it to.

mod bench;
mod tools;
mod value;

mod casts;
mod control;
mod mismatches;
mod operators;
mod reading;
mod registers;
mod signed;
mod structs;
mod users;
mod widgets;

fn forms() -> Vec<bench::Case> {
    let mut cases = mismatches::cases();
    cases.extend(casts::cases());
    cases.extend(control::cases());
    cases.extend(reading::cases());
    cases.extend(registers::cases());
    cases.extend(signed::cases());
    cases.extend(structs::cases());
    cases.extend(widgets::cases());
    cases
}

#[test]
fn every_form_means_what_rust_means() {
    bench::compare(&forms());
}

#[test]
fn blocks_as_users_write_them_mean_what_rust_means() {
    bench::compare(&users::cases());
}

#[test]
fn a_netlist_of_gates_means_what_rust_means() {
    let mut cases = mismatches::cases();
    cases.extend(operators::at_width::<8>());
    cases.extend(control::cases());
    cases.extend(registers::cases());
    cases.extend(widgets::cases());
    bench::compare_lowered(&cases);
}
