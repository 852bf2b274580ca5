//! Codes and sizes of the protocol.
//!
//! Generated from the table of `metaroce-protocol`: don't edit, run `cargo run -p metaroce-protocol --bin generate`.
/// RDMA Write: MSG, RETH, payload, pad.
pub const OPCODE_WRITE: u64 = 0x0C0;
/// RDMA Write whose message hands over an immediate: MSG, RETH, MATCH, IMM, payload, pad.
pub const OPCODE_WRITE_IMM: u64 = 0x0C1;
/// Send into a posted buffer: MSG, MATCH, payload, pad.
pub const OPCODE_SEND: u64 = 0x0C2;
/// Send with an immediate: MSG, MATCH, IMM, payload, pad.
pub const OPCODE_SEND_IMM: u64 = 0x0C3;
/// Asks for remote bytes: MSG, RETH, TAG.
pub const OPCODE_READ_REQUEST: u64 = 0x0C4;
/// Bytes asked for: MSG, TAG, payload, pad.
pub const OPCODE_READ_RESPONSE: u64 = 0x0C5;
/// State of a path's receiver: SACK.
pub const OPCODE_ACK: u64 = 0x0D0;
/// One packet was refused: NAK.
pub const OPCODE_REFUSAL: u64 = 0x0D1;
/// Asks for an ACK: nothing after PATH.
pub const OPCODE_PROBE: u64 = 0x0D2;
/// The R_Key names no valid region.
pub const REASON_BAD_KEY: u64 = 1;
/// The payload does not lie inside the region.
pub const REASON_BAD_RANGE: u64 = 2;
/// A Send, or a Write with immediate, found no posted receive buffer.
pub const REASON_RECEIVER_NOT_READY: u64 = 3;
/// The request breaks a stated limit, or answers what was not asked.
pub const REASON_INVALID_REQUEST: u64 = 4;
/// Every packet was delivered.
pub const STATUS_SUCCESS: u64 = 0;
/// Refused: the R_Key names no valid region.
pub const STATUS_BAD_KEY: u64 = 1;
/// Refused: the payload does not lie inside the region.
pub const STATUS_BAD_RANGE: u64 = 2;
/// Refused: no buffer is posted for it (all profiles but `Write`).
pub const STATUS_RECEIVER_NOT_READY: u64 = 3;
/// Refused: the request breaks a stated limit, or answers what was not asked.
pub const STATUS_INVALID_REQUEST: u64 = 4;
/// A path gave up after MAX_RETRIES time-outs.
pub const STATUS_RETRY_EXCEEDED: u64 = 16;
/// The connection failed through another message.
pub const STATUS_FLUSHED: u64 = 17;
/// The WQE's opcode is unknown, or its connection is not valid.
pub const STATUS_BAD_REQUEST: u64 = 18;
/// RDMA Write.
pub const WQE_WRITE: u64 = 1;
/// RDMA Write with an immediate.
pub const WQE_WRITE_IMM: u64 = 2;
/// Send.
pub const WQE_SEND: u64 = 3;
/// Send with an immediate.
pub const WQE_SEND_IMM: u64 = 4;
/// RDMA Read.
pub const WQE_READ: u64 = 5;
/// Connections, by connection number.
pub const TABLE_CONNECTION: u64 = 1;
/// Paths, by global path number: connection x paths a connection + path.
pub const TABLE_PATH: u64 = 2;
/// Memory regions, by the low bits of the R_Key.
pub const TABLE_REGION: u64 = 3;
/// UDP destination port.
pub const UDP_PORT: u64 = 4791;
/// Ethernet type of IPv4.
pub const ETHERTYPE_IPV4: u64 = 2048;
/// IP protocol of UDP.
pub const IP_PROTOCOL_UDP: u64 = 17;
/// ECN of what is sent.
pub const ECN_CAPABLE: u64 = 2;
/// ECN of a marked packet.
pub const ECN_MARKED: u64 = 3;
/// IPv4 flags of what is sent.
pub const IPV4_DO_NOT_FRAGMENT: u64 = 2;
/// Time to live of what is sent.
pub const TTL: u64 = 64;
/// Partition key of what is sent.
pub const P_KEY: u64 = 65535;
/// Version of PATH.
pub const PATH_VERSION: u64 = 1;
/// Rate hint "the whole line".
pub const RATE_HINT_FULL: u64 = 65535;
/// Bytes that all frames share.
pub const COMMON_BYTES: u64 = 64;
/// Shortest frame in bytes.
pub const MIN_FRAME_BYTES: u64 = 68;
/// A WRITE's frame without payload and pad, in bytes.
pub const WRITE_OVERHEAD_BYTES: u64 = 92;
/// The same of a WRITE_IMM.
pub const WRITE_IMM_OVERHEAD_BYTES: u64 = 108;
/// The same of a SEND.
pub const SEND_OVERHEAD_BYTES: u64 = 84;
/// The same of a SEND_IMM.
pub const SEND_IMM_OVERHEAD_BYTES: u64 = 92;
/// A READ_REQUEST's frame in bytes.
pub const READ_REQUEST_FRAME_BYTES: u64 = 100;
/// The same of a READ_RESPONSE.
pub const READ_RESPONSE_OVERHEAD_BYTES: u64 = 84;
/// An ACK's frame in bytes.
pub const ACK_FRAME_BYTES: u64 = 108;
/// A REFUSAL's frame in bytes.
pub const REFUSAL_FRAME_BYTES: u64 = 76;
/// A PROBE's frame in bytes.
pub const PROBE_FRAME_BYTES: u64 = 68;
/// Largest payload in bytes.
pub const MAX_PAYLOAD_BYTES: u64 = 4096;
/// Time-outs after which back-off stops doubling.
pub const MAX_BACKOFF_SHIFT: u64 = 6;
/// Transmissions a path may have unresolved.
pub const MAX_UNRESOLVED: u64 = 255;
/// Of those the ones that data may take.
pub const MAX_UNRESOLVED_DATA: u64 = 239;
