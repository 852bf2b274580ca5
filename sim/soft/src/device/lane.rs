//! A connection's own NIC model: a lane costs nothing while nothing happens on it, however many others there are.
use std::net::{IpAddr, Ipv4Addr};

use metaroce_model::config::{Options, Size, TrackerSize, Tunables};
use metaroce_model::endpoint::Endpoint;
use metaroce_model::nic::{Nic, Received};
use metaroce_model::wire::{Incoming, Outgoing};
use metaroce_protocol::{ConnectionEntry, Frame, PathEntry, Profile, RegionEntry};
use metaroce_verbs::{Completed, WorkCompletion};

use super::{DeviceOptions, SLOTS, WINDOW_LOG2};
use crate::memory::{Memory, REGIONS};

/// Ticks between two doublings of a recovering plane's windows: a host's round trip, or several.
const RAMP_TICKS: u32 = 1_000;
/// Answers in a row that bring a plane back.
const RECOVERY_PROBES: u32 = 3;

/// A connection at work.
pub(crate) struct Lane {
    pub(crate) endpoint: Endpoint,
    /// By path.
    pub(crate) senders: Vec<LaneSender>,
    /// The peer's address, by plane.
    pub(crate) peers: Vec<IpAddr>,
    /// The peer's QP.
    pub(crate) remote_qp: u32,
    /// Something happened since it had nothing to send.
    pub(crate) dirty: bool,
}

/// The socket of a path.
#[derive(Clone, Copy)]
pub(crate) struct LaneSender {
    pub(crate) plane: u32,
    pub(crate) entropy: u16,
    /// Index among the device's senders.
    pub(crate) index: usize,
}

/// What a lane is made of.
pub(crate) struct LaneAttributes {
    pub(crate) local_qp: u32,
    pub(crate) remote_qp: u32,
    /// By path.
    pub(crate) paths: Vec<PathEntry>,
    /// By path.
    pub(crate) senders: Vec<LaneSender>,
    /// By plane.
    pub(crate) peers: Vec<IpAddr>,
}

impl Lane {
    pub(crate) fn new(
        options: &DeviceOptions,
        attributes: LaneAttributes,
        regions: impl Iterator<Item = (u32, RegionEntry)>,
        now: u32,
    ) -> Self {
        let LaneAttributes {
            local_qp,
            remote_qp,
            paths,
            senders,
            peers,
        } = attributes;
        let size = Size {
            connections: 1,
            paths: (paths.len() as u32).next_power_of_two(),
            window_log2: WINDOW_LOG2,
            planes: options.addresses.len() as u32,
            regions: REGIONS as u32,
            slots: SLOTS,
            trackers: TrackerSize::SOFTWARE,
        };
        let tunables = Tunables {
            window: options.window,
            rto: options.rto,
            max_retries: options.max_retries,
            ack_every: options.ack_every,
            mtu_log2: options.mtu_log2,
        };
        let beyond = Options {
            profile: Profile::Whole,
            not_ready_ticks: options.not_ready.as_micros() as u32,
            suspect_paths: options.suspect_paths,
            recovery_probes: RECOVERY_PROBES,
            ramp_ticks: RAMP_TICKS,
            ..Options::default()
        };
        let mut nic = Nic::with_options(size, tunables, beyond);
        for (index, entry) in regions {
            nic.write_region(index, entry);
        }
        for (number, path) in (0..).zip(&paths) {
            nic.write_path(number, *path, now);
        }
        nic.write_connection(
            0,
            ConnectionEntry {
                valid: true,
                local_qp,
                remote_qp,
                path_count: paths.len() as u8,
                // Sockets know the addresses.
                dst_mac: Default::default(),
                src_mac: Default::default(),
                src_ip: Ipv4Addr::UNSPECIFIED,
                dst_ip: Ipv4Addr::UNSPECIFIED,
                ip_sum: 0,
            },
        );
        Self {
            endpoint: Endpoint::new(nic),
            senders,
            peers,
            remote_qp,
            dirty: true,
        }
    }

    /// A frame for this lane: what it places is in memory when this returns, and what memory was asked for is done.
    pub(crate) fn deliver(&mut self, frame: &Frame<'_>, memory: &mut Memory, now: u32) {
        self.dirty = true;
        let received = self.endpoint.handle(&Incoming::from(frame), now);
        if let (Received::Placed { address, length }, Some(payload)) =
            (received, frame.body.payload())
            && let Some(place) = memory.get_mut(address, length as usize)
        {
            place.copy_from_slice(payload);
        }
        while let Some(order) = self.endpoint.poll_order() {
            // A region that is gone since has no answer to give.
            if let Some(before) = memory.update(order.address, |word| order.operation.apply(word)) {
                self.endpoint.nic.executed(&order, before);
            }
        }
    }

    /// The next message's end, of either side.
    pub(crate) fn poll(&mut self, connection: u32) -> Option<WorkCompletion> {
        while let Some(whole) = self.endpoint.poll_receive() {
            // Who took no buffer tells the application nothing.
            if let Some(buffer) = whole.receive {
                return Some(WorkCompletion {
                    wr_id: buffer.wr_id,
                    completed: Completed::Receive,
                    connection,
                    status: metaroce_protocol::CompletionStatus::Success,
                    length: whole.length,
                    immediate: whole.immediate,
                });
            }
        }
        let done = self.endpoint.poll_completion()?;
        Some(WorkCompletion {
            wr_id: done.wqe.wr_id,
            completed: Completed::Request,
            connection,
            status: done.status,
            length: done.wqe.length,
            immediate: None,
        })
    }

    /// The socket that a frame must leave by. What ends one path's epoch travels on another.
    pub(crate) fn sender_of(&self, outgoing: &Outgoing) -> Option<usize> {
        let fits = |s: &&LaneSender| (s.plane, s.entropy) == (outgoing.plane, outgoing.entropy);
        let own = self.senders.get(usize::from(outgoing.frame.path));
        let sender = own.filter(fits);
        sender
            .or_else(|| self.senders.iter().find(fits))
            .map(|s| s.index)
    }
}
