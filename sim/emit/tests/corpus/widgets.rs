//! rust-hdl's own widgets: those made of an update and of registers are emitted as they are.

use std::collections::BTreeMap;

use rust_hdl::prelude::*;
use rust_hdl::widgets::edge_ff::EdgeDFF;

use crate::bench::Case;
use crate::case;

#[derive(LogicBlock)]
struct Widgets {
    clock: Signal<In, Clock>,
    enable: Signal<In, Bit>,
    level: Signal<In, Bits<4>>,
    delay: Signal<In, Bits<3>>,
    strobed: Signal<Out, Bit>,
    active: Signal<Out, Bit>,
    rise: Signal<Out, Bit>,
    delayed: Signal<Out, Bits<4>>,
    preset_now: Signal<Out, Bits<8>>,
    looked_up: Signal<Out, Bits<6>>,
    looked_up_late: Signal<Out, Bits<6>>,
    kept: Signal<Out, Bits<4>>,
    strobe: Strobe<8>,
    pwm: PulseWidthModulator<4>,
    rising: EdgeDetector,
    line: DelayLine<Bits<4>, 8, 3>,
    preset: DFFWithInit<Bits<8>>,
    rom: ROM<Bits<6>, 4>,
    sync_rom: SyncROM<Bits<6>, 4>,
    edged: EdgeDFF<Bits<4>>,
}

impl Default for Widgets {
    fn default() -> Self {
        let values = (0..13_u64).map(|i| (bits::<4>(i), bits::<6>(i * 37 % 64)));
        let values: BTreeMap<Bits<4>, Bits<6>> = values.collect();
        Self {
            clock: Default::default(),
            enable: Default::default(),
            level: Default::default(),
            delay: Default::default(),
            strobed: Default::default(),
            active: Default::default(),
            rise: Default::default(),
            delayed: Default::default(),
            preset_now: Default::default(),
            looked_up: Default::default(),
            looked_up_late: Default::default(),
            kept: Default::default(),
            strobe: Strobe::new(100, 20.0),
            pwm: Default::default(),
            rising: EdgeDetector::new(true),
            line: Default::default(),
            preset: DFFWithInit::new(0xA5.into()),
            rom: ROM::new(values.clone()),
            sync_rom: SyncROM::new(values),
            edged: EdgeDFF::new(9.into()),
        }
    }
}

impl Logic for Widgets {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, strobe, pwm, rising, line, sync_rom);
        dff_setup!(self, clock, preset);
        self.edged.clk.next = self.clock.val();
        self.edged.d.next = self.level.val();
        self.kept.next = self.edged.q.val();
        self.strobe.enable.next = self.enable.val();
        self.strobed.next = self.strobe.strobe.val();
        self.pwm.enable.next = self.enable.val();
        self.pwm.threshold.next = self.level.val();
        self.active.next = self.pwm.active.val();
        self.rising.input_signal.next = self.enable.val();
        self.rise.next = self.rising.edge_signal.val();
        self.line.data_in.next = self.level.val();
        self.line.delay.next = self.delay.val();
        self.delayed.next = self.line.data_out.val();
        if self.enable.val() {
            self.preset.d.next = self.preset.q.val() + 1;
        }
        self.preset_now.next = self.preset.q.val();
        self.rom.address.next = self.level.val();
        self.looked_up.next = self.rom.data.val();
        self.sync_rom.address.next = self.level.val();
        self.looked_up_late.next = self.sync_rom.data.val();
    }
}

type Fifo = SynchronousFIFO<Bits<9>, 2, 3, 1>;

pub fn cases() -> Vec<Case> {
    vec![
        case!("widgets", Widgets, Widgets::default(); clock; [(enable), (level), (delay)];
            [(strobed), (active), (rise), (delayed), (preset_now), (looked_up), (looked_up_late), (kept)]),
        case!("fifo", Fifo, Fifo::default(); clock; [(read), (write), (data_in)];
            [(data_out), (empty), (almost_empty), (underflow), (full), (almost_full), (overflow)]),
        case!("random_numbers", LFSRSimple, LFSRSimple::default(); clock; [(strobe)]; [(num)]),
        case!("expander", FIFOExpanderN<4, 16>, FIFOExpanderN::new(WordOrder::MostSignificantFirst);
            clock; [(data_in), (empty), (full)]; [(read), (data_out), (write)]),
        case!("reducer", FIFOReducerN<16, 4>, FIFOReducerN::new(WordOrder::LeastSignificantFirst);
            clock; [(data_in), (empty), (full)]; [(read), (data_out), (write)]),
    ]
}
