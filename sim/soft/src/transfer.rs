//! A file crosses to a server, piece by piece.
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::client::Client;
use crate::connection::PathAttributes;
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
    let failed = |cause| SoftError::File {
        path: path.to_path_buf(),
        cause,
    };
    let mut file = File::open(path).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    let piece = (bytes as usize).clamp(1, PIECE);
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let source = device.register_memory(piece)?;
    let work = Work::File {
        name,
        bytes,
        piece: piece as u64,
    };
    let mut client = Client::connect(device, server, paths, work)?;
    let began = Instant::now();
    let mut hash = Sha256::new();
    let mut sent = 0;
    loop {
        let count = source
            .with_mut(0..piece, |place| fill(&mut file, place))?
            .map_err(failed)?;
        if count == 0 {
            break;
        }
        source.with(0..count, |bytes| hash.update(bytes))?;
        let mut messages = 0_u64;
        for begin in (0..count).step_by(MESSAGE) {
            let range = begin..count.min(begin + MESSAGE);
            let to = client.region.address + begin as u64;
            client
                .connection
                .post_write(messages, 0, (&source, range), to, client.region.r_key)?;
            messages += 1;
        }
        for _ in 0..messages {
            let done = client.complete()?;
            sent += u64::from(done.length);
            progress(sent)?;
        }
        client.piece(count as u64)?;
    }
    let summary = client.finish()?;
    let seconds = began.elapsed().as_secs_f64();
    let sha256 = hex(&hash.finalize());
    Ok(Transfer {
        bytes: sent,
        identical: summary.sha256.as_ref() == Some(&sha256),
        sha256,
        seconds,
        gigabits_per_second: sent as f64 * 8e-9 / seconds,
    })
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
