//! The resolver: the fate of each transmission that an acknowledgement echoes.
use crate::arrival::Arrival;
use crate::failed_connections::FailedConnections;
use crate::forwarded_table::ForwardedTable;
use crate::narrow::Narrowing;
use crate::prim::{Dff, RamSdp};
use crate::resolve_queue::ResolveQueue;
use crate::transmit_path::{
    FailureWrite, LostPacket, PathWrite, ResolvedWrite, RingEntry, SnapshotWrite, Transmission,
};
use rust_hdl::prelude::*;

/// The resolver (docs/protocol.md, "Resolving").
///
/// Takes a path whose snapshot changed, and walks its TSNs up to the echo, one a cycle: S0 presents the TSN, S1 has what
/// was sent, S2 its number in its message; S2 and S3 compare it with the snapshot as it will be at S4, and S4 commits. Meanwhile the next path's records are
/// read, which takes three cycles, and its walk follows without a gap; only if it is a path that is still in a stage it
/// waits until that has left. After `hold` the records are read anew. `CA`, `GA` address bits of connections and of
/// paths; `W` window, `IW` = log2 W; `TA` = GA + 8, `FA` = GA + IW.
#[derive(LogicBlock)]
pub struct Resolver<
    const CA: usize,
    const GA: usize,
    const W: usize,
    const IW: usize,
    const TA: usize,
    const FA: usize,
> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Nothing enters S0.
    pub hold: Signal<In, Bit>,
    /// Transmissions of failed connections are not resolved.
    pub failure: Signal<In, FailureWrite>,
    /// What the transmit engine sends.
    pub transmission: Signal<In, Transmission>,
    /// What the ring is to say of its PSN.
    pub ring_psn: Signal<In, Bits<10>>,
    /// It does.
    pub transmission_valid: Signal<In, Bit>,
    /// The ACK engine's writes.
    pub snapshot: Signal<In, SnapshotWrite>,
    /// Their bitvectors.
    pub bitvector: Signal<In, Bits<W>>,
    /// What the next cycle's may carry: bitvector,
    pub coming: Signal<In, Bits<W>>,
    /// and cumulative PSN.
    pub coming_cum: Signal<In, Bits<24>>,
    /// An ACK did it.
    pub applied: Signal<In, Bit>,
    /// Configuration of a path.
    pub path_write: Signal<In, PathWrite>,
    /// The retransmit queues take five more.
    pub lost_room: Signal<In, Bit>,
    /// S4: one more TSN is resolved.
    pub resolved: Signal<Out, ResolvedWrite>,
    /// S4: its packet is delivered.
    pub delivered_valid: Signal<Out, Bit>,
    /// S2: whose transmission comes to S4 two cycles later.
    pub owner2: Signal<Out, Bits<CA>>,
    /// S4: whose.
    pub owner4: Signal<Out, Bits<CA>>,
    /// S4: its message's slot.
    pub delivered_slot: Signal<Out, Bits<5>>,
    /// S4: its packet is lost.
    pub lost_valid: Signal<Out, Bit>,
    /// S4: which packet.
    pub lost: Signal<Out, LostPacket>,
    /// S4: its plane.
    pub lost_plane: Signal<Out, Bits<3>>,
    /// Something is in S1 to S4.
    pub busy: Signal<Out, Bit>,
    /// S4: a commit.
    pub trace_valid: Signal<Out, Bit>,
    /// S4: its TSN.
    pub trace_tsn: Signal<Out, Bits<24>>,
    path_bits: Constant<Bits<4>>,
    ring_bits: Constant<Bits<4>>,
    queue: ResolveQueue<GA>,
    window_bits: Constant<Bits<4>>,
    ring: RamSdp<RingEntry, TA>,
    in_flight: RamSdp<Bits<24>, FA>,
    bits_received: ForwardedTable<Bits<W>, GA>,
    cum: ForwardedTable<Bits<24>, GA>,
    echo: ForwardedTable<Bits<24>, GA>,
    first: ForwardedTable<Bits<24>, GA>,
    carrier: RamSdp<Bits<3>, GA>,
    next: Dff<Bits<GA>>,
    have_next: Dff<Bit>,
    read_age: Dff<Bits<2>>,
    clear: Dff<Bit>,
    walking: Dff<Bit>,
    stale: Dff<Bit>,
    path: Dff<Bits<GA>>,
    plane: Dff<Bits<3>>,
    tsn: Dff<Bits<24>>,
    target: Dff<Bits<24>>,
    failures: FailedConnections<CA>,
    failures4: FailedConnections<CA>,
    goes_on: Signal<Local, Bit>,
    stage1: Dff<Bit>,
    stage2: Dff<Bit>,
    stage3: Dff<Bit>,
    stage4: Dff<Bit>,
    path1: Dff<Bits<GA>>,
    path2: Dff<Bits<GA>>,
    path3: Dff<Bits<GA>>,
    path4: Dff<Bits<GA>>,
    plane1: Dff<Bits<3>>,
    plane2: Dff<Bits<3>>,
    plane3: Dff<Bits<3>>,
    plane4: Dff<Bits<3>>,
    tsn1: Dff<Bits<24>>,
    tsn2: Dff<Bits<24>>,
    tsn3: Dff<Bits<24>>,
    tsn4: Dff<Bits<24>>,
    sent2: Dff<RingEntry>,
    sent3: Dff<RingEntry>,
    sent4: Dff<RingEntry>,
    index3: Dff<Bits<24>>,
    index4: Dff<Bits<24>>,
    cum3: Dff<Bits<24>>,
    ahead3: Dff<Bits<10>>,
    psn4: Dff<Bits<24>>,
    arrival: Arrival<GA, W, IW>,
    alive: Dff<Bit>,
    address: Signal<Local, Bits<GA>>,
    records: Signal<Local, Bit>,
    issues: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    commit: Signal<Local, Bit>,
    distance: Signal<Local, Bits<24>>,
    tsn_mask: Constant<Bits<24>>,
    psn_mask: Constant<Bits<24>>,
    used_packets: Constant<Bits<24>>,
    used_slots: Constant<Bits<5>>,
}

impl<
    const CA: usize,
    const GA: usize,
    const W: usize,
    const IW: usize,
    const TA: usize,
    const FA: usize,
> Resolver<CA, GA, W, IW, TA, FA>
{
    /// A resolver of this size.
    pub fn new(narrowing: &Narrowing) -> Self {
        assert!(
            GA > CA && W == 1 << IW && TA == GA + 8 && FA == GA + IW,
            "index widths"
        );
        Self {
            clock: Default::default(),
            reset: Default::default(),
            hold: Default::default(),
            failure: Default::default(),
            transmission: Default::default(),
            ring_psn: Default::default(),
            transmission_valid: Default::default(),
            snapshot: Default::default(),
            bitvector: Default::default(),
            coming: Default::default(),
            coming_cum: Default::default(),
            applied: Default::default(),
            path_write: Default::default(),
            lost_room: Default::default(),
            resolved: Default::default(),
            delivered_valid: Default::default(),
            owner2: Default::default(),
            owner4: Default::default(),
            delivered_slot: Default::default(),
            lost_valid: Default::default(),
            lost: Default::default(),
            lost_plane: Default::default(),
            busy: Default::default(),
            trace_valid: Default::default(),
            trace_tsn: Default::default(),
            path_bits: Constant::new(bits((GA - CA) as u64)),
            ring_bits: Constant::new(bits(8)),
            queue: Default::default(),
            window_bits: Constant::new(bits(IW as u64)),
            ring: Default::default(),
            in_flight: Default::default(),
            bits_received: Default::default(),
            cum: Default::default(),
            echo: Default::default(),
            first: Default::default(),
            carrier: Default::default(),
            next: Default::default(),
            have_next: Default::default(),
            read_age: Default::default(),
            clear: Default::default(),
            walking: Default::default(),
            stale: Default::default(),
            path: Default::default(),
            plane: Default::default(),
            tsn: Default::default(),
            target: Default::default(),
            failures: Default::default(),
            failures4: Default::default(),
            goes_on: Default::default(),
            stage1: Default::default(),
            stage2: Default::default(),
            stage3: Default::default(),
            stage4: Default::default(),
            path1: Default::default(),
            path2: Default::default(),
            path3: Default::default(),
            path4: Default::default(),
            plane1: Default::default(),
            plane2: Default::default(),
            plane3: Default::default(),
            plane4: Default::default(),
            tsn1: Default::default(),
            tsn2: Default::default(),
            tsn3: Default::default(),
            tsn4: Default::default(),
            sent2: Default::default(),
            sent3: Default::default(),
            sent4: Default::default(),
            index3: Default::default(),
            index4: Default::default(),
            cum3: Default::default(),
            ahead3: Default::default(),
            psn4: Default::default(),
            arrival: Default::default(),
            alive: Default::default(),
            address: Default::default(),
            records: Default::default(),
            issues: Default::default(),
            ends: Default::default(),
            commit: Default::default(),
            distance: Default::default(),
            tsn_mask: Constant::new(Narrowing::low(narrowing.tsn_bits)),
            psn_mask: Constant::new(Narrowing::low(narrowing.psn_bits)),
            used_packets: Constant::new(Narrowing::low(narrowing.packet_bits)),
            used_slots: Constant::new(bits(narrowing.slots())),
        }
    }
}

impl<
    const CA: usize,
    const GA: usize,
    const W: usize,
    const IW: usize,
    const TA: usize,
    const FA: usize,
> Logic for Resolver<CA, GA, W, IW, TA, FA>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, next, have_next, read_age, clear, walking, stale, path, plane, tsn,
            target, stage1, stage2, stage3, stage4, path1, path2, path3, path4, plane1, plane2,
            plane3, plane4, tsn1, tsn2, tsn3, tsn4, sent2, sent3, sent4, index3, index4, cum3,
            ahead3, psn4, alive
        );
        self.queue.clock.next = self.clock.val();
        self.queue.reset.next = self.reset.val();
        self.ring.clock.next = self.clock.val();
        self.in_flight.clock.next = self.clock.val();
        self.bits_received.clock.next = self.clock.val();
        self.cum.clock.next = self.clock.val();
        self.echo.clock.next = self.clock.val();
        self.first.clock.next = self.clock.val();
        self.carrier.clock.next = self.clock.val();

        self.queue.push.next = self.applied.val();
        self.queue.path.next = bit_cast::<GA, 16>(self.snapshot.val().path);
        self.ring.write_enable.next = self.transmission_valid.val();
        self.ring.write_address.next = (bit_cast::<TA, 16>(self.transmission.val().path)
            << self.ring_bits.val())
            | bit_cast::<TA, 8>(bit_cast::<8, 24>(self.transmission.val().tsn));
        self.ring.write_data.next.psn = self.ring_psn.val();
        self.ring.write_data.next.slot = self.transmission.val().slot;
        self.ring.write_data.next.probe = self.transmission.val().probe;
        self.in_flight.write_enable.next = self.transmission_valid.val()
            & !self.transmission.val().again
            & !self.transmission.val().probe;
        self.in_flight.write_address.next = (bit_cast::<FA, 16>(self.transmission.val().path)
            << self.window_bits.val())
            | bit_cast::<FA, IW>(bit_cast::<IW, 24>(self.transmission.val().psn));
        self.in_flight.write_data.next = self.transmission.val().packet;
        self.bits_received.write_enable.next = self.snapshot.val().valid;
        self.bits_received.write_address.next = bit_cast::<GA, 16>(self.snapshot.val().path);
        self.bits_received.write_data.next = self.bitvector.val();
        self.cum.write_enable.next = self.snapshot.val().valid;
        self.cum.write_address.next = bit_cast::<GA, 16>(self.snapshot.val().path);
        self.cum.write_data.next = self.snapshot.val().cum;
        self.echo.write_enable.next = self.snapshot.val().valid;
        self.echo.write_address.next = bit_cast::<GA, 16>(self.snapshot.val().path);
        self.echo.write_data.next = self.snapshot.val().echo;
        self.first.write_enable.next = self.resolved.val().valid;
        self.first.write_address.next = bit_cast::<GA, 16>(self.resolved.val().path);
        self.first.write_data.next = self.resolved.val().resolved;
        self.carrier.write_enable.next = self.path_write.val().valid;
        self.carrier.write_address.next = bit_cast::<GA, 16>(self.path_write.val().path);
        self.carrier.write_data.next = self.path_write.val().plane;

        // The next path.
        self.queue.pop.next = false;
        if !self.have_next.q.val() & self.queue.valid.val() & !self.hold.val() {
            self.queue.pop.next = true;
            self.next.d.next = self.queue.head.val();
            self.have_next.d.next = true;
        }
        // It is in no stage, nor being walked.
        self.clear.d.next = !(self.walking.q.val() & (self.path.q.val() == self.next.q.val()))
            & !(self.stage1.q.val() & (self.path1.q.val() == self.next.q.val()))
            & !(self.stage2.q.val() & (self.path2.q.val() == self.next.q.val()))
            & !(self.stage3.q.val() & (self.path3.q.val() == self.next.q.val()))
            & !(self.stage4.q.val() & (self.path4.q.val() == self.next.q.val()));

        // S0.
        self.failures.clock.next = self.clock.val();
        self.failures.write.next = self.failure.val();
        self.goes_on.next = !self.failures.failed.val();
        self.issues.next = self.walking.q.val()
            & !self.stale.q.val()
            & self.goes_on.val()
            & !self.hold.val()
            & self.lost_room.val();
        self.ends.next = self.issues.val() & (self.tsn.q.val() == self.target.q.val());
        self.stage1.d.next = self.issues.val();
        self.path1.d.next = self.path.q.val();
        self.plane1.d.next = self.plane.q.val();
        self.tsn1.d.next = self.tsn.q.val();
        if self.issues.val() {
            self.tsn.d.next = (self.tsn.q.val() + 1) & self.tsn_mask.val();
        }
        if self.ends.val() | (self.walking.q.val() & !self.goes_on.val()) {
            self.walking.d.next = false;
            self.stale.d.next = false;
        }

        // Records of the path under way, if they are to be read anew, or of the next one.
        self.address.next = self.next.q.val();
        if self.stale.q.val() {
            self.address.next = self.path.q.val();
        }
        self.records.next = self.read_age.q.val() == bits::<2>(2);
        if (self.stale.q.val() | self.have_next.q.val()) & !self.records.val() {
            self.read_age.d.next = self.read_age.q.val() + 1;
        }
        if self.stale.q.val() & !self.goes_on.val() {
            self.read_age.d.next = bits::<2>(0);
        }
        self.distance.next = self.echo.read_data.val() - self.first.read_data.val();
        if self.records.val() & self.stale.q.val() {
            self.read_age.d.next = bits::<2>(0);
            self.plane.d.next = self.carrier.read_data.val();
            self.tsn.d.next = self.first.read_data.val();
            self.target.d.next = self.echo.read_data.val();
            self.walking.d.next = !self.distance.val().get_bit(23);
            self.stale.d.next = false;
        } else if self.records.val()
            & self.clear.q.val()
            & (self.ends.val() | !self.walking.q.val() | !self.goes_on.val())
        {
            self.read_age.d.next = bits::<2>(0);
            self.have_next.d.next = false;
            self.path.d.next = self.next.q.val();
            self.plane.d.next = self.carrier.read_data.val();
            self.tsn.d.next = self.first.read_data.val();
            self.target.d.next = self.echo.read_data.val();
            self.walking.d.next = !self.distance.val().get_bit(23);
        }
        if self.hold.val() {
            self.read_age.d.next = bits::<2>(0);
            self.have_next.d.next = self.have_next.q.val();
            self.path.d.next = self.path.q.val();
            self.walking.d.next = self.walking.q.val();
            self.stale.d.next = self.walking.q.val();
        }
        self.failures.connection.next =
            bit_cast::<CA, GA>(self.path.d.val() >> self.path_bits.val());
        self.ring.read_address.next = (bit_cast::<TA, GA>(self.path.q.val())
            << self.ring_bits.val())
            | bit_cast::<TA, 8>(bit_cast::<8, 24>(self.tsn.q.val()));
        self.bits_received.read_address.next = self.path.q.val();
        self.cum.read_address.next = self.path.q.val();
        self.echo.read_address.next = self.address.val();
        self.first.read_address.next = self.address.val();
        self.carrier.read_address.next = self.address.val();

        // S1.
        self.stage2.d.next = self.stage1.q.val();
        self.path2.d.next = self.path1.q.val();
        self.plane2.d.next = self.plane1.q.val();
        self.tsn2.d.next = self.tsn1.q.val();
        self.sent2.d.next = self.ring.read_data.val();
        self.in_flight.read_address.next = (bit_cast::<FA, GA>(self.path1.q.val())
            << self.window_bits.val())
            | bit_cast::<FA, IW>(bit_cast::<IW, 10>(self.ring.read_data.val().psn));

        // S2 and S3: against the snapshot as it is at S4.
        self.arrival.clock.next = self.clock.val();
        self.arrival.psn.next = self.sent2.q.val().psn;
        self.arrival.path.next = self.path2.q.val();
        self.arrival.received.next = self.bits_received.read_data.val();
        self.arrival.cum.next = bit_cast::<10, 24>(self.cum.read_data.val());
        self.arrival.snapshot.next = self.snapshot.val();
        self.arrival.bitvector.next = self.bitvector.val();
        self.arrival.coming.next = self.coming.val();
        self.arrival.coming_cum.next = bit_cast::<10, 24>(self.coming_cum.val());
        self.stage3.d.next = self.stage2.q.val();
        self.path3.d.next = self.path2.q.val();
        self.plane3.d.next = self.plane2.q.val();
        self.tsn3.d.next = self.tsn2.q.val();
        self.sent3.d.next = self.sent2.q.val();
        self.index3.d.next = self.in_flight.read_data.val() & self.used_packets.val();
        // A lost packet is at or after `cum`, and within a window of it.
        self.cum3.d.next = self.cum.read_data.val();
        self.ahead3.d.next = self.sent2.q.val().psn - bit_cast::<10, 24>(self.cum.read_data.val());
        self.failures4.clock.next = self.clock.val();
        self.failures4.write.next = self.failure.val();
        self.failures4.connection.next =
            bit_cast::<CA, GA>(self.path2.q.val() >> self.path_bits.val());

        // S3: a connection that fails now has failed at S4.
        self.stage4.d.next = self.stage3.q.val();
        self.path4.d.next = self.path3.q.val();
        self.plane4.d.next = self.plane3.q.val();
        self.tsn4.d.next = self.tsn3.q.val();
        self.sent4.d.next = self.sent3.q.val();
        self.index4.d.next = self.index3.q.val();
        self.psn4.d.next =
            (self.cum3.q.val() + bit_cast::<24, 10>(self.ahead3.q.val())) & self.psn_mask.val();
        self.alive.d.next = !self.failures4.fails.val();

        // S4.
        self.commit.next = self.stage4.q.val() & self.alive.q.val();
        self.delivered_valid.next =
            self.commit.val() & !self.sent4.q.val().probe & self.arrival.arrived.val();
        self.owner2.next = bit_cast::<CA, GA>(self.path2.q.val() >> self.path_bits.val());
        self.owner4.next = bit_cast::<CA, GA>(self.path4.q.val() >> self.path_bits.val());
        self.delivered_slot.next = self.sent4.q.val().slot & self.used_slots.val();
        self.lost_valid.next =
            self.commit.val() & !self.sent4.q.val().probe & !self.arrival.arrived.val();
        self.lost.next.path = bit_cast::<16, GA>(self.path4.q.val());
        self.lost.next.psn = self.psn4.q.val();
        self.lost.next.index = self.index4.q.val();
        self.lost.next.slot = self.delivered_slot.val();
        self.lost_plane.next = self.plane4.q.val();
        self.resolved.next.valid = self.commit.val();
        self.resolved.next.path = bit_cast::<16, GA>(self.path4.q.val());
        self.resolved.next.resolved = (self.tsn4.q.val() + 1) & self.tsn_mask.val();
        if self.path_write.val().valid {
            self.resolved.next.valid = true;
            self.resolved.next.path = self.path_write.val().path;
            self.resolved.next.resolved = self.path_write.val().first_tsn;
        }
        self.busy.next = self.queue.busy.val()
            | self.stage1.q.val()
            | self.stage2.q.val()
            | self.stage3.q.val()
            | self.stage4.q.val();
        self.trace_valid.next = self.commit.val();
        self.trace_tsn.next = self.tsn4.q.val();

        if self.reset.val() {
            self.have_next.d.next = false;
            self.walking.d.next = false;
            self.stale.d.next = false;
            self.read_age.d.next = bits::<2>(0);
            self.stage1.d.next = false;
            self.stage2.d.next = false;
            self.stage3.d.next = false;
            self.stage4.d.next = false;
        }
    }
}
