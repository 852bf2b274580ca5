//! The NIC: N planes, the two engines' sides and the host's side.
use crate::bus::{AxiLite, AxiManager, AxisIn, AxisOut, Trace};
use rust_hdl::prelude::*;

/// The NIC. Names of emitted ports: `rx_axis_0_tdata`, `m_axi_0_araddr`, `m_axi_ctl_araddr`, `s_axil_awaddr`, `trace_now`, ...
///
/// `N` planes, `D` stream and AXI data bits, `K` = D / 8, `H` = 104 / K, `A` log2 of a plane's payload FIFO; `P` paths a
/// connection; `CA`, `GA`, `RA` address bits of connections, of all paths, of regions; `C` = 2^CA, `F` = 2^GA; `W`
/// window, `IW` = log2 W, `G` = W / 16, `FA` = GA + IW, `TA` = GA + 8; `QA` log2 of a retransmit queue; `M` message
/// slots, `MA` = log2 M.
#[derive(LogicBlock)]
pub struct Nic<
    const N: usize,
    const D: usize,
    const K: usize,
    const H: usize,
    const A: usize,
    const P: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
    const C: usize,
    const F: usize,
    const W: usize,
    const IW: usize,
    const G: usize,
    const FA: usize,
    const TA: usize,
    const QA: usize,
    const M: usize,
    const MA: usize,
> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// What the clock of all time stamps starts from at reset: 0 on a board.
    pub start_time: Signal<In, Bits<32>>,
    /// Frames from each plane's MAC.
    pub rx_axis: [AxisIn<D, K>; N],
    /// Frames to each plane's MAC.
    pub tx_axis: [AxisOut<D, K>; N],
    /// Payload of each plane.
    pub m_axi: [AxiManager<D, K>; N],
    /// WQEs and completions.
    pub m_axi_ctl: AxiManager<64, 8>,
    /// Registers.
    pub s_axil: AxiLite,
    /// What the engines do, for the lockstep.
    pub trace: Trace,
}

impl<
    const N: usize,
    const D: usize,
    const K: usize,
    const H: usize,
    const A: usize,
    const P: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
    const C: usize,
    const F: usize,
    const W: usize,
    const IW: usize,
    const G: usize,
    const FA: usize,
    const TA: usize,
    const QA: usize,
    const M: usize,
    const MA: usize,
> Nic<N, D, K, H, A, P, CA, GA, RA, C, F, W, IW, G, FA, TA, QA, M, MA>
{
    /// A NIC of this size.
    pub fn new() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            start_time: Default::default(),
            rx_axis: std::array::from_fn(|_| Default::default()),
            tx_axis: std::array::from_fn(|_| Default::default()),
            m_axi: std::array::from_fn(|_| Default::default()),
            m_axi_ctl: Default::default(),
            s_axil: Default::default(),
            trace: Default::default(),
        }
    }
}

impl<
    const N: usize,
    const D: usize,
    const K: usize,
    const H: usize,
    const A: usize,
    const P: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
    const C: usize,
    const F: usize,
    const W: usize,
    const IW: usize,
    const G: usize,
    const FA: usize,
    const TA: usize,
    const QA: usize,
    const M: usize,
    const MA: usize,
> Default for Nic<N, D, K, H, A, P, CA, GA, RA, C, F, W, IW, G, FA, TA, QA, M, MA>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<
    const N: usize,
    const D: usize,
    const K: usize,
    const H: usize,
    const A: usize,
    const P: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
    const C: usize,
    const F: usize,
    const W: usize,
    const IW: usize,
    const G: usize,
    const FA: usize,
    const TA: usize,
    const QA: usize,
    const M: usize,
    const MA: usize,
> Logic for Nic<N, D, K, H, A, P, CA, GA, RA, C, F, W, IW, G, FA, TA, QA, M, MA>
{
    fn update(&mut self) {}
}
