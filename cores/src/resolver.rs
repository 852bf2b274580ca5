//! The resolver: the fate of each transmission that an acknowledgement echoes.
use crate::narrow::Narrowing;
use crate::path_table::PathTable;
use crate::prim::Dff;
use crate::ram_bypass::RamBypass;
use crate::resolve_queue::ResolveQueue;
use crate::transmit_path::{
    LostPacket, PathWrite, ResolvedWrite, RingEntry, SnapshotWrite, Transmission,
};
use rust_hdl::prelude::*;

/// Where the resolver stands.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum ResolverState {
    /// Waits for a path.
    Idle,
    /// Presents its path again.
    Again,
    /// Has the path's records.
    Load,
    /// Presents a TSN each cycle.
    Walk,
}

/// The resolver (docs/protocol.md, "Resolving").
///
/// Takes a path whose snapshot changed, and walks its TSNs up to the echo: a TSN enters S0 in each cycle, S1 one cycle
/// later decides with the snapshot as it was before S1, and commits. Two cycles pass between two paths. After `hold`
/// the path's records are read anew. `CA`, `GA` address bits of connections and of paths; `C` = 2^CA, `F` = 2^GA; `W`
/// window, `IW` = log2 W; `TA` = GA + 8.
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
    /// The retransmit queues take two more.
    pub lost_room: Signal<In, Bit>,
    /// S1: one more TSN is resolved.
    pub resolved: Signal<Out, ResolvedWrite>,
    /// S1: its packet is delivered.
    pub delivered_valid: Signal<Out, Bit>,
    /// S1: its message's slot.
    pub delivered_slot: Signal<Out, Bits<4>>,
    /// S1: its packet is lost.
    pub lost_valid: Signal<Out, Bit>,
    /// S1: which packet.
    pub lost: Signal<Out, LostPacket>,
    /// S1: its plane.
    pub lost_plane: Signal<Out, Bits<3>>,
    /// Something is in S1.
    pub busy: Signal<Out, Bit>,
    /// S1: a commit.
    pub trace_valid: Signal<Out, Bit>,
    /// S1: its TSN.
    pub trace_tsn: Signal<Out, Bits<24>>,
    lap_bit: Constant<Bits<4>>,
    path_bits: Constant<Bits<4>>,
    ring_bits: Constant<Bits<4>>,
    queue: ResolveQueue<GA, F>,
    ring: RamBypass<RingEntry, TA>,
    bits_received: RamBypass<Bits<W>, GA>,
    cum: PathTable<Bits<9>, GA>,
    echo: PathTable<Bits<24>, GA>,
    first: PathTable<Bits<24>, GA>,
    carrier: PathTable<Bits<3>, GA>,
    state: Dff<ResolverState>,
    path: Dff<Bits<GA>>,
    tsn: Dff<Bits<24>>,
    target: Dff<Bits<24>>,
    stage: Dff<Bit>,
    stage_tsn: Dff<Bits<24>>,
    address: Signal<Local, Bits<GA>>,
    alive: Signal<Local, Bit>,
    commit: Signal<Local, Bit>,
    behind: Signal<Local, Bits<9>>,
    received: Signal<Local, Bit>,
    arrived: Signal<Local, Bit>,
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
            cum: Default::default(),
            echo: Default::default(),
            first: Default::default(),
            carrier: Default::default(),
            state: Default::default(),
            path: Default::default(),
            tsn: Default::default(),
            target: Default::default(),
            stage: Default::default(),
            stage_tsn: Default::default(),
            address: Default::default(),
            alive: Default::default(),
            commit: Default::default(),
            behind: Default::default(),
            received: Default::default(),
            arrived: Default::default(),
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
        dff_setup!(self, clock, state, path, tsn, target, stage, stage_tsn);
        self.queue.clock.next = self.clock.val();
        self.queue.reset.next = self.reset.val();
        self.ring.clock.next = self.clock.val();
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
        self.ring.write_data.next.psn = bit_cast::<9, 24>(self.transmission.val().psn);
        self.ring.write_data.next.slot = self.transmission.val().slot;
        self.ring.write_data.next.probe = self.transmission.val().probe;
        self.bits_received.write_enable.next = self.snapshot.val().valid;
        self.bits_received.write_address.next = bit_cast::<GA, 16>(self.snapshot.val().path);
        self.bits_received.write_data.next = self.bitvector.val();
        self.cum.write_enable.next = self.snapshot.val().valid;
        self.cum.write_address.next = bit_cast::<GA, 16>(self.snapshot.val().path);
        self.cum.write_data.next = bit_cast::<9, 24>(self.snapshot.val().cum);
        self.echo.write_enable.next = self.snapshot.val().valid;
        self.echo.write_address.next = bit_cast::<GA, 16>(self.snapshot.val().path);
        self.echo.write_data.next = self.snapshot.val().echo;
        self.first.write_enable.next = self.resolved.val().valid;
        self.first.write_address.next = bit_cast::<GA, 16>(self.resolved.val().path);
        self.first.write_data.next = self.resolved.val().resolved;
        self.carrier.write_enable.next = self.path_write.val().valid;
        self.carrier.write_address.next = bit_cast::<GA, 16>(self.path_write.val().path);
        self.carrier.write_data.next = self.path_write.val().plane;

        // S0.
        self.alive.next = !self
            .failed
            .val()
            .get_bit(bit_cast::<CA, GA>(self.path.q.val() >> self.path_bits.val()).index());
        self.address.next = self.path.q.val();
        self.queue.pop.next = false;
        self.stage.d.next = false;
        self.stage_tsn.d.next = self.tsn.q.val();
        self.distance.next = self.echo.read_data.val() - self.first.read_data.val();
        match self.state.q.val() {
            ResolverState::Idle => {
                self.address.next = self.queue.head.val();
                if self.queue.valid.val() & !self.hold.val() {
                    self.queue.pop.next = true;
                    self.path.d.next = self.queue.head.val();
                    self.state.d.next = ResolverState::Load;
                }
            }
            ResolverState::Again => {
                if !self.hold.val() {
                    self.state.d.next = ResolverState::Load;
                }
            }
            ResolverState::Load => {
                self.tsn.d.next = self.first.read_data.val();
                self.target.d.next = self.echo.read_data.val();
                if self.hold.val() {
                    self.state.d.next = ResolverState::Again;
                } else if self.distance.val().get_bit(23) | !self.alive.val() {
                    self.state.d.next = ResolverState::Idle;
                } else {
                    self.state.d.next = ResolverState::Walk;
                }
            }
            ResolverState::Walk => {
                if self.hold.val() {
                    self.state.d.next = ResolverState::Again;
                } else if !self.alive.val() {
                    self.state.d.next = ResolverState::Idle;
                } else if self.lost_room.val() {
                    self.stage.d.next = true;
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
        self.cum.read_address.next = self.address.val();
        self.echo.read_address.next = self.address.val();
        self.first.read_address.next = self.address.val();
        self.carrier.read_address.next = self.address.val();

        // S1. A PSN is one of the 256 from `cum` on, or before it.
        self.commit.next = self.stage.q.val() & self.alive.val();
        self.behind.next = self.ring.read_data.val().psn - self.cum.read_data.val();
        self.received.next = self
            .bits_received
            .read_data
            .val()
            .get_bit(bit_cast::<IW, 9>(self.ring.read_data.val().psn).index())
            ^ self
                .ring
                .read_data
                .val()
                .psn
                .get_bit(self.lap_bit.val().index());
        self.arrived.next = self.behind.val().get_bit(8) | self.received.val();
        self.delivered_valid.next =
            self.commit.val() & !self.ring.read_data.val().probe & self.arrived.val();
        self.delivered_slot.next = self.ring.read_data.val().slot;
        self.lost_valid.next =
            self.commit.val() & !self.ring.read_data.val().probe & !self.arrived.val();
        self.lost.next.path = bit_cast::<16, GA>(self.path.q.val());
        self.lost.next.psn = self.ring.read_data.val().psn;
        self.lost.next.slot = self.ring.read_data.val().slot;
        self.lost_plane.next = self.carrier.read_data.val();
        self.resolved.next.valid = self.commit.val();
        self.resolved.next.path = bit_cast::<16, GA>(self.path.q.val());
        self.resolved.next.resolved = (self.stage_tsn.q.val() + 1) & self.tsn_mask.val();
        if self.path_write.val().valid {
            self.resolved.next.valid = true;
            self.resolved.next.path = self.path_write.val().path;
            self.resolved.next.resolved = self.path_write.val().first_tsn;
        }
        self.busy.next = self.stage.q.val();
        self.trace_valid.next = self.commit.val();
        self.trace_tsn.next = self.stage_tsn.q.val();

        if self.reset.val() {
            self.state.d.next = ResolverState::Idle;
            self.stage.d.next = false;
        }
    }
}
