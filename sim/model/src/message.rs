//! Messages between their posting and their completion: slots in a ring, retired in order.
use std::collections::VecDeque;

use metaroce_protocol::Wqe;

use crate::send::Packet;

/// What a message is, beyond its WQE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// RDMA Write.
    Write,
    /// It takes a posted buffer: the buffer's number in the stream.
    Matched {
        /// Which one.
        receive: u32,
    },
    /// RDMA Read: bytes answered, once there is any answer.
    Read {
        /// Bytes in place.
        answered: Option<u32>,
    },
    /// Atomic.
    Atomic {
        /// Number of the atomic in its connection.
        sequence: u16,
        /// The result is here.
        answered: bool,
    },
    /// Data of a peer's Read.
    ReadResponse {
        /// The request's tag.
        tag: u16,
    },
    /// Result of a peer's atomic.
    AtomicResponse {
        /// The request's tag.
        tag: u16,
        /// The word before.
        original: u64,
    },
}

/// A message in its slot.
#[derive(Clone, Debug)]
pub struct Message {
    /// What was posted.
    pub wqe: Wqe,
    /// What it is.
    pub role: Role,
    /// Its completion is written; the slot waits for those before it.
    pub retired: bool,
    /// Its connection failed: nothing more of it is sent.
    pub given_up: bool,
    /// Index of the WQE, which wraps.
    pub index: u32,
    /// Packets it takes, at least 1; 0 of a request that can't be: it is never sent.
    pub packets: u32,
    /// Packets delivered.
    pub delivered: u32,
}

/// One packet's share of its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// First byte in the message.
    pub offset: u32,
    /// Bytes.
    pub length: u32,
    /// Nothing follows it.
    pub last: bool,
}

impl Message {
    fn new(wqe: Wqe, role: Role, index: u32, mtu_log2: u32) -> Self {
        let length = match role {
            Role::Read { .. } | Role::Atomic { .. } | Role::AtomicResponse { .. } => 0,
            _ => wqe.length,
        };
        let packets = u64::from(length).div_ceil(1 << mtu_log2).max(1) as u32;
        Self {
            wqe,
            role,
            retired: false,
            given_up: false,
            index,
            packets,
            delivered: 0,
        }
    }

    /// Every packet is at the receiver, and every answer is here.
    pub fn is_complete(&self) -> bool {
        let answered = match self.role {
            Role::Read { answered } => answered == Some(self.wqe.length),
            Role::Atomic { answered, .. } => answered,
            _ => true,
        };
        self.packets > 0 && self.delivered == self.packets && answered
    }

    /// Packet `index` of the message.
    pub fn segment(&self, index: u32, mtu_log2: u32) -> Segment {
        let offset = index << mtu_log2;
        Segment {
            offset,
            length: self.payload_bytes(offset).min(1 << mtu_log2),
            last: index + 1 == self.packets,
        }
    }

    fn payload_bytes(&self, offset: u32) -> u32 {
        match self.role {
            Role::Read { .. } | Role::Atomic { .. } | Role::AtomicResponse { .. } => 0,
            _ => self.wqe.length - offset,
        }
    }
}

/// All messages that are not completed, oldest first, and those that are not sent whole: the first of these is current.
#[derive(Debug)]
pub struct Messages {
    ring: VecDeque<Message>,
    slots: u32,
    first_slot: u8,
    next_index: u32,
    unsent: VecDeque<Packet>,
}

impl Messages {
    /// Empty; `slots` is a power of two, 2..=16. Their numbers start at `first_slot`, a multiple of 16.
    pub fn new(slots: u32, first_slot: u8) -> Self {
        Self {
            ring: VecDeque::new(),
            slots,
            first_slot,
            next_index: 0,
            unsent: VecDeque::new(),
        }
    }

    /// Whether another message finds a slot.
    pub fn has_room(&self) -> bool {
        self.ring.len() < self.slots as usize
    }

    /// Takes a message into the next slot; it becomes current after those before it.
    pub fn load(&mut self, wqe: Wqe, role: Role, mtu_log2: u32) {
        let slot = self.first_slot | (self.next_index % self.slots) as u8;
        self.push(Message::new(wqe, role, self.next_index, mtu_log2));
        self.unsent.push_back(Packet { slot, index: 0 });
    }

    /// Takes a request that can't be into the next slot, where it waits for its turn to fail.
    pub fn load_bad(&mut self, wqe: Wqe) {
        let message = Message::new(wqe, Role::Write, self.next_index, 0);
        self.push(Message {
            packets: 0,
            ..message
        });
    }

    fn push(&mut self, message: Message) {
        self.ring.push_back(message);
        self.next_index = self.next_index.wrapping_add(1);
    }

    /// The next packet of the current message.
    pub fn current(&self) -> Option<Packet> {
        self.unsent.front().copied()
    }

    /// The current packet is sent: on to the next, if the message has one.
    pub fn advance(&mut self) {
        let Some(packet) = self.unsent.pop_front() else {
            return;
        };
        let more = self
            .in_slot(packet.slot)
            .is_some_and(|m| packet.index + 1 < m.packets);
        if more {
            self.unsent.push_front(Packet {
                index: packet.index + 1,
                ..packet
            });
        }
    }

    /// Nothing more is sent of this connection's messages.
    pub fn give_up(&mut self, connection: u32) {
        for message in &mut self.ring {
            message.given_up |= u32::from(message.wqe.connection) == connection;
        }
        let mut unsent = std::mem::take(&mut self.unsent);
        unsent.retain(|packet| {
            let message = self.in_slot(packet.slot);
            message.is_some_and(|m| u32::from(m.wqe.connection) != connection)
        });
        self.unsent = unsent;
    }

    /// The message in a slot.
    pub fn in_slot(&self, slot: u8) -> Option<&Message> {
        self.ring.get(self.position(slot))
    }

    /// The same, to change it.
    pub fn in_slot_mut(&mut self, slot: u8) -> Option<&mut Message> {
        let position = self.position(slot);
        self.ring.get_mut(position)
    }

    /// One more packet of a slot's message is at the receiver.
    pub fn on_delivered(&mut self, slot: u8) {
        if let Some(message) = self.in_slot_mut(slot) {
            message.delivered += 1;
        }
    }

    /// The oldest message.
    pub fn oldest(&self) -> Option<&Message> {
        self.ring.front()
    }

    /// Its slot.
    pub fn oldest_slot(&self) -> u8 {
        let index = self.next_index.wrapping_sub(self.ring.len() as u32);
        self.first_slot | (index % self.slots) as u8
    }

    /// Every message whose completion is not written, oldest first.
    pub fn open(&self) -> impl Iterator<Item = (usize, &Message)> {
        self.ring.iter().enumerate().filter(|(_, m)| !m.retired)
    }

    /// Retires the message at a place of the ring; its slot is free once it is the oldest.
    pub fn retire(&mut self, position: usize) -> Option<Message> {
        let message = self.ring.get_mut(position)?;
        message.retired = true;
        let retired = message.clone();
        while self.ring.front().is_some_and(|m| m.retired) {
            self.ring.pop_front();
        }
        Some(retired)
    }

    /// No message holds a slot.
    pub fn is_empty(&self) -> bool {
        self.ring.is_empty()
    }

    fn position(&self, slot: u8) -> usize {
        let oldest = self.next_index.wrapping_sub(self.ring.len() as u32);
        (u32::from(slot).wrapping_sub(oldest) % self.slots) as usize
    }
}
