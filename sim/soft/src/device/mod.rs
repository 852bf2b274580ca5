//! A device made of sockets: opened once, then shared by what lives on it.
use std::cell::RefCell;
use std::net::IpAddr;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use metaroce_protocol::{Counter, OutOfRange, constants};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::capture::Capture;
use crate::clock::Clock;
use crate::completion::CompletionQueue;
use crate::connection::{Connection, ConnectionAttributes};
use crate::error::SoftError;
use crate::memory::{Memory, MemoryRegion};
use crate::socket::Receiver;

mod inner;
mod lane;

pub(crate) use inner::Inner;
pub(crate) use lane::{Lane, LaneAttributes};

/// Connections of a device: the low byte of a QP number is the connection's index.
pub const CONNECTIONS: usize = 256;
/// Most planes of the protocol's path entries.
pub const MAX_PLANES: usize = 8;

pub(crate) type Shared = Rc<RefCell<Inner>>;

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
        let planes = self.addresses.len();
        let versions_agree = self
            .addresses
            .windows(2)
            .all(|pair| pair[0].is_ipv4() == pair[1].is_ipv4());
        let usable = self.addresses.iter().all(|a| !a.is_unspecified());
        if !(1..=MAX_PLANES).contains(&planes) || !versions_agree || !usable {
            return Err(SoftError::Addresses {
                needed: format!(
                    "1 to {MAX_PLANES} own addresses, one a plane, all IPv4 or all IPv6, none a wildcard: the ICRC covers them"
                ),
                found: format!("{:?}", self.addresses),
            });
        }
        Ok(())
    }
}

/// An open device. It works while somebody calls [`Device::progress`] or waits on its completion queue.
#[derive(Clone)]
pub struct Device(pub(crate) Shared);

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
            counters: metaroce_model::counters::Counters::default(),
            completions: Default::default(),
            capture,
            faults: ChaCha8Rng::seed_from_u64(options.seed),
            secrets: ChaCha8Rng::from_os_rng(),
            statistics: Statistics::default(),
            last_tick: 0,
            last_work: Instant::now(),
            options,
        };
        Ok(Self(Rc::new(RefCell::new(inner))))
    }

    /// How it was set up.
    pub fn options(&self) -> DeviceOptions {
        self.0.borrow().options.clone()
    }

    /// Makes memory of `length` bytes and opens it to the peers.
    pub fn register_memory(&self, length: usize) -> Result<MemoryRegion, SoftError> {
        let mut inner = self.0.borrow_mut();
        let (index, entry) = inner.register(length)?;
        Ok(MemoryRegion::new(self.0.clone(), index, entry))
    }

    /// Bytes of all its memory regions.
    pub fn registered(&self) -> u64 {
        let inner = self.0.borrow();
        inner.memory.entries().map(|(_, entry)| entry.length).sum()
    }

    /// Makes a connection without a peer.
    pub fn create_connection(
        &self,
        attributes: ConnectionAttributes,
    ) -> Result<Connection, SoftError> {
        Connection::new(self.0.clone(), attributes)
    }

    /// The device's completion queue.
    pub fn completion_queue(&self) -> CompletionQueue {
        CompletionQueue::new(self.clone())
    }

    /// Reads a counter: all connections, closed ones too; 32 bits that wrap.
    pub fn counter(&self, counter: Counter) -> u32 {
        self.0.borrow().counter(counter)
    }

    /// Every counter that is not 0, by name.
    pub fn counters(&self) -> Vec<(&'static str, u32)> {
        let named = Counter::ALL.iter().map(|&c| (c.name(), self.counter(c)));
        named.filter(|&(_, value)| value != 0).collect()
    }

    /// What the sockets saw, beside the protocol's counters.
    pub fn statistics(&self) -> Statistics {
        self.0.borrow().statistics
    }

    /// Takes what has come, sends what can be sent: whether there was anything to do.
    pub fn progress(&self) -> Result<bool, SoftError> {
        self.0.borrow_mut().progress()
    }

    /// The same; sleeps up to a millisecond if there has been nothing to do for a while.
    pub fn advance(&self) -> Result<(), SoftError> {
        let mut inner = self.0.borrow_mut();
        if !inner.progress()? {
            inner.rest()?;
        }
        Ok(())
    }

    /// Ends the capture, if there is one: where it lies.
    pub fn finish_capture(&self) -> Result<Option<PathBuf>, SoftError> {
        let capture = self.0.borrow_mut().capture.take();
        capture.map(Capture::finish).transpose()
    }
}

/// What the sockets saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
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
