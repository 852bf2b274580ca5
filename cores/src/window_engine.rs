//! The window engine: what ACKs and time-outs make of a path's congestion window and time-out.
use crate::aimd_law::AimdLaw;
use crate::congestion::{CongestionEvent, LawEvent, TimeoutWrite, WindowWrite};
use crate::delay_law::DelayLaw;
use crate::forwarded_table::ForwardedTable;
use crate::path_table::PathTable;
use crate::prim::Dff;
use crate::rtt_estimate::{RttEstimate, RttState};
use crate::transmit_path::PathWrite;
use crate::window_step::WindowStep;
use rust_hdl::prelude::*;

/// What the last ACK of a path counted.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
struct Counted {
    /// SACK.received.
    received: Bits<16>,
    /// SACK.marked.
    marked: Bits<16>,
}

/// A congestion window.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
struct Size {
    /// In 1/4,096 packet.
    window: Bits<21>,
    /// Deliveries that have made no step yet, in 1/4,096 packet.
    credit: Bits<21>,
}

/// Windows of all paths, by the law that `law` chooses (docs/protocol.md, section 8).
///
/// Takes an event a cycle, also of one path, in order. Two cycles later an ACK's counts and round trip are taken in; 3
/// cycles after the event the time-out changes, 13 cycles after the event the window. Nothing on the way depends on the window, so a law may be
/// as deep as it likes; a step of the window alone is a loop of one cycle. A path begins by its configuration, while no
/// event is under way. `CA`, `GA` address bits of connections and paths.
#[derive(LogicBlock)]
pub struct WindowEngine<const CA: usize, const GA: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// What happened.
    pub happened: Signal<In, CongestionEvent>,
    /// Configuration of a path: it begins.
    pub path_write: Signal<In, PathWrite>,
    /// A connection's step changes.
    pub step_valid: Signal<In, Bit>,
    /// Which connection's.
    pub step_connection: Signal<In, Bits<CA>>,
    /// A step of each of its paths, in 1/4,096 packet, at most 64 packets.
    pub step: Signal<In, Bits<19>>,
    /// 0: windows stay at their largest; 1: `Aimd`; 2: `Delay`.
    pub law: Signal<In, Bits<2>>,
    /// First window, packets, 1..=`cap`.
    pub first: Signal<In, Bits<9>>,
    /// Largest window, packets, 1..=256.
    pub cap: Signal<In, Bits<9>>,
    /// `Aimd`: what a mark takes, in 1/256 packet, at most 256.
    pub decrease: Signal<In, Bits<9>>,
    /// `Delay`: margin, as a shift of the shortest round trip, 1..=8.
    pub margin_log2: Signal<In, Bits<4>>,
    /// `Delay`: part of the excess that a delivery takes, in 1/256 packet, at most 256.
    pub gain: Signal<In, Bits<9>>,
    /// A path's window changes.
    pub window: Signal<Out, WindowWrite>,
    /// A path's time-out changes.
    pub timeout: Signal<Out, TimeoutWrite>,
    /// An event is under way.
    pub busy: Signal<Out, Bit>,
    path_bits: Constant<Bits<4>>,
    counted: ForwardedTable<Counted, GA>,
    shortest: ForwardedTable<Bits<25>, GA>,
    rtt: ForwardedTable<RttState, GA>,
    steps: PathTable<Bits<19>, CA>,
    sizes: ForwardedTable<Size, GA>,
    estimate: RttEstimate,
    aimd: AimdLaw,
    delay: DelayLaw,
    next: WindowStep,
    event1: Dff<CongestionEvent>,
    event2: Dff<CongestionEvent>,
    rtt2: Dff<Bits<25>>,
    delivered3: Dff<Bits<16>>,
    marked3: Dff<Bits<16>>,
    rtt_valid3: Dff<Bit>,
    rtt3: Dff<Bits<25>>,
    shortest3: Dff<Bits<25>>,
    timed3: Dff<Bit>,
    path3: Dff<Bits<16>>,
    rtt_after3: Dff<RttState>,
    heard: Dff<LawEvent>,
    step12: Dff<Bits<19>>,
    valid: [Dff<Bit>; 13],
    path: [Dff<Bits<GA>>; 13],
    late: [Dff<Bit>; 13],
    least: Signal<Local, Bits<25>>,
    silence: Signal<Local, Bits<28>>,
    delivered: Signal<Local, Bits<16>>,
    marked: Signal<Local, Bits<16>>,
}

impl<const CA: usize, const GA: usize> Default for WindowEngine<CA, GA> {
    fn default() -> Self {
        assert!(GA > CA && GA <= 16, "index widths");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            happened: Default::default(),
            path_write: Default::default(),
            step_valid: Default::default(),
            step_connection: Default::default(),
            step: Default::default(),
            law: Default::default(),
            first: Default::default(),
            cap: Default::default(),
            decrease: Default::default(),
            margin_log2: Default::default(),
            gain: Default::default(),
            window: Default::default(),
            timeout: Default::default(),
            busy: Default::default(),
            path_bits: Constant::new(bits((GA - CA) as u64)),
            counted: Default::default(),
            shortest: Default::default(),
            rtt: Default::default(),
            steps: Default::default(),
            sizes: Default::default(),
            estimate: Default::default(),
            aimd: Default::default(),
            delay: Default::default(),
            next: Default::default(),
            event1: Default::default(),
            event2: Default::default(),
            rtt2: Default::default(),
            delivered3: Default::default(),
            marked3: Default::default(),
            rtt_valid3: Default::default(),
            rtt3: Default::default(),
            shortest3: Default::default(),
            timed3: Default::default(),
            path3: Default::default(),
            rtt_after3: Default::default(),
            heard: Default::default(),
            step12: Default::default(),
            valid: std::array::from_fn(|_| Default::default()),
            path: std::array::from_fn(|_| Default::default()),
            late: std::array::from_fn(|_| Default::default()),
            least: Default::default(),
            silence: Default::default(),
            delivered: Default::default(),
            marked: Default::default(),
        }
    }
}

impl<const CA: usize, const GA: usize> Logic for WindowEngine<CA, GA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, event1, event2, rtt2, delivered3, marked3, rtt_valid3, rtt3, shortest3,
            timed3, path3, rtt_after3, heard, step12
        );
        self.counted.clock.next = self.clock.val();
        self.shortest.clock.next = self.clock.val();
        self.rtt.clock.next = self.clock.val();
        self.steps.clock.next = self.clock.val();
        self.sizes.clock.next = self.clock.val();
        self.aimd.clock.next = self.clock.val();
        self.delay.clock.next = self.clock.val();
        for i in 0..13 {
            self.valid[i].clock.next = self.clock.val();
            self.path[i].clock.next = self.clock.val();
            self.late[i].clock.next = self.clock.val();
        }
        // The event's number in `valid`, `path` and `late` is its age less one.
        self.valid[0].d.next = self.happened.val().valid;
        self.path[0].d.next = bit_cast::<GA, 16>(self.happened.val().path);
        self.late[0].d.next = self.happened.val().timeout;
        self.busy.next = self.happened.val().valid | self.valid[0].q.val();
        for i in 1..13 {
            self.valid[i].d.next = self.valid[i - 1].q.val();
            self.path[i].d.next = self.path[i - 1].q.val();
            self.late[i].d.next = self.late[i - 1].q.val();
            if self.valid[i].q.val() {
                self.busy.next = true;
            }
        }

        // 0: where the path's numbers are. 1: a round trip that can be true.
        self.event1.d.next = self.happened.val();
        self.counted.read_address.next = bit_cast::<GA, 16>(self.happened.val().path);
        self.shortest.read_address.next = bit_cast::<GA, 16>(self.happened.val().path);
        self.rtt.read_address.next = bit_cast::<GA, 16>(self.happened.val().path);
        self.event2.d.next = self.event1.q.val();
        self.event2.d.next.valid = self.event1.q.val().valid & !self.event1.q.val().timeout;
        self.event2.d.next.rtt_valid = self.event1.q.val().valid
            & !self.event1.q.val().timeout
            & self.event1.q.val().rtt_valid;
        self.rtt2.d.next = bit_cast::<25, 32>(self.event1.q.val().rtt);
        if (self.event1.q.val().rtt >> bits::<5>(25)).any() {
            self.rtt2.d.next = !bits::<25>(0);
        }

        // 2: what is new.
        self.least.next = self.shortest.read_data.val();
        if self.rtt2.q.val() < self.shortest.read_data.val() {
            self.least.next = self.rtt2.q.val();
        }
        self.estimate.state.next = self.rtt.read_data.val();
        self.estimate.rtt.next = self.rtt2.q.val();
        self.delivered3.d.next =
            self.event2.q.val().received - self.counted.read_data.val().received;
        self.marked3.d.next = self.event2.q.val().marked - self.counted.read_data.val().marked;
        if !self.event2.q.val().valid {
            self.delivered3.d.next = bits::<16>(0);
        }
        self.rtt_valid3.d.next = self.event2.q.val().rtt_valid;
        self.rtt3.d.next = self.rtt2.q.val();
        self.shortest3.d.next = self.least.val();
        self.counted.write_enable.next = self.event2.q.val().valid | self.path_write.val().valid;
        self.counted.write_address.next = self.path[1].q.val();
        self.counted.write_data.next.received = self.event2.q.val().received;
        self.counted.write_data.next.marked = self.event2.q.val().marked;
        self.shortest.write_enable.next =
            self.event2.q.val().rtt_valid | self.path_write.val().valid;
        self.shortest.write_address.next = self.path[1].q.val();
        self.shortest.write_data.next = self.least.val();
        self.rtt.write_enable.next = self.event2.q.val().rtt_valid | self.path_write.val().valid;
        self.rtt.write_address.next = self.path[1].q.val();
        self.rtt.write_data.next = self.estimate.after.val();

        // 3: what a law may hear.
        self.delivered.next = self.delivered3.q.val();
        self.marked.next = self.marked3.q.val();
        if self.marked3.q.val() > self.delivered3.q.val() {
            self.marked.next = self.delivered3.q.val();
        }
        self.heard.d.next.delivered = bit_cast::<8, 16>(self.delivered.val());
        if (self.delivered.val() >> bits::<4>(8)).any() {
            self.heard.d.next.delivered = bits::<8>(255);
        }
        self.heard.d.next.marked = bit_cast::<8, 16>(self.marked.val());
        if (self.marked.val() >> bits::<4>(8)).any() {
            self.heard.d.next.marked = bits::<8>(255);
        }
        self.heard.d.next.rtt_valid = self.rtt_valid3.q.val();
        self.heard.d.next.rtt = self.rtt3.q.val();
        self.heard.d.next.shortest = self.shortest3.q.val();

        // 4 to 11: the law.
        self.aimd.heard.next = self.heard.q.val();
        self.aimd.decrease.next = self.decrease.val();
        self.delay.heard.next = self.heard.q.val();
        self.delay.margin_log2.next = self.margin_log2.val();
        self.delay.gain.next = self.gain.val();
        self.sizes.read_address.next = self.path[10].q.val();
        self.steps.read_address.next =
            bit_cast::<CA, GA>(self.path[9].q.val() >> self.path_bits.val());
        self.steps.write_enable.next = self.step_valid.val();
        self.steps.write_address.next = self.step_connection.val();
        self.steps.write_data.next = self.step.val();
        self.step12.d.next = self.steps.read_data.val();

        // 12, 13: the window.
        self.next.clock.next = self.clock.val();
        self.next.window.next = self.sizes.read_data.val().window;
        self.next.credit.next = self.sizes.read_data.val().credit;
        self.next.step.next = self.step12.q.val();
        self.next.cap.next = self.cap.val();
        self.next.change.next = self.aimd.change.val();
        if self.law.val() == bits::<2>(2) {
            self.next.change.next = self.delay.change.val();
        }
        self.sizes.write_enable.next = self.valid[12].q.val() | self.path_write.val().valid;
        self.sizes.write_address.next = self.path[12].q.val();
        self.sizes.write_data.next.window = self.next.window_after.val();
        self.sizes.write_data.next.credit = self.next.credit_after.val();
        if self.late[12].q.val() {
            self.sizes.write_data.next.credit = bits::<21>(0);
            self.sizes.write_data.next.window = self.sizes.read_data.val().window >> bits::<1>(1);
            if self.sizes.read_data.val().window < bits::<21>(8192) {
                self.sizes.write_data.next.window = bits::<21>(4096);
            }
        }

        // A path begins.
        if self.path_write.val().valid {
            self.counted.write_address.next = bit_cast::<GA, 16>(self.path_write.val().path);
            self.counted.write_data.next.received = bits::<16>(0);
            self.counted.write_data.next.marked = bits::<16>(0);
            self.shortest.write_address.next = bit_cast::<GA, 16>(self.path_write.val().path);
            self.shortest.write_data.next = !bits::<25>(0);
            self.rtt.write_address.next = bit_cast::<GA, 16>(self.path_write.val().path);
            self.rtt.write_data.next.measured = false;
            self.sizes.write_address.next = bit_cast::<GA, 16>(self.path_write.val().path);
            self.sizes.write_data.next.window =
                bit_cast::<21, 9>(self.first.val()) << bits::<4>(12);
            self.sizes.write_data.next.credit = bits::<21>(0);
        }

        self.window.next.valid = self.valid[12].q.val() | self.path_write.val().valid;
        self.window.next.path = bit_cast::<16, GA>(self.path[12].q.val());
        self.window.next.window =
            bit_cast::<9, 21>(self.sizes.write_data.val().window >> bits::<4>(12));
        // 3: the time-out, out of registers.
        self.timed3.d.next = self.event2.q.val().rtt_valid | self.path_write.val().valid;
        self.path3.d.next = bit_cast::<16, GA>(self.path[1].q.val());
        self.rtt_after3.d.next = self.rtt.write_data.val();
        self.timeout.next.valid = self.timed3.q.val();
        self.timeout.next.path = self.path3.q.val();
        self.timeout.next.measured = self.rtt_after3.q.val().measured;
        self.silence.next =
            (self.rtt_after3.q.val().mean_8 >> bits::<2>(3)) + self.rtt_after3.q.val().deviation_4;
        self.timeout.next.timeout = bit_cast::<26, 28>(self.silence.val());
        if (self.silence.val() >> bits::<5>(25)).any() {
            self.timeout.next.timeout = bits::<26>(1) << bits::<5>(25);
        }
        if self.path_write.val().valid {
            self.window.next.path = self.path_write.val().path;
            self.path3.d.next = self.path_write.val().path;
        }
        if self.law.val() == bits::<2>(0) {
            self.window.next.window = bits::<9>(256);
        }

        if self.reset.val() {
            for i in 0..13 {
                self.valid[i].d.next = false;
            }
        }
    }
}
