//! The internet checksum (RFC 1071).
use crate::table::wire::Ipv4;

/// Ones' complement sum of big-endian 16-bit words, folded, not inverted. An odd last byte counts as the upper half.
fn sum(bytes: &[u8]) -> u16 {
    let (words, rest) = bytes.as_chunks::<2>();
    let mut sum: u32 = words
        .iter()
        .map(|word| u32::from(u16::from_be_bytes(*word)))
        .sum();
    sum += rest.first().map_or(0, |&byte| u32::from(byte) << 8);
    // Twice: the first fold may carry.
    sum = (sum & 0xFFFF) + (sum >> 16);
    sum = (sum & 0xFFFF) + (sum >> 16);
    sum as u16
}

/// The right checksum of an IPv4 header, whatever stands in its checksum field.
pub fn checksum(header: &Ipv4) -> u16 {
    !sum(&Ipv4 {
        checksum: 0,
        ..*header
    }
    .encode())
}

/// Ones' complement sum of a header without total length and checksum, folded, not inverted: the part of the checksum
/// that a connection's packets share (ConnectionEntry.ip_sum). Adding the total length, folding and inverting gives the
/// checksum.
pub fn ip_sum(header: &Ipv4) -> u16 {
    sum(&Ipv4 {
        checksum: 0,
        total_length: 0,
        ..*header
    }
    .encode())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn header_of_rfc_1071_tradition_checks() {
        // A well-known example header whose checksum is 0xB861.
        let bytes = [
            0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11, 0xB8, 0x61, 0xC0, 0xA8, 0, 1, 0xC0, 0xA8,
            0, 0xC7,
        ];
        assert_eq!(checksum(&Ipv4::decode(&bytes).unwrap()), 0xB861);
        assert_eq!(sum(&bytes), 0xFFFF);
    }

    proptest! {
        #[test]
        fn connection_sum_plus_length_is_the_checksum(bytes: [u8; 20]) {
            let header = Ipv4::decode(&bytes).unwrap();
            let total = u32::from(ip_sum(&header)) + u32::from(header.total_length);
            let folded = (total & 0xFFFF) + (total >> 16);
            prop_assert_eq!(!(folded as u16), checksum(&header));
        }
    }
}
