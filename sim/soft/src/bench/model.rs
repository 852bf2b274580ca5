//! The model alone: two endpoints in one thread, frames handed over without sockets, bytes or loss.
use std::time::Instant;

use metaroce_model::wire::{Body, Outgoing};
use metaroce_protocol::{Counter, PathEntry, Psn, RegionEntry, Tsn, Wqe, WqeOpcode};
use serde::Serialize;

use crate::device::{DeviceOptions, Lane, LaneAttributes};

/// Key of the receiver's region.
const R_KEY: u32 = 1;
/// Packets of a message.
const MESSAGE: u32 = 256;

/// What [`bench_model`] found.
#[derive(Clone, Debug, Serialize)]
pub struct ModelBench {
    /// Data packets a second: sent, received, acknowledged and resolved.
    pub packets_per_second: f64,
    /// Data packets.
    pub packets: u64,
    /// ACKs that came back.
    pub acknowledgements: u32,
    /// Seconds it took.
    pub seconds: f64,
    /// Paths of the connection.
    pub paths: u16,
    /// Bytes of payload in a packet.
    pub payload: u32,
}

/// One connection, its sender always busy, in process.
pub fn bench_model(paths: u16, packets: u64) -> ModelBench {
    let options = DeviceOptions::new(vec![std::net::Ipv4Addr::LOCALHOST.into()]);
    let payload = 1 << options.mtu_log2;
    let (mut a, mut b) = (lane(&options, paths, 1, 2), lane(&options, paths, 2, 1));
    let length = MESSAGE * payload;
    let mut now = 0_u32;
    let (mut sent, mut posted, mut completed) = (0_u64, 0_u64, 0_u64);
    let messages = packets.div_ceil(MESSAGE.into());
    let began = Instant::now();
    while completed < messages {
        while posted < messages && posted - completed < 16 {
            a.endpoint.post(wqe(length, posted));
            posted += 1;
        }
        now = now.wrapping_add(1);
        while let Some(frame) = a.endpoint.poll_transmit(now) {
            sent += u64::from(matches!(frame.frame.body, Body::Write(_)));
            hand_over(&frame, &mut b, now);
        }
        while let Some(frame) = b.endpoint.poll_transmit(now) {
            hand_over(&frame, &mut a, now);
        }
        while b.poll(0).is_some() {}
        while a.poll(0).is_some() {
            completed += 1;
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    ModelBench {
        packets_per_second: sent as f64 / seconds,
        packets: sent,
        acknowledgements: a.endpoint.nic.counters().get(Counter::RxAcks),
        seconds,
        paths,
        payload,
    }
}

fn hand_over(frame: &Outgoing, to: &mut Lane, now: u32) {
    let _ = to.endpoint.handle(&frame.frame, now);
}

fn lane(options: &DeviceOptions, paths: u16, local_qp: u32, remote_qp: u32) -> Lane {
    let path = |n| PathEntry {
        valid: true,
        plane: 0,
        epoch: 0,
        entropy: n,
        first_psn_tx: Psn::truncate(0),
        first_tsn_tx: Tsn::truncate(0),
        first_psn_rx: Psn::truncate(0),
        first_tsn_rx: Tsn::truncate(0),
    };
    let region = RegionEntry {
        valid: true,
        r_key: R_KEY,
        base: 0,
        length: u64::from(MESSAGE) << options.mtu_log2,
    };
    let attributes = LaneAttributes {
        local_qp,
        remote_qp,
        paths: (0..paths).map(path).collect(),
        senders: vec![],
        peers: vec![],
    };
    Lane::new(options, attributes, [(R_KEY, region)].into_iter(), 0)
}

fn wqe(length: u32, number: u64) -> Wqe {
    Wqe {
        opcode: WqeOpcode::Write,
        message: number as u16,
        r_key: R_KEY,
        length,
        ..Wqe::default()
    }
}
