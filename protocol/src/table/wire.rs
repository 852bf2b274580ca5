//! Headers of the wire. Network byte order.
use super::layout;
use crate::bitvector::Bitvector;
use crate::codes::{Opcode, RefusalReason};
use crate::mac::MacAddr;
use crate::numbers::{Psn, Tsn};
use std::net::{Ipv4Addr, Ipv6Addr};

layout! {
    /// Ethernet II, without preamble and frame check sequence (IEEE 802.3).
    Network Ethernet = "ETHERNET", 112 bits {
        /// Destination address.
        dst_mac: MacAddr = 48,
        /// Source address.
        src_mac: MacAddr = 48,
        /// 0x0800 for IPv4, 0x86DD for IPv6.
        ethertype: u16 = 16,
    }
}

layout! {
    /// IPv4 without options (RFC 791).
    Network Ipv4 = "IPV4", 160 bits {
        /// 4.
        version: u8 = 4,
        /// Header length in words of 32 bits: 5.
        ihl: u8 = 4,
        /// Differentiated services code point (RFC 2474).
        dscp: u8 = 6,
        /// Explicit congestion notification (RFC 3168): 2 capable, 3 congestion experienced.
        ecn: u8 = 2,
        /// Bytes of header and all that follows, without Ethernet.
        total_length: u16 = 16,
        /// Names the packet when fragmented; 0 here.
        identification: u16 = 16,
        /// Bit 1: do not fragment; bit 0: more fragments.
        flags: u8 = 3,
        /// Place of a fragment, in units of 8 bytes.
        fragment_offset: u16 = 13,
        /// Time to live.
        ttl: u8 = 8,
        /// 17 for UDP.
        protocol: u8 = 8,
        /// Complement of the ones' complement sum of the header.
        checksum: u16 = 16,
        /// Source address.
        source: Ipv4Addr = 32,
        /// Destination address.
        destination: Ipv4Addr = 32,
    }
}

layout! {
    /// IPv6 without extension headers (RFC 8200). Codec only: the hardware's receiver counts it as foreign.
    Network Ipv6 = "IPV6", 320 bits {
        /// 6.
        version: u8 = 4,
        /// Differentiated services code point (RFC 2474).
        dscp: u8 = 6,
        /// Explicit congestion notification (RFC 3168): 2 capable, 3 congestion experienced.
        ecn: u8 = 2,
        /// Flow label.
        flow_label: u32 = 20,
        /// Bytes after this header.
        payload_length: u16 = 16,
        /// 17 for UDP.
        next_header: u8 = 8,
        /// Hop limit.
        hop_limit: u8 = 8,
        /// Source address.
        source: Ipv6Addr = 128,
        /// Destination address.
        destination: Ipv6Addr = 128,
    }
}

layout! {
    /// UDP (RFC 768).
    Network Udp = "UDP", 64 bits {
        /// The path's entropy: what ECMP hashes.
        source_port: u16 = 16,
        /// 4791, RoCEv2.
        destination_port: u16 = 16,
        /// Bytes of this header and all that follows, ICRC included.
        length: u16 = 16,
        /// 0: not computed; the ICRC protects the payload.
        checksum: u16 = 16,
    }
}

layout! {
    /// Base transport header (InfiniBand specification volume 1, 9.2).
    Network Bth = "BTH", 96 bits {
        /// Which headers follow.
        opcode: Opcode = 8,
        /// Solicited event; 0 here.
        solicited: bool = 1,
        /// Migration request; 0 here.
        migration: bool = 1,
        /// Bytes between payload and ICRC, 0..=3.
        pad: u8 = 2,
        /// Transport header version; 0.
        transport_version: u8 = 4,
        /// Partition key; 0xFFFF, the default partition.
        p_key: u16 = 16,
        /// Forward congestion notification; 0 here, the IP header carries it.
        fecn: bool = 1,
        /// Backward congestion notification; 0 here, SACK carries it.
        becn: bool = 1,
        /// With FECN and BECN the byte that the ICRC leaves out.
        reserved0: u8 = 6,
        /// Destination queue pair: names the connection at its receiver.
        dest_qp: u32 = 24,
        /// The sender wants an ACK at once.
        ack_request: bool = 1,
        /// Unused.
        reserved1: u8 = 7,
        /// WRITE: slot in the path; ACK: first PSN not received; REFUSAL: the refused PSN.
        psn: Psn = 24,
    }
}

layout! {
    /// The path and the transmission on it (ours).
    Network Path = "PATH", 80 bits {
        /// 1.
        version: u8 = 4,
        /// Unused, 0.
        flags: u8 = 4,
        /// Path number in the connection; an ACK's is the path that it speaks of.
        path: u8 = 8,
        /// Epoch of the path; another epoch's frames are dropped.
        epoch: u8 = 8,
        /// Transmit sequence number; ACK: the highest seen; REFUSAL: the refused packet's.
        tsn: Tsn = 24,
        /// Sender's clock in ticks, wraps; ACK: that of the packet with the highest TSN.
        timestamp: u32 = 32,
    }
}

layout! {
    /// The message that a packet belongs to (ours).
    Network Msg = "MSG", 64 bits {
        /// Stream in the connection.
        stream: u16 = 16,
        /// Message number in the stream, wraps.
        message: u16 = 16,
        /// Bytes of the message before this packet's first.
        offset: u32 = 32,
    }
}

layout! {
    /// RDMA extended transport header (InfiniBand specification volume 1, 9.3.3), in every packet of a Write.
    Network Reth = "RETH", 128 bits {
        /// Remote address of this packet's first byte.
        address: u64 = 64,
        /// Key of the remote region.
        r_key: u32 = 32,
        /// Bytes of the whole message.
        length: u32 = 32,
    }
}

layout! {
    /// State of a path's receiver (ours).
    Network Sack = "SACK", 320 bits {
        /// Packets received on the path, wraps.
        received: u16 = 16,
        /// Of those the ones with congestion experienced, wraps.
        marked: u16 = 16,
        /// Share of the receiver's line rate for this sender, in 1/65535.
        rate_hint: u16 = 16,
        /// Unused, 0.
        reserved0: u16 = 16,
        /// Bit i of this number speaks of the slot PSN mod 256 = i, with lap parity.
        bitvector: Bitvector = 256,
    }
}

layout! {
    /// Why one packet was refused (ours).
    Network Nak = "NAK", 64 bits {
        /// Reason.
        reason: RefusalReason = 8,
        /// Unused, 0.
        reserved0: u32 = 24,
        /// Stream of the refused packet.
        stream: u16 = 16,
        /// Message of the refused packet.
        message: u16 = 16,
    }
}

layout! {
    /// The posted buffer that a message takes (ours), in every packet: a Send lands whatever else is still on its way.
    Network Match = "MATCH", 64 bits {
        /// Posted buffer of the stream, counted from 0, wraps.
        receive: u32 = 32,
        /// Bytes of the whole message.
        length: u32 = 32,
    }
}

layout! {
    /// Immediate (InfiniBand specification volume 1, 9.3.5), padded to 8 bytes (ours), in every packet of its message.
    Network Imm = "IMM", 64 bits {
        /// Handed to the receiver with the message.
        immediate: u32 = 32,
        /// Unused, 0.
        reserved0: u32 = 32,
    }
}

layout! {
    /// Which request a response belongs to (ours).
    Network Tag = "TAG", 64 bits {
        /// Chosen by the requester, comes back.
        tag: u16 = 16,
        /// Unused, 0.
        reserved0: u16 = 16,
        /// Bytes of the whole response.
        length: u32 = 32,
    }
}

layout! {
    /// Atomic operation: the InfiniBand specification's AtomicETH (volume 1, 9.3.4) with tag and sequence (ours).
    Network Atomic = "ATOMIC", 256 bits {
        /// Remote address, a multiple of 8.
        address: u64 = 64,
        /// Key of the remote region.
        r_key: u32 = 32,
        /// Chosen by the requester, comes back.
        tag: u16 = 16,
        /// Number of the atomic in its connection, wraps: names its place in the replay record.
        sequence: u16 = 16,
        /// Number to add, or to put in place.
        operand: u64 = 64,
        /// COMPARE_SWAP: what the word must hold.
        compare: u64 = 64,
    }
}

layout! {
    /// Result of an atomic (InfiniBand specification volume 1, 9.3.4: AtomicAckETH).
    Network Original = "ORIGINAL", 64 bits {
        /// The word before the operation.
        value: u64 = 64,
    }
}

layout! {
    /// Ends an epoch of the path that PATH names (ours). BTH.psn and PATH.tsn are the first of the next epoch.
    Network Sync = "SYNC", 64 bits {
        /// Path that carries this frame, and the answer.
        via: u8 = 8,
        /// The next epoch.
        epoch: u8 = 8,
        /// Unused, 0.
        reserved0: u64 = 48,
    }
}
