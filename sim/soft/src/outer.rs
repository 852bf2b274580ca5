//! The headers that sockets hide: what a datagram looked like on the wire, as far as the ICRC looks.
use std::net::IpAddr;

use metaroce_protocol::constants::{
    ECN_CAPABLE, ECN_MARKED, ETHERTYPE_IPV4, ETHERTYPE_IPV6, UDP_PORT,
};
use metaroce_protocol::frame::{self, Addresses};
use metaroce_protocol::{DropReason, Ethernet, Frame, Ip, Ipv4, Ipv6, MacAddr, Profile, Udp};

/// Bytes before BTH over IPv6, the longer of the two.
pub const MAX_BYTES: usize = Ethernet::BYTES + Ipv6::BYTES + Udp::BYTES;

/// Bytes before BTH over the IP version of `address`.
pub const fn bytes(address: &IpAddr) -> usize {
    match address {
        IpAddr::V4(_) => Ethernet::BYTES + Ipv4::BYTES + Udp::BYTES,
        IpAddr::V6(_) => MAX_BYTES,
    }
}

/// The IP header of a software peer's datagrams: identification 0, do not fragment (docs/protocol.md, section 7).
/// `None`: the versions differ.
pub fn ip(source: IpAddr, destination: IpAddr) -> Option<Ip> {
    match (source, destination) {
        (IpAddr::V4(src_ip), IpAddr::V4(dst_ip)) => {
            let addresses = Addresses {
                dst_mac: MacAddr::default(),
                src_mac: MacAddr::default(),
                src_ip,
                dst_ip,
            };
            Some(Ip::V4(addresses.ipv4()))
        }
        (IpAddr::V6(source), IpAddr::V6(destination)) => Some(Ip::v6(source, destination)),
        _ => None,
    }
}

/// Writes what stood before a received datagram into `room`, which ends where the datagram begins.
pub fn restore(room: &mut [u8], ip: &Ip, source_port: u16, marked: bool, datagram: usize) {
    let udp_length = (Udp::BYTES + datagram) as u16;
    let ecn = if marked { ECN_MARKED } else { ECN_CAPABLE };
    let ethernet = |ethertype| Ethernet {
        ethertype,
        ..Ethernet::default()
    };
    let (at_udp, ethertype) = match ip {
        Ip::V4(ip) => {
            let mut ip = Ipv4 {
                ecn,
                total_length: udp_length + Ipv4::BYTES as u16,
                ..*ip
            };
            ip.checksum = frame::checksum(&ip);
            room[Ethernet::BYTES..][..Ipv4::BYTES].copy_from_slice(&ip.encode());
            (Ethernet::BYTES + Ipv4::BYTES, ETHERTYPE_IPV4)
        }
        Ip::V6(ip) => {
            let ip = Ipv6 {
                ecn,
                payload_length: udp_length,
                ..*ip
            };
            room[Ethernet::BYTES..][..Ipv6::BYTES].copy_from_slice(&ip.encode());
            (Ethernet::BYTES + Ipv6::BYTES, ETHERTYPE_IPV6)
        }
    };
    room[..Ethernet::BYTES].copy_from_slice(&ethernet(ethertype).encode());
    let udp = Udp {
        source_port,
        destination_port: UDP_PORT,
        length: udp_length,
        checksum: 0,
    };
    room[at_udp..][..Udp::BYTES].copy_from_slice(&udp.encode());
}

/// Takes a restored frame apart.
pub fn parse(frame: &[u8], address: IpAddr) -> Result<Frame<'_>, DropReason> {
    match address {
        IpAddr::V4(_) => frame::parse_as(frame, Profile::Whole),
        IpAddr::V6(_) => frame::parse_ipv6(frame),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use metaroce_protocol::{Body, Bth, Path};

    #[test]
    fn a_restored_header_is_the_sent_one_but_for_the_mark() {
        let pairs: [[IpAddr; 2]; 2] = [
            ["10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap()],
            ["fd00::1".parse().unwrap(), "fd00::2".parse().unwrap()],
        ];
        for [source, destination] in pairs {
            let ip = ip(source, destination).unwrap();
            let addresses = Addresses {
                dst_mac: MacAddr::default(),
                src_mac: MacAddr::default(),
                src_ip: [0; 4].into(),
                dst_ip: [0; 4].into(),
            };
            let sent = Frame {
                ip,
                bth: Bth {
                    dest_qp: 5,
                    ..Bth::default()
                },
                path: Path {
                    version: 1,
                    ..Path::default()
                },
                ..addresses.frame(61_000, Body::Probe)
            };
            let bytes = sent.encode().unwrap();
            let outer = super::bytes(&source);
            for marked in [false, true] {
                let mut restored = bytes.clone();
                restored[..outer].fill(0xEE);
                let datagram = bytes.len() - outer;
                restore(&mut restored[..outer], &ip, 61_000, marked, datagram);
                if !marked {
                    assert_eq!(restored, bytes);
                }
                let frame = parse(&restored, source).unwrap();
                assert_eq!(frame.is_marked(), marked);
                assert_eq!(frame.bth.dest_qp, 5);
            }
        }
        assert!(super::ip(pairs[0][0], pairs[1][0]).is_none());
    }
}
