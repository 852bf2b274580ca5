//! Lost packets of one plane, waiting to be sent again.
use crate::narrow::Narrowing;
use crate::prim::Dff;
use crate::ram_bypass::RamBypass;
use crate::transmit_path::LostPacket;
use rust_hdl::prelude::*;

/// A queue in a RAM whose oldest entry is always on show.
///
/// An entry pushed in a cycle is on show in the next. A pop without an entry on show, or a push without room, is a
/// mistake of the user. `A`: log2 of the entries, at least 3.
#[derive(LogicBlock)]
pub struct RetransmitQueue<const A: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A lost packet.
    pub push: Signal<In, Bit>,
    /// The packet.
    pub packet: Signal<In, LostPacket>,
    /// The oldest entry leaves.
    pub pop: Signal<In, Bit>,
    /// There is an entry.
    pub valid: Signal<Out, Bit>,
    /// The oldest entry.
    pub head: Signal<Out, LostPacket>,
    /// Five more pushes fit: as many as are on their way.
    pub room: Signal<Out, Bit>,
    ram: RamBypass<LostPacket, A>,
    first: Dff<Bits<A>>,
    last: Dff<Bits<A>>,
    some: Dff<Bit>,
    full: Dff<Bit>,
    used_paths: Constant<Bits<16>>,
    used_psn: Constant<Bits<24>>,
    used_packets: Constant<Bits<24>>,
    used: Signal<Local, Bits<A>>,
}

impl<const A: usize> RetransmitQueue<A> {
    /// A queue of this depth.
    pub fn new(narrowing: &Narrowing) -> Self {
        assert!(A >= 3, "at least 8 entries");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            push: Default::default(),
            packet: Default::default(),
            pop: Default::default(),
            valid: Default::default(),
            head: Default::default(),
            room: Default::default(),
            ram: Default::default(),
            first: Default::default(),
            last: Default::default(),
            some: Default::default(),
            full: Default::default(),
            used_paths: Constant::new(Narrowing::low(narrowing.path_bits)),
            used_psn: Constant::new(Narrowing::low(narrowing.psn_bits)),
            used_packets: Constant::new(Narrowing::low(narrowing.packet_bits)),
            used: Default::default(),
        }
    }
}

impl<const A: usize> Logic for RetransmitQueue<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, first, last, some, full);
        self.ram.clock.next = self.clock.val();
        self.ram.write_enable.next = self.push.val();
        self.ram.write_address.next = self.last.q.val();
        self.ram.write_data.next = self.packet.val();

        if self.push.val() {
            self.last.d.next = self.last.q.val() + 1;
        }
        self.ram.read_address.next = self.first.q.val();
        self.used.next = self.last.q.val() - self.first.q.val();
        if self.pop.val() {
            self.first.d.next = self.first.q.val() + 1;
            self.ram.read_address.next = self.first.q.val() + 1;
        }
        // `used` counts entries before this cycle; one place stays empty.
        if self.push.val() & !self.pop.val() {
            self.some.d.next = true;
        }
        if self.pop.val() & !self.push.val() & (self.used.val() == bits::<A>(1)) {
            self.some.d.next = false;
        }
        // Registered, so one cycle late: that is one push.
        self.full.d.next = (self.used.val() + 6) < self.used.val();
        self.valid.next = self.some.q.val();
        self.head.next.path = self.ram.read_data.val().path & self.used_paths.val();
        self.head.next.psn = self.ram.read_data.val().psn & self.used_psn.val();
        self.head.next.slot = self.ram.read_data.val().slot;
        self.head.next.index = self.ram.read_data.val().index & self.used_packets.val();
        self.room.next = !self.full.q.val();
        if self.reset.val() {
            self.first.d.next = bits::<A>(0);
            self.last.d.next = bits::<A>(0);
            self.some.d.next = false;
            self.full.d.next = false;
        }
    }
}
