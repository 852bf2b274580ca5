//! Messages between their posting and their completion: slots in a ring, retired in order.
use std::collections::VecDeque;

use metaroce_protocol::Wqe;

use crate::send::Packet;

/// A message in its slot.
#[derive(Clone, Debug)]
pub struct Message {
    /// What was posted.
    pub wqe: Wqe,
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
    fn new(wqe: Wqe, index: u32, mtu_log2: u32) -> Self {
        let packets = u64::from(wqe.length).div_ceil(1 << mtu_log2).max(1) as u32;
        Self {
            wqe,
            index,
            packets,
            delivered: 0,
        }
    }

    /// Packet `index` of the message.
    pub fn segment(&self, index: u32, mtu_log2: u32) -> Segment {
        let offset = index << mtu_log2;
        Segment {
            offset,
            length: (self.wqe.length - offset).min(1 << mtu_log2),
            last: index + 1 == self.packets,
        }
    }
}

/// All messages that are not completed, oldest first, and the one being cut into packets.
#[derive(Debug)]
pub struct Messages {
    ring: VecDeque<Message>,
    slots: u32,
    next_index: u32,
    current: Option<Packet>,
}

impl Messages {
    /// Empty; `slots` is a power of two.
    pub fn new(slots: u32) -> Self {
        Self {
            ring: VecDeque::new(),
            slots,
            next_index: 0,
            current: None,
        }
    }

    /// Whether another message finds a slot.
    pub fn has_room(&self) -> bool {
        self.ring.len() < self.slots as usize
    }

    /// Takes a message into the next slot and makes it current.
    pub fn load(&mut self, wqe: Wqe, mtu_log2: u32) {
        let slot = (self.next_index % self.slots) as u8;
        self.push(Message::new(wqe, self.next_index, mtu_log2));
        self.current = Some(Packet { slot, index: 0 });
    }

    /// Takes a request that can't be into the next slot, where it waits for its turn to fail.
    pub fn load_bad(&mut self, wqe: Wqe) {
        self.push(Message {
            wqe,
            index: self.next_index,
            packets: 0,
            delivered: 0,
        });
    }

    fn push(&mut self, message: Message) {
        self.ring.push_back(message);
        self.next_index = self.next_index.wrapping_add(1);
    }

    /// The next packet of the current message.
    pub fn current(&self) -> Option<Packet> {
        self.current
    }

    /// The current packet is sent: on to the next, if the message has one.
    pub fn advance(&mut self) {
        let Some(packet) = self.current else { return };
        let more = self
            .in_slot(packet.slot)
            .is_some_and(|m| packet.index + 1 < m.packets);
        self.current = more.then_some(Packet {
            index: packet.index + 1,
            ..packet
        });
    }

    /// The message in a slot.
    pub fn in_slot(&self, slot: u8) -> Option<&Message> {
        self.ring.get(self.position(slot))
    }

    /// One more packet of a slot's message is at the receiver.
    pub fn on_delivered(&mut self, slot: u8) {
        let position = self.position(slot);
        if let Some(message) = self.ring.get_mut(position) {
            message.delivered += 1;
        }
    }

    /// The oldest message.
    pub fn oldest(&self) -> Option<&Message> {
        self.ring.front()
    }

    /// Frees the oldest slot.
    pub fn retire(&mut self) -> Option<Message> {
        self.ring.pop_front()
    }

    fn position(&self, slot: u8) -> usize {
        let oldest = self.next_index.wrapping_sub(self.ring.len() as u32);
        (u32::from(slot).wrapping_sub(oldest) % self.slots) as usize
    }
}
