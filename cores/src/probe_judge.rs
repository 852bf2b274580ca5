//! Whether a quiet path wants a probe.
use rust_hdl::prelude::*;

/// Judges one path (docs/protocol.md, "Probe wanted"); the time-out is looked at before the tail.
///
/// Purely combinational; at most one of the three answers is high. Time stamps wrap.
#[derive(LogicBlock, Default)]
pub struct ProbeJudge {
    /// The clock of all time stamps.
    pub now: Signal<In, Bits<32>>,
    /// Time of the path's last transmission.
    pub last_tx: Signal<In, Bits<32>>,
    /// Time of its last ACK.
    pub last_ack: Signal<In, Bits<32>>,
    /// Its last transmission was a probe.
    pub last_was_probe: Signal<In, Bit>,
    /// Time-outs counted.
    pub retries: Signal<In, Bits<4>>,
    /// `last_ack` at the time of that count.
    pub retries_at: Signal<In, Bits<32>>,
    /// Transmissions without a known fate.
    pub unresolved: Signal<In, Bits<8>>,
    /// The NIC has nothing new to send.
    pub idle: Signal<In, Bit>,
    /// RTO, ticks, at most 2^25.
    pub rto: Signal<In, Bits<32>>,
    /// MAX_RETRIES.
    pub max_retries: Signal<In, Bits<4>>,
    /// A tail probe is wanted.
    pub tail: Signal<Out, Bit>,
    /// A time-out probe is wanted.
    pub timeout: Signal<Out, Bit>,
    /// The path gives up.
    pub give_up: Signal<Out, Bit>,
    /// `retries` after a time-out probe.
    pub retries_next: Signal<Out, Bits<4>>,
    count: Signal<Local, Bits<4>>,
    silence: Signal<Local, Bits<32>>,
    late: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
}

impl Logic for ProbeJudge {
    #[hdl_gen]
    fn update(&mut self) {
        self.count.next = bits::<4>(0);
        if self.last_ack.val() == self.retries_at.val() {
            self.count.next = self.retries.val();
        }
        self.retries_next.next = self.count.val() + 1;
        self.silence.next = self.rto.val() << bits::<3>(6);
        if self.count.val() < bits::<4>(6) {
            self.silence.next = self.rto.val() << self.count.val();
        }
        self.late.next = (self.unresolved.val() != bits::<8>(0))
            & ((self.now.val() - self.last_tx.val()) >= self.silence.val())
            & ((self.now.val() - self.last_ack.val()) >= self.silence.val());
        self.full.next = self.unresolved.val().all();
        self.give_up.next =
            self.late.val() & (self.full.val() | (self.count.val() >= self.max_retries.val()));
        self.timeout.next = self.late.val() & !self.give_up.val();
        self.tail.next = !self.late.val()
            & (self.unresolved.val() != bits::<8>(0))
            & !self.full.val()
            & self.idle.val()
            & !self.last_was_probe.val();
    }
}
