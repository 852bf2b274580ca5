//! What crosses the sockets, as a pcapng file: one interface a plane, with the headers that sockets hide.
use std::borrow::Cow;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pcap_file::DataLink;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};

use crate::error::SoftError;

/// A capture being written. It takes its name at the end: an unfinished one keeps `.partial`.
pub struct Capture {
    writer: PcapNgWriter<BufWriter<File>>,
    path: PathBuf,
}

impl Capture {
    /// Begins a file for so many planes.
    pub fn create(path: &Path, planes: usize) -> Result<Self, SoftError> {
        let file = File::create(partial(path)).map_err(failed)?;
        let mut writer = PcapNgWriter::new(BufWriter::new(file)).map_err(failed)?;
        for plane in 0..planes {
            let name = InterfaceDescriptionOption::IfName(Cow::from(format!("plane {plane}")));
            let block = InterfaceDescriptionBlock {
                linktype: DataLink::ETHERNET,
                snaplen: 0,
                options: vec![name, InterfaceDescriptionOption::IfTsResol(9)],
            };
            writer.write_pcapng_block(block).map_err(failed)?;
        }
        Ok(Self {
            writer,
            path: path.to_path_buf(),
        })
    }

    /// A frame of a plane, in either direction.
    pub fn frame(&mut self, plane: usize, at: Duration, frame: &[u8]) -> Result<(), SoftError> {
        let block = EnhancedPacketBlock {
            interface_id: plane as u32,
            timestamp: at,
            original_len: frame.len() as u32,
            data: Cow::from(frame),
            options: vec![],
        };
        self.writer.write_pcapng_block(block).map_err(failed)?;
        Ok(())
    }

    /// Ends the file; a full disk shows here at the latest.
    pub fn finish(self) -> Result<PathBuf, SoftError> {
        let file = self.writer.into_inner().into_inner();
        file.map_err(|error| failed(error.into_error()))?
            .sync_all()
            .map_err(failed)?;
        std::fs::rename(partial(&self.path), &self.path).map_err(failed)?;
        Ok(self.path)
    }
}

fn partial(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}

fn failed(error: impl std::fmt::Display) -> SoftError {
    SoftError::Capture(error.to_string())
}
