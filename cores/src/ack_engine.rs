//! The ACK engine: what an ACK or REFUSAL changes.
use crate::generated::constants::OPCODE_REFUSAL;
use crate::generated::tails::{UnpackNak, UnpackSack};
use crate::narrow::Narrowing;
use crate::path_table::PathTable;
use crate::prim::Dff;
use crate::transmit_path::{ConnectionEntry, PathWrite, SnapshotWrite, TransmitWrite};
use crate::types::FrameEvent;
use rust_hdl::prelude::*;

/// The ACK engine (docs/protocol.md, "ACK received").
///
/// S0 takes an event and presents its path; S1, one cycle later, checks it against the records as they were before S1
/// and commits. An event a cycle, also on the same path. `CA`, `GA` address bits of connections and of paths; `C` =
/// 2^CA; `W` window.
#[derive(LogicBlock)]
pub struct AckEngine<const CA: usize, const GA: usize, const C: usize, const W: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Nothing enters S0.
    pub hold: Signal<In, Bit>,
    /// The clock of all time stamps.
    pub now: Signal<In, Bits<32>>,
    /// An ACK or REFUSAL.
    pub frame: Signal<In, FrameEvent>,
    /// Its plane.
    pub frame_plane: Signal<In, Bits<3>>,
    /// Valid.
    pub frame_valid: Signal<In, Bit>,
    /// Ready: whenever there is no `hold`.
    pub frame_ready: Signal<Out, Bit>,
    /// Failed connections.
    pub failed: Signal<In, Bits<C>>,
    /// The transmit engine's writes.
    pub transmit: Signal<In, TransmitWrite>,
    /// Configuration of a path.
    pub path_write: Signal<In, PathWrite>,
    /// Configuration of a connection.
    pub connection_valid: Signal<In, Bit>,
    /// Which connection.
    pub connection_index: Signal<In, Bits<12>>,
    /// Its entry.
    pub connection_entry: Signal<In, ConnectionEntry>,
    /// S1: the path's snapshot changes.
    pub snapshot: Signal<Out, SnapshotWrite>,
    /// S1: its bitvector.
    pub bitvector: Signal<Out, Bits<W>>,
    /// S1: an ACK replaced the snapshot.
    pub applied: Signal<Out, Bit>,
    /// S1: a REFUSAL fails its connection.
    pub refused: Signal<Out, Bit>,
    /// S1: that connection.
    pub refused_connection: Signal<Out, Bits<CA>>,
    /// S1: its reason.
    pub refused_reason: Signal<Out, Bits<8>>,
    /// S1: the refused message's stream.
    pub refused_stream: Signal<Out, Bits<16>>,
    /// S1: the refused message.
    pub refused_message: Signal<Out, Bits<16>>,
    /// S1: no such connection or path.
    pub unknown_connection: Signal<Out, Bit>,
    /// S1: another epoch.
    pub closed_epoch: Signal<Out, Bit>,
    /// S1: the connection has failed.
    pub on_failed: Signal<Out, Bit>,
    /// S1: an ACK that can't be true.
    pub invalid: Signal<Out, Bit>,
    /// S1: an ACK older than the snapshot.
    pub stale: Signal<Out, Bit>,
    /// S1: an event, whatever becomes of it.
    pub busy: Signal<Out, Bit>,
    /// S1: its plane.
    pub plane: Signal<Out, Bits<3>>,
    tsn_mask: Constant<Bits<24>>,
    path_bits: Constant<Bits<4>>,
    extra_path: Constant<Bits<8>>,
    lap_bit: Constant<Bits<5>>,
    window: Constant<Bits<24>>,
    refusal: Constant<Bits<8>>,
    sack: UnpackSack,
    nak: UnpackNak,
    qp: PathTable<Bits<24>, CA>,
    qp_valid: PathTable<Bit, CA>,
    live: PathTable<Bit, GA>,
    epoch: PathTable<Bits<8>, GA>,
    psn: PathTable<Bits<24>, GA>,
    tsn: PathTable<Bits<24>, GA>,
    cum: PathTable<Bits<24>, GA>,
    echo: PathTable<Bits<24>, GA>,
    stage: Dff<FrameEvent>,
    stage_plane: Dff<Bits<3>>,
    stage_valid: Dff<Bit>,
    s0_path: Signal<Local, Bits<GA>>,
    connection: Signal<Local, Bits<CA>>,
    path: Signal<Local, Bits<GA>>,
    known: Signal<Local, Bit>,
    is_open: Signal<Local, Bit>,
    alive: Signal<Local, Bit>,
    true_ack: Signal<Local, Bit>,
    old_ack: Signal<Local, Bit>,
    echo_before_next: Signal<Local, Bits<24>>,
    ahead: Signal<Local, Bits<24>>,
    echo_step: Signal<Local, Bits<24>>,
    cum_step: Signal<Local, Bits<24>>,
}

impl<const CA: usize, const GA: usize, const C: usize, const W: usize> AckEngine<CA, GA, C, W> {
    /// An engine of this size.
    pub fn new(narrowing: &Narrowing) -> Self {
        assert!(GA > CA && GA - CA <= 8 && C == 1 << CA, "index widths");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            hold: Default::default(),
            now: Default::default(),
            frame: Default::default(),
            frame_plane: Default::default(),
            frame_valid: Default::default(),
            frame_ready: Default::default(),
            failed: Default::default(),
            transmit: Default::default(),
            path_write: Default::default(),
            connection_valid: Default::default(),
            connection_index: Default::default(),
            connection_entry: Default::default(),
            snapshot: Default::default(),
            bitvector: Default::default(),
            applied: Default::default(),
            refused: Default::default(),
            refused_connection: Default::default(),
            refused_reason: Default::default(),
            refused_stream: Default::default(),
            refused_message: Default::default(),
            unknown_connection: Default::default(),
            closed_epoch: Default::default(),
            on_failed: Default::default(),
            invalid: Default::default(),
            stale: Default::default(),
            busy: Default::default(),
            plane: Default::default(),
            tsn_mask: Constant::new(Narrowing::low(narrowing.tsn_bits)),
            path_bits: Constant::new(bits((GA - CA) as u64)),
            extra_path: Constant::new(bits(0xFF & !((1u64 << (GA - CA)) - 1))),
            lap_bit: Constant::new(bits(W.ilog2() as u64)),
            window: Constant::new(bits(W as u64)),
            refusal: Constant::new(bits(OPCODE_REFUSAL)),
            sack: Default::default(),
            nak: Default::default(),
            qp: Default::default(),
            qp_valid: Default::default(),
            live: Default::default(),
            epoch: Default::default(),
            psn: Default::default(),
            tsn: Default::default(),
            cum: Default::default(),
            echo: Default::default(),
            stage: Default::default(),
            stage_plane: Default::default(),
            stage_valid: Default::default(),
            s0_path: Default::default(),
            connection: Default::default(),
            path: Default::default(),
            known: Default::default(),
            is_open: Default::default(),
            alive: Default::default(),
            true_ack: Default::default(),
            old_ack: Default::default(),
            echo_before_next: Default::default(),
            ahead: Default::default(),
            echo_step: Default::default(),
            cum_step: Default::default(),
        }
    }
}

impl<const CA: usize, const GA: usize, const C: usize, const W: usize> Logic
    for AckEngine<CA, GA, C, W>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, stage, stage_plane, stage_valid);
        self.qp.clock.next = self.clock.val();
        self.qp_valid.clock.next = self.clock.val();
        self.live.clock.next = self.clock.val();
        self.epoch.clock.next = self.clock.val();
        self.psn.clock.next = self.clock.val();
        self.tsn.clock.next = self.clock.val();
        self.cum.clock.next = self.clock.val();
        self.echo.clock.next = self.clock.val();

        self.qp.write_enable.next = self.connection_valid.val();
        self.qp.write_address.next = bit_cast::<CA, 12>(self.connection_index.val());
        self.qp.write_data.next = self.connection_entry.val().local_qp;
        self.qp_valid.write_enable.next = self.connection_valid.val();
        self.qp_valid.write_address.next = bit_cast::<CA, 12>(self.connection_index.val());
        self.qp_valid.write_data.next = self.connection_entry.val().live;
        self.live.write_enable.next = self.path_write.val().valid;
        self.live.write_address.next = bit_cast::<GA, 16>(self.path_write.val().path);
        self.live.write_data.next = self.path_write.val().live;
        self.epoch.write_enable.next = self.path_write.val().valid;
        self.epoch.write_address.next = bit_cast::<GA, 16>(self.path_write.val().path);
        self.epoch.write_data.next = self.path_write.val().epoch;
        self.psn.write_enable.next = self.transmit.val().valid;
        self.psn.write_address.next = bit_cast::<GA, 16>(self.transmit.val().path);
        self.psn.write_data.next = self.transmit.val().next_psn;
        self.tsn.write_enable.next = self.transmit.val().valid;
        self.tsn.write_address.next = bit_cast::<GA, 16>(self.transmit.val().path);
        self.tsn.write_data.next = self.transmit.val().next_tsn;
        self.cum.write_enable.next = self.snapshot.val().valid;
        self.cum.write_address.next = bit_cast::<GA, 16>(self.snapshot.val().path);
        self.cum.write_data.next = self.snapshot.val().cum;
        self.echo.write_enable.next = self.snapshot.val().valid;
        self.echo.write_address.next = bit_cast::<GA, 16>(self.snapshot.val().path);
        self.echo.write_data.next = self.snapshot.val().echo;

        // S0.
        self.frame_ready.next = !self.hold.val();
        self.stage_valid.d.next = self.frame_valid.val() & !self.hold.val();
        self.stage.d.next = self.frame.val();
        self.stage_plane.d.next = self.frame_plane.val();
        self.s0_path.next = (bit_cast::<GA, 24>(self.frame.val().dest_qp) << self.path_bits.val())
            | bit_cast::<GA, 8>(self.frame.val().path & !self.extra_path.val());
        self.qp.read_address.next = bit_cast::<CA, 24>(self.frame.val().dest_qp);
        self.qp_valid.read_address.next = bit_cast::<CA, 24>(self.frame.val().dest_qp);
        self.live.read_address.next = self.s0_path.val();
        self.epoch.read_address.next = self.s0_path.val();
        self.psn.read_address.next = self.s0_path.val();
        self.tsn.read_address.next = self.s0_path.val();
        self.cum.read_address.next = self.s0_path.val();
        self.echo.read_address.next = self.s0_path.val();

        // S1: whose it is.
        self.sack.bits.next = self.stage.q.val().tail;
        self.nak.bits.next = self.stage.q.val().tail;
        self.connection.next = bit_cast::<CA, 24>(self.stage.q.val().dest_qp);
        self.path.next = (bit_cast::<GA, 24>(self.stage.q.val().dest_qp) << self.path_bits.val())
            | bit_cast::<GA, 8>(self.stage.q.val().path & !self.extra_path.val());
        self.known.next = self.qp_valid.read_data.val()
            & (self.qp.read_data.val() == self.stage.q.val().dest_qp)
            & ((self.stage.q.val().path & self.extra_path.val()) == bits::<8>(0))
            & self.live.read_data.val();
        self.is_open.next = self.epoch.read_data.val() == self.stage.q.val().epoch;
        self.alive.next = !self.failed.val().get_bit(self.connection.val().index());

        // S1: whether an ACK can be true, and is news. A number is before another if their difference is negative.
        self.echo_before_next.next = self.stage.q.val().tsn - self.tsn.read_data.val();
        self.ahead.next = self.psn.read_data.val() - self.stage.q.val().psn;
        self.echo_step.next = self.stage.q.val().tsn - self.echo.read_data.val();
        self.cum_step.next = self.stage.q.val().psn - self.cum.read_data.val();
        self.true_ack.next =
            self.echo_before_next.val().get_bit(23) & (self.ahead.val() <= self.window.val());
        self.old_ack.next = self.echo_step.val().get_bit(23) | self.cum_step.val().get_bit(23);

        // S1: the verdict.
        self.unknown_connection.next = false;
        self.closed_epoch.next = false;
        self.on_failed.next = false;
        self.refused.next = false;
        self.invalid.next = false;
        self.stale.next = false;
        self.applied.next = false;
        if self.stage_valid.q.val() {
            if !self.known.val() {
                self.unknown_connection.next = true;
            } else if !self.is_open.val() {
                self.closed_epoch.next = true;
            } else if !self.alive.val() {
                self.on_failed.next = true;
            } else if self.stage.q.val().opcode == self.refusal.val() {
                self.refused.next = true;
            } else if !self.true_ack.val() {
                self.invalid.next = true;
            } else if self.old_ack.val() {
                self.stale.next = true;
            } else {
                self.applied.next = true;
            }
        }
        self.refused_connection.next = self.connection.val();
        self.refused_reason.next = self.nak.reason.val();
        self.refused_stream.next = self.nak.stream.val();
        self.refused_message.next = self.nak.message.val();

        self.snapshot.next.valid = self.applied.val();
        self.snapshot.next.path = bit_cast::<16, GA>(self.path.val());
        self.snapshot.next.cum = self.stage.q.val().psn;
        self.snapshot.next.echo = self.stage.q.val().tsn;
        self.snapshot.next.last_ack = self.now.val();
        self.bitvector.next = bit_cast::<W, 256>(self.sack.bitvector.val());
        if self.path_write.val().valid {
            self.snapshot.next.valid = true;
            self.snapshot.next.path = self.path_write.val().path;
            self.snapshot.next.cum = self.path_write.val().first_psn;
            self.snapshot.next.echo = (self.path_write.val().first_tsn - 1) & self.tsn_mask.val();
            self.bitvector.next = bits::<W>(0);
            if self
                .path_write
                .val()
                .first_psn
                .get_bit(self.lap_bit.val().index())
            {
                self.bitvector.next = !bits::<W>(0);
            }
        }

        self.busy.next = self.stage_valid.q.val();
        self.plane.next = self.stage_plane.q.val();
        if self.reset.val() {
            self.stage_valid.d.next = false;
        }
    }
}
