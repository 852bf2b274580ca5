//! Something wrong between a target and the tester: frames are changed or lost on their way in or out, completions on their way up.
use metaroce_model::wire::{Body, Incoming, Outgoing, Write};
use metaroce_protocol::constants::{ECN_CAPABLE, ECN_MARKED};
use metaroce_protocol::frame::{self, Frame, Ip, parse_as};
use metaroce_protocol::{ConnectionEntry, Profile};

use crate::check::Check;
use crate::mutants::Mutation;
use crate::setup::Identity;
use crate::target::{Arrival, Buffer, Completion, Said, Target, Work};

/// A target behind such a fault.
pub(crate) struct Spoiled<T> {
    target: T,
    mutation: Mutation,
}

impl<T> Spoiled<T> {
    /// What `mutation` has for the wire and the application; what it has for the inside is the target's own.
    pub fn new(target: T, mutation: Mutation) -> Self {
        Self { target, mutation }
    }

    /// What the target hears; `None`: nothing.
    fn heard(&mut self, frame: &[u8]) -> Option<Vec<u8>> {
        let mut bytes = frame.to_vec();
        if let Some(spoil) = &mut self.mutation.hears_bytes {
            spoil(&mut bytes);
        }
        let Some(spoil) = &mut self.mutation.hears else {
            return Some(bytes);
        };
        let Ok(frame) = parse_as(&bytes, Profile::Whole) else {
            return Some(bytes);
        };
        let before = Incoming::from(&frame);
        let mut after = before;
        if !spoil(&mut after) {
            return None;
        }
        // A frame that is not changed keeps every bit.
        Some(match after == before {
            true => bytes,
            false => rewrite(frame, &after),
        })
    }

    /// What the tester hears of what the target says; `None`: nothing.
    fn said(&mut self, mut said: Said) -> Option<Said> {
        if let Some(spoil) = &mut self.mutation.says
            && let Ok(frame) = parse_as(&said.bytes, Profile::Whole)
        {
            let mut outgoing = Outgoing {
                plane: said.plane.into(),
                entropy: frame.udp.source_port,
                connection: ConnectionEntry::default(),
                frame: Incoming::from(&frame),
                local_address: 0,
            };
            if !spoil(&mut outgoing) {
                return None;
            }
            let mut spoiled = frame;
            spoiled.udp.source_port = outgoing.entropy;
            said.plane = outgoing.plane as u8;
            said.bytes = rewrite(spoiled, &outgoing.frame);
        }
        if let Some(spoil) = &mut self.mutation.says_bytes {
            spoil(&mut said.bytes);
        }
        Some(said)
    }
}

/// The frame with everything that `incoming` tells of it; payload that it lacks is zeros.
fn rewrite(mut frame: Frame<'_>, incoming: &Incoming) -> Vec<u8> {
    let mut payload = frame.body.payload().unwrap_or_default().to_vec();
    payload.resize(incoming.body.payload() as usize, 0);
    match &mut frame.ip {
        Ip::V4(ip) => ip.ecn = ecn(ip.ecn, incoming.ce),
        Ip::V6(ip) => ip.ecn = ecn(ip.ecn, incoming.ce),
    }
    frame.bth.ack_request = incoming.ack_request;
    frame.bth.dest_qp = incoming.dest_qp;
    frame.bth.psn = incoming.psn;
    frame.path.path = incoming.path;
    frame.path.epoch = incoming.epoch;
    frame.path.tsn = incoming.tsn;
    frame.path.timestamp = incoming.timestamp;
    let body = match incoming.body {
        Body::Write(Write { msg, reth, .. }) => frame::Body::Write {
            msg,
            reth,
            payload: &payload,
        },
        Body::Ack(sack) => frame::Body::Ack(sack),
        Body::Refusal(nak) => frame::Body::Refusal(nak),
        Body::Probe => frame::Body::Probe,
        Body::Verb(packet) => packet.with_payload(&payload),
        Body::Sync(sync) => frame::Body::Sync(sync),
        Body::SyncAck(sack) => frame::Body::SyncAck(sack),
    };
    let bytes = Frame { body, ..frame }.encode();
    bytes.expect("no payload is longer than the one that came")
}

fn ecn(before: u8, ce: bool) -> u8 {
    match (before == ECN_MARKED, ce) {
        (_, true) => ECN_MARKED,
        (true, false) => ECN_CAPABLE,
        (false, false) => before,
    }
}

impl<T: Target> Target for Spoiled<T> {
    fn identity(&self) -> &Identity {
        self.target.identity()
    }

    fn deliver(&mut self, plane: u8, frame: &[u8]) -> Check {
        match self.heard(frame) {
            Some(frame) => self.target.deliver(plane, &frame),
            None => Ok(()),
        }
    }

    fn settle(&mut self) -> Check {
        self.target.settle()
    }

    fn frames(&mut self) -> Check<Vec<Said>> {
        let frames = self.target.frames()?;
        Ok(frames.into_iter().filter_map(|f| self.said(f)).collect())
    }

    fn advance(&mut self, ticks: u32) -> Check {
        self.target.advance(ticks)
    }

    fn now(&self) -> u32 {
        self.target.now()
    }

    fn holds(&mut self, region: &[u8]) -> Check<bool> {
        self.target.holds(region)
    }

    fn counter(&mut self, name: &str) -> Check<u32> {
        self.target.counter(name)
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Check {
        self.target.write(address, bytes)
    }

    fn read(&mut self, address: u64, length: usize) -> Check<Vec<u8>> {
        self.target.read(address, length)
    }

    fn post(&mut self, work: &Work) -> Check {
        self.target.post(work)
    }

    fn post_receive(&mut self, connection: u32, stream: u16, buffer: &Buffer) -> Check {
        self.target.post_receive(connection, stream, buffer)
    }

    fn completions(&mut self) -> Check<Vec<Completion>> {
        let mut completions = self.target.completions()?;
        if let Some(spoil) = &mut self.mutation.completes {
            spoil(&mut completions);
        }
        Ok(completions)
    }

    fn arrivals(&mut self) -> Check<Vec<Arrival>> {
        let mut arrivals = self.target.arrivals()?;
        if let Some(spoil) = &mut self.mutation.arrives {
            spoil(&mut arrivals);
        }
        Ok(arrivals)
    }

    fn reroute(&mut self, path: u8, entropy: u16) -> Check {
        self.target.reroute(path, entropy)
    }
}
