//! A memory with one way in and one way out.

use rust_hdl::prelude::*;

/// A memory of 2^N words: one port writes, one port reads.
///
/// At a rising edge of `clock`, `read_data` takes the word at `read_address` as it was before
/// that edge (a write to the same address at the same edge shows one read later), and
/// `write_data` is stored if `write_enable`. Every word starts as `D::default()`.
/// Latency: 1 cycle. Cost: block RAM on iCE40 and ECP5.
#[derive(Clone, Debug, LogicBlock)]
pub struct RamSdp<D: Synth, const N: usize> {
    /// Clock of both ports.
    pub clock: Signal<In, Clock>,
    /// The word to read.
    pub read_address: Signal<In, Bits<N>>,
    /// The word read, one cycle later.
    pub read_data: Signal<Out, D>,
    /// The word to write.
    pub write_address: Signal<In, Bits<N>>,
    /// Its new value.
    pub write_data: Signal<In, D>,
    /// Whether it is written.
    pub write_enable: Signal<In, Bit>,
    _words: Vec<D>,
}

impl<D: Synth, const N: usize> RamSdp<D, N> {
    /// Number of words.
    pub const WORDS: usize = 1 << N;
}

impl<D: Synth, const N: usize> Default for RamSdp<D, N> {
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

impl<D: Synth, const N: usize> Logic for RamSdp<D, N> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.read_data.next = self._words[self.read_address.val().index()];
            if self.write_enable.val() {
                self._words[self.write_address.val().index()] = self.write_data.val();
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        super::mark("ram_sdp", D::default().verilog())
    }
}
