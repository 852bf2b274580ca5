//! Frames on their way: headers and a length; no payload bytes exist anywhere in this simulation.
use metaroce_model::wire::Incoming;

use crate::baseline::RoceFrame;

/// A host's number, from 0.
pub type HostId = u32;
/// Where a packet lies in the pool.
pub type PacketId = u32;

/// What a frame says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Frame {
    /// Ours.
    Metaroce(Incoming),
    /// A baseline's.
    Roce(RoceFrame),
}

/// Why a data packet is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// For the first time.
    First,
    /// Its sender takes it for lost.
    Again,
    /// A second copy, to be on the safe side.
    Copy,
    /// It asks about data, and must not overtake any on its path.
    Probe,
    /// It speaks of data that came: ACKs and the like.
    Answer,
}

/// A frame on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packet {
    /// What it says.
    pub frame: Frame,
    /// Sender.
    pub from: HostId,
    /// Receiver.
    pub to: HostId,
    /// Plane that carries it.
    pub plane: u8,
    /// UDP source port: what ECMP hashes besides the addresses.
    pub entropy: u16,
    /// Bytes of the frame, without what a link adds.
    pub bytes: u32,
    /// Congestion experienced.
    pub marked: bool,
    /// Why it is sent.
    pub purpose: Purpose,
    /// The link that it came over last: whom PFC pauses.
    pub ingress: u32,
}

impl Packet {
    /// Whether it carries data.
    pub fn is_data(&self) -> bool {
        !matches!(self.purpose, Purpose::Probe | Purpose::Answer)
    }
}

/// All packets on their way; places are used again, so a packet costs no allocation.
#[derive(Debug, Default)]
pub struct Pool {
    packets: Vec<Packet>,
    free: Vec<PacketId>,
}

impl Pool {
    /// Takes a packet in.
    pub fn put(&mut self, packet: Packet) -> PacketId {
        match self.free.pop() {
            Some(id) => {
                self.packets[id as usize] = packet;
                id
            }
            None => {
                self.packets.push(packet);
                self.packets.len() as PacketId - 1
            }
        }
    }

    /// Takes a packet out.
    pub fn take(&mut self, id: PacketId) -> Packet {
        self.free.push(id);
        self.packets[id as usize]
    }

    /// A packet on its way.
    pub fn get(&self, id: PacketId) -> &Packet {
        &self.packets[id as usize]
    }

    /// The same, to mark it.
    pub fn get_mut(&mut self, id: PacketId) -> &mut Packet {
        &mut self.packets[id as usize]
    }

    /// Packets on their way.
    pub fn len(&self) -> usize {
        self.packets.len() - self.free.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
