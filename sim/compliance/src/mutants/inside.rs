//! Wrong inside the NIC.
use metaroce_model::mutant::Mutant as Inside;

use super::{Mutant, Mutation, mutant};

pub const MUTANTS: &[Mutant] = &[
    mutant(
        "receive_window_too_wide",
        "P04",
        "The PSN one past the receiver's window is accepted.",
        || Mutation::inside(Inside::ReceiveWindowTooWide),
    ),
    mutant(
        "no_lap_check",
        "P05",
        "The receiver tests a slot without asking which lap its PSN belongs to.",
        || Mutation::inside(Inside::NoLapCheck),
    ),
    mutant(
        "psn_order_without_wrap",
        "P06",
        "The receiver compares PSNs as plain numbers.",
        || Mutation::inside(Inside::PsnOrderWithoutWrap),
    ),
    mutant(
        "closed_epoch_taken",
        "H06",
        "A frame is taken whatever its epoch.",
        || Mutation::inside(Inside::ClosedEpochTaken),
    ),
    mutant(
        "duplicate_placed",
        "P03",
        "A packet that came before is placed again, into what may be another's buffer by now.",
        || Mutation::inside(Inside::DuplicatePlaced),
    ),
    mutant(
        "buffers_out_of_turn",
        "V11",
        "A message takes whatever posted buffer it names, out of turn.",
        || Mutation::inside(Inside::BuffersOutOfTurn),
    ),
    mutant(
        "lowest_plane_first",
        "T03",
        "New packets go to the lowest plane that has headroom.",
        || Mutation::inside(Inside::LowestPlaneFirst),
    ),
    mutant(
        "go_back_n",
        "L01",
        "A lost packet is sent again with all that followed it on its path.",
        || Mutation::inside(Inside::GoBackN),
    ),
    mutant(
        "no_retransmission",
        "L01",
        "A gap causes no retransmission.",
        || Mutation::inside(Inside::NoRetransmission),
    ),
    mutant(
        "retransmit_on_another_path",
        "L01",
        "A lost packet is sent again on another path.",
        || Mutation::inside(Inside::RetransmitOnAnotherPath),
    ),
    mutant(
        "retransmit_with_new_psn",
        "L01",
        "A lost packet is sent again with a new PSN.",
        || Mutation::inside(Inside::RetransmitWithNewPsn),
    ),
    mutant(
        "no_tail_probe",
        "L06",
        "A quiet tail is not probed.",
        || Mutation::inside(Inside::NoTailProbe),
    ),
    mutant(
        "no_back_off",
        "O01",
        "Time-outs come at the same interval for ever.",
        || Mutation::inside(Inside::NoBackOff),
    ),
    mutant(
        "completes_early",
        "T08",
        "A message completes while its last packet is still on its way.",
        || Mutation::inside(Inside::CompletesEarly),
    ),
    mutant(
        "bits_ahead_of_echo",
        "X04",
        "A bit of a transmission that the echo has not reached is believed.",
        || Mutation::inside(Inside::BitsAheadOfEcho),
    ),
];
