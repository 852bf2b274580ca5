//! The end of the transmit engine's pipeline: a choice gets its numbers and is sent.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::failed_connections::FailedConnections;
use crate::forwarded_table::ForwardedTable;
use crate::narrow::Narrowing;
use crate::prim::Dff;
use crate::transmit_path::{Choice, FailureWrite, Numbers, PathWrite, Transmission, TransmitWrite};
use rust_hdl::prelude::*;

/// N0 presents the path's number, N1 waits, N2 has PSN and TSN: it commits. Of a connection that has failed nothing is sent.
///
/// In, N0: `valid`, `choice`, its `plane` (one hot); of new data the `path` (one hot, without its connection) and whether
/// that is `tight` (an acknowledgement is asked for); `able` for the trace. In: `failure`. In, N2: `now`;
/// `retries`, `retries_at` of a time-out; `path_write`. Out, N0: the path's `number`. Out, N2: `transmit` (the path's record changes); `transmission`,
/// `transmission_plane`, `transmission_valid`, and `ring_psn` (what the ring is to say of its PSN); `forfeit` (the plane's place is not needed, one hot); `give_up`,
/// `give_up_connection`; `timed_out` (a time-out is done); the trace. `busy`: something is in N0 to N2;
/// `to_give_up`: in N0 or N1 is what may become `give_up`.
#[derive(LogicBlock)]
pub struct CommitStage<const P: usize, const CA: usize, const GA: usize, const N: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub now: Signal<In, Bits<32>>,
    pub failure: Signal<In, FailureWrite>,
    pub path_write: Signal<In, PathWrite>,
    pub valid: Signal<In, Bit>,
    pub choice: Signal<In, Choice>,
    pub plane: Signal<In, Bits<N>>,
    pub able: Signal<In, Bits<P>>,
    pub path: Signal<In, Bits<P>>,
    pub tight: Signal<In, Bit>,
    pub retries: Signal<In, Bits<4>>,
    pub retries_at: Signal<In, Bits<32>>,
    pub number: Signal<Out, Bits<16>>,
    pub transmit: Signal<Out, TransmitWrite>,
    pub transmission: Signal<Out, Transmission>,
    pub transmission_plane: Signal<Out, Bits<N>>,
    pub transmission_valid: Signal<Out, Bit>,
    pub ring_psn: Signal<Out, Bits<10>>,
    pub forfeit: Signal<Out, Bits<N>>,
    pub give_up: Signal<Out, Bit>,
    pub give_up_connection: Signal<Out, Bits<CA>>,
    pub to_give_up: Signal<Out, Bit>,
    pub timed_out: Signal<Out, Bit>,
    pub busy: Signal<Out, Bit>,
    pub trace_valid: Signal<Out, Bit>,
    pub trace_kind: Signal<Out, Bits<3>>,
    pub trace_able: Signal<Out, Bits<P>>,
    path_bits: Constant<Bits<4>>,
    path_number: [Constant<Bits<16>>; P],
    psn_mask: Constant<Bits<24>>,
    tsn_mask: Constant<Bits<24>>,
    used_paths: Constant<Bits<16>>,
    numbers: ForwardedTable<Numbers, GA>,
    valid1: Dff<Bit>,
    choice1: Dff<Choice>,
    plane1: Dff<Bits<N>>,
    able1: Dff<Bits<P>>,
    valid2: Dff<Bit>,
    choice2: Dff<Choice>,
    plane2: Dff<Bits<N>>,
    able2: Dff<Bits<P>>,
    failures: FailedConnections<CA>,
    owner: Signal<Local, Bits<CA>>,
    fails: Signal<Local, Bit>,
    sent: Signal<Local, Bit>,
    back: Signal<Local, Bits<24>>,
    psn: Signal<Local, Bits<24>>,
    tsn: Signal<Local, Bits<24>>,
}

impl<const P: usize, const CA: usize, const GA: usize, const N: usize> CommitStage<P, CA, GA, N> {
    /// A stage of this size.
    pub fn new(narrowing: &Narrowing) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            now: Default::default(),
            failure: Default::default(),
            path_write: Default::default(),
            valid: Default::default(),
            choice: Default::default(),
            plane: Default::default(),
            able: Default::default(),
            path: Default::default(),
            tight: Default::default(),
            retries: Default::default(),
            retries_at: Default::default(),
            number: Default::default(),
            transmit: Default::default(),
            transmission: Default::default(),
            transmission_plane: Default::default(),
            transmission_valid: Default::default(),
            ring_psn: Default::default(),
            forfeit: Default::default(),
            give_up: Default::default(),
            give_up_connection: Default::default(),
            to_give_up: Default::default(),
            timed_out: Default::default(),
            busy: Default::default(),
            trace_valid: Default::default(),
            trace_kind: Default::default(),
            trace_able: Default::default(),
            path_bits: Constant::new(bits((GA - CA) as u64)),
            path_number: std::array::from_fn(|i| Constant::new(bits(i as u64))),
            psn_mask: Constant::new(Narrowing::low(narrowing.psn_bits)),
            tsn_mask: Constant::new(Narrowing::low(narrowing.tsn_bits)),
            used_paths: Constant::new(Narrowing::low(narrowing.path_bits)),
            numbers: Default::default(),
            valid1: Default::default(),
            choice1: Default::default(),
            plane1: Default::default(),
            able1: Default::default(),
            valid2: Default::default(),
            choice2: Default::default(),
            plane2: Default::default(),
            able2: Default::default(),
            failures: Default::default(),
            owner: Default::default(),
            fails: Default::default(),
            sent: Default::default(),
            back: Default::default(),
            psn: Default::default(),
            tsn: Default::default(),
        }
    }
}

impl<const P: usize, const CA: usize, const GA: usize, const N: usize> Logic
    for CommitStage<P, CA, GA, N>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, valid1, choice1, plane1, able1, valid2, choice2, plane2, able2
        );
        // N0.
        self.number.next = self.choice.val().path;
        self.choice1.d.next = self.choice.val();
        if self.choice.val().kind == bits::<3>(3) {
            for p in 0..P {
                if self.path.val().get_bit(p) {
                    self.number.next = self.number.val() | self.path_number[p].val();
                }
            }
            self.choice1.d.next.ack_request = self.choice.val().ack_request | self.tight.val();
        }
        self.number.next = self.number.val() & self.used_paths.val();
        self.choice1.d.next.path = self.number.val();
        self.numbers.clock.next = self.clock.val();
        self.numbers.read_address.next = bit_cast::<GA, 16>(self.number.val());
        self.valid1.d.next = self.valid.val();
        self.plane1.d.next = self.plane.val();
        self.able1.d.next = self.able.val();

        // N1.
        self.failures.clock.next = self.clock.val();
        self.failures.write.next = self.failure.val();
        self.failures.connection.next =
            bit_cast::<CA, 16>(self.choice1.q.val().path >> self.path_bits.val());
        self.to_give_up.next = (self.valid.val() & (self.choice.val().kind == bits::<3>(5)))
            | (self.valid1.q.val() & (self.choice1.q.val().kind == bits::<3>(5)));
        self.valid2.d.next = self.valid1.q.val();
        self.choice2.d.next = self.choice1.q.val();
        self.plane2.d.next = self.plane1.q.val();
        self.able2.d.next = self.able1.q.val();

        // N2.
        self.owner.next = bit_cast::<CA, 16>(self.choice2.q.val().path >> self.path_bits.val());
        self.fails.next = self.failures.failed.val();
        self.sent.next =
            self.valid2.q.val() & !self.fails.val() & (self.choice2.q.val().kind != bits::<3>(5));
        self.forfeit.next = bits::<N>(0);
        if self.valid2.q.val() & !self.sent.val() {
            self.forfeit.next = self.plane2.q.val();
        }
        self.give_up.next =
            self.valid2.q.val() & !self.fails.val() & (self.choice2.q.val().kind == bits::<3>(5));
        self.give_up_connection.next = self.owner.val();
        self.timed_out.next = self.valid2.q.val() & (self.choice2.q.val().kind == bits::<3>(1));

        self.tsn.next = self.numbers.read_data.val().tsn & self.tsn_mask.val();
        self.psn.next = self.numbers.read_data.val().psn;
        if self.choice2.q.val().kind == bits::<3>(2) {
            self.psn.next = self.choice2.q.val().psn;
        }
        // What is more than a window old has arrived, however old: in ten bits, a PSN of which that is still known when it is resolved.
        self.back.next =
            (self.numbers.read_data.val().psn - self.choice2.q.val().psn) & self.psn_mask.val();
        self.ring_psn.next = bit_cast::<10, 24>(self.psn.val());
        if (self.choice2.q.val().kind == bits::<3>(2)) & (self.back.val() > bits::<24>(256)) {
            self.ring_psn.next = bit_cast::<10, 24>(self.numbers.read_data.val().psn) - 257;
        }
        self.transmission_valid.next = self.sent.val();
        self.transmission_plane.next = self.plane2.q.val();
        self.transmission.next.path = self.choice2.q.val().path;
        self.transmission.next.psn = self.psn.val() & self.psn_mask.val();
        self.transmission.next.tsn = self.tsn.val();
        self.transmission.next.timestamp = self.now.val();
        self.transmission.next.slot = self.choice2.q.val().packet.slot;
        self.transmission.next.packet = self.choice2.q.val().packet.index;
        self.transmission.next.probe = self.choice2.q.val().kind < bits::<3>(2);
        self.transmission.next.again = self.choice2.q.val().kind == bits::<3>(2);
        self.transmission.next.ack_request = self.choice2.q.val().ack_request;

        self.transmit.next.valid = self.sent.val();
        self.transmit.next.path = self.choice2.q.val().path;
        self.transmit.next.next_psn = self.numbers.read_data.val().psn & self.psn_mask.val();
        if self.choice2.q.val().kind == bits::<3>(3) {
            self.transmit.next.next_psn =
                (self.numbers.read_data.val().psn + 1) & self.psn_mask.val();
        }
        self.transmit.next.next_tsn = (self.tsn.val() + 1) & self.tsn_mask.val();
        self.transmit.next.last_tx = self.now.val();
        self.transmit.next.last_was_probe = self.choice2.q.val().kind < bits::<3>(2);
        self.transmit.next.last_asked = self.choice2.q.val().ack_request;
        self.transmit.next.retries = self.retries.val();
        self.transmit.next.retries_at = self.retries_at.val();
        self.transmit.next.retries_valid = self.sent.val() & self.timed_out.val();
        if self.path_write.val().valid {
            self.transmit.next.valid = true;
            self.transmit.next.path = self.path_write.val().path;
            self.transmit.next.next_psn = self.path_write.val().first_psn;
            self.transmit.next.next_tsn = self.path_write.val().first_tsn;
            self.transmit.next.last_was_probe = false;
            self.transmit.next.last_asked = false;
            self.transmit.next.retries = bits::<4>(0);
            self.transmit.next.retries_at = self.now.val();
            self.transmit.next.retries_valid = true;
        }
        self.numbers.write_enable.next = self.transmit.val().valid;
        self.numbers.write_address.next = bit_cast::<GA, 16>(self.transmit.val().path);
        self.numbers.write_data.next.psn = self.transmit.val().next_psn;
        self.numbers.write_data.next.tsn = self.transmit.val().next_tsn;

        self.busy.next = self.valid.val() | self.valid1.q.val() | self.valid2.q.val();
        self.trace_kind.next = self.choice2.q.val().kind;
        self.trace_valid.next = self.valid2.q.val();
        if self.fails.val() {
            self.trace_kind.next = bits::<3>(7);
            if self.choice2.q.val().kind == bits::<3>(2) {
                self.trace_kind.next = bits::<3>(4);
            }
            if self.choice2.q.val().kind == bits::<3>(3) {
                self.trace_kind.next = bits::<3>(6);
            }
        }
        self.trace_able.next = self.able2.q.val();

        if self.reset.val() {
            self.valid1.d.next = false;
            self.valid2.d.next = false;
        }
    }
}
