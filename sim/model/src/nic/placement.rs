//! What a data packet says when it is sent, and what it does when it is accepted.
use metaroce_protocol::{
    Atomic, Counter, Imm, Match, Msg, Original, RefusalReason, Reth, Tag, WqeOpcode,
};

use super::connection::Seen;
use super::respond::{Content, Request};
use super::{Nic, Operation, Received, Response};
use crate::message::{Message, Role};
use crate::mutant::Mutant;
use crate::send::Packet;
use crate::tracker::{Part, Stream};
use crate::wire::{Body, Verb, VerbPacket, Write};

/// What an accepted packet does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effect {
    /// Its message at the receiver.
    part: Option<(u16, Part)>,
    action: Action,
}

#[derive(Clone, Copy, Debug)]
enum Action {
    Place { address: u64, length: u32 },
    Ask(Request),
    Answer(u8, Original),
    PlaceAnswer { slot: u8, address: u64, length: u32 },
    Stray,
}

impl Nic {
    /// Whether a data packet may be accepted, and what it does then. Changes nothing.
    pub(super) fn examine(&self, path: u32, body: &Body) -> Result<Effect, RefusalReason> {
        match body {
            Body::Write(write) => {
                self.check_region(&write.reth, write.payload)?;
                let part = part_of(&write.msg, write.payload, write.reth.length);
                let part = self.options.profile.tracks_messages().then_some(part);
                let action = Action::Place {
                    address: write.reth.address,
                    length: write.payload,
                };
                self.with_part(path, write.msg.stream, part, |_| Ok(action))
            }
            Body::Verb(packet) => self.examine_verb(path, packet),
            _ => Err(RefusalReason::InvalidRequest),
        }
    }

    fn examine_verb(&self, path: u32, packet: &VerbPacket) -> Result<Effect, RefusalReason> {
        let &VerbPacket { msg, payload, .. } = packet;
        match packet.verb {
            Verb::WriteImm {
                reth,
                matching,
                imm,
            } => {
                self.check_region(&reth, payload)?;
                let part = Part {
                    receive: Some(matching.receive),
                    immediate: Some(imm.immediate),
                    ..part_of(&msg, payload, matching.length)
                };
                let address = reth.address;
                self.with_part(path, msg.stream, Some(part), |_| {
                    Ok(Action::Place {
                        address,
                        length: payload,
                    })
                })
            }
            Verb::Send { matching, imm } => {
                let part = Part {
                    receive: Some(matching.receive),
                    into_buffer: true,
                    immediate: imm.map(|imm| imm.immediate),
                    ..part_of(&msg, payload, matching.length)
                };
                self.with_part(path, msg.stream, Some(part), |buffer| {
                    let address = buffer.ok_or(RefusalReason::ReceiverNotReady)?;
                    Ok(Action::Place {
                        address: address.wrapping_add(msg.offset.into()),
                        length: payload,
                    })
                })
            }
            Verb::ReadRequest { reth, tag } => {
                self.check_region(&reth, reth.length)?;
                let content = Content::Read {
                    address: reth.address,
                    length: reth.length,
                };
                let action = self.response(path, &msg, tag.tag, content)?;
                self.with_part(path, msg.stream, Some(part_of(&msg, 0, 0)), |_| Ok(action))
            }
            Verb::FetchAdd(atomic) => self.examine_atomic(path, msg, atomic, Operation::fetch_add),
            Verb::CompareSwap(atomic) => {
                self.examine_atomic(path, msg, atomic, Operation::compare_swap)
            }
            Verb::ReadResponse { tag } => Ok(self.examine_answer(path, &msg, tag, payload)),
            Verb::AtomicResponse { tag, original } => {
                Ok(self.examine_result(path, &msg, tag, original))
            }
        }
    }

    fn response(
        &self,
        path: u32,
        msg: &Msg,
        tag: u16,
        content: Content,
    ) -> Result<Action, RefusalReason> {
        if !self.connection(path).has_response_room() {
            return Err(RefusalReason::InvalidRequest);
        }
        Ok(Action::Ask(Request::Respond(Response {
            connection: self.connection_of(path),
            stream: msg.stream,
            message: msg.message,
            tag,
            content,
        })))
    }

    fn examine_atomic(
        &self,
        path: u32,
        msg: Msg,
        atomic: Atomic,
        operation: fn(&Atomic) -> Operation,
    ) -> Result<Effect, RefusalReason> {
        let reth = Reth {
            address: atomic.address,
            r_key: atomic.r_key,
            length: 8,
        };
        self.check_region(&reth, 8)?;
        if !atomic.address.is_multiple_of(8) {
            return Err(RefusalReason::BadRange);
        }
        let replay = &self.connection(path).replay;
        match replay.look_up(atomic.sequence, &msg) {
            Seen::Forgotten => Err(RefusalReason::InvalidRequest),
            Seen::Executing => Ok(Effect::stray()),
            Seen::Executed(original) => Ok(Effect {
                part: None,
                action: self.response(path, &msg, atomic.tag, Content::Replay(original))?,
            }),
            Seen::New if !self.connection(path).has_response_room() => {
                Err(RefusalReason::InvalidRequest)
            }
            Seen::New => self.with_part(path, msg.stream, Some(part_of(&msg, 0, 0)), |_| {
                let order = self.order(path, &msg, &atomic, operation(&atomic));
                Ok(Action::Ask(Request::Execute(order)))
            }),
        }
    }

    /// The open request that a response names.
    fn request(&self, path: u32, msg: &Msg, tag: u16) -> Option<(u8, &Message)> {
        let slot = u8::try_from(tag)
            .ok()
            .filter(|&s| s < self.size.slots as u8)?;
        let message = self.messages.in_slot(slot)?;
        let named = (
            u32::from(message.wqe.connection),
            message.wqe.stream,
            message.wqe.message,
        );
        let asked = (self.connection_of(path), msg.stream, msg.message);
        (named == asked && !message.retired).then_some((slot, message))
    }

    fn examine_answer(&self, path: u32, msg: &Msg, tag: Tag, payload: u32) -> Effect {
        let Some((slot, message)) = self.request(path, msg, tag.tag) else {
            return Effect::stray();
        };
        let Role::Read { answered } = message.role else {
            return Effect::stray();
        };
        let length = message.wqe.length;
        let fits = u64::from(msg.offset) + u64::from(payload) <= length.into()
            && payload <= length - answered.unwrap_or(0);
        if tag.length != length || !fits {
            return Effect::stray();
        }
        Effect::of(Action::PlaceAnswer {
            slot,
            address: message.wqe.local_address.wrapping_add(msg.offset.into()),
            length: payload,
        })
    }

    fn examine_result(&self, path: u32, msg: &Msg, tag: Tag, original: Original) -> Effect {
        match self.request(path, msg, tag.tag) {
            Some((slot, message))
                if matches!(
                    message.role,
                    Role::Atomic {
                        answered: false,
                        ..
                    }
                ) =>
            {
                Effect::of(Action::Answer(slot, original))
            }
            _ => Effect::stray(),
        }
    }

    /// Asks the stream's tracker, if the packet's message has a part there.
    fn with_part(
        &self,
        path: u32,
        stream: u16,
        part: Option<Part>,
        action: impl FnOnce(Option<u64>) -> Result<Action, RefusalReason>,
    ) -> Result<Effect, RefusalReason> {
        let Some(part) = part else {
            return Ok(Effect::of(action(None)?));
        };
        let trackers = &self.size.trackers;
        if stream >= trackers.streams {
            return Err(RefusalReason::InvalidRequest);
        }
        let in_turn = !self.options.is(Mutant::BuffersOutOfTurn);
        let buffer = match self.connection(path).streams.get(&stream) {
            Some(tracker) => tracker.check_turn(&part, in_turn)?,
            None => Stream::<Request>::new(trackers).check_turn(&part, in_turn)?,
        };
        Ok(Effect {
            part: Some((stream, part)),
            action: action(buffer)?,
        })
    }

    fn check_region(&self, reth: &Reth, payload: u32) -> Result<(), RefusalReason> {
        let index = reth.r_key & (self.size.regions - 1);
        let region = self.regions[index as usize].filter(|r| r.r_key == reth.r_key);
        let region = region.ok_or(RefusalReason::BadKey)?;
        let end = u128::from(reth.address) + u128::from(payload);
        let limit = u128::from(region.base) + u128::from(region.length);
        let inside = reth.address >= region.base && end <= limit;
        inside.then_some(()).ok_or(RefusalReason::BadRange)
    }

    /// Does what `examine` found.
    pub(super) fn carry_out(&mut self, path: u32, effect: Effect) -> Received {
        let request = match effect.action {
            Action::Ask(request) => Some(request),
            _ => None,
        };
        if let Some(request) = &request {
            self.connection_mut(path).reserve(request);
        }
        if let Some((stream, part)) = effect.part {
            self.accept_part(path, stream, &part, request);
        } else if let Some(request) = request {
            self.serve(request);
        }
        match effect.action {
            Action::Place { address, length } => return Received::Placed { address, length },
            Action::Ask(_) => {}
            Action::Answer(slot, original) => self.on_result(slot, original.value),
            Action::PlaceAnswer {
                slot,
                address,
                length,
            } => {
                self.on_answer(slot, length);
                return Received::Placed { address, length };
            }
            Action::Stray => self.counters.add(Counter::RxStrayResponse, 1),
        }
        Received::Dropped
    }

    fn accept_part(&mut self, path: u32, stream: u16, part: &Part, request: Option<Request>) {
        let connection = self.connection_of(path);
        let trackers = self.size.trackers;
        let streams = &mut self.connection_mut(path).streams;
        let tracker = streams
            .entry(stream)
            .or_insert_with(|| Stream::new(&trackers));
        if tracker.accept(part, request) && !self.ready.contains(&(connection, stream)) {
            self.ready.push_back((connection, stream));
        }
    }

    /// What a packet of a message says.
    pub(super) fn body(&self, packet: Packet) -> Body {
        let message = self.message(packet.slot);
        let segment = message.segment(packet.index, self.tunables.mtu_log2);
        let wqe = &message.wqe;
        let msg = Msg {
            stream: wqe.stream,
            message: wqe.message,
            offset: segment.offset,
        };
        let reth = Reth {
            address: wqe.remote_address.wrapping_add(segment.offset.into()),
            r_key: wqe.r_key,
            length: wqe.length,
        };
        if message.role == Role::Write {
            return Body::Write(Write {
                msg,
                reth,
                payload: segment.length,
            });
        }
        Body::Verb(VerbPacket {
            msg,
            verb: verb_of(message, packet.slot, reth),
            payload: segment.length,
        })
    }
}

fn verb_of(message: &Message, slot: u8, reth: Reth) -> Verb {
    let wqe = &message.wqe;
    let imm = Imm {
        immediate: wqe.immediate,
        ..Imm::default()
    };
    let tag = |tag: u16| Tag {
        tag,
        length: wqe.length,
        ..Tag::default()
    };
    match message.role {
        Role::Matched { receive } => {
            let matching = Match {
                receive,
                length: wqe.length,
            };
            match wqe.opcode {
                WqeOpcode::WriteImm => Verb::WriteImm {
                    reth,
                    matching,
                    imm,
                },
                opcode => Verb::Send {
                    matching,
                    imm: (opcode == WqeOpcode::SendImm).then_some(imm),
                },
            }
        }
        Role::Atomic { sequence, .. } => {
            let atomic = Atomic {
                address: wqe.remote_address,
                r_key: wqe.r_key,
                tag: slot.into(),
                sequence,
                operand: wqe.operand,
                compare: wqe.compare,
            };
            match wqe.opcode {
                WqeOpcode::CompareSwap => Verb::CompareSwap(atomic),
                _ => Verb::FetchAdd(atomic),
            }
        }
        Role::ReadResponse { tag: asked } => Verb::ReadResponse { tag: tag(asked) },
        Role::AtomicResponse {
            tag: asked,
            original,
        } => Verb::AtomicResponse {
            tag: tag(asked),
            original: Original { value: original },
        },
        Role::Read { .. } | Role::Write => Verb::ReadRequest {
            reth,
            tag: tag(slot.into()),
        },
    }
}

fn part_of(msg: &Msg, payload: u32, length: u32) -> Part {
    Part {
        message: msg.message,
        offset: msg.offset,
        payload,
        length,
        receive: None,
        into_buffer: false,
        immediate: None,
    }
}

impl Effect {
    fn of(action: Action) -> Self {
        Self { part: None, action }
    }

    fn stray() -> Self {
        Self::of(Action::Stray)
    }
}
