//! Bytes for a fabric that has none: what a flow carries, and frames from their headers.
use metaroce_cosim::planes::mark_congestion;
use metaroce_fabric::foreign::{address_of, mac_of};
use metaroce_fabric::packet::{HostId, Packet};
use metaroce_model::wire::{Body, Incoming, Outgoing};
use metaroce_protocol::ConnectionEntry;

/// The byte that a host writes to an address of another: so everybody can say what any frame carries.
fn payload_byte(from: HostId, to: HostId, address: u64) -> u8 {
    let seed = u64::from(from) << 40 ^ u64::from(to) << 20 ^ (address / 8);
    // SplitMix64 (Steele, Lea and Flood 2014).
    let mut z = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ z >> 31) >> (8 * (address % 8))) as u8
}

/// What a host writes to these addresses of another.
pub fn payload(from: HostId, to: HostId, address: u64, length: usize) -> Vec<u8> {
    let byte = |n| payload_byte(from, to, address.wrapping_add(n));
    (0..length as u64).map(byte).collect()
}

/// The whole frame, as a NIC finds it on its wire.
pub fn frame(packet: &Packet, headers: &Incoming) -> Vec<u8> {
    let connection = ConnectionEntry {
        src_mac: mac_of(packet.from),
        dst_mac: mac_of(packet.to),
        src_ip: address_of(packet.from),
        dst_ip: address_of(packet.to),
        ..ConnectionEntry::default()
    };
    let outgoing = Outgoing {
        plane: packet.plane.into(),
        entropy: packet.entropy,
        connection,
        frame: *headers,
        local_address: 0,
    };
    let carried = match headers.body {
        Body::Write(write) => {
            let length = write.payload as usize;
            payload(packet.from, packet.to, write.reth.address, length)
        }
        _ => Vec::new(),
    };
    let frame = outgoing.frame(&carried).encode();
    let mut frame = frame.expect("a model's payload fits its frame");
    if packet.marked {
        mark_congestion(&mut frame);
    }
    frame
}
