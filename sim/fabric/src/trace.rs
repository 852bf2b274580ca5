//! Events of one connection as Chrome's trace format, which Perfetto reads.
use metaroce_model::wire::Body;
use serde_json::{Value, json};

use crate::outcome::microseconds;
use crate::packet::{Frame, HostId, Packet, Purpose};
use crate::units::Time;

/// Events kept (ours): 100 MB of JSON; later ones are left out, and the trace says so.
const MOST: usize = 500_000;

/// The frames of one connection, both directions.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    ends: Option<(HostId, HostId)>,
    events: Vec<Seen>,
    left_out: u64,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    at: Time,
    host: HostId,
    arrived: bool,
    packet: Packet,
}

impl Trace {
    /// Of the frames between two hosts.
    pub fn between(a: HostId, b: HostId) -> Self {
        Self {
            ends: Some((a, b)),
            ..Self::default()
        }
    }

    /// A frame is sent or arrives.
    pub fn on_packet(&mut self, packet: &Packet, at: Time, arrived: bool) {
        let Some((a, b)) = self.ends else { return };
        if (packet.from, packet.to) != (a, b) && (packet.from, packet.to) != (b, a) {
            return;
        }
        if self.events.len() == MOST {
            self.left_out += 1;
            return;
        }
        let host = if arrived { packet.to } else { packet.from };
        self.events.push(Seen {
            at,
            host,
            arrived,
            packet: *packet,
        });
    }
}

/// The trace as JSON: a process is a host, a thread a path; times are simulated microseconds.
pub fn chrome(trace: &Trace) -> serde_json::Result<Vec<u8>> {
    let events: Vec<Value> = trace.events.iter().map(event).collect();
    serde_json::to_vec(&json!({
        "displayTimeUnit": "ns",
        "otherData": { "events_left_out": trace.left_out },
        "traceEvents": events,
    }))
}

fn event(seen: &Seen) -> Value {
    let (path, mut arguments) = describe(&seen.packet);
    arguments["plane"] = seen.packet.plane.into();
    arguments["bytes"] = seen.packet.bytes.into();
    arguments["marked"] = seen.packet.marked.into();
    let verb = if seen.arrived { "arrives" } else { "sent" };
    json!({
        "name": format!("{} {verb}", name(&seen.packet)),
        "ph": "i",
        "s": "t",
        "ts": microseconds(seen.at),
        "pid": seen.host,
        "tid": path,
        "args": arguments,
    })
}

fn name(packet: &Packet) -> &'static str {
    match packet.purpose {
        Purpose::First => "data",
        Purpose::Again => "data again",
        Purpose::Copy => "copy",
        Purpose::Probe => "probe",
        Purpose::Answer => "answer",
    }
}

fn describe(packet: &Packet) -> (u64, Value) {
    match &packet.frame {
        Frame::Metaroce(frame) => {
            let mut arguments = json!({
                "psn": frame.psn.get(),
                "tsn": frame.tsn.get(),
                "epoch": frame.epoch,
            });
            if let Body::Ack(sack) = &frame.body {
                arguments["rate_hint"] = sack.rate_hint.into();
                arguments["marked_so_far"] = sack.marked.into();
            }
            (frame.path.into(), arguments)
        }
        Frame::Roce(frame) => (0, json!({ "psn": frame.psn })),
    }
}
