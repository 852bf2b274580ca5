//! A plane's halves by themselves, by the bits of their beats.
use crate::plane_rx::PlaneRx;
use crate::plane_tx::PlaneTx;
use crate::sizes::{emit_as, with_stack};
use metaroce_emit::{Design, EmitError};
use metaroce_protocol::Profile;

/// Largest payload and profile of the planes here.
const WHOLE: (usize, Profile) = (4096, Profile::Messages);

/// Bits of a plane's beats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 64.
    W64,
    /// 256.
    W256,
    /// 512.
    W512,
}

impl Width {
    /// Every width.
    pub const ALL: &[Self] = &[Self::W64, Self::W256, Self::W512];

    /// In bits.
    pub const fn bits(self) -> usize {
        match self {
            Self::W64 => 64,
            Self::W256 => 256,
            Self::W512 => 512,
        }
    }
}

/// The Verilog of the half that receives.
pub fn emit_receiver(width: Width) -> Result<Design, EmitError> {
    let ((most, profile), name) = (WHOLE, "plane_rx");
    with_stack(move || match width {
        Width::W64 => emit_as(PlaneRx::<64, 8, 13, 11>::new(most, profile), name),
        Width::W256 => emit_as(PlaneRx::<256, 32, 4, 9, 0, 1>::wide(most, profile), name),
        Width::W512 => emit_as(PlaneRx::<512, 64, 2, 9, 0, 1>::wide(most, profile), name),
    })
}

/// The Verilog of the half that sends.
pub fn emit_sender(width: Width) -> Result<Design, EmitError> {
    let ((most, profile), name) = (WHOLE, "plane_tx");
    with_stack(move || match width {
        Width::W64 => emit_as(PlaneTx::<64, 8, 13, 11>::new(most, profile), name),
        Width::W256 => emit_as(PlaneTx::<256, 32, 4, 9, 0, 1>::wide(most, profile), name),
        Width::W512 => emit_as(PlaneTx::<512, 64, 2, 9, 0, 1>::wide(most, profile), name),
    })
}
