//! From headers to bytes.
use super::{Body, Frame, Ip, checksum, ip_sum};
use crate::constants::{
    ECN_CAPABLE, ETHERTYPE_IPV4, ETHERTYPE_IPV6, ICRC_BYTES, IP_PROTOCOL_UDP, IPV4_DO_NOT_FRAGMENT,
    MAX_PAYLOAD_BYTES, P_KEY, PATH_VERSION, TTL, UDP_PORT,
};
use crate::error::OutOfRange;
use crate::icrc::Icrc;
use crate::mac::MacAddr;
use crate::table::host::ConnectionEntry;
use crate::table::wire::{Bth, Ethernet, Ipv4, Ipv6, Path, Udp};
use std::net::{Ipv4Addr, Ipv6Addr};

/// Where a connection's frames come from and go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// Ethernet destination.
    pub dst_mac: MacAddr,
    /// Ethernet source.
    pub src_mac: MacAddr,
    /// IPv4 source.
    pub src_ip: Ipv4Addr,
    /// IPv4 destination.
    pub dst_ip: Ipv4Addr,
}

impl Addresses {
    /// The IPv4 header of this NIC's frames, without total length and checksum.
    pub fn ipv4(&self) -> Ipv4 {
        Ipv4 {
            version: 4,
            ihl: 5,
            ecn: ECN_CAPABLE,
            flags: IPV4_DO_NOT_FRAGMENT,
            ttl: TTL,
            protocol: IP_PROTOCOL_UDP,
            source: self.src_ip,
            destination: self.dst_ip,
            ..Ipv4::default()
        }
    }

    /// What ConnectionEntry.ip_sum must hold for these addresses.
    pub fn ip_sum(&self) -> u16 {
        ip_sum(&self.ipv4())
    }

    /// Headers that are the same in all frames of a path, with `body`; BTH and PATH fields of a frame's own are 0.
    pub fn frame<'a>(&self, entropy: u16, body: Body<'a>) -> Frame<'a> {
        Frame {
            ethernet: Ethernet {
                dst_mac: self.dst_mac,
                src_mac: self.src_mac,
                ethertype: ETHERTYPE_IPV4,
            },
            ip: Ip::V4(self.ipv4()),
            udp: Udp {
                source_port: entropy,
                destination_port: UDP_PORT,
                length: 0,
                checksum: 0,
            },
            bth: Bth {
                opcode: body.opcode(),
                p_key: P_KEY,
                ..Bth::default()
            },
            path: Path {
                version: PATH_VERSION,
                ..Path::default()
            },
            body,
        }
    }
}

impl From<&ConnectionEntry> for Addresses {
    fn from(entry: &ConnectionEntry) -> Self {
        Self {
            dst_mac: entry.dst_mac,
            src_mac: entry.src_mac,
            src_ip: entry.src_ip,
            dst_ip: entry.dst_ip,
        }
    }
}

impl Ip {
    /// An IPv6 header with this project's defaults.
    pub fn v6(source: Ipv6Addr, destination: Ipv6Addr) -> Self {
        Self::V6(Ipv6 {
            version: 6,
            ecn: ECN_CAPABLE,
            next_header: IP_PROTOCOL_UDP,
            hop_limit: TTL,
            source,
            destination,
            ..Ipv6::default()
        })
    }
}

impl Frame<'_> {
    /// The frame's bytes. What follows from the rest is set, whatever stands in its field: Ethernet type, lengths,
    /// IPv4 checksum, BTH opcode and pad, ICRC. The UDP checksum stays as given.
    ///
    /// Refuses a payload of more than 4096 bytes.
    pub fn encode(&self) -> Result<Vec<u8>, OutOfRange> {
        let payload = self.body.payload().unwrap_or_default();
        if payload.len() > MAX_PAYLOAD_BYTES {
            return Err(OutOfRange {
                what: "payload",
                max: MAX_PAYLOAD_BYTES as u64,
                found: payload.len() as u64,
            });
        }
        let pad = payload.len().wrapping_neg() % 4;
        let tail = self.body.tail();
        let tail = &tail[..self.body.header_bytes()];
        let udp_length =
            Udp::BYTES + Bth::BYTES + Path::BYTES + tail.len() + payload.len() + pad + ICRC_BYTES;
        // Both fit: the payload is bounded above.
        let (ip, ethertype) = self.ip.with_udp_length(udp_length as u16);

        let mut frame = Vec::with_capacity(Ethernet::BYTES + ip.len() + udp_length);
        frame.extend(
            Ethernet {
                ethertype,
                ..self.ethernet
            }
            .encode(),
        );
        frame.extend_from_slice(&ip);
        frame.extend(
            Udp {
                length: udp_length as u16,
                ..self.udp
            }
            .encode(),
        );
        frame.extend(
            Bth {
                opcode: self.body.opcode(),
                pad: pad as u8,
                ..self.bth
            }
            .encode(),
        );
        frame.extend(self.path.encode());
        frame.extend_from_slice(tail);
        frame.extend_from_slice(payload);
        frame.extend_from_slice(&[0; 3 + ICRC_BYTES][..pad + ICRC_BYTES]);
        Icrc::seal(&mut frame);
        Ok(frame)
    }
}

impl Body<'_> {
    /// Bytes of the headers after PATH.
    pub const fn header_bytes(&self) -> usize {
        self.opcode().header_bytes()
    }
}

impl Ip {
    /// The header's bytes with the length and the checksum for this UDP length, and the Ethernet type.
    fn with_udp_length(&self, udp_length: u16) -> (Vec<u8>, u16) {
        match self {
            Self::V4(ip) => {
                let mut ip = Ipv4 {
                    total_length: udp_length + Ipv4::BYTES as u16,
                    ..*ip
                };
                ip.checksum = checksum(&ip);
                (ip.encode().to_vec(), ETHERTYPE_IPV4)
            }
            Self::V6(ip) => (
                Ipv6 {
                    payload_length: udp_length,
                    ..*ip
                }
                .encode()
                .to_vec(),
                ETHERTYPE_IPV6,
            ),
        }
    }
}
