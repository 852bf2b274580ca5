//! Messages that are sent before their receiver has posted a buffer for them.
use metaroce_cosim::lab::NicLab;
use metaroce_cosim::traffic::Setting;
use metaroce_protocol::Counter;
use metaroce_rtl::sizes::Size as Built;

use crate::{packets, run};

#[test]
fn messages_that_come_before_their_buffers_arrive() {
    let lab = NicLab::new(Built::Small).expect("Verilog");
    let setting = Setting {
        patience: 1 << 30,
        ..Setting::rough(60, lab.size())
    };
    let traffic = run(&lab, setting, packets(4_000));
    let refusals = traffic.count(Counter::RxRefusals);
    println!("  {refusals} refusals borne");
    assert!(refusals > 20, "{refusals}");
    assert_eq!(traffic.count(Counter::TxDiscarded), 0);
}
