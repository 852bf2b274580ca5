//! Congestion control: from ACKs and time-outs to the limits of each path.
use crate::congestion::{CongestionEvent, CongestionSettings, TimeoutWrite, WindowWrite};
use crate::narrow::Narrowing;
use crate::path_chooser::UNDER_WAY;
use crate::prim::Dff;
use crate::step_divider::StepDivider;
use crate::transmit_path::{LimitsWrite, PathWrite};
use crate::window_engine::WindowEngine;
use rust_hdl::prelude::*;

/// Hands ACKs and time-outs to the window engine, one a cycle, and its windows to who chooses paths.
///
/// An ACK is heard in the cycle in which it is applied, a time-out in the first cycle after it without an applied ACK: while one waits
/// `stop` leaves a gap between ACKs. The window is told 15 cycles after the event, and may be looked at from the next
/// cycle on; the time-out 4. `CA`, `GA` address bits of connections and paths. With law 0 and no RTO_FLOOR, or narrowed, nothing is heard.
#[derive(LogicBlock)]
pub struct CongestionControl<const CA: usize, const GA: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Registers.
    pub settings: Signal<In, CongestionSettings>,
    /// An ACK is applied.
    pub heard: Signal<In, CongestionEvent>,
    /// A time-out's probe is sent; not within four cycles of another.
    pub late: Signal<In, Bit>,
    /// Its path.
    pub late_path: Signal<In, Bits<16>>,
    /// No ACK may enter its engine.
    pub stop: Signal<Out, Bit>,
    /// Configuration of a path: it begins.
    pub path_write: Signal<In, PathWrite>,
    /// Configuration of a connection.
    pub connection_valid: Signal<In, Bit>,
    /// Which.
    pub connection: Signal<In, Bits<CA>>,
    /// Its paths.
    pub path_count: Signal<In, Bits<8>>,
    /// A path's window changes,
    pub law_window: Signal<Out, WindowWrite>,
    /// and in the next cycle its limits.
    pub limits: Signal<Out, LimitsWrite>,
    /// A path's measured time-out changes.
    pub timeout: Signal<Out, TimeoutWrite>,
    /// An event or a division is under way.
    pub busy: Signal<Out, Bit>,
    /// For the trace: a window that an event has changed.
    pub trace_window: Signal<Out, WindowWrite>,
    laws: Constant<Bit>,
    margin: Constant<Bits<8>>,
    divider: StepDivider<CA>,
    engine: WindowEngine<CA, GA>,
    event: Dff<CongestionEvent>,
    waits: Dff<Bit>,
    waiting: Dff<Bits<16>>,
    window: Dff<WindowWrite>,
    begins: Dff<Bit>,
    limits1: Dff<LimitsWrite>,
    listens: Signal<Local, Bit>,
    cap: Signal<Local, Bits<8>>,
}

impl<const CA: usize, const GA: usize> CongestionControl<CA, GA> {
    /// With laws, or, narrowed, without.
    pub fn new(narrowing: &Narrowing) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            settings: Default::default(),
            heard: Default::default(),
            late: Default::default(),
            late_path: Default::default(),
            stop: Default::default(),
            path_write: Default::default(),
            connection_valid: Default::default(),
            connection: Default::default(),
            path_count: Default::default(),
            limits: Default::default(),
            law_window: Default::default(),
            timeout: Default::default(),
            busy: Default::default(),
            trace_window: Default::default(),
            laws: Constant::new(narrowing.laws),
            margin: Constant::new(bits(UNDER_WAY as u64)),
            divider: Default::default(),
            engine: Default::default(),
            event: Default::default(),
            waits: Default::default(),
            waiting: Default::default(),
            window: Default::default(),
            begins: Default::default(),
            limits1: Default::default(),
            listens: Default::default(),
            cap: Default::default(),
        }
    }
}

impl<const CA: usize, const GA: usize> Logic for CongestionControl<CA, GA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, event, waits, waiting, window, begins, limits1);
        self.divider.clock.next = self.clock.val();
        self.divider.reset.next = self.reset.val();
        self.divider.start.next = self.connection_valid.val() & self.laws.val();
        self.divider.connection.next = self.connection.val();
        self.divider.paths.next = self.path_count.val();
        self.divider.increase.next = self.settings.val().increase;

        // Who is heard.
        self.listens.next =
            self.laws.val() & (self.settings.val().law.any() | self.settings.val().rto_floor.any());
        self.event.d.next = self.heard.val();
        self.event.d.next.valid =
            self.listens.val() & (self.heard.val().valid | self.waits.q.val());
        self.waits.d.next = self.listens.val() & self.waits.q.val() & self.heard.val().valid;
        if !self.heard.val().valid {
            self.event.d.next.path = self.waiting.q.val();
            self.event.d.next.timeout = true;
        }
        if self.late.val() & self.listens.val() {
            self.waits.d.next = true;
            self.waiting.d.next = self.late_path.val();
        }
        self.stop.next = self.waits.q.val();

        // The engine.
        self.engine.clock.next = self.clock.val();
        self.engine.reset.next = self.reset.val();
        self.engine.happened.next = self.event.q.val();
        self.engine.path_write.next = self.path_write.val();
        self.engine.path_write.next.valid = self.path_write.val().valid & self.laws.val();
        self.engine.step_valid.next = self.divider.done.val();
        self.engine.step_connection.next = self.divider.owner.val();
        self.engine.step.next = self.divider.step.val();
        self.engine.law.next = self.settings.val().law;
        self.engine.first.next = self.settings.val().first;
        self.engine.cap.next = self.settings.val().cap;
        self.engine.decrease.next = self.settings.val().decrease;
        self.engine.margin_log2.next = self.settings.val().margin_log2;
        self.engine.gain.next = self.settings.val().gain;
        self.timeout.next = self.engine.timeout.val();

        // The window, out of a register, and its limits, out of the next.
        self.window.d.next = self.engine.window.val();
        self.begins.d.next = self.path_write.val().valid;
        self.law_window.next = self.window.q.val();
        self.trace_window.next = self.window.q.val();
        self.trace_window.next.valid = self.window.q.val().valid & !self.begins.q.val();
        self.cap.next = bit_cast::<8, 9>(self.window.q.val().window);
        if self.window.q.val().window > bits::<9>(239) {
            self.cap.next = bits::<8>(239);
        }
        self.limits1.d.next.valid = self.window.q.val().valid;
        self.limits1.d.next.path = self.window.q.val().path;
        self.limits1.d.next.cap = self.cap.val();
        self.limits1.d.next.last = self.cap.val() - 1;
        self.limits1.d.next.roomy = bits::<8>(0);
        if self.cap.val() > self.margin.val() {
            self.limits1.d.next.roomy = self.cap.val() - self.margin.val();
        }
        self.limits.next = self.limits1.q.val();

        self.busy.next = self.event.q.val().valid
            | self.waits.q.val()
            | self.engine.busy.val()
            | self.window.q.val().valid
            | self.divider.busy.val();
        if self.reset.val() {
            self.waits.d.next = false;
            self.event.d.next.valid = false;
        }
    }
}
