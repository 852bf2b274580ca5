//! Codes that travel as a byte. An unknown one is a value, never an error.

macro_rules! codes {
    ($(#[$meta:meta])* $name:ident { $($(#[doc = $doc:literal])+ $variant:ident = $code:literal, $text:literal;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[doc = $doc])+ $variant,)*
            /// A code without a meaning here.
            Unknown(u8),
        }

        impl $name {
            /// Every known code.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name in documents and counters; `unknown` without one.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Unknown(_) => "unknown",
                }
            }

            /// The code.
            pub const fn code(self) -> u8 {
                match self {
                    $(Self::$variant => $code,)*
                    Self::Unknown(code) => code,
                }
            }

            /// The meaning of a code. Known codes never become `Unknown`.
            pub const fn from_code(code: u8) -> Self {
                match code {
                    $($code => Self::$variant,)*
                    _ => Self::Unknown(code),
                }
            }

            /// One line of meaning; empty for an unknown code.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!($($doc),*).trim(),)*
                    Self::Unknown(_) => "",
                }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::from_code(0)
            }
        }

        impl From<u8> for $name {
            fn from(code: u8) -> Self {
                Self::from_code(code)
            }
        }

        impl From<$name> for u8 {
            fn from(value: $name) -> u8 {
                value.code()
            }
        }
    };
}

codes! {
    /// BTH opcode, from the manufacturer range of the InfiniBand specification (0xC0 and up).
    Opcode {
        /// RDMA Write: MSG, RETH, payload, pad.
        Write = 0xC0, "WRITE";
        /// RDMA Write whose message hands over an immediate: MSG, RETH, MATCH, IMM, payload, pad.
        WriteImm = 0xC1, "WRITE_IMM";
        /// Send into a posted buffer: MSG, MATCH, payload, pad.
        Send = 0xC2, "SEND";
        /// Send with an immediate: MSG, MATCH, IMM, payload, pad.
        SendImm = 0xC3, "SEND_IMM";
        /// Asks for remote bytes: MSG, RETH, TAG.
        ReadRequest = 0xC4, "READ_REQUEST";
        /// Bytes asked for: MSG, TAG, payload, pad.
        ReadResponse = 0xC5, "READ_RESPONSE";
        /// Adds to a remote word of 64 bits: MSG, ATOMIC.
        FetchAdd = 0xC6, "FETCH_ADD";
        /// Swaps a remote word of 64 bits if it is as expected: MSG, ATOMIC.
        CompareSwap = 0xC7, "COMPARE_SWAP";
        /// What the word held before: MSG, TAG, ORIGINAL.
        AtomicResponse = 0xC8, "ATOMIC_RESPONSE";
        /// State of a path's receiver: SACK.
        Ack = 0xD0, "ACK";
        /// One packet was refused: NAK.
        Refusal = 0xD1, "REFUSAL";
        /// Asks for an ACK: nothing after PATH.
        Probe = 0xD2, "PROBE";
        /// Ends a path's epoch: SYNC.
        Sync = 0xD3, "SYNC";
        /// Final state of the epoch that ended: SACK.
        SyncAck = 0xD4, "SYNC_ACK";
    }
}

codes! {
    /// Why a receiver refused a packet (NAK.reason).
    RefusalReason {
        /// The R_Key names no valid region.
        BadKey = 1, "bad_key";
        /// The payload does not lie inside the region.
        BadRange = 2, "bad_range";
        /// A Send, or a Write with immediate, found no posted receive buffer.
        ReceiverNotReady = 3, "receiver_not_ready";
        /// The request breaks a stated limit, or answers what was not asked.
        InvalidRequest = 4, "invalid_request";
    }
}

codes! {
    /// How a message ended (CQE.status). A refused one ends with the code of its refusal.
    CompletionStatus {
        /// Every packet was delivered.
        Success = 0, "success";
        /// Refused: the R_Key names no valid region.
        BadKey = 1, "bad_key";
        /// Refused: the payload does not lie inside the region.
        BadRange = 2, "bad_range";
        /// Refused: no buffer is posted for it (all profiles but `Write`).
        ReceiverNotReady = 3, "receiver_not_ready";
        /// Refused: the request breaks a stated limit, or answers what was not asked.
        InvalidRequest = 4, "invalid_request";
        /// A path gave up after MAX_RETRIES time-outs.
        RetryExceeded = 16, "retry_exceeded";
        /// The connection failed through another message.
        Flushed = 17, "flushed";
        /// The WQE's opcode is unknown, or its connection is not valid.
        BadRequest = 18, "bad_request";
    }
}

codes! {
    /// What a WQE asks for (WQE.opcode, CQE.opcode).
    WqeOpcode {
        /// RDMA Write.
        Write = 1, "write";
        /// RDMA Write with an immediate.
        WriteImm = 2, "write_imm";
        /// Send.
        Send = 3, "send";
        /// Send with an immediate.
        SendImm = 4, "send_imm";
        /// RDMA Read.
        Read = 5, "read";
        /// Fetch-and-add of 64 bits.
        FetchAdd = 6, "fetch_add";
        /// Compare-and-swap of 64 bits.
        CompareSwap = 7, "compare_swap";
    }
}

codes! {
    /// Table of the transport that CONFIG_COMMIT writes.
    ConfigTable {
        /// Connections, by connection number.
        Connection = 1, "connection";
        /// Paths, by global path number: connection x paths a connection + path.
        Path = 2, "path";
        /// Memory regions, by the low bits of the R_Key.
        Region = 3, "region";
    }
}

/// How much of the protocol a party speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// RDMA Write: today's hardware. All other requests are unknown to it.
    #[default]
    Write,
    /// Writes and Sends, with immediates: whatever ends at the receiver, and asks for nothing back.
    Messages,
    /// Read on top: what asks a peer's memory for bytes.
    Reads,
    /// Every verb, path epochs.
    Whole,
}

impl Profile {
    /// Whether the opcode has a meaning.
    pub const fn knows(self, opcode: Opcode) -> bool {
        use Opcode::{
            Ack, Probe, ReadRequest, ReadResponse, Refusal, Send, SendImm, Unknown, Write, WriteImm,
        };
        match self {
            Self::Write => matches!(opcode, Write | Ack | Refusal | Probe),
            Self::Messages => {
                matches!(opcode, WriteImm | Send | SendImm) || Self::Write.knows(opcode)
            }
            Self::Reads => {
                matches!(opcode, ReadRequest | ReadResponse) || Self::Messages.knows(opcode)
            }
            Self::Whole => !matches!(opcode, Unknown(_)),
        }
    }

    /// Whether a WQE may ask for it.
    pub const fn offers(self, request: WqeOpcode) -> bool {
        match self {
            Self::Write => matches!(request, WqeOpcode::Write),
            Self::Messages => matches!(
                request,
                WqeOpcode::Write | WqeOpcode::WriteImm | WqeOpcode::Send | WqeOpcode::SendImm
            ),
            Self::Reads => matches!(request, WqeOpcode::Read) || Self::Messages.offers(request),
            Self::Whole => !matches!(request, WqeOpcode::Unknown(_)),
        }
    }

    /// Whether its receivers keep account of messages, so that they end there too.
    pub const fn tracks_messages(self) -> bool {
        !matches!(self, Self::Write)
    }

    /// Whether it reads a peer's memory, and has its own read.
    pub const fn answers_reads(self) -> bool {
        matches!(self, Self::Reads | Self::Whole)
    }

    /// Whether its receiver refuses for this reason.
    pub const fn refuses(self, reason: RefusalReason) -> bool {
        !matches!((self, reason), (Self::Write, RefusalReason::InvalidRequest))
    }
}

impl From<RefusalReason> for CompletionStatus {
    fn from(reason: RefusalReason) -> Self {
        Self::from_code(reason.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_and_only_known_ones_have_names() {
        for code in 0..=255 {
            let opcode = Opcode::from(code);
            assert_eq!(u8::from(opcode), code);
            assert_eq!(
                matches!(opcode, Opcode::Unknown(_)),
                !Opcode::ALL.contains(&opcode)
            );
        }
        assert_eq!(Opcode::from(0xCF), Opcode::Unknown(0xCF));
        let known = |code: u8| {
            [Profile::Write, Profile::Messages, Profile::Whole]
                .map(|profile| profile.knows(Opcode::from(code)))
        };
        assert_eq!(known(0xC0), [true, true, true]);
        assert_eq!(known(0xC1), [false, true, true]);
        assert_eq!(known(0xC4), [false, false, true]);
        assert_eq!(known(0xCF), [false, false, false]);
    }

    #[test]
    fn a_refusal_keeps_its_name_in_the_completion() {
        for &reason in RefusalReason::ALL {
            assert_eq!(CompletionStatus::from(reason).name(), reason.name());
        }
    }
}
