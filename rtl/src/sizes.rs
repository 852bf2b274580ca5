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

/// 4 planes, 64 bits; 4 connections of 16 paths, window 256, 16 message slots, 16 regions.
pub type Small = Nic<
    4,
    64,
    8,
    13,
    10,
    16,
    2,
    6,
    4,
    4,
    64,
    256,
    8,
    16,
    14,
    14,
    10,
    16,
    4,
    10,
    7,
    4,
    4,
    4,
    8,
    8,
    16,
>;
/// Its engine.
pub type SmallEngine =
    Engine<4, 16, 2, 6, 4, 4, 64, 256, 8, 16, 14, 14, 10, 4, 10, 7, 4, 4, 4, 8, 8, 16>;
/// Its receive side.
pub type SmallReceiveSide = ReceiveSide<4, 16, 2, 6, 4, 10, 7, 4, 4, 4, 8, 8, 16>;
/// Its transmit side.
pub type SmallTransmitSide = TransmitSide<16, 2, 6, 4, 64, 4, 256, 8, 14, 14, 10, 4>;

/// 4 planes, 64 bits; 64 connections of 16 paths, window 256, 16 message slots, 64 regions.
pub type Medium = Nic<
    4,
    64,
    8,
    13,
    10,
    16,
    6,
    10,
    6,
    64,
    1024,
    256,
    8,
    16,
    18,
    18,
    12,
    16,
    4,
    14,
    11,
    7,
    4,
    4,
    11,
    11,
    128,
>;
/// Its engine.
pub type MediumEngine =
    Engine<4, 16, 6, 10, 6, 64, 1024, 256, 8, 16, 18, 18, 12, 4, 14, 11, 7, 4, 4, 11, 11, 128>;
/// Its receive side.
pub type MediumReceiveSide = ReceiveSide<4, 16, 6, 10, 6, 14, 11, 7, 4, 4, 11, 11, 128>;
/// Its transmit side.
pub type MediumTransmitSide = TransmitSide<16, 6, 10, 64, 1024, 4, 256, 8, 18, 18, 12, 4>;

/// 1 plane, 512 bits; 4 connections of 16 paths, window 256, 16 message slots, 16 regions.
pub type Wide = Nic<
    1,
    512,
    64,
    2,
    9,
    16,
    2,
    6,
    4,
    4,
    64,
    256,
    8,
    16,
    14,
    14,
    12,
    16,
    4,
    10,
    7,
    4,
    4,
    4,
    8,
    8,
    16,
    0,
    1,
>;
/// Its engine.
pub type WideEngine =
    Engine<1, 16, 2, 6, 4, 4, 64, 256, 8, 16, 14, 14, 12, 4, 10, 7, 4, 4, 4, 8, 8, 16>;
/// Its receive side.
pub type WideReceiveSide = ReceiveSide<1, 16, 2, 6, 4, 10, 7, 4, 4, 4, 8, 8, 16>;
/// Its transmit side.
pub type WideTransmitSide = TransmitSide<16, 2, 6, 4, 64, 1, 256, 8, 14, 14, 12, 4>;

/// 1 plane, 8 bits; 2 connections of 4 paths, window 32, 4 message slots, 4 regions.
pub type Tiny =
    Nic<1, 8, 1, 104, 11, 4, 1, 3, 2, 2, 8, 32, 5, 2, 8, 11, 8, 4, 2, 4, 4, 1, 1, 1, 2, 2, 2>;
/// Its engine.
pub type TinyEngine = Engine<1, 4, 1, 3, 2, 2, 8, 32, 5, 2, 8, 11, 8, 2, 4, 4, 1, 1, 1, 2, 2, 2>;
/// Its receive side.
pub type TinyReceiveSide = ReceiveSide<1, 2, 1, 3, 2, 4, 4, 1, 1, 1, 2, 2, 2>;
/// Its transmit side.
pub type TinyTransmitSide = TransmitSide<4, 1, 3, 2, 8, 1, 32, 5, 8, 11, 8, 2>;

/// A size of the NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
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
    pub const ALL: &[Self] = &[Self::Medium, Self::Small, Self::Wide, Self::Tiny];

    /// Its name, also the emitted top's: `metaroce_<name>`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Medium => "medium",
            Self::Small => "small",
            Self::Wide => "wide",
            Self::Tiny => "tiny",
        }
    }

    /// Largest payload of a frame, in bytes.
    pub const fn largest_payload(self) -> usize {
        match self {
            Self::Medium | Self::Small | Self::Wide => 4096,
            Self::Tiny => 1024,
        }
    }

    /// The verbs that it speaks.
    pub const fn profile(self) -> Profile {
        match self {
            Self::Medium | Self::Small | Self::Wide => Profile::Messages,
            Self::Tiny => Profile::Write,
        }
    }

    /// What it does without: the smallest size has no congestion laws.
    pub fn narrowing(self) -> Narrowing {
        Narrowing {
            laws: self != Self::Tiny,
            ..Narrowing::none()
        }
    }

    /// What register CAPABILITIES says.
    pub fn capabilities(self) -> Capabilities {
        let (most, profile) = (self.largest_payload(), self.profile());
        match self {
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
