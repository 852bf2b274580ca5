//! UDP sockets that carry whole frames: what sockets hide is taken off and put back.
use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use metaroce_protocol::constants::{
    COMMON_BYTES, ETHERTYPE_IPV4, IP_PROTOCOL_UDP, MAX_PAYLOAD_BYTES, UDP_PORT,
};
use metaroce_protocol::frame::{self, Addresses};
use metaroce_protocol::{Bth, Ethernet, Ipv4, MacAddr, Path, Udp};
use rustix::net::sockopt::{Ipv4PathMtuDiscovery, set_ip_mtu_discover, set_ip_tos};

use crate::check::{Check, Stop};

/// Bytes before BTH.
const OUTER: usize = COMMON_BYTES - Bth::BYTES - Path::BYTES;
/// Byte of the IPv4 header with DSCP and ECN, in the frame.
const TOS: usize = 15;
/// Sockets of the tester: they outlive sessions.
pub struct Sockets {
    planes: Vec<(Ipv4Addr, UdpSocket)>,
    /// By own address and source port.
    paths: RefCell<HashMap<(Ipv4Addr, u16), UdpSocket>>,
}

impl Sockets {
    /// Listens on these addresses, one a plane; fails with the one that can't be.
    pub fn open(local: &[Ipv4Addr]) -> Result<Self, (Ipv4Addr, io::Error)> {
        let listen = |&address: &Ipv4Addr| {
            let socket = UdpSocket::bind((address, UDP_PORT)).map_err(|e| (address, e))?;
            Ok((address, socket))
        };
        Ok(Self {
            planes: local.iter().map(listen).collect::<Result<_, _>>()?,
            paths: RefCell::default(),
        })
    }

    /// Own addresses.
    pub fn addresses(&self) -> Vec<Ipv4Addr> {
        self.planes.iter().map(|plane| plane.0).collect()
    }

    /// Forgets what has come.
    pub fn drain(&self) -> io::Result<()> {
        let mut bytes = [0; 64];
        for (_, socket) in &self.planes {
            socket.set_nonblocking(true)?;
            while socket.recv(&mut bytes).is_ok() {}
            socket.set_nonblocking(false)?;
        }
        Ok(())
    }

    /// Sends a frame, if it is one that a socket can send.
    pub fn send(&self, towards: &Addresses, frame: &[u8]) -> Check {
        let hidden = || Stop::lacks("a socket makes Ethernet, IP and UDP headers by itself");
        let outer = frame.get(..OUTER).ok_or_else(hidden)?;
        let port = u16::from_be_bytes([frame[34], frame[35]]);
        if outer != header(towards, port, frame[TOS], frame.len() - OUTER) {
            return Err(hidden());
        }
        self.send_from(towards, port, frame[TOS], &frame[OUTER..])
            .map_err(|error| {
                Stop::lacks(format!(
                    "a datagram of {} bytes: {error}",
                    frame.len() - OUTER
                ))
            })
    }

    fn send_from(
        &self,
        towards: &Addresses,
        port: u16,
        tos: u8,
        datagram: &[u8],
    ) -> io::Result<()> {
        let mut paths = self.paths.borrow_mut();
        let own = (towards.src_ip, port);
        let socket = match paths.entry(own) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let socket = UdpSocket::bind(own)?;
                // Also makes Linux send identification 0, which the ICRC covers.
                set_ip_mtu_discover(&socket, Ipv4PathMtuDiscovery::DO)?;
                entry.insert(socket)
            }
        };
        set_ip_tos(&*socket, tos)?;
        socket
            .send_to(datagram, (towards.dst_ip, UDP_PORT))
            .map(|_| ())
    }

    /// What comes until the peer is silent for so long, as whole frames, with their planes. `peers`: own and peer's address by plane.
    pub fn receive(
        &self,
        peers: &[(Ipv4Addr, Ipv4Addr)],
        silence: Duration,
    ) -> Check<Vec<(u8, Vec<u8>)>> {
        let broken = |error: io::Error| Stop::fails(format!("a socket: {error}"));
        let mut frames = Vec::new();
        let wait = silence / self.planes.len() as u32;
        let mut silent = 0;
        while silent < self.planes.len() {
            silent = 0;
            for (own, socket) in &self.planes {
                socket.set_read_timeout(Some(wait)).map_err(broken)?;
                let mut bytes = [0; MAX_PAYLOAD_BYTES + 256];
                let (length, from) = match socket.recv_from(&mut bytes) {
                    Ok(found) => found,
                    Err(error) if is_silence(&error) => {
                        silent += 1;
                        continue;
                    }
                    Err(error) => return Err(broken(error)),
                };
                if let Some(frame) = whole(*own, from, &bytes[..length], peers) {
                    frames.push(frame);
                }
            }
        }
        Ok(frames)
    }
}

/// The frame that a datagram was, if it is from the peer.
fn whole(
    own: Ipv4Addr,
    from: SocketAddr,
    datagram: &[u8],
    peers: &[(Ipv4Addr, Ipv4Addr)],
) -> Option<(u8, Vec<u8>)> {
    let IpAddr::V4(peer) = from.ip() else {
        return None;
    };
    let plane = peers.iter().position(|&pair| pair == (own, peer))?;
    let back = Addresses {
        dst_mac: MacAddr::default(),
        src_mac: MacAddr::default(),
        src_ip: peer,
        dst_ip: own,
    };
    let tos = back.ipv4().ecn;
    let mut frame = header(&back, from.port(), tos, datagram.len());
    frame.extend_from_slice(datagram);
    Some((plane as u8, frame))
}

/// The headers that the kernel makes for a datagram, UDP checksum apart.
fn header(addresses: &Addresses, port: u16, tos: u8, datagram: usize) -> Vec<u8> {
    let length = (Udp::BYTES + datagram) as u16;
    let ethernet = Ethernet {
        dst_mac: addresses.dst_mac,
        src_mac: addresses.src_mac,
        ethertype: ETHERTYPE_IPV4,
    };
    let mut ip = Ipv4 {
        dscp: tos >> 2,
        ecn: tos & 3,
        protocol: IP_PROTOCOL_UDP,
        total_length: length + Ipv4::BYTES as u16,
        ..addresses.ipv4()
    };
    ip.checksum = frame::checksum(&ip);
    let udp = Udp {
        source_port: port,
        destination_port: UDP_PORT,
        length,
        checksum: 0,
    };
    [&ethernet.encode()[..], &ip.encode(), &udp.encode()].concat()
}

fn is_silence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}
