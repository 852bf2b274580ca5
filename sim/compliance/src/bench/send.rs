//! What the tester sends.
use metaroce_protocol::constants::{ECN_CAPABLE, ECN_MARKED};
use metaroce_protocol::{Body, Bth, Frame, Ip, Ipv4, Msg, Path, Psn, Reth, Tsn};

use super::Bench;
use crate::check::Check;

/// A frame of the tester before it has bytes. A point changes what it wants to be wrong.
#[derive(Clone, Debug)]
pub struct Packet<'a> {
    /// Path in the connection.
    pub path: u8,
    /// Path that carries it, which decides plane and UDP source port: another one for SYNC and its answer.
    pub carrier: u8,
    /// PSN of BTH.
    pub psn: Psn,
    /// TSN of PATH.
    pub tsn: Tsn,
    /// Epoch of PATH.
    pub epoch: u8,
    /// Timestamp of PATH.
    pub timestamp: u32,
    /// Acknowledgement request of BTH.
    pub ack_request: bool,
    /// Congestion experienced on the way.
    pub ce: bool,
    /// Destination QP.
    pub qp: u32,
    /// What follows.
    pub body: Body<'a>,
}

impl Bench {
    /// A frame on a path with these numbers.
    pub fn packet<'a>(&self, path: u8, psn: Psn, tsn: Tsn, body: Body<'a>) -> Packet<'a> {
        Packet {
            path,
            carrier: path,
            psn,
            tsn,
            epoch: self.setup.epoch,
            timestamp: self.now(),
            ack_request: false,
            ce: false,
            qp: self.id.qp,
            body,
        }
    }

    /// A data packet with the next PSN and TSN of its path.
    pub fn data<'a>(&mut self, path: u8, body: Body<'a>) -> Packet<'a> {
        let psn = self.next[usize::from(path)].0;
        self.next[usize::from(path)].0 = psn.next();
        self.again(path, psn, body)
    }

    /// A data packet with a PSN of the past or the future, and the next TSN of its path.
    pub fn again<'a>(&mut self, path: u8, psn: Psn, body: Body<'a>) -> Packet<'a> {
        let tsn = self.next_tsn(path);
        self.packet(path, psn, tsn, body)
    }

    /// A probe with the next TSN of its path.
    pub fn probe(&mut self, path: u8) -> Packet<'static> {
        let (psn, tsn) = (self.next[usize::from(path)].0, self.next_tsn(path));
        Packet {
            ack_request: true,
            ..self.packet(path, psn, tsn, Body::Probe)
        }
    }

    fn next_tsn(&mut self, path: u8) -> Tsn {
        let next = &mut self.next[usize::from(path)].1;
        let tsn = *next;
        *next = tsn.next();
        tsn
    }

    /// The next message number of a stream.
    pub fn message(&mut self, stream: u16) -> u16 {
        let next = self.next_message.entry(stream).or_default();
        let message = *next;
        *next = message.wrapping_add(1);
        message
    }

    /// A WRITE that is a whole message of stream 0, to an offset in the region.
    pub fn write<'a>(&mut self, offset: u32, payload: &'a [u8]) -> Body<'a> {
        let message = self.message(0);
        self.part(message, offset, payload.len() as u32, 0, payload)
    }

    /// A WRITE that is part of a message of stream 0 of `length` bytes, which begins at `start` in the region.
    pub fn part<'a>(
        &self,
        message: u16,
        start: u32,
        length: u32,
        offset: u32,
        payload: &'a [u8],
    ) -> Body<'a> {
        Body::Write {
            msg: Msg {
                stream: 0,
                message,
                offset,
            },
            reth: Reth {
                address: self.id.region + u64::from(start + offset),
                r_key: self.id.r_key,
                length,
            },
            payload,
        }
    }

    /// The bytes of a frame.
    pub fn bytes(&self, packet: &Packet<'_>) -> Vec<u8> {
        let addresses = &self.id.addresses[usize::from(self.setup.plane(packet.carrier))];
        let frame = addresses.frame(self.setup.entropy(packet.carrier), packet.body);
        let Ip::V4(ip) = frame.ip else {
            unreachable!("these addresses are of version 4")
        };
        let frame = Frame {
            ip: Ip::V4(Ipv4 {
                ecn: if packet.ce { ECN_MARKED } else { ECN_CAPABLE },
                ..ip
            }),
            bth: Bth {
                dest_qp: packet.qp,
                psn: packet.psn,
                ack_request: packet.ack_request,
                ..frame.bth
            },
            path: Path {
                path: packet.path,
                epoch: packet.epoch,
                tsn: packet.tsn,
                timestamp: packet.timestamp,
                ..frame.path
            },
            ..frame
        };
        frame.encode().expect("a point's payload fits")
    }

    /// Sends a frame.
    pub fn send(&mut self, packet: &Packet<'_>) -> Check {
        let bytes = self.bytes(packet);
        self.target
            .deliver(self.setup.plane(packet.carrier), &bytes)
    }

    /// Sends bytes on plane 0.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> Check {
        self.target.deliver(0, bytes)
    }

    /// Sends a WRITE message with the next numbers of a path, and expects its bytes in the region.
    pub fn send_write(&mut self, path: u8, offset: u32, payload: &[u8]) -> Check {
        let body = self.write(offset, payload);
        let packet = self.data(path, body);
        self.expect(offset, payload);
        self.send(&packet)
    }
}
