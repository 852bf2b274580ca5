//! Mutants of the hardware that no register and no frame can bring about: edits of the emitted Verilog.
use metaroce_emit::Design;

use crate::mutants::Mutant;

/// One of them.
#[derive(Debug)]
pub(super) struct Plant {
    /// The mutant's name.
    pub mutant: &'static str,
    /// What stands in the Verilog exactly once, and what takes its place.
    edits: &'static [(&'static str, &'static str)],
}

const fn plant(mutant: &'static str, edits: &'static [(&'static str, &'static str)]) -> Plant {
    Plant { mutant, edits }
}

const PLANTS: &[Plant] = &[
    plant(
        "receive_window_too_wide",
        &[("(take & (offset < WINDOW))", "(take & (offset <= WINDOW))")],
    ),
    // Any PSN counts as the one of the window that has its slot.
    plant(
        "no_lap_check",
        &[
            ("= (psn2_q - cum2_q);", "= ((psn2_q - cum2_q) & 24'hff);"),
            (
                "(words_read_data[column] ^ (|(psn2_q & WINDOW)))",
                "(words_read_data[column] ^ (|((cum2_q + offset) & WINDOW)))",
            ),
        ],
    ),
    plant(
        "psn_order_without_wrap",
        &[(
            "= (psn2_q - cum2_q);",
            "= ((psn2_q < cum2_q) ? 24'hffffff : (psn2_q - cum2_q));",
        )],
    ),
    plant(
        "closed_epoch_taken",
        &[("(path_key2_q[11:4] == frames_1_q[73:66])", "1'b1")],
    ),
    plant(
        "duplicate_placed",
        &[(
            "(sack_accepted & reads_answered_hit) : sack_accepted)}",
            "(sack_accepted & reads_answered_hit) : (sack_accepted | sack_duplicate))}",
        )],
    ),
    plant(
        "pad_placed",
        &[(
            "placement = {frames_3_q[145:130],",
            "placement = {((frames_3_q[145:130] + 16'h3) & 16'hfffc),",
        )],
    ),
    plant(
        "no_retransmission",
        &[(
            "lost_valid = ((trace_valid & (~sent4_q[15])) & (~arrival_arrived))",
            "lost_valid = 1'b0",
        )],
    ),
    plant(
        "no_tail_probe",
        &[(
            "tail_wanted_d = ((((~late) & some_q) & (~full_q)) & quiet_q)",
            "tail_wanted_d = 1'b0",
        )],
    ),
    plant(
        "no_back_off",
        &[("(rto << count_q)", "(rto << (count_q & 4'h0))")],
    ),
    plant(
        "completes_early",
        &[("done_step = (|left_q)", "done_step = (|(left_q >> 1))")],
    ),
    // One transmission past the echo.
    plant(
        "bits_ahead_of_echo",
        &[
            (
                "have_next_d_step ? echo_read_data :",
                "have_next_d_step ? (echo_read_data + 24'h1) :",
            ),
            (
                "have_next_d_step_3 ? echo_read_data :",
                "have_next_d_step_3 ? (echo_read_data + 24'h1) :",
            ),
        ],
    ),
    // The bitvector is not looked at: what is not cumulatively received is lost.
    plant(
        "go_back_n",
        &[
            (
                "here_0 = (before_0_q | (rows_0_q[low_q] ^ lap_q))",
                "here_0 = before_0_q",
            ),
            (
                "here_1 = (before_1_q | (rows_1_q[low_q] ^ lap_q))",
                "here_1 = before_1_q",
            ),
            (
                "here_2 = (before_2_q | (rows_2_q[low_q] ^ lap_q))",
                "here_2 = before_2_q",
            ),
        ],
    ),
    plant(
        "lowest_plane_first",
        &[(".last(last_plane_q)", ".last(3'h3)")],
    ),
    // The path four numbers away: the same plane's, where there are four.
    plant(
        "retransmit_on_another_path",
        &[(
            "(repeats ? retransmit_packet[15:0] :",
            "(repeats ? (retransmit_packet[15:0] ^ 16'h4) :",
        )],
    ),
    plant(
        "retransmit_with_new_psn",
        &[
            (
                "(choice2_q[2:0] == 3'h2) ? choice2_q[42:19] :",
                "(choice2_q[2:0] == 3'h2) ? numbers_read_data[23:0] :",
            ),
            (
                "(choice2_q[2:0] == 3'h3) ? ((numbers_read_data[23:0] + 24'h1) & PSN_MASK) :",
                "((choice2_q[2:0] | 3'h1) == 3'h3) ? ((numbers_read_data[23:0] + 24'h1) & PSN_MASK) :",
            ),
        ],
    ),
];

/// The edits that make this mutant, if it is one of these.
pub(super) fn of(mutant: &Mutant) -> Option<&'static Plant> {
    PLANTS.iter().find(|plant| plant.mutant == mutant.name)
}

impl Plant {
    /// Changes the design; `false`: it has changed since the edits were written, and is as before.
    pub fn put_into(&self, design: &mut Design) -> bool {
        let mut changed = design.clone();
        for (right, wrong) in self.edits {
            let found = |module: &&mut metaroce_emit::Module| module.verilog.contains(right);
            let mut places = changed.modules.iter_mut().filter(found);
            let (Some(module), None) = (places.next(), places.next()) else {
                return false;
            };
            if module.verilog.matches(right).count() != 1 {
                return false;
            }
            module.verilog = module.verilog.replace(right, wrong);
        }
        *design = changed;
        true
    }
}

#[cfg(test)]
mod tests {
    use metaroce_rtl::sizes;

    use super::PLANTS;
    use crate::mutants;

    #[test]
    fn every_edit_finds_its_place_and_every_plant_its_mutant() {
        let design = sizes::emit(sizes::Size::Small).unwrap();
        for plant in PLANTS {
            assert!(
                mutants::all().any(|m| m.name == plant.mutant),
                "{plant:?} makes no mutant"
            );
            let mut changed = design.clone();
            assert!(plant.put_into(&mut changed), "{plant:?} has no place");
            assert!(changed != design);
        }
    }
}
