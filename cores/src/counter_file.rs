//! The counters, each a register under its name (docs/registers.md).
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::axi_lite::RegisterBus;
use crate::counts::{ReceiveCounts, TransmitCounts};
use crate::generated::registers::counters;
use crate::narrow::Narrowing;
use crate::register::CountRegister;

/// All counters.
///
/// In: `bus`; what the two sides count; how many planes drop a frame under each name (0..=8); a WQE taken, a CQE written. Out:
/// `read`, 0 unless the bus reads a counter. Latency: an event shows in its register one cycle later.
#[derive(LogicBlock)]
pub struct CounterFile {
    pub clock: Signal<In, Clock>,
    pub bus: Signal<In, RegisterBus>,
    pub receive: Signal<In, ReceiveCounts>,
    pub transmit: Signal<In, TransmitCounts>,
    pub foreign: Signal<In, Bits<4>>,
    pub malformed: Signal<In, Bits<4>>,
    pub bad_icrc: Signal<In, Bits<4>>,
    pub unknown_opcode: Signal<In, Bits<4>>,
    pub message: Signal<In, Bit>,
    pub completion: Signal<In, Bit>,
    pub read: Signal<Out, Bits<32>>,
    first: Signal<Local, Bits<1>>,
    second: Signal<Local, Bits<1>>,
    rx_frames: CountRegister<5>,
    rx_foreign: CountRegister<4>,
    rx_malformed: CountRegister<4>,
    rx_bad_icrc: CountRegister<4>,
    rx_unknown_opcode: CountRegister<4>,
    rx_unknown_connection: CountRegister<2>,
    rx_closed_epoch: CountRegister<2>,
    rx_duplicate: CountRegister<1>,
    rx_out_of_window: CountRegister<1>,
    rx_bad_key: CountRegister<1>,
    rx_bad_range: CountRegister<1>,
    rx_writes: CountRegister<1>,
    rx_write_bytes: CountRegister<16>,
    rx_probes: CountRegister<1>,
    rx_marked: CountRegister<1>,
    rx_acks: CountRegister<1>,
    rx_ack_stale: CountRegister<1>,
    rx_ack_invalid: CountRegister<1>,
    rx_on_failed_connection: CountRegister<1>,
    rx_refusals: CountRegister<1>,
    tx_writes: CountRegister<1>,
    tx_write_bytes: CountRegister<16>,
    tx_retransmissions: CountRegister<1>,
    tx_tail_probes: CountRegister<1>,
    tx_timeout_probes: CountRegister<1>,
    tx_discarded: CountRegister<1>,
    tx_acks: CountRegister<1>,
    tx_refusals: CountRegister<1>,
    refusals_dropped: CountRegister<1>,
    resolved_delivered: CountRegister<1>,
    resolved_lost: CountRegister<1>,
    messages: CountRegister<1>,
    completions: CountRegister<1>,
    rx_verbs: CountRegister<1>,
    tx_verbs: CountRegister<1>,
    rx_messages: CountRegister<1>,
    rx_not_ready: CountRegister<1>,
    rx_invalid_request: CountRegister<1>,
    rx_stray_response: CountRegister<1>,
}

impl CounterFile {
    /// Counters that keep the bits that `narrowing` leaves; `receives`: messages end here; `reads`: so do responses.
    pub fn new(receives: bool, reads: bool, narrowing: &Narrowing) -> Self {
        let of = |counted: bool| Narrowing {
            counter_bits: if counted { narrowing.counter_bits } else { 0 },
            ..narrowing.clone()
        };
        let (of_messages, of_reads) = (of(receives), of(reads));
        Self {
            clock: Default::default(),
            bus: Default::default(),
            receive: Default::default(),
            transmit: Default::default(),
            foreign: Default::default(),
            malformed: Default::default(),
            bad_icrc: Default::default(),
            unknown_opcode: Default::default(),
            message: Default::default(),
            completion: Default::default(),
            read: Default::default(),
            first: Default::default(),
            second: Default::default(),
            rx_frames: CountRegister::new(counters::RX_FRAMES, narrowing),
            rx_foreign: CountRegister::new(counters::RX_FOREIGN, narrowing),
            rx_malformed: CountRegister::new(counters::RX_MALFORMED, narrowing),
            rx_bad_icrc: CountRegister::new(counters::RX_BAD_ICRC, narrowing),
            rx_unknown_opcode: CountRegister::new(counters::RX_UNKNOWN_OPCODE, narrowing),
            rx_unknown_connection: CountRegister::new(counters::RX_UNKNOWN_CONNECTION, narrowing),
            rx_closed_epoch: CountRegister::new(counters::RX_CLOSED_EPOCH, narrowing),
            rx_duplicate: CountRegister::new(counters::RX_DUPLICATE, narrowing),
            rx_out_of_window: CountRegister::new(counters::RX_OUT_OF_WINDOW, narrowing),
            rx_bad_key: CountRegister::new(counters::RX_BAD_KEY, narrowing),
            rx_bad_range: CountRegister::new(counters::RX_BAD_RANGE, narrowing),
            rx_writes: CountRegister::new(counters::RX_WRITES, narrowing),
            rx_write_bytes: CountRegister::new(counters::RX_WRITE_BYTES, narrowing),
            rx_probes: CountRegister::new(counters::RX_PROBES, narrowing),
            rx_marked: CountRegister::new(counters::RX_MARKED, narrowing),
            rx_acks: CountRegister::new(counters::RX_ACKS, narrowing),
            rx_ack_stale: CountRegister::new(counters::RX_ACK_STALE, narrowing),
            rx_ack_invalid: CountRegister::new(counters::RX_ACK_INVALID, narrowing),
            rx_on_failed_connection: CountRegister::new(
                counters::RX_ON_FAILED_CONNECTION,
                narrowing,
            ),
            rx_refusals: CountRegister::new(counters::RX_REFUSALS, narrowing),
            tx_writes: CountRegister::new(counters::TX_WRITES, narrowing),
            tx_write_bytes: CountRegister::new(counters::TX_WRITE_BYTES, narrowing),
            tx_retransmissions: CountRegister::new(counters::TX_RETRANSMISSIONS, narrowing),
            tx_tail_probes: CountRegister::new(counters::TX_TAIL_PROBES, narrowing),
            tx_timeout_probes: CountRegister::new(counters::TX_TIMEOUT_PROBES, narrowing),
            tx_discarded: CountRegister::new(counters::TX_DISCARDED, narrowing),
            tx_acks: CountRegister::new(counters::TX_ACKS, narrowing),
            tx_refusals: CountRegister::new(counters::TX_REFUSALS, narrowing),
            refusals_dropped: CountRegister::new(counters::REFUSALS_DROPPED, narrowing),
            resolved_delivered: CountRegister::new(counters::RESOLVED_DELIVERED, narrowing),
            resolved_lost: CountRegister::new(counters::RESOLVED_LOST, narrowing),
            messages: CountRegister::new(counters::MESSAGES, narrowing),
            completions: CountRegister::new(counters::COMPLETIONS, narrowing),
            rx_verbs: CountRegister::new(counters::RX_VERBS, &of_messages),
            tx_verbs: CountRegister::new(counters::TX_VERBS, &of_messages),
            rx_messages: CountRegister::new(counters::RX_MESSAGES, &of_messages),
            rx_not_ready: CountRegister::new(counters::RX_NOT_READY, &of_messages),
            rx_invalid_request: CountRegister::new(counters::RX_INVALID_REQUEST, &of_messages),
            rx_stray_response: CountRegister::new(counters::RX_STRAY_RESPONSE, &of_reads),
        }
    }
}

impl Logic for CounterFile {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self,
            clock,
            rx_frames,
            rx_foreign,
            rx_malformed,
            rx_bad_icrc,
            rx_unknown_opcode,
            rx_unknown_connection,
            rx_closed_epoch,
            rx_duplicate
        );
        clock!(
            self,
            clock,
            rx_out_of_window,
            rx_bad_key,
            rx_bad_range,
            rx_writes,
            rx_write_bytes,
            rx_probes,
            rx_marked,
            rx_acks
        );
        clock!(
            self,
            clock,
            rx_ack_stale,
            rx_ack_invalid,
            rx_on_failed_connection,
            rx_refusals,
            tx_writes,
            tx_write_bytes,
            tx_retransmissions,
            tx_tail_probes
        );
        clock!(
            self,
            clock,
            tx_timeout_probes,
            tx_discarded,
            tx_acks,
            tx_refusals,
            refusals_dropped,
            resolved_delivered,
            resolved_lost,
            messages
        );
        clock!(
            self,
            clock,
            completions,
            rx_verbs,
            tx_verbs,
            rx_messages,
            rx_not_ready,
            rx_invalid_request,
            rx_stray_response
        );

        self.rx_frames.bus.next = self.bus.val();
        self.rx_foreign.bus.next = self.bus.val();
        self.rx_malformed.bus.next = self.bus.val();
        self.rx_bad_icrc.bus.next = self.bus.val();
        self.rx_unknown_opcode.bus.next = self.bus.val();
        self.rx_unknown_connection.bus.next = self.bus.val();
        self.rx_closed_epoch.bus.next = self.bus.val();
        self.rx_duplicate.bus.next = self.bus.val();
        self.rx_out_of_window.bus.next = self.bus.val();
        self.rx_bad_key.bus.next = self.bus.val();
        self.rx_bad_range.bus.next = self.bus.val();
        self.rx_writes.bus.next = self.bus.val();
        self.rx_write_bytes.bus.next = self.bus.val();
        self.rx_probes.bus.next = self.bus.val();
        self.rx_marked.bus.next = self.bus.val();
        self.rx_acks.bus.next = self.bus.val();
        self.rx_ack_stale.bus.next = self.bus.val();
        self.rx_ack_invalid.bus.next = self.bus.val();
        self.rx_on_failed_connection.bus.next = self.bus.val();
        self.rx_refusals.bus.next = self.bus.val();
        self.tx_writes.bus.next = self.bus.val();
        self.tx_write_bytes.bus.next = self.bus.val();
        self.tx_retransmissions.bus.next = self.bus.val();
        self.tx_tail_probes.bus.next = self.bus.val();
        self.tx_timeout_probes.bus.next = self.bus.val();
        self.tx_discarded.bus.next = self.bus.val();
        self.tx_acks.bus.next = self.bus.val();
        self.tx_refusals.bus.next = self.bus.val();
        self.refusals_dropped.bus.next = self.bus.val();
        self.resolved_delivered.bus.next = self.bus.val();
        self.resolved_lost.bus.next = self.bus.val();
        self.messages.bus.next = self.bus.val();
        self.completions.bus.next = self.bus.val();
        self.rx_verbs.bus.next = self.bus.val();
        self.tx_verbs.bus.next = self.bus.val();
        self.rx_messages.bus.next = self.bus.val();
        self.rx_not_ready.bus.next = self.bus.val();
        self.rx_invalid_request.bus.next = self.bus.val();
        self.rx_stray_response.bus.next = self.bus.val();

        // Of one side.
        self.rx_duplicate.amount.next = self.receive.val().rx_duplicate.into();
        self.rx_out_of_window.amount.next = self.receive.val().rx_out_of_window.into();
        self.rx_bad_key.amount.next = self.receive.val().rx_bad_key.into();
        self.rx_bad_range.amount.next = self.receive.val().rx_bad_range.into();
        self.rx_writes.amount.next = self.receive.val().rx_writes.into();
        self.rx_probes.amount.next = self.receive.val().rx_probes.into();
        self.rx_marked.amount.next = self.receive.val().rx_marked.into();
        self.tx_acks.amount.next = self.receive.val().tx_acks.into();
        self.tx_refusals.amount.next = self.receive.val().tx_refusals.into();
        self.refusals_dropped.amount.next = self.receive.val().refusals_dropped.into();
        self.rx_verbs.amount.next = self.receive.val().rx_verbs.into();
        self.tx_verbs.amount.next = self.transmit.val().tx_verbs.into();
        self.rx_messages.amount.next = self.receive.val().rx_messages.into();
        self.rx_not_ready.amount.next = self.receive.val().rx_not_ready.into();
        self.rx_invalid_request.amount.next = self.receive.val().rx_invalid_request.into();
        self.rx_stray_response.amount.next = self.receive.val().rx_stray_response.into();
        self.rx_write_bytes.amount.next = self.receive.val().rx_write_bytes;
        self.rx_acks.amount.next = self.transmit.val().rx_acks.into();
        self.rx_ack_stale.amount.next = self.transmit.val().rx_ack_stale.into();
        self.rx_ack_invalid.amount.next = self.transmit.val().rx_ack_invalid.into();
        self.rx_on_failed_connection.amount.next =
            self.transmit.val().rx_on_failed_connection.into();
        self.rx_refusals.amount.next = self.transmit.val().rx_refusals.into();
        self.tx_writes.amount.next = self.transmit.val().tx_writes.into();
        self.tx_retransmissions.amount.next = self.transmit.val().tx_retransmissions.into();
        self.tx_tail_probes.amount.next = self.transmit.val().tx_tail_probes.into();
        self.tx_timeout_probes.amount.next = self.transmit.val().tx_timeout_probes.into();
        self.tx_discarded.amount.next = self.transmit.val().tx_discarded.into();
        self.resolved_delivered.amount.next = self.transmit.val().resolved_delivered.into();
        self.resolved_lost.amount.next = self.transmit.val().resolved_lost.into();
        self.tx_write_bytes.amount.next = self.transmit.val().tx_write_bytes;
        self.messages.amount.next = self.message.val().into();
        self.completions.amount.next = self.completion.val().into();

        // Of several at once.
        self.rx_foreign.amount.next = self.foreign.val();
        self.rx_malformed.amount.next = self.malformed.val();
        self.rx_bad_icrc.amount.next = self.bad_icrc.val();
        self.rx_unknown_opcode.amount.next = self.unknown_opcode.val();
        self.first.next = self.receive.val().rx_unknown_connection.into();
        self.second.next = self.transmit.val().rx_unknown_connection.into();
        self.rx_unknown_connection.amount.next =
            bit_cast::<2, 1>(self.first.val()) + bit_cast::<2, 1>(self.second.val());
        self.first.next = self.receive.val().rx_closed_epoch.into();
        self.second.next = self.transmit.val().rx_closed_epoch.into();
        self.rx_closed_epoch.amount.next =
            bit_cast::<2, 1>(self.first.val()) + bit_cast::<2, 1>(self.second.val());
        self.first.next = self.receive.val().rx_frames.into();
        self.second.next = self.transmit.val().rx_frames.into();
        self.rx_frames.amount.next = bit_cast::<5, 1>(self.first.val())
            + bit_cast::<5, 1>(self.second.val())
            + bit_cast::<5, 4>(self.foreign.val())
            + bit_cast::<5, 4>(self.malformed.val())
            + bit_cast::<5, 4>(self.bad_icrc.val())
            + bit_cast::<5, 4>(self.unknown_opcode.val());

        self.read.next = self.rx_frames.read.val()
            | self.rx_foreign.read.val()
            | self.rx_malformed.read.val()
            | self.rx_bad_icrc.read.val()
            | self.rx_unknown_opcode.read.val()
            | self.rx_unknown_connection.read.val()
            | self.rx_closed_epoch.read.val()
            | self.rx_duplicate.read.val()
            | self.rx_out_of_window.read.val()
            | self.rx_bad_key.read.val()
            | self.rx_bad_range.read.val()
            | self.rx_writes.read.val()
            | self.rx_write_bytes.read.val()
            | self.rx_probes.read.val()
            | self.rx_marked.read.val()
            | self.rx_acks.read.val()
            | self.rx_ack_stale.read.val()
            | self.rx_ack_invalid.read.val()
            | self.rx_on_failed_connection.read.val()
            | self.rx_refusals.read.val()
            | self.tx_writes.read.val()
            | self.tx_write_bytes.read.val()
            | self.tx_retransmissions.read.val()
            | self.tx_tail_probes.read.val()
            | self.tx_timeout_probes.read.val()
            | self.tx_discarded.read.val()
            | self.tx_acks.read.val()
            | self.tx_refusals.read.val()
            | self.refusals_dropped.read.val()
            | self.resolved_delivered.read.val()
            | self.resolved_lost.read.val()
            | self.messages.read.val()
            | self.completions.read.val()
            | self.rx_verbs.read.val()
            | self.tx_verbs.read.val()
            | self.rx_messages.read.val()
            | self.rx_not_ready.read.val()
            | self.rx_invalid_request.read.val()
            | self.rx_stray_response.read.val();
    }
}
