//! Frames in words.
use metaroce_fabric::outcome::microseconds;
use metaroce_fabric::packet::Frame;
use metaroce_fabric::sighting::Sighting;
use metaroce_fabric::topology::{End, Topology};
use metaroce_model::wire::{Body, Incoming};
use metaroce_protocol::frame;

/// A frame on a link.
pub fn sighting(seen: &Sighting, topology: &Topology) -> String {
    let wire = &topology.wires[seen.link as usize];
    let end = |end: End| match end {
        End::Host(host) => format!("host {host}"),
        End::Switch(switch) => format!("switch {switch}"),
    };
    let packet = &seen.packet;
    let headers = match &packet.frame {
        Frame::Metaroce(incoming) => headers(incoming),
        Frame::Roce(frame) => format!("{frame:?}"),
    };
    format!(
        "{:.6} us, plane {}, {} to {}{}: from {} to {}, port {}, {} bytes{}, {headers}",
        microseconds(seen.at),
        wire.plane,
        end(wire.from),
        end(wire.to),
        if seen.lost { ", lost" } else { "" },
        packet.from,
        packet.to,
        packet.entropy,
        packet.bytes,
        if packet.marked { ", CE" } else { "" },
    )
}

/// What a frame says.
pub fn headers(incoming: &Incoming) -> String {
    let Incoming {
        ack_request,
        dest_qp,
        psn,
        path,
        epoch,
        tsn,
        timestamp,
        body,
        ..
    } = incoming;
    let body = match body {
        Body::Write(write) => format!("Write {:?} {:?}", write.msg, write.reth),
        Body::Ack(sack) => format!("ACK {sack:?}"),
        Body::Refusal(nak) => format!("refusal {nak:?}"),
        Body::Probe => "probe".into(),
        other => format!("{other:?}"),
    };
    format!(
        "QP {dest_qp:#x}, path {path}, epoch {epoch}, PSN {}, TSN {}, time stamp {timestamp}{}, {body}",
        psn.get(),
        tsn.get(),
        if *ack_request {
            ", asks for an ACK"
        } else {
            ""
        },
    )
}

/// A whole frame.
pub fn bytes(bytes: &[u8]) -> String {
    match frame::parse(bytes) {
        Ok(parsed) => format!("{} bytes, {}", bytes.len(), headers(&(&parsed).into())),
        Err(reason) => format!("{} bytes that no parser takes: {reason:?}", bytes.len()),
    }
}
