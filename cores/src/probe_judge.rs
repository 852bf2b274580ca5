//! Whether a quiet path wants a probe.
use crate::narrow::Narrowing;
use crate::prim::Dff;
use rust_hdl::prelude::*;

/// Judges one path (docs/protocol.md, "Probe wanted"); the time-out is looked at before the tail.
///
/// The answer comes two cycles later, one a cycle; at most one of the three is high. Time stamps wrap.
#[derive(LogicBlock)]
pub struct ProbeJudge {
    /// The one clock.
    pub clock: Signal<In, Clock>,
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
    /// A law of congestion closes the path, and its last transmission asked for no acknowledgement.
    pub closed: Signal<In, Bit>,
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
    count: Dff<Bits<4>>,
    since_tx: Dff<Bits<32>>,
    since_ack: Dff<Bits<32>>,
    some: Dff<Bit>,
    full: Dff<Bit>,
    quiet: Dff<Bit>,
    tail_wanted: Dff<Bit>,
    timeout_wanted: Dff<Bit>,
    end_wanted: Dff<Bit>,
    retries_after: Dff<Bits<4>>,
    used_time: Constant<Bits<32>>,
    silence: Signal<Local, Bits<32>>,
    late: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
}

impl ProbeJudge {
    /// A judge.
    pub fn new(narrowing: &Narrowing) -> Self {
        Self {
            clock: Default::default(),
            now: Default::default(),
            last_tx: Default::default(),
            last_ack: Default::default(),
            last_was_probe: Default::default(),
            retries: Default::default(),
            retries_at: Default::default(),
            unresolved: Default::default(),
            idle: Default::default(),
            closed: Default::default(),
            rto: Default::default(),
            max_retries: Default::default(),
            tail: Default::default(),
            timeout: Default::default(),
            give_up: Default::default(),
            retries_next: Default::default(),
            count: Default::default(),
            since_tx: Default::default(),
            since_ack: Default::default(),
            some: Default::default(),
            full: Default::default(),
            quiet: Default::default(),
            tail_wanted: Default::default(),
            timeout_wanted: Default::default(),
            end_wanted: Default::default(),
            retries_after: Default::default(),
            silence: Default::default(),
            late: Default::default(),
            over: Default::default(),
            used_time: Constant::new(Narrowing::low(narrowing.time_bits)),
        }
    }
}

impl Logic for ProbeJudge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            count,
            since_tx,
            since_ack,
            some,
            full,
            quiet,
            tail_wanted,
            timeout_wanted,
            end_wanted,
            retries_after
        );
        self.count.d.next = bits::<4>(0);
        if self.last_ack.val() == self.retries_at.val() {
            self.count.d.next = self.retries.val();
        }
        self.since_tx.d.next = (self.now.val() - self.last_tx.val()) & self.used_time.val();
        self.since_ack.d.next = (self.now.val() - self.last_ack.val()) & self.used_time.val();
        self.some.d.next = self.unresolved.val() != bits::<8>(0);
        self.full.d.next = self.unresolved.val().all();
        self.quiet.d.next = (self.idle.val() & !self.last_was_probe.val()) | self.closed.val();

        self.silence.next = self.rto.val() << bits::<3>(6);
        if self.count.q.val() < bits::<4>(6) {
            self.silence.next = self.rto.val() << self.count.q.val();
        }
        self.late.next = self.some.q.val()
            & (self.since_tx.q.val() >= self.silence.val())
            & (self.since_ack.q.val() >= self.silence.val());
        self.over.next = self.full.q.val() | (self.count.q.val() >= self.max_retries.val());
        self.end_wanted.d.next = self.late.val() & self.over.val();
        self.timeout_wanted.d.next = self.late.val() & !self.over.val();
        self.tail_wanted.d.next =
            !self.late.val() & self.some.q.val() & !self.full.q.val() & self.quiet.q.val();
        self.retries_after.d.next = self.count.q.val() + 1;

        self.give_up.next = self.end_wanted.q.val();
        self.timeout.next = self.timeout_wanted.q.val();
        self.tail.next = self.tail_wanted.q.val();
        self.retries_next.next = self.retries_after.q.val();
    }
}
