//! Packets of the verbs beyond WRITE.
use metaroce_protocol::{Atomic, Imm, Match, Msg, Opcode, Original, Reth, Tag, frame};

/// A packet of a verb beyond WRITE, without its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerbPacket {
    /// Which message, and where in it; a response's is the request's.
    pub msg: Msg,
    /// Which verb.
    pub verb: Verb,
    /// Payload bytes, 0..=4096.
    pub payload: u32,
}

/// What distinguishes the verbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// RDMA Write with an immediate.
    WriteImm {
        /// Where to.
        reth: Reth,
        /// Which posted receive it takes.
        matching: Match,
        /// The immediate.
        imm: Imm,
    },
    /// Send, with an immediate or without.
    Send {
        /// Which posted buffer it takes.
        matching: Match,
        /// The immediate.
        imm: Option<Imm>,
    },
    /// Request of an RDMA Read.
    ReadRequest {
        /// Where from.
        reth: Reth,
        /// What the response must say.
        tag: Tag,
    },
    /// Data of an RDMA Read.
    ReadResponse {
        /// The request's.
        tag: Tag,
    },
    /// Fetch-and-add.
    FetchAdd(Atomic),
    /// Compare-and-swap.
    CompareSwap(Atomic),
    /// Result of an atomic.
    AtomicResponse {
        /// The request's.
        tag: Tag,
        /// The result.
        original: Original,
    },
}

impl Verb {
    /// What names it on the wire.
    pub fn opcode(&self) -> Opcode {
        match self {
            Self::WriteImm { .. } => Opcode::WriteImm,
            Self::Send { imm: None, .. } => Opcode::Send,
            Self::Send { imm: Some(_), .. } => Opcode::SendImm,
            Self::ReadRequest { .. } => Opcode::ReadRequest,
            Self::ReadResponse { .. } => Opcode::ReadResponse,
            Self::FetchAdd(_) => Opcode::FetchAdd,
            Self::CompareSwap(_) => Opcode::CompareSwap,
            Self::AtomicResponse { .. } => Opcode::AtomicResponse,
        }
    }
}

impl VerbPacket {
    /// Of a whole frame's body; `None` for a body that is no such packet.
    pub fn of_frame(body: &frame::Body<'_>) -> Option<Self> {
        let payload = body.payload().map_or(0, |bytes| bytes.len() as u32);
        let (msg, verb) = match *body {
            frame::Body::WriteImm {
                msg,
                reth,
                matching,
                imm,
                ..
            } => (
                msg,
                Verb::WriteImm {
                    reth,
                    matching,
                    imm,
                },
            ),
            frame::Body::Send { msg, matching, .. } => (
                msg,
                Verb::Send {
                    matching,
                    imm: None,
                },
            ),
            frame::Body::SendImm {
                msg, matching, imm, ..
            } => (
                msg,
                Verb::Send {
                    matching,
                    imm: Some(imm),
                },
            ),
            frame::Body::ReadRequest { msg, reth, tag } => (msg, Verb::ReadRequest { reth, tag }),
            frame::Body::ReadResponse { msg, tag, .. } => (msg, Verb::ReadResponse { tag }),
            frame::Body::FetchAdd { msg, atomic } => (msg, Verb::FetchAdd(atomic)),
            frame::Body::CompareSwap { msg, atomic } => (msg, Verb::CompareSwap(atomic)),
            frame::Body::AtomicResponse { msg, tag, original } => {
                (msg, Verb::AtomicResponse { tag, original })
            }
            _ => return None,
        };
        Some(Self { msg, verb, payload })
    }

    /// The frame's body with its payload.
    pub fn with_payload<'a>(&self, payload: &'a [u8]) -> frame::Body<'a> {
        let msg = self.msg;
        match self.verb {
            Verb::WriteImm {
                reth,
                matching,
                imm,
            } => frame::Body::WriteImm {
                msg,
                reth,
                matching,
                imm,
                payload,
            },
            Verb::Send {
                matching,
                imm: None,
            } => frame::Body::Send {
                msg,
                matching,
                payload,
            },
            Verb::Send {
                matching,
                imm: Some(imm),
            } => frame::Body::SendImm {
                msg,
                matching,
                imm,
                payload,
            },
            Verb::ReadRequest { reth, tag } => frame::Body::ReadRequest { msg, reth, tag },
            Verb::ReadResponse { tag } => frame::Body::ReadResponse { msg, tag, payload },
            Verb::FetchAdd(atomic) => frame::Body::FetchAdd { msg, atomic },
            Verb::CompareSwap(atomic) => frame::Body::CompareSwap { msg, atomic },
            Verb::AtomicResponse { tag, original } => {
                frame::Body::AtomicResponse { msg, tag, original }
            }
        }
    }
}
