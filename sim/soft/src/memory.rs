//! Memory that a peer may write.
use std::ops::Range;

use metaroce_protocol::RegionEntry;

use crate::device::Shared;
use crate::error::SoftError;

/// Regions of a device.
pub const REGIONS: usize = 256;
/// Regions lie so far apart, log2: each names its place by the upper bits.
const SPACING_LOG2: u32 = 40;

/// All regions of a device. Addresses are names: no pointer leaves the process.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    regions: Vec<Option<(u32, Vec<u8>)>>,
}

impl Memory {
    /// Makes a region of zeros; `tag` is secret: a guessed key should miss.
    pub(crate) fn register(&mut self, length: usize, tag: u32) -> Result<usize, SoftError> {
        let free = self.regions.iter().position(Option::is_none);
        let index = free.unwrap_or(self.regions.len());
        if index == REGIONS {
            return Err(SoftError::Exhausted {
                what: "memory region",
                limit: REGIONS,
            });
        }
        if free.is_none() {
            self.regions.push(None);
        }
        let r_key = tag << 8 | index as u32;
        self.regions[index] = Some((r_key, vec![0; length]));
        Ok(index)
    }

    pub(crate) fn deregister(&mut self, index: usize) {
        self.regions[index] = None;
    }

    /// Entries of the region table, by index.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (u32, RegionEntry)> {
        (0..self.regions.len()).map(|index| (index as u32, self.entry(index)))
    }

    /// What the region table says of one.
    pub(crate) fn entry(&self, index: usize) -> RegionEntry {
        match &self.regions[index] {
            None => RegionEntry::default(),
            Some((r_key, bytes)) => RegionEntry {
                valid: true,
                r_key: *r_key,
                base: base(index),
                length: bytes.len() as u64,
            },
        }
    }

    /// The bytes of an address range, if it lies in one region.
    pub(crate) fn get(&self, address: u64, length: usize) -> Option<&[u8]> {
        let (index, offset) = place(address)?;
        let (_, bytes) = self.regions.get(index)?.as_ref()?;
        bytes.get(offset..offset.checked_add(length)?)
    }

    /// The same, to be written.
    pub(crate) fn get_mut(&mut self, address: u64, length: usize) -> Option<&mut [u8]> {
        let (index, offset) = place(address)?;
        let (_, bytes) = self.regions.get_mut(index)?.as_mut()?;
        bytes.get_mut(offset..offset.checked_add(length)?)
    }
}

const fn base(index: usize) -> u64 {
    (index as u64 + 1) << SPACING_LOG2
}

fn place(address: u64) -> Option<(usize, usize)> {
    let index = (address >> SPACING_LOG2).checked_sub(1)?;
    Some((
        index as usize,
        (address & ((1 << SPACING_LOG2) - 1)) as usize,
    ))
}

/// A registered piece of memory (ibv_mr). Dropped, it is closed to peers.
pub struct MemoryRegion {
    device: Shared,
    index: usize,
    entry: RegionEntry,
}

impl MemoryRegion {
    pub(crate) fn new(device: Shared, index: usize, entry: RegionEntry) -> Self {
        Self {
            device,
            index,
            entry,
        }
    }

    /// Address of the first byte, as a peer names it.
    pub fn address(&self) -> u64 {
        self.entry.base
    }

    /// Key that a peer needs.
    pub fn r_key(&self) -> u32 {
        self.entry.r_key
    }

    /// Bytes.
    pub fn len(&self) -> usize {
        self.entry.length as usize
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills in bytes from `offset` on.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), SoftError> {
        self.with_mut(offset..offset.saturating_add(bytes.len()), |place| {
            place.copy_from_slice(bytes)
        })
    }

    /// Copies `range` out.
    pub fn read(&self, range: Range<usize>) -> Result<Vec<u8>, SoftError> {
        self.with(range, <[u8]>::to_vec)
    }

    /// Looks at `range` where it lies.
    pub fn with<T>(
        &self,
        range: Range<usize>,
        look: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, SoftError> {
        let address = self.slice(range.clone())?;
        let device = self.device.borrow();
        let bytes = device.memory.get(address, range.len());
        bytes.map(look).ok_or_else(|| self.outside(&range))
    }

    /// Changes `range` where it lies.
    pub fn with_mut<T>(
        &self,
        range: Range<usize>,
        change: impl FnOnce(&mut [u8]) -> T,
    ) -> Result<T, SoftError> {
        let address = self.slice(range.clone())?;
        let mut device = self.device.borrow_mut();
        let bytes = device.memory.get_mut(address, range.len());
        bytes.map(change).ok_or_else(|| self.outside(&range))
    }

    /// Address of a range's first byte, if the range is inside.
    pub fn slice(&self, range: Range<usize>) -> Result<u64, SoftError> {
        if range.start <= range.end && range.end <= self.len() {
            Ok(self.address() + range.start as u64)
        } else {
            Err(self.outside(&range))
        }
    }

    fn outside(&self, range: &Range<usize>) -> SoftError {
        SoftError::OutsideRegion {
            start: range.start as u64,
            end: range.end as u64,
            length: self.entry.length,
        }
    }
}

impl Drop for MemoryRegion {
    fn drop(&mut self) {
        self.device.borrow_mut().deregister(self.index);
    }
}
