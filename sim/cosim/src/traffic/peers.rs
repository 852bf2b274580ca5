//! Memory, connections and paths of two NICs that are each other's peer.
use metaroce_model::config::Size;
use metaroce_protocol::frame::Addresses;
use metaroce_protocol::{ConfigTable, ConnectionEntry, PathEntry, Profile, Psn, RegionEntry, Tsn};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::{PAGE, PLACES, READS, SINK, SOURCE, Setting, place_bytes};
use crate::axi_mem::Access;
use crate::host;
use crate::station::Station;

/// Streams of a connection.
pub(super) fn streams(size: Size) -> u32 {
    u32::from(size.trackers.streams).min(3)
}

/// Number of a stream's first message: next to its wrap, where nobody keeps account of messages from 0.
pub(super) fn first_message(profile: Profile) -> u16 {
    match profile.tracks_messages() {
        true => 0,
        false => 0xFFF0,
    }
}

/// The region that messages are written to.
pub(super) const KEY: u32 = 0x0051_2301;
/// The region that Reads read.
pub(super) const READ_KEY: u32 = 0x0077_3402;
const QP: [u32; 2] = [0x0A_0000, 0x0B_0000];
/// Epoch of a connection's first life.
const EPOCH: u8 = 9;
/// First of the paths' UDP source ports.
const ENTROPY: u32 = 0xC000;

/// The connection of this number: spread over the table, from its first entry to its last.
pub(super) fn connection(number: u32, setting: &Setting, size: Size) -> u32 {
    match setting.connections {
        1 => size.connections - 1,
        count => number * (size.connections - 1) / (count - 1),
    }
}

/// Host memory: what is sent, at random, and places for what arrives.
pub(super) fn memory(station: &Station, setting: &Setting, random: &mut ChaCha8Rng) {
    let memory = station.memory().clone();
    let mut memory = memory.borrow_mut();
    let source = source_bytes(setting) as usize;
    memory.add("source", SOURCE, source, Access::ReadOnly);
    memory.add("sink", SINK, sink_bytes(setting), Access::ReadWrite);
    memory.add("reads", READS, sink_bytes(setting), Access::ReadWrite);
    if let Some(region) = memory.region_mut("source") {
        random.fill(&mut region.data[..]);
    }
}

fn source_bytes(setting: &Setting) -> u64 {
    PAGE + u64::from(setting.lengths.most)
}

fn sink_bytes(setting: &Setting) -> usize {
    (PLACES * place_bytes(setting.lengths.most)) as usize
}

/// The regions of a NIC that its peer writes to, and reads.
pub(super) fn regions(station: &mut Station, size: Size, setting: &Setting) {
    let written = (KEY, SINK, sink_bytes(setting) as u64);
    for (r_key, base, length) in [written, (READ_KEY, SOURCE, source_bytes(setting))] {
        let region = RegionEntry {
            valid: true,
            r_key,
            base,
            length,
        };
        let index = r_key & (size.regions - 1);
        host::write_entry(station, ConfigTable::Region, index, &region.to_words());
    }
}

/// Connections of NIC `nic`, for the first time or once more; every number starts next to its wrap.
pub(super) fn connect(station: &mut Station, nic: usize, size: Size, setting: &Setting, life: u8) {
    for number in 0..setting.connections {
        let connection = connection(number, setting, size);
        for path in 0..size.paths {
            let entry = path_entry(connection, path, size, life);
            let index = connection * size.paths + path;
            host::write_entry(station, ConfigTable::Path, index, &entry.to_words());
        }
        let entry = ConnectionEntry {
            valid: true,
            local_qp: QP[nic] | connection,
            remote_qp: QP[1 - nic] | connection,
            path_count: size.paths as u8,
            src_ip: [10, 0, 0, nic as u8].into(),
            dst_ip: [10, 0, 0, 1 - nic as u8].into(),
            ..Default::default()
        };
        let ip_sum = Addresses::from(&entry).ip_sum();
        let words = ConnectionEntry { ip_sum, ..entry }.to_words();
        host::write_entry(station, ConfigTable::Connection, connection, &words);
    }
}

fn path_entry(connection: u32, path: u32, size: Size, life: u8) -> PathEntry {
    let (psn, tsn) = (Psn::truncate(0xFF_FF00), Tsn::truncate(0xFF_FFF0));
    PathEntry {
        valid: true,
        plane: (path % size.planes) as u8,
        epoch: EPOCH.wrapping_add(life),
        entropy: (ENTROPY + connection * size.paths + path) as u16,
        first_psn_tx: psn,
        first_tsn_tx: tsn,
        first_psn_rx: psn,
        first_tsn_rx: tsn,
    }
}
