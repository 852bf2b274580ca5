//! RoCEv2's invariant CRC (InfiniBand specification volume 1, annex A17.3.3).
use crc32fast::Hasher;

/// Bytes up to which fields are masked: IPv6, UDP and BTH byte 4.
const MASKED_BYTES: usize = 40 + 8 + 5;

/// An invariant CRC. On the wire its bytes go out least significant first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Icrc(u32);

impl Icrc {
    /// Over `packet`: from the IP header up to payload and pad, without the ICRC. The version in its first byte tells
    /// which fields are taken as ones; anything but 6 counts as IPv4. Short input gives the CRC of what is there.
    pub fn of_packet(packet: &[u8]) -> Self {
        let masked = packet.len().min(MASKED_BYTES);
        let (head, rest) = packet.split_at(masked);
        // Eight bytes of ones stand for the local route header that RoCEv2 does not have.
        let mut ones_and_head = [0xFF; 8 + MASKED_BYTES];
        let copy = &mut ones_and_head[8..8 + masked];
        copy.copy_from_slice(head);
        let ones: &[usize] = match copy.first().map(|byte| byte >> 4) {
            // Flow label, hop limit, UDP checksum, BTH byte 4.
            Some(6) => &[1, 2, 3, 7, 46, 47, 52],
            // TOS, TTL, header checksum, UDP checksum, BTH byte 4.
            _ => &[1, 8, 10, 11, 26, 27, 32],
        };
        for &at in ones {
            if let Some(byte) = copy.get_mut(at) {
                *byte = 0xFF;
            }
        }
        if let Some(first) = copy.first_mut().filter(|first| **first >> 4 == 6) {
            // The upper half of the traffic class; the lower is in byte 1.
            *first |= 0x0F;
        }
        // CRC-32, reflected 0x04C11DB7: ISO-HDLC's.
        let mut digest = Hasher::new();
        digest.update(&ones_and_head[..8 + masked]);
        digest.update(rest);
        Self(digest.finalize())
    }

    /// Over a whole Ethernet frame whose last four bytes are the ICRC's place. `None` if it has no room for a header.
    pub fn of_frame(frame: &[u8]) -> Option<Self> {
        let end = frame.len().checked_sub(4)?;
        Some(Self::of_packet(frame.get(14..end)?))
    }

    /// Writes a frame's right ICRC in its last four bytes. `false` if it has no room for one.
    pub fn seal(frame: &mut [u8]) -> bool {
        let Some(icrc) = Self::of_frame(frame) else {
            return false;
        };
        let Some(place) = frame.last_chunk_mut() else {
            return false;
        };
        *place = icrc.to_wire();
        true
    }

    /// As a number.
    pub const fn value(self) -> u32 {
        self.0
    }

    /// As it goes out.
    pub const fn to_wire(self) -> [u8; 4] {
        self.0.to_le_bytes()
    }

    /// As it came in.
    pub const fn from_wire(bytes: [u8; 4]) -> Self {
        Self(u32::from_le_bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_crc_gives_the_published_check_value() {
        assert_eq!(crc32fast::hash(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn fields_that_routers_change_do_not_matter() {
        for version in [0x45, 0x60] {
            let mut packet = [0x5A; 80];
            packet[0] = version;
            let before = Icrc::of_packet(&packet);
            let changeable: &[usize] = if version == 0x45 {
                &[1, 8, 10, 11, 26, 27, 32]
            } else {
                &[1, 2, 3, 7, 46, 47, 52]
            };
            for at in 0..packet.len() {
                packet[at] ^= 1;
                assert_eq!(
                    Icrc::of_packet(&packet) == before,
                    changeable.contains(&at) || (version == 0x60 && at == 0)
                );
                packet[at] ^= 1;
            }
        }
    }

    proptest! {
        #[test]
        fn any_input_is_taken(mut bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let sealed = Icrc::seal(&mut bytes);
            prop_assert_eq!(sealed, bytes.len() >= 18);
            if let Some(icrc) = Icrc::of_frame(&bytes) {
                prop_assert_eq!(&icrc.to_wire()[..], &bytes[bytes.len() - 4..]);
            }
        }
    }
}
