//! What the model hears from the wire and says to it, apart from how bytes are laid out and where payload lies.
use metaroce_protocol::{
    Bth, ConnectionEntry, Frame, Msg, Nak, Path, Psn, Reth, Sack, Sync, Tsn, frame,
};

mod verb;

pub use verb::{Verb, VerbPacket};

/// A frame that passed the parser's checks, without its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incoming {
    /// Congestion experienced.
    pub ce: bool,
    /// The sender asks for an acknowledgement.
    pub ack_request: bool,
    /// Destination QP.
    pub dest_qp: u32,
    /// PSN of BTH.
    pub psn: Psn,
    /// Path in the connection.
    pub path: u8,
    /// Epoch.
    pub epoch: u8,
    /// TSN of PATH.
    pub tsn: Tsn,
    /// Timestamp of PATH.
    pub timestamp: u32,
    /// What follows.
    pub body: Body,
}

/// What distinguishes the opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// RDMA Write.
    Write(Write),
    /// Acknowledgement.
    Ack(Sack),
    /// A packet was refused.
    Refusal(Nak),
    /// Nothing but a TSN.
    Probe,
    /// Any other verb.
    Verb(VerbPacket),
    /// End of an epoch.
    Sync(Sync),
    /// Answer to it.
    SyncAck(Sack),
}

impl Body {
    /// Whether it takes a slot of its path's sequence.
    pub const fn is_data(&self) -> bool {
        matches!(self, Self::Write(_) | Self::Verb(_))
    }

    /// The message that a data packet belongs to; all 0 for others.
    pub fn msg(&self) -> Msg {
        match self {
            Self::Write(write) => write.msg,
            Self::Verb(packet) => packet.msg,
            _ => Msg::default(),
        }
    }

    /// Bytes of payload.
    pub const fn payload(&self) -> u32 {
        match self {
            Self::Write(write) => write.payload,
            Self::Verb(packet) => packet.payload,
            _ => 0,
        }
    }
}

/// A Write packet's own headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// Which message, and where in it.
    pub msg: Msg,
    /// Where to.
    pub reth: Reth,
    /// Payload bytes, 0..=4096.
    pub payload: u32,
}

impl From<&Frame<'_>> for Incoming {
    fn from(frame: &Frame<'_>) -> Self {
        let body = match frame.body {
            frame::Body::Write { msg, reth, payload } => Body::Write(Write {
                msg,
                reth,
                payload: payload.len() as u32,
            }),
            frame::Body::Ack(sack) => Body::Ack(sack),
            frame::Body::Refusal(nak) => Body::Refusal(nak),
            frame::Body::Sync(sync) => Body::Sync(sync),
            frame::Body::SyncAck(sack) => Body::SyncAck(sack),
            ref body => VerbPacket::of_frame(body).map_or(Body::Probe, Body::Verb),
        };
        Self {
            ce: frame.is_marked(),
            ack_request: frame.bth.ack_request,
            dest_qp: frame.bth.dest_qp,
            psn: frame.bth.psn,
            path: frame.path.path,
            epoch: frame.path.epoch,
            tsn: frame.path.tsn,
            timestamp: frame.path.timestamp,
            body,
        }
    }
}

/// A frame to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// Plane to send on.
    pub plane: u32,
    /// UDP source port.
    pub entropy: u16,
    /// Addresses.
    pub connection: ConnectionEntry,
    /// What to say; `dest_qp` is the peer's.
    pub frame: Incoming,
    /// Host address of the payload, if the body has one.
    pub local_address: u64,
}

impl Outgoing {
    /// Bytes of payload that the frame carries.
    pub fn payload_length(&self) -> u32 {
        self.frame.body.payload()
    }

    /// The whole frame; `payload` is what lies at `local_address`.
    pub fn frame<'a>(&self, payload: &'a [u8]) -> Frame<'a> {
        let body = match self.frame.body {
            Body::Write(Write { msg, reth, .. }) => frame::Body::Write { msg, reth, payload },
            Body::Ack(sack) => frame::Body::Ack(sack),
            Body::Refusal(nak) => frame::Body::Refusal(nak),
            Body::Probe => frame::Body::Probe,
            Body::Verb(packet) => packet.with_payload(payload),
            Body::Sync(sync) => frame::Body::Sync(sync),
            Body::SyncAck(sack) => frame::Body::SyncAck(sack),
        };
        let Incoming {
            ack_request,
            dest_qp,
            psn,
            path,
            epoch,
            tsn,
            timestamp,
            ..
        } = self.frame;
        let frame = frame::Addresses::from(&self.connection).frame(self.entropy, body);
        Frame {
            bth: Bth {
                ack_request,
                dest_qp,
                psn,
                ..frame.bth
            },
            path: Path {
                path,
                epoch,
                tsn,
                timestamp,
                ..frame.path
            },
            ..frame
        }
    }
}
