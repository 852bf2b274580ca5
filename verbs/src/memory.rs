//! Memory that a device reads and writes, and that peers may name.
use std::ops::Range;
use std::rc::Rc;

use crate::device::Shared;
use crate::error::VerbsError;
use crate::provider::Region;
use crate::work::Remote;

/// A registered piece of memory (ibv_mr). Dropped, it is closed to peers: keep it until all work on it has ended.
pub struct MemoryRegion {
    device: Shared,
    region: Region,
}

impl MemoryRegion {
    pub(crate) fn new(device: Shared, region: Region) -> Self {
        Self { device, region }
    }

    /// Address of the first byte, as a peer names it.
    pub fn address(&self) -> u64 {
        self.region.address
    }

    /// Key that a peer needs.
    pub fn r_key(&self) -> u32 {
        self.region.r_key
    }

    /// What a peer is told of it.
    pub fn remote(&self) -> Remote {
        Remote {
            address: self.address(),
            r_key: self.r_key(),
        }
    }

    /// Bytes.
    pub fn len(&self) -> usize {
        self.region.length
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.region.length == 0
    }

    /// Fills in bytes from `offset` on.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), VerbsError> {
        let address = self.slice(offset..offset.saturating_add(bytes.len()))?;
        self.device.borrow_mut().write_memory(address, bytes)
    }

    /// Copies `range` out.
    pub fn read(&self, range: Range<usize>) -> Result<Vec<u8>, VerbsError> {
        // The range is checked before memory is taken for it.
        self.slice(range.clone())?;
        let mut bytes = vec![0; range.len()];
        self.read_into(range.start, &mut bytes)?;
        Ok(bytes)
    }

    /// Copies out as many bytes as there is room for, from `offset` on.
    pub fn read_into(&self, offset: usize, bytes: &mut [u8]) -> Result<(), VerbsError> {
        let address = self.slice(offset..offset.saturating_add(bytes.len()))?;
        self.device.borrow_mut().read_memory(address, bytes)
    }

    /// Address of a range's first byte, if the range is inside.
    pub fn slice(&self, range: Range<usize>) -> Result<u64, VerbsError> {
        let (start, end) = (range.start as u64, range.end as u64);
        if start <= end && range.end <= self.len() {
            return Ok(self.address() + start);
        }
        Err(VerbsError::OutsideRegion {
            start,
            end,
            length: self.len() as u64,
        })
    }

    /// Whether it lives on this device.
    pub(crate) fn is_on(&self, device: &Shared) -> bool {
        Rc::ptr_eq(&self.device, device)
    }
}

impl Drop for MemoryRegion {
    fn drop(&mut self) {
        self.device.borrow_mut().deregister_memory(&self.region);
    }
}
