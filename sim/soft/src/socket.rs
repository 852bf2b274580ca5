//! UDP sockets, in batches: one that receives for each plane, one that sends for each path.
use std::collections::VecDeque;
use std::io::{self, IoSlice, IoSliceMut};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use metaroce_protocol::constants::{ECN_CAPABLE, ECN_MARKED, MAX_PAYLOAD_BYTES, UDP_PORT};
use nix::errno::Errno;
use nix::sys::socket::{
    ControlMessageOwned, MsgFlags, MultiHeaders, SockaddrStorage, recvmmsg, sendmmsg, setsockopt,
    sockopt,
};
use rustix::net::sockopt::{Ipv4PathMtuDiscovery, Ipv6PathMtuDiscovery};
use rustix::net::sockopt::{set_ip_mtu_discover, set_ipv6_mtu_discover};
use socket2::{Domain, Protocol, Socket, Type};

use crate::error::SoftError;
use crate::outer;

/// Datagrams that one system call takes or gives.
pub const BATCH: usize = 64;
/// Datagrams that are asked for after nothing came.
const FEW: usize = 4;
/// Longest datagram that is looked at: the largest WRITE, and room to see that one is longer.
const DATAGRAM: usize = MAX_PAYLOAD_BYTES + 128;

fn open(address: IpAddr, port: u16) -> Result<Socket, SoftError> {
    let failed = |cause| SoftError::Socket {
        address,
        port,
        cause,
    };
    let domain = Domain::for_address(SocketAddr::new(address, port));
    let socket = Socket::new(domain, Type::DGRAM, Some(Protocol::UDP)).map_err(failed)?;
    socket.set_nonblocking(true).map_err(failed)?;
    if address.is_ipv6() {
        socket.set_only_v6(true).map_err(failed)?;
    }
    socket
        .bind(&SocketAddr::new(address, port).into())
        .map_err(|cause| match cause.kind() {
            io::ErrorKind::AddrInUse => SoftError::PortInUse { address, port },
            _ => failed(cause),
        })?;
    Ok(socket)
}

fn buffered(result: io::Result<()>, address: IpAddr, port: u16) -> Result<(), SoftError> {
    result.map_err(|cause| SoftError::Socket {
        address,
        port,
        cause,
    })
}

/// What is known of a datagram beside its bytes.
#[derive(Clone, Copy, Debug)]
struct Datagram {
    from: SocketAddr,
    marked: bool,
    length: usize,
}

/// The socket of a plane that receives.
pub struct Receiver {
    socket: Socket,
    address: IpAddr,
    /// Each has room for the headers that the socket hides, then the datagram.
    buffers: Vec<Vec<u8>>,
    datagrams: Vec<Datagram>,
    /// How many are asked for next: few while little comes, since each costs a header.
    ask: usize,
}

impl Receiver {
    /// Listens on RoCEv2's port of one own address.
    pub fn open(address: IpAddr, buffer: usize) -> Result<Self, SoftError> {
        let socket = open(address, UDP_PORT)?;
        // With the right to, past the system's limit; without, up to it.
        if setsockopt(&socket, sockopt::RcvBufForce, &buffer).is_err() {
            buffered(socket.set_recv_buffer_size(buffer), address, UDP_PORT)?;
        }
        match address {
            IpAddr::V4(_) => socket.set_recv_tos_v4(true),
            IpAddr::V6(_) => socket.set_recv_tclass_v6(true),
        }
        .map_err(|cause| SoftError::Socket {
            address,
            port: UDP_PORT,
            cause,
        })?;
        Ok(Self {
            socket,
            address,
            buffers: vec![vec![0; outer::MAX_BYTES + DATAGRAM]; BATCH],
            datagrams: Vec::with_capacity(BATCH),
            ask: FEW,
        })
    }

    /// Own address.
    pub fn address(&self) -> IpAddr {
        self.address
    }

    /// Takes what is there, a batch at most: how many datagrams.
    pub fn receive(&mut self) -> Result<usize, SoftError> {
        self.datagrams.clear();
        let outer = outer::bytes(&self.address);
        let mut slices: Vec<_> = self
            .buffers
            .iter_mut()
            .take(self.ask)
            .map(|buffer| [IoSliceMut::new(&mut buffer[outer..])])
            .collect();
        // New for each call: the kernel writes lengths into the headers that nix does not set again.
        let mut headers =
            MultiHeaders::<SockaddrStorage>::preallocate(self.ask, Some(nix::cmsg_space!(i32)));
        let fd = self.socket.as_raw_fd();
        let results = match recvmmsg(
            fd,
            &mut headers,
            slices.iter_mut(),
            MsgFlags::MSG_DONTWAIT,
            None,
        ) {
            Ok(results) => results,
            Err(Errno::EAGAIN | Errno::EINTR | Errno::ECONNREFUSED) => {
                self.ask = FEW;
                return Ok(0);
            }
            Err(errno) => {
                return Err(SoftError::Io {
                    what: "receive",
                    address: self.address,
                    cause: errno.into(),
                });
            }
        };
        for message in results {
            let truncated = message.flags.contains(MsgFlags::MSG_TRUNC);
            let class = message
                .cmsgs()
                .ok()
                .and_then(|mut all| all.find_map(|c| class_of(&c)));
            self.datagrams.push(Datagram {
                from: message
                    .address
                    .as_ref()
                    .and_then(address_of)
                    .unwrap_or(SocketAddr::new(self.address, 0)),
                marked: class.is_some_and(|class| class & 3 == ECN_MARKED),
                length: if truncated {
                    DATAGRAM
                } else {
                    message.bytes.min(DATAGRAM)
                },
            });
        }
        self.ask = (2 * self.datagrams.len()).clamp(FEW, BATCH);
        Ok(self.datagrams.len())
    }

    /// Datagram `index` of the last batch as the frame it was. `None`: longer than any frame of ours.
    pub fn frame(&mut self, index: usize) -> Option<&[u8]> {
        let Datagram {
            from,
            marked,
            length,
        } = *self.datagrams.get(index)?;
        let outer = outer::bytes(&self.address);
        let ip = outer::ip(from.ip(), self.address).filter(|_| length < DATAGRAM)?;
        let buffer = &mut self.buffers[index];
        outer::restore(&mut buffer[..outer], &ip, from.port(), marked, length);
        Some(&buffer[..outer + length])
    }
}

impl AsFd for Receiver {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn class_of(message: &ControlMessageOwned) -> Option<u8> {
    match message {
        ControlMessageOwned::Ipv4Tos(class) => Some(*class),
        ControlMessageOwned::Ipv6TClass(class) => Some(*class as u8),
        _ => None,
    }
}

fn address_of(storage: &SockaddrStorage) -> Option<SocketAddr> {
    let v4 = storage
        .as_sockaddr_in()
        .map(|a| SocketAddr::from((a.ip(), a.port())));
    v4.or_else(|| {
        storage
            .as_sockaddr_in6()
            .map(|a| SocketAddr::from((a.ip(), a.port())))
    })
}

/// The socket of a path: its source port is the path's entropy.
pub struct Sender {
    socket: Socket,
    address: IpAddr,
    waiting: VecDeque<(SockaddrStorage, Vec<u8>)>,
}

impl Sender {
    /// Binds a source port of one own address.
    pub fn open(address: IpAddr, entropy: u16, buffer: usize) -> Result<Self, SoftError> {
        let socket = open(address, entropy)?;
        // Nobody reads what strangers send to a source port: next to nothing may wait there.
        buffered(socket.set_recv_buffer_size(1), address, entropy)?;
        buffered(socket.set_send_buffer_size(buffer), address, entropy)?;
        // "Do not fragment" on a socket without a peer also makes Linux send identification 0.
        match address {
            IpAddr::V4(_) => socket
                .set_tos_v4(ECN_CAPABLE.into())
                .and_then(|()| Ok(set_ip_mtu_discover(&socket, Ipv4PathMtuDiscovery::DO)?)),
            IpAddr::V6(_) => socket
                .set_tclass_v6(ECN_CAPABLE.into())
                .and_then(|()| Ok(set_ipv6_mtu_discover(&socket, Ipv6PathMtuDiscovery::DO)?)),
        }
        .map_err(|cause| SoftError::Socket {
            address,
            port: entropy,
            cause,
        })?;
        Ok(Self {
            socket,
            address,
            waiting: VecDeque::new(),
        })
    }

    /// Lets a whole frame wait for its turn; what the socket itself makes is cut off then.
    pub fn push(&mut self, to: IpAddr, frame: Vec<u8>) {
        self.waiting
            .push_back((SocketAddr::new(to, UDP_PORT).into(), frame));
    }

    /// Frames that wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Sends what waits, as far as the socket takes it: how many frames the network did not take, for which they are lost.
    pub fn flush(&mut self) -> Result<u32, SoftError> {
        let outer = outer::bytes(&self.address);
        let mut refused = 0;
        while !self.waiting.is_empty() {
            match self.send_batch(outer) {
                Ok(sent) => drop(self.waiting.drain(..sent.max(1))),
                Err(Errno::EAGAIN | Errno::ENOBUFS | Errno::EINTR) => break,
                Err(Errno::EMSGSIZE) => {
                    return Err(SoftError::TooLong {
                        needed: self.waiting[0].1.len() - outer,
                        address: self.address,
                    });
                }
                // A plane that is down, a filter that says no: the packet is lost, as a wire loses it.
                Err(
                    Errno::ENETDOWN
                    | Errno::ENETUNREACH
                    | Errno::EHOSTUNREACH
                    | Errno::EHOSTDOWN
                    | Errno::EPERM
                    | Errno::EACCES
                    | Errno::ECONNREFUSED
                    | Errno::EINVAL
                    | Errno::ENODEV
                    | Errno::EADDRNOTAVAIL,
                ) => {
                    self.waiting.pop_front();
                    refused += 1;
                }
                Err(errno) => {
                    return Err(SoftError::Io {
                        what: "send",
                        address: self.address,
                        cause: errno.into(),
                    });
                }
            }
        }
        Ok(refused)
    }

    fn send_batch(&self, outer: usize) -> Result<usize, Errno> {
        let batch = || self.waiting.iter().take(BATCH);
        let slices: Vec<_> = batch()
            .map(|(_, frame)| [IoSlice::new(&frame[outer..])])
            .collect();
        let addresses: Vec<_> = batch().map(|(to, _)| Some(*to)).collect();
        let mut headers = MultiHeaders::preallocate(slices.len(), None);
        let fd = self.socket.as_raw_fd();
        let sent = sendmmsg(
            fd,
            &mut headers,
            slices.iter(),
            &addresses,
            [],
            MsgFlags::MSG_DONTWAIT,
        )?;
        Ok(sent.count())
    }
}
