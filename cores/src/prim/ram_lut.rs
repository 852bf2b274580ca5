//! A small memory that is read at once.

use rust_hdl::prelude::*;

/// A memory of 2^N words: written at a rising edge of `clock` if `write_enable`, read without
/// a clock. After an edge, `read_data` is the new word. Every word starts as `D::default()`.
/// Latency: none. Cost: distributed RAM on ECP5, flip-flops on iCE40; keep it small.
#[derive(Clone, Debug, LogicBlock)]
pub struct RamLut<D: Synth, const N: usize> {
    /// Clock of the writing port.
    pub clock: Signal<In, Clock>,
    /// The word to read.
    pub read_address: Signal<In, Bits<N>>,
    /// The word read, at once.
    pub read_data: Signal<Out, D>,
    /// The word to write.
    pub write_address: Signal<In, Bits<N>>,
    /// Its new value.
    pub write_data: Signal<In, D>,
    /// Whether it is written.
    pub write_enable: Signal<In, Bit>,
    _words: Vec<D>,
}

impl<D: Synth, const N: usize> RamLut<D, N> {
    /// Number of words.
    pub const WORDS: usize = 1 << N;
}

impl<D: Synth, const N: usize> Default for RamLut<D, N> {
    fn default() -> Self {
        Self {
            clock: Signal::default(),
            read_address: Signal::default(),
            read_data: Signal::default(),
            write_address: Signal::default(),
            write_data: Signal::default(),
            write_enable: Signal::default(),
            _words: vec![D::default(); Self::WORDS],
        }
    }
}

impl<D: Synth, const N: usize> Logic for RamLut<D, N> {
    fn update(&mut self) {
        if self.clock.pos_edge() && self.write_enable.val() {
            self._words[self.write_address.val().index()] = self.write_data.val();
        }
        self.read_data.next = self._words[self.read_address.val().index()];
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        super::mark("ram_lut", D::default().verilog())
    }
}
