//! The transmit side: what goes out on which path, what ACKs say about it, what is sent again.
use metaroce_cores::counts::{ConnectionFailure, TransmitCounts};
use metaroce_cores::types::{ConfigWrite, FrameEvent, Message, TxDescriptor};
use rust_hdl::prelude::*;

/// Transmit engine, ACK engine, resolver, retransmit queues and walk, for N planes.
///
/// `P` paths a connection; `CA`, `GA`: address bits of connections and of paths (all connections'); `C`: 2^CA; `F`: 2^GA;
/// `W` window, `IW`: log2 W; `FA`: GA + IW; `TA`: GA + 8; `QA`: log2 of each retransmit queue's entries.
#[derive(LogicBlock)]
pub struct TransmitSide<
    const P: usize,
    const CA: usize,
    const GA: usize,
    const C: usize,
    const F: usize,
    const N: usize,
    const W: usize,
    const IW: usize,
    const FA: usize,
    const TA: usize,
    const QA: usize,
> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high. Tables keep their contents: configure again after it.
    pub reset: Signal<In, Bit>,
    /// The clock of all time stamps.
    pub now: Signal<In, Bits<32>>,

    /// An ACK or REFUSAL that its parser passed.
    pub event: Signal<In, FrameEvent>,
    /// The plane it came from, for the trace.
    pub event_plane: Signal<In, Bits<3>>,
    /// Valid.
    pub event_valid: Signal<In, Bit>,
    /// Ready; never depends on `event_valid`.
    pub event_ready: Signal<Out, Bit>,

    /// The next message.
    pub message: Signal<In, Message>,
    /// Its slot.
    pub message_slot: Signal<In, Bits<4>>,
    /// Valid.
    pub message_valid: Signal<In, Bit>,
    /// It becomes the current message: there is none, or this cycle's commit is its last.
    pub message_ready: Signal<Out, Bit>,
    /// No message waits outside.
    pub sq_idle: Signal<In, Bit>,

    /// A WRITE or PROBE.
    pub data: Signal<Out, TxDescriptor>,
    /// One hot: the plane of the descriptor.
    pub data_valid: [Signal<Out, Bit>; N],
    /// The plane takes a descriptor; falls only by a transfer (valid comes some cycles after it was looked at).
    pub data_ready: [Signal<In, Bit>; N],

    /// A packet is delivered (never one of a failed connection).
    pub delivered_valid: Signal<Out, Bit>,
    /// Its message's slot.
    pub delivered_slot: Signal<Out, Bits<4>>,
    /// Which connection's failure is asked for.
    pub failure_connection: Signal<In, Bits<12>>,
    /// The answer, in the same cycle.
    pub failure: Signal<Out, ConnectionFailure>,
    /// Connections that failed.
    pub failed: Signal<Out, Bits<C>>,

    /// Configuration.
    pub config_write: Signal<In, ConfigWrite>,
    /// No event enters a stage.
    pub hold: Signal<In, Bit>,
    /// Nothing is inside a stage, no decision waits to become a descriptor.
    pub idle: Signal<Out, Bit>,
    /// WINDOW, packets.
    pub window: Signal<In, Bits<8>>,
    /// RTO, ticks.
    pub rto: Signal<In, Bits<32>>,
    /// MAX_RETRIES.
    pub max_retries: Signal<In, Bits<4>>,
    /// log2 MTU, 8..=12.
    pub mtu_log2: Signal<In, Bits<4>>,
    /// For the counters.
    pub counts: Signal<Out, TransmitCounts>,

    /// Commit trace: a decision.
    pub trace_transmit_valid: Signal<Out, Bit>,
    /// 0 tail probe, 1 time-out probe, 2 retransmission, 3 new data, 4 entry thrown away, 5 connection failed.
    pub trace_transmit_kind: Signal<Out, Bits<3>>,
    /// Its path.
    pub trace_transmit_path: Signal<Out, Bits<16>>,
    /// Path under the walk, 0xFFFF: none.
    pub trace_transmit_walk: Signal<Out, Bits<16>>,
    /// Planes with room.
    pub trace_transmit_room: Signal<Out, Bits<8>>,
    /// Planes whose oldest retransmission is looked at: one at most.
    pub trace_transmit_retransmit: Signal<Out, Bits<8>>,
    /// The current message is looked at.
    pub trace_transmit_current: Signal<Out, Bit>,
    /// There is no message to send, here or outside.
    pub trace_transmit_idle: Signal<Out, Bit>,
    /// Commit trace: a transmission is resolved.
    pub trace_resolve_valid: Signal<Out, Bit>,
    /// Its path.
    pub trace_resolve_path: Signal<Out, Bits<16>>,
    /// Its TSN.
    pub trace_resolve_tsn: Signal<Out, Bits<24>>,
    /// Commit trace: an ACK or REFUSAL.
    pub trace_acknowledge_valid: Signal<Out, Bit>,
    /// Its plane.
    pub trace_acknowledge_plane: Signal<Out, Bits<3>>,
}

impl<
    const P: usize,
    const CA: usize,
    const GA: usize,
    const C: usize,
    const F: usize,
    const N: usize,
    const W: usize,
    const IW: usize,
    const FA: usize,
    const TA: usize,
    const QA: usize,
> TransmitSide<P, CA, GA, C, F, N, W, IW, FA, TA, QA>
{
    /// A transmit side of this size.
    pub fn new() -> Self {
        assert!((1..=8).contains(&N), "1 to 8 planes");
        assert!((1..=16).contains(&P) && CA < GA, "1 to 16 paths");
        assert!(
            C == 1 << CA && F == 1 << GA && F == C * P,
            "C, F, GA follow from CA and P"
        );
        assert!(
            W == 1 << IW && (IW == 8 || IW == 5),
            "a window of 256 or 32"
        );
        assert!(
            FA == GA + IW && TA == GA + 8,
            "FA, TA follow from GA and IW"
        );
        Self {
            clock: Default::default(),
            reset: Default::default(),
            now: Default::default(),
            event: Default::default(),
            event_plane: Default::default(),
            event_valid: Default::default(),
            event_ready: Default::default(),
            message: Default::default(),
            message_slot: Default::default(),
            message_valid: Default::default(),
            message_ready: Default::default(),
            sq_idle: Default::default(),
            data: Default::default(),
            data_valid: std::array::from_fn(|_| Default::default()),
            data_ready: std::array::from_fn(|_| Default::default()),
            delivered_valid: Default::default(),
            delivered_slot: Default::default(),
            failure_connection: Default::default(),
            failure: Default::default(),
            failed: Default::default(),
            config_write: Default::default(),
            hold: Default::default(),
            idle: Default::default(),
            window: Default::default(),
            rto: Default::default(),
            max_retries: Default::default(),
            mtu_log2: Default::default(),
            counts: Default::default(),
            trace_transmit_valid: Default::default(),
            trace_transmit_kind: Default::default(),
            trace_transmit_path: Default::default(),
            trace_transmit_walk: Default::default(),
            trace_transmit_room: Default::default(),
            trace_transmit_retransmit: Default::default(),
            trace_transmit_current: Default::default(),
            trace_transmit_idle: Default::default(),
            trace_resolve_valid: Default::default(),
            trace_resolve_path: Default::default(),
            trace_resolve_tsn: Default::default(),
            trace_acknowledge_valid: Default::default(),
            trace_acknowledge_plane: Default::default(),
        }
    }
}

impl<
    const P: usize,
    const CA: usize,
    const GA: usize,
    const C: usize,
    const F: usize,
    const N: usize,
    const W: usize,
    const IW: usize,
    const FA: usize,
    const TA: usize,
    const QA: usize,
> Default for TransmitSide<P, CA, GA, C, F, N, W, IW, FA, TA, QA>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<
    const P: usize,
    const CA: usize,
    const GA: usize,
    const C: usize,
    const F: usize,
    const N: usize,
    const W: usize,
    const IW: usize,
    const FA: usize,
    const TA: usize,
    const QA: usize,
> Logic for TransmitSide<P, CA, GA, C, F, N, W, IW, FA, TA, QA>
{
    fn update(&mut self) {}
}
