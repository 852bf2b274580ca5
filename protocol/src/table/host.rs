//! Layouts that host software and hardware share: descriptors in host memory, entries of the transport's tables, words
//! of registers. Little-endian, bit-packed; bits after the last field are 0.
use super::layout;
use crate::codes::{CompletionStatus, ConfigTable, Profile, WqeOpcode};
use crate::mac::MacAddr;
use crate::numbers::{Psn, Tsn};
use std::net::Ipv4Addr;

layout! {
    /// Work queue element: one message to send. 64 bytes in host memory.
    Host Wqe = "WQE", 512 bits {
        /// What to do.
        opcode: WqeOpcode = 8,
        /// Unused, 0.
        flags: u8 = 8,
        /// Connection number.
        connection: u16 = 16,
        /// Stream in the connection.
        stream: u16 = 16,
        /// Message number in the stream; the driver counts.
        message: u16 = 16,
        /// Key of the remote region.
        r_key: u32 = 32,
        /// Bytes of the message.
        length: u32 = 32,
        /// Host address of the first byte.
        local_address: u64 = 64,
        /// Remote address of the first byte.
        remote_address: u64 = 64,
        /// Comes back in the completion.
        wr_id: u64 = 64,
        /// Handed over with the message, where its opcode says so.
        immediate: u32 = 32,
        /// Unused, 0.
        reserved0: u32 = 32,
        /// Atomics: number to add or to put in place.
        operand: u64 = 64,
        /// Compare-and-swap: what the word must hold.
        compare: u64 = 64,
    }
}

layout! {
    /// Receive queue element: one buffer for a stream. 32 bytes in host memory.
    Host Rqe = "RQE", 256 bits {
        /// Connection number.
        connection: u16 = 16,
        /// Stream in the connection.
        stream: u16 = 16,
        /// Bytes of the buffer.
        length: u32 = 32,
        /// Host address of the first byte.
        address: u64 = 64,
        /// Comes back in the completion.
        wr_id: u64 = 64,
    }
}

layout! {
    /// Completion queue element: how one message ended, at its sender or at its receiver. 32 bytes in host memory.
    Host Cqe = "CQE", 256 bits {
        /// The WQE's, or the RQE's.
        wr_id: u64 = 64,
        /// How the message ended.
        status: CompletionStatus = 8,
        /// The WQE's.
        opcode: WqeOpcode = 8,
        /// The WQE's.
        connection: u16 = 16,
        /// The WQE's.
        length: u32 = 32,
        /// Index of the WQE, counted from 0 and never reduced by the queue's size.
        wqe_index: u32 = 32,
        /// Flips each time the queue wraps, 1 on its first lap: tells a new element from an old one.
        phase: bool = 1,
        /// A message that came, or an RQE that can't be posted (`bad_request`); `opcode` and `wqe_index` are 0. If not, what follows is 0.
        received: bool = 1,
        /// It hands over an immediate.
        has_immediate: bool = 1,
        /// Unused, 0.
        reserved0: u32 = 29,
        /// Stream of a message that came.
        stream: u16 = 16,
        /// Its number in the stream.
        message: u16 = 16,
        /// Its immediate.
        immediate: u32 = 32,
    }
}

layout! {
    /// Entry of table `connection`.
    Host ConnectionEntry = "CONNECTION", 256 bits {
        /// The connection exists.
        valid: bool = 1,
        /// Queue pair that names the connection here.
        local_qp: u32 = 24,
        /// Queue pair that names it at the peer.
        remote_qp: u32 = 24,
        /// Paths in use, from path 0 up.
        path_count: u8 = 8,
        /// Ethernet address of the next hop.
        dst_mac: MacAddr = 48,
        /// Own Ethernet address.
        src_mac: MacAddr = 48,
        /// Own IPv4 address.
        src_ip: Ipv4Addr = 32,
        /// The peer's IPv4 address.
        dst_ip: Ipv4Addr = 32,
        /// Ones' complement sum of the IPv4 header without total length and checksum, folded, not inverted.
        ip_sum: u16 = 16,
    }
}

layout! {
    /// Entry of table `path`. Writing it resets the path's state on both sides.
    Host PathEntry = "PATH_ENTRY", 256 bits {
        /// The path exists.
        valid: bool = 1,
        /// Plane that carries it.
        plane: u8 = 3,
        /// Epoch, both directions.
        epoch: u8 = 8,
        /// UDP source port.
        entropy: u16 = 16,
        /// First PSN to send, a multiple of 256.
        first_psn_tx: Psn = 24,
        /// First TSN to send.
        first_tsn_tx: Tsn = 24,
        /// First PSN to expect, a multiple of 256.
        first_psn_rx: Psn = 24,
        /// First TSN to expect.
        first_tsn_rx: Tsn = 24,
    }
}

layout! {
    /// Entry of table `region`, at the index that the low bits of its R_Key name.
    Host RegionEntry = "REGION", 256 bits {
        /// The region exists.
        valid: bool = 1,
        /// The whole key.
        r_key: u32 = 32,
        /// First host address.
        base: u64 = 64,
        /// Bytes.
        length: u64 = 64,
    }
}

layout! {
    /// Register CAPABILITIES: what this size of the NIC holds.
    Host Capabilities = "CAPABILITIES", 64 bits {
        /// Connections, log2.
        connections_log2: u8 = 4,
        /// Paths a connection, log2.
        paths_log2: u8 = 4,
        /// Bits of the bitvector (W), log2.
        window_log2: u8 = 4,
        /// Planes.
        planes: u8 = 4,
        /// Bits of a stream number.
        stream_bits: u8 = 5,
        /// Entries of the region table, log2.
        regions_log2: u8 = 4,
        /// Message slots, log2.
        messages_log2: u8 = 4,
        /// Unused, 0.
        reserved0: u8 = 3,
        /// Largest payload of a frame in bytes, log2.
        largest_mtu_log2: u8 = 4,
        /// Profile `Messages`: it sends and takes Sends, and Writes with immediate. If not, the fields after this are 0.
        speaks_messages: bool = 1,
        /// Streams a connection at the receiver, log2.
        streams_log2: u8 = 5,
        /// Messages of a stream in flight at the receiver, log2.
        in_flight_log2: u8 = 4,
        /// Posted buffers of a stream that no ended message took, log2.
        buffers_log2: u8 = 4,
        /// Posted buffers of the whole NIC without their completion, log2.
        posts_log2: u8 = 4,
        /// Profile `Reads`: it reads a peer's memory, and has its own read; only with `speaks_messages`.
        answers_reads: bool = 1,
    }
}

layout! {
    /// Register CONTROL.
    Host Control = "CONTROL", 32 bits {
        /// WQEs are fetched and frames are taken.
        enable: bool = 1,
        /// Write 1: the transport is reset as by its reset port, tables included; reads 0.
        reset: bool = 1,
    }
}

layout! {
    /// Register CONFIG_COMMIT. Writing it writes CONFIG_DATA to an entry; do so only when `busy` reads 0.
    Host ConfigCommit = "CONFIG_COMMIT", 32 bits {
        /// Entry of the table.
        index: u16 = 16,
        /// Unused, 0.
        reserved0: u16 = 11,
        /// Read only: the last write is on its way.
        busy: bool = 1,
        /// Which table.
        table: ConfigTable = 4,
    }
}

impl Capabilities {
    /// What it speaks.
    pub const fn profile(&self) -> Profile {
        match (self.speaks_messages, self.answers_reads) {
            (true, true) => Profile::Reads,
            (true, false) => Profile::Messages,
            (false, _) => Profile::Write,
        }
    }
}

/// Words of the registers that carry a layout.
macro_rules! words {
    ($($name:ident: $count:literal),+) => {
        $(impl $name {
            /// As 32-bit words, least significant first: what the driver writes to registers.
            pub fn to_words(&self) -> [u32; $count] {
                let bytes = self.encode();
                let mut words = [0; $count];
                for (word, chunk) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
                    *word = u32::from_le_bytes(*chunk);
                }
                words
            }

            /// From such words.
            pub fn from_words(words: &[u32; $count]) -> Self {
                let mut bytes = [0; Self::BYTES];
                for (chunk, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(words) {
                    *chunk = word.to_le_bytes();
                }
                Self::from_bytes(&bytes)
            }
        })+
    };
}

words!(ConnectionEntry: 8, PathEntry: 8, RegionEntry: 8, Capabilities: 2, Control: 1, ConfigCommit: 1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lie_as_the_brief_of_the_hardware_says() {
        let commit = ConfigCommit {
            index: 0x1234,
            table: ConfigTable::Region,
            ..Default::default()
        };
        assert_eq!(commit.to_words(), [0x3000_1234]);
        assert_eq!(
            ConfigCommit::from_words(&[0x3800_1234]),
            ConfigCommit {
                busy: true,
                ..commit
            }
        );
        let region = RegionEntry {
            valid: true,
            r_key: u32::MAX,
            base: 0,
            length: 1,
        };
        assert_eq!(region.to_words(), [u32::MAX, 1, 0, 2, 0, 0, 0, 0]);
        assert_eq!(RegionEntry::from_words(&region.to_words()), region);
    }

    #[test]
    fn descriptors_keep_each_word_of_64_bits_whole() {
        let wqe = Wqe {
            opcode: WqeOpcode::Write,
            message: 0xABCD,
            wr_id: 7,
            ..Default::default()
        };
        let bytes = wqe.encode();
        assert_eq!(
            (bytes[0], &bytes[6..8], bytes[32]),
            (1, &[0xCD, 0xAB][..], 7)
        );
        let cqe = Cqe {
            status: CompletionStatus::Flushed,
            wqe_index: 5,
            phase: true,
            ..Default::default()
        };
        let bytes = cqe.encode();
        assert_eq!((bytes[8], bytes[16], bytes[20]), (17, 5, 1));
        assert_eq!(Cqe::decode(&bytes), Ok(cqe));
    }
}
