//! A file crosses to a server, piece by piece.
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Instant;

use metaroce_verbs::{MemoryRegion, PathAttributes, Remote};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::client::Client;
use crate::device::Device;
use crate::error::SoftError;
use crate::setup::Work;

/// Bytes of a piece: what both ends keep in memory.
pub const PIECE: usize = 64 << 20;
/// Bytes of a message.
const MESSAGE: usize = 1 << 20;

/// How a file crossed.
#[derive(Clone, Debug, Serialize)]
pub struct Transfer {
    /// Bytes.
    pub bytes: u64,
    /// The sender's hash.
    pub sha256: String,
    /// Whether the receiver's is the same.
    pub identical: bool,
    /// From the first write to the receiver's hash.
    pub seconds: f64,
    /// Payload a second.
    pub gigabits_per_second: f64,
}

/// Writes a file to a server. `progress` hears how many bytes are there; `Err(Interrupted)` from it ends the work.
pub fn transfer_file(
    device: &Device,
    server: &str,
    paths: &[PathAttributes],
    path: &Path,
    mut progress: impl FnMut(u64) -> Result<(), SoftError>,
) -> Result<Transfer, SoftError> {
    let mut source = Source::open(device, path)?;
    let name = path.file_name().unwrap_or_default();
    let work = Work::File {
        name: name.to_string_lossy().into_owned(),
        bytes: source.bytes,
        piece: source.region.len() as u64,
    };
    let mut client = Client::connect(device, server, paths, work)?;
    let began = Instant::now();
    let mut sent = 0;
    loop {
        let (bytes, messages) = source.post_piece(&mut client)?;
        if bytes == 0 {
            break;
        }
        for _ in 0..messages {
            let done = client.complete()?;
            sent += u64::from(done.length);
            progress(sent)?;
        }
        client.piece(bytes as u64)?;
    }
    let summary = client.finish()?;
    let seconds = began.elapsed().as_secs_f64();
    let sha256 = hex(&source.hash.finalize());
    Ok(Transfer {
        bytes: sent,
        identical: summary.sha256.as_ref() == Some(&sha256),
        sha256,
        seconds,
        gigabits_per_second: sent as f64 * 8e-9 / seconds,
    })
}

/// The file, and the memory from which its pieces are written.
struct Source<'a> {
    file: File,
    path: &'a Path,
    bytes: u64,
    hash: Sha256,
    region: MemoryRegion,
}

impl<'a> Source<'a> {
    fn open(device: &Device, path: &'a Path) -> Result<Self, SoftError> {
        let failed = |cause| failed(path, cause);
        let file = File::open(path).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        Ok(Self {
            file,
            path,
            bytes,
            hash: Sha256::new(),
            region: device.register_memory((bytes as usize).clamp(1, PIECE))?,
        })
    }

    /// Posts the next piece: its bytes and its messages.
    fn post_piece(&mut self, client: &mut Client) -> Result<(usize, u64), SoftError> {
        let (mut bytes, mut messages) = (0, 0);
        let mut buffer = vec![0; MESSAGE.min(self.region.len())];
        while bytes < self.region.len() {
            let room = buffer.len().min(self.region.len() - bytes);
            let count = fill(&mut self.file, &mut buffer[..room])
                .map_err(|cause| failed(self.path, cause))?;
            if count == 0 {
                break;
            }
            self.hash.update(&buffer[..count]);
            self.region.write(bytes, &buffer[..count])?;
            let local = (&self.region, bytes..bytes + count);
            let remote = Remote::from(client.region).at(bytes as u64);
            client.connection.post_write(messages, 0, local, remote)?;
            bytes += count;
            messages += 1;
        }
        Ok((bytes, messages))
    }
}

fn failed(path: &Path, cause: std::io::Error) -> SoftError {
    SoftError::File {
        path: path.to_path_buf(),
        cause,
    }
}

fn fill(file: &mut File, place: &mut [u8]) -> std::io::Result<usize> {
    let mut count = 0;
    while count < place.len() {
        match file.read(&mut place[count..]) {
            Ok(0) => break,
            Ok(more) => count += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(count)
}

/// Bytes as lower case digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
