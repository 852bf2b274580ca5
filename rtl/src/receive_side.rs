//! The receive side: what WRITEs and PROBEs do, and the answers to them.
use metaroce_cores::counts::ReceiveCounts;
use metaroce_cores::types::{ConfigWrite, FrameEvent, Placement, TxDescriptor};
use rust_hdl::prelude::*;

/// Receive engine, its tables, and the builder of ACKs and REFUSALs, for N planes.
///
/// `W`: bits of the window, `IW`: log2 W, `G`: W / 16; `CA`, `GA`, `RA`: address bits of connections, paths (all
/// connections'), regions.
#[derive(LogicBlock)]
pub struct ReceiveSide<
    const N: usize,
    const W: usize,
    const IW: usize,
    const G: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high. Tables keep their contents: configure again after it.
    pub reset: Signal<In, Bit>,
    /// A WRITE or PROBE that its parser passed.
    pub event: Signal<In, FrameEvent>,
    /// The plane it came from; `event_ready` depends on it.
    pub event_plane: Signal<In, Bits<3>>,
    /// Valid.
    pub event_valid: Signal<In, Bit>,
    /// Ready; never depends on `event_valid`.
    pub event_ready: Signal<Out, Bit>,
    /// Verdict on a WRITE's payload, one cycle after its event entered; nothing waits.
    pub placement: Signal<Out, Placement>,
    /// One hot: the plane of the verdict.
    pub placement_valid: [Signal<Out, Bit>; N],
    /// The plane has room for TWO more verdicts (one may be on its way).
    pub placement_ready: [Signal<In, Bit>; N],
    /// An ACK or REFUSAL.
    pub answer: Signal<Out, TxDescriptor>,
    /// One hot: the plane of the answer.
    pub answer_valid: [Signal<Out, Bit>; N],
    /// The plane's slot is free; once up it stays up until an answer comes (valid comes a cycle after it was looked at).
    pub answer_ready: [Signal<In, Bit>; N],
    /// Configuration.
    pub config_write: Signal<In, ConfigWrite>,
    /// No event enters, no answer is begun.
    pub hold: Signal<In, Bit>,
    /// Nothing is inside a stage.
    pub idle: Signal<Out, Bit>,
    /// ACK_EVERY, packets.
    pub ack_every: Signal<In, Bits<8>>,
    /// For the counters.
    pub counts: Signal<Out, ReceiveCounts>,
    /// Commit trace: an ACK is built.
    pub trace_ack_build_valid: Signal<Out, Bit>,
    /// Its path.
    pub trace_ack_build_path: Signal<Out, Bits<16>>,
    /// Commit trace: the oldest refusal is built.
    pub trace_refusal_build_valid: Signal<Out, Bit>,
    /// Commit trace: an event.
    pub trace_receive_valid: Signal<Out, Bit>,
    /// Its plane.
    pub trace_receive_plane: Signal<Out, Bits<3>>,
    /// A refusal could be queued.
    pub trace_receive_refusal_room: Signal<Out, Bit>,
}

impl<
    const N: usize,
    const W: usize,
    const IW: usize,
    const G: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
> ReceiveSide<N, W, IW, G, CA, GA, RA>
{
    /// `path_bits`: bits of a path number in its connection, GA - CA.
    pub fn new(path_bits: usize) -> Self {
        assert!((1..=8).contains(&N), "1 to 8 planes");
        assert_eq!(1 << IW, W, "IW is log2 W");
        assert_eq!(G * 16, W, "G is W / 16");
        assert_eq!(
            GA,
            CA + path_bits,
            "a global path number is connection and path"
        );
        assert!(
            path_bits <= 8 && CA <= 12 && GA <= 16 && RA <= 16,
            "index widths"
        );
        Self {
            clock: Default::default(),
            reset: Default::default(),
            event: Default::default(),
            event_plane: Default::default(),
            event_valid: Default::default(),
            event_ready: Default::default(),
            placement: Default::default(),
            placement_valid: std::array::from_fn(|_| Default::default()),
            placement_ready: std::array::from_fn(|_| Default::default()),
            answer: Default::default(),
            answer_valid: std::array::from_fn(|_| Default::default()),
            answer_ready: std::array::from_fn(|_| Default::default()),
            config_write: Default::default(),
            hold: Default::default(),
            idle: Default::default(),
            ack_every: Default::default(),
            counts: Default::default(),
            trace_ack_build_valid: Default::default(),
            trace_ack_build_path: Default::default(),
            trace_refusal_build_valid: Default::default(),
            trace_receive_valid: Default::default(),
            trace_receive_plane: Default::default(),
            trace_receive_refusal_room: Default::default(),
        }
    }
}

impl<
    const N: usize,
    const W: usize,
    const IW: usize,
    const G: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
> Logic for ReceiveSide<N, W, IW, G, CA, GA, RA>
{
    fn update(&mut self) {}
}
