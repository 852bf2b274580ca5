//! What hardware chose to send, followed and checked: it chooses some cycles before it sends (docs/architecture.md).
use super::{Decision, Nic};
use crate::send::{Packet, Probe};
use crate::wire::Outgoing;

/// What hardware tells of a choice when it sends: the rest is computed, and what is told is checked as far as it follows from the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// 0 tail probe, 1 time-out probe, 2 retransmission, 3 new data, 4 retransmission thrown away, 5 connection gives up, 6 new
    /// data not sent because its connection failed meanwhile.
    pub kind: u32,
    /// Global number of its path.
    pub path: u32,
    /// Planes that new data could have taken, bit by plane.
    pub planes: u32,
    /// Paths of the chosen plane that it could have taken, bit by path number.
    pub able: u32,
    /// It asks for an acknowledgement.
    pub ack_request: bool,
}

/// What the walk found out about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Judged {
    /// It wants this.
    wanted: Probe,
    /// Its last ACK was then.
    last_ack: u32,
}

/// The outcome, or what is wrong with the choice.
type Followed = Result<Decision, String>;

impl Nic {
    /// The background walk judges a path by its state now; the outcome counts when its probe is sent.
    pub fn judge(&mut self, path: u32, idle: bool, now: u32) {
        let state = self.paths.get(path as usize).and_then(Option::as_ref);
        let wanted = state.and_then(|state| {
            let rule = self.probe_rule(state, 0, idle);
            Some(Judged {
                wanted: state.send.wants_probe(now, &rule)?,
                last_ack: state.send.last_ack(),
            })
        });
        if let Some(judged) = self.judged.get_mut(path as usize) {
            *judged = wanted;
        }
    }

    /// Sends what hardware chose.
    pub fn follow(&mut self, choice: &Choice, now: u32) -> Followed {
        let state = self.paths.get(choice.path as usize);
        if state.is_none_or(Option::is_none) {
            return Err("no such path".into());
        }
        let failed = self.connection(choice.path).failure.is_some();
        if failed != matches!(choice.kind, 4 | 6) {
            return Err(format!("failure of the connection: {failed}"));
        }
        match choice.kind {
            0 | 1 | 5 => self.follow_probe(choice, now),
            2 | 4 => self.follow_retransmission(choice, now),
            3 | 6 => self.follow_new(choice, now),
            _ => Err("no such kind".into()),
        }
    }

    fn follow_probe(&mut self, choice: &Choice, now: u32) -> Followed {
        let expected = match choice.kind {
            0 => Probe::Tail,
            1 => Probe::TimeOut,
            _ => Probe::GiveUp,
        };
        let judged = self.judged[choice.path as usize].take();
        let judged = match judged {
            Some(judged) if judged.wanted == expected => judged,
            _ => return Err(format!("the path was judged {judged:?}")),
        };
        if expected == Probe::GiveUp {
            return Ok(Decision::GiveUp(choice.path));
        }
        let outgoing = self.send_probe(choice.path, expected, now);
        if expected == Probe::Tail {
            return Ok(Decision::TailProbe(outgoing));
        }
        let send = &mut self.path_mut(choice.path).send;
        if send.last_ack() != judged.last_ack {
            send.forget_timeouts();
        }
        Ok(Decision::TimeOutProbe(outgoing))
    }

    fn follow_retransmission(&mut self, choice: &Choice, now: u32) -> Followed {
        let plane = usize::from(self.path(choice.path).config.plane);
        match self.retransmit[plane].front() {
            Some(&(path, _)) if path == choice.path => {}
            head => return Err(format!("the oldest lost packet of its plane is {head:?}")),
        }
        if choice.kind == 2 && !self.may_retransmit(choice.path) {
            return Err("the path's window is full".into());
        }
        self.retransmit_head(plane as u32, now)
            .ok_or_else(|| "nothing to send again".into())
    }

    fn follow_new(&mut self, choice: &Choice, now: u32) -> Followed {
        let connection = self.connection_of(choice.path);
        let path = self.select_among(connection, choice.planes, choice.able);
        if path != Some(choice.path) {
            return Err(format!("path {path:?}"));
        }
        if choice.kind == 6 {
            self.take_turn(choice.path);
            return Ok(Decision::Nothing);
        }
        let packet = self.messages.current().ok_or("no message to send")?;
        if u32::from(self.message(packet.slot).wqe.connection) != connection {
            return Err(format!("a packet of {packet:?}"));
        }
        if self.usable_headroom(self.path(choice.path)) == 0 {
            return Err("the path has no headroom".into());
        }
        self.take_turn(choice.path);
        let outgoing = self.send_new(choice.path, packet, now);
        self.ask(outgoing, packet, choice).map(Decision::New)
    }

    /// The acknowledgement request that hardware set: where the protocol wants it, it must be there.
    fn ask(&self, outgoing: Outgoing, packet: Packet, choice: &Choice) -> Result<Outgoing, String> {
        if outgoing.frame.ack_request && !choice.ack_request {
            return Err(format!("{packet:?} asks for an acknowledgement"));
        }
        let mut outgoing = outgoing;
        outgoing.frame.ack_request = choice.ack_request;
        Ok(outgoing)
    }

    /// Of the planes given the one served longest ago; of its paths among those given the next of its round.
    fn select_among(&self, connection: u32, planes: u32, able: u32) -> Option<u32> {
        let plane = self
            .planes_in_turn()
            .find(|&plane| planes >> plane & 1 == 1)?;
        let among = |path: &u32| able >> self.number_of(*path) & 1 == 1;
        self.next_of_round(|| self.paths_on(connection, plane).filter(among))
    }
}
