//! The receiver's host: posts buffers, and compares what it is told of with what its peer sent.
use std::collections::VecDeque;

use metaroce_model::config::Size;
use metaroce_protocol::{CompletionStatus, Cqe, Rqe, Wqe, WqeOpcode};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::{Setting, peers, place_bytes};
use crate::axi_mem::{Access, SharedMemory};
use crate::host::ReceiveRing;
use crate::station::Station;

/// Host memory that Sends fill, a place for each buffer.
const BUFFERS: u64 = 0x8000_0000;
/// Buffers of a stream.
const EACH: u32 = 4;
/// Probability of a cycle in which a host posts buffers that patient senders wait for.
const SELDOM: f64 = 1.0 / 1_000.0;
/// Entries of the receive queue, log2: all buffers of 8 connections of 3 streams, and little more, so that it wraps all the time.
const RING_LOG2: u32 = 7;

/// One stream of one connection.
#[derive(Clone, Debug, Default)]
struct Flow {
    /// RQEs written.
    posted: u32,
    /// Of those the ones that the NIC has posted.
    ready: u32,
    /// Buffers that the peer's messages will take, or have taken.
    claimed: u32,
    /// Messages told of.
    told: u32,
    /// Messages that take a buffer, in their order, and not told of.
    coming: VecDeque<Wqe>,
    /// Where the buffers posted and not told of begin.
    addresses: VecDeque<u64>,
}

/// All streams of a NIC, as their receiver.
#[derive(Debug)]
pub(super) struct Receiver {
    ring: ReceiveRing,
    flows: Vec<Flow>,
    streams: u32,
}

impl Receiver {
    /// Makes the receive queue and room for the buffers.
    pub fn new(station: &mut Station, size: Size, setting: &Setting) -> Self {
        let (ring, streams) = (ReceiveRing::new(station, RING_LOG2), peers::streams(size));
        let flows = setting.connections * streams;
        assert!(flows * EACH <= 1 << RING_LOG2, "a place for each buffer");
        let bytes = u64::from(flows * EACH) * place_bytes(setting.lengths.most);
        let mut memory = station.memory().borrow_mut();
        memory.add("buffers", BUFFERS, bytes as usize, Access::ReadWrite);
        drop(memory);
        Self {
            ring,
            flows: vec![Flow::default(); flows as usize],
            streams,
        }
    }

    fn flow(&mut self, number: u32, stream: u32) -> &mut Flow {
        &mut self.flows[(number * self.streams + stream) as usize]
    }

    /// Whether the next message of a stream would find a buffer, if so many more were posted.
    pub fn has_buffer(&mut self, number: u32, stream: u32, ahead: u32) -> bool {
        let flow = self.flow(number, stream);
        flow.claimed != flow.ready.wrapping_add(ahead)
    }

    /// A message that takes a buffer is on its way.
    pub fn expect(&mut self, number: u32, wqe: &Wqe) {
        let flow = self.flow(number, wqe.stream.into());
        flow.claimed = flow.claimed.wrapping_add(1);
        flow.coming.push_back(*wqe);
    }

    /// Posts a buffer for each that was taken; if senders are patient, now and then only.
    pub fn post(
        &mut self,
        station: &mut Station,
        size: Size,
        setting: &Setting,
        random: &mut ChaCha8Rng,
    ) {
        if setting.patience > 0 && !random.random_bool(SELDOM) {
            return;
        }
        let bytes = place_bytes(setting.lengths.most);
        for index in 0..self.flows.len() as u32 {
            let (number, stream) = (index / self.streams, index % self.streams);
            let flow = &mut self.flows[index as usize];
            while flow.posted.wrapping_sub(flow.told) < EACH {
                let buffer = index * EACH + flow.posted % EACH;
                let begin = BUFFERS + u64::from(buffer) * bytes;
                let address = begin + setting.lengths.offset(random);
                let rqe = Rqe {
                    connection: peers::connection(number, setting, size) as u16,
                    stream: stream as u16,
                    length: setting.lengths.most,
                    address,
                    wr_id: u64::from(index) << 32 | u64::from(flow.posted),
                };
                flow.posted = flow.posted.wrapping_add(1);
                flow.addresses.push_back(address);
                self.ring.post(station, &rqe);
            }
        }
    }

    /// The NIC has posted the next buffer of a stream, counted over all connections.
    pub fn on_posted(&mut self, global: u32, size: Size, setting: &Setting) {
        let all = u32::from(size.trackers.streams);
        let (connection, stream) = (global / all, global % all);
        let number = (0..setting.connections)
            .find(|&number| peers::connection(number, setting, size) == connection)
            .expect("only connections in use have buffers");
        let flow = self.flow(number, stream);
        flow.ready = flow.ready.wrapping_add(1);
    }

    /// A message came: all of it is in memory, as it is in the sender's. Says what differs.
    pub fn on_told(
        &mut self,
        cqe: &Cqe,
        sender: &SharedMemory,
        own: &SharedMemory,
    ) -> Result<(), String> {
        let flow = &mut self.flows[(cqe.wr_id >> 32) as usize];
        let wqe = flow.coming.pop_front().ok_or("nothing was sent")?;
        let buffer = flow.addresses.pop_front().ok_or("nothing was posted")?;
        let immediate = match wqe.opcode {
            WqeOpcode::WriteImm | WqeOpcode::SendImm => Some(wqe.immediate),
            _ => None,
        };
        let expected = Cqe {
            wr_id: cqe.wr_id & !0xFFFF_FFFF | u64::from(flow.told),
            status: CompletionStatus::Success,
            connection: wqe.connection,
            length: wqe.length,
            phase: cqe.phase,
            received: true,
            has_immediate: immediate.is_some(),
            stream: wqe.stream,
            message: wqe.message,
            immediate: immediate.unwrap_or(0),
            ..Cqe::default()
        };
        if *cqe != expected {
            return Err(format!("{expected:?} was sent, {cqe:?} told"));
        }
        flow.told = flow.told.wrapping_add(1);
        let place = match wqe.opcode {
            WqeOpcode::WriteImm => wqe.remote_address,
            _ => buffer,
        };
        let (from, to) = (sender.borrow(), own.borrow());
        let length = wqe.length as usize;
        match length == 0 || from.bytes(wqe.local_address, length) == to.bytes(place, length) {
            true => Ok(()),
            false => Err(format!("other bytes than {wqe:?}")),
        }
    }

    /// Whether all that was sent was told of, and all that was posted is with the NIC.
    pub fn is_at_rest(&self) -> bool {
        let rests = |flow: &Flow| flow.coming.is_empty() && flow.ready == flow.posted;
        self.flows.iter().all(rests)
    }

    /// All connections are set up anew: their buffers are gone.
    pub fn forget(&mut self) {
        self.flows.fill(Flow::default());
    }
}
