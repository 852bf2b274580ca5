//! How long a message takes through two small NICs whose surroundings never wait. docs/architecture.md states the figures.
use metaroce_cosim::bus::Pace;
use metaroce_cosim::lab::NicLab;
use metaroce_cosim::planes::Faults;
use metaroce_cosim::station::Station;
use metaroce_cosim::traffic::{Lengths, Setting, Traffic};
use metaroce_rtl::sizes::Size as Built;

const PLANES: usize = 4;
/// A WRITE's headers are 88 bytes: beats of 8.
const HEADER_BEATS: u64 = 11;

/// Whether one of the ports is set.
fn any(station: &mut Station, prefix: &str, suffix: &str) -> bool {
    let model = station.model_mut();
    (0..PLANES).any(|plane| {
        let port = model.port(&format!("{prefix}_{plane}_{suffix}")).unwrap();
        model.is_set(port)
    })
}

fn is_set(station: &mut Station, name: &str) -> bool {
    let model = station.model_mut();
    let port = model.port(name).unwrap();
    model.is_set(port)
}

/// The first cycle of each event.
#[derive(Debug, Default)]
struct Seen {
    doorbell: Option<u64>,
    sent: Option<u64>,
    header: Option<u64>,
    arrived: Option<u64>,
    placed: Option<u64>,
    acknowledged: Option<u64>,
}

impl Seen {
    /// Looks after the clock's edge: inputs are this cycle's still, outputs the next one's.
    fn look(&mut self, traffic: &mut Traffic) {
        let cycle = traffic.bed.cycle();
        let [a, b] = &mut traffic.bed.stations;
        let first = |event: &mut Option<u64>, now: bool, cycle: u64| {
            if now && event.is_none() {
                *event = Some(cycle);
            }
        };
        first(&mut self.doorbell, is_set(a, "s_axil_wvalid"), cycle);
        first(&mut self.sent, any(a, "tx_axis", "tvalid"), cycle + 1);
        // The first frame's beats come without a gap.
        if any(b, "rx_axis", "tvalid") && self.header.is_none() {
            self.header = Some(cycle + HEADER_BEATS - 1);
        }
        let last = (0..PLANES).any(|plane| {
            ["tvalid", "tlast"]
                .iter()
                .all(|port| is_set(b, &format!("rx_axis_{plane}_{port}")))
        });
        first(&mut self.arrived, last, cycle);
        first(&mut self.placed, any(b, "m_axi", "awvalid"), cycle + 1);
        first(
            &mut self.acknowledged,
            any(b, "tx_axis", "tvalid"),
            cycle + 1,
        );
    }
}

#[test]
fn a_message_leaves_arrives_and_is_acknowledged_in_so_many_cycles() {
    let lab = NicLab::new(Built::Small).expect("Verilog");
    let setting = Setting {
        faults: Faults::none(1),
        pace: Pace::Full,
        memory_latency: 0,
        lengths: Lengths::exactly(4),
        both_ways: false,
        connections: 1,
        ..Setting::rough(1, lab.size())
    };
    let mut traffic = Traffic::new(&lab, setting).unwrap_or_else(|error| panic!("{error}"));
    let mut seen = Seen::default();
    while seen.acknowledged.is_none() {
        traffic.run(1).unwrap_or_else(|error| panic!("{error}"));
        seen.look(&mut traffic);
        assert!(traffic.bed.cycle() < 100_000, "{seen:?}");
    }
    let since = |from: Option<u64>, to: Option<u64>| to.unwrap() - from.unwrap();
    let figures = [
        since(seen.doorbell, seen.sent),
        since(seen.header, seen.placed),
        since(seen.arrived, seen.acknowledged),
    ];
    // Doorbell to wire, headers to memory, data to its acknowledgement on the wire.
    assert_eq!(figures, [31, 15, 27], "{seen:?}");
}
