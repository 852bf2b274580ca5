//! The verilated NIC as a target: frames on its plane streams, registers and rings behind its buses, and the model in
//! lockstep beside it. A tick is a cycle.
use std::collections::HashMap;

use metaroce_cosim::axi_lite;
use metaroce_cosim::axi_mem::Access;
use metaroce_cosim::bus::Pace;
use metaroce_cosim::host;
use metaroce_cosim::lab::{LabError, NicLab};
use metaroce_cosim::station::{Failure, Station, Surroundings};
use metaroce_model::config::{Congestion, Size};
use metaroce_protocol::frame::Addresses;
use metaroce_protocol::registers as map;
use metaroce_protocol::{
    ConfigTable, ConnectionEntry, Counter, Cqe, MacAddr, PathEntry, Profile, Rqe,
};
use metaroce_rtl::sizes;

mod plants;

use crate::check::{Check, Stop};
use crate::mutants::{Mutant, Mutation};
use crate::setup::{Identity, R_KEY, REGION_BYTES, Setup, TARGET_QP, TESTER_QP, Whole};
use crate::target::{Arrival, Buffer, Completion, Lab, MutantLab, Said, Target, Work};
use crate::targets::settings::Settings;
use crate::targets::spoiled::Spoiled;

const SQ: u64 = 0x1_0000;
const CQ: u64 = 0x2_0000;
const RQ: u64 = 0x3_0000;
/// Entries of each queue, log2: more than any point posts.
const QUEUE_LOG2: u32 = 8;
/// Above 32 bits, so that no half of an address can go missing unseen.
const REGION: u64 = 0x12_FFFF_F000;
/// Bytes before and behind the region that nobody may write.
const GUARD: usize = 4_096;
const SURROUNDINGS: Surroundings = Surroundings {
    pace: Pace::Full,
    memory_latency: 10,
    seed: 1,
    // The clock rolls over soon.
    start_time: u32::MAX - 20_000,
};
/// Cycles without any commit after which the NIC has nothing to say: longer than a walk over all paths.
const QUIET: u64 = 160;
/// Cycles after which a NIC that never gets quiet has hung.
const LIMIT: u64 = 1_000_000;

/// Verilated NICs of size `small` for points.
pub struct CosimLab {
    right: NicLab,
    /// The newest one with a fault in its Verilog.
    wrong: Option<(&'static str, NicLab)>,
}

impl CosimLab {
    /// Emits the NIC and verilates it, unless that was done before.
    pub fn new() -> Result<Self, LabError> {
        let right = NicLab::new(sizes::Size::Small)?;
        right.station("target", &SURROUNDINGS, None)?;
        Ok(Self { right, wrong: None })
    }

    /// Whether this mutant is a NIC of its own, with a fault in its Verilog: minutes to build.
    pub fn is_planted(mutant: &Mutant) -> bool {
        plants::of(mutant).is_some()
    }

    /// The NIC with a fault in its Verilog.
    fn planted(&mut self, plant: &plants::Plant) -> Check<&NicLab> {
        let known = |(name, _): &(&str, NicLab)| *name == plant.mutant;
        let lab = match self.wrong.take().filter(known) {
            Some((_, lab)) => lab,
            None => {
                let mut placed = false;
                let lab = NicLab::changed(sizes::Size::Small, |design| {
                    placed = plant.put_into(design);
                });
                let lab = lab.map_err(|error| Stop::lacks(error.to_string()))?;
                if !placed {
                    return Err(Stop::lacks("the Verilog has no place for this fault"));
                }
                // One that can't be built would fail every point.
                let built = lab.station("target", &SURROUNDINGS, None);
                built.map_err(|error| Stop::lacks(error.to_string()))?;
                lab
            }
        };
        Ok(&self.wrong.insert((plant.mutant, lab)).1)
    }
}

impl Lab for CosimLab {
    fn connect(&mut self, setup: &Setup) -> Check<Box<dyn Target>> {
        let nic = connect(&self.right, setup, &mut Mutation::default())?;
        Ok(Box::new(nic))
    }
}

impl MutantLab for CosimLab {
    fn connect_wrong(&mut self, setup: &Setup, mutant: &Mutant) -> Check<Box<dyn Target>> {
        if let Some(plant) = plants::of(mutant) {
            let lab = self.planted(plant)?;
            return Ok(Box::new(connect(lab, setup, &mut Mutation::default())?));
        }
        let mut mutation = (mutant.make)();
        let nic = connect(&self.right, setup, &mut mutation)?;
        Ok(Box::new(Spoiled::new(nic, mutation)))
    }
}

/// Takes from the mutation what is wrong inside.
fn connect(lab: &NicLab, setup: &Setup, mutation: &mut Mutation) -> Check<Verilated> {
    let known = Whole {
        aimd: setup.whole.aimd,
        not_ready_ticks: setup.whole.not_ready_ticks,
        ..Whole::default()
    };
    if setup.whole != known || setup.connections != 1 {
        return Err(Stop::lacks(
            "today's hardware speaks profile Reads, follows congestion laws and is patient: nothing else of profile Whole",
        ));
    }
    let size = lab.size();
    let right = Settings::new(setup, size, lab.built().profile(), REGION);
    let mut settings = right;
    if let Some(spoil) = mutation.settings.take() {
        spoil(&mut settings);
    }
    let registers = Settings {
        tunables: settings.tunables,
        region: settings.region,
        law: settings.law,
        ..right
    };
    if settings != registers || mutation.places.is_some() || mutation.executes.is_some() {
        return Err(Stop::lacks("the hardware has no such fault to plant"));
    }
    let station = lab.station("target", &SURROUNDINGS, None);
    let station = station.map_err(|error| Stop::fails(error.to_string()))?;
    let mut nic = Verilated::new(station, setup, size, lab.built().profile());
    nic.configure(setup, &settings)?;
    Ok(nic)
}

fn broken(failure: Failure) -> Stop {
    Stop::fails(failure.to_string())
}

/// One NIC.
struct Verilated {
    station: Station,
    identity: Identity,
    cycle: u64,
    /// When the point began.
    began: u64,
    said: Vec<Said>,
    posted: u32,
    /// Buffers.
    offered: u32,
    completed: u32,
    completions: Vec<Completion>,
    arrivals: Vec<Arrival>,
    next_message: HashMap<u16, u16>,
}

impl Verilated {
    fn new(station: Station, setup: &Setup, size: Size, profile: Profile) -> Self {
        let towards = Addresses {
            dst_mac: MacAddr([2, 0, 0, 0, 1, 0]),
            src_mac: MacAddr([2, 0, 0, 0, 2, 0]),
            src_ip: [10, 0, 0, 2].into(),
            dst_ip: [10, 0, 0, 1].into(),
        };
        let identity = Identity {
            qp: TARGET_QP,
            tester_qp: TESTER_QP,
            first_psn: setup.first_psn,
            first_tsn: setup.first_tsn,
            region: REGION,
            r_key: R_KEY,
            window_log2: size.window_log2,
            addresses: vec![towards; usize::from(setup.planes)],
            profile,
            real_time: false,
        };
        Self {
            station,
            identity,
            cycle: 0,
            began: 0,
            said: Vec::new(),
            posted: 0,
            offered: 0,
            completed: 0,
            completions: Vec::new(),
            arrivals: Vec::new(),
            next_message: HashMap::new(),
        }
    }

    fn configure(&mut self, setup: &Setup, settings: &Settings) -> Check {
        let tunables = &settings.tunables;
        let memory = self.station.memory().clone();
        let mut memory = memory.borrow_mut();
        memory.add("sq", SQ, 64 << QUEUE_LOG2, Access::ReadOnly);
        memory.add("cq", CQ, 32 << QUEUE_LOG2, Access::ReadWrite);
        memory.add("rq", RQ, 32 << QUEUE_LOG2, Access::ReadOnly);
        let region = REGION_BYTES as usize + 2 * GUARD;
        memory.add("region", REGION - GUARD as u64, region, Access::ReadWrite);
        drop(memory);
        let registers = [
            (map::SQ_BASE_LO, SQ as u32),
            (map::SQ_SIZE_LOG2, QUEUE_LOG2),
            (map::CQ_BASE_LO, CQ as u32),
            (map::CQ_SIZE_LOG2, QUEUE_LOG2),
            (map::RQ_BASE_LO, RQ as u32),
            (map::RQ_SIZE_LOG2, QUEUE_LOG2),
            (map::WINDOW, tunables.window),
            (map::RTO, tunables.rto),
            (map::MAX_RETRIES, tunables.max_retries),
            (map::ACK_EVERY, tunables.ack_every),
            (map::MTU_LOG2, tunables.mtu_log2),
            (map::NOT_READY_TICKS, settings.options.not_ready_ticks),
            (map::CONTROL, 1),
        ];
        for (register, value) in registers {
            self.write_register(register.offset, value);
        }
        if setup.whole.aimd {
            let law = &settings.law;
            let congestion = Congestion {
                law: 1,
                first: law.first,
                cap: law.cap,
                increase: law.increase,
                decrease: law.decrease,
                ..Congestion::default()
            };
            host::control(&mut self.station, &congestion);
        }
        self.write_tables(setup, settings);
        self.settle()?;
        self.began = self.cycle;
        Ok(())
    }

    fn write_tables(&mut self, setup: &Setup, settings: &Settings) {
        let size = &settings.size;
        let towards = self.identity.addresses[0];
        let entry = ConnectionEntry {
            valid: true,
            local_qp: TARGET_QP,
            remote_qp: TESTER_QP,
            path_count: setup.paths,
            src_mac: towards.dst_mac,
            dst_mac: towards.src_mac,
            src_ip: towards.dst_ip,
            dst_ip: towards.src_ip,
            ip_sum: 0,
        };
        let ip_sum = Addresses::from(&entry).ip_sum();
        let index = TARGET_QP & (size.connections - 1);
        let entry = ConnectionEntry { ip_sum, ..entry };
        host::write_entry(
            &mut self.station,
            ConfigTable::Connection,
            index,
            &entry.to_words(),
        );
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
            let index = index * size.paths + u32::from(path);
            host::write_entry(
                &mut self.station,
                ConfigTable::Path,
                index,
                &entry.to_words(),
            );
        }
        let index = R_KEY & (size.regions - 1);
        host::write_entry(
            &mut self.station,
            ConfigTable::Region,
            index,
            &settings.region.to_words(),
        );
    }

    fn write_register(&mut self, offset: u32, value: u32) {
        self.station.access(axi_lite::Access::Write(offset, value));
    }

    fn cycle(&mut self) -> Check {
        let at = self.now();
        for (plane, bytes) in self.station.cycle().map_err(broken)? {
            let plane = plane as u8;
            self.said.push(Said { at, plane, bytes });
        }
        self.cycle += 1;
        Ok(())
    }
}

impl Verilated {
    fn take_cqes(&mut self) -> Check {
        self.settle()?;
        loop {
            let place = u64::from(self.completed) & ((1 << QUEUE_LOG2) - 1);
            let bytes = self.read(CQ + 32 * place, 32)?;
            let cqe = Cqe::decode(&bytes).map_err(|error| Stop::fails(error.to_string()))?;
            // The phase is 1 on the queue's first lap.
            if cqe.phase != (self.completed >> QUEUE_LOG2 & 1 == 0) {
                return Ok(());
            }
            self.completed += 1;
            self.write_register(map::CQ_CONSUMER.offset, self.completed);
            if cqe.received {
                self.arrivals.push(Arrival {
                    stream: cqe.stream,
                    message: cqe.message,
                    length: cqe.length,
                    wr_id: Some(cqe.wr_id),
                    immediate: cqe.has_immediate.then_some(cqe.immediate),
                });
            } else {
                self.completions.push(Completion {
                    wr_id: cqe.wr_id,
                    status: cqe.status,
                });
            }
        }
    }
}

impl Target for Verilated {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn now(&self) -> u32 {
        (self.cycle - self.began) as u32
    }

    fn deliver(&mut self, plane: u8, frame: &[u8]) -> Check {
        self.station.deliver(plane.into(), frame.to_vec());
        Ok(())
    }

    fn settle(&mut self) -> Check {
        let limit = self.cycle + LIMIT;
        self.cycle()?;
        while self.station.quiet_for() < QUIET {
            self.cycle()?;
            if self.cycle > limit {
                return Err(Stop::fails(format!("no rest after {LIMIT} cycles")));
            }
        }
        Ok(())
    }

    fn frames(&mut self) -> Check<Vec<Said>> {
        Ok(std::mem::take(&mut self.said))
    }

    fn advance(&mut self, ticks: u32) -> Check {
        (0..ticks).try_for_each(|_| self.cycle())
    }

    fn holds(&mut self, region: &[u8]) -> Check<bool> {
        self.settle()?;
        let memory = self.station.memory().borrow();
        let all = memory.bytes(REGION - GUARD as u64, region.len() + 2 * GUARD);
        let all = all.ok_or_else(|| Stop::fails("the region is gone"))?;
        let (before, rest) = all.split_at(GUARD);
        let (inside, behind) = rest.split_at(region.len());
        Ok(inside == region && before.iter().chain(behind).all(|&byte| byte == 0))
    }

    fn counter(&mut self, name: &str) -> Check<u32> {
        let counter = Counter::ALL.iter().find(|c| c.name() == name);
        let counter = counter.ok_or_else(|| Stop::lacks(format!("there is no counter {name}")))?;
        self.settle()?;
        self.station.take_answers();
        self.station
            .access(axi_lite::Access::Read(counter.offset()));
        self.settle()?;
        let answer = self.station.take_answers().pop();
        answer
            .map(|answer| answer.value)
            .ok_or_else(|| Stop::fails(format!("counter {name} can't be read")))
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Check {
        let mut memory = self.station.memory().borrow_mut();
        let place = memory.bytes_mut(address, bytes.len());
        let place = place.ok_or_else(|| Stop::fails("no such memory"))?;
        place.copy_from_slice(bytes);
        Ok(())
    }

    fn read(&mut self, address: u64, length: usize) -> Check<Vec<u8>> {
        self.settle()?;
        let memory = self.station.memory().borrow();
        let bytes = memory.bytes(address, length);
        bytes
            .map(<[u8]>::to_vec)
            .ok_or_else(|| Stop::fails("no such memory"))
    }

    fn post(&mut self, work: &Work) -> Check {
        let next = self.next_message.entry(work.stream).or_default();
        let message = *next;
        *next = next.wrapping_add(1);
        let wqe = work.wqe((TARGET_QP & 3) as u16, message);
        let place = u64::from(self.posted) & ((1 << QUEUE_LOG2) - 1);
        self.write(SQ + 64 * place, &wqe.encode())?;
        self.posted += 1;
        self.write_register(map::SQ_DOORBELL.offset, self.posted);
        Ok(())
    }

    fn post_receive(&mut self, connection: u32, stream: u16, buffer: &Buffer) -> Check {
        let rqe = Rqe {
            connection: ((TARGET_QP & 3) + connection) as u16,
            stream,
            length: buffer.length,
            address: buffer.address,
            wr_id: buffer.wr_id,
        };
        let place = u64::from(self.offered) & ((1 << QUEUE_LOG2) - 1);
        self.write(RQ + 32 * place, &rqe.encode())?;
        self.offered += 1;
        self.write_register(map::RQ_DOORBELL.offset, self.offered);
        self.settle()
    }

    fn completions(&mut self) -> Check<Vec<Completion>> {
        self.take_cqes()?;
        Ok(std::mem::take(&mut self.completions))
    }

    fn arrivals(&mut self) -> Check<Vec<Arrival>> {
        self.take_cqes()?;
        Ok(std::mem::take(&mut self.arrivals))
    }
}
