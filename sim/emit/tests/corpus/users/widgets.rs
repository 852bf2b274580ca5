//! More of rust-hdl's own widgets.

use std::time::Duration;

use rust_hdl::prelude::*;

use crate::bench::Case;
use crate::case;

type Filter = MultiplyAccumulateSymmetricFiniteImpulseResponseFilter<3>;

fn spi() -> SPIConfig {
    SPIConfig {
        clock_speed: 1_000_000,
        cs_off: true,
        mosi_off: false,
        speed_hz: 100_000,
        cpha: true,
        cpol: true,
    }
}

/// A master and a slave on one bus; the words have 16 bits, as more would panic.
#[derive(LogicBlock)]
struct SpiPair {
    clock: Signal<In, Clock>,
    send: Signal<In, Bit>,
    down: Signal<In, Bits<16>>,
    up: Signal<In, Bits<16>>,
    arrived_up: Signal<Out, Bits<16>>,
    arrived_down: Signal<Out, Bits<16>>,
    busy: Signal<Out, Bit>,
    master: SPIMaster<16>,
    slave: SPISlave<16>,
}

impl Default for SpiPair {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            send: Default::default(),
            down: Default::default(),
            up: Default::default(),
            arrived_up: Default::default(),
            arrived_down: Default::default(),
            busy: Default::default(),
            master: SPIMaster::new(spi()),
            slave: SPISlave::new(spi()),
        }
    }
}

impl Logic for SpiPair {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, master, slave);
        SPIWiresMaster::join(&mut self.master.wires, &mut self.slave.wires);
        self.master.bits_outbound.next = 16.into();
        self.master.data_outbound.next = self.down.val();
        self.master.start_send.next = self.send.val();
        self.master.continued_transaction.next = false;
        self.slave.bits.next = 16.into();
        self.slave.data_outbound.next = self.up.val();
        self.slave.start_send.next = self.send.val();
        self.slave.continued_transaction.next = false;
        self.slave.disabled.next = false;
        self.arrived_up.next = self.master.data_inbound.val();
        self.arrived_down.next = self.slave.data_inbound.val();
        self.busy.next = self.master.busy.val() | self.slave.busy.val();
    }
}

pub fn cases() -> Vec<Case> {
    vec![
        case!("spi_pair", SpiPair, SpiPair::default(); clock; [(send), (down), (up)];
            [(arrived_up), (arrived_down), (busy)]),
        case!("filter", Filter, Filter::new(&[1, -2, 3, -2, 1]); clock; [(data_in), (strobe_in)]; [(data_out), (strobe_out), (busy)]),
        case!("one_shot", Shot<8>, Shot::new(1_000_000, Duration::from_micros(5)); clock; [(trigger)]; [(active), (fired)]),
        case!("pulser", Pulser, Pulser::new(1_000_000, 400_000.0, Duration::from_micros(1)); clock; [(enable)]; [(pulse)]),
        case!("halves", FIFOReducer<16, 8, true>, FIFOReducer::default(); clock; [(data_in), (empty), (full)]; [(read), (data_out), (write)]),
        case!("one_word_fifo", RegisterFIFO<Bits<9>>, RegisterFIFO::default(); clock; [(data_in), (write), (read)]; [(data_out), (full), (empty)]),
    ]
}
