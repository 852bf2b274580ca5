//! The verbs over a device that only remembers: what reaches it, and what is said before it does.
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use metaroce_host_driver::{Backend, Congestion, DeviceError, DeviceOptions, Law, open};
use metaroce_protocol::registers as map;
use metaroce_protocol::table::host::Capabilities;
use metaroce_protocol::{CompletionStatus, Cqe, MacAddr, Rqe, Wqe, WqeOpcode};
use metaroce_verbs::{
    Completed, Connection, ConnectionAttributes, Device, MemoryRegion, PathAttributes, Peer,
    VerbsError,
};

/// Memory starts here.
const BASE: u64 = 0x1_0000;

const CAPABILITIES: Capabilities = Capabilities {
    connections_log2: 1,
    paths_log2: 2,
    window_log2: 8,
    planes: 2,
    stream_bits: 16,
    regions_log2: 1,
    messages_log2: 4,
    reserved0: 0,
    largest_mtu_log2: 12,
    speaks_messages: false,
    streams_log2: 0,
    in_flight_log2: 0,
    buffers_log2: 0,
    posts_log2: 0,
    answers_reads: false,
};

/// Registers and memory.
#[derive(Default)]
struct Notebook {
    registers: HashMap<u32, u32>,
    memory: Vec<u8>,
}

#[derive(Clone, Default)]
struct Fake(Rc<RefCell<Notebook>>);

impl Fake {
    /// A NIC of two connections with four paths on two planes.
    fn nic() -> Self {
        Self::of(CAPABILITIES)
    }

    /// The same with four streams a connection of two buffers each.
    fn of_messages() -> Self {
        Self::of_posts(8)
    }

    /// The same; 2^`posts_log2` buffers are posted at a time.
    fn of_posts(posts_log2: u8) -> Self {
        Self::of(Self::messages(posts_log2))
    }

    fn messages(posts_log2: u8) -> Capabilities {
        Capabilities {
            speaks_messages: true,
            streams_log2: 2,
            in_flight_log2: 4,
            buffers_log2: 1,
            posts_log2,
            ..CAPABILITIES
        }
    }

    fn of(capabilities: Capabilities) -> Self {
        let [low, high] = capabilities.to_words();
        let fake = Self::default();
        let registers = [
            (map::ID.offset, map::ID_VALUE),
            (map::VERSION.offset, map::VERSION_VALUE),
            (map::CAPABILITIES.word(0), low),
            (map::CAPABILITIES.word(1), high),
        ];
        fake.0.borrow_mut().registers.extend(registers);
        fake
    }

    fn register(&self, offset: u32) -> u32 {
        let notebook = self.0.borrow();
        notebook.registers.get(&offset).copied().unwrap_or(0)
    }

    /// The device ends the message that was posted first.
    fn complete_first(&self, cqe: Cqe) {
        let low = u64::from(self.register(map::CQ_BASE_LO.offset));
        let high = u64::from(self.register(map::CQ_BASE_HI.offset));
        let at = (high << 32 | low) - BASE;
        self.0.borrow_mut().memory[at as usize..][..Cqe::BYTES].copy_from_slice(&cqe.encode());
    }
}

impl Backend for Fake {
    fn read_register(&mut self, offset: u32) -> Result<u32, DeviceError> {
        // A commit to a table is done at once.
        let busy = offset == map::CONFIG_COMMIT.offset;
        Ok(if busy { 0 } else { self.register(offset) })
    }

    fn write_register(&mut self, offset: u32, value: u32) -> Result<(), DeviceError> {
        self.0.borrow_mut().registers.insert(offset, value);
        Ok(())
    }

    fn allocate(&mut self, _name: &str, length: usize) -> Result<u64, DeviceError> {
        let mut notebook = self.0.borrow_mut();
        let at = notebook.memory.len().next_multiple_of(4_096);
        notebook.memory.resize(at + length, 0);
        Ok(BASE + at as u64)
    }

    fn read_memory(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let at = (address - BASE) as usize;
        bytes.copy_from_slice(&self.0.borrow().memory[at..at + bytes.len()]);
        Ok(())
    }

    fn write_memory(&mut self, address: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        let at = (address - BASE) as usize;
        self.0.borrow_mut().memory[at..at + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn advance(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
}

fn device(fake: &Fake) -> Device {
    device_of(fake, 1)
}

fn device_of(fake: &Fake, queue_log2: u32) -> Device {
    let options = DeviceOptions {
        queue_log2,
        ..DeviceOptions::new(MacAddr([2, 0, 0, 0, 0, 1]), [10, 0, 0, 1].into())
    };
    open(fake.clone(), options).unwrap()
}

fn peer(addresses: &[&str]) -> Peer {
    Peer {
        qp: 9,
        mac: MacAddr([2, 0, 0, 0, 0, 2]),
        addresses: addresses.iter().map(|a| a.parse().unwrap()).collect(),
        attributes: ConnectionAttributes::default(),
    }
}

fn path(plane: u32) -> PathAttributes {
    PathAttributes {
        plane,
        entropy: 0xC000,
    }
}

fn joined(fake: &Fake) -> (Device, Connection, MemoryRegion) {
    join(device(fake))
}

fn join(device: Device) -> (Device, Connection, MemoryRegion) {
    let attributes = ConnectionAttributes::default();
    let mut connection = device.create_connection(attributes).unwrap();
    connection
        .connect(&peer(&["10.0.0.2"]), &[path(0), path(1)])
        .unwrap();
    let region = device.register_memory(100).unwrap();
    (device, connection, region)
}

#[test]
fn a_device_says_what_it_can_do() {
    let capabilities = device(&Fake::nic()).capabilities();
    assert_eq!(capabilities.names(), ["write"]);
    let sizes = [
        capabilities.connections,
        capabilities.paths,
        capabilities.planes,
        capabilities.window,
        capabilities.regions,
        capabilities.messages,
        capabilities.receives,
    ];
    assert_eq!(sizes, [2, 4, 2, 256, 2, 16, 0]);
}

#[test]
fn a_verb_that_the_hardware_lacks_is_named_and_nothing_is_posted() {
    let fake = Fake::nic();
    let (_device, mut connection, region) = joined(&fake);
    let remote = region.remote();
    let errors = [
        connection.post_send(1, 0, (&region, 0..1), None),
        connection.post_send(1, 0, (&region, 0..1), Some(1)),
        connection.post_write_immediate(1, 0, (&region, 0..1), remote, 1),
        connection.post_read(1, 0, (&region, 0..1), remote),
        connection.post_fetch_add(1, 0, (&region, 0), remote, 1),
        connection.post_compare_swap(1, 0, (&region, 0), remote, [0, 1]),
        connection.post_receive(1, 0, (&region, 0..1)),
    ];
    let names = [
        "send",
        "send_imm",
        "write_imm",
        "read",
        "fetch_add",
        "compare_swap",
        "receive",
    ];
    for (error, name) in errors.into_iter().zip(names) {
        let error = error.unwrap_err();
        assert!(matches!(error, VerbsError::Unsupported { .. }));
        let text = format!("this device has no `{name}`; it has write");
        assert_eq!(error.to_string(), text);
    }
    assert_eq!(fake.register(map::SQ_DOORBELL.offset), 0);
}

#[test]
fn a_write_reaches_the_ring_and_its_end_comes_back_by_name() {
    let fake = Fake::nic();
    let (device, mut connection, region) = joined(&fake);
    let local = (&region, 10..60);
    connection
        .post_write(77, 3, local.clone(), region.remote())
        .unwrap();
    connection
        .post_write(78, 3, local.clone(), region.remote())
        .unwrap();
    assert_eq!(fake.register(map::SQ_DOORBELL.offset), 2);
    let error = connection.post_write(79, 3, local, region.remote());
    let text = "no send queue entry left: the device has 2";
    assert_eq!(error.unwrap_err().to_string(), text);
    let queue = device.completion_queue();
    assert_eq!(queue.poll().unwrap(), None);
    fake.complete_first(Cqe {
        opcode: WqeOpcode::Write,
        status: CompletionStatus::BadKey,
        connection: 0,
        length: 50,
        wr_id: 77,
        phase: true,
        ..Cqe::default()
    });
    let done = queue.poll().unwrap().unwrap();
    assert_eq!((done.wr_id, done.length), (77, 50));
    assert_eq!(done.completed, Completed::Request);
    let text = "message 77 ended with `bad_key`";
    assert_eq!(done.check().unwrap_err().to_string(), text);
}

#[test]
fn a_buffer_reaches_its_ring_and_the_message_that_took_it_comes_back() {
    let fake = Fake::of_messages();
    let (device, mut connection, region) = joined(&fake);
    let capabilities = device.capabilities();
    let names = ["write", "write_imm", "send", "send_imm"];
    assert_eq!(capabilities.names(), names);
    assert_eq!((capabilities.streams, capabilities.receives), (4, 2));
    for wr_id in [5, 6] {
        let posted = connection.post_receive(wr_id, 3, (&region, 20..60));
        posted.unwrap();
    }
    assert_eq!(fake.register(map::RQ_DOORBELL.offset), 2);
    let rqe = {
        let at = u64::from(fake.register(map::RQ_BASE_LO.offset)) - BASE + Rqe::BYTES as u64;
        let notebook = fake.0.borrow();
        Rqe::decode(&notebook.memory[at as usize..][..Rqe::BYTES]).unwrap()
    };
    let wanted = Rqe {
        connection: 0,
        stream: 3,
        length: 40,
        address: region.address() + 20,
        wr_id: 6,
    };
    assert_eq!(rqe, wanted);
    let error = connection.post_receive(7, 3, (&region, 0..1)).unwrap_err();
    let text = "no receive queue entry left: the device has 2";
    assert_eq!(error.to_string(), text);
    fake.complete_first(Cqe {
        wr_id: 5,
        length: 33,
        received: true,
        has_immediate: true,
        stream: 3,
        immediate: 0xABCD,
        phase: true,
        ..Cqe::default()
    });
    let done = device.completion_queue().poll().unwrap().unwrap();
    assert_eq!(done.completed, Completed::Receive);
    assert_eq!((done.wr_id, done.length), (5, 33));
    assert_eq!(done.immediate, Some(0xABCD));
    // Its place is free again.
    connection.post_receive(7, 3, (&region, 0..1)).unwrap();
    connection
        .post_send(1, 3, (&region, 0..1), Some(9))
        .unwrap();
}

#[test]
fn a_read_reaches_the_ring_where_the_device_reads() {
    let fake = Fake::of(Capabilities {
        answers_reads: true,
        ..Fake::messages(8)
    });
    let (device, mut connection, region) = joined(&fake);
    let names = ["write", "write_imm", "send", "send_imm", "read"];
    assert_eq!(device.capabilities().names(), names);
    let remote = region.remote().at(40);
    connection
        .post_read(9, 3, (&region, 10..30), remote)
        .unwrap();
    let at = u64::from(fake.register(map::SQ_BASE_LO.offset)) - BASE;
    let wqe = {
        let notebook = fake.0.borrow();
        Wqe::decode(&notebook.memory[at as usize..][..Wqe::BYTES]).unwrap()
    };
    assert_eq!((wqe.opcode, wqe.wr_id), (WqeOpcode::Read, 9));
    assert_eq!((wqe.stream, wqe.length), (3, 20));
    let addresses = (wqe.local_address, wqe.remote_address);
    assert_eq!(addresses, (region.address() + 10, region.address() + 40));
    let error = connection.post_fetch_add(1, 0, (&region, 0), remote, 1);
    assert!(matches!(error, Err(VerbsError::Unsupported { .. })));
}

/// An RQE that the device can't post holds up all behind it: so it never gets one.
#[test]
fn neither_a_stream_nor_the_device_gets_more_buffers_than_it_holds() {
    for (posts_log2, full) in [(8, "receive buffer of the stream"), (1, "receive buffer")] {
        let fake = Fake::of_posts(posts_log2);
        let (_device, mut connection, region) = join(device_of(&fake, 3));
        for wr_id in [5, 6] {
            let posted = connection.post_receive(wr_id, 3, (&region, 0..1));
            posted.unwrap();
        }
        let error = connection.post_receive(7, 3, (&region, 0..1)).unwrap_err();
        let text = format!("no {full} left: the device has 2");
        assert_eq!(error.to_string(), text);
        let other = connection.post_receive(8, 2, (&region, 0..1));
        assert_eq!(other.is_ok(), posts_log2 == 8);
        assert_eq!(
            fake.register(map::RQ_DOORBELL.offset),
            2 + u32::from(other.is_ok())
        );
    }
}

#[test]
fn what_cant_be_is_said_before_the_device_hears_of_it() {
    let fake = Fake::nic();
    let (device, mut connection, region) = joined(&fake);
    let again = connection.connect(&peer(&["10.0.0.2"]), &[path(0)]);
    assert!(matches!(again, Err(VerbsError::State { .. })));
    let outside = connection.post_write(1, 0, (&region, 90..101), region.remote());
    assert!(matches!(outside, Err(VerbsError::OutsideRegion { .. })));
    let attributes = ConnectionAttributes::default();
    let mut other = device.create_connection(attributes).unwrap();
    let refused = |result: Result<(), VerbsError>| result.unwrap_err().to_string();
    assert!(refused(other.connect(&peer(&["fd00::2"]), &[path(0)])).contains("one IPv4 address"));
    let text = "plane is at most 1, found 2";
    assert_eq!(
        refused(other.connect(&peer(&["10.0.0.2"]), &[path(2)])),
        text
    );
    let text = "paths of a connection (1 at least) is at most 4, found 0";
    assert_eq!(refused(other.connect(&peer(&["10.0.0.2"]), &[])), text);
    let unconnected = other.post_write(1, 0, (&region, 0..1), region.remote());
    assert!(matches!(unconnected, Err(VerbsError::State { .. })));
    let third = device.create_connection(attributes).err().unwrap();
    assert_eq!(third.to_string(), "no connection left: the device has 2");
    assert_eq!(fake.register(map::SQ_DOORBELL.offset), 0);
}

#[test]
fn patience_is_for_devices_with_a_receive_queue() {
    let with = |not_ready_ticks| DeviceOptions {
        not_ready_ticks,
        ..DeviceOptions::new(MacAddr([2, 0, 0, 0, 0, 1]), [10, 0, 0, 1].into())
    };
    let ticks = |fake: &Fake| fake.register(map::NOT_READY_TICKS.offset);
    let fake = Fake::nic();
    assert!(matches!(
        open(fake.clone(), with(5)),
        Err(DeviceError::NoReceives)
    ));
    assert_eq!(ticks(&fake), 0);
    let fake = Fake::of_messages();
    open(fake.clone(), with(5)).expect("a device");
    assert_eq!(ticks(&fake), 5);
    let error = open(Fake::of_messages(), with(u32::MAX)).err();
    let name = "NOT_READY_TICKS";
    assert!(matches!(error, Some(DeviceError::Tunable { name: n, .. }) if n == name));
}

#[test]
fn a_law_is_written_before_anything_else_and_its_numbers_are_checked() {
    let with = |congestion| DeviceOptions {
        congestion,
        ..DeviceOptions::new(MacAddr([2, 0, 0, 0, 0, 1]), [10, 0, 0, 1].into())
    };
    let aimd = Congestion {
        law: Law::Aimd,
        window_cap: 64,
        ..Congestion::default()
    };
    let fake = Fake::nic();
    open(fake.clone(), with(aimd)).expect("a device");
    assert_eq!(fake.register(map::CONGESTION_LAW.offset), 1);
    assert_eq!(fake.register(map::WINDOW_CAP.offset), 64);
    let wide = Congestion {
        window_first: 65,
        ..aimd
    };
    let refused = open(Fake::nic(), with(wide));
    let error = refused.err().expect("first above cap");
    assert!(
        matches!(
            error,
            DeviceError::Tunable {
                name: "WINDOW_FIRST",
                max: 64,
                found: 65,
                ..
            }
        ),
        "{error}"
    );
}
