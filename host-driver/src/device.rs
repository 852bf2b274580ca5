//! A NIC behind the verbs.
use std::cell::RefCell;
use std::net::{IpAddr, Ipv4Addr};
use std::rc::Rc;

use metaroce_protocol::frame::Addresses;
use metaroce_protocol::registers as map;
use metaroce_protocol::table::host::{self, ConfigCommit, Control};
use metaroce_protocol::{
    ConfigTable, ConnectionEntry, Counter, MacAddr, Profile, RegionEntry, Register, Rqe, WqeOpcode,
    constants,
};
use metaroce_verbs::{
    Capabilities, Completed, ConnectionAttributes, Device, PathAttributes, Peer, Provider,
    ReceiveRequest, Region, VerbsError, WorkCompletion, WorkRequest,
};

use crate::backend::Backend;
use crate::congestion::{self, Congestion};
use crate::error::DeviceError;
use crate::queues::Queues;

/// Verbs of a device of profile `Write`.
const WRITE: &[WqeOpcode] = &[WqeOpcode::Write];
/// Of one of profile `Messages`.
const MESSAGES: &[WqeOpcode] = &[
    WqeOpcode::Write,
    WqeOpcode::WriteImm,
    WqeOpcode::Send,
    WqeOpcode::SendImm,
];
/// Of one of profile `Reads`.
const READS: &[WqeOpcode] = &[
    WqeOpcode::Write,
    WqeOpcode::WriteImm,
    WqeOpcode::Send,
    WqeOpcode::SendImm,
    WqeOpcode::Read,
];
/// Streams of a connection in profile `Write`: a WQE names one in 16 bits, and hardware keeps nothing for them.
const STREAMS: u32 = 1 << 16;
/// Upper bits of a QP number: zero is reserved by InfiniBand, and a guess should miss.
const QP_TAG: u32 = 0x0A_1000;
/// Upper half of an R_Key: tells a key of this driver from a guess.
const KEY_TAG: u32 = 0x4D52_0000;

/// How a device is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceOptions {
    /// Own Ethernet address.
    pub mac: MacAddr,
    /// Own IPv4 address.
    pub ip: Ipv4Addr,
    /// Entries of the send queue and of the receive queue, log2, 1..=16, or 1..=15 where there is a receive queue.
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
    /// Ticks for which a connection bears that its peer has no buffer; 0: it fails at once. Not on a device without a receive queue.
    pub not_ready_ticks: u32,
    /// What windows follow.
    pub congestion: Congestion,
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
            not_ready_ticks: constants::NOT_READY_TICKS.default,
            congestion: Congestion::default(),
        }
    }
}

/// A NIC that is switched on.
struct Nic {
    backend: Box<dyn Backend>,
    capabilities: Capabilities,
    options: DeviceOptions,
    queues: Queues,
    /// Buffers that the device posts, of all streams.
    posts: u32,
    regions: u32,
    connections: u32,
}

/// Opens the device behind a backend, checks that it is this NIC, sets up its rings and switches it on.
pub fn open(
    backend: impl Backend + 'static,
    options: DeviceOptions,
) -> Result<Device, DeviceError> {
    let mut backend: Box<dyn Backend> = Box::new(backend);
    let (capabilities, posts) = identify(&mut *backend, options.mtu_log2)?;
    tune(&mut *backend, &options)?;
    let receives = capabilities.receives > 0;
    be_patient(&mut *backend, options.not_ready_ticks, receives)?;
    let queues = Queues::new(&mut *backend, options.queue_log2, receives)?;
    let control = Control {
        enable: true,
        ..Control::default()
    };
    backend.write_register(map::CONTROL.offset, control.to_words()[0])?;
    Ok(Device::new(Rc::new(RefCell::new(Nic {
        backend,
        capabilities,
        options,
        queues,
        posts,
        regions: 0,
        connections: 0,
    }))))
}

impl Provider for Nic {
    fn capabilities(&self) -> Capabilities {
        self.capabilities.clone()
    }

    fn register_memory(&mut self, length: usize) -> Result<Region, VerbsError> {
        let index = take(
            &mut self.regions,
            "memory region",
            self.capabilities.regions,
        )?;
        let r_key = KEY_TAG | index;
        let base = (self.backend).allocate(&format!("region {r_key:#x}"), length)?;
        let entry = RegionEntry {
            valid: true,
            r_key,
            base,
            length: length as u64,
        };
        self.write_entry(ConfigTable::Region, index, entry.to_words())?;
        Ok(Region {
            address: base,
            length,
            r_key,
        })
    }

    /// Not yet: the region stays open, and its index taken. The device can't say when its last packet has been read.
    fn deregister_memory(&mut self, _region: &Region) {}

    fn read_memory(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), VerbsError> {
        Ok(self.backend.read_memory(address, bytes)?)
    }

    fn write_memory(&mut self, address: u64, bytes: &[u8]) -> Result<(), VerbsError> {
        Ok(self.backend.write_memory(address, bytes)?)
    }

    fn create_connection(
        &mut self,
        attributes: ConnectionAttributes,
    ) -> Result<(u32, Peer), VerbsError> {
        let index = take(
            &mut self.connections,
            "connection",
            self.capabilities.connections,
        )?;
        let local = Peer {
            qp: QP_TAG | index,
            mac: self.options.mac,
            addresses: vec![self.options.ip.into()],
            attributes,
        };
        Ok((index, local))
    }

    fn connect(
        &mut self,
        connection: u32,
        local: &Peer,
        peer: &Peer,
        paths: &[PathAttributes],
    ) -> Result<(), VerbsError> {
        let entry = connection_entry(local, self.options.ip, peer, paths.len())?;
        // Paths first: a connection that exists must not lead to paths that do not.
        let first = connection * self.capabilities.paths;
        for (number, path) in (first..).zip(paths) {
            let entry = path.entry(&local.attributes, &peer.attributes);
            self.write_entry(ConfigTable::Path, number, entry.to_words())?;
        }
        Ok(self.write_entry(ConfigTable::Connection, connection, entry.to_words())?)
    }

    /// Not yet, as for a region.
    fn close_connection(&mut self, _connection: u32) {}

    fn post(&mut self, request: &WorkRequest) -> Result<(), VerbsError> {
        self.queues.post(&mut *self.backend, &request.wqe())
    }

    fn post_receive(&mut self, request: &ReceiveRequest) -> Result<(), VerbsError> {
        let rqe = Rqe {
            connection: request.connection as u16,
            stream: request.stream,
            length: request.length,
            address: request.address,
            wr_id: request.wr_id,
        };
        let most = self.capabilities.receives;
        (self.queues).post_receive(&mut *self.backend, &rqe, most, self.posts)
    }

    fn poll(&mut self) -> Result<Option<WorkCompletion>, VerbsError> {
        let cqe = self.queues.poll(&mut *self.backend)?;
        Ok(cqe.map(|cqe| WorkCompletion {
            wr_id: cqe.wr_id,
            completed: match cqe.received {
                true => Completed::Receive,
                false => Completed::Request,
            },
            connection: cqe.connection.into(),
            status: cqe.status,
            length: cqe.length,
            immediate: cqe.has_immediate.then_some(cqe.immediate),
        }))
    }

    fn advance(&mut self) -> Result<(), VerbsError> {
        Ok(self.backend.advance()?)
    }

    fn counter(&mut self, counter: Counter) -> Result<u32, VerbsError> {
        Ok(self.backend.read_register(counter.offset())?)
    }
}

impl Nic {
    /// Writes an entry of one of the transport's tables, and waits until it stands.
    fn write_entry(
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

fn take(used: &mut u32, what: &'static str, limit: u32) -> Result<u32, VerbsError> {
    if *used == limit {
        let limit = limit.into();
        return Err(VerbsError::Exhausted { what, limit });
    }
    *used += 1;
    Ok(*used - 1)
}

fn connection_entry(
    local: &Peer,
    src_ip: Ipv4Addr,
    peer: &Peer,
    paths: usize,
) -> Result<ConnectionEntry, VerbsError> {
    let &[IpAddr::V4(dst_ip)] = peer.addresses.as_slice() else {
        return Err(VerbsError::Addresses {
            needed: "one IPv4 address for all planes".into(),
            found: format!("{:?}", peer.addresses),
        });
    };
    let entry = ConnectionEntry {
        valid: true,
        local_qp: local.qp,
        remote_qp: peer.qp,
        path_count: paths as u8,
        dst_mac: peer.mac,
        src_mac: local.mac,
        src_ip,
        dst_ip,
        ip_sum: 0,
    };
    Ok(ConnectionEntry {
        ip_sum: Addresses::from(&entry).ip_sum(),
        ..entry
    })
}

/// What the device holds, and how many buffers it posts.
fn identify(backend: &mut dyn Backend, mtu_log2: u32) -> Result<(Capabilities, u32), DeviceError> {
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
    let c = host::Capabilities::from_words(&[
        backend.read_register(map::CAPABILITIES.word(0))?,
        backend.read_register(map::CAPABILITIES.word(1))?,
    ]);
    let verbs = match c.profile() {
        Profile::Write => WRITE,
        Profile::Messages => MESSAGES,
        Profile::Reads | Profile::Whole => READS,
    };
    let (streams, receives) = match c.speaks_messages {
        true => (1 << c.streams_log2, 1 << c.buffers_log2),
        false => (STREAMS, 0),
    };
    let capabilities = Capabilities {
        verbs: verbs.into(),
        connections: 1 << c.connections_log2,
        paths: 1 << c.paths_log2,
        planes: c.planes.into(),
        window: 1 << c.window_log2,
        regions: 1 << c.regions_log2,
        messages: 1 << c.messages_log2,
        streams,
        receives,
        mtu: 1_u32.checked_shl(mtu_log2).unwrap_or(0),
    };
    Ok((capabilities, 1 << c.posts_log2))
}

/// How long a connection waits for its peer's buffers.
fn be_patient(backend: &mut dyn Backend, ticks: u32, receives: bool) -> Result<(), DeviceError> {
    congestion::check(&constants::NOT_READY_TICKS, ticks)?;
    match (ticks, receives) {
        (0, false) => Ok(()),
        (_, false) => Err(DeviceError::NoReceives),
        (_, true) => backend.write_register(map::NOT_READY_TICKS.offset, ticks),
    }
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
        congestion::check(tunable, value)?;
        backend.write_register(register.offset, value)?;
    }
    options.congestion.write(backend)
}
