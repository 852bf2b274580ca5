//! One path number's records, of every connection, for the choice of a path.
use crate::narrow::Narrowing;
use crate::path_table::PathTable;
use crate::prim::Dff;
use crate::transmit_path::{
    Carrier, Limits, LimitsWrite, LowNumbers, PathWrite, ResolvedWrite, SnapshotWrite,
    TransmitWrite,
};
use rust_hdl::prelude::*;

/// The bank of one path number: what the path of the connection presented in a cycle may send, three cycles later.
///
/// All writes up to and including the cycle of the address are in it. One bit a plane, so that who chooses a plane need
/// not compare numbers. `CA`: address bits of connections; `N` planes.
#[derive(LogicBlock)]
pub struct PathBank<const CA: usize, const N: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// The transmit engine's writes, of any path.
    pub transmit: Signal<In, TransmitWrite>,
    /// The ACK engine's.
    pub snapshot: Signal<In, SnapshotWrite>,
    /// The resolver's.
    pub resolved: Signal<In, ResolvedWrite>,
    /// Limits by congestion windows.
    pub window: Signal<In, LimitsWrite>,
    /// Configuration.
    pub path_write: Signal<In, PathWrite>,
    /// The path number; constant.
    pub number: Signal<In, Bits<16>>,
    /// The connection to look at.
    pub connection: Signal<In, Bits<CA>>,
    /// Limits of the unresolved transmissions of every path.
    pub limits: Signal<In, Limits>,
    /// The plane of the path, if it is live.
    pub on: Signal<Out, Bits<N>>,
    /// The same, if the path has headroom.
    pub some: Signal<Out, Bits<N>>,
    /// The same, if it has headroom for all choices under way.
    pub roomy: Signal<Out, Bits<N>>,
    /// Its headroom is 1.
    pub last: Signal<Out, Bit>,
    number_mask: Constant<Bits<16>>,
    path_bits: Constant<Bits<4>>,
    plane_number: [Constant<Bits<3>>; N],
    used_psn: Constant<Bits<9>>,
    used_tsn: Constant<Bits<8>>,
    span_cap: Constant<Bits<9>>,
    span_last: Constant<Bits<9>>,
    span_roomy: Constant<Bits<9>>,
    sent: PathTable<LowNumbers, CA>,
    cum: PathTable<Bits<9>, CA>,
    first: PathTable<Bits<8>, CA>,
    windows: PathTable<Limits, CA>,
    carrier: PathTable<Carrier, CA>,
    unresolved: Dff<Bits<8>>,
    span: Dff<Bits<9>>,
    window2: Dff<Limits>,
    laws: Constant<Bit>,
    carrier2: Dff<Carrier>,
    on3: Dff<Bits<N>>,
    some3: Dff<Bits<N>>,
    roomy3: Dff<Bits<N>>,
    last3: Dff<Bit>,
    here: Signal<Local, Bits<N>>,
    window_open: Signal<Local, Bit>,
    window_roomy: Signal<Local, Bit>,
}

impl<const CA: usize, const N: usize> PathBank<CA, N> {
    /// A bank with `path_bits` bits of path number in a global one, and a bitvector of `w` bits; `margin` choices may
    /// be under way.
    pub fn new(path_bits: usize, w: usize, margin: usize, narrowing: &Narrowing) -> Self {
        assert!(path_bits + CA <= 16 && margin < w, "index widths");
        Self {
            clock: Default::default(),
            transmit: Default::default(),
            snapshot: Default::default(),
            resolved: Default::default(),
            window: Default::default(),
            path_write: Default::default(),
            connection: Default::default(),
            limits: Default::default(),
            on: Default::default(),
            some: Default::default(),
            roomy: Default::default(),
            last: Default::default(),
            number: Default::default(),
            number_mask: Constant::new(bits((1 << path_bits) - 1)),
            path_bits: Constant::new(bits(path_bits as u64)),
            plane_number: std::array::from_fn(|k| Constant::new(bits(k as u64))),
            used_psn: Constant::new(Narrowing::low(narrowing.psn_bits.min(9))),
            used_tsn: Constant::new(Narrowing::low(narrowing.tsn_bits.min(8))),
            span_cap: Constant::new(bits(w as u64)),
            span_last: Constant::new(bits(w as u64 - 1)),
            span_roomy: Constant::new(bits((w - margin) as u64)),
            sent: Default::default(),
            cum: Default::default(),
            first: Default::default(),
            windows: Default::default(),
            carrier: Default::default(),
            unresolved: Default::default(),
            span: Default::default(),
            window2: Default::default(),
            laws: Constant::new(narrowing.laws),
            window_open: Default::default(),
            window_roomy: Default::default(),
            carrier2: Default::default(),
            on3: Default::default(),
            some3: Default::default(),
            roomy3: Default::default(),
            last3: Default::default(),
            here: Default::default(),
        }
    }
}

impl<const CA: usize, const N: usize> Logic for PathBank<CA, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, unresolved, span, window2, carrier2, on3, some3, roomy3, last3
        );
        self.sent.clock.next = self.clock.val();
        self.cum.clock.next = self.clock.val();
        self.first.clock.next = self.clock.val();
        self.windows.clock.next = self.clock.val();
        self.carrier.clock.next = self.clock.val();

        self.sent.write_enable.next = self.transmit.val().valid
            & ((self.transmit.val().path & self.number_mask.val()) == self.number.val());
        self.sent.write_address.next =
            bit_cast::<CA, 16>(self.transmit.val().path >> self.path_bits.val());
        self.sent.write_data.next.psn = bit_cast::<9, 24>(self.transmit.val().next_psn);
        self.sent.write_data.next.tsn = bit_cast::<8, 24>(self.transmit.val().next_tsn);
        self.cum.write_enable.next = self.snapshot.val().valid
            & ((self.snapshot.val().path & self.number_mask.val()) == self.number.val());
        self.cum.write_address.next =
            bit_cast::<CA, 16>(self.snapshot.val().path >> self.path_bits.val());
        self.cum.write_data.next = bit_cast::<9, 24>(self.snapshot.val().cum);
        self.first.write_enable.next = self.resolved.val().valid
            & ((self.resolved.val().path & self.number_mask.val()) == self.number.val());
        self.first.write_address.next =
            bit_cast::<CA, 16>(self.resolved.val().path >> self.path_bits.val());
        self.first.write_data.next = bit_cast::<8, 24>(self.resolved.val().resolved);
        self.windows.write_enable.next = self.window.val().valid
            & ((self.window.val().path & self.number_mask.val()) == self.number.val());
        self.windows.write_address.next =
            bit_cast::<CA, 16>(self.window.val().path >> self.path_bits.val());
        self.windows.write_data.next.cap = self.window.val().cap;
        self.windows.write_data.next.last = self.window.val().last;
        self.windows.write_data.next.roomy = self.window.val().roomy;
        self.carrier.write_enable.next = self.path_write.val().valid
            & ((self.path_write.val().path & self.number_mask.val()) == self.number.val());
        self.carrier.write_address.next =
            bit_cast::<CA, 16>(self.path_write.val().path >> self.path_bits.val());
        self.carrier.write_data.next.live = self.path_write.val().live;
        self.carrier.write_data.next.plane = self.path_write.val().plane;

        // L0: the address. L1: both differences are at most 256, so low bits suffice.
        self.sent.read_address.next = self.connection.val();
        self.cum.read_address.next = self.connection.val();
        self.first.read_address.next = self.connection.val();
        self.windows.read_address.next = self.connection.val();
        self.carrier.read_address.next = self.connection.val();
        self.unresolved.d.next =
            (self.sent.read_data.val().tsn - self.first.read_data.val()) & self.used_tsn.val();
        self.span.d.next =
            (self.sent.read_data.val().psn - self.cum.read_data.val()) & self.used_psn.val();
        self.window2.d.next = self.windows.read_data.val();
        self.carrier2.d.next = self.carrier.read_data.val();

        // L2.
        self.here.next = bits::<N>(0);
        for k in 0..N {
            if self.carrier2.q.val().live
                & (self.carrier2.q.val().plane == self.plane_number[k].val())
            {
                self.here.next = self.here.val().replace_bit(k, true);
            }
        }
        self.on3.d.next = self.here.val();
        self.window_open.next =
            !self.laws.val() | (self.unresolved.q.val() < self.window2.q.val().cap);
        self.window_roomy.next =
            !self.laws.val() | (self.unresolved.q.val() < self.window2.q.val().roomy);
        self.some3.d.next = bits::<N>(0);
        if self.window_open.val()
            & (self.unresolved.q.val() < self.limits.val().cap)
            & (self.span.q.val() < self.span_cap.val())
        {
            self.some3.d.next = self.here.val();
        }
        self.roomy3.d.next = bits::<N>(0);
        if self.window_roomy.val()
            & (self.unresolved.q.val() < self.limits.val().roomy)
            & (self.span.q.val() < self.span_roomy.val())
        {
            self.roomy3.d.next = self.here.val();
        }
        self.last3.d.next = (self.laws.val()
            & (self.unresolved.q.val() == self.window2.q.val().last))
            | (self.unresolved.q.val() == self.limits.val().last)
            | (self.span.q.val() == self.span_last.val());

        self.on.next = self.on3.q.val();
        self.some.next = self.some3.q.val();
        self.roomy.next = self.roomy3.q.val();
        self.last.next = self.last3.q.val();
    }
}
