//! Every core whose contract is proved, at a size that a solver can take.

use metaroce_cores::axi_lite::AxiLite;
use metaroce_cores::burst_splitter::BurstSplitter;
use metaroce_cores::event_arbiter::EventArbiter;
use metaroce_cores::find_first::FindFirst16;
use metaroce_cores::forwarded_table::ForwardedTable;
use metaroce_cores::lut_fifo::LutFifo;
use metaroce_cores::message_tracker::MessageTracker;
use metaroce_cores::narrow::Narrowing;
use metaroce_cores::next_in_turn::NextInTurn;
use metaroce_cores::path_chooser::PathChooser;
use metaroce_cores::path_table::PathTable;
use metaroce_cores::plane_credit::PlaneCredit;
use metaroce_cores::ram_bypass::RamBypass;
use metaroce_cores::resolve_queue::ResolveQueue;
use metaroce_cores::retransmit_queue::RetransmitQueue;
use metaroce_cores::sack_table::SackTable;
use metaroce_cores::selector::PathSelector;
use metaroce_cores::shift_queue::ShiftQueue;
use metaroce_cores::skid_buffer::SkidBuffer;
use metaroce_cores::slot_counter::SlotCounter;
use metaroce_cores::stream_fifo::{FrameFifo, StreamFifo};
use metaroce_cores::walk_queue::WalkQueue;
use metaroce_cores::window_step::WindowStep;
use metaroce_emit::{Design, EmitError};
use rust_hdl::prelude::*;

use crate::area::emitted;

/// A core and what it promises.
pub(crate) struct Contract {
    /// Name of the core, and of the emitted top.
    pub name: &'static str,
    /// What is emitted.
    pub size: &'static str,
    /// Emits it.
    pub emit: fn() -> Result<Design, EmitError>,
    /// The properties, `cores/formal/*.sv`.
    pub properties: &'static str,
    /// Cycles after reset that are looked at; none: no state, so one step is all there is.
    pub depth: Option<u32>,
    /// A fault to be found.
    pub fault: Fault,
}

/// A fault planted into the emitted Verilog: `right`, which stands there once, becomes `wrong`.
pub(crate) struct Fault {
    pub right: &'static str,
    pub wrong: &'static str,
}

/// The properties of a core.
macro_rules! properties {
    ($file:literal) => {
        include_str!(concat!("../../../cores/formal/", $file, ".sv"))
    };
}

/// Every contract.
pub(crate) const CONTRACTS: &[Contract] = &[
    Contract {
        name: "axi_lite",
        size: "16-bit addresses, 32-bit words",
        emit: || emitted(AxiLite::default(), "axi_lite"),
        properties: properties!("axi_lite"),
        depth: Some(16),
        fault: Fault {
            right: "assign arready = ((~asked_q) & (~told_q));",
            wrong: "assign arready = (~asked_q);",
        },
    },
    Contract {
        name: "burst_splitter",
        size: "beats of 8 B, bursts of 16",
        emit: || emitted(BurstSplitter::new(8, 16), "burst_splitter"),
        properties: properties!("burst_splitter"),
        depth: Some(8),
        fault: Fault {
            right: "(left_q < room) ? left_q :",
            wrong: "(left_q <= room) ? left_q - 16'h1 :",
        },
    },
    Contract {
        name: "event_arbiter",
        size: "3 planes",
        emit: || emitted(EventArbiter::<3>::default(), "event_arbiter"),
        properties: properties!("event_arbiter"),
        depth: Some(10),
        fault: Fault {
            right: "(NUMBER_2 > last)",
            wrong: "(NUMBER_2 >= last)",
        },
    },
    Contract {
        name: "find_first",
        size: "16 bits",
        emit: || emitted(FindFirst16::default(), "find_first"),
        properties: properties!("find_first"),
        depth: None,
        fault: Fault {
            right: "16'haaaa",
            wrong: "16'haaa2",
        },
    },
    Contract {
        name: "forwarded_table",
        size: "8 words of 4 bits",
        emit: || emitted(ForwardedTable::<Bits<4>, 3>::default(), "forwarded_table"),
        properties: properties!("forwarded_table"),
        depth: Some(16),
        fault: Fault {
            right: "(write_enable & (write_address == address_q))",
            wrong: "1'b0",
        },
    },
    Contract {
        name: "frame_fifo",
        size: "3 words of 4 bits",
        emit: || emitted(FrameFifo::<Bits<4>, 2>::default(), "frame_fifo"),
        properties: properties!("frame_fifo"),
        depth: Some(16),
        fault: Fault {
            right: "rollback ? committed_q :\n        next_write;",
            wrong: "next_write;",
        },
    },
    Contract {
        name: "lut_fifo",
        size: "4 words of 4 bits",
        emit: || emitted(LutFifo::<Bits<4>, 2>::default(), "lut_fifo"),
        properties: properties!("lut_fifo"),
        depth: Some(20),
        fault: Fault {
            right: "assign push_ready = (~full_q);",
            wrong: "assign push_ready = 1'b1;",
        },
    },
    Contract {
        name: "message_tracker",
        size: "2 streams, 2 messages, 2 buffers, 7 B",
        emit: || {
            emitted(
                MessageTracker::<1, 1, 1, 1, 2, 2>::default(),
                "message_tracker",
            )
        },
        properties: properties!("message_tracker"),
        depth: Some(15),
        fault: Fault {
            right: "assign follows = (same_entry3_q & accepted);",
            wrong: "assign follows = 1'b0;",
        },
    },
    Contract {
        name: "next_in_turn",
        size: "4 requesters",
        emit: || emitted(NextInTurn::<4>::default(), "next_in_turn"),
        properties: properties!("next_in_turn"),
        depth: None,
        fault: Fault {
            right: "(NUMBER_3 > last)",
            wrong: "(NUMBER_3 >= last)",
        },
    },
    Contract {
        name: "path_chooser",
        size: "2 connections of 2 paths, 2 planes",
        emit: || {
            let chooser = PathChooser::<2, 1, 2>::new(1, 16, &Narrowing::none());
            emitted(chooser, "path_chooser")
        },
        properties: properties!("path_chooser"),
        depth: Some(18),
        fault: Fault {
            right: "(just_q | recent_q)",
            wrong: "just_q",
        },
    },
    Contract {
        name: "path_table",
        size: "8 words of 4 bits",
        emit: || emitted(PathTable::<Bits<4>, 3>::default(), "path_table"),
        properties: properties!("table"),
        depth: Some(16),
        fault: Fault {
            right: "if (write_enable) memory",
            wrong: "if (write_enable & (read_address != write_address)) memory",
        },
    },
    Contract {
        name: "plane_credit",
        size: "4 places",
        emit: || emitted(PlaneCredit::default(), "plane_credit"),
        properties: properties!("plane_credit"),
        depth: Some(16),
        fault: Fault {
            right: "(claimed_q < 3'h3)",
            wrong: "(claimed_q < 3'h4)",
        },
    },
    Contract {
        name: "ram_bypass",
        size: "8 words of 4 bits",
        emit: || emitted(RamBypass::<Bits<4>, 3>::default(), "ram_bypass"),
        properties: properties!("table"),
        depth: Some(16),
        fault: Fault {
            right: "hit_q ? written_q :",
            wrong: "1'b0 ? written_q :",
        },
    },
    Contract {
        name: "resolve_queue",
        size: "4 paths",
        emit: || emitted(ResolveQueue::<2>::default(), "resolve_queue"),
        properties: properties!("resolve_queue"),
        depth: Some(11),
        fault: Fault {
            right: "assign enter = (asked_q & (entered_read_data == left_read_data));",
            wrong: "assign enter = asked_q;",
        },
    },
    Contract {
        name: "retransmit_queue",
        size: "8 entries",
        emit: || {
            emitted(
                RetransmitQueue::<3>::new(&Narrowing::none()),
                "retransmit_queue",
            )
        },
        properties: properties!("retransmit_queue"),
        depth: Some(16),
        fault: Fault {
            right: "((pop & (~push)) & (used == 3'h1))",
            wrong: "(pop & (used == 3'h1))",
        },
    },
    Contract {
        name: "sack_table",
        size: "2 paths, 32 slots",
        emit: || emitted(SackTable::<2, 1, 2>::new(Bits::<24>::mask()), "sack_table"),
        properties: properties!("sack_table"),
        depth: Some(20),
        fault: Fault {
            right: "(received | (same_slot2_q & taken))",
            wrong: "received",
        },
    },
    Contract {
        name: "selector",
        size: "4 paths",
        emit: || emitted(PathSelector::<4>::default(), "selector"),
        properties: properties!("selector"),
        depth: None,
        fault: Fault {
            right: "(able & (~served))",
            wrong: "able",
        },
    },
    Contract {
        name: "shift_queue",
        size: "3 words of 4 bits",
        emit: || emitted(ShiftQueue::<Bits<4>, 3>::default(), "shift_queue"),
        properties: properties!("shift_queue"),
        depth: Some(16),
        fault: Fault {
            right: "(after_pop == 4'h1)",
            wrong: "(count_q == 4'h1)",
        },
    },
    Contract {
        name: "skid_buffer",
        size: "4 bits",
        emit: || emitted(SkidBuffer::<Bits<4>>::default(), "skid_buffer"),
        properties: properties!("skid_buffer"),
        depth: Some(20),
        fault: Fault {
            right: "(~tail_full_q) ? push :",
            wrong: "push_valid ? push :",
        },
    },
    Contract {
        name: "slot_counter",
        size: "25 bits",
        emit: || emitted(SlotCounter::default(), "slot_counter"),
        properties: properties!("slot_counter"),
        depth: Some(20),
        fault: Fault {
            right: "(delivered & done_step)",
            wrong: "delivered",
        },
    },
    Contract {
        name: "stream_fifo",
        size: "3 words of 4 bits",
        emit: || emitted(StreamFifo::<Bits<4>, 2>::default(), "stream_fifo"),
        properties: properties!("stream_fifo"),
        depth: Some(20),
        fault: Fault {
            right: "assign push_ready = ((write_pointer_q + 2'h1) != read_pointer_q);",
            wrong: "assign push_ready = 1'b1;",
        },
    },
    Contract {
        name: "walk_queue",
        size: "4 paths, away for 4 cycles",
        emit: || emitted(WalkQueue::<2, 2>::default(), "walk_queue"),
        properties: properties!("walk_queue"),
        depth: Some(29),
        fault: Fault {
            right: "(entering_3_q & (~present_read_data))",
            wrong: "entering_3_q",
        },
    },
    Contract {
        name: "window_step",
        size: "all of it",
        emit: || emitted(WindowStep::default(), "window_step"),
        properties: properties!("window_step"),
        depth: Some(4),
        fault: Fault {
            right: "(to_most_1_q - {2'h0, window})",
            wrong: "(to_most_0_q - {2'h0, window})",
        },
    },
];
