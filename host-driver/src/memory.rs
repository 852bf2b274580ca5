//! Memory that a device reads, and that peers may write.
use std::ops::Range;

use metaroce_protocol::{ConfigTable, RegionEntry};

use crate::device::Shared;
use crate::error::DeviceError;

/// Upper half of an R_Key: tells a key of this driver from a guess.
const KEY_TAG: u32 = 0x4D52_0000;

/// A registered piece of memory (ibv_mr).
pub struct MemoryRegion {
    device: Shared,
    address: u64,
    length: usize,
    r_key: u32,
}

impl MemoryRegion {
    pub(crate) fn new(device: Shared, index: u32, length: usize) -> Result<Self, DeviceError> {
        let r_key = KEY_TAG | index;
        let address = {
            let mut inner = device.borrow_mut();
            let address = inner
                .backend
                .allocate(&format!("region {r_key:#x}"), length)?;
            let entry = RegionEntry {
                valid: true,
                r_key,
                base: address,
                length: length as u64,
            };
            inner.write_entry(ConfigTable::Region, index, entry.to_words())?;
            address
        };
        Ok(Self {
            device,
            address,
            length,
            r_key,
        })
    }

    /// Address of the first byte, as a peer names it.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Key that a peer needs.
    pub fn r_key(&self) -> u32 {
        self.r_key
    }

    /// Bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Fills in bytes from `offset` on.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), DeviceError> {
        let address = self.slice(offset..offset + bytes.len())?;
        self.device
            .borrow_mut()
            .backend
            .write_memory(address, bytes)
    }

    /// Copies `range` out.
    pub fn read(&self, range: Range<usize>) -> Result<Vec<u8>, DeviceError> {
        let address = self.slice(range.clone())?;
        let mut bytes = vec![0; range.len()];
        self.device
            .borrow_mut()
            .backend
            .read_memory(address, &mut bytes)?;
        Ok(bytes)
    }

    /// Address of a range's first byte, if the range is inside.
    pub fn slice(&self, range: Range<usize>) -> Result<u64, DeviceError> {
        let (start, end, length) = (range.start as u64, range.end as u64, self.length as u64);
        if start <= end && end <= length {
            Ok(self.address + start)
        } else {
            Err(DeviceError::OutsideRegion { start, end, length })
        }
    }
}
