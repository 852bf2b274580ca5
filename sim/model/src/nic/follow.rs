//! What hardware chose to send, computed: it chooses some cycles before it sends (docs/architecture.md, "A choice is final").
use metaroce_protocol::constants::MAX_UNRESOLVED_DATA;

use super::look::{Chosen, Looks, Room};
use super::{Decision, Nic};
use crate::send::{Packet, Probe, ProbeRule};

/// Cycles from the judgement of a path to the commit of its probe.
pub const JUDGE_TO_COMMIT: u64 = 8;
/// From the look at a connection to the commit of a new packet.
const LOOK: u64 = 8;
/// From the look at a lost packet's path to the commit of its retransmission.
const LOOK_AGAIN: u64 = 7;
/// From the cycle in which probes and retransmissions of failed connections are told from others.
const LOOK_FAILED: u64 = 6;
/// The choices of these cycles before a commit are known when its look comes back, by path number.
const KNOWN: (u64, u64) = (8, 3);
/// Those of these cycles only by plane.
const TOUCHED: (u64, u64) = (2, 1);
/// Within so many cycles of one time-out's commit there is no other.
const TIMEOUT: u64 = 4;
/// Headroom for every choice that a look may have missed, and itself.
const UNDER_WAY: u32 = 9;

/// What timing offered to a choice: all else follows from the state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    /// Planes with room for a transmission, bit by plane.
    pub room: u32,
    /// Planes with room for two: new data leave the last place to others.
    pub spare: u32,
    /// The plane whose oldest lost packet can be taken.
    pub retransmit: u32,
    /// The connection whose next packet can be taken.
    pub packet: Option<u32>,
    /// It is a response's.
    pub response: bool,
}

/// What hardware chose, when it sends it: all of it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// 0 tail probe, 1 time-out probe, 2 retransmission, 3 new data, 4 retransmission thrown away, 5 connection gives up, 6 new
    /// data not sent because its connection failed meanwhile, 7 probe not sent for that reason.
    pub kind: u32,
    /// Global number of its path.
    pub path: u32,
    /// Of new data: paths of the chosen plane that it could have taken, bit by path number.
    pub able: u32,
    /// It asks for an acknowledgement.
    pub ack_request: bool,
}

/// What the walk found out about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Judged {
    path: u32,
    /// It wants this.
    wanted: Probe,
    /// Its last ACK was then.
    last_ack: u32,
}

/// What must be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    Probe(Judged),
    Again {
        path: u32,
        plane: u32,
    },
    New {
        path: u32,
        able: u32,
        room: Room,
        response: bool,
    },
}

/// The outcome, or what is wrong with the choice.
type Followed = Result<Decision, String>;

impl Nic {
    /// A cycle begins. From the first one on the NIC remembers what looks saw.
    pub fn begin_cycle(&mut self, cycle: u64) {
        self.hear_late(cycle);
        self.looks.get_or_insert_default().begin(cycle);
    }

    /// The background walk judges a path by its state now; the outcome counts when its probe is due.
    pub fn judge(&mut self, path: u32, idle: bool, now: u32) {
        let state = self.paths.get(path as usize).and_then(Option::as_ref);
        let judged = state.and_then(|state| {
            let rule = ProbeRule {
                rto: self.judged_rto(path, state),
                closed_from: self.told_window(path),
                ..self.probe_rule(state, 0, idle)
            };
            Some(Judged {
                path,
                wanted: state.send.wants_probe(now, &rule)?,
                last_ack: state.send.last_ack(),
            })
        });
        if let (Some(looks), Some(judged)) = (&mut self.looks, judged) {
            looks.judge(judged);
        }
    }

    /// The commit of a choice, or of none: what is due is sent, and must be what hardware chose.
    pub fn follow(&mut self, offers: &Offers, choice: Option<&Choice>, now: u32) -> Followed {
        let due = self.due(offers)?;
        let (due, choice) = match (due, choice) {
            (None, None) => return Ok(Decision::Nothing),
            (Some(due), Some(choice)) => (due, choice),
            (due, _) => return Err(format!("{due:?}")),
        };
        let (path, timeout) = match due {
            Due::Probe(judged) => (judged.path, judged.wanted == Probe::TimeOut),
            Due::Again { path, .. } | Due::New { path, .. } => (path, false),
        };
        let failed = self.has_failed(path, 0);
        let kind = kind(&due, failed);
        if (kind, path) != (choice.kind, choice.path) {
            return Err(format!("kind {kind}: {due:?}"));
        }
        let chosen = Chosen {
            number: self.number_of(path) as u32,
            plane: self.path(path).config.plane.into(),
            timeout,
        };
        self.remember(path);
        let decision = match due {
            Due::Probe(_) if failed => Ok(Decision::Nothing),
            Due::Probe(judged) => Ok(self.follow_probe(&judged, now)),
            Due::Again { plane, .. } => self
                .retransmit_head(plane, now)
                .ok_or_else(|| "nothing to send again".into()),
            Due::New { able, .. } if able != choice.able => Err(format!("able {able:#b}")),
            Due::New { .. } if failed => {
                self.take_turn(path);
                Ok(Decision::Nothing)
            }
            Due::New { room, response, .. } => self.follow_new(path, room, response, now),
        }?;
        self.looks().choose(chosen);
        compare_request(&decision, choice)?;
        Ok(decision)
    }

    pub(super) fn looks(&mut self) -> &mut Looks {
        self.looks.get_or_insert_default()
    }

    /// What must be chosen, in the order of docs/protocol.md section 5.
    fn due(&self, offers: &Offers) -> Result<Option<Due>, String> {
        if let Some(judged) = self.probe_due(offers) {
            return Ok(Some(Due::Probe(judged)));
        }
        if let Some(due) = self.retransmission_due(offers)? {
            return Ok(Some(due));
        }
        match offers.packet {
            Some(connection) => self.new_due(connection, offers.response, offers.spare),
            None => Ok(None),
        }
    }

    fn probe_due(&self, offers: &Offers) -> Option<Judged> {
        let looks = self.looks.as_ref()?;
        let judged = looks.judged(JUDGE_TO_COMMIT)?;
        let plane = self.path(judged.path).config.plane;
        let timing_out = || looks.choices(TIMEOUT, 1).any(|chosen| chosen.timeout);
        let possible = offers.room >> plane & 1 == 1
            && !self.has_failed(judged.path, LOOK_FAILED)
            && !(judged.wanted == Probe::TimeOut && timing_out());
        possible.then_some(judged)
    }

    fn retransmission_due(&self, offers: &Offers) -> Result<Option<Due>, String> {
        if offers.retransmit == 0 {
            return Ok(None);
        }
        let plane = offers.retransmit.trailing_zeros();
        let queue = self.retransmit.get(plane as usize);
        let head = queue.and_then(|queue| queue.front());
        let &(path, _) = head.ok_or_else(|| format!("no lost packet of plane {plane}"))?;
        let room = self.room_seen(path, LOOK_AGAIN).pipe;
        let exact = room > 0 && !self.is_unseen(path, KNOWN) && !self.is_touched(plane);
        let may = room > UNDER_WAY || exact || self.has_failed(path, LOOK_FAILED);
        Ok((may && offers.room >> plane & 1 == 1).then_some(Due::Again { path, plane }))
    }

    fn new_due(&self, connection: u32, response: bool, spare: u32) -> Result<Option<Due>, String> {
        self.check_packet(connection, response)?;
        let is_able = |&path: &u32| {
            let room = self.room_seen(path, LOOK).new;
            let exact = room > 0 && !self.is_unseen(path, KNOWN);
            let touched = self.is_touched(self.path(path).config.plane.into());
            room > UNDER_WAY || exact && !(touched && self.is_unseen(path, TOUCHED))
        };
        // The planes are chosen before anybody looks which paths the last two choices took.
        let counts = |&path: &u32| {
            let room = self.room_seen(path, LOOK).new;
            let touched = self.is_touched(self.path(path).config.plane.into());
            room > UNDER_WAY || room > 0 && !self.is_unseen(path, KNOWN) && !touched
        };
        let plane = self.planes_in_turn().find(|&plane| {
            spare >> plane & 1 == 1 && self.paths_on(connection, plane).any(|path| counts(&path))
        });
        let Some(plane) = plane else {
            return Ok(None);
        };
        let able = || self.paths_on(connection, plane).filter(is_able);
        let path = self.next_of_round(able).ok_or("a plane without a path")?;
        Ok(Some(Due::New {
            path,
            able: able().fold(0, |bits, path| bits | 1 << self.number_of(path)),
            room: self.room_seen(path, LOOK),
            response,
        }))
    }

    /// The packet that hardware sees is the next one, unless its connection has failed.
    fn check_packet(&self, connection: u32, response: bool) -> Result<(), String> {
        let packet = self.next_packet(response);
        let owner = packet.map(|packet| u32::from(self.message(packet.slot).wqe.connection));
        if owner == Some(connection) || self.failure(connection).is_some() {
            Ok(())
        } else {
            Err(format!("a packet of connection {owner:?}"))
        }
    }

    /// Whether the connection of a path had failed when the cycle `ago` began.
    fn has_failed(&self, path: u32, ago: u64) -> bool {
        let connection = self.connection_of(path);
        let since = |looks: &Looks| looks.failed_since(connection, ago);
        self.failure(connection).is_some() && !self.looks.as_ref().is_some_and(since)
    }

    fn room(&self, path: u32) -> Room {
        let state = self.path(path);
        let window = self.tunables.window.min(self.told_window(path));
        Room {
            pipe: state.send.pipe_room(self.tunables.window),
            new: state.send.headroom(window),
        }
    }

    fn room_seen(&self, path: u32, ago: u64) -> Room {
        let looks = self.looks.as_ref();
        let seen = looks.and_then(|looks| looks.room(path, ago));
        seen.unwrap_or_else(|| self.room(path))
    }

    /// The room of a path is about to change.
    pub(super) fn remember(&mut self, path: u32) {
        if self.looks.is_some() && self.send_path(path).is_some() {
            let room = self.room(path);
            self.looks().changes(path, room);
        }
    }

    /// Whether the number of a path was chosen in these cycles, so that a look missed it.
    fn is_unseen(&self, path: u32, (first, last): (u64, u64)) -> bool {
        let number = self.number_of(path) as u32;
        let is_it = |chosen: &Chosen| chosen.number == number;
        self.looks
            .as_ref()
            .is_some_and(|looks| looks.choices(first, last).any(is_it))
    }

    fn is_touched(&self, plane: u32) -> bool {
        let (first, last) = TOUCHED;
        let is_it = |chosen: &Chosen| chosen.plane == plane;
        self.looks
            .as_ref()
            .is_some_and(|looks| looks.choices(first, last).any(is_it))
    }

    fn follow_probe(&mut self, judged: &Judged, now: u32) -> Decision {
        let path = judged.path;
        if judged.wanted == Probe::GiveUp {
            return Decision::GiveUp(path);
        }
        let outgoing = self.send_probe(path, judged.wanted, now);
        if judged.wanted == Probe::Tail {
            return Decision::TailProbe(outgoing);
        }
        let send = &mut self.path_mut(path).send;
        if send.last_ack() != judged.last_ack {
            send.forget_timeouts();
        }
        Decision::TimeOutProbe(outgoing)
    }

    /// Of responses, or of messages.
    fn next_packet(&self, response: bool) -> Option<Packet> {
        match response {
            true => self.responses.current(),
            false => self.messages.current(),
        }
    }

    fn follow_new(&mut self, path: u32, room: Room, response: bool, now: u32) -> Followed {
        let packet = self.next_packet(response).ok_or("no message to send")?;
        // By the window of the look; the others bound what the choices since then may do.
        if self.path(path).send.headroom(MAX_UNRESOLVED_DATA) == 0 {
            return Err("the path has no headroom".into());
        }
        self.take_turn(path);
        let last = self.is_last(packet);
        let mut outgoing = self.send_new(path, packet, now);
        // By what the look saw: an acknowledgement that it missed makes the request needless.
        outgoing.frame.ack_request = last || room.new == 1;
        let asks = outgoing.frame.ack_request;
        self.path_mut(path).send.asks(asks);
        Ok(Decision::New(outgoing))
    }

    fn is_last(&self, packet: Packet) -> bool {
        let message = self.message(packet.slot);
        message.segment(packet.index, self.tunables.mtu_log2).last
    }
}

fn kind(due: &Due, failed: bool) -> u32 {
    match (due, failed) {
        (Due::Probe(_), true) => 7,
        (Due::Probe(judged), false) => match judged.wanted {
            Probe::Tail => 0,
            Probe::TimeOut => 1,
            Probe::GiveUp => 5,
        },
        (Due::Again { .. }, false) => 2,
        (Due::Again { .. }, true) => 4,
        (Due::New { .. }, false) => 3,
        (Due::New { .. }, true) => 6,
    }
}

fn compare_request(decision: &Decision, choice: &Choice) -> Result<(), String> {
    match decision {
        Decision::TailProbe(sent)
        | Decision::TimeOutProbe(sent)
        | Decision::Retransmit(sent)
        | Decision::New(sent)
            if sent.frame.ack_request != choice.ack_request =>
        {
            Err(format!(
                "acknowledgement request {}",
                sent.frame.ack_request
            ))
        }
        _ => Ok(()),
    }
}
