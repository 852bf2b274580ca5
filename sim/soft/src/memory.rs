//! Memory that a peer may write.
use metaroce_protocol::RegionEntry;
use metaroce_verbs::VerbsError;

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
    pub(crate) fn register(&mut self, length: usize, tag: u32) -> Result<usize, VerbsError> {
        let free = self.regions.iter().position(Option::is_none);
        let index = free.unwrap_or(self.regions.len());
        if index == REGIONS {
            return Err(VerbsError::Exhausted {
                what: "memory region",
                limit: REGIONS as u64,
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

    /// Does to a word of 64 bits, little-endian, what an atomic asks for: the word before. `None`: it lies in no region.
    pub(crate) fn update(&mut self, address: u64, change: impl Fn(u64) -> u64) -> Option<u64> {
        let place = self.get_mut(address, size_of::<u64>())?;
        let before = u64::from_le_bytes(place.try_into().ok()?);
        place.copy_from_slice(&change(before).to_le_bytes());
        Some(before)
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
