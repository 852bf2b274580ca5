//! Host memory: named regions of a 64-bit address space, and nothing between them.

/// What a device may do with a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reads only: a write is a violation.
    ReadOnly,
    /// Reads and writes.
    ReadWrite,
}

/// A named piece of memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Name, for messages.
    pub name: String,
    /// Address of the first byte.
    pub base: u64,
    /// What a device may do with it; the testbench may do everything.
    pub access: Access,
    /// The bytes.
    pub data: Vec<u8>,
}

impl Region {
    /// Address after the last byte.
    fn end(&self) -> u64 {
        self.base + self.data.len() as u64
    }

    /// Place of `length` bytes at `address`, if they are all inside.
    fn place(&self, address: u64, length: usize) -> Option<std::ops::Range<usize>> {
        let start = address.checked_sub(self.base)?;
        let end = start.checked_add(length as u64)?;
        (end <= self.data.len() as u64).then_some(start as usize..end as usize)
    }
}

/// Regions that do not overlap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Memory {
    regions: Vec<Region>,
}

impl Memory {
    /// Without any region.
    pub fn new() -> Self {
        Memory::default()
    }

    /// Adds a region of `length` zeros, which must not overlap another.
    pub fn add(&mut self, name: &str, base: u64, length: usize, access: Access) {
        let region = Region {
            name: name.into(),
            base,
            access,
            data: vec![0; length],
        };
        assert!(
            base.checked_add(length as u64).is_some(),
            "region `{name}` leaves the address space"
        );
        let overlaps = |other: &&Region| other.base < region.end() && base < other.end();
        if let Some(other) = self.regions.iter().find(overlaps) {
            panic!(
                "region `{name}` at {base:#x} overlaps `{}` at {:#x}",
                other.name, other.base
            );
        }
        self.regions.push(region);
    }

    /// The region of this name.
    pub fn region(&self, name: &str) -> Option<&Region> {
        self.regions.iter().find(|region| region.name == name)
    }

    /// The region of this name.
    pub fn region_mut(&mut self, name: &str) -> Option<&mut Region> {
        self.regions.iter_mut().find(|region| region.name == name)
    }

    /// All regions, in the order they were added.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// The bytes at an address, if one region holds them all.
    pub fn bytes(&self, address: u64, length: usize) -> Option<&[u8]> {
        self.regions
            .iter()
            .find_map(|region| Some(&region.data[region.place(address, length)?]))
    }

    /// As many bytes at an address as its region has, `most` at most, if they are
    /// at least `needed`.
    pub(crate) fn bytes_up_to(&self, address: u64, needed: usize, most: usize) -> Option<&[u8]> {
        self.regions.iter().find_map(|region| {
            let start = region.place(address, needed)?.start;
            let rest = &region.data[start..];
            Some(&rest[..most.min(rest.len())])
        })
    }

    /// The testbench's own view of the bytes at an address, if one region holds them all.
    pub fn bytes_mut(&mut self, address: u64, length: usize) -> Option<&mut [u8]> {
        self.regions.iter_mut().find_map(|region| {
            let place = region.place(address, length)?;
            Some(&mut region.data[place])
        })
    }

    /// A device's write; why not, if it is not allowed.
    pub(crate) fn device_write(&mut self, address: u64, bytes: &[u8]) -> Result<(), String> {
        let inside = |region: &&mut Region| region.place(address, bytes.len()).is_some();
        let Some(region) = self.regions.iter_mut().find(inside) else {
            return Err(format!(
                "{} bytes at {address:#x} are in no region",
                bytes.len()
            ));
        };
        if region.access == Access::ReadOnly {
            return Err(format!(
                "{} bytes at {address:#x} are in read-only `{}`",
                bytes.len(),
                region.name
            ));
        }
        let place = region
            .place(address, bytes.len())
            .expect("the region was found by it");
        region.data[place].copy_from_slice(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_regions() -> Memory {
        let mut memory = Memory::new();
        memory.add("ring", 0x1000, 0x100, Access::ReadOnly);
        memory.add("data", 0x1100, 0x100, Access::ReadWrite);
        memory
    }

    #[test]
    fn write_needs_one_writable_region() {
        let mut memory = two_regions();
        assert_eq!(memory.device_write(0x11ff, &[7]), Ok(()));
        assert_eq!(memory.bytes(0x11fe, 2), Some(&[0, 7][..]));
        assert!(
            memory
                .device_write(0x11ff, &[7, 7])
                .unwrap_err()
                .contains("no region")
        );
        assert!(
            memory
                .device_write(0x1000, &[7])
                .unwrap_err()
                .contains("`ring`")
        );
        assert!(memory.device_write(u64::MAX, &[7, 7]).is_err());
    }

    #[test]
    #[should_panic(expected = "overlaps `data`")]
    fn overlap_is_refused() {
        two_regions().add("more", 0x11ff, 1, Access::ReadWrite);
    }
}
