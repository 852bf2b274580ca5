//! The self-test: a small NIC that sends to itself over a lossy wire, and a host in hardware that judges it.
#![allow(missing_docs)] // the derive makes methods that can carry no document

mod loopback;
mod memory;
mod queues;
mod script;
mod sequencer;
mod simulate;

pub use loopback::Loopback;
pub use memory::HostMemory;
pub use queues::Queues;
pub use script::{LOST_FRAMES, MESSAGE_BYTES, Step, narrowing, script, wqes};
pub use sequencer::Sequencer;
pub use simulate::{Outcome, PASSED, Simulation};

use metaroce_emit::{Design, EmitError};
use metaroce_protocol::Profile;
use metaroce_rtl::sizes::with_stack;
use rust_hdl::prelude::*;

/// The size of the NIC under test.
pub const SIZE: &str = "demo";
type SelfTestNic = metaroce_rtl::nic::Nic<
    1,
    8,
    1,
    104,
    9,
    2,
    1,
    2,
    1,
    1,
    32,
    5,
    2,
    7,
    10,
    7,
    2,
    1,
    3,
    3,
    1,
    1,
    1,
    2,
    2,
>;

/// Address bits of the host memory: source and destination of one message.
const ADDRESS_BITS: usize = 11;
const HALF_BITS: usize = ADDRESS_BITS - 1;
/// Address bits of the send queue's ROM: 2^2 WQEs of 8 words.
const QUEUE_BITS: usize = 5;
/// Largest payload, bytes: the smallest MTU.
const MTU_BYTES: usize = 256;
/// Cycles until the test has failed: some hundred times as many as it takes.
const LIMIT: u32 = 1 << 20;

/// A NIC, its host and its wire. It runs once after `reset`; `leds` then show the result ([`Sequencer`]).
///
/// `plant`: 0 for a true test; bit 0 spoils bytes on their way into memory, bit 1 spoils every frame.
#[derive(LogicBlock)]
pub struct SelfTest {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    pub plant: Signal<In, Bits<2>>,
    pub leds: Signal<Out, Bits<8>>,
    nic: SelfTestNic,
    loopback: Loopback,
    memory: HostMemory<ADDRESS_BITS>,
    queues: Queues<QUEUE_BITS>,
    sequencer: Sequencer<ADDRESS_BITS, HALF_BITS>,
}

impl Default for SelfTest {
    fn default() -> Self {
        assert_eq!(
            MESSAGE_BYTES,
            1 << HALF_BITS,
            "a message fills half of the memory"
        );
        Self {
            clock: Default::default(),
            reset: Default::default(),
            plant: Default::default(),
            leds: Default::default(),
            nic: SelfTestNic::narrowed(MTU_BYTES, Profile::Write, &narrowing()),
            loopback: Loopback::new(LOST_FRAMES),
            memory: Default::default(),
            queues: Queues::new(&wqes()),
            sequencer: Sequencer::new(&script(true), LIMIT),
        }
    }
}

impl Logic for SelfTest {
    #[hdl_gen]
    fn update(&mut self) {
        self.nic.clock.next = self.clock.val();
        self.loopback.clock.next = self.clock.val();
        self.memory.clock.next = self.clock.val();
        self.queues.clock.next = self.clock.val();
        self.sequencer.clock.next = self.clock.val();
        self.nic.reset.next = self.reset.val();
        self.loopback.reset.next = self.reset.val();
        self.memory.reset.next = self.reset.val();
        self.queues.reset.next = self.reset.val();
        self.sequencer.reset.next = self.reset.val();
        self.nic.start_time.next = 0.into();
        self.memory.plant.next = self.plant.val().get_bit(0);
        self.loopback.plant.next = self.plant.val().get_bit(1);
        self.leds.next = self.sequencer.leds.val();

        self.loopback.tx_data.next = self.nic.tx_axis[0].tdata.val();
        self.loopback.tx_valid.next = self.nic.tx_axis[0].tvalid.val();
        self.loopback.tx_last.next = self.nic.tx_axis[0].tlast.val();
        self.nic.tx_axis[0].tready.next = self.loopback.tx_ready.val();
        self.nic.rx_axis[0].tdata.next = self.loopback.rx_data.val();
        self.nic.rx_axis[0].tkeep.next = 1.into();
        self.nic.rx_axis[0].tvalid.next = self.loopback.rx_valid.val();
        self.nic.rx_axis[0].tlast.next = self.loopback.rx_last.val();
        self.loopback.rx_ready.next = self.nic.rx_axis[0].tready.val();

        self.memory.araddr.next = self.nic.m_axi[0].araddr.val().get_bits::<ADDRESS_BITS>(0);
        self.memory.arlen.next = self.nic.m_axi[0].arlen.val();
        self.memory.arvalid.next = self.nic.m_axi[0].arvalid.val();
        self.nic.m_axi[0].arready.next = self.memory.arready.val();
        self.nic.m_axi[0].rdata.next = self.memory.rdata.val();
        self.nic.m_axi[0].rresp.next = 0.into();
        self.nic.m_axi[0].rlast.next = self.memory.rlast.val();
        self.nic.m_axi[0].rvalid.next = self.memory.rvalid.val();
        self.memory.rready.next = self.nic.m_axi[0].rready.val();
        self.memory.awaddr.next = self.nic.m_axi[0].awaddr.val().get_bits::<ADDRESS_BITS>(0);
        self.memory.awvalid.next = self.nic.m_axi[0].awvalid.val();
        self.nic.m_axi[0].awready.next = self.memory.awready.val();
        self.memory.wdata.next = self.nic.m_axi[0].wdata.val();
        self.memory.wlast.next = self.nic.m_axi[0].wlast.val();
        self.memory.wvalid.next = self.nic.m_axi[0].wvalid.val();
        self.nic.m_axi[0].wready.next = self.memory.wready.val();
        self.nic.m_axi[0].bresp.next = 0.into();
        self.nic.m_axi[0].bvalid.next = self.memory.bvalid.val();
        self.memory.bready.next = self.nic.m_axi[0].bready.val();

        self.queues.ar_word.next = self.nic.m_axi_ctl.araddr.val().get_bits::<QUEUE_BITS>(3);
        self.queues.arlen.next = self.nic.m_axi_ctl.arlen.val();
        self.queues.arvalid.next = self.nic.m_axi_ctl.arvalid.val();
        self.nic.m_axi_ctl.arready.next = self.queues.arready.val();
        self.nic.m_axi_ctl.rdata.next = self.queues.rdata.val();
        self.nic.m_axi_ctl.rresp.next = 0.into();
        self.nic.m_axi_ctl.rlast.next = self.queues.rlast.val();
        self.nic.m_axi_ctl.rvalid.next = self.queues.rvalid.val();
        self.queues.rready.next = self.nic.m_axi_ctl.rready.val();
        self.queues.awvalid.next = self.nic.m_axi_ctl.awvalid.val();
        self.nic.m_axi_ctl.awready.next = self.queues.awready.val();
        self.queues.wdata.next = self.nic.m_axi_ctl.wdata.val();
        self.queues.wlast.next = self.nic.m_axi_ctl.wlast.val();
        self.queues.wvalid.next = self.nic.m_axi_ctl.wvalid.val();
        self.nic.m_axi_ctl.wready.next = self.queues.wready.val();
        self.nic.m_axi_ctl.bresp.next = 0.into();
        self.nic.m_axi_ctl.bvalid.next = self.queues.bvalid.val();
        self.queues.bready.next = self.nic.m_axi_ctl.bready.val();

        self.nic.s_axil.awaddr.next = bit_cast::<16, 12>(self.sequencer.awaddr.val());
        self.nic.s_axil.awvalid.next = self.sequencer.awvalid.val();
        self.sequencer.awready.next = self.nic.s_axil.awready.val();
        self.nic.s_axil.wdata.next = self.sequencer.wdata.val();
        self.nic.s_axil.wstrb.next = 0xF.into();
        self.nic.s_axil.wvalid.next = self.sequencer.wvalid.val();
        self.sequencer.wready.next = self.nic.s_axil.wready.val();
        self.sequencer.bvalid.next = self.nic.s_axil.bvalid.val();
        self.nic.s_axil.bready.next = self.sequencer.bready.val();
        self.nic.s_axil.araddr.next = bit_cast::<16, 12>(self.sequencer.araddr.val());
        self.nic.s_axil.arvalid.next = self.sequencer.arvalid.val();
        self.sequencer.arready.next = self.nic.s_axil.arready.val();
        self.sequencer.rdata.next = self.nic.s_axil.rdata.val();
        self.sequencer.rvalid.next = self.nic.s_axil.rvalid.val();
        self.nic.s_axil.rready.next = self.sequencer.rready.val();

        self.memory.door_address.next = self.sequencer.door_address.val();
        self.memory.door_data.next = self.sequencer.door_data.val();
        self.memory.door_write.next = self.sequencer.door_write.val();
        self.sequencer.door_read.next = self.memory.door_read.val();
        self.sequencer.completions.next = self.queues.completions.val();
        self.sequencer.completions_good.next = self.queues.good.val();
    }
}

/// The self-test's Verilog; the top is `self_test`.
pub fn emit() -> Result<Design, EmitError> {
    with_stack(|| {
        let mut block = SelfTest::default();
        block.connect_all();
        metaroce_emit::emit(&block, "self_test")
    })
}
