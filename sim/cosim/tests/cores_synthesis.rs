//! Yosys makes netlists of the datapath, without latches, loops or drivers that fight, and with its FIFOs in block RAM.
mod datapath;

use datapath::{design, synthesise};
use metaroce_cores::icrc::Icrc;
use metaroce_cores::stream_fifo::StreamFifo;
use metaroce_protocol::Profile;
use metaroce_rtl::plane_rx::PlaneRx;
use metaroce_rtl::plane_tx::PlaneTx;
use metaroce_rtl::planes::{Width, emit_receiver, emit_sender};
use rust_hdl::prelude::*;

#[test]
fn the_narrow_planes_map_to_ice40() {
    let rx = design(
        PlaneRx::<8, 1, 104, 9>::new(256, Profile::Write),
        "plane_rx",
    );
    synthesise(
        &rx,
        "synth_ice40 -noflatten",
        "select -assert-min 1 t:SB_RAM40_4K",
    );
    let tx = design(
        PlaneTx::<8, 1, 104, 9>::new(256, Profile::Write),
        "plane_tx",
    );
    synthesise(
        &tx,
        "synth_ice40 -noflatten",
        "select -assert-min 1 t:SB_RAM40_4K",
    );
}

#[test]
fn the_wide_parts_map_to_ecp5() {
    let fifo = design(StreamFifo::<Bits<65>, 10>::default(), "stream_fifo");
    synthesise(
        &fifo,
        "synth_ecp5 -noflatten",
        "select -assert-min 1 t:DP16KD",
    );
    synthesise(&design(Icrc::<64, 8>::default(), "icrc"), "synth_ecp5", "");
}

#[test]
fn planes_of_512_bits_have_no_latch_and_no_loop() {
    // Minutes.
    if std::env::var_os("METAROCE_LONG").is_none() {
        return;
    }
    let (check, gates) = (
        "hierarchy -check",
        "proc; opt_clean; check -assert; select -assert-none t:$dlatch t:$adlatch t:$dlatchsr t:$sr",
    );
    let rx = emit_receiver(Width::W512).expect("Verilog");
    synthesise(&rx, check, gates);
    let tx = emit_sender(Width::W512).expect("Verilog");
    synthesise(&tx, check, gates);
}
