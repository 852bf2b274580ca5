//! What can be measured, by name.

use metaroce_cores::ack_engine::AckEngine;
use metaroce_cores::message_tracker::MessageTracker;
use metaroce_cores::narrow::Narrowing;
use metaroce_cores::parser::Parser;
use metaroce_cores::path_table::PathTable;
use metaroce_cores::prim::RamSdp;
use metaroce_cores::ram_bypass::RamBypass;
use metaroce_cores::receive_engine::ReceiveEngine;
use metaroce_cores::resolve_queue::ResolveQueue;
use metaroce_cores::resolver::Resolver;
use metaroce_cores::sack_table::SackTable;
use metaroce_cores::transmit_engine::TransmitEngine;
use metaroce_cores::wide_deparser::WideDeparser;
use metaroce_cores::wide_icrc::WideIcrc;
use metaroce_cores::wide_parser::WideParser;
use metaroce_cores::window_engine::WindowEngine;
use metaroce_emit::{Design, EmitError, emit};
use metaroce_protocol::Profile;
use metaroce_rtl::plane_rx::PlaneRx;
use metaroce_rtl::plane_tx::PlaneTx;
use metaroce_rtl::sizes::{self, Size, emit_receive_side as receive_side};
use rust_hdl::prelude::*;

use crate::error::FlowError;
use crate::self_test;

/// Emits one size.
type Emit = fn() -> Result<Design, EmitError>;

/// Something to measure and its sizes; the first is the one meant when none is named.
pub(crate) struct Subject {
    pub name: &'static str,
    pub sizes: &'static [(&'static str, Emit)],
}

/// Everything that can be measured.
pub(crate) const SUBJECTS: &[Subject] = &[
    Subject {
        name: "ram_sdp",
        sizes: &[
            ("w8a11", || of(RamSdp::<Bits<8>, 11>::default(), "ram_sdp")),
            ("w64a9", || of(RamSdp::<Bits<64>, 9>::default(), "ram_sdp")),
        ],
    },
    Subject {
        name: "path_table",
        sizes: &[
            ("w24a6", || {
                of(PathTable::<Bits<24>, 6>::default(), "path_table")
            }),
            ("w24a10", || {
                of(PathTable::<Bits<24>, 10>::default(), "path_table")
            }),
        ],
    },
    Subject {
        name: "ram_bypass",
        sizes: &[("w256a10", || {
            of(RamBypass::<Bits<256>, 10>::default(), "ram_bypass")
        })],
    },
    // Bitvector, cumulative point and verdict: 1,024 paths of a window of 256, and 8 of 32.
    Subject {
        name: "sack_table",
        sizes: &[
            ("w256a10", || {
                of(SackTable::<16, 10, 14>::new(Bits::mask()), "sack_table")
            }),
            ("w32a3", || {
                of(SackTable::<2, 3, 4>::new(Bits::mask()), "sack_table")
            }),
        ],
    },
    // Messages at their receiver: 4 connections of 4 streams, 64 of 2, each with 16 messages in flight and 16 buffers.
    Subject {
        name: "message_tracker",
        sizes: &[
            ("small", || {
                let tracker = MessageTracker::<2, 4, 4, 4, 8, 8>::default();
                of(tracker, "message_tracker")
            }),
            ("medium", || {
                let tracker = MessageTracker::<6, 7, 4, 4, 11, 11>::default();
                of(tracker, "message_tracker_medium")
            }),
            ("large", || {
                let tracker = MessageTracker::<10, 12, 4, 4, 16, 16>::default();
                of(tracker, "message_tracker_large")
            }),
        ],
    },
    // 64 connections of 16 paths: the window, the tables and the verdict of the receive side.
    Subject {
        name: "receive_engine",
        sizes: &[("w256a10", || {
            let engine =
                ReceiveEngine::<16, 6, 10, 4, 14>::new(4, false, false, &Narrowing::none());
            of(engine, "receive_engine")
        })],
    },
    // The engines of the small NIC's transmit side, one by one; and with 64, some with 1,024, connections of 16 paths.
    Subject {
        name: "ack_engine",
        sizes: &[
            ("small", || {
                of(
                    AckEngine::<2, 6, 256>::new(true, &Narrowing::none()),
                    "ack_engine",
                )
            }),
            ("medium", || {
                of(
                    AckEngine::<6, 10, 256>::new(true, &Narrowing::none()),
                    "ack_engine_medium",
                )
            }),
            ("large", || {
                of(
                    AckEngine::<10, 14, 256>::new(true, &Narrowing::none()),
                    "ack_engine_large",
                )
            }),
        ],
    },
    // Paths that wait for the resolver.
    Subject {
        name: "resolve_queue",
        sizes: &[
            ("small", || {
                of(ResolveQueue::<6>::default(), "resolve_queue")
            }),
            ("medium", || {
                of(ResolveQueue::<10>::default(), "resolve_queue_medium")
            }),
            ("large", || {
                of(ResolveQueue::<14>::default(), "resolve_queue_large")
            }),
        ],
    },
    // Headers, lengths and ICRC of frames.
    Subject {
        name: "parser",
        sizes: &[
            ("d64", || {
                of(Parser::<64, 8, 13>::new(4096, false, false), "parser")
            }),
            ("d64_messages", || {
                of(
                    Parser::<64, 8, 13>::new(4096, true, false),
                    "parser_messages",
                )
            }),
        ],
    },
    // A frame's check, 256 and 512 bits a cycle.
    Subject {
        name: "wide_icrc",
        sizes: &[
            ("w256", || of(WideIcrc::<256, 32>::default(), "wide_icrc")),
            ("w512", || of(WideIcrc::<512, 64>::default(), "wide_icrc")),
        ],
    },
    // A plane's parts for frames of 256 and 512 bits a cycle, and its halves.
    Subject {
        name: "wide_parser",
        sizes: &[
            ("w512", || {
                of(WideParser::<512, 64, 2>::new(4096, true), "wide_parser")
            }),
            ("w256", || {
                of(WideParser::<256, 32, 4>::new(4096, true), "wide_parser")
            }),
        ],
    },
    Subject {
        name: "wide_deparser",
        sizes: &[
            ("w512", || {
                of(WideDeparser::<512, 64>::new(true), "wide_deparser")
            }),
            ("w256", || {
                of(WideDeparser::<256, 32>::new(true), "wide_deparser")
            }),
        ],
    },
    Subject {
        name: "wide_plane_rx",
        sizes: &[("w512", || {
            let plane = PlaneRx::<512, 64, 2, 8, 0, 1>::wide(4096, Profile::Messages);
            of(plane, "wide_plane_rx")
        })],
    },
    Subject {
        name: "wide_plane_tx",
        sizes: &[("w512", || {
            let plane = PlaneTx::<512, 64, 2, 8, 0, 1>::wide(4096, Profile::Messages);
            of(plane, "wide_plane_tx")
        })],
    },
    // Congestion windows and round trips by either law.
    Subject {
        name: "window_engine",
        sizes: &[
            ("small", || {
                of(WindowEngine::<2, 6>::default(), "window_engine")
            }),
            ("medium", || {
                of(WindowEngine::<6, 10>::default(), "window_engine_medium")
            }),
        ],
    },
    Subject {
        name: "resolver",
        sizes: &[
            ("small", || {
                let resolver = Resolver::<2, 6, 256, 8, 14, 14>::new(&Narrowing::none());
                of(resolver, "resolver")
            }),
            ("medium", || {
                let resolver = Resolver::<6, 10, 256, 8, 18, 18>::new(&Narrowing::none());
                of(resolver, "resolver_medium")
            }),
        ],
    },
    Subject {
        name: "transmit_engine",
        sizes: &[
            ("small", || {
                let engine = TransmitEngine::<16, 2, 6, 4, 10, 4>::new(256, &Narrowing::none());
                of(engine, "transmit_engine")
            }),
            ("medium", || {
                let engine = TransmitEngine::<16, 6, 10, 4, 10, 4>::new(256, &Narrowing::none());
                of(engine, "transmit_engine_medium")
            }),
            ("large", || {
                let engine = TransmitEngine::<16, 10, 14, 4, 10, 4>::new(256, &Narrowing::none());
                of(engine, "transmit_engine_large")
            }),
        ],
    },
    Subject {
        name: "receive_side",
        sizes: &[
            ("small", || receive_side(Size::Small, Size::Small.profile())),
            ("medium", || {
                receive_side(Size::Medium, Size::Medium.profile())
            }),
            ("tiny", || receive_side(Size::Tiny, Size::Tiny.profile())),
        ],
    },
    Subject {
        name: "engine",
        sizes: &[
            ("small", || sizes::emit_engine(sizes::Size::Small)),
            ("medium", || sizes::emit_engine(sizes::Size::Medium)),
            ("tiny", || sizes::emit_engine(sizes::Size::Tiny)),
        ],
    },
    Subject {
        name: "plane_tx",
        sizes: &[
            ("small", || {
                of(
                    PlaneTx::<64, 8, 13, 10>::new(4096, sizes::Size::Small.profile()),
                    "plane_tx_small",
                )
            }),
            ("tiny", || {
                of(
                    PlaneTx::<8, 1, 104, 11>::new(1024, Profile::Write),
                    "plane_tx_tiny",
                )
            }),
            ("demo", || {
                of(
                    PlaneTx::<8, 1, 104, 9>::new(256, Profile::Write),
                    "plane_tx_demo",
                )
            }),
        ],
    },
    Subject {
        name: "plane_rx",
        sizes: &[
            ("small", || {
                of(
                    PlaneRx::<64, 8, 13, 10>::new(4096, sizes::Size::Small.profile()),
                    "plane_rx_small",
                )
            }),
            ("tiny", || {
                of(
                    PlaneRx::<8, 1, 104, 11>::new(1024, Profile::Write),
                    "plane_rx_tiny",
                )
            }),
            ("demo", || {
                of(
                    PlaneRx::<8, 1, 104, 9>::new(256, Profile::Write),
                    "plane_rx_demo",
                )
            }),
        ],
    },
    Subject {
        name: "transmit_side",
        sizes: &[
            ("small", || {
                let size = sizes::Size::Small;
                sizes::emit_transmit_side(size, size.profile())
            }),
            ("medium", || {
                let size = sizes::Size::Medium;
                sizes::emit_transmit_side(size, size.profile())
            }),
            ("tiny", || {
                let size = sizes::Size::Tiny;
                sizes::emit_transmit_side(size, size.profile())
            }),
        ],
    },
    Subject {
        name: "self_test",
        sizes: &[(self_test::SIZE, self_test::emit)],
    },
    Subject {
        name: "nic",
        sizes: &[
            ("small", || sizes::emit(sizes::Size::Small)),
            ("medium", || sizes::emit(sizes::Size::Medium)),
            ("tiny", || sizes::emit(sizes::Size::Tiny)),
        ],
    },
];

/// The Verilog of a block, as a top of this name.
pub(crate) fn of<B: Block>(mut block: B, name: &str) -> Result<Design, EmitError> {
    block.connect_all();
    emit(&block, name)
}

/// Emits the subject of this name, and says which size it is.
pub(crate) fn find(name: &str, size: Option<&str>) -> Result<(&'static str, Design), FlowError> {
    let subject = SUBJECTS
        .iter()
        .find(|subject| subject.name == name)
        .ok_or_else(|| unknown("core", name, SUBJECTS.iter().map(|subject| subject.name)))?;
    let (size, emit) = match size {
        None => subject.sizes.first(),
        Some(size) => subject.sizes.iter().find(|(known, _)| *known == size),
    }
    .ok_or_else(|| {
        unknown(
            "size",
            size.unwrap_or_default(),
            subject.sizes.iter().map(|(size, _)| *size),
        )
    })?;
    tracing::info!(core = name, size, "emitting");
    Ok((size, emit()?))
}

pub(crate) fn unknown<'a>(
    kind: &'static str,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> FlowError {
    FlowError::Unknown {
        kind,
        name: name.into(),
        known: known.map(Into::into).collect(),
    }
}
