//! Names, sharing, files.

use std::fs;

use metaroce_emit::{Direction, emit};
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
struct Leaf<const N: usize> {
    clock: Signal<In, Clock>,
    d: Signal<In, Bits<N>>,
    q: Signal<Out, Bits<N>>,
    store: DFF<Bits<N>>,
}

impl<const N: usize> Logic for Leaf<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, store);
        self.store.d.next = !self.d.val();
        self.q.next = self.store.q.val();
    }
}

#[derive(LogicBlock, Default)]
struct Left {
    clock: Signal<In, Clock>,
    d: Signal<In, Bits<4>>,
    q: Signal<Out, Bits<4>>,
    leaf: Leaf<4>,
}

impl Logic for Left {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, leaf);
        self.leaf.d.next = self.d.val();
        self.q.next = self.leaf.q.val();
    }
}

#[derive(LogicBlock, Default)]
struct Whole {
    clock: Signal<In, Clock>,
    d: Signal<In, Bits<4>>,
    q: Signal<Out, Bits<4>>,
    wide: Signal<Out, Bits<9>>,
    left: Left,
    right: [Left; 2],
    leaf: Leaf<9>,
}

impl Logic for Whole {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, left, leaf);
        self.left.d.next = self.d.val();
        for i in 0..2 {
            self.right[i].clock.next = self.clock.val();
            self.right[i].d.next = self.left.q.val();
        }
        self.q.next = self.right[0].q.val() ^ self.right[1].q.val();
        self.leaf.d.next = bit_cast::<9, 4>(self.d.val());
        self.wide.next = self.leaf.q.val();
    }
}

fn whole() -> metaroce_emit::Design {
    let mut uut = Whole::default();
    uut.connect_all();
    emit(&uut, "whole").unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn modules_of_one_content_are_shared_and_come_before_their_users() {
    let design = whole();
    let names: Vec<&str> = design.modules.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names.len(), 6, "{names:?}");
    assert_eq!(
        (names[0], names[2], names[3], names[5]),
        ("dff_w4", "left", "dff_w9", "whole")
    );
    // Two modules of one name: both get their content's number.
    assert!(names[1].starts_with("leaf_") && names[4].starts_with("leaf_") && names[1] != names[4]);
    assert_eq!(design, whole(), "the same text on every run");
}

#[test]
fn ports_are_told_in_the_order_of_fields() {
    let design = whole();
    let ports: Vec<(&str, usize, Direction, bool)> = design
        .ports()
        .iter()
        .map(|p| (p.name.as_str(), p.width, p.direction, p.is_clock))
        .collect();
    assert_eq!(ports[0], ("clock", 1, Direction::Input, true));
    assert_eq!(ports[3], ("wide", 9, Direction::Output, false));
}

#[test]
fn files_are_written_as_a_whole_or_not_at_all() {
    let dir = tempfile::tempdir().expect("a folder");
    let place = dir.path().join("rtl");
    let files = whole().write_to(&place).expect("written");
    assert!(files.iter().all(|file| file.exists()));
    let list = fs::read_to_string(place.join("files.f")).expect("list");
    assert_eq!(list.lines().count(), 6);
    assert_eq!(list.lines().last(), Some("whole.v"));
    whole().write_to(&place).expect("written again");
    // Of an earlier set, and gone from this one.
    fs::copy(place.join("whole.v"), place.join("stale.v")).expect("written");
    fs::write(place.join("files.f"), format!("{list}stale.v\n")).expect("written");
    whole().write_to(&place).expect("written again");
    assert!(!place.join("stale.v").exists());
    fs::write(place.join("theirs.v"), "module theirs; endmodule").expect("written");
    assert!(whole().write_to(&place).is_err(), "a file by hand");
    fs::remove_file(place.join("theirs.v")).expect("removed");
    assert_eq!(
        fs::read_dir(dir.path()).expect("read").count(),
        1,
        "nothing is left beside it"
    );
    fs::write(place.join("notes.txt"), "mine").expect("written");
    let refused = whole().write_to(&place).expect_err("a folder with notes");
    assert!(refused.to_string().contains("notes.txt"), "{refused}");
    assert!(place.join("notes.txt").exists() && place.join("whole.v").exists());
    let others = dir.path().join("others");
    fs::create_dir(&others).expect("made");
    fs::write(others.join("files.f"), "../mine.v\n").expect("written");
    assert!(whole().write_to(&others).is_err());
    assert!(others.join("files.f").exists());
    fs::remove_dir_all(&others).expect("removed");
    fs::write(dir.path().join("file"), "kept").expect("written");
    assert!(whole().write_to(&dir.path().join("file/rtl")).is_err());
    assert_eq!(
        fs::read_to_string(dir.path().join("file")).expect("read"),
        "kept"
    );
}

#[derive(LogicBlock, Default)]
struct Deep {
    at: Signal<In, Bits<14>>,
    y: Signal<Out, Bits<14>>,
}

impl Logic for Deep {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = 0.into();
        for i in 0..8000 {
            if self.at.val().index() == i {
                self.y.next = self.y.val() + 1;
            }
        }
    }
}

#[test]
fn thousands_of_turns_are_no_stack_overflow() {
    let mut uut = Deep::default();
    uut.connect_all();
    let design = emit(&uut, "deep").unwrap_or_else(|e| panic!("{e}"));
    let longest = design.verilog().lines().map(str::len).max();
    assert!(longest < Some(2000), "{longest:?}");
}
