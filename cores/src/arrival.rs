//! Whether a packet is at the receiver, as its path's newest snapshot says.
use crate::prim::Dff;
use crate::transmit_path::SnapshotWrite;
use rust_hdl::prelude::*;

/// Looks a packet up in the snapshot of its path: rows of 16 bits in the first cycle, a bit in the second.
///
/// In the first cycle come `psn` and `path`, and the path's record as it was before this cycle: `received`, `cum`. A snapshot that is written
/// in the first or in the second cycle counts: `snapshot` with `bitvector`; what the next cycle's may carry is `coming`, `coming_cum`.
/// `arrived` is a register, two cycles after `psn`. A PSN is one of the W from `cum` on, or one of the 512 before it: what is unresolved may
/// be a window and 239 packets behind, if frames of a path overtake each other. `GA` address bits of paths; `W`
/// window, `IW` = log2 W.
#[derive(LogicBlock)]
pub struct Arrival<const GA: usize, const W: usize, const IW: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Low bits of the packet's PSN.
    pub psn: Signal<In, Bits<10>>,
    /// Its path.
    pub path: Signal<In, Bits<GA>>,
    /// Bitvector of the path's record.
    pub received: Signal<In, Bits<W>>,
    /// Low bits of its cumulative PSN.
    pub cum: Signal<In, Bits<10>>,
    /// The snapshot that is written in this cycle.
    pub snapshot: Signal<In, SnapshotWrite>,
    /// Its bitvector.
    pub bitvector: Signal<In, Bits<W>>,
    /// That of the next cycle, if one is written then.
    pub coming: Signal<In, Bits<W>>,
    /// And its cumulative PSN.
    pub coming_cum: Signal<In, Bits<10>>,
    /// The packet has arrived.
    pub arrived: Signal<Out, Bit>,
    lap_bit: Constant<Bits<4>>,
    place: Signal<Local, Bits<IW>>,
    row: Signal<Local, Bits<IW>>,
    low: Dff<Bits<4>>,
    lap: Dff<Bit>,
    path2: Dff<Bits<GA>>,
    /// Rows of the record, of this cycle's snapshot, of the next one's; and whether the packet is before their `cum`.
    rows: [Dff<Bits<16>>; 3],
    before: [Dff<Bit>; 3],
    distances: [Signal<Local, Bits<10>>; 3],
    here: [Signal<Local, Bit>; 3],
    now: Dff<Bit>,
    found: Dff<Bit>,
}

impl<const GA: usize, const W: usize, const IW: usize> Default for Arrival<GA, W, IW> {
    fn default() -> Self {
        assert!(W == 1 << IW && (5..=8).contains(&IW), "W is 32 to 256");
        Self {
            clock: Default::default(),
            psn: Default::default(),
            path: Default::default(),
            received: Default::default(),
            cum: Default::default(),
            snapshot: Default::default(),
            bitvector: Default::default(),
            coming: Default::default(),
            coming_cum: Default::default(),
            arrived: Default::default(),
            lap_bit: Constant::new(bits(IW as u64)),
            place: Default::default(),
            row: Default::default(),
            low: Default::default(),
            lap: Default::default(),
            path2: Default::default(),
            rows: std::array::from_fn(|_| Default::default()),
            before: std::array::from_fn(|_| Default::default()),
            distances: std::array::from_fn(|_| Default::default()),
            here: std::array::from_fn(|_| Default::default()),
            now: Default::default(),
            found: Default::default(),
        }
    }
}

impl<const GA: usize, const W: usize, const IW: usize> Logic for Arrival<GA, W, IW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, low, lap, path2, now, found);
        for i in 0..3 {
            self.rows[i].clock.next = self.clock.val();
            self.before[i].clock.next = self.clock.val();
        }

        // The first cycle.
        self.place.next = bit_cast::<IW, 10>(self.psn.val());
        self.row.next = (self.place.val() >> 4) << 4;
        self.low.d.next = bit_cast::<4, IW>(self.place.val());
        self.lap.d.next = self.psn.val().get_bit(self.lap_bit.val().index());
        self.path2.d.next = self.path.val();
        self.rows[0].d.next = self.received.val().get_bits::<16>(self.row.val().index());
        self.rows[1].d.next = self.bitvector.val().get_bits::<16>(self.row.val().index());
        self.rows[2].d.next = self.coming.val().get_bits::<16>(self.row.val().index());
        self.distances[0].next = self.psn.val() - self.cum.val();
        self.distances[1].next = self.psn.val() - bit_cast::<10, 24>(self.snapshot.val().cum);
        self.distances[2].next = self.psn.val() - self.coming_cum.val();
        for i in 0..3 {
            self.before[i].d.next = self.distances[i].val().get_bit(9);
        }
        self.now.d.next = self.snapshot.val().valid
            & (bit_cast::<GA, 16>(self.snapshot.val().path) == self.path.val());

        // The second.
        for i in 0..3 {
            self.here[i].next = self.before[i].q.val()
                | (self.rows[i].q.val().get_bit(self.low.q.val().index()) ^ self.lap.q.val());
        }
        self.found.d.next = self.here[0].val();
        if self.snapshot.val().valid
            & (bit_cast::<GA, 16>(self.snapshot.val().path) == self.path2.q.val())
        {
            self.found.d.next = self.here[2].val();
        } else if self.now.q.val() {
            self.found.d.next = self.here[1].val();
        }
        self.arrived.next = self.found.q.val();
    }
}
