//! A software peer as a target: its set-up exchange over TCP, its frames over UDP sockets, in real time
//! (docs/protocol.md, section 13).
use std::io;
use std::net::{IpAddr, Ipv4Addr, ToSocketAddrs};
use std::rc::Rc;
use std::time::{Duration, Instant};

use metaroce_protocol::frame::Addresses;
use metaroce_protocol::{MacAddr, Profile, Psn, Tsn};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::bench::Bench;
use crate::check::{Check, Stop};
use crate::setup::{FIRST_ENTROPY, Identity, REGION_BYTES, Setup, TESTER_QP};
use crate::target::{Lab, Said, Target};

mod exchange;
mod sockets;

use exchange::{Exchange, Ready};
use sockets::Sockets;

/// A peer that says nothing for so long has nothing to say. Long, for a peer that shares a busy host.
const SILENCE: Duration = Duration::from_millis(100);
/// A look at the sockets.
const LOOK: Duration = Duration::from_millis(1);
/// Own addresses that are tried where the peer is on this host: 127.0.0.2 and on.
const LOOPBACK: std::ops::Range<u8> = 2..255;

/// Why a software peer can't be reached.
#[derive(Debug, Error)]
pub enum SoftError {
    /// No set-up exchange.
    #[error("can't reach the software peer at {server}")]
    Unreachable {
        /// HOST:PORT.
        server: String,
        /// Why.
        source: io::Error,
    },
    /// Only IPv4 is spoken here.
    #[error("the software peer at {0} has no IPv4 address")]
    NotIpv4(String),
    /// No session, or no sense in it.
    #[error("no session with the software peer: {0}")]
    Silent(Stop),
    /// No socket.
    #[error("can't listen on UDP port 4791 of {address}")]
    Socket {
        /// The tester's address.
        address: Ipv4Addr,
        /// Why.
        source: io::Error,
    },
}

/// Software peers for points: each has a client session of its own.
pub struct SoftLab {
    server: String,
    sockets: Rc<Sockets>,
    profile: Profile,
    next_qp: u32,
}

impl SoftLab {
    /// Finds the peer's set-up port at HOST:PORT, and listens. `local`: own addresses, one a plane of the peer; none: the
    /// one that leads to the peer, or another one of loopback.
    pub fn new(server: &str, local: &[Ipv4Addr]) -> Result<Self, SoftError> {
        let unreachable = |source| SoftError::Unreachable {
            server: server.into(),
            source,
        };
        let mut found = server.to_socket_addrs().map_err(unreachable)?;
        let address = found.find(std::net::SocketAddr::is_ipv4);
        let address = address.ok_or_else(|| SoftError::NotIpv4(server.into()))?;
        let stream = std::net::TcpStream::connect(address).map_err(unreachable)?;
        let own = stream.local_addr().map_err(unreachable)?.ip();
        let sockets = match (local, own) {
            ([], IpAddr::V4(own)) if own.is_loopback() => beside(address.ip())?,
            ([], IpAddr::V4(own)) => open(&[own])?,
            _ => open(local)?,
        };
        let mut lab = Self {
            server: address.to_string(),
            sockets: Rc::new(sockets),
            profile: Profile::Write,
            next_qp: TESTER_QP,
        };
        lab.profile = Bench::profile(&mut lab).map_err(SoftError::Silent)?;
        Ok(lab)
    }
}

fn open(local: &[Ipv4Addr]) -> Result<Sockets, SoftError> {
    Sockets::open(local).map_err(|(address, source)| SoftError::Socket { address, source })
}

/// The first address of loopback whose port is free.
fn beside(peer: IpAddr) -> Result<Sockets, SoftError> {
    let mut tried = LOOPBACK
        .map(|n| Ipv4Addr::new(127, 0, 0, n))
        .filter(|&own| IpAddr::V4(own) != peer)
        .map(|own| open(&[own]));
    tried
        .find(Result::is_ok)
        .unwrap_or_else(|| open(&[Ipv4Addr::new(127, 0, 0, LOOPBACK.end)]))
}

impl Lab for SoftLab {
    fn connect(&mut self, setup: &Setup) -> Check<Box<dyn Target>> {
        let adjustable = Setup {
            paths: setup.paths,
            planes: setup.planes,
            first_psn: setup.first_psn,
            first_tsn: setup.first_tsn,
            ..Setup::default()
        };
        if *setup != adjustable {
            return Err(Stop::lacks(
                "a software peer's constants can't be set from here",
            ));
        }
        let broken = |error: io::Error| Stop::fails(format!("set-up exchange: {error}"));
        self.sockets.drain().map_err(broken)?;
        let local = self.sockets.addresses();
        // The peer may not know yet that the session before has ended.
        self.next_qp += 1;
        let (exchange, ready) =
            Exchange::begin(&self.server, self.next_qp, setup, &local).map_err(broken)?;
        let identity = identity(setup, &ready, &local, self.profile)?;
        Ok(Box::new(Soft {
            sockets: self.sockets.clone(),
            setup: setup.clone(),
            exchange,
            identity,
            began: Instant::now(),
            said: Vec::new(),
        }))
    }
}

fn identity(setup: &Setup, ready: &Ready, local: &[Ipv4Addr], profile: Profile) -> Check<Identity> {
    if ready.addresses.len() != local.len() {
        return Err(Stop::fails(format!(
            "the peer has {} planes, and --local names {} addresses",
            ready.addresses.len(),
            local.len()
        )));
    }
    let towards = |plane: u8| {
        let plane = usize::from(plane) % local.len();
        Addresses {
            dst_mac: MacAddr::default(),
            src_mac: MacAddr::default(),
            src_ip: local[plane],
            dst_ip: ready.addresses[plane],
        }
    };
    Ok(Identity {
        qp: ready.qp,
        tester_qp: ready.tester_qp,
        first_psn: Psn::truncate(ready.first_psn),
        first_tsn: Tsn::truncate(ready.first_tsn),
        region: ready.address,
        r_key: ready.r_key,
        window_log2: 8,
        addresses: (0..setup.planes).map(towards).collect(),
        profile,
        real_time: true,
    })
}

/// One session. Planes of the setup beyond the peer's share the peer's.
struct Soft {
    sockets: Rc<Sockets>,
    setup: Setup,
    exchange: Exchange,
    identity: Identity,
    began: Instant,
    said: Vec<Said>,
}

impl Soft {
    /// The tester's and the peer's address, by plane.
    fn peers(&self) -> Vec<(Ipv4Addr, Ipv4Addr)> {
        let planes = self.identity.addresses.iter();
        planes.map(|plane| (plane.src_ip, plane.dst_ip)).collect()
    }

    /// Takes what comes until nothing does for so long.
    fn listen(&mut self, silence: Duration) -> Check {
        let peers = self.peers();
        let at = self.now();
        for (heard, bytes) in self.sockets.receive(&peers, silence)? {
            // Several planes of the setup may share a pair of addresses: that of the source port's path is meant then.
            let port = u16::from_be_bytes([bytes[34], bytes[35]]);
            let carrier = port.wrapping_sub(FIRST_ENTROPY).min(u8::MAX.into());
            let named = self.setup.plane(carrier as u8);
            let same = peers[usize::from(named)] == peers[usize::from(heard)];
            let plane = if same { named } else { heard };
            self.said.push(Said { at, plane, bytes });
        }
        Ok(())
    }
}

impl Target for Soft {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn deliver(&mut self, plane: u8, frame: &[u8]) -> Check {
        self.sockets
            .send(&self.identity.addresses[usize::from(plane)], frame)
    }

    fn now(&self) -> u32 {
        // A tick is a microsecond.
        self.began.elapsed().as_micros() as u32
    }

    fn settle(&mut self) -> Check {
        self.listen(SILENCE)
    }

    fn frames(&mut self) -> Check<Vec<Said>> {
        self.listen(LOOK)?;
        Ok(std::mem::take(&mut self.said))
    }

    fn advance(&mut self, ticks: u32) -> Check {
        std::thread::sleep(Duration::from_micros(ticks.into()));
        Ok(())
    }

    /// The peer says the hash of what it holds at the end of its session.
    fn holds(&mut self, region: &[u8]) -> Check<bool> {
        let found = self.exchange.hash(REGION_BYTES);
        let found = found.map_err(|error| Stop::fails(format!("set-up exchange: {error}")))?;
        let needed: String = Sha256::digest(region)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Ok(found == needed)
    }
}
