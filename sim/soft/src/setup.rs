//! The set-up exchange: what peers tell each other over TCP before, between and after their data. A JSON object a line.
use std::io::{self, Read, Write};
use std::net::{IpAddr, TcpStream};
use std::time::{Duration, Instant};

use metaroce_protocol::{Psn, Tsn};
use metaroce_verbs::{ConnectionAttributes, MemoryRegion, PathAttributes, Peer, Remote};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};

use crate::device::DeviceInfo;
use crate::error::SoftError;

/// Version of the exchange: peers must agree.
pub const VERSION: u32 = 1;
/// TCP port unless told otherwise: perftest's.
pub const PORT: u16 = 18_515;
/// Longest line: 255 paths fit. Whoever says more is not a peer.
pub const MAX_LINE: usize = 32_768;

/// One end of a connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// Queue pair number, 24 bits.
    pub qp: u32,
    /// First PSN of each path, a multiple of 256.
    pub first_psn: u32,
    /// First TSN of each path.
    pub first_tsn: u32,
    /// Address on each plane.
    pub addresses: Vec<IpAddr>,
}

impl From<&Peer> for End {
    fn from(peer: &Peer) -> Self {
        Self {
            qp: peer.qp,
            first_psn: peer.attributes.first_psn.get(),
            first_tsn: peer.attributes.first_tsn.get(),
            addresses: peer.addresses.clone(),
        }
    }
}

impl TryFrom<&End> for Peer {
    type Error = SoftError;

    fn try_from(end: &End) -> Result<Self, SoftError> {
        let largest = end.qp.max(end.first_psn).max(end.first_tsn);
        if largest >> 24 != 0 {
            return Err(unfit(
                "qp, first_psn and first_tsn of 24 bits",
                &largest.to_string(),
            ));
        }
        Ok(Self {
            qp: end.qp,
            mac: Default::default(),
            addresses: end.addresses.clone(),
            attributes: ConnectionAttributes {
                first_psn: Psn::truncate(end.first_psn),
                first_tsn: Tsn::truncate(end.first_tsn),
            },
        })
    }
}

/// Memory that the other end may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Address of the first byte.
    pub address: u64,
    /// Key.
    pub r_key: u32,
    /// Bytes.
    pub length: u64,
}

impl From<&MemoryRegion> for Region {
    fn from(region: &MemoryRegion) -> Self {
        Self {
            address: region.address(),
            r_key: region.r_key(),
            length: region.len() as u64,
        }
    }
}

impl From<Region> for Remote {
    fn from(region: Region) -> Self {
        Self {
            address: region.address,
            r_key: region.r_key,
        }
    }
}

/// What the client wants to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Work {
    /// Write into a region of so many bytes, again and again.
    Bandwidth {
        /// Bytes of the region.
        bytes: u64,
    },
    /// Each write is answered by one into the client's region: its last byte changes.
    Latency {
        /// The client's region.
        region: Region,
    },
    /// A file, a piece at a time.
    File {
        /// Its name, without folders.
        name: String,
        /// Its bytes.
        bytes: u64,
        /// Bytes of a piece.
        piece: u64,
    },
    /// Sends, with or without immediates, and Writes with immediates: the server keeps buffers posted on stream 0.
    Send {
        /// Bytes of a buffer.
        bytes: u64,
        /// How many are posted.
        depth: u64,
    },
    /// Each Send on stream 0 comes back as a Send of the same bytes, into buffers that the client posts.
    SendLatency {
        /// Bytes of a message at most.
        bytes: u64,
    },
    /// Reads of a region that holds [`pattern`].
    Read {
        /// Bytes of the region.
        bytes: u64,
    },
    /// Atomics on words of zeros.
    Atomics {
        /// Words of 64 bits.
        words: u64,
    },
}

/// What byte `offset` of a region holds that is there to be read: no power of two repeats it.
pub fn pattern(offset: usize) -> u8 {
    (offset % 251) as u8
}

/// First line of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// Version of the exchange.
    pub version: u32,
    /// The client's end.
    pub end: End,
    /// Paths, for both directions.
    pub paths: Vec<PathAttributes>,
    /// What for.
    pub work: Work,
}

/// First line of somebody who only asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// Version of the exchange.
    pub version: u32,
    /// What is asked for.
    pub query: Question,
}

/// What can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// What the device can do, and its counters.
    Device,
}

/// First line of whoever comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum First {
    /// A client.
    Hello(Hello),
    /// Somebody who only asks.
    Query(Query),
}

/// By the field that only a query has, so that an error speaks of what the line was meant to be.
impl<'de> Deserialize<'de> for First {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        let first = if value.get("query").is_some() {
            serde_json::from_value(value).map(Self::Query)
        } else {
            serde_json::from_value(value).map(Self::Hello)
        };
        first.map_err(D::Error::custom)
    }
}

/// Later lines of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// The next so many bytes of the file are in the region.
    Piece {
        /// Bytes.
        bytes: u64,
    },
    /// No more work.
    Done,
}

/// Lines of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Reply {
    /// The connection stands.
    Ready {
        /// The server's end.
        end: End,
        /// Memory that the client may name.
        region: Region,
    },
    /// The piece is taken: the region is free for the next one.
    Taken,
    /// How it ended.
    Summary {
        /// SHA-256 of the file.
        sha256: Option<String>,
        /// The connection's counters that are not 0, by name.
        counters: Vec<(String, u32)>,
    },
    /// What was asked.
    Device(Box<DeviceInfo>),
    /// Nothing will come of it.
    Refused {
        /// Why.
        reason: String,
    },
}

/// A TCP connection that speaks lines and never blocks.
pub struct Lines {
    stream: TcpStream,
    buffer: Vec<u8>,
    name: String,
}

impl Lines {
    /// Takes over a connection.
    pub fn new(stream: TcpStream) -> Result<Self, SoftError> {
        let name = stream
            .peer_addr()
            .map_or("a peer".into(), |a| a.to_string());
        stream
            .set_nonblocking(true)
            .and_then(|()| stream.set_nodelay(true))
            .map_err(|error| gone(&name, &error))?;
        Ok(Self {
            stream,
            buffer: Vec::new(),
            name,
        })
    }

    /// Who is there.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The next whole line, if it is there.
    pub fn poll<T: DeserializeOwned>(&mut self) -> Result<Option<T>, SoftError> {
        if let Some(line) = self.take_line() {
            return parse(&line).map(Some);
        }
        let mut bytes = [0; 4_096];
        match self.stream.read(&mut bytes) {
            Ok(0) => Err(SoftError::PeerGone(format!(
                "{} closed the set-up connection",
                self.name
            ))),
            Ok(count) => {
                self.buffer.extend_from_slice(&bytes[..count]);
                match self.take_line() {
                    Some(line) => parse(&line).map(Some),
                    None if self.buffer.len() > MAX_LINE => Err(unfit(
                        &format!("a line of at most {MAX_LINE} bytes"),
                        &format!("{} bytes without an end", self.buffer.len()),
                    )),
                    None => Ok(None),
                }
            }
            Err(error) if is_nothing(&error) => Ok(None),
            Err(error) => Err(gone(&self.name, &error)),
        }
    }

    /// Waits for a line; `meanwhile` is called until it is there.
    pub fn wait<T: DeserializeOwned>(
        &mut self,
        limit: Duration,
        mut meanwhile: impl FnMut() -> Result<(), SoftError>,
    ) -> Result<T, SoftError> {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if let Some(line) = self.poll()? {
                return Ok(line);
            }
            meanwhile()?;
        }
        let name = &self.name;
        Err(SoftError::PeerGone(format!(
            "{name} said nothing for {limit:?}"
        )))
    }

    /// Says a line. Lines are far shorter than a socket's buffer: one that does not fit is a peer that does not listen.
    pub fn say<T: Serialize>(&mut self, line: &T) -> Result<(), SoftError> {
        let mut text = serde_json::to_vec(line).map_err(|e| unfit("a line", &e.to_string()))?;
        text.push(b'\n');
        self.stream
            .write_all(&text)
            .map_err(|error| gone(&self.name, &error))
    }

    fn take_line(&mut self) -> Option<Vec<u8>> {
        let end = self.buffer.iter().position(|&byte| byte == b'\n')?;
        let rest = self.buffer.split_off(end + 1);
        Some(std::mem::replace(&mut self.buffer, rest))
    }
}

/// A line as what it should be. A version that is not ours is said so before anything else is.
fn parse<T: DeserializeOwned>(line: &[u8]) -> Result<T, SoftError> {
    let foreign = |error: serde_json::Error| unfit("a line of the exchange", &error.to_string());
    let value: serde_json::Value = serde_json::from_slice(line).map_err(foreign)?;
    if let Some(version) = value.get("version")
        && *version != VERSION
    {
        return Err(unfit(
            &format!("version {VERSION}"),
            &format!("version {version:.20}"),
        ));
    }
    serde_json::from_value(value).map_err(foreign)
}

pub(crate) fn unfit(needed: &str, found: &str) -> SoftError {
    SoftError::Setup {
        needed: needed.into(),
        // What a stranger sent is not printed at length.
        found: found.chars().take(200).collect(),
    }
}

fn gone(name: &str, error: &io::Error) -> SoftError {
    SoftError::PeerGone(format!("{name}: {error}"))
}

fn is_nothing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn another_version_is_named_whatever_else_it_says() {
        let error = parse::<Hello>(br#"{"version": 2, "anything": []}"#).unwrap_err();
        assert_eq!(
            error.to_string(),
            "set-up exchange: needed version 1, found version 2"
        );
    }

    #[test]
    fn an_end_survives_the_wire_and_wide_numbers_do_not() {
        let end = End {
            qp: 0xFF_FFFF,
            first_psn: 256,
            first_tsn: 1,
            addresses: vec!["fd00::1".parse().unwrap()],
        };
        let peer = Peer::try_from(&end).unwrap();
        assert_eq!(End::from(&peer), end);
        let wide = End { qp: 1 << 24, ..end };
        assert!(Peer::try_from(&wide).is_err());
    }

    proptest! {
        #[test]
        fn any_line_is_taken_or_refused(line in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse::<First>(&line);
            let _ = parse::<Request>(&line);
        }
    }
}
