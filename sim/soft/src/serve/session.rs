//! One client of a server.
use std::time::Instant;

use super::ServeOptions;
use super::store::Store;
use crate::connection::{Connection, ConnectionAttributes, Peer};
use crate::device::Device;
use crate::error::SoftError;
use crate::memory::MemoryRegion;
use crate::setup::{End, Hello, Lines, Region, Reply, Request, VERSION, Work, unfit};

/// A region answers to the smallest allocation even if nothing is to be written.
const MIN_REGION: u64 = 1;

/// What a client's connection is used for.
enum Use {
    Bandwidth,
    Latency { client: Region, last: u8 },
    File { store: Option<Store>, piece: u64 },
}

/// What exists once a client has said what it wants.
struct Established {
    connection: Connection,
    region: MemoryRegion,
    work: Use,
}

/// A client, from its first byte to its last.
pub(super) struct Session {
    lines: Lines,
    established: Option<Established>,
    last_sign: Instant,
    last_received: u32,
    failure: Option<SoftError>,
    over: bool,
}

impl Session {
    pub(super) fn new(lines: Lines) -> Self {
        Self {
            lines,
            established: None,
            last_sign: Instant::now(),
            last_received: 0,
            failure: None,
            over: false,
        }
    }

    pub(super) fn name(&self) -> &str {
        self.lines.name()
    }

    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Index of its connection on the device.
    pub(super) fn connection(&self) -> Option<u32> {
        Some(self.established.as_ref()?.connection.index())
    }

    /// It ends with this, at its next step.
    pub(super) fn fail(&mut self, error: SoftError) {
        self.failure.get_or_insert(error);
    }

    /// Whether it must be looked at often.
    pub(super) fn is_quick(&self) -> bool {
        let work = self.established.as_ref().map(|e| &e.work);
        matches!(work, Some(Use::Latency { .. }))
    }

    /// Writes back, if the client has written.
    pub(super) fn answer(&mut self) {
        let Some(established) = &mut self.established else {
            return;
        };
        if let Err(error) = established.answer() {
            self.fail(error);
        }
    }

    /// Listens to the client: `Some` when it is over.
    pub(super) fn step(
        &mut self,
        device: &Device,
        options: &ServeOptions,
        now: Instant,
    ) -> Option<Result<(), SoftError>> {
        let result = match self.failure.take() {
            Some(error) => Err(error),
            None => self.listen(device, options, now),
        };
        let end = match result {
            Ok(false) => return None,
            Ok(true) => Ok(()),
            Err(error) => {
                // The client may be gone, and then hears nothing.
                let _ = self.lines.say(&Reply::Refused {
                    reason: error.to_string(),
                });
                Err(error)
            }
        };
        self.over = true;
        self.established = None;
        Some(end)
    }

    fn listen(
        &mut self,
        device: &Device,
        options: &ServeOptions,
        now: Instant,
    ) -> Result<bool, SoftError> {
        match &mut self.established {
            None => {
                if let Some(hello) = self.lines.poll::<Hello>()? {
                    self.last_sign = now;
                    let established = Established::new(&hello, device, options)?;
                    self.lines.say(&established.ready())?;
                    self.established = Some(established);
                }
            }
            Some(established) => {
                if let Some(request) = self.lines.poll::<Request>()? {
                    self.last_sign = now;
                    let reply = established.handle(&request)?;
                    self.lines.say(&reply)?;
                    return Ok(request == Request::Done);
                }
                let received = established.connection.frames_received();
                if received != self.last_received {
                    (self.last_received, self.last_sign) = (received, now);
                }
            }
        }
        if now.saturating_duration_since(self.last_sign) > options.patience {
            let (name, patience) = (self.name(), options.patience);
            return Err(SoftError::PeerGone(format!(
                "{name} said and sent nothing for {patience:?}"
            )));
        }
        Ok(false)
    }
}

impl Established {
    fn new(hello: &Hello, device: &Device, options: &ServeOptions) -> Result<Self, SoftError> {
        let Hello {
            version,
            end,
            paths,
            work,
        } = hello;
        if *version != VERSION {
            return Err(unfit(&format!("version {VERSION}"), &version.to_string()));
        }
        let bytes = match work {
            Work::Bandwidth { bytes } => *bytes,
            Work::Latency { region } => region.length,
            Work::File { piece, .. } => *piece,
        };
        if !(MIN_REGION..=options.max_region).contains(&bytes) {
            let needed = format!("a region of {MIN_REGION} to {} bytes", options.max_region);
            return Err(unfit(&needed, &format!("{bytes} bytes")));
        }
        let free = options.max_memory.saturating_sub(device.registered());
        if bytes > free {
            let needed = format!("a region of at most {free} bytes: other clients have the rest");
            return Err(unfit(&needed, &format!("{bytes} bytes")));
        }
        let work = match work {
            Work::Bandwidth { .. } => Use::Bandwidth,
            Work::Latency { region } => Use::Latency {
                client: *region,
                last: 0,
            },
            Work::File { name, bytes, piece } => Use::File {
                store: Some(Store::new(options.folder.as_deref(), name, *bytes)?),
                piece: *piece,
            },
        };
        let peer = Peer::try_from(end)?;
        let region = device.register_memory(bytes as usize)?;
        let mut connection = device.create_connection(ConnectionAttributes::random())?;
        connection.connect(&peer, paths)?;
        Ok(Self {
            connection,
            region,
            work,
        })
    }

    fn ready(&self) -> Reply {
        Reply::Ready {
            end: End::from(&self.connection.local()),
            region: Region {
                address: self.region.address(),
                r_key: self.region.r_key(),
                length: self.region.len() as u64,
            },
        }
    }

    fn handle(&mut self, request: &Request) -> Result<Reply, SoftError> {
        match (request, &mut self.work) {
            (Request::Piece { bytes }, Use::File { store, piece }) if *bytes <= *piece => {
                let whole = self.region.with(0..*bytes as usize, |bytes| {
                    store.as_mut().map(|s| s.take(bytes))
                })?;
                whole.transpose()?;
                Ok(Reply::Taken)
            }
            (Request::Piece { bytes }, _) => Err(unfit(
                "a piece of a file that was announced",
                &format!("a piece of {bytes} bytes"),
            )),
            (Request::Done, work) => {
                let store = match work {
                    Use::File { store, .. } => store.take(),
                    _ => None,
                };
                Ok(Reply::Summary {
                    sha256: store.map(Store::finish).transpose()?,
                    counters: self.connection.counters(),
                })
            }
        }
    }

    /// A write changed the region's last byte: the same bytes go back.
    fn answer(&mut self) -> Result<(), SoftError> {
        let Use::Latency { client, last } = &mut self.work else {
            return Ok(());
        };
        let length = self.region.len();
        let found = self.region.with(length - 1..length, |bytes| bytes[0])?;
        if found == *last {
            return Ok(());
        }
        *last = found;
        self.connection.post_write(
            0,
            0,
            (&self.region, 0..length),
            client.address,
            client.r_key,
        )
    }
}
