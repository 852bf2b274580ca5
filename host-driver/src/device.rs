//! A device: opened once, then shared by what lives on it.
use std::cell::RefCell;
use std::net::Ipv4Addr;
use std::rc::Rc;

use metaroce_protocol::registers as map;
use metaroce_protocol::table::host::{Capabilities, ConfigCommit, Control};
use metaroce_protocol::{ConfigTable, Counter, MacAddr, Register, constants};

use crate::backend::Backend;
use crate::completion::CompletionQueue;
use crate::connection::{Connection, ConnectionAttributes};
use crate::error::DeviceError;
use crate::memory::MemoryRegion;
use crate::queues::Queues;

/// What the device holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// Connections.
    pub connections: u32,
    /// Paths a connection.
    pub paths: u32,
    /// Bits of the acknowledgement bitvector.
    pub window: u32,
    /// Planes.
    pub planes: u32,
    /// Memory regions.
    pub regions: u32,
    /// Messages under way.
    pub messages: u32,
    /// Version of the register map: major 16, minor 16.
    pub version: u32,
}

/// How a device is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceOptions {
    /// Own Ethernet address.
    pub mac: MacAddr,
    /// Own IPv4 address.
    pub ip: Ipv4Addr,
    /// Entries of send and completion queue, log2, 1..=16.
    pub queue_log2: u32,
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
}

impl DeviceOptions {
    /// Defaults of the register map.
    pub fn new(mac: MacAddr, ip: Ipv4Addr) -> Self {
        Self {
            mac,
            ip,
            queue_log2: 6,
            window: constants::WINDOW.default,
            rto: constants::RTO.default,
            max_retries: constants::MAX_RETRIES.default,
            ack_every: constants::ACK_EVERY.default,
            mtu_log2: constants::MTU_LOG2.default,
        }
    }
}

/// What all handles of a device share.
pub(crate) struct Inner {
    pub(crate) backend: Box<dyn Backend>,
    pub(crate) attributes: Attributes,
    pub(crate) options: DeviceOptions,
    pub(crate) queues: Queues,
    regions: u32,
    connections: u32,
}

pub(crate) type Shared = Rc<RefCell<Inner>>;

/// An open device.
#[derive(Clone)]
pub struct Device(Shared);

impl Device {
    /// Opens the device behind a backend, checks that it is this NIC, sets up its rings and switches it on.
    pub fn open(
        backend: impl Backend + 'static,
        options: DeviceOptions,
    ) -> Result<Self, DeviceError> {
        let mut backend: Box<dyn Backend> = Box::new(backend);
        let attributes = identify(&mut *backend)?;
        tune(&mut *backend, &options)?;
        let queues = Queues::new(&mut *backend, options.queue_log2)?;
        let control = Control {
            enable: true,
            ..Control::default()
        };
        backend.write_register(map::CONTROL.offset, control.to_words()[0])?;
        let inner = Inner {
            backend,
            attributes,
            options,
            queues,
            regions: 0,
            connections: 0,
        };
        Ok(Self(Rc::new(RefCell::new(inner))))
    }

    /// What it holds.
    pub fn attributes(&self) -> Attributes {
        self.0.borrow().attributes
    }

    /// Makes memory of `length` bytes and opens it to the peers.
    pub fn register_memory(&self, length: usize) -> Result<MemoryRegion, DeviceError> {
        let index = self.0.borrow_mut().take_region()?;
        MemoryRegion::new(self.0.clone(), index, length)
    }

    /// Makes a connection without a peer.
    pub fn create_connection(
        &self,
        attributes: ConnectionAttributes,
    ) -> Result<Connection, DeviceError> {
        let index = self.0.borrow_mut().take_connection()?;
        Ok(Connection::new(self.0.clone(), index, attributes))
    }

    /// The device's completion queue.
    pub fn completion_queue(&self) -> CompletionQueue {
        CompletionQueue::new(self.0.clone())
    }

    /// Reads a counter; 32 bits that wrap.
    pub fn counter(&self, counter: Counter) -> Result<u32, DeviceError> {
        self.0.borrow_mut().backend.read_register(counter.offset())
    }

    /// Lets time pass.
    pub fn advance(&self) -> Result<(), DeviceError> {
        self.0.borrow_mut().backend.advance()
    }
}

impl Inner {
    fn take_region(&mut self) -> Result<u32, DeviceError> {
        take(&mut self.regions, "memory region", self.attributes.regions)
    }

    fn take_connection(&mut self) -> Result<u32, DeviceError> {
        take(
            &mut self.connections,
            "connection",
            self.attributes.connections,
        )
    }

    /// Writes an entry of one of the transport's tables, and waits until it stands.
    pub(crate) fn write_entry(
        &mut self,
        table: ConfigTable,
        index: u32,
        entry: [u32; 8],
    ) -> Result<(), DeviceError> {
        for (word, value) in (0..).zip(entry) {
            self.backend
                .write_register(map::CONFIG_DATA.word(word), value)?;
        }
        let commit = ConfigCommit {
            index: index as u16,
            table,
            ..ConfigCommit::default()
        };
        self.backend
            .write_register(map::CONFIG_COMMIT.offset, commit.to_words()[0])?;
        while ConfigCommit::from_words(&[self.backend.read_register(map::CONFIG_COMMIT.offset)?])
            .busy
        {}
        Ok(())
    }
}

fn take(used: &mut u32, what: &'static str, limit: u32) -> Result<u32, DeviceError> {
    if *used == limit {
        return Err(DeviceError::Exhausted { what, limit });
    }
    *used += 1;
    Ok(*used - 1)
}

fn identify(backend: &mut dyn Backend) -> Result<Attributes, DeviceError> {
    let id = backend.read_register(map::ID.offset)?;
    if id != map::ID_VALUE {
        return Err(DeviceError::NotThisNic {
            needed: map::ID_VALUE,
            found: id,
        });
    }
    let version = backend.read_register(map::VERSION.offset)?;
    let (needed, found) = (map::VERSION_VALUE >> 16, version >> 16);
    if needed != found {
        return Err(DeviceError::Version { needed, found });
    }
    let c = Capabilities::from_words(&[backend.read_register(map::CAPABILITIES.offset)?]);
    Ok(Attributes {
        connections: 1 << c.connections_log2,
        paths: 1 << c.paths_log2,
        window: 1 << c.window_log2,
        planes: c.planes.into(),
        regions: 1 << c.regions_log2,
        messages: 1 << c.messages_log2,
        version,
    })
}

fn tune(backend: &mut dyn Backend, options: &DeviceOptions) -> Result<(), DeviceError> {
    let tunables: [(&constants::Tunable, Register, u32); 5] = [
        (&constants::WINDOW, map::WINDOW, options.window),
        (&constants::RTO, map::RTO, options.rto),
        (
            &constants::MAX_RETRIES,
            map::MAX_RETRIES,
            options.max_retries,
        ),
        (&constants::ACK_EVERY, map::ACK_EVERY, options.ack_every),
        (&constants::MTU_LOG2, map::MTU_LOG2, options.mtu_log2),
    ];
    for (tunable, register, value) in tunables {
        let constants::Tunable { name, min, max, .. } = *tunable;
        if !(min..=max).contains(&value) {
            return Err(DeviceError::Tunable {
                name,
                min,
                max,
                found: value,
            });
        }
        backend.write_register(register.offset, value)?;
    }
    Ok(())
}
