//! When a NIC's engines commit: what a hybrid run records and a run with models only follows.
//!
//! A schedule says *when*, and what timing gave an engine (docs/architecture.md, "The commit trace"). *What* comes of it is
//! computed anew by whoever follows; the kinds and numbers beside are checked, never used.
use std::collections::BTreeMap;

use metaroce_cosim::trace::{Commits, Judge};
use metaroce_fabric::packet::HostId;
use metaroce_model::nic::{Choice, JUDGE_TO_COMMIT, Offers};
use serde::{Deserialize, Serialize};

/// One cycle of one NIC in which something happened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Entry {
    /// Cycles since set-up.
    pub cycle: u64,
    /// The NIC's clock.
    pub now: u32,
    /// An ACK is built for this path.
    #[serde(skip_serializing_if = "is_default")]
    pub ack_build: Option<u32>,
    /// The oldest refusal is built.
    #[serde(skip_serializing_if = "is_default")]
    pub refusal_build: bool,
    /// A path is judged, of which a probe comes.
    #[serde(skip_serializing_if = "is_default")]
    pub judge: Option<Judge>,
    /// The transmit engine sends.
    #[serde(skip_serializing_if = "is_default")]
    pub transmit: Option<Decision>,
    /// A transmission is resolved: path, TSN.
    #[serde(skip_serializing_if = "is_default")]
    pub resolve: Option<(u32, u32)>,
    /// A frame of this plane meets the receive engine; whether a refusal could be queued.
    #[serde(skip_serializing_if = "is_default")]
    pub receive: Option<(u32, bool)>,
    /// The cumulative point of this path moves on by one accepted packet.
    #[serde(skip_serializing_if = "is_default")]
    pub advance: Option<u32>,
    /// A frame of this plane meets the ACK engine.
    #[serde(skip_serializing_if = "is_default")]
    pub acknowledge: Option<u32>,
    /// The window of a path becomes so many packets.
    #[serde(skip_serializing_if = "is_default")]
    pub window: Option<(u32, u32)>,
    /// This connection gives up.
    #[serde(skip_serializing_if = "is_default")]
    pub give_up: Option<u32>,
    /// Planes whose parser drops a frame, bit by plane.
    #[serde(skip_serializing_if = "is_default")]
    pub drop: u32,
    /// An entry of a table is written: table and index.
    #[serde(skip_serializing_if = "is_default")]
    pub configure: Option<(u32, u32)>,
    /// The next WQE is taken.
    #[serde(skip_serializing_if = "is_default")]
    pub message: bool,
    /// The oldest message completes.
    #[serde(skip_serializing_if = "is_default")]
    pub retire: bool,
    /// The next message of this stream ends at its receiver.
    #[serde(skip_serializing_if = "is_default")]
    pub retire_receive: Option<u32>,
    /// The oldest RQE is posted on this stream.
    #[serde(skip_serializing_if = "is_default")]
    pub post: Option<u32>,
    /// The oldest message that came and took a buffer is told of; or (`true`) the oldest RQE, that can't be posted.
    #[serde(skip_serializing_if = "is_default")]
    pub tell: Option<bool>,
    /// The oldest response that waits takes a slot.
    #[serde(skip_serializing_if = "is_default")]
    pub load_response: bool,
    /// The oldest response that holds one frees it.
    #[serde(skip_serializing_if = "is_default")]
    pub retire_response: bool,
    /// Register writes of the driver that took effect.
    #[serde(skip_serializing_if = "is_default")]
    pub writes: u32,
    /// Frames whose last beat left: plane, and whether out of the queue of answers.
    #[serde(skip_serializing_if = "is_default")]
    pub frames: Vec<(u32, bool)>,
    /// Completions that reached host memory.
    #[serde(skip_serializing_if = "is_default")]
    pub completions: u32,
}

/// What the transmit engine chose, and from what: the fields of [`Choice`] and of [`Offers`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// `trace_transmit_kind`.
    pub kind: u32,
    /// Global number of its path.
    pub path: u32,
    /// Paths that it could have taken.
    pub able: u32,
    /// It asks for an acknowledgement.
    pub ack_request: bool,
    /// Planes with room.
    pub room: u32,
    /// Planes with room for two.
    pub spare: u32,
    /// The plane whose oldest lost packet could be taken.
    pub retransmit: u32,
    /// The connection whose next packet could be taken.
    pub packet: Option<u32>,
    /// It was a response's.
    #[serde(default, skip_serializing_if = "is_default")]
    pub response: bool,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Entry {
    /// Of a cycle's commits, without the judgement: most come to nothing.
    pub fn new(cycle: u64, commits: &Commits) -> Self {
        Self {
            cycle,
            now: commits.now,
            ack_build: commits.ack_build,
            refusal_build: commits.refusal_build,
            transmit: commits
                .transmit
                .map(|choice| Decision::new(&commits.offers, &choice)),
            resolve: commits.resolve,
            receive: commits.receive,
            advance: commits.advance,
            acknowledge: commits.acknowledge,
            window: commits.window,
            give_up: commits.give_up,
            drop: commits.drop,
            configure: commits.configure,
            message: commits.message,
            retire: commits.retire,
            retire_receive: commits.retire_receive,
            post: commits.post,
            tell: commits.tell,
            load_response: commits.load_response,
            retire_response: commits.retire_response,
            ..Self::default()
        }
    }

    /// The judgement that a probe sent in this cycle comes from: cycle, clock, and what it was.
    pub fn judgement(&self) -> Option<(u64, u32, Judge)> {
        let probe = self
            .transmit
            .filter(|sent| matches!(sent.kind, 0 | 1 | 5))?;
        let cycle = self.cycle.checked_sub(JUDGE_TO_COMMIT)?;
        let now = self.now.wrapping_sub(JUDGE_TO_COMMIT as u32);
        // Whether there was anything to send matters to a tail probe only.
        Some((cycle, now, (probe.path, probe.kind == 0)))
    }

    /// Whether nothing happened.
    pub fn is_empty(&self) -> bool {
        let Self { cycle, now, .. } = *self;
        *self
            == Self {
                cycle,
                now,
                ..Self::default()
            }
    }

    /// The commits.
    pub fn commits(&self) -> Commits {
        Commits {
            now: self.now,
            ack_build: self.ack_build,
            refusal_build: self.refusal_build,
            judge: self.judge,
            offers: self.transmit.map_or(Offers::default(), |d| d.offers()),
            transmit: self.transmit.map(|decision| decision.choice()),
            resolve: self.resolve,
            receive: self.receive,
            advance: self.advance,
            acknowledge: self.acknowledge,
            window: self.window,
            give_up: self.give_up,
            drop: self.drop,
            configure: self.configure,
            message: self.message,
            retire: self.retire,
            retire_receive: self.retire_receive,
            post: self.post,
            tell: self.tell,
            load_response: self.load_response,
            retire_response: self.retire_response,
        }
    }
}

impl Decision {
    fn new(offers: &Offers, choice: &Choice) -> Self {
        Self {
            kind: choice.kind,
            path: choice.path,
            able: choice.able,
            ack_request: choice.ack_request,
            room: offers.room,
            spare: offers.spare,
            retransmit: offers.retransmit,
            packet: offers.packet,
            response: offers.response,
        }
    }

    fn offers(&self) -> Offers {
        Offers {
            room: self.room,
            spare: self.spare,
            retransmit: self.retransmit,
            packet: self.packet,
            response: self.response,
        }
    }

    fn choice(&self) -> Choice {
        Choice {
            kind: self.kind,
            path: self.path,
            able: self.able,
            ack_request: self.ack_request,
        }
    }
}

/// Puts a judgement into the cycle to which it belongs.
pub fn insert_judgement(entries: &mut Vec<Entry>, cycle: u64, now: u32, judge: Judge) {
    let place = entries.partition_point(|entry| entry.cycle < cycle);
    if entries.get(place).is_none_or(|entry| entry.cycle != cycle) {
        let entry = Entry {
            cycle,
            now,
            ..Entry::default()
        };
        entries.insert(place, entry);
    }
    entries[place].judge = Some(judge);
}

/// The schedules of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// The scenario's name.
    pub scenario: String,
    /// What decided every random choice.
    pub seed: u64,
    /// Picoseconds of a NIC's cycle.
    pub cycle_ps: u64,
    /// By host, in order of cycles.
    pub hosts: BTreeMap<HostId, Vec<Entry>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_holds_all_of_a_cycles_commits_and_survives_its_file() {
        let commits = Commits {
            now: 7,
            ack_build: Some(3),
            refusal_build: true,
            judge: None,
            offers: Offers {
                room: 7,
                spare: 5,
                retransmit: 4,
                packet: Some(1),
                response: true,
            },
            transmit: Some(Choice {
                kind: 0,
                path: 17,
                able: 3,
                ack_request: true,
            }),
            resolve: Some((4, 5)),
            receive: Some((1, true)),
            advance: Some(3),
            acknowledge: Some(2),
            window: Some((6, 32)),
            give_up: Some(1),
            drop: 6,
            retire_receive: Some(2),
            post: Some(3),
            tell: Some(true),
            configure: Some((1, 3)),
            message: true,
            retire: true,
            load_response: true,
            retire_response: true,
        };
        let entry = Entry {
            writes: 1,
            frames: vec![(1, true)],
            completions: 2,
            ..Entry::new(11, &commits)
        };
        assert_eq!(entry.commits(), commits);
        let text = serde_json::to_string(&entry).unwrap();
        assert_eq!(serde_json::from_str::<Entry>(&text).unwrap(), entry);
        assert_eq!(
            entry.judgement(),
            Some((3, u32::MAX, (17, true))),
            "eight cycles before"
        );
        let mut entries = vec![entry.clone()];
        insert_judgement(&mut entries, 3, u32::MAX, (17, true));
        insert_judgement(&mut entries, 11, 7, (1, false));
        let judged: Vec<_> = entries.iter().map(|e| (e.cycle, e.judge)).collect();
        assert_eq!(judged, [(3, Some((17, true))), (11, Some((1, false)))]);
        assert_eq!(entries[0].commits().judge, Some((17, true)));
        let quiet = Commits {
            now: 7,
            ..Commits::default()
        };
        assert!(Entry::new(11, &quiet).is_empty() && !entry.is_empty());
    }
}
