//! Frames against scapy: it reads our fields, and builds the same bytes, ICRC included.
mod support;

use metaroce_protocol::Frame;
use std::path::Path;
use support::{for_each_frame, python, run};

fn fields(frame: &Frame<'_>, pad: usize) -> String {
    let (bth, udp) = (&frame.bth, &frame.udp);
    let opcode = frame.body.opcode().code();
    let (qp, ack, psn) = (bth.dest_qp, u8::from(bth.ack_request), bth.psn);
    format!(
        "{opcode},{pad},{qp},{ack},{psn},{},{},{}",
        udp.source_port,
        udp.destination_port,
        frame.ip.ecn()
    )
}

#[test]
fn scapy_reads_our_fields_and_builds_our_bytes() {
    let (mut input, mut expected) = (String::new(), Vec::new());
    for_each_frame(|frame| {
        let bytes = frame.encode().unwrap();
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let payload = frame.body.payload().unwrap_or_default();
        let pad = payload.len().wrapping_neg() % 4;
        expected.push(format!("{} {hex}", fields(frame, pad)));
        input += &hex;
        input.push('\n');
    });
    let mut command = python();
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle_scapy.py"));
    let found = run(command, &input);
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected);
    }
}
