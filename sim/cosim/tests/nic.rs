//! Two whole NICs over lossy planes, in lockstep with the model.
use metaroce_cosim::axi_lite::Access as Register;
use metaroce_cosim::axi_mem::Access;
use metaroce_cosim::model::{Options, Sources, VerilatedModel};
use metaroce_cosim::planes::Faults;
use metaroce_cosim::station::{Station, Surroundings};
use metaroce_cosim::testbed::Testbed;
use metaroce_model::config::Size;
use metaroce_protocol::registers as map;
use metaroce_protocol::table::host::ConfigCommit;
use metaroce_protocol::{
    ConfigTable, ConnectionEntry, Counter, PathEntry, Psn, RegionEntry, Tsn, Wqe, WqeOpcode,
};
use metaroce_rtl::sizes::{Size as Built, emit};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const SQ: u64 = 0x1_0000;
const CQ: u64 = 0x2_0000;
const SOURCE: u64 = 0x10_0000;
const SINK: u64 = 0x20_0000;
const BYTES: usize = 1 << 18;
const KEY: u32 = 0x40;
/// Cycles.
const RTO: u32 = 3_000;
const QP: [u32; 2] = [0x0A_0000, 0x0B_0000];

fn size(built: Built) -> Size {
    let c = built.capabilities();
    Size {
        connections: 1 << c.connections_log2,
        paths: 1 << c.paths_log2,
        window_log2: c.window_log2.into(),
        planes: c.planes.into(),
        regions: 1 << c.regions_log2,
        slots: 1 << c.messages_log2,
    }
}

fn sources(built: Built) -> (Sources, tempfile::TempDir) {
    let design = emit(built).unwrap_or_else(|error| panic!("{error}"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verilog");
    design.write_to(&path).unwrap();
    (Sources::from_folder(&design.top, &path).unwrap(), folder)
}

fn config(station: &mut Station, table: ConfigTable, index: u32, entry: &[u8]) {
    for (i, word) in entry.chunks(4).enumerate() {
        let value = u32::from_le_bytes(word.try_into().unwrap());
        station.access(Register::Write(map::CONFIG_DATA.word(i as u32), value));
    }
    let commit = ConfigCommit {
        index: index as u16,
        table,
        ..Default::default()
    };
    let value = u32::from_le_bytes(commit.encode());
    station.access(Register::Write(map::CONFIG_COMMIT.offset, value));
}

/// Host memory, rings, one connection of all paths, one region, and messages of these lengths.
fn set_up(station: &mut Station, own: usize, size: Size, lengths: &[u32], rng: &mut ChaCha8Rng) {
    let memory = station.memory().clone();
    let mut memory = memory.borrow_mut();
    memory.add("sq", SQ, 64 << 8, Access::ReadOnly);
    memory.add("cq", CQ, 32 << 8, Access::ReadWrite);
    memory.add("source", SOURCE, BYTES, Access::ReadOnly);
    memory.add("sink", SINK, BYTES, Access::ReadWrite);
    rng.fill(&mut memory.region_mut("source").unwrap().data[..]);
    let mut offset = 0;
    for (i, &length) in lengths.iter().enumerate() {
        let wqe = Wqe {
            opcode: WqeOpcode::Write,
            connection: 1,
            stream: i as u16 % 3,
            message: i as u16,
            r_key: KEY,
            length,
            local_address: SOURCE + offset,
            remote_address: SINK + offset,
            wr_id: i as u64,
            ..Default::default()
        };
        let at = SQ + 64 * i as u64;
        memory
            .bytes_mut(at, 64)
            .unwrap()
            .copy_from_slice(&wqe.encode());
        offset += u64::from(length) + 3;
        assert!((offset as usize) < BYTES);
    }
    drop(memory);
    let writes = [
        (map::SQ_BASE_LO, SQ as u32),
        (map::SQ_SIZE_LOG2, 8),
        (map::CQ_BASE_LO, CQ as u32),
        (map::CQ_SIZE_LOG2, 8),
        (map::RTO, RTO),
        (map::MTU_LOG2, 8),
        (map::CONTROL, 1),
    ];
    for (register, value) in writes {
        station.access(Register::Write(register.offset, value));
    }
    let entry = ConnectionEntry {
        valid: true,
        local_qp: QP[own] | 1,
        remote_qp: QP[1 - own] | 1,
        path_count: size.paths as u8,
        src_ip: [10, 0, 0, own as u8].into(),
        dst_ip: [10, 0, 0, 1 - own as u8].into(),
        ..Default::default()
    };
    let ip_sum = metaroce_protocol::frame::Addresses::from(&entry).ip_sum();
    let entry = ConnectionEntry { ip_sum, ..entry };
    config(station, ConfigTable::Connection, 1, &entry.encode());
    for path in 0..size.paths {
        let entry = PathEntry {
            valid: true,
            plane: (path % size.planes) as u8,
            epoch: 9,
            entropy: 0xC000 + path as u16,
            first_psn_tx: Psn::truncate(0xFF_FF00),
            first_tsn_tx: Tsn::truncate(0xFF_FFF0),
            first_psn_rx: Psn::truncate(0xFF_FF00),
            first_tsn_rx: Tsn::truncate(0xFF_FFF0),
        };
        config(
            station,
            ConfigTable::Path,
            size.paths + path,
            &entry.encode(),
        );
    }
    let region = RegionEntry {
        valid: true,
        r_key: KEY,
        base: SINK,
        length: BYTES as u64,
    };
    config(
        station,
        ConfigTable::Region,
        KEY & (size.regions - 1),
        &region.encode(),
    );
}

/// Both NICs send at once; ends when nothing moves any more.
fn run(built: Built, faults: Faults, stall: f64, seed: u64, lengths: &[u32]) -> Testbed {
    println!("seed {seed}: {built:?} {faults:?} stall {stall}");
    let (sources, _folder) = sources(built);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let size = size(built);
    let stations = [0, 1].map(|nic: usize| {
        let model = VerilatedModel::build(&sources, &Options::small()).unwrap();
        let surroundings = Surroundings {
            stall,
            memory_latency: 10,
            seed: 2 * seed + nic as u64,
            start_time: 0u32.wrapping_sub(3_000),
        };
        let name = ["A", "B"][nic];
        let mut station = Station::new(name, model, size, &surroundings).unwrap();
        set_up(&mut station, nic, size, lengths, &mut rng);
        station
    });
    let mut bed = Testbed::new(stations, size.planes, faults, seed);
    // RTO doubles: after a time-out probe that is lost twice a path is silent for four of them.
    let quiet = 4 * u64::from(RTO) + 4_000;
    while !bed.is_quiet(quiet) {
        bed.step().unwrap_or_else(|failure| panic!("{failure}"));
    }
    for station in &mut bed.stations {
        let doorbell = Register::Write(map::SQ_DOORBELL.offset, lengths.len() as u32);
        station.access(doorbell);
    }
    let limit = bed.cycle() + 3_000_000;
    bed.step().unwrap();
    while !bed.is_quiet(quiet) {
        bed.step().unwrap_or_else(|failure| panic!("{failure}"));
        assert!(bed.cycle() < limit, "no end");
    }
    println!("  {} cycles, {:?}", bed.cycle(), bed.retransmissions);
    check(&mut bed, lengths);
    bed
}

fn check(bed: &mut Testbed, lengths: &[u32]) {
    let [a, b] = [0, 1].map(|nic: usize| bed.stations[nic].memory().clone());
    for (from, to) in [(&a, &b), (&b, &a)] {
        let (from, to) = (from.borrow(), to.borrow());
        let mut offset = 0;
        for &length in lengths {
            let sent = from.bytes(SOURCE + offset, length as usize);
            assert!(
                sent == to.bytes(SINK + offset, length as usize),
                "message at {offset}"
            );
            offset += u64::from(length) + 3;
        }
    }
    for nic in 0..2 {
        for counter in Counter::ALL {
            bed.stations[nic].access(Register::Read(counter.offset()));
        }
        bed.stations[nic].take_answers();
    }
    bed.step().unwrap();
    while !bed.is_quiet(100) {
        bed.step().unwrap();
    }
    for station in &mut bed.stations {
        let answers = station.take_answers();
        let read = |counter: Counter| {
            let access = Register::Read(counter.offset());
            answers
                .iter()
                .find(|a| a.access == access)
                .map_or(0, |a| a.value)
        };
        assert_eq!(read(Counter::Completions) as usize, lengths.len());
        station
            .check_quiet(read)
            .unwrap_or_else(|failure| panic!("{failure}"));
    }
}

const LENGTHS: &[u32] = &[
    1, 0, 256, 257, 5_000, 4, 3, 2, 30_000, 1_024, 7, 512, 20_001,
];

#[test]
fn small_nics_without_faults() {
    run(Built::Small, Faults::none(20), 0.0, 1, LENGTHS);
}

#[test]
fn small_nics_over_bad_planes() {
    for seed in 2..5 {
        let faults = Faults {
            loss: 0.03,
            duplicate: 0.02,
            corrupt: 0.02,
            mark: 0.1,
            delay: 50,
            path_spread: 200,
            jitter: 0,
        };
        run(Built::Small, faults, 0.2, seed, LENGTHS);
    }
}

#[test]
fn tiny_nics_over_a_bad_plane() {
    let faults = Faults {
        loss: 0.03,
        corrupt: 0.02,
        mark: 0.1,
        ..Faults::none(100)
    };
    run(Built::Tiny, faults, 0.1, 6, LENGTHS);
}
