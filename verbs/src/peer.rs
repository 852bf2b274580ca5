//! What the ends of a connection tell each other by other means before data flows.
use std::net::IpAddr;

use metaroce_protocol::{MacAddr, OutOfRange, PathEntry, Psn, Tsn};
use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::capabilities::Capabilities;
use crate::error::VerbsError;

/// A path's first PSN is a multiple of this (docs/protocol.md, section 3).
const PSN_STEP: u32 = 256;

/// Where a connection's sequences begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionAttributes {
    /// First PSN of each path, a multiple of 256.
    pub first_psn: Psn,
    /// First TSN of each path.
    pub first_tsn: Tsn,
}

impl ConnectionAttributes {
    /// Somewhere: old packets of another connection should miss.
    pub fn random() -> Self {
        let mut source = rand::rng();
        Self {
            first_psn: Psn::truncate(source.random::<u32>() / PSN_STEP * PSN_STEP),
            first_tsn: Tsn::truncate(source.random()),
        }
    }

    pub(crate) fn check(&self) -> Result<(), OutOfRange> {
        match self.first_psn.get() % PSN_STEP {
            0 => Ok(()),
            low => Err(OutOfRange {
                what: "first PSN modulo 256",
                max: 0,
                found: low.into(),
            }),
        }
    }
}

/// One end, as the other must know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Queue pair number.
    pub qp: u32,
    /// Ethernet address; all 0 where sockets hide it.
    pub mac: MacAddr,
    /// IP addresses: one a plane, or one for all planes.
    pub addresses: Vec<IpAddr>,
    /// Where its sequences begin.
    pub attributes: ConnectionAttributes,
}

/// One path: a plane and an entropy, the same at both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathAttributes {
    /// Plane.
    pub plane: u32,
    /// UDP source port: what the fabric's ECMP hashes.
    pub entropy: u16,
}

impl PathAttributes {
    /// The path table's entry.
    pub fn entry(&self, local: &ConnectionAttributes, peer: &ConnectionAttributes) -> PathEntry {
        PathEntry {
            valid: true,
            plane: self.plane as u8,
            epoch: 0,
            entropy: self.entropy,
            first_psn_tx: local.first_psn,
            first_tsn_tx: local.first_tsn,
            first_psn_rx: peer.first_psn,
            first_tsn_rx: peer.first_tsn,
        }
    }
}

/// Paths that the device has room for, on planes that it has.
pub(crate) fn check_paths(
    paths: &[PathAttributes],
    capabilities: &Capabilities,
) -> Result<(), VerbsError> {
    if paths.is_empty() || paths.len() > capabilities.paths as usize {
        return Err(OutOfRange {
            what: "paths of a connection (1 at least)",
            max: capabilities.paths.into(),
            found: paths.len() as u64,
        }
        .into());
    }
    match paths.iter().find(|path| path.plane >= capabilities.planes) {
        None => Ok(()),
        Some(path) => Err(OutOfRange {
            what: "plane",
            max: u64::from(capabilities.planes) - 1,
            found: path.plane.into(),
        }
        .into()),
    }
}
