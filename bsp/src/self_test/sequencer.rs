//! The self-test's host: performs a script over AXI4-Lite and judges the outcome.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use std::collections::BTreeMap;

use metaroce_cores::prim::Dff;
use rust_hdl::prelude::*;

use super::script::Step;

/// What the sequencer is at.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum State {
    /// The step is on its way out of the ROM.
    Fetch,
    /// The step is here.
    Begin,
    /// A register is being written.
    Write,
    /// A register is being read.
    Read,
    /// Memory is being filled.
    Fill,
    /// Memory is being compared.
    Compare,
    /// The script is over.
    Done,
}

/// Performs a script of up to 128 steps (see [`Step`]), then shows the result for good.
///
/// `A` = `B` + 1 address bits of the memory: its lower half is the source, its upper half the destination.
/// LEDs: 0 heartbeat, 1 running, 2 every completion good, 3 destination equals source, 4 retransmission happened,
/// 5 no error was counted, 6 took too long, 7 passed.
#[derive(LogicBlock)]
pub struct Sequencer<const A: usize, const B: usize> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: begins again.
    pub reset: Signal<In, Bit>,
    pub awaddr: Signal<Out, Bits<12>>,
    pub awvalid: Signal<Out, Bit>,
    pub awready: Signal<In, Bit>,
    pub wdata: Signal<Out, Bits<32>>,
    pub wvalid: Signal<Out, Bit>,
    pub wready: Signal<In, Bit>,
    pub bvalid: Signal<In, Bit>,
    pub bready: Signal<Out, Bit>,
    pub araddr: Signal<Out, Bits<12>>,
    pub arvalid: Signal<Out, Bit>,
    pub arready: Signal<In, Bit>,
    pub rdata: Signal<In, Bits<32>>,
    pub rvalid: Signal<In, Bit>,
    pub rready: Signal<Out, Bit>,
    pub door_address: Signal<Out, Bits<A>>,
    pub door_data: Signal<Out, Bits<8>>,
    pub door_write: Signal<Out, Bit>,
    pub door_read: Signal<In, Bits<8>>,
    pub completions: Signal<In, Bits<4>>,
    pub completions_good: Signal<In, Bit>,
    pub leds: Signal<Out, Bits<8>>,
    rom: SyncROM<Bits<48>, 7>,
    state: Dff<State>,
    step: Dff<Bits<7>>,
    address_pending: Dff<Bit>,
    data_pending: Dff<Bit>,
    /// Byte of a half of the memory.
    index: Dff<Bits<B>>,
    phase: Dff<Bits<2>>,
    kept: Dff<Bits<8>>,
    different: Dff<Bit>,
    compared: Dff<Bit>,
    again: Dff<Bit>,
    errors: Dff<Bit>,
    late: Dff<Bit>,
    timer: Dff<Bits<26>>,
    operation: Signal<Local, Bits<4>>,
    operand: Signal<Local, Bits<32>>,
    pattern: Signal<Local, Bits<8>>,
    limit: Constant<Bits<26>>,
    upper_half: Constant<Bits<A>>,
}

impl<const A: usize, const B: usize> Sequencer<A, B> {
    /// `limit`: cycles after which a script that is not over has failed, below 2^26.
    pub fn new(script: &[Step], limit: u32) -> Self {
        assert!(A == B + 1 && B >= 8, "A = B + 1, B at least 8");
        assert!(script.len() <= 128, "{} steps of at most 128", script.len());
        assert!(limit < 1 << 26, "a limit of {limit} cycles");
        let words: BTreeMap<Bits<7>, Bits<48>> = (0_u64..)
            .zip(script)
            .map(|(place, step)| (place.into(), step.word().into()))
            .collect();
        Self {
            clock: Default::default(),
            reset: Default::default(),
            awaddr: Default::default(),
            awvalid: Default::default(),
            awready: Default::default(),
            wdata: Default::default(),
            wvalid: Default::default(),
            wready: Default::default(),
            bvalid: Default::default(),
            bready: Default::default(),
            araddr: Default::default(),
            arvalid: Default::default(),
            arready: Default::default(),
            rdata: Default::default(),
            rvalid: Default::default(),
            rready: Default::default(),
            door_address: Default::default(),
            door_data: Default::default(),
            door_write: Default::default(),
            door_read: Default::default(),
            completions: Default::default(),
            completions_good: Default::default(),
            leds: Default::default(),
            rom: SyncROM::new(words),
            state: Default::default(),
            step: Default::default(),
            address_pending: Default::default(),
            data_pending: Default::default(),
            index: Default::default(),
            phase: Default::default(),
            kept: Default::default(),
            different: Default::default(),
            compared: Default::default(),
            again: Default::default(),
            errors: Default::default(),
            late: Default::default(),
            timer: Default::default(),
            operation: Default::default(),
            operand: Default::default(),
            pattern: Default::default(),
            limit: Constant::new(u64::from(limit).into()),
            upper_half: Constant::new((1_u64 << B).into()),
        }
    }
}

impl<const A: usize, const B: usize> Logic for Sequencer<A, B> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            state,
            step,
            address_pending,
            data_pending,
            index,
            phase,
            kept,
            different,
            compared,
            again,
            errors,
            late,
            timer
        );
        self.rom.clock.next = self.clock.val();
        self.rom.address.next = self.step.q.val();
        self.operation.next = self.rom.data.val().get_bits::<4>(44);
        self.operand.next = self.rom.data.val().get_bits::<32>(0);

        self.awaddr.next = self.rom.data.val().get_bits::<12>(32);
        self.araddr.next = self.rom.data.val().get_bits::<12>(32);
        self.wdata.next = self.operand.val();
        self.awvalid.next = (self.state.q.val() == State::Write) && self.address_pending.q.val();
        self.wvalid.next = (self.state.q.val() == State::Write) && self.data_pending.q.val();
        self.bready.next = true;
        self.arvalid.next = (self.state.q.val() == State::Read) && self.address_pending.q.val();
        self.rready.next = true;

        self.pattern.next =
            bit_cast::<8, B>(self.index.q.val()) ^ bit_cast::<8, B>(self.index.q.val() >> 4);
        self.door_address.next = bit_cast::<A, B>(self.index.q.val());
        self.door_data.next = self.pattern.val();
        self.door_write.next = false;

        self.timer.d.next = self.timer.q.val() + 1;
        if (self.timer.q.val() == self.limit.val()) && (self.state.q.val() != State::Done) {
            self.late.d.next = true;
        }

        match self.state.q.val() {
            State::Fetch => {
                self.state.d.next = State::Begin;
            }
            State::Begin => {
                self.address_pending.d.next = true;
                self.data_pending.d.next = true;
                self.index.d.next = 0.into();
                self.phase.d.next = 0.into();
                // The numbers are those of `Step::word`.
                if self.operation.val() == 1 {
                    self.state.d.next = State::Write;
                }
                if self.operation.val().get_bit(3) {
                    self.state.d.next = State::Read;
                }
                if self.operation.val() == 2 {
                    self.state.d.next = State::Fill;
                }
                if (self.operation.val() == 3)
                    && (self.completions.val() == self.operand.val().get_bits::<4>(0))
                {
                    self.step.d.next = self.step.q.val() + 1;
                    self.state.d.next = State::Fetch;
                }
                if self.operation.val() == 4 {
                    self.state.d.next = State::Compare;
                }
                if self.operation.val() == 0 {
                    self.state.d.next = State::Done;
                }
            }
            State::Write => {
                if self.awready.val() {
                    self.address_pending.d.next = false;
                }
                if self.wready.val() {
                    self.data_pending.d.next = false;
                }
                if self.bvalid.val() {
                    self.step.d.next = self.step.q.val() + 1;
                    self.state.d.next = State::Fetch;
                }
            }
            State::Read => {
                if self.arready.val() {
                    self.address_pending.d.next = false;
                }
                if self.rvalid.val() {
                    self.step.d.next = self.step.q.val() + 1;
                    self.state.d.next = State::Fetch;
                    if (self.operation.val() == 8) && (self.rdata.val() & self.operand.val()).any()
                    {
                        // Not yet zero: read it again.
                        self.step.d.next = self.step.q.val();
                    }
                    if (self.operation.val() == 9) && (self.rdata.val() != self.operand.val()) {
                        self.errors.d.next = true;
                    }
                    if (self.operation.val() == 10) && self.rdata.val().any() {
                        self.again.d.next = true;
                    }
                }
            }
            State::Fill => {
                self.door_write.next = true;
                self.phase.d.next = self.phase.q.val() + 1;
                if self.phase.q.val().get_bit(0) {
                    // The destination begins as the opposite of what is expected.
                    self.door_address.next =
                        bit_cast::<A, B>(self.index.q.val()) | self.upper_half.val();
                    self.door_data.next = !self.pattern.val();
                    self.index.d.next = self.index.q.val() + 1;
                    if self.index.q.val().all() {
                        self.step.d.next = self.step.q.val() + 1;
                        self.state.d.next = State::Fetch;
                    }
                }
            }
            State::Compare => {
                self.phase.d.next = self.phase.q.val() + 1;
                if self.phase.q.val() == 1 {
                    self.kept.d.next = self.door_read.val();
                    self.door_address.next =
                        bit_cast::<A, B>(self.index.q.val()) | self.upper_half.val();
                }
                if self.phase.q.val() == 2 {
                    self.phase.d.next = 0.into();
                    self.index.d.next = self.index.q.val() + 1;
                    if self.door_read.val() != self.kept.q.val() {
                        self.different.d.next = true;
                    }
                    if self.index.q.val().all() {
                        self.compared.d.next = true;
                        self.step.d.next = self.step.q.val() + 1;
                        self.state.d.next = State::Fetch;
                    }
                }
            }
            State::Done => {}
            _ => {
                self.state.d.next = State::Done;
            }
        }

        self.leds.next = 0.into();
        if self.timer.q.val().get_bit(25) {
            self.leds.next = self.leds.val() | 0x01;
        }
        if (self.state.q.val() != State::Done) && !self.late.q.val() {
            self.leds.next = self.leds.val() | 0x02;
        }
        if self.completions_good.val() && self.completions.val().any() {
            self.leds.next = self.leds.val() | 0x04;
        }
        if self.compared.q.val() && !self.different.q.val() {
            self.leds.next = self.leds.val() | 0x08;
        }
        if self.again.q.val() {
            self.leds.next = self.leds.val() | 0x10;
        }
        if (self.state.q.val() == State::Done) && !self.errors.q.val() {
            self.leds.next = self.leds.val() | 0x20;
        }
        if self.late.q.val() {
            self.leds.next = self.leds.val() | 0x40;
        }
        if self.leds.val().get_bits::<6>(1) == 0x1E {
            self.leds.next = self.leds.val() | 0x80;
        }

        if self.reset.val() {
            self.state.d.next = State::Fetch;
            self.step.d.next = 0.into();
            self.different.d.next = false;
            self.compared.d.next = false;
            self.again.d.next = false;
            self.errors.d.next = false;
            self.late.d.next = false;
            self.timer.d.next = 0.into();
        }
    }
}
