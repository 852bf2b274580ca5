//! The background walk that finds quiet paths.
use crate::congestion::{TimeoutWrite, WindowWrite};
use crate::failed_connections::FailedConnections;
use crate::narrow::Narrowing;
use crate::prim::{Dff, RamSdp};
use crate::probe_judge::ProbeJudge;
use crate::transmit_path::{
    Carrier, FailureWrite, Judgement, LastSent, PathWrite, ResolvedWrite, Retries, SnapshotWrite,
    TransmitWrite,
};
use crate::walk_queue::WalkQueue;
use rust_hdl::prelude::*;

/// A path's measured time-out.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
struct Silence {
    /// There is one.
    measured: Bit,
    /// It, at most 2^25.
    ticks: Bits<26>,
}

/// Looks at a path a cycle, round and round, and says whether it wants a probe.
///
/// W0 presents the path: it is judged by its records as they were before W0, at the time of W0. The word comes at W4.
/// Who sends the probe does so before the walk is back at the path: a round takes 16 cycles at least. It goes over the paths that have something under
/// way ([`WalkQueue`]), in the smallest NIC over all. `GA`: bits of a global path number, `CA` of a connection's; `N` planes.
#[derive(LogicBlock)]
pub struct Walker<const CA: usize, const GA: usize, const N: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// No path enters W0.
    pub hold: Signal<In, Bit>,
    /// The clock of all time stamps.
    pub now: Signal<In, Bits<32>>,
    /// The NIC has nothing new to send.
    pub idle: Signal<In, Bit>,
    /// Paths of failed connections are passed over.
    pub failure: Signal<In, FailureWrite>,
    /// RTO, ticks.
    pub rto: Signal<In, Bits<32>>,
    /// MAX_RETRIES.
    pub max_retries: Signal<In, Bits<4>>,
    /// The transmit engine's writes.
    pub transmit: Signal<In, TransmitWrite>,
    /// The ACK engine's.
    pub snapshot: Signal<In, SnapshotWrite>,
    /// The resolver's.
    pub resolved: Signal<In, ResolvedWrite>,
    /// Windows by a law of congestion.
    pub window: Signal<In, WindowWrite>,
    /// Measured time-outs.
    pub measured: Signal<In, TimeoutWrite>,
    /// RTO_FLOOR, ticks; 0: the time-out is RTO.
    pub rto_floor: Signal<In, Bits<26>>,
    /// Configuration.
    pub path_write: Signal<In, PathWrite>,
    /// W0: a path is looked at.
    pub looking: Signal<Out, Bit>,
    /// W0: which.
    pub looked_at: Signal<Out, Bits<16>>,
    /// W4: the word.
    pub judgement: Signal<Out, Judgement>,
    /// W4: the path's plane, one hot.
    pub plane: Signal<Out, Bits<N>>,
    /// Something is in W1 to W4.
    pub busy: Signal<Out, Bit>,
    judge: ProbeJudge,
    path_bits: Constant<Bits<4>>,
    all: Constant<Bit>,
    queue: WalkQueue<GA, 4>,
    round: Constant<Bits<16>>,
    beyond: Constant<Bits<16>>,
    plane_number: [Constant<Bits<3>>; N],
    used_paths: Constant<Bits<16>>,
    used_time: Constant<Bits<32>>,
    used_tsn: Constant<Bits<8>>,
    place: Dff<Bits<16>>,
    shown: Signal<Local, Bits<GA>>,
    looks: Signal<Local, Bit>,
    sent: RamSdp<LastSent, GA>,
    retries: RamSdp<Retries, GA>,
    heard: RamSdp<Bits<32>, GA>,
    first: RamSdp<Bits<8>, GA>,
    carrier: RamSdp<Carrier, GA>,
    timeouts: RamSdp<Silence, GA>,
    windows: RamSdp<Bits<9>, GA>,
    window2: Dff<Bits<9>>,
    unresolved: Signal<Local, Bits<8>>,
    some3: Dff<Bit>,
    some4: Dff<Bit>,
    failures: FailedConnections<CA>,
    silence2: Dff<Silence>,
    rto3: Dff<Bits<32>>,
    laws: Constant<Bit>,
    valid1: Dff<Bit>,
    path1: Dff<Bits<GA>>,
    now1: Dff<Bits<32>>,
    idle1: Dff<Bit>,
    valid2: Dff<Bit>,
    path2: Dff<Bits<GA>>,
    now2: Dff<Bits<32>>,
    idle2: Dff<Bit>,
    sent2: Dff<LastSent>,
    retries2: Dff<Retries>,
    heard2: Dff<Bits<32>>,
    first2: Dff<Bits<8>>,
    carrier2: Dff<Carrier>,
    valid3: Dff<Bit>,
    path3: Dff<Bits<GA>>,
    plane3: Dff<Bits<N>>,
    heard3: Dff<Bits<32>>,
    valid4: Dff<Bit>,
    path4: Dff<Bits<GA>>,
    plane4: Dff<Bits<N>>,
    here: Signal<Local, Bits<N>>,
    heard4: Dff<Bits<32>>,
}

impl<const CA: usize, const GA: usize, const N: usize> Walker<CA, GA, N> {
    /// A walker of this size.
    pub fn new(narrowing: &Narrowing) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            hold: Default::default(),
            now: Default::default(),
            idle: Default::default(),
            failure: Default::default(),
            rto: Default::default(),
            max_retries: Default::default(),
            transmit: Default::default(),
            snapshot: Default::default(),
            resolved: Default::default(),
            window: Default::default(),
            measured: Default::default(),
            rto_floor: Default::default(),
            path_write: Default::default(),
            looking: Default::default(),
            looked_at: Default::default(),
            judgement: Default::default(),
            plane: Default::default(),
            busy: Default::default(),
            judge: ProbeJudge::new(narrowing),
            path_bits: Constant::new(bits((GA - CA) as u64)),
            all: Constant::new(narrowing.walks_all),
            queue: Default::default(),
            round: Constant::new(bits((1 << GA.max(4)) - 1)),
            beyond: Constant::new(bits(
                (1 << GA.max(4)) - (1 << GA.min(narrowing.path_bits as usize)),
            )),
            plane_number: std::array::from_fn(|k| Constant::new(bits(k as u64))),
            used_paths: Constant::new(Narrowing::low(narrowing.path_bits)),
            used_time: Constant::new(Narrowing::low(narrowing.time_bits)),
            used_tsn: Constant::new(Narrowing::low(narrowing.tsn_bits.min(8))),
            place: Default::default(),
            shown: Default::default(),
            looks: Default::default(),
            sent: Default::default(),
            retries: Default::default(),
            heard: Default::default(),
            first: Default::default(),
            carrier: Default::default(),
            timeouts: Default::default(),
            windows: Default::default(),
            window2: Default::default(),
            unresolved: Default::default(),
            some3: Default::default(),
            some4: Default::default(),
            failures: Default::default(),
            silence2: Default::default(),
            rto3: Default::default(),
            laws: Constant::new(narrowing.laws),
            valid1: Default::default(),
            path1: Default::default(),
            now1: Default::default(),
            idle1: Default::default(),
            valid2: Default::default(),
            path2: Default::default(),
            now2: Default::default(),
            idle2: Default::default(),
            sent2: Default::default(),
            retries2: Default::default(),
            heard2: Default::default(),
            first2: Default::default(),
            carrier2: Default::default(),
            valid3: Default::default(),
            path3: Default::default(),
            plane3: Default::default(),
            heard3: Default::default(),
            valid4: Default::default(),
            path4: Default::default(),
            plane4: Default::default(),
            here: Default::default(),
            heard4: Default::default(),
        }
    }
}

impl<const CA: usize, const GA: usize, const N: usize> Logic for Walker<CA, GA, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, place, valid1, path1, now1, idle1, valid2, path2, now2, idle2, sent2,
            retries2, heard2, first2, carrier2, valid3, path3, plane3, heard3, valid4, path4,
            plane4, heard4, silence2, rto3, window2, some3, some4
        );
        self.judge.clock.next = self.clock.val();
        self.sent.clock.next = self.clock.val();
        self.retries.clock.next = self.clock.val();
        self.heard.clock.next = self.clock.val();
        self.first.clock.next = self.clock.val();
        self.carrier.clock.next = self.clock.val();
        self.timeouts.clock.next = self.clock.val();
        self.windows.clock.next = self.clock.val();

        // Every table's writer.
        self.sent.write_enable.next = self.transmit.val().valid;
        self.sent.write_address.next = bit_cast::<GA, 16>(self.transmit.val().path);
        self.sent.write_data.next.next_tsn = bit_cast::<8, 24>(self.transmit.val().next_tsn);
        self.sent.write_data.next.time = self.transmit.val().last_tx;
        self.sent.write_data.next.probe = self.transmit.val().last_was_probe;
        self.sent.write_data.next.asked = self.transmit.val().last_asked;
        self.retries.write_enable.next = self.transmit.val().retries_valid;
        self.retries.write_address.next = bit_cast::<GA, 16>(self.transmit.val().path);
        self.retries.write_data.next.count = self.transmit.val().retries;
        self.retries.write_data.next.at = self.transmit.val().retries_at;
        self.heard.write_enable.next = self.snapshot.val().valid;
        self.heard.write_address.next = bit_cast::<GA, 16>(self.snapshot.val().path);
        self.heard.write_data.next = self.snapshot.val().last_ack;
        self.first.write_enable.next = self.resolved.val().valid;
        self.first.write_address.next = bit_cast::<GA, 16>(self.resolved.val().path);
        self.first.write_data.next = bit_cast::<8, 24>(self.resolved.val().resolved);
        self.timeouts.write_enable.next = self.measured.val().valid;
        self.timeouts.write_address.next = bit_cast::<GA, 16>(self.measured.val().path);
        self.timeouts.write_data.next.measured = self.measured.val().measured;
        self.timeouts.write_data.next.ticks = self.measured.val().timeout;
        self.windows.write_enable.next = self.window.val().valid;
        self.windows.write_address.next = bit_cast::<GA, 16>(self.window.val().path);
        self.windows.write_data.next = self.window.val().window;
        self.carrier.write_enable.next = self.path_write.val().valid;
        self.carrier.write_address.next = bit_cast::<GA, 16>(self.path_write.val().path);
        self.carrier.write_data.next.live = self.path_write.val().live;
        self.carrier.write_data.next.plane = self.path_write.val().plane;

        // W0.
        self.queue.clock.next = self.clock.val();
        self.queue.reset.next = self.reset.val();
        self.queue.hold.next = self.hold.val();
        self.queue.sent.next = !self.all.val() & self.transmit.val().valid;
        self.queue.sent_path.next = bit_cast::<GA, 16>(self.transmit.val().path);
        self.queue.path3.next = self.path3.q.val();
        self.queue.path4.next = self.path4.q.val();
        self.queue.active.next = self.valid4.q.val() & self.some4.q.val();
        self.looks.next = self.queue.looks.val();
        self.shown.next = self.queue.path.val();
        if self.all.val() {
            self.looks.next =
                !self.hold.val() & ((self.place.q.val() & self.beyond.val()) == bits::<16>(0));
            self.shown.next = bit_cast::<GA, 16>(self.place.q.val() & self.used_paths.val());
        }
        self.looking.next = self.looks.val();
        self.looked_at.next = bit_cast::<16, GA>(self.shown.val());
        self.sent.read_address.next = self.shown.val();
        self.retries.read_address.next = self.shown.val();
        self.heard.read_address.next = self.shown.val();
        self.first.read_address.next = self.shown.val();
        self.carrier.read_address.next = self.shown.val();
        self.timeouts.read_address.next = self.shown.val();
        self.windows.read_address.next = self.shown.val();
        if !self.hold.val() {
            self.place.d.next = (self.place.q.val() + 1) & self.round.val();
        }
        self.valid1.d.next = self.looks.val();
        self.path1.d.next = self.shown.val();
        self.now1.d.next = self.now.val();
        self.idle1.d.next = self.idle.val();

        // W1.
        self.valid2.d.next = self.valid1.q.val() & self.carrier.read_data.val().live;
        self.path2.d.next = self.path1.q.val();
        self.now2.d.next = self.now1.q.val();
        self.idle2.d.next = self.idle1.q.val();
        self.sent2.d.next.next_tsn = self.sent.read_data.val().next_tsn & self.used_tsn.val();
        self.sent2.d.next.time = self.sent.read_data.val().time & self.used_time.val();
        self.sent2.d.next.probe = self.sent.read_data.val().probe;
        self.sent2.d.next.asked = self.sent.read_data.val().asked;
        self.retries2.d.next.count = self.retries.read_data.val().count;
        self.retries2.d.next.at = self.retries.read_data.val().at & self.used_time.val();
        self.heard2.d.next = self.heard.read_data.val() & self.used_time.val();
        self.first2.d.next = self.first.read_data.val() & self.used_tsn.val();
        self.carrier2.d.next = self.carrier.read_data.val();
        self.failures.clock.next = self.clock.val();
        self.failures.write.next = self.failure.val();
        self.failures.connection.next =
            bit_cast::<CA, GA>(self.path1.q.val() >> self.path_bits.val());
        self.silence2.d.next = self.timeouts.read_data.val();
        self.window2.d.next = self.windows.read_data.val();

        // W2, W3: the judge's.
        self.judge.now.next = self.now2.q.val();
        self.judge.last_tx.next = self.sent2.q.val().time;
        self.judge.last_ack.next = self.heard2.q.val();
        self.judge.last_was_probe.next = self.sent2.q.val().probe;
        self.judge.retries.next = self.retries2.q.val().count;
        self.judge.retries_at.next = self.retries2.q.val().at;
        self.unresolved.next =
            (self.sent2.q.val().next_tsn - self.first2.q.val()) & self.used_tsn.val();
        self.judge.unresolved.next = self.unresolved.val();
        self.judge.idle.next = self.idle2.q.val();
        self.judge.closed.next = self.laws.val()
            & !self.sent2.q.val().asked
            & (bit_cast::<9, 8>(self.unresolved.val()) >= self.window2.q.val());
        self.rto3.d.next = self.rto.val();
        if self.silence2.q.val().measured & self.rto_floor.val().any() {
            self.rto3.d.next = bit_cast::<32, 26>(self.rto_floor.val());
            if self.rto_floor.val() < self.silence2.q.val().ticks {
                self.rto3.d.next = bit_cast::<32, 26>(self.silence2.q.val().ticks);
            }
        }
        self.judge.rto.next = self.rto.val();
        if self.laws.val() {
            self.judge.rto.next = self.rto3.q.val();
        }
        self.judge.max_retries.next = self.max_retries.val();
        self.valid3.d.next = self.valid2.q.val() & !self.failures.failed.val();
        self.path3.d.next = self.path2.q.val();
        self.here.next = bits::<N>(0);
        for k in 0..N {
            if self.carrier2.q.val().plane == self.plane_number[k].val() {
                self.here.next = self.here.val().replace_bit(k, true);
            }
        }
        self.plane3.d.next = self.here.val();
        self.some3.d.next = self.unresolved.val().any();
        self.some4.d.next = self.some3.q.val();
        self.heard3.d.next = self.heard2.q.val();
        self.valid4.d.next = self.valid3.q.val();
        self.path4.d.next = self.path3.q.val();
        self.plane4.d.next = self.plane3.q.val();
        self.heard4.d.next = self.heard3.q.val();

        // W4.
        self.judgement.next.valid = self.valid4.q.val()
            & (self.judge.tail.val() | self.judge.timeout.val() | self.judge.give_up.val());
        self.judgement.next.path = bit_cast::<16, GA>(self.path4.q.val());
        self.plane.next = self.plane4.q.val();
        self.judgement.next.timeout = self.judge.timeout.val();
        self.judgement.next.give_up = self.judge.give_up.val();
        self.judgement.next.retries = self.judge.retries_next.val();
        self.judgement.next.last_ack = self.heard4.q.val();
        self.busy.next = (!self.all.val() & self.queue.busy.val())
            | self.valid1.q.val()
            | self.valid2.q.val()
            | self.valid3.q.val()
            | self.valid4.q.val();

        if self.reset.val() {
            self.place.d.next = bits::<16>(0);
            self.valid1.d.next = false;
            self.valid2.d.next = false;
            self.valid3.d.next = false;
            self.valid4.d.next = false;
        }
    }
}
