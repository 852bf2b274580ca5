//! A device made of sockets: opened once, then shared by what lives on it.
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;
use std::ops::Deref;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use metaroce_model::counters::Extra;
use metaroce_protocol::{Counter, OutOfRange, constants};
use metaroce_verbs::{Capabilities, VerbsError};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::capture::Capture;
use crate::clock::Clock;
use crate::error::SoftError;
use crate::memory::Memory;
use crate::socket::Receiver;

mod inner;
mod lane;
mod provider;
mod tally;

pub(crate) use inner::Inner;
pub(crate) use lane::{Lane, LaneAttributes, LaneSender};
pub(crate) use tally::Tally;

/// Connections of a device: the low byte of a QP number is the connection's index.
pub const CONNECTIONS: usize = 256;
/// Most planes of the protocol's path entries.
pub const MAX_PLANES: usize = 8;
/// Bits of the bitvector, log2: the protocol's largest.
const WINDOW_LOG2: u32 = 8;
/// Messages under way on a connection.
const SLOTS: u32 = 16;
/// The longest patience with a peer without buffers: far from where a clock of microseconds in 32 bits wraps.
const MAX_NOT_READY: Duration = Duration::from_secs(1_000);

/// How a device is set up. Ticks are microseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceOptions {
    /// Own addresses, one a plane, all of one IP version.
    pub addresses: Vec<IpAddr>,
    /// Unresolved packets of a path.
    pub window: u32,
    /// Ticks of silence before a path is probed.
    pub rto: u32,
    /// Time-outs in a row before a connection fails.
    pub max_retries: u32,
    /// How long Sends to a peer that has posted no buffer are tried again; 0: the first refusal ends the connection.
    pub not_ready: Duration,
    /// Silent paths that make a plane suspect, so that its load moves to the others; 0: never. Off unless asked for: where
    /// processes share CPUs, a peer that waits for its turn looks like a plane that is down.
    pub suspect_paths: u32,
    /// Packets to an ACK.
    pub ack_every: u32,
    /// Payload of a full packet, log2 of bytes.
    pub mtu_log2: u32,
    /// Bytes of a socket's buffers, as asked for.
    pub socket_buffer: usize,
    /// Time without work before a wait sleeps: longer costs CPU, shorter latency.
    pub spin: Duration,
    /// Share of frames that are thrown away instead of sent, 0 to 1.
    pub loss: f64,
    /// Decides which.
    pub seed: u64,
    /// Where everything sent and received is written, if anywhere.
    pub capture: Option<PathBuf>,
}

impl DeviceOptions {
    /// Defaults of the register map on these addresses.
    pub fn new(addresses: Vec<IpAddr>) -> Self {
        Self {
            addresses,
            window: constants::WINDOW.default,
            rto: constants::RTO.default,
            max_retries: constants::MAX_RETRIES.default,
            not_ready: Duration::from_secs(5),
            suspect_paths: 0,
            ack_every: constants::ACK_EVERY.default,
            mtu_log2: constants::MTU_LOG2.default,
            socket_buffer: 8 << 20,
            spin: Duration::from_micros(50),
            loss: 0.0,
            seed: 1,
            capture: None,
        }
    }

    fn check(&self) -> Result<(), SoftError> {
        let tunables = [
            (constants::WINDOW, self.window),
            (constants::RTO, self.rto),
            (constants::MAX_RETRIES, self.max_retries),
            (constants::ACK_EVERY, self.ack_every),
            (constants::MTU_LOG2, self.mtu_log2),
        ];
        for (tunable, found) in tunables {
            if !(tunable.min..=tunable.max).contains(&found) {
                return Err(OutOfRange {
                    what: tunable.name,
                    max: tunable.max.into(),
                    found: found.into(),
                }
                .into());
            }
        }
        if self.not_ready > MAX_NOT_READY {
            return Err(OutOfRange {
                what: "milliseconds of patience with a peer without buffers",
                max: MAX_NOT_READY.as_millis() as u64,
                found: u64::try_from(self.not_ready.as_millis()).unwrap_or(u64::MAX),
            }
            .into());
        }
        let planes = self.addresses.len();
        let versions_agree = self
            .addresses
            .windows(2)
            .all(|pair| pair[0].is_ipv4() == pair[1].is_ipv4());
        let usable = self.addresses.iter().all(|a| !a.is_unspecified());
        if !(1..=MAX_PLANES).contains(&planes) || !versions_agree || !usable {
            return Err(VerbsError::Addresses {
                needed: format!(
                    "1 to {MAX_PLANES} own addresses, one a plane, all IPv4 or all IPv6, none a wildcard: the ICRC covers them"
                ),
                found: format!("{:?}", self.addresses),
            }
            .into());
        }
        Ok(())
    }
}

/// An open device: what the verbs know of it, and what only sockets have. Clones are the same device.
#[derive(Clone)]
pub struct Device {
    inner: Rc<RefCell<Inner>>,
    verbs: metaroce_verbs::Device,
}

/// It is a device as any other.
impl Deref for Device {
    type Target = metaroce_verbs::Device;

    fn deref(&self) -> &Self::Target {
        &self.verbs
    }
}

impl Device {
    /// Opens the sockets that receive.
    pub fn open(options: DeviceOptions) -> Result<Self, SoftError> {
        options.check()?;
        let receivers = options
            .addresses
            .iter()
            .map(|&address| Receiver::open(address, options.socket_buffer))
            .collect::<Result<_, _>>()?;
        let capture = options.capture.as_ref();
        let capture = capture
            .map(|path| Capture::create(path, options.addresses.len()))
            .transpose()?;
        let inner = Inner {
            clock: Clock::start(),
            receivers,
            senders: Vec::new(),
            lanes: Vec::new(),
            reserved: [false; CONNECTIONS],
            memory: Memory::default(),
            counters: Tally::default(),
            completions: VecDeque::new(),
            capture,
            faults: ChaCha8Rng::seed_from_u64(options.seed),
            secrets: ChaCha8Rng::from_os_rng(),
            statistics: Statistics::default(),
            last_tick: 0,
            last_work: Instant::now(),
            turn: 0,
            options,
        };
        let inner = Rc::new(RefCell::new(inner));
        Ok(Self {
            verbs: metaroce_verbs::Device::new(inner.clone()),
            inner,
        })
    }

    /// How it was set up.
    pub fn options(&self) -> DeviceOptions {
        self.inner.borrow().options.clone()
    }

    /// Bytes of all its memory regions.
    pub fn registered(&self) -> u64 {
        let inner = self.inner.borrow();
        inner.memory.entries().map(|(_, entry)| entry.length).sum()
    }

    /// Reads a counter: all connections, closed ones too; 32 bits that wrap.
    pub fn counter(&self, counter: Counter) -> u32 {
        self.inner.borrow().tally().get(counter)
    }

    /// The same for what only the model counts.
    pub fn extra_counter(&self, counter: Extra) -> u32 {
        self.inner.borrow().tally().get_extra(counter)
    }

    /// Every counter that is not 0, by name.
    pub fn counters(&self) -> Vec<(&'static str, u32)> {
        self.inner.borrow().tally().named()
    }

    /// The same of one connection.
    pub fn connection_counters(&self, connection: u32) -> Vec<(&'static str, u32)> {
        let mut tally = Tally::default();
        if let Some(lane) = self.inner.borrow().lane(connection as usize) {
            tally.absorb(&lane.endpoint.nic);
        }
        tally.named()
    }

    /// Frames that a connection's checks let through; wraps.
    pub fn frames_received(&self, connection: u32) -> u32 {
        use Counter::{RxAckStale, RxAcks, RxDuplicate, RxProbes, RxVerbs, RxWrites};
        let inner = self.inner.borrow();
        let Some(lane) = inner.lane(connection as usize) else {
            return 0;
        };
        let nic = &lane.endpoint.nic;
        [RxWrites, RxVerbs, RxProbes, RxDuplicate, RxAcks, RxAckStale]
            .iter()
            .fold(0, |sum, &n| nic.counters().get(n).wrapping_add(sum))
    }

    /// Whether a live connection has this peer.
    pub fn knows_peer(&self, qp: u32, addresses: &[IpAddr]) -> bool {
        let inner = self.inner.borrow();
        let mut lanes = inner.lanes.iter().flatten();
        lanes.any(|lane| lane.remote_qp == qp && lane.peers == addresses)
    }

    /// What a peer may know of it.
    pub fn info(&self) -> DeviceInfo {
        let named = self.counters().into_iter();
        DeviceInfo {
            addresses: self.options().addresses,
            capabilities: self.capabilities(),
            registered: self.registered(),
            counters: named.map(|(name, n)| (name.into(), n)).collect(),
            sockets: self.statistics(),
        }
    }

    /// What the sockets saw, beside the protocol's counters.
    pub fn statistics(&self) -> Statistics {
        self.inner.borrow().statistics
    }

    /// Ends the capture, if there is one: where it lies.
    pub fn finish_capture(&self) -> Result<Option<PathBuf>, SoftError> {
        let capture = self.inner.borrow_mut().capture.take();
        capture.map(Capture::finish).transpose()
    }
}

/// What the sockets saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// Datagrams given to the kernel, or that it did not take.
    pub tx_datagrams: u64,
    /// Those that the network did not take (a plane that is down, a filter): lost.
    pub tx_refused: u64,
    /// Frames thrown away by the loss option.
    pub tx_injected_losses: u64,
    /// Datagrams received.
    pub rx_datagrams: u64,
    /// System calls that received something.
    pub rx_batches: u64,
}

/// What a device tells whoever asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// Own addresses, one a plane.
    pub addresses: Vec<IpAddr>,
    /// What it can do.
    pub capabilities: Capabilities,
    /// Bytes of its memory regions.
    pub registered: u64,
    /// Counters that are not 0, by name; 32 bits that wrap.
    pub counters: BTreeMap<String, u32>,
    /// What its sockets saw.
    pub sockets: Statistics,
}
