//! The golden model as a target, in process, on a virtual clock; and the same with something wrong.
use std::collections::HashMap;

use metaroce_model::config::{Size, TrackerSize};
use metaroce_model::counters::Extra;
use metaroce_model::endpoint::Endpoint;
use metaroce_model::hint::PostedBuffers;
use metaroce_model::nic::{Nic, Operation, Received};
use metaroce_model::tracker::ReceiveBuffer;
use metaroce_model::wire::Incoming;
use metaroce_protocol::frame::{Addresses, parse_as};
use metaroce_protocol::{ConnectionEntry, Counter, MacAddr, PathEntry, Profile};

use crate::check::{Check, Stop};
use crate::mutants::{Mutant, Mutation};
use crate::setup::{Identity, R_KEY, REGION_BYTES, Setup, TARGET_QP, TESTER_QP};
use crate::target::{Arrival, Buffer, Completion, Lab, MutantLab, Said, Target, Work};
use crate::targets::settings::Settings;
use crate::targets::spoiled::Spoiled;

/// Host address of the memory's first byte.
const MEMORY: u64 = 0xFFFF_F000;
/// Bytes before and behind the region that nobody may write.
const GUARD: usize = 8_192;
/// The clock rolls over soon.
const START: u32 = u32::MAX - 20_000;

const SIZE: Size = Size {
    connections: 2,
    paths: 8,
    window_log2: 8,
    planes: 4,
    regions: 16,
    slots: 16,
    trackers: TrackerSize::SOFTWARE,
};

/// Models for points.
#[derive(Clone, Copy, Debug, Default)]
pub struct ModelLab;

impl Lab for ModelLab {
    fn connect(&mut self, setup: &Setup) -> Check<Box<dyn Target>> {
        Ok(Box::new(Model::new(setup, &mut Mutation::default())))
    }
}

impl MutantLab for ModelLab {
    fn connect_wrong(&mut self, setup: &Setup, mutant: &Mutant) -> Check<Box<dyn Target>> {
        let mut mutation = (mutant.make)();
        let model = Model::new(setup, &mut mutation);
        Ok(Box::new(Spoiled::new(model, mutation)))
    }
}

/// One model.
struct Model {
    endpoint: Endpoint,
    places: Option<fn(&mut Vec<u8>)>,
    executes: Option<fn(&mut Operation)>,
    identity: Identity,
    memory: Vec<u8>,
    /// A write outside all memory happened.
    wild: bool,
    now: u32,
    next_message: HashMap<u16, u16>,
    completions: Vec<Completion>,
    arrivals: Vec<Arrival>,
}

fn identity(setup: &Setup, settings: &Settings) -> Identity {
    let towards = |plane: u8| Addresses {
        dst_mac: MacAddr([2, 0, 0, 0, 1, plane]),
        src_mac: MacAddr([2, 0, 0, 0, 2, plane]),
        src_ip: [10, 0, 0, 2].into(),
        dst_ip: [10, 0, 0, 1].into(),
    };
    Identity {
        qp: TARGET_QP,
        tester_qp: TESTER_QP,
        first_psn: setup.first_psn,
        first_tsn: setup.first_tsn,
        region: MEMORY + GUARD as u64,
        r_key: R_KEY,
        window_log2: settings.size.window_log2,
        // One Ethernet address a connection, whatever the plane.
        addresses: vec![towards(0); usize::from(setup.planes)],
        profile: settings.options.profile,
        real_time: false,
    }
}

impl Model {
    /// Takes from the mutation what is wrong inside.
    fn new(setup: &Setup, mutation: &mut Mutation) -> Self {
        let base = MEMORY + GUARD as u64;
        let mut settings = Settings::new(setup, SIZE, Profile::Whole, base);
        if let Some(spoil) = mutation.settings.take() {
            spoil(&mut settings);
        }
        let identity = identity(setup, &settings);
        let mut nic = Nic::with_options(settings.size, settings.tunables, settings.options);
        if setup.whole.aimd {
            nic.set_law(Box::new(settings.law));
        }
        if setup.whole.hints {
            nic.set_activity(Box::new(PostedBuffers::default()));
        }
        for connection in 0..setup.connections {
            connect(
                &mut nic,
                connection,
                setup,
                &identity.addresses[0],
                settings.size,
            );
        }
        let index = R_KEY & (settings.size.regions - 1);
        nic.write_region(index, settings.region);
        Self {
            endpoint: Endpoint::new(nic),
            places: mutation.places,
            executes: mutation.executes,
            identity,
            memory: vec![0; REGION_BYTES as usize + 2 * GUARD],
            wild: false,
            now: START,
            next_message: HashMap::new(),
            completions: Vec::new(),
            arrivals: Vec::new(),
        }
    }

    fn place(&mut self, address: u64, bytes: &[u8]) {
        let at = address.wrapping_sub(MEMORY) as usize;
        match at
            .checked_add(bytes.len())
            .and_then(|end| self.memory.get_mut(at..end))
        {
            Some(place) => place.copy_from_slice(bytes),
            None => self.wild = true,
        }
    }

    fn load(&self, address: u64, length: usize) -> Check<&[u8]> {
        let at = address.wrapping_sub(MEMORY) as usize;
        let bytes = at
            .checked_add(length)
            .and_then(|end| self.memory.get(at..end));
        bytes.ok_or_else(|| Stop::fails(format!("memory at {address:#x} was used")))
    }

    /// Memory and application do what the endpoint wants.
    fn serve(&mut self) -> Check {
        while let Some(order) = self.endpoint.poll_order() {
            let bytes = self.load(order.address, 8)?;
            let before = u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
            let mut operation = order.operation;
            if let Some(spoil) = self.executes {
                spoil(&mut operation);
            }
            self.place(order.address, &operation.apply(before).to_le_bytes());
            self.endpoint.nic.executed(&order, before);
        }
        while let Some(done) = self.endpoint.poll_receive() {
            let arrival = Arrival {
                stream: done.stream,
                message: done.message,
                length: done.length,
                wr_id: done.receive.map(|buffer| buffer.wr_id),
                immediate: done.immediate,
            };
            self.arrivals.push(arrival);
        }
        let completions = std::iter::from_fn(|| self.endpoint.poll_completion());
        self.completions.extend(completions.map(|done| Completion {
            wr_id: done.wqe.wr_id,
            status: done.status,
        }));
        Ok(())
    }
}

fn connect(nic: &mut Nic, connection: u32, setup: &Setup, towards: &Addresses, size: Size) {
    let entry = ConnectionEntry {
        valid: true,
        local_qp: TARGET_QP + connection,
        remote_qp: TESTER_QP + connection,
        path_count: setup.paths,
        src_mac: towards.dst_mac,
        dst_mac: towards.src_mac,
        src_ip: towards.dst_ip,
        dst_ip: towards.src_ip,
        ip_sum: 0,
    };
    nic.write_connection(connection, entry);
    for path in 0..setup.paths {
        let entry = PathEntry {
            valid: true,
            plane: setup.plane(path),
            epoch: setup.epoch,
            entropy: setup.entropy(path),
            first_psn_tx: setup.first_psn,
            first_tsn_tx: setup.first_tsn,
            first_psn_rx: setup.first_psn,
            first_tsn_rx: setup.first_tsn,
        };
        nic.write_path(connection * size.paths + u32::from(path), entry, START);
    }
}

impl Target for Model {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn deliver(&mut self, _: u8, frame: &[u8]) -> Check {
        self.endpoint.nic.count(Counter::RxFrames);
        let frame = match parse_as(frame, Profile::Whole) {
            Ok(frame) => frame,
            Err(reason) => {
                self.endpoint.nic.count(reason.counter());
                return Ok(());
            }
        };
        let incoming = Incoming::from(&frame);
        if let Received::Placed { address, .. } = self.endpoint.handle(&incoming, self.now) {
            let mut payload = frame.body.payload().unwrap_or_default().to_vec();
            if let Some(spoil) = self.places {
                spoil(&mut payload);
            }
            self.place(address, &payload);
        }
        self.serve()
    }

    fn now(&self) -> u32 {
        self.now.wrapping_sub(START)
    }

    fn settle(&mut self) -> Check {
        Ok(())
    }

    fn frames(&mut self) -> Check<Vec<Said>> {
        let mut frames = Vec::new();
        while let Some(outgoing) = self.endpoint.poll_transmit(self.now) {
            let length = outgoing.payload_length() as usize;
            let payload = match length {
                0 => &[],
                _ => self.load(outgoing.local_address, length)?,
            };
            let bytes = outgoing.frame(payload).encode().expect("a payload fits");
            frames.push(Said {
                at: self.now(),
                plane: outgoing.plane as u8,
                bytes,
            });
        }
        Ok(frames)
    }

    fn advance(&mut self, ticks: u32) -> Check {
        self.now = self.now.wrapping_add(ticks);
        Ok(())
    }

    fn holds(&mut self, region: &[u8]) -> Check<bool> {
        let (before, rest) = self.memory.split_at(GUARD);
        let (inside, behind) = rest.split_at(REGION_BYTES as usize);
        let untouched = before.iter().chain(behind).all(|&byte| byte == 0);
        Ok(inside == region && untouched && !self.wild)
    }

    fn counter(&mut self, name: &str) -> Check<u32> {
        let nic = &self.endpoint.nic;
        if let Some(&counter) = Counter::ALL.iter().find(|c| c.name() == name) {
            return Ok(nic.counters().get(counter));
        }
        let extra = Extra::ALL.iter().find(|c| c.name() == name);
        let extra = extra.ok_or_else(|| Stop::lacks(format!("there is no counter {name}")))?;
        Ok(nic.extra().get(*extra))
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Check {
        self.place(address, bytes);
        Ok(())
    }

    fn read(&mut self, address: u64, length: usize) -> Check<Vec<u8>> {
        self.load(address, length).map(<[u8]>::to_vec)
    }

    fn post(&mut self, work: &Work) -> Check {
        let next = self.next_message.entry(work.stream).or_default();
        let message = *next;
        *next = next.wrapping_add(1);
        self.endpoint.post(work.wqe(0, message));
        Ok(())
    }

    fn post_receive(&mut self, connection: u32, stream: u16, buffer: &Buffer) -> Check {
        let buffer = ReceiveBuffer {
            address: buffer.address,
            length: buffer.length,
            wr_id: buffer.wr_id,
        };
        let posted = self.endpoint.nic.post_receive(connection, stream, buffer);
        posted
            .then_some(())
            .ok_or_else(|| Stop::fails("a buffer was not taken"))
    }

    fn completions(&mut self) -> Check<Vec<Completion>> {
        self.serve()?;
        Ok(std::mem::take(&mut self.completions))
    }

    fn arrivals(&mut self) -> Check<Vec<Arrival>> {
        Ok(std::mem::take(&mut self.arrivals))
    }

    fn reroute(&mut self, path: u8, entropy: u16) -> Check {
        let taken = self.endpoint.nic.reroute(path.into(), entropy);
        taken
            .then_some(())
            .ok_or_else(|| Stop::fails("the path can't be rerouted"))
    }
}
