//! The resolver: the fate of each transmission that an acknowledgement echoes.
use crate::forwarded_table::ForwardedTable;
use crate::narrow::Narrowing;
use crate::prim::{Dff, RamSdp};
use crate::resolve_queue::ResolveQueue;
use crate::transmit_path::{
    LostPacket, Numbers, PathWrite, ResolvedWrite, RingEntry, SnapshotWrite, Transmission,
};
use rust_hdl::prelude::*;

/// Where the resolver stands.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum ResolverState {
    /// Waits for a path.
    Idle,
    /// Presents its path.
    Present,
    /// The path's tables are on their way.
    Wait,
    /// Has the path's records.
    Load,
    /// Presents a TSN each cycle.
    Walk,
}

/// The resolver (docs/protocol.md, "Resolving").
///
/// Takes a path whose snapshot changed, and walks its TSNs up to the echo, one a cycle: S0 presents the TSN, S1 has what
/// was sent, S2 compares it with the snapshot as it will be at S3, and S3 commits. Four cycles pass between two paths:
/// so the records of the next are read after the last commit of the one before, which may be the same. After `hold` they
/// are read anew. `CA`, `GA` address bits of connections and of paths; `C` = 2^CA, `F` = 2^GA; `W` window, `IW` = log2
/// W; `TA` = GA + 8.
#[derive(LogicBlock)]
pub struct Resolver<
    const CA: usize,
    const GA: usize,
    const C: usize,
    const F: usize,
    const W: usize,
    const IW: usize,
    const TA: usize,
> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Nothing enters S0.
    pub hold: Signal<In, Bit>,
    /// Failed connections: their transmissions are not resolved.
    pub failed: Signal<In, Bits<C>>,
    /// A REFUSAL fails a connection: from the next cycle on.
    pub refused: Signal<In, Bit>,
    /// Which.
    pub refused_connection: Signal<In, Bits<CA>>,
    /// A connection gives up: it has failed from the next cycle on.
    pub give_up: Signal<In, Bit>,
    /// Which.
    pub give_up_connection: Signal<In, Bits<CA>>,
    /// What the transmit engine sends.
    pub transmission: Signal<In, Transmission>,
    /// It does.
    pub transmission_valid: Signal<In, Bit>,
    /// The ACK engine's writes.
    pub snapshot: Signal<In, SnapshotWrite>,
    /// Their bitvectors.
    pub bitvector: Signal<In, Bits<W>>,
    /// An ACK did it.
    pub applied: Signal<In, Bit>,
    /// Configuration of a path.
    pub path_write: Signal<In, PathWrite>,
    /// The retransmit queues take four more.
    pub lost_room: Signal<In, Bit>,
    /// S3: one more TSN is resolved.
    pub resolved: Signal<Out, ResolvedWrite>,
    /// S3: its packet is delivered.
    pub delivered_valid: Signal<Out, Bit>,
    /// S3: its message's slot.
    pub delivered_slot: Signal<Out, Bits<4>>,
    /// S3: its packet is lost.
    pub lost_valid: Signal<Out, Bit>,
    /// S3: which packet.
    pub lost: Signal<Out, LostPacket>,
    /// S3: its plane.
    pub lost_plane: Signal<Out, Bits<3>>,
    /// Something is in S1 to S3.
    pub busy: Signal<Out, Bit>,
    /// S3: a commit.
    pub trace_valid: Signal<Out, Bit>,
    /// S3: its TSN.
    pub trace_tsn: Signal<Out, Bits<24>>,
    lap_bit: Constant<Bits<4>>,
    path_bits: Constant<Bits<4>>,
    ring_bits: Constant<Bits<4>>,
    queue: ResolveQueue<GA, F>,
    ring: RamSdp<RingEntry, TA>,
    bits_received: ForwardedTable<Bits<W>, GA>,
    acked: ForwardedTable<Numbers, GA>,
    first: ForwardedTable<Bits<24>, GA>,
    carrier: RamSdp<Bits<3>, GA>,
    state: Dff<ResolverState>,
    path: Dff<Bits<GA>>,
    walked: Dff<Bits<GA>>,
    plane: Dff<Bits<3>>,
    tsn: Dff<Bits<24>>,
    target: Dff<Bits<24>>,
    oldest: Dff<Bits<24>>,
    stage1: Dff<Bit>,
    stage2: Dff<Bit>,
    stage3: Dff<Bit>,
    sent2: Dff<RingEntry>,
    sent3: Dff<RingEntry>,
    arrived: Dff<Bit>,
    alive: Dff<Bit>,
    address: Signal<Local, Bits<GA>>,
    connection: Signal<Local, Bits<CA>>,
    news: Signal<Local, Bit>,
    commit: Signal<Local, Bit>,
    place: Signal<Local, Bits<IW>>,
    lap: Signal<Local, Bit>,
    before_old: Signal<Local, Bits<9>>,
    before_new: Signal<Local, Bits<9>>,
    arrived_old: Signal<Local, Bit>,
    arrived_new: Signal<Local, Bit>,
    distance: Signal<Local, Bits<24>>,
    tsn_mask: Constant<Bits<24>>,
}

impl<
    const CA: usize,
    const GA: usize,
    const C: usize,
    const F: usize,
    const W: usize,
    const IW: usize,
    const TA: usize,
> Resolver<CA, GA, C, F, W, IW, TA>
{
    /// A resolver of this size.
    pub fn new(narrowing: &Narrowing) -> Self {
        assert!(
            GA > CA && C == 1 << CA && F == 1 << GA && W == 1 << IW && TA == GA + 8,
            "index widths"
        );
        Self {
            clock: Default::default(),
            reset: Default::default(),
            hold: Default::default(),
            failed: Default::default(),
            refused: Default::default(),
            refused_connection: Default::default(),
            give_up: Default::default(),
            give_up_connection: Default::default(),
            transmission: Default::default(),
            transmission_valid: Default::default(),
            snapshot: Default::default(),
            bitvector: Default::default(),
            applied: Default::default(),
            path_write: Default::default(),
            lost_room: Default::default(),
            resolved: Default::default(),
            delivered_valid: Default::default(),
            delivered_slot: Default::default(),
            lost_valid: Default::default(),
            lost: Default::default(),
            lost_plane: Default::default(),
            busy: Default::default(),
            trace_valid: Default::default(),
            trace_tsn: Default::default(),
            lap_bit: Constant::new(bits(W.ilog2() as u64)),
            path_bits: Constant::new(bits((GA - CA) as u64)),
            ring_bits: Constant::new(bits(8)),
            queue: Default::default(),
            ring: Default::default(),
            bits_received: Default::default(),
            acked: Default::default(),
            first: Default::default(),
            carrier: Default::default(),
            state: Default::default(),
            path: Default::default(),
            walked: Default::default(),
            plane: Default::default(),
            tsn: Default::default(),
            target: Default::default(),
            oldest: Default::default(),
            stage1: Default::default(),
            stage2: Default::default(),
            stage3: Default::default(),
            sent2: Default::default(),
            sent3: Default::default(),
            arrived: Default::default(),
            alive: Default::default(),
            address: Default::default(),
            connection: Default::default(),
            news: Default::default(),
            commit: Default::default(),
            place: Default::default(),
            lap: Default::default(),
            before_old: Default::default(),
            before_new: Default::default(),
            arrived_old: Default::default(),
            arrived_new: Default::default(),
            distance: Default::default(),
            tsn_mask: Constant::new(Narrowing::low(narrowing.tsn_bits)),
        }
    }
}

impl<
    const CA: usize,
    const GA: usize,
    const C: usize,
    const F: usize,
    const W: usize,
    const IW: usize,
    const TA: usize,
> Logic for Resolver<CA, GA, C, F, W, IW, TA>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, state, path, walked, plane, tsn, target, oldest, stage1, stage2, stage3,
            sent2, sent3, arrived, alive
        );
        self.queue.clock.next = self.clock.val();
        self.queue.reset.next = self.reset.val();
        self.ring.clock.next = self.clock.val();
        self.bits_received.clock.next = self.clock.val();
        self.acked.clock.next = self.clock.val();
        self.first.clock.next = self.clock.val();
        self.carrier.clock.next = self.clock.val();

        self.queue.push.next = self.applied.val();
        self.queue.path.next = bit_cast::<GA, 16>(self.snapshot.val().path);
        self.ring.write_enable.next = self.transmission_valid.val();
        self.ring.write_address.next = (bit_cast::<TA, 16>(self.transmission.val().path)
            << self.ring_bits.val())
            | bit_cast::<TA, 8>(bit_cast::<8, 24>(self.transmission.val().tsn));
        self.ring.write_data.next.psn = bit_cast::<9, 24>(self.transmission.val().psn);
        self.ring.write_data.next.slot = self.transmission.val().slot;
        self.ring.write_data.next.probe = self.transmission.val().probe;
        self.bits_received.write_enable.next = self.snapshot.val().valid;
        self.bits_received.write_address.next = bit_cast::<GA, 16>(self.snapshot.val().path);
        self.bits_received.write_data.next = self.bitvector.val();
        self.acked.write_enable.next = self.snapshot.val().valid;
        self.acked.write_address.next = bit_cast::<GA, 16>(self.snapshot.val().path);
        self.acked.write_data.next.psn = self.snapshot.val().cum;
        self.acked.write_data.next.tsn = self.snapshot.val().echo;
        self.first.write_enable.next = self.resolved.val().valid;
        self.first.write_address.next = bit_cast::<GA, 16>(self.resolved.val().path);
        self.first.write_data.next = self.resolved.val().resolved;
        self.carrier.write_enable.next = self.path_write.val().valid;
        self.carrier.write_address.next = bit_cast::<GA, 16>(self.path_write.val().path);
        self.carrier.write_data.next = self.path_write.val().plane;

        // S0. A path that leaves the walk stays on show until its last TSN is at S2.
        self.address.next = self.path.q.val();
        self.queue.pop.next = false;
        self.stage1.d.next = false;
        self.distance.next = self.acked.read_data.val().tsn - self.first.read_data.val();
        match self.state.q.val() {
            ResolverState::Idle => {
                if self.queue.valid.val() & !self.hold.val() {
                    self.queue.pop.next = true;
                    self.path.d.next = self.queue.head.val();
                    self.state.d.next = ResolverState::Present;
                }
            }
            ResolverState::Present => {
                if !self.hold.val() {
                    self.state.d.next = ResolverState::Wait;
                }
            }
            ResolverState::Wait => {
                self.state.d.next = ResolverState::Load;
                if self.hold.val() {
                    self.state.d.next = ResolverState::Present;
                }
            }
            ResolverState::Load => {
                self.walked.d.next = self.path.q.val();
                self.plane.d.next = self.carrier.read_data.val();
                self.tsn.d.next = self.first.read_data.val();
                self.oldest.d.next = self.first.read_data.val();
                self.target.d.next = self.acked.read_data.val().tsn;
                self.state.d.next = ResolverState::Walk;
                if self.distance.val().get_bit(23) {
                    self.state.d.next = ResolverState::Idle;
                }
                if self.hold.val() {
                    self.state.d.next = ResolverState::Present;
                }
            }
            ResolverState::Walk => {
                if self.hold.val() {
                    self.state.d.next = ResolverState::Present;
                } else if !self.alive.q.val() {
                    self.state.d.next = ResolverState::Idle;
                } else if self.lost_room.val() {
                    self.stage1.d.next = true;
                    self.tsn.d.next = (self.tsn.q.val() + 1) & self.tsn_mask.val();
                    if self.tsn.q.val() == self.target.q.val() {
                        self.state.d.next = ResolverState::Idle;
                    }
                }
            }
        }
        self.ring.read_address.next = (bit_cast::<TA, GA>(self.path.q.val())
            << self.ring_bits.val())
            | bit_cast::<TA, 8>(bit_cast::<8, 24>(self.tsn.q.val()));
        self.bits_received.read_address.next = self.address.val();
        self.acked.read_address.next = self.address.val();
        self.first.read_address.next = self.address.val();
        self.carrier.read_address.next = self.address.val();

        // S1.
        self.stage2.d.next = self.stage1.q.val();
        self.sent2.d.next = self.ring.read_data.val();

        // S2: against the snapshot of this cycle's start, and against the one that replaces it now. A PSN is one of the
        // 256 from `cum` on, or before it. A connection that fails now has failed at S3.
        self.stage3.d.next = self.stage2.q.val();
        self.sent3.d.next = self.sent2.q.val();
        self.place.next = bit_cast::<IW, 9>(self.sent2.q.val().psn);
        self.lap.next = self.sent2.q.val().psn.get_bit(self.lap_bit.val().index());
        self.before_old.next =
            self.sent2.q.val().psn - bit_cast::<9, 24>(self.acked.read_data.val().psn);
        self.before_new.next = self.sent2.q.val().psn - bit_cast::<9, 24>(self.snapshot.val().cum);
        self.arrived_old.next = self.before_old.val().get_bit(8)
            | (self
                .bits_received
                .read_data
                .val()
                .get_bit(self.place.val().index())
                ^ self.lap.val());
        self.arrived_new.next = self.before_new.val().get_bit(8)
            | (self.bitvector.val().get_bit(self.place.val().index()) ^ self.lap.val());
        self.news.next = self.snapshot.val().valid
            & (bit_cast::<GA, 16>(self.snapshot.val().path) == self.walked.q.val());
        self.arrived.d.next = self.arrived_old.val();
        if self.news.val() {
            self.arrived.d.next = self.arrived_new.val();
        }
        self.connection.next = bit_cast::<CA, GA>(self.walked.d.val() >> self.path_bits.val());
        self.alive.d.next = !self.failed.val().get_bit(self.connection.val().index())
            & !(self.refused.val() & (self.refused_connection.val() == self.connection.val()))
            & !(self.give_up.val() & (self.give_up_connection.val() == self.connection.val()));

        // S3.
        self.commit.next = self.stage3.q.val() & self.alive.q.val();
        if self.commit.val() {
            self.oldest.d.next = (self.oldest.q.val() + 1) & self.tsn_mask.val();
        }
        self.delivered_valid.next =
            self.commit.val() & !self.sent3.q.val().probe & self.arrived.q.val();
        self.delivered_slot.next = self.sent3.q.val().slot;
        self.lost_valid.next =
            self.commit.val() & !self.sent3.q.val().probe & !self.arrived.q.val();
        self.lost.next.path = bit_cast::<16, GA>(self.walked.q.val());
        self.lost.next.psn = self.sent3.q.val().psn;
        self.lost.next.slot = self.sent3.q.val().slot;
        self.lost_plane.next = self.plane.q.val();
        self.resolved.next.valid = self.commit.val();
        self.resolved.next.path = bit_cast::<16, GA>(self.walked.q.val());
        self.resolved.next.resolved = (self.oldest.q.val() + 1) & self.tsn_mask.val();
        if self.path_write.val().valid {
            self.resolved.next.valid = true;
            self.resolved.next.path = self.path_write.val().path;
            self.resolved.next.resolved = self.path_write.val().first_tsn;
        }
        self.busy.next = self.stage1.q.val() | self.stage2.q.val() | self.stage3.q.val();
        self.trace_valid.next = self.commit.val();
        self.trace_tsn.next = self.oldest.q.val();

        if self.reset.val() {
            self.state.d.next = ResolverState::Idle;
            self.stage1.d.next = false;
            self.stage2.d.next = false;
            self.stage3.d.next = false;
        }
    }
}
