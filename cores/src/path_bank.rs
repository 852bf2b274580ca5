//! One path number's records, of every connection, for the choice of a path.
use crate::path_table::PathTable;
use crate::transmit_path::{PathWrite, ResolvedWrite, SnapshotWrite, TransmitWrite};
use rust_hdl::prelude::*;

/// The bank of one path number: of the connection presented in a cycle, the path's headroom in the next.
///
/// All writes up to and including the cycle of the address are in it. `CA`: address bits of connections.
#[derive(LogicBlock)]
pub struct PathBank<const CA: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// The transmit engine's writes, of any path.
    pub transmit: Signal<In, TransmitWrite>,
    /// The ACK engine's.
    pub snapshot: Signal<In, SnapshotWrite>,
    /// The resolver's.
    pub resolved: Signal<In, ResolvedWrite>,
    /// Configuration.
    pub path_write: Signal<In, PathWrite>,
    /// The path number; constant.
    pub number: Signal<In, Bits<16>>,
    /// The connection to look at.
    pub connection: Signal<In, Bits<CA>>,
    /// Largest number of unresolved transmissions.
    pub window: Signal<In, Bits<8>>,
    /// Packets that the path may still send, 0..=W; 0 if it is not live.
    pub headroom: Signal<Out, Bits<9>>,
    /// It may be used.
    pub usable: Signal<Out, Bit>,
    /// Its plane.
    pub plane: Signal<Out, Bits<3>>,
    /// Its next PSN.
    pub next_psn: Signal<Out, Bits<24>>,
    /// Its next TSN.
    pub next_tsn: Signal<Out, Bits<24>>,
    number_mask: Constant<Bits<16>>,
    path_bits: Constant<Bits<4>>,
    bitvector: Constant<Bits<9>>,
    psn: PathTable<Bits<24>, CA>,
    tsn: PathTable<Bits<24>, CA>,
    cum: PathTable<Bits<9>, CA>,
    first: PathTable<Bits<8>, CA>,
    live: PathTable<Bit, CA>,
    carrier: PathTable<Bits<3>, CA>,
    unresolved: Signal<Local, Bits<8>>,
    by_window: Signal<Local, Bits<9>>,
    by_bitvector: Signal<Local, Bits<9>>,
}

impl<const CA: usize> PathBank<CA> {
    /// A bank with `path_bits` bits of path number in a global one, and a bitvector of `w` bits.
    pub fn new(path_bits: usize, w: usize) -> Self {
        assert!(path_bits + CA <= 16, "index widths");
        Self {
            clock: Default::default(),
            transmit: Default::default(),
            snapshot: Default::default(),
            resolved: Default::default(),
            path_write: Default::default(),
            connection: Default::default(),
            window: Default::default(),
            headroom: Default::default(),
            usable: Default::default(),
            plane: Default::default(),
            next_psn: Default::default(),
            next_tsn: Default::default(),
            number: Default::default(),
            number_mask: Constant::new(bits((1 << path_bits) - 1)),
            path_bits: Constant::new(bits(path_bits as u64)),
            bitvector: Constant::new(bits(w as u64)),
            psn: Default::default(),
            tsn: Default::default(),
            cum: Default::default(),
            first: Default::default(),
            live: Default::default(),
            carrier: Default::default(),
            unresolved: Default::default(),
            by_window: Default::default(),
            by_bitvector: Default::default(),
        }
    }
}

impl<const CA: usize> Logic for PathBank<CA> {
    #[hdl_gen]
    fn update(&mut self) {
        self.psn.clock.next = self.clock.val();
        self.tsn.clock.next = self.clock.val();
        self.cum.clock.next = self.clock.val();
        self.first.clock.next = self.clock.val();
        self.live.clock.next = self.clock.val();
        self.carrier.clock.next = self.clock.val();

        self.psn.write_enable.next = self.transmit.val().valid
            & ((self.transmit.val().path & self.number_mask.val()) == self.number.val());
        self.psn.write_address.next =
            bit_cast::<CA, 16>(self.transmit.val().path >> self.path_bits.val());
        self.psn.write_data.next = self.transmit.val().next_psn;
        self.tsn.write_enable.next = self.transmit.val().valid
            & ((self.transmit.val().path & self.number_mask.val()) == self.number.val());
        self.tsn.write_address.next =
            bit_cast::<CA, 16>(self.transmit.val().path >> self.path_bits.val());
        self.tsn.write_data.next = self.transmit.val().next_tsn;
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
        self.live.write_enable.next = self.path_write.val().valid
            & ((self.path_write.val().path & self.number_mask.val()) == self.number.val());
        self.live.write_address.next =
            bit_cast::<CA, 16>(self.path_write.val().path >> self.path_bits.val());
        self.live.write_data.next = self.path_write.val().live;
        self.carrier.write_enable.next = self.path_write.val().valid
            & ((self.path_write.val().path & self.number_mask.val()) == self.number.val());
        self.carrier.write_address.next =
            bit_cast::<CA, 16>(self.path_write.val().path >> self.path_bits.val());
        self.carrier.write_data.next = self.path_write.val().plane;

        self.psn.read_address.next = self.connection.val();
        self.tsn.read_address.next = self.connection.val();
        self.cum.read_address.next = self.connection.val();
        self.first.read_address.next = self.connection.val();
        self.live.read_address.next = self.connection.val();
        self.carrier.read_address.next = self.connection.val();

        self.next_psn.next = self.psn.read_data.val();
        self.next_tsn.next = self.tsn.read_data.val();
        self.usable.next = self.live.read_data.val();
        self.plane.next = self.carrier.read_data.val();
        // Both differences are at most 256, so low bits suffice.
        self.unresolved.next =
            bit_cast::<8, 24>(self.tsn.read_data.val()) - self.first.read_data.val();
        self.by_window.next = bits::<9>(0);
        if self.unresolved.val() < self.window.val() {
            self.by_window.next =
                bit_cast::<9, 8>(self.window.val()) - bit_cast::<9, 8>(self.unresolved.val());
        }
        self.by_bitvector.next = self.bitvector.val()
            - (bit_cast::<9, 24>(self.psn.read_data.val()) - self.cum.read_data.val());
        self.headroom.next = bits::<9>(0);
        if self.live.read_data.val() {
            self.headroom.next = self.by_bitvector.val();
            if self.by_window.val() < self.by_bitvector.val() {
                self.headroom.next = self.by_window.val();
            }
        }
    }
}
