//! The register file (docs/registers.md).
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::axi_lite::RegisterBus;
use crate::config_sequencer::ConfigSequencer;
use crate::congestion::CongestionSettings;
use crate::generated::registers as map;
use crate::narrow::Narrowing;
use crate::prim::Dff;
use crate::register::Register;
use crate::types::ConfigWrite;

/// All registers but the counters, and the configuration sequence.
///
/// In: `write`, `write_address`, `write_data`, `read_address` (of `AxiLite`); `counters` (their `read`); `failed` (the
/// 32 connections that `failed_select` names); `engines_idle`. Out: `bus`, for the counters; `read_data`; `write_wait` (a write of CONFIG_DATA or
/// CONFIG_COMMIT waits for the last one); every register's value; `config_write`, `configured` (it is what CONFIG_COMMIT asked for),
/// `hold` (also while not enabled); `restart`, one cycle in which all but the bus is reset.
#[derive(LogicBlock)]
pub struct RegisterFile {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub write: Signal<In, Bit>,
    pub write_address: Signal<In, Bits<16>>,
    pub write_data: Signal<In, Bits<32>>,
    pub write_wait: Signal<Out, Bit>,
    pub read_address: Signal<In, Bits<16>>,
    pub read_data: Signal<Out, Bits<32>>,
    pub bus: Signal<Out, RegisterBus>,
    pub counters: Signal<In, Bits<32>>,
    pub failed: Signal<In, Bits<32>>,
    pub failed_select: Signal<Out, Bits<32>>,
    pub engines_idle: Signal<In, Bit>,
    pub config_write: Signal<Out, ConfigWrite>,
    pub configured: Signal<Out, Bit>,
    pub hold: Signal<Out, Bit>,
    pub restart: Signal<Out, Bit>,
    pub enable: Signal<Out, Bit>,
    pub sq_base: Signal<Out, Bits<64>>,
    pub sq_size_log2: Signal<Out, Bits<5>>,
    pub sq_doorbell: Signal<Out, Bits<32>>,
    pub rq_base: Signal<Out, Bits<64>>,
    pub rq_size_log2: Signal<Out, Bits<5>>,
    pub rq_doorbell: Signal<Out, Bits<32>>,
    pub cq_base: Signal<Out, Bits<64>>,
    pub cq_size_log2: Signal<Out, Bits<5>>,
    pub cq_consumer: Signal<Out, Bits<32>>,
    pub window: Signal<Out, Bits<8>>,
    pub congestion: Signal<Out, CongestionSettings>,
    pub not_ready_ticks: Signal<Out, Bits<31>>,
    pub rto: Signal<Out, Bits<32>>,
    pub max_retries: Signal<Out, Bits<4>>,
    pub ack_every: Signal<Out, Bits<8>>,
    pub mtu_log2: Signal<Out, Bits<4>>,
    id_register: Register,
    version: Register,
    capabilities: [Register; 2],
    control: Register,
    sq_base_lo: Register,
    sq_base_hi: Register,
    sq_size: Register,
    doorbell: Register,
    rq_base_lo: Register,
    rq_base_hi: Register,
    rq_size: Register,
    rq_bell: Register,
    cq_base_lo: Register,
    cq_base_hi: Register,
    cq_size: Register,
    consumer: Register,
    window_register: Register,
    rto_register: Register,
    retries: Register,
    every: Register,
    mtu: Register,
    law_register: Register,
    first: Register,
    cap: Register,
    increase: Register,
    decrease: Register,
    margin: Register,
    gain: Register,
    floor: Register,
    not_ready: Register,
    select: Register,
    data: [Register; 8],
    entry: Register,
    sequencer: ConfigSequencer,
    entry_data: Signal<Local, Bits<256>>,
    restarting: Dff<Bit>,
    bitmap_offset: Constant<Bits<16>>,
    control_offset: Constant<Bits<16>>,
    data_offset: Constant<Bits<16>>,
    commit_offset: Constant<Bits<16>>,
}

impl RegisterFile {
    /// `capabilities`: what CAPABILITIES says; `table_bits`: address bits of the longest configuration table; `receives`: there is
    /// a receive queue; `narrowing`: bits that can be written.
    pub fn new(
        capabilities: [u32; 2],
        table_bits: usize,
        receives: bool,
        narrowing: &Narrowing,
    ) -> Self {
        // Queues are aligned to 64 bytes: no WQE and no CQE crosses a bound of 4 KiB.
        const ALIGNED: u32 = !63;
        const INDEX_AND_TABLE: u32 = 0xF000_FFFF;
        let low = |bits: u32| u32::MAX.checked_shr(32 - bits).unwrap_or(0);
        let queue = low(narrowing.queue_bits);
        let received = if receives { queue } else { 0 };
        // What no law reads is 0.
        let law = |offset, mask, start| match narrowing.laws {
            true => Register::new(offset, mask, start),
            false => Register::new(offset, 0, 0),
        };
        let high = if queue == u32::MAX { queue } else { 0 };
        Self {
            clock: Default::default(),
            reset: Default::default(),
            write: Default::default(),
            write_address: Default::default(),
            write_data: Default::default(),
            write_wait: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            bus: Default::default(),
            counters: Default::default(),
            failed: Default::default(),
            failed_select: Default::default(),
            engines_idle: Default::default(),
            config_write: Default::default(),
            configured: Default::default(),
            hold: Default::default(),
            restart: Default::default(),
            enable: Default::default(),
            sq_base: Default::default(),
            sq_size_log2: Default::default(),
            sq_doorbell: Default::default(),
            rq_base: Default::default(),
            rq_size_log2: Default::default(),
            rq_doorbell: Default::default(),
            cq_base: Default::default(),
            cq_size_log2: Default::default(),
            cq_consumer: Default::default(),
            window: Default::default(),
            congestion: Default::default(),
            not_ready_ticks: Default::default(),
            rto: Default::default(),
            max_retries: Default::default(),
            ack_every: Default::default(),
            mtu_log2: Default::default(),
            id_register: Register::new(map::ID, 0, map::ID_VALUE),
            version: Register::new(map::VERSION, 0, map::VERSION_VALUE),
            capabilities: std::array::from_fn(|i| {
                let offset = map::CAPABILITIES + 4 * i as u64;
                Register::new(offset, 0, capabilities[i].into())
            }),
            control: Register::new(map::CONTROL, 1, 0),
            sq_base_lo: Register::new(map::SQ_BASE_LO, ALIGNED & queue, 0),
            sq_base_hi: Register::new(map::SQ_BASE_HI, high, 0),
            sq_size: Register::new(map::SQ_SIZE_LOG2, 0x1F & queue, 0),
            doorbell: Register::new(map::SQ_DOORBELL, queue, 0),
            rq_base_lo: Register::new(map::RQ_BASE_LO, ALIGNED & received, 0),
            rq_base_hi: Register::new(map::RQ_BASE_HI, high & received, 0),
            rq_size: Register::new(map::RQ_SIZE_LOG2, 0x1F & received, 0),
            rq_bell: Register::new(map::RQ_DOORBELL, received, 0),
            cq_base_lo: Register::new(map::CQ_BASE_LO, ALIGNED & queue, 0),
            cq_base_hi: Register::new(map::CQ_BASE_HI, high, 0),
            cq_size: Register::new(map::CQ_SIZE_LOG2, 0x1F & queue, 0),
            consumer: Register::new(map::CQ_CONSUMER, queue, 0),
            window_register: Register::new(map::WINDOW, narrowing.window, map::WINDOW_RESET),
            rto_register: Register::new(map::RTO, narrowing.rto, map::RTO_RESET),
            retries: Register::new(
                map::MAX_RETRIES,
                narrowing.max_retries,
                map::MAX_RETRIES_RESET,
            ),
            every: Register::new(map::ACK_EVERY, narrowing.ack_every, map::ACK_EVERY_RESET),
            mtu: Register::new(map::MTU_LOG2, narrowing.mtu_log2, map::MTU_LOG2_RESET),
            law_register: law(map::CONGESTION_LAW, 0x3, map::CONGESTION_LAW_RESET),
            first: law(map::WINDOW_FIRST, 0x1FF, map::WINDOW_FIRST_RESET),
            cap: law(map::WINDOW_CAP, 0x1FF, map::WINDOW_CAP_RESET),
            increase: law(map::INCREASE, 0x7FFF, map::INCREASE_RESET),
            decrease: law(map::DECREASE, 0x1FF, map::DECREASE_RESET),
            margin: law(map::DELAY_MARGIN_LOG2, 0xF, map::DELAY_MARGIN_LOG2_RESET),
            gain: law(map::DELAY_GAIN, 0x1FF, map::DELAY_GAIN_RESET),
            not_ready: Register::new(
                map::NOT_READY_TICKS,
                if receives { 0x7FFF_FFFF } else { 0 },
                map::NOT_READY_TICKS_RESET,
            ),
            floor: law(map::RTO_FLOOR, 0x3FF_FFFF, map::RTO_FLOOR_RESET),
            select: Register::new(map::FAILED_SELECT, queue, 0),
            data: std::array::from_fn(|i| {
                Register::new(map::CONFIG_DATA + 4 * i as u64, narrowing.config[i], 0)
            }),
            entry: Register::new(
                map::CONFIG_COMMIT,
                INDEX_AND_TABLE & (0xF000_0000 | low(narrowing.index_bits)),
                0,
            ),
            sequencer: ConfigSequencer::new(table_bits),
            entry_data: Default::default(),
            restarting: Default::default(),
            bitmap_offset: Constant::new(map::FAILED_BITMAP.into()),
            control_offset: Constant::new(map::CONTROL.into()),
            data_offset: Constant::new(map::CONFIG_DATA.into()),
            commit_offset: Constant::new(map::CONFIG_COMMIT.into()),
        }
    }
}

impl Logic for RegisterFile {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, restarting);
        clock!(
            self,
            clock,
            id_register,
            version,
            control,
            sq_base_lo,
            sq_base_hi,
            sq_size,
            doorbell
        );
        clock!(
            self,
            clock,
            cq_base_lo,
            cq_base_hi,
            cq_size,
            consumer,
            window_register,
            rto_register,
            retries,
            every
        );
        clock!(
            self, clock, mtu, select, entry, sequencer, rq_base_lo, rq_base_hi, rq_size, rq_bell
        );
        clock!(
            self,
            clock,
            law_register,
            first,
            cap,
            increase,
            decrease,
            margin,
            gain,
            floor,
            not_ready
        );
        self.restart.next = self.restarting.q.val();
        self.bus.next.reset = self.reset.val() | self.restarting.q.val();
        self.bus.next.write = self.write.val();
        self.bus.next.address = self.write_address.val();
        self.bus.next.data = self.write_data.val();
        self.bus.next.read_address = self.read_address.val();
        self.id_register.bus.next = self.bus.val();
        self.version.bus.next = self.bus.val();
        self.control.bus.next = self.bus.val();
        self.sq_base_lo.bus.next = self.bus.val();
        self.sq_base_hi.bus.next = self.bus.val();
        self.sq_size.bus.next = self.bus.val();
        self.doorbell.bus.next = self.bus.val();
        self.rq_base_lo.bus.next = self.bus.val();
        self.rq_base_hi.bus.next = self.bus.val();
        self.rq_size.bus.next = self.bus.val();
        self.rq_bell.bus.next = self.bus.val();
        self.cq_base_lo.bus.next = self.bus.val();
        self.cq_base_hi.bus.next = self.bus.val();
        self.cq_size.bus.next = self.bus.val();
        self.consumer.bus.next = self.bus.val();
        self.window_register.bus.next = self.bus.val();
        self.rto_register.bus.next = self.bus.val();
        self.retries.bus.next = self.bus.val();
        self.every.bus.next = self.bus.val();
        self.mtu.bus.next = self.bus.val();
        self.law_register.bus.next = self.bus.val();
        self.first.bus.next = self.bus.val();
        self.cap.bus.next = self.bus.val();
        self.increase.bus.next = self.bus.val();
        self.decrease.bus.next = self.bus.val();
        self.margin.bus.next = self.bus.val();
        self.gain.bus.next = self.bus.val();
        self.floor.bus.next = self.bus.val();
        self.not_ready.bus.next = self.bus.val();
        self.select.bus.next = self.bus.val();
        self.entry.bus.next = self.bus.val();
        for i in 0..2 {
            self.capabilities[i].clock.next = self.clock.val();
            self.capabilities[i].bus.next = self.bus.val();
        }
        for i in 0..8 {
            self.data[i].clock.next = self.clock.val();
            self.data[i].bus.next = self.bus.val();
        }

        self.failed_select.next = self.select.value.val();
        self.read_data.next = self.counters.val()
            | self.id_register.read.val()
            | self.version.read.val()
            | self.control.read.val()
            | self.sq_base_lo.read.val()
            | self.sq_base_hi.read.val()
            | self.sq_size.read.val()
            | self.doorbell.read.val()
            | self.rq_base_lo.read.val()
            | self.rq_base_hi.read.val()
            | self.rq_size.read.val()
            | self.rq_bell.read.val()
            | self.cq_base_lo.read.val()
            | self.cq_base_hi.read.val()
            | self.cq_size.read.val()
            | self.consumer.read.val()
            | self.window_register.read.val()
            | self.rto_register.read.val()
            | self.retries.read.val()
            | self.every.read.val()
            | self.mtu.read.val()
            | self.law_register.read.val()
            | self.first.read.val()
            | self.cap.read.val()
            | self.increase.read.val()
            | self.decrease.read.val()
            | self.margin.read.val()
            | self.gain.read.val()
            | self.floor.read.val()
            | self.not_ready.read.val()
            | self.select.read.val()
            | self.entry.read.val();
        for i in 0..2 {
            self.read_data.next = self.read_data.val() | self.capabilities[i].read.val();
        }
        for i in 0..8 {
            self.read_data.next = self.read_data.val() | self.data[i].read.val();
        }
        if self.read_address.val() == self.bitmap_offset.val() {
            self.read_data.next = self.failed.val();
        }
        if (self.read_address.val() == self.commit_offset.val()) & self.sequencer.busy.val() {
            self.read_data.next = self.entry.value.val() | 0x0800_0000;
        }

        // Configuration.
        self.entry_data.next = bit_cast::<256, 32>(self.data[0].value.val())
            | (bit_cast::<256, 32>(self.data[1].value.val()) << 32)
            | (bit_cast::<256, 32>(self.data[2].value.val()) << 64)
            | (bit_cast::<256, 32>(self.data[3].value.val()) << 96)
            | (bit_cast::<256, 32>(self.data[4].value.val()) << 128)
            | (bit_cast::<256, 32>(self.data[5].value.val()) << 160)
            | (bit_cast::<256, 32>(self.data[6].value.val()) << 192)
            | (bit_cast::<256, 32>(self.data[7].value.val()) << 224);
        self.sequencer.reset.next = self.bus.val().reset;
        self.sequencer.commit.next =
            self.write.val() & (self.write_address.val() == self.commit_offset.val());
        self.sequencer.entry_table.next = self.write_data.val().get_bits::<4>(28);
        self.sequencer.index.next = self.write_data.val().get_bits::<16>(0);
        self.sequencer.data.next = self.entry_data.val();
        self.sequencer.engines_idle.next = self.engines_idle.val();
        self.config_write.next = self.sequencer.config_write.val();
        self.configured.next = self.sequencer.written.val();
        self.write_wait.next = self.sequencer.busy.val()
            & (self.write_address.val() >= self.data_offset.val())
            & (self.write_address.val() <= self.commit_offset.val());

        // Values.
        self.enable.next = self.control.value.val().get_bit(0);
        self.hold.next = self.sequencer.hold.val() | !self.enable.val();
        self.sq_base.next = bit_cast::<64, 32>(self.sq_base_lo.value.val())
            | (bit_cast::<64, 32>(self.sq_base_hi.value.val()) << 32);
        self.sq_size_log2.next = bit_cast::<5, 32>(self.sq_size.value.val());
        self.sq_doorbell.next = self.doorbell.value.val();
        self.rq_base.next = bit_cast::<64, 32>(self.rq_base_lo.value.val())
            | (bit_cast::<64, 32>(self.rq_base_hi.value.val()) << 32);
        self.rq_size_log2.next = bit_cast::<5, 32>(self.rq_size.value.val());
        self.rq_doorbell.next = self.rq_bell.value.val();
        self.cq_base.next = bit_cast::<64, 32>(self.cq_base_lo.value.val())
            | (bit_cast::<64, 32>(self.cq_base_hi.value.val()) << 32);
        self.cq_size_log2.next = bit_cast::<5, 32>(self.cq_size.value.val());
        self.cq_consumer.next = self.consumer.value.val();
        self.window.next = bit_cast::<8, 32>(self.window_register.value.val());
        self.congestion.next.law = bit_cast::<2, 32>(self.law_register.value.val());
        self.congestion.next.first = bit_cast::<9, 32>(self.first.value.val());
        self.congestion.next.cap = bit_cast::<9, 32>(self.cap.value.val());
        self.congestion.next.increase = bit_cast::<15, 32>(self.increase.value.val());
        self.congestion.next.decrease = bit_cast::<9, 32>(self.decrease.value.val());
        self.congestion.next.margin_log2 = bit_cast::<4, 32>(self.margin.value.val());
        self.congestion.next.gain = bit_cast::<9, 32>(self.gain.value.val());
        self.congestion.next.rto_floor = bit_cast::<26, 32>(self.floor.value.val());
        self.not_ready_ticks.next = bit_cast::<31, 32>(self.not_ready.value.val());
        self.rto.next = self.rto_register.value.val();
        self.max_retries.next = bit_cast::<4, 32>(self.retries.value.val());
        self.ack_every.next = bit_cast::<8, 32>(self.every.value.val());
        self.mtu_log2.next = bit_cast::<4, 32>(self.mtu.value.val());
        self.restarting.d.next = self.write.val()
            & (self.write_address.val() == self.control_offset.val())
            & self.write_data.val().get_bit(1);
        if self.reset.val() {
            self.restarting.d.next = false;
        }
    }
}
