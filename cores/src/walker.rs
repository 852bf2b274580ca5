//! The background walk that finds quiet paths.
use crate::path_table::PathTable;
use crate::prim::Dff;
use crate::probe_judge::ProbeJudge;
use crate::transmit_path::{PathWrite, ResolvedWrite, SnapshotWrite, TransmitWrite};
use rust_hdl::prelude::*;

/// Looks at one global path a cycle, round and round, and says whether it wants a probe.
///
/// S0 presents the path, S1 (the next cycle) answers with the records of all writes before S1's own. `GA`: bits of a
/// global path number.
#[derive(LogicBlock, Default)]
pub struct Walker<const GA: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// No path enters S0.
    pub hold: Signal<In, Bit>,
    /// The clock of all time stamps.
    pub now: Signal<In, Bits<32>>,
    /// The NIC has nothing new to send.
    pub idle: Signal<In, Bit>,
    /// RTO, ticks.
    pub rto: Signal<In, Bits<32>>,
    /// MAX_RETRIES.
    pub max_retries: Signal<In, Bits<4>>,
    /// The transmit engine's writes.
    pub transmit: Signal<In, TransmitWrite>,
    /// The ACK engine's.
    pub snapshot: Signal<In, SnapshotWrite>,
    /// The resolver's.
    pub resolved: Signal<In, ResolvedWrite>,
    /// Configuration.
    pub path_write: Signal<In, PathWrite>,
    /// S1: a path is looked at.
    pub valid: Signal<Out, Bit>,
    /// S1: which.
    pub path: Signal<Out, Bits<16>>,
    /// S1: its plane.
    pub plane: Signal<Out, Bits<3>>,
    /// S1: its next PSN.
    pub next_psn: Signal<Out, Bits<24>>,
    /// S1: its next TSN.
    pub next_tsn: Signal<Out, Bits<24>>,
    /// S1: the time of its last ACK.
    pub last_ack: Signal<Out, Bits<32>>,
    /// S1: it wants a tail probe.
    pub tail: Signal<Out, Bit>,
    /// S1: it wants a time-out probe.
    pub timeout: Signal<Out, Bit>,
    /// S1: it gives up.
    pub give_up: Signal<Out, Bit>,
    /// S1: its retries after a time-out probe.
    pub retries_next: Signal<Out, Bits<4>>,
    judge: ProbeJudge,
    place: Dff<Bits<GA>>,
    seen: Dff<Bits<GA>>,
    looking: Dff<Bit>,
    psn: PathTable<Bits<24>, GA>,
    tsn: PathTable<Bits<24>, GA>,
    sent: PathTable<Bits<32>, GA>,
    was_probe: PathTable<Bit, GA>,
    retries: PathTable<Bits<4>, GA>,
    retries_at: PathTable<Bits<32>, GA>,
    heard: PathTable<Bits<32>, GA>,
    first: PathTable<Bits<8>, GA>,
    live: PathTable<Bit, GA>,
    carrier: PathTable<Bits<3>, GA>,
}

impl<const GA: usize> Logic for Walker<GA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, place, seen, looking);
        self.psn.clock.next = self.clock.val();
        self.tsn.clock.next = self.clock.val();
        self.sent.clock.next = self.clock.val();
        self.was_probe.clock.next = self.clock.val();
        self.retries.clock.next = self.clock.val();
        self.retries_at.clock.next = self.clock.val();
        self.heard.clock.next = self.clock.val();
        self.first.clock.next = self.clock.val();
        self.live.clock.next = self.clock.val();
        self.carrier.clock.next = self.clock.val();

        // Every table's writer.
        self.psn.write_enable.next = self.transmit.val().valid;
        self.psn.write_address.next = bit_cast::<GA, 16>(self.transmit.val().path);
        self.psn.write_data.next = self.transmit.val().next_psn;
        self.tsn.write_enable.next = self.transmit.val().valid;
        self.tsn.write_address.next = bit_cast::<GA, 16>(self.transmit.val().path);
        self.tsn.write_data.next = self.transmit.val().next_tsn;
        self.sent.write_enable.next = self.transmit.val().valid;
        self.sent.write_address.next = bit_cast::<GA, 16>(self.transmit.val().path);
        self.sent.write_data.next = self.transmit.val().last_tx;
        self.was_probe.write_enable.next = self.transmit.val().valid;
        self.was_probe.write_address.next = bit_cast::<GA, 16>(self.transmit.val().path);
        self.was_probe.write_data.next = self.transmit.val().last_was_probe;
        self.retries.write_enable.next = self.transmit.val().retries_valid;
        self.retries.write_address.next = bit_cast::<GA, 16>(self.transmit.val().path);
        self.retries.write_data.next = self.transmit.val().retries;
        self.retries_at.write_enable.next = self.transmit.val().retries_valid;
        self.retries_at.write_address.next = bit_cast::<GA, 16>(self.transmit.val().path);
        self.retries_at.write_data.next = self.transmit.val().retries_at;
        self.heard.write_enable.next = self.snapshot.val().valid;
        self.heard.write_address.next = bit_cast::<GA, 16>(self.snapshot.val().path);
        self.heard.write_data.next = self.snapshot.val().last_ack;
        self.first.write_enable.next = self.resolved.val().valid;
        self.first.write_address.next = bit_cast::<GA, 16>(self.resolved.val().path);
        self.first.write_data.next = bit_cast::<8, 24>(self.resolved.val().resolved);
        self.live.write_enable.next = self.path_write.val().valid;
        self.live.write_address.next = bit_cast::<GA, 16>(self.path_write.val().path);
        self.live.write_data.next = self.path_write.val().live;
        self.carrier.write_enable.next = self.path_write.val().valid;
        self.carrier.write_address.next = bit_cast::<GA, 16>(self.path_write.val().path);
        self.carrier.write_data.next = self.path_write.val().plane;

        // S0.
        self.psn.read_address.next = self.place.q.val();
        self.tsn.read_address.next = self.place.q.val();
        self.sent.read_address.next = self.place.q.val();
        self.was_probe.read_address.next = self.place.q.val();
        self.retries.read_address.next = self.place.q.val();
        self.retries_at.read_address.next = self.place.q.val();
        self.heard.read_address.next = self.place.q.val();
        self.first.read_address.next = self.place.q.val();
        self.live.read_address.next = self.place.q.val();
        self.carrier.read_address.next = self.place.q.val();
        self.seen.d.next = self.place.q.val();
        self.looking.d.next = !self.hold.val();
        if !self.hold.val() {
            self.place.d.next = self.place.q.val() + 1;
        }

        // S1.
        self.judge.now.next = self.now.val();
        self.judge.last_tx.next = self.sent.read_data.val();
        self.judge.last_ack.next = self.heard.read_data.val();
        self.judge.last_was_probe.next = self.was_probe.read_data.val();
        self.judge.retries.next = self.retries.read_data.val();
        self.judge.retries_at.next = self.retries_at.read_data.val();
        self.judge.unresolved.next =
            bit_cast::<8, 24>(self.tsn.read_data.val()) - self.first.read_data.val();
        self.judge.idle.next = self.idle.val();
        self.judge.rto.next = self.rto.val();
        self.judge.max_retries.next = self.max_retries.val();
        self.valid.next = self.looking.q.val() & self.live.read_data.val();
        self.path.next = bit_cast::<16, GA>(self.seen.q.val());
        self.plane.next = self.carrier.read_data.val();
        self.next_psn.next = self.psn.read_data.val();
        self.next_tsn.next = self.tsn.read_data.val();
        self.last_ack.next = self.heard.read_data.val();
        self.tail.next = self.judge.tail.val();
        self.timeout.next = self.judge.timeout.val();
        self.give_up.next = self.judge.give_up.val();
        self.retries_next.next = self.judge.retries_next.val();

        if self.reset.val() {
            self.place.d.next = bits::<GA>(0);
            self.looking.d.next = false;
        }
    }
}
