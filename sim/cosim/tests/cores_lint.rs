//! Every core of the datapath, in both widths: emitted, and nothing for Verilator to complain of.
mod datapath;

use datapath::{design, lint};
use metaroce_cores::axi_reader::AxiReader;
use metaroce_cores::axi_writer::AxiWriter;
use metaroce_cores::deparser::Deparser;
use metaroce_cores::icrc::Icrc;
use metaroce_cores::parser::Parser;
use metaroce_cores::ram_bypass::RamBypass;
use metaroce_cores::skid_buffer::SkidBuffer;
use metaroce_cores::stream_fifo::{FrameFifo, StreamFifo};
use metaroce_cores::types::TxDescriptor;
use metaroce_protocol::Profile;
use metaroce_rtl::plane_rx::PlaneRx;
use metaroce_rtl::plane_tx::PlaneTx;
use metaroce_rtl::planes::{Width, emit_receiver, emit_sender};
use rust_hdl::prelude::*;

#[test]
fn buffers_have_no_warning() {
    lint(&design(StreamFifo::<Bits<65>, 4>::default(), "stream_fifo"));
    lint(&design(FrameFifo::<Bits<8>, 9>::default(), "frame_fifo"));
    lint(&design(
        SkidBuffer::<TxDescriptor>::default(),
        "skid_buffer",
    ));
    lint(&design(RamBypass::<Bits<272>, 10>::default(), "ram_bypass"));
}

#[test]
fn icrc_has_no_warning() {
    lint(&design(Icrc::<8, 1>::default(), "icrc"));
    lint(&design(Icrc::<64, 8>::default(), "icrc"));
}

#[test]
fn memory_ports_have_no_warning() {
    lint(&design(AxiReader::<8, 1, 9>::new(16), "axi_reader"));
    lint(&design(AxiReader::<64, 8, 9>::new(16), "axi_reader"));
    lint(&design(AxiWriter::<8, 1>::new(16), "axi_writer"));
    lint(&design(AxiWriter::<64, 8>::new(16), "axi_writer"));
}

#[test]
fn parser_and_deparser_have_no_warning() {
    lint(&design(
        Parser::<8, 1, 104>::new(1024, false, false),
        "parser",
    ));
    lint(&design(
        Parser::<64, 8, 13>::new(4096, true, true),
        "parser",
    ));
    lint(&design(
        Deparser::<8, 1, 104>::new(false, false),
        "deparser",
    ));
    lint(&design(Deparser::<64, 8, 13>::new(true, true), "deparser"));
}

#[test]
fn planes_have_no_warning() {
    lint(&design(
        PlaneRx::<8, 1, 104, 11>::new(1024, Profile::Write),
        "plane_rx",
    ));
    lint(&design(
        PlaneTx::<8, 1, 104, 11>::new(1024, Profile::Write),
        "plane_tx",
    ));
    for profile in [Profile::Write, Profile::Messages] {
        lint(&design(
            PlaneRx::<64, 8, 13, 10>::new(4096, profile),
            "plane_rx",
        ));
        lint(&design(
            PlaneTx::<64, 8, 13, 10>::new(4096, profile),
            "plane_tx",
        ));
    }
}

#[test]
fn wide_planes_have_no_warning() {
    for width in [Width::W256, Width::W512] {
        lint(&emit_receiver(width).expect("Verilog"));
        lint(&emit_sender(width).expect("Verilog"));
    }
}
