//! What a server does for a client: memory that is named, buffers that are posted, answers that go back.
use metaroce_verbs::{Completed, Connection, MemoryRegion, Operation, Remote, WorkCompletion};

use super::ServeOptions;
use super::store::Store;
use crate::device::Device;
use crate::error::SoftError;
use crate::setup::{Region, Work, pattern, unfit};

/// A region answers to the smallest allocation even if nothing is to be written.
const MIN_REGION: u64 = 1;
/// Buffers for Sends that come back: as many as a client may have under way.
const ECHOES: u64 = 16;
/// Bytes that are copied at once.
const CHUNK: usize = 1 << 20;
/// The stream of everything here.
const STREAM: u16 = 0;

/// A client's memory, and what happens to it.
pub(super) struct Service {
    region: MemoryRegion,
    kind: Kind,
}

enum Kind {
    /// The client names it; the server does nothing.
    Memory,
    /// Each write is answered by one: the last byte that was answered.
    WriteBack { to: Remote, last: u8 },
    /// Pieces of a file.
    File { store: Option<Store>, piece: u64 },
    /// Buffers, posted again as they are taken.
    Buffers { bytes: usize },
    /// The same, and what came goes back first.
    Echo { bytes: usize },
}

impl Service {
    /// What a client asks for, if the server grants so much. Nothing is posted yet.
    pub(super) fn new(
        work: &Work,
        device: &Device,
        options: &ServeOptions,
    ) -> Result<Self, SoftError> {
        let bytes = grant(size(work), device, options)?;
        let kind = match work {
            Work::Bandwidth { .. } | Work::Read { .. } | Work::Atomics { .. } => Kind::Memory,
            Work::Latency { region } => Kind::WriteBack {
                to: (*region).into(),
                last: 0,
            },
            Work::File { name, bytes, piece } => Kind::File {
                store: Some(Store::new(options.folder.as_deref(), name, *bytes)?),
                piece: *piece,
            },
            Work::Send { bytes, depth } => {
                let limit = device.capabilities().receives;
                if *depth > limit.into() {
                    return Err(unfit(
                        &format!("a depth of 1 to {limit}"),
                        &depth.to_string(),
                    ));
                }
                Kind::Buffers {
                    bytes: *bytes as usize,
                }
            }
            Work::SendLatency { bytes } => Kind::Echo {
                bytes: *bytes as usize,
            },
        };
        let region = device.register_memory(bytes)?;
        if matches!(work, Work::Read { .. }) {
            fill(&region)?;
        }
        Ok(Self { region, kind })
    }

    /// What the client is told.
    pub(super) fn region(&self) -> Region {
        Region::from(&self.region)
    }

    /// Whether the client waits for answers.
    pub(super) fn is_quick(&self) -> bool {
        matches!(self.kind, Kind::WriteBack { .. } | Kind::Echo { .. })
    }

    /// Posts what there is to post.
    pub(super) fn start(&self, connection: &mut Connection) -> Result<(), SoftError> {
        let (Kind::Buffers { bytes } | Kind::Echo { bytes }) = self.kind else {
            return Ok(());
        };
        let count = self.region.len() / bytes;
        (0..count as u64).try_for_each(|buffer| self.post_buffer(connection, buffer, bytes))
    }

    fn post_buffer(
        &self,
        connection: &mut Connection,
        buffer: u64,
        bytes: usize,
    ) -> Result<(), SoftError> {
        let begin = buffer as usize * bytes;
        let local = (&self.region, begin..begin + bytes);
        Ok(connection.post_receive(buffer, STREAM, local)?)
    }

    /// Something on the connection ended well.
    pub(super) fn on_completion(
        &self,
        connection: &mut Connection,
        done: &WorkCompletion,
    ) -> Result<(), SoftError> {
        match (&self.kind, done.completed) {
            (&Kind::Buffers { bytes }, Completed::Receive)
            | (&Kind::Echo { bytes }, Completed::Request) => {
                self.post_buffer(connection, done.wr_id, bytes)
            }
            (&Kind::Echo { bytes }, Completed::Receive) => {
                let begin = done.wr_id as usize * bytes;
                // A Write with an immediate takes a buffer too, whatever its own length is.
                let length = bytes.min(done.length as usize);
                let local = (&self.region, begin..begin + length);
                let immediate = done.immediate;
                let back = Operation::Send { immediate };
                Ok(connection.post(done.wr_id, STREAM, local, back)?)
            }
            _ => Ok(()),
        }
    }

    /// Writes back, if the client has written: a write changed the region's last byte.
    pub(super) fn answer(&mut self, connection: &mut Connection) -> Result<(), SoftError> {
        let Kind::WriteBack { to, last } = &mut self.kind else {
            return Ok(());
        };
        let length = self.region.len();
        let mut found = [0];
        self.region.read_into(length - 1, &mut found)?;
        if found[0] == *last {
            return Ok(());
        }
        *last = found[0];
        Ok(connection.post_write(0, STREAM, (&self.region, 0..length), *to)?)
    }

    /// A piece of the file is whole.
    pub(super) fn take_piece(&mut self, bytes: u64) -> Result<(), SoftError> {
        let Self { region, kind } = self;
        match kind {
            Kind::File {
                store: Some(store),
                piece,
            } if bytes <= *piece => in_chunks(region, bytes as usize, |chunk| store.take(chunk)),
            _ => Err(unfit(
                "a piece of a file that was announced",
                &format!("a piece of {bytes} bytes"),
            )),
        }
    }

    /// The work is over: the file's hash, if there was a file.
    pub(super) fn finish(&mut self) -> Result<Option<String>, SoftError> {
        match &mut self.kind {
            Kind::File { store, .. } => store.take().map(Store::finish).transpose(),
            _ => Ok(None),
        }
    }
}

/// Bytes of memory that the work takes; saturates.
fn size(work: &Work) -> u64 {
    match work {
        Work::Bandwidth { bytes } | Work::Read { bytes } => *bytes,
        Work::Latency { region } => region.length,
        Work::File { piece, .. } => *piece,
        Work::Send { bytes, depth } => bytes.saturating_mul(*depth),
        Work::SendLatency { bytes } => bytes.saturating_mul(ECHOES),
        Work::Atomics { words } => words.saturating_mul(size_of::<u64>() as u64),
    }
}

fn grant(bytes: u64, device: &Device, options: &ServeOptions) -> Result<usize, SoftError> {
    if !(MIN_REGION..=options.max_region).contains(&bytes) {
        let needed = format!("a region of {MIN_REGION} to {} bytes", options.max_region);
        return Err(unfit(&needed, &format!("{bytes} bytes")));
    }
    let free = options.max_memory.saturating_sub(device.registered());
    if bytes > free {
        let needed = format!("a region of at most {free} bytes: other clients have the rest");
        return Err(unfit(&needed, &format!("{bytes} bytes")));
    }
    Ok(bytes as usize)
}

fn fill(region: &MemoryRegion) -> Result<(), SoftError> {
    for begin in (0..region.len()).step_by(CHUNK) {
        let end = region.len().min(begin + CHUNK);
        let bytes: Vec<u8> = (begin..end).map(pattern).collect();
        region.write(begin, &bytes)?;
    }
    Ok(())
}

fn in_chunks(
    region: &MemoryRegion,
    bytes: usize,
    mut take: impl FnMut(&[u8]) -> Result<(), SoftError>,
) -> Result<(), SoftError> {
    let mut buffer = vec![0; CHUNK.min(bytes)];
    for begin in (0..bytes).step_by(CHUNK) {
        let chunk = &mut buffer[..CHUNK.min(bytes - begin)];
        region.read_into(begin, chunk)?;
        take(chunk)?;
    }
    Ok(())
}
