//! What crosses the planes, as a pcapng file: one interface for each NIC and plane.
use std::borrow::Cow;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::time::Duration;

use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::{DataLink, PcapError};

/// Nanoseconds of a cycle in the capture's time stamps: 156.25 MHz is 6.4.
const TENTHS_OF_NS_PER_CYCLE: u64 = 64;

/// A capture file being written.
pub struct Capture {
    writer: PcapNgWriter<BufWriter<File>>,
    planes: u32,
}

impl Capture {
    /// Begins a file for two NICs with this many planes.
    pub fn create(path: &Path, planes: u32) -> Result<Self, PcapError> {
        let file = BufWriter::new(File::create(path).map_err(PcapError::IoError)?);
        let mut writer = PcapNgWriter::new(file)?;
        for nic in ["A", "B"] {
            for plane in 0..planes {
                let name = InterfaceDescriptionOption::IfName(Cow::from(format!(
                    "NIC {nic} plane {plane}"
                )));
                let nanoseconds = InterfaceDescriptionOption::IfTsResol(9);
                writer.write_pcapng_block(InterfaceDescriptionBlock {
                    linktype: DataLink::ETHERNET,
                    snaplen: 0,
                    options: vec![name, nanoseconds],
                })?;
            }
        }
        Ok(Self { writer, planes })
    }

    /// A frame that NIC `nic` (0 or 1) sent on a plane.
    pub fn frame(
        &mut self,
        nic: usize,
        plane: usize,
        cycle: u64,
        frame: &[u8],
    ) -> Result<(), PcapError> {
        self.writer.write_pcapng_block(EnhancedPacketBlock {
            interface_id: nic as u32 * self.planes + plane as u32,
            timestamp: Duration::from_nanos(cycle * TENTHS_OF_NS_PER_CYCLE / 10),
            original_len: frame.len() as u32,
            data: Cow::from(frame),
            options: vec![],
        })?;
        Ok(())
    }

    /// Ends the file; a full disk shows here at the latest.
    pub fn finish(self) -> std::io::Result<()> {
        let file = self
            .writer
            .into_inner()
            .into_inner()
            .map_err(|error| error.into_error())?;
        file.sync_all()
    }
}
