//! Numbers that the trace names.
use metaroce_model::config::Size;

use super::{Lockstep, Outcome};
use crate::trace::Commits;

impl Lockstep {
    /// What the trace names must exist.
    pub(super) fn check_names(&self, commits: &Commits) -> Outcome {
        let Size {
            connections,
            paths,
            planes,
            ..
        } = self.size;
        let told = [
            (
                "trace_ack_build_path",
                commits.ack_build,
                connections * paths,
            ),
            (
                "trace_resolve_path",
                commits.resolve.map(|(path, _)| path),
                connections * paths,
            ),
            (
                "trace_receive_plane",
                commits.receive.map(|(plane, _)| plane),
                planes,
            ),
            ("trace_advance_path", commits.advance, connections * paths),
            ("trace_acknowledge_plane", commits.acknowledge, planes),
            (
                "trace_window_path",
                commits.window.map(|(path, _)| path),
                connections * paths,
            ),
            ("trace_give_up_connection", commits.give_up, connections),
            ("trace_offer_room", Some(commits.offers.room), 1 << planes),
            ("trace_offer_spare", Some(commits.offers.spare), 1 << planes),
            (
                "trace_offer_retransmit",
                Some(commits.offers.retransmit),
                1 << planes,
            ),
            ("trace_offer_connection", commits.offers.packet, connections),
            ("trace_drop", Some(commits.drop), 1 << planes),
        ];
        for (signal, value, limit) in told {
            if let Some(value) = value.filter(|value| *value >= limit) {
                return Err(self.differs(signal, format!("below {limit}"), value.to_string()));
            }
        }
        Ok(())
    }
}
