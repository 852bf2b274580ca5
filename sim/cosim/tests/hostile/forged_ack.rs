//! A forged ACK ends a message whose frames have not left yet: what leaves must still be that message.
use metaroce_cosim::bus::Pace;
use metaroce_cosim::lab::NicLab;
use metaroce_protocol::frame::Addresses;
use metaroce_protocol::{Bitvector, Body, Bth, MacAddr, Path, Sack, Wqe, WqeOpcode};
use metaroce_rtl::sizes::Size as Built;

use crate::target::{QP, REGIONS, SOURCE, Target};

const MTU: u32 = 256;
const EPOCH: u8 = 7;

fn message(id: u64, packets: u32) -> Wqe {
    Wqe {
        opcode: WqeOpcode::Write,
        stream: id as u16,
        message: id as u16,
        r_key: REGIONS[0].key,
        length: packets * MTU,
        local_address: SOURCE + 64 * id,
        remote_address: REGIONS[0].base + 64 * id,
        wr_id: id,
        ..Default::default()
    }
}

/// Everything that path 0 of connection 0 has decided to send has arrived, it says.
fn ack_of_all(target: &Target) -> Vec<u8> {
    let nic = target.station.lockstep().nic();
    let send = nic.send_path(0).expect("a path");
    let addresses = Addresses {
        dst_mac: MacAddr::default(),
        src_mac: MacAddr::default(),
        src_ip: [10, 0, 1, 0].into(),
        dst_ip: [10, 0, 0, 0].into(),
    };
    let sack = Sack {
        bitvector: Bitvector([0; 4]),
        ..Sack::default()
    };
    let mut frame = addresses.frame(0xC000, Body::Ack(sack));
    frame.bth = Bth {
        dest_qp: QP,
        psn: send.next_psn,
        ..frame.bth
    };
    frame.path = Path {
        epoch: EPOCH,
        tsn: send.next_tsn.minus(1),
        ..frame.path
    };
    frame.encode().expect("a legal frame")
}

/// A message of so many packets is decided while its plane takes nothing; an ACK ends it; others take every slot. The
/// lockstep compares what leaves then.
fn ends_early(target: &mut Target, packets: u32) {
    target.connect_one(EPOCH);
    target.station.hold(u32::MAX);
    target.post_wqe(&message(0, packets));
    target.run(200);
    let ack = ack_of_all(target);
    target.station.deliver(0, ack);
    target.run(200);
    for id in 1..=2 * u64::from(target.size.slots) {
        // An opcode that is no request: it takes a slot, and is never sent.
        let opcode = if id.is_multiple_of(u64::from(target.size.slots)) {
            WqeOpcode::Write
        } else {
            WqeOpcode::Unknown(0xEE)
        };
        target.run(30);
        target.completions();
        // The queue stays full if the message was not decided as a whole: another number of packets is the one.
        if target.has_room() {
            target.post_wqe(&Wqe {
                opcode,
                ..message(id, 1)
            });
        }
    }
    target.station.hold(0);
    target.settle();
    target.completions();
    target.check_counters();
}

#[test]
fn a_message_that_a_forged_ack_ends_leaves_as_it_was() {
    for built in [Built::Small, Built::Tiny] {
        let lab = NicLab::new(built).expect("Verilog");
        // One of these numbers fills what waits behind the held plane and no more.
        for packets in 1..12 {
            let mut target = Target::new(&lab, Pace::Full, 2_000, packets.into());
            ends_early(&mut target, packets);
        }
    }
}
