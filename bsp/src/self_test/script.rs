//! What the self-test does, step by step.

use std::net::Ipv4Addr;

use metaroce_cores::narrow::Narrowing;
use metaroce_protocol::frame::Addresses;
use metaroce_protocol::registers as map;
use metaroce_protocol::table::host::{ConfigCommit, Control};
use metaroce_protocol::{
    ConfigTable, ConnectionEntry, Counter, MacAddr, PathEntry, Psn, RegionEntry, Tsn, Wqe,
    WqeOpcode,
};

/// One step of the sequencer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The script is over.
    End,
    /// Write a register.
    Write(u32, u32),
    /// Fill memory: the source with a pattern, the destination with its opposite.
    Fill,
    /// Wait for this many completions, at most 15.
    Wait(u32),
    /// Compare destination and source.
    Compare,
    /// Read a register until none of these bits is set.
    Poll(u32, u32),
    /// Read a register; another value is an error.
    Expect(u32, u32),
    /// Read a register; not 0 means that packets were sent again.
    Again(u32),
}

impl Step {
    /// The sequencer's word: bits 47..44 operation, 43..32 register offset, 31..0 operand.
    pub fn word(self) -> u64 {
        let (operation, offset, operand) = match self {
            Step::End => (0, 0, 0),
            Step::Write(offset, value) => (1, offset, value),
            Step::Fill => (2, 0, 0),
            Step::Wait(count) => (3, 0, count),
            Step::Compare => (4, 0, 0),
            Step::Poll(offset, mask) => (8, offset, mask),
            Step::Expect(offset, value) => (9, offset, value),
            Step::Again(offset) => (10, offset, 0),
        };
        operation << 44 | u64::from(offset) << 32 | u64::from(operand)
    }
}

/// Bytes of a message; with the smallest MTU (256 B) four packets.
pub const MESSAGE_BYTES: u32 = 1024;

/// Frames that the loopback loses, by number from 0: the second, a data packet; and a later one.
pub const LOST_FRAMES: u16 = 0b0000_0000_0100_0010;

/// Messages sent: all of them carry the same bytes to the same place.
pub const MESSAGES: u32 = 1;

/// Connection 0 talks to itself: its frames come back to it.
/// Its low bits are the connection number, as in the driver.
const QP: u32 = 0x10;
const R_KEY: u32 = 0;
/// Ticks of silence before a probe: longer than four packets take, 528 cycles each.
const RTO: u32 = 4_096;
/// Few, so that a wire that loses everything fails the test soon.
const MAX_RETRIES: u32 = 2;
/// Packets of a path under way.
const WINDOW: u32 = 8;
const MTU_LOG2: u32 = 8;

/// Not 0: an echo names the TSN before it, and a narrowed TSN can't be -1.
const FIRST_TSN: Tsn = Tsn::truncate(1);

/// What counts must be 0 after a good run.
const ERROR_COUNTERS: &[Counter] = &[
    Counter::RxForeign,
    Counter::RxMalformed,
    Counter::RxBadIcrc,
    Counter::RxUnknownOpcode,
    Counter::RxUnknownConnection,
    Counter::RxClosedEpoch,
    Counter::RxOutOfWindow,
    Counter::RxBadKey,
    Counter::RxBadRange,
    Counter::RxAckInvalid,
];

/// The whole test; `retransmissions_counted` tells whether the NIC's size has counters.
pub fn script(counters: bool) -> Vec<Step> {
    let mut steps = vec![Step::Fill];
    steps.push(Step::Expect(map::ID.offset, map::ID.reset));
    let mut write = |register: metaroce_protocol::Register, value| {
        steps.push(Step::Write(register.offset, value))
    };
    // Rings of 2^2 entries; the send queue is at 0, the completion queue anywhere.
    write(map::SQ_SIZE_LOG2, 2);
    write(map::CQ_SIZE_LOG2, 2);
    write(map::WINDOW, WINDOW);
    write(map::RTO, RTO);
    write(map::MAX_RETRIES, MAX_RETRIES);
    write(map::MTU_LOG2, MTU_LOG2);
    let mut data = [None; 8];
    let mut entry = |table, words| write_entry(&mut steps, &mut data, table, words);
    entry(ConfigTable::Region, region().to_words());
    entry(ConfigTable::Path, path().to_words());
    entry(ConfigTable::Connection, connection().to_words());
    let control = Control {
        enable: true,
        ..Control::default()
    };
    steps.push(Step::Write(map::CONTROL.offset, control.to_words()[0]));
    steps.push(Step::Write(map::SQ_DOORBELL.offset, MESSAGES));
    steps.push(Step::Wait(MESSAGES));
    steps.push(Step::Compare);
    if counters {
        steps.push(Step::Again(Counter::TxRetransmissions.offset()));
        steps.extend(
            ERROR_COUNTERS
                .iter()
                .map(|counter| Step::Expect(counter.offset(), 0)),
        );
    }
    steps.push(Step::End);
    steps
}

/// The send queue's words.
pub fn wqes() -> Vec<u64> {
    let wqe = |number: u32| Wqe {
        opcode: WqeOpcode::Write,
        message: number as u16,
        r_key: R_KEY,
        length: MESSAGE_BYTES,
        local_address: 0,
        remote_address: MESSAGE_BYTES.into(),
        wr_id: u64::from(number) + 1,
        ..Wqe::default()
    };
    let bytes: Vec<u8> = (0..MESSAGES)
        .flat_map(|number| wqe(number).encode())
        .collect();
    bytes
        .as_chunks::<8>()
        .0
        .iter()
        .map(|word| u64::from_le_bytes(*word))
        .collect()
}

/// The bits that the test's numbers need: all others of the NIC are left out of the bitstream.
pub fn narrowing() -> Narrowing {
    let connection = connection();
    let number = |address: MacAddr| {
        address
            .0
            .iter()
            .fold(0, |high, byte| high << 8 | u64::from(*byte))
    };
    let entries = [
        region().to_words(),
        path().to_words(),
        connection.to_words(),
    ];
    let config = std::array::from_fn(|word| entries.iter().fold(0, |all, entry| all | entry[word]));
    Narrowing {
        psn_bits: 3,
        tsn_bits: 5,
        packet_bits: 2,
        length_bits: 11,
        path_bits: 0,
        time_bits: 14,
        payload_bits: 9,
        address_bits: 11,
        bitvector_bits: 8,
        received_bits: 4,
        counter_bits: 4,
        uncounted: unread_counters(),
        queue_bits: 3,
        index_bits: 0,
        config,
        qp: QP,
        dst_mac: number(connection.dst_mac),
        src_mac: number(connection.src_mac),
        src_ip: connection.src_ip.into(),
        dst_ip: connection.dst_ip.into(),
        ip_sum: connection.ip_sum.into(),
        entropy: path().entropy.into(),
        window: WINDOW ^ map::WINDOW.reset,
        rto: RTO ^ map::RTO.reset,
        max_retries: MAX_RETRIES ^ map::MAX_RETRIES.reset,
        ack_every: 0,
        mtu_log2: MTU_LOG2 ^ map::MTU_LOG2.reset,
        laws: false,
        walks_all: true,
        responses: false,
        names: false,
    }
}

/// Counters that the test does not look at.
fn unread_counters() -> Vec<u32> {
    let read = |counter: &Counter| {
        *counter == Counter::TxRetransmissions || ERROR_COUNTERS.contains(counter)
    };
    let unread = Counter::ALL.iter().filter(|counter| !read(counter));
    unread.map(|counter| counter.offset()).collect()
}

fn region() -> RegionEntry {
    RegionEntry {
        valid: true,
        r_key: R_KEY,
        base: MESSAGE_BYTES.into(),
        length: MESSAGE_BYTES.into(),
    }
}

fn path() -> PathEntry {
    PathEntry {
        valid: true,
        plane: 0,
        epoch: 0,
        entropy: 0xC000,
        first_psn_tx: Psn::default(),
        first_tsn_tx: FIRST_TSN,
        first_psn_rx: Psn::default(),
        first_tsn_rx: FIRST_TSN,
    }
}

fn connection() -> ConnectionEntry {
    let entry = ConnectionEntry {
        valid: true,
        local_qp: QP,
        remote_qp: QP,
        path_count: 1,
        // Locally administered addresses; 192.0.2.0/24 is for documentation (RFC 5737).
        dst_mac: MacAddr([2, 0, 0, 0, 0, 1]),
        src_mac: MacAddr([2, 0, 0, 0, 0, 1]),
        src_ip: Ipv4Addr::new(192, 0, 2, 1),
        dst_ip: Ipv4Addr::new(192, 0, 2, 1),
        ip_sum: 0,
    };
    ConnectionEntry {
        ip_sum: Addresses::from(&entry).ip_sum(),
        ..entry
    }
}

/// Writes an entry, leaving out words that CONFIG_DATA already holds.
fn write_entry(
    steps: &mut Vec<Step>,
    held: &mut [Option<u32>; 8],
    table: ConfigTable,
    words: [u32; 8],
) {
    for (number, (word, held)) in (0..).zip(words.into_iter().zip(held)) {
        if *held != Some(word) {
            steps.push(Step::Write(map::CONFIG_DATA.word(number), word));
            *held = Some(word);
        }
    }
    let commit = ConfigCommit {
        index: 0,
        table,
        ..ConfigCommit::default()
    };
    steps.push(Step::Write(map::CONFIG_COMMIT.offset, commit.to_words()[0]));
    let busy = ConfigCommit {
        busy: true,
        ..ConfigCommit::from_words(&[0])
    };
    steps.push(Step::Poll(map::CONFIG_COMMIT.offset, busy.to_words()[0]));
}
