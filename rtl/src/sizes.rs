//! Every size of the NIC that is built, by name.
use crate::engine::Engine;
use crate::nic::Nic;
use crate::receive_side::ReceiveSide;
use crate::transmit_side::TransmitSide;
use metaroce_cores::narrow::Narrowing;
use metaroce_emit::{Design, EmitError, emit as emit_block};
use metaroce_protocol::Profile;
use metaroce_protocol::table::host::Capabilities;
use rust_hdl::prelude::*;

/// Address bits of words of 32 connections.
const fn words_log2(connections_log2: usize) -> usize {
    match connections_log2 {
        0..=6 => 1,
        log2 => log2 - 5,
    }
}

/// A NIC and its parts from one set of parameters: all other widths follow from it. `planes_of`: [1, 0] for planes of 8 or 64 bits, [0, 1] for 512.
macro_rules! size {
    ($(#[$doc:meta])* $nic:ident, $engine:ident, $receive:ident, $transmit:ident {
        planes: $n:literal,
        data_bits: $d:literal,
        payload_fifo_log2: $a:literal,
        connections_log2: $c:literal,
        paths_log2: $p:literal,
        window_log2: $w:literal,
        regions_log2: $r:literal,
        retransmit_queue_log2: $q:literal,
        message_slots_log2: $m:literal,
        streams_log2: $s:literal,
        in_flight_log2: $f:literal,
        buffers_log2: $b:literal,
        planes_of: [$nb:literal, $wb:literal],
    }) => {
        $(#[$doc])*
        pub type $nic = Nic<
            $n, $d, { $d / 8 }, { (831 + $d) / $d }, $a, { 1 << $p }, $c, { $c + $p }, $r, { words_log2($c) },
            { 1 << $w }, $w, { (1 << $w) / 16 }, { $c + $p + $w }, { $c + $p + 8 }, $q, { 1 << $m }, $m,
            { $c + $p + $w - 4 }, { $c + $p + 1 }, { $c + $s }, $f, $b, { $c + $s + $f }, { $c + $s + $b }, $nb, $wb,
        >;
        /// Its engine.
        pub type $engine = Engine<
            $n, { 1 << $p }, $c, { $c + $p }, $r, { 1 << $w }, $w, { (1 << $w) / 16 }, { $c + $p + $w },
            { $c + $p + 8 }, $q, $m, { $c + $p + $w - 4 }, { $c + $p + 1 }, { $c + $s }, $f, $b,
            { $c + $s + $f }, { $c + $s + $b },
        >;
        /// Its receive side.
        pub type $receive = ReceiveSide<
            $n, { (1 << $w) / 16 }, $c, { $c + $p }, $r, { $c + $p + $w - 4 }, { $c + $p + 1 }, { $c + $s },
            $f, $b, { $c + $s + $f }, { $c + $s + $b },
        >;
        /// Its transmit side.
        pub type $transmit = TransmitSide<
            { 1 << $p }, $c, { $c + $p }, $n, { 1 << $w }, $w, { $c + $p + $w }, { $c + $p + 8 }, $q, $m,
        >;
    };
}

size! {
    /// 4 planes, 64 bits; 1,024 connections of 16 paths, window 256, 16 message slots, 256 regions.
    Large, LargeEngine, LargeReceiveSide, LargeTransmitSide {
        planes: 4,
        data_bits: 64,
        payload_fifo_log2: 10,
        connections_log2: 10,
        paths_log2: 4,
        window_log2: 8,
        regions_log2: 8,
        retransmit_queue_log2: 14,
        message_slots_log2: 4,
        streams_log2: 2,
        in_flight_log2: 4,
        buffers_log2: 4,
        planes_of: [1, 0],
    }
}

size! {
    /// 4 planes, 64 bits; 64 connections of 16 paths, window 256, 16 message slots, 64 regions.
    Medium, MediumEngine, MediumReceiveSide, MediumTransmitSide {
        planes: 4,
        data_bits: 64,
        payload_fifo_log2: 10,
        connections_log2: 6,
        paths_log2: 4,
        window_log2: 8,
        regions_log2: 6,
        retransmit_queue_log2: 12,
        message_slots_log2: 4,
        streams_log2: 1,
        in_flight_log2: 4,
        buffers_log2: 4,
        planes_of: [1, 0],
    }
}

size! {
    /// 4 planes, 64 bits; 4 connections of 16 paths, window 256, 16 message slots, 16 regions.
    Small, SmallEngine, SmallReceiveSide, SmallTransmitSide {
        planes: 4,
        data_bits: 64,
        payload_fifo_log2: 10,
        connections_log2: 2,
        paths_log2: 4,
        window_log2: 8,
        regions_log2: 4,
        retransmit_queue_log2: 10,
        message_slots_log2: 4,
        streams_log2: 2,
        in_flight_log2: 4,
        buffers_log2: 4,
        planes_of: [1, 0],
    }
}

size! {
    /// 1 plane, 512 bits; 4 connections of 16 paths, window 256, 16 message slots, 16 regions.
    Wide, WideEngine, WideReceiveSide, WideTransmitSide {
        planes: 1,
        data_bits: 512,
        payload_fifo_log2: 9,
        connections_log2: 2,
        paths_log2: 4,
        window_log2: 8,
        regions_log2: 4,
        retransmit_queue_log2: 12,
        message_slots_log2: 4,
        streams_log2: 2,
        in_flight_log2: 4,
        buffers_log2: 4,
        planes_of: [0, 1],
    }
}

size! {
    /// 1 plane, 8 bits; 2 connections of 4 paths, window 32, 4 message slots, 4 regions.
    Tiny, TinyEngine, TinyReceiveSide, TinyTransmitSide {
        planes: 1,
        data_bits: 8,
        payload_fifo_log2: 11,
        connections_log2: 1,
        paths_log2: 2,
        window_log2: 5,
        regions_log2: 2,
        retransmit_queue_log2: 8,
        message_slots_log2: 2,
        streams_log2: 0,
        in_flight_log2: 1,
        buffers_log2: 1,
        planes_of: [1, 0],
    }
}

/// A size of the NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// [`Large`].
    Large,
    /// [`Medium`].
    Medium,
    /// [`Small`].
    Small,
    /// [`Wide`].
    Wide,
    /// [`Tiny`].
    Tiny,
}

impl Size {
    /// Every size.
    pub const ALL: &[Self] = &[
        Self::Large,
        Self::Medium,
        Self::Small,
        Self::Wide,
        Self::Tiny,
    ];

    /// Its name, also the emitted top's: `metaroce_<name>`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Large => "large",
            Self::Medium => "medium",
            Self::Small => "small",
            Self::Wide => "wide",
            Self::Tiny => "tiny",
        }
    }

    /// Largest payload of a frame, in bytes.
    pub const fn largest_payload(self) -> usize {
        match self {
            Self::Large | Self::Medium | Self::Small | Self::Wide => 4096,
            Self::Tiny => 1024,
        }
    }

    /// The verbs that it speaks.
    pub const fn profile(self) -> Profile {
        match self {
            Self::Large | Self::Medium | Self::Small => Profile::Reads,
            Self::Wide => Profile::Messages,
            Self::Tiny => Profile::Write,
        }
    }

    /// What it does without: the smallest size has no congestion laws.
    pub fn narrowing(self) -> Narrowing {
        Narrowing {
            laws: self != Self::Tiny,
            walks_all: self == Self::Tiny,
            ..Narrowing::none()
        }
    }

    /// What register CAPABILITIES says.
    pub fn capabilities(self) -> Capabilities {
        let (most, profile) = (self.largest_payload(), self.profile());
        match self {
            Self::Large => Large::capabilities(most, profile),
            Self::Medium => Medium::capabilities(most, profile),
            Self::Small => Small::capabilities(most, profile),
            Self::Wide => Wide::capabilities(most, profile),
            Self::Tiny => Tiny::capabilities(most, profile),
        }
    }
}

/// Stack for making a NIC: it is one value of many thousand signals, moved a few times.
const STACK_BYTES: usize = 256 << 20;

/// The Verilog of a whole NIC of this size.
pub fn emit(size: Size) -> Result<Design, EmitError> {
    let (most, profile) = (size.largest_payload(), size.profile());
    let narrowing = size.narrowing();
    let name = format!("metaroce_{}", size.name());
    with_stack(move || match size {
        Size::Large => emit_as(Large::narrowed(most, profile, &narrowing), &name),
        Size::Medium => emit_as(Medium::narrowed(most, profile, &narrowing), &name),
        Size::Small => emit_as(Small::narrowed(most, profile, &narrowing), &name),
        Size::Wide => emit_as(Wide::narrowed(most, profile, &narrowing), &name),
        Size::Tiny => emit_as(Tiny::narrowed(most, profile, &narrowing), &name),
    })
}

/// The Verilog of its engine alone.
pub fn emit_engine(size: Size) -> Result<Design, EmitError> {
    let (profile, whole) = (size.profile(), size.narrowing());
    with_stack(move || match size {
        Size::Large => emit_as(LargeEngine::new(profile, &whole), "engine_large"),
        Size::Medium => emit_as(MediumEngine::new(profile, &whole), "engine_medium"),
        Size::Small => emit_as(SmallEngine::new(profile, &whole), "engine_small"),
        Size::Wide => emit_as(WideEngine::new(profile, &whole), "engine_wide"),
        Size::Tiny => emit_as(TinyEngine::new(profile, &whole), "engine_tiny"),
    })
}

/// The Verilog of its receive side alone, for this profile.
pub fn emit_receive_side(size: Size, profile: Profile) -> Result<Design, EmitError> {
    let whole = Narrowing::none();
    with_stack(move || match size {
        Size::Large => emit_as(
            LargeReceiveSide::new(4, profile, &whole),
            "receive_side_large",
        ),
        Size::Medium => emit_as(
            MediumReceiveSide::new(4, profile, &whole),
            "receive_side_medium",
        ),
        Size::Small => emit_as(
            SmallReceiveSide::new(4, profile, &whole),
            "receive_side_small",
        ),
        Size::Wide => emit_as(
            WideReceiveSide::new(4, profile, &whole),
            "receive_side_wide",
        ),
        Size::Tiny => emit_as(
            TinyReceiveSide::new(2, profile, &whole),
            "receive_side_tiny",
        ),
    })
}

/// The Verilog of its transmit side alone, for this profile.
pub fn emit_transmit_side(size: Size, profile: Profile) -> Result<Design, EmitError> {
    let narrowing = size.narrowing();
    with_stack(move || match size {
        Size::Large => emit_as(
            LargeTransmitSide::new(profile, &narrowing),
            "transmit_side_large",
        ),
        Size::Medium => emit_as(
            MediumTransmitSide::new(profile, &narrowing),
            "transmit_side_medium",
        ),
        Size::Small => emit_as(
            SmallTransmitSide::new(profile, &narrowing),
            "transmit_side_small",
        ),
        Size::Wide => emit_as(
            WideTransmitSide::new(profile, &narrowing),
            "transmit_side_wide",
        ),
        Size::Tiny => emit_as(
            TinyTransmitSide::new(profile, &narrowing),
            "transmit_side_tiny",
        ),
    })
}

/// Does work on a stack that holds a NIC.
pub fn with_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(work);
    match thread.expect("a thread").join() {
        Ok(made) => made,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

pub(crate) fn emit_as<B: Block>(mut block: B, name: &str) -> Result<Design, EmitError> {
    block.connect_all();
    emit_block(&block, name)
}
