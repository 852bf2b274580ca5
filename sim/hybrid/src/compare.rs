//! Two runs, frame by frame.
use std::collections::BTreeMap;

use metaroce_cosim::explain;
use metaroce_fabric::outcome::microseconds;
use metaroce_fabric::packet::{Frame, HostId};
use metaroce_fabric::sighting::Sighting;
use metaroce_fabric::topology::{End, Topology};
use metaroce_model::wire::{Body, Write};
use serde::Serialize;

use crate::host::Sent;
use crate::run::Run;
use crate::show;

/// The first place where two runs differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// What differs.
    pub what: String,
    /// Simulated time, microseconds.
    pub at_us: f64,
    /// The frame of the run with hardware.
    pub hardware: String,
    /// The frame of the run with models only.
    pub models: String,
    /// The host whose NIC sent it, and its cycle from reset, if a NIC did.
    #[serde(skip)]
    pub moment: Option<(HostId, u64, usize)>,
}

/// What was compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compared {
    /// Frames on links, each with all its headers, its time and its fate.
    pub frames: u64,
    /// Frames that NICs sent, byte for byte.
    pub whole_frames: u64,
    /// The first difference.
    pub first: Option<Difference>,
}

const NONE: &str = "no frame";

/// A run with hardware against one that follows its schedule.
pub fn runs(hardware: &Run, models: &Run) -> Compared {
    let mut compared = Compared::default();
    for (host, sent) in &hardware.sent {
        let other = models.sent.get(host).map_or(&[][..], Vec::as_slice);
        compared.whole_frames += sent.len().min(other.len()) as u64;
        let found = first_sent(*host, sent, other);
        compared.keep_earlier(found);
    }
    compared.frames = hardware.sightings.len().min(models.sightings.len()) as u64;
    let found = first_sighting(&hardware.topology, &hardware.sightings, &models.sightings);
    compared.keep_earlier(found);
    compared
}

impl Compared {
    fn keep_earlier(&mut self, found: Option<Difference>) {
        let earlier = |d: &Difference| self.first.as_ref().is_none_or(|f| d.at_us < f.at_us);
        if let Some(found) = found.filter(earlier) {
            self.first = Some(found);
        }
    }
}

/// The first place where two sequences differ, and what stands there.
fn first_apart<'a, T>(
    a: &'a [T],
    b: &'a [T],
    equal: impl Fn(&T, &T) -> bool,
) -> Option<(Option<&'a T>, Option<&'a T>)> {
    let place = a.iter().zip(b).position(|(a, b)| !equal(a, b));
    let place = place.unwrap_or(a.len().min(b.len()));
    let apart = (a.get(place), b.get(place));
    (apart.0.is_some() || apart.1.is_some()).then_some(apart)
}

fn first_sent(host: HostId, hardware: &[Sent], models: &[Sent]) -> Option<Difference> {
    let key = |s: &Sent| (s.at, s.plane);
    let (h, m) = first_apart(hardware, models, |h, m| {
        key(h) == key(m) && h.bytes == m.bytes
    })?;
    let text = |sent: Option<&Sent>| match sent {
        None => NONE.into(),
        Some(s) => {
            let at = microseconds(s.at);
            format!("{at:.6} us, plane {}, {}", s.plane, show::bytes(&s.bytes))
        }
    };
    let field = match (h, m) {
        (Some(h), Some(m)) if h.bytes != m.bytes => {
            let d = explain::first_difference(&m.bytes, &h.bytes);
            format!(
                "{}: the model says {}, the hardware {}",
                d.what, d.expected, d.found
            )
        }
        (Some(_), Some(_)) => "time or plane".into(),
        _ => "one run has no such frame".into(),
    };
    Some(Difference {
        what: format!("frame sent by the NIC of host {host}: {field}"),
        at_us: microseconds(h.or(m)?.at),
        hardware: text(h),
        models: text(m),
        moment: h.map(|h| (host, h.cycle, h.plane)),
    })
}

fn first_sighting(
    topology: &Topology,
    hardware: &[Sighting],
    models: &[Sighting],
) -> Option<Difference> {
    let (h, m) = first_apart(hardware, models, |h, m| h == m)?;
    let text = |seen: Option<&Sighting>| match seen {
        None => NONE.into(),
        Some(seen) => show::sighting(seen, topology),
    };
    Some(Difference {
        what: "frame on a link".into(),
        at_us: microseconds(h.or(m)?.at),
        hardware: text(h),
        models: text(m),
        moment: None,
    })
}

/// Sender, receiver and path.
type PathOf = (HostId, HostId, u8);
/// PSN, TSN and what of which message.
type Part = (u32, u32, Write);

/// What each path carries, in its order, without times: the data packets as their senders put them onto their links.
/// Addresses and keys are left out: only hosts with real memory have them.
pub fn sequences(topology: &Topology, sightings: &[Sighting]) -> BTreeMap<PathOf, Vec<Part>> {
    let mut sequences: BTreeMap<PathOf, Vec<Part>> = BTreeMap::new();
    for seen in sightings {
        let packet = &seen.packet;
        let from = topology.wires[seen.link as usize].from;
        let Frame::Metaroce(headers) = &packet.frame else {
            continue;
        };
        if let (End::Host(_), Body::Write(mut write)) = (from, headers.body) {
            (write.reth.address, write.reth.r_key) = (0, 0);
            let path = (packet.from, packet.to, headers.path);
            let part = (headers.psn.get(), headers.tsn.get(), write);
            sequences.entry(path).or_default().push(part);
        }
    }
    sequences
}
