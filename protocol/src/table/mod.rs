//! The one table of layouts, and what turns a row of it into a typed struct.
mod field;
pub mod host;
pub mod wire;

pub use field::FieldValue;

/// How the bits of a layout lie in its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Big-endian: the first field starts at the uppermost bit of byte 0.
    Network,
    /// Little-endian: the first field starts at the lowest bit of byte 0.
    Host,
}

/// One field.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Name, snake case. One that starts with `reserved` is sent as 0 and not looked at.
    pub name: &'static str,
    /// Width in bits, 1..=256.
    pub bits: usize,
    doc: &'static str,
}

impl Field {
    #[doc(hidden)]
    pub const fn new(name: &'static str, bits: usize, doc: &'static str) -> Self {
        Self { name, bits, doc }
    }

    /// One line of meaning.
    pub fn meaning(&self) -> &'static str {
        self.doc.trim()
    }

    /// Whether the field carries nothing.
    pub fn is_reserved(&self) -> bool {
        self.name.starts_with("reserved")
    }
}

/// One header, descriptor or table entry.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Name, upper case.
    pub name: &'static str,
    /// How bits lie in bytes.
    pub order: Order,
    /// Width of the whole in bits, a multiple of 8; bits after the last field are 0.
    pub bits: usize,
    /// Fields in order, without gaps.
    pub fields: &'static [Field],
    doc: &'static str,
}

impl Layout {
    #[doc(hidden)]
    pub const fn new(
        name: &'static str,
        order: Order,
        bits: usize,
        fields: &'static [Field],
        doc: &'static str,
    ) -> Self {
        let mut sum = 0;
        let mut index = 0;
        while index < fields.len() {
            sum += fields[index].bits;
            index += 1;
        }
        assert!(bits.is_multiple_of(8), "a layout is whole bytes");
        assert!(sum <= bits, "the fields exceed the layout");
        // A gap on the wire must have a name; a host word may end early.
        assert!(
            matches!(order, Order::Host) || sum == bits,
            "the fields do not fill the header"
        );
        Self {
            name,
            order,
            bits,
            fields,
            doc,
        }
    }

    /// Meaning of the whole.
    pub fn meaning(&self) -> &'static str {
        self.doc.trim()
    }

    /// Bytes of the whole.
    pub const fn bytes(&self) -> usize {
        self.bits / 8
    }

    /// Each field with its offset in bits from where the order starts.
    pub fn fields_with_offsets(&self) -> impl Iterator<Item = (&'static Field, usize)> {
        self.fields.iter().scan(0, |at, field| {
            let offset = *at;
            *at += field.bits;
            Some((field, offset))
        })
    }
}

/// A row of the table: a typed struct with its layout and its codec.
macro_rules! layout {
    (
        $(#[doc = $doc:literal])+
        $order:ident $name:ident = $upper:literal, $total:literal bits {
            $($(#[doc = $field_doc:literal])+ $field:ident: $type:ty = $bits:literal,)+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name {
            $($(#[doc = $field_doc])+ #[doc = concat!("\n\n", $bits, " bits.")] pub $field: $type,)+
        }

        impl $name {
            /// Layout, as the generators see it.
            pub const LAYOUT: $crate::table::Layout = $crate::table::Layout::new(
                $upper,
                $crate::table::Order::$order,
                $total,
                &[$($crate::table::Field::new(stringify!($field), $bits, concat!($($field_doc),+)),)+],
                concat!($($doc),+),
            );
            /// Size in bytes.
            pub const BYTES: usize = Self::LAYOUT.bytes();

            /// The bytes. A value wider than its field loses its upper bits.
            pub fn encode(&self) -> [u8; Self::BYTES] {
                use $crate::table::{FieldValue, Order};
                let mut bytes = [0; Self::BYTES];
                let mut at = 0;
                $(
                    FieldValue::store(self.$field, &mut bytes, Order::$order, at, $bits);
                    at += $bits;
                )+
                debug_assert!(at <= $total);
                bytes
            }

            /// From the first `BYTES` bytes; more may follow. Every bit pattern is a value.
            pub fn decode(bytes: &[u8]) -> Result<Self, $crate::error::TooShort> {
                match bytes.first_chunk() {
                    Some(bytes) => Ok(Self::from_bytes(bytes)),
                    None => Err($crate::error::TooShort {
                        what: $upper,
                        needed: Self::BYTES,
                        found: bytes.len(),
                    }),
                }
            }

            /// From exactly its bytes.
            pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
                use $crate::table::{FieldValue, Order};
                let mut at = 0;
                $(
                    let $field = FieldValue::load(bytes, Order::$order, at, $bits);
                    at += $bits;
                )+
                debug_assert!(at <= $total);
                Self { $($field),+ }
            }
        }

        /// All bits 0.
        impl Default for $name {
            fn default() -> Self {
                Self::from_bytes(&[0; Self::BYTES])
            }
        }
    };
}
pub(crate) use layout;

/// Headers of the wire, in the order in which they can appear.
pub const WIRE: &[Layout] = &[
    wire::Ethernet::LAYOUT,
    wire::Ipv4::LAYOUT,
    wire::Ipv6::LAYOUT,
    wire::Udp::LAYOUT,
    wire::Bth::LAYOUT,
    wire::Path::LAYOUT,
    wire::Msg::LAYOUT,
    wire::Reth::LAYOUT,
    wire::Sack::LAYOUT,
    wire::Nak::LAYOUT,
    wire::Match::LAYOUT,
    wire::Imm::LAYOUT,
    wire::Tag::LAYOUT,
    wire::Atomic::LAYOUT,
    wire::Original::LAYOUT,
    wire::Sync::LAYOUT,
];

/// Headers of the 64 bytes that all frames over IPv4 share.
pub const COMMON: &[Layout] = &[
    wire::Ethernet::LAYOUT,
    wire::Ipv4::LAYOUT,
    wire::Udp::LAYOUT,
    wire::Bth::LAYOUT,
    wire::Path::LAYOUT,
];

/// Descriptors in host memory.
pub const DESCRIPTORS: &[Layout] = &[host::Wqe::LAYOUT, host::Rqe::LAYOUT, host::Cqe::LAYOUT];

/// Entries of the transport's tables, as the driver writes them through CONFIG_DATA.
pub const ENTRIES: &[Layout] = &[
    host::ConnectionEntry::LAYOUT,
    host::PathEntry::LAYOUT,
    host::RegionEntry::LAYOUT,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_headers_fill_eight_beats_and_tails_keep_payload_aligned() {
        let common: usize = COMMON.iter().map(Layout::bytes).sum();
        assert_eq!(common, crate::constants::COMMON_BYTES);
        for opcode in crate::codes::Opcode::ALL {
            assert_eq!((common + opcode.header_bytes()) % 8, 0, "{opcode:?}");
            assert!(opcode.header_bytes() <= wire::Sack::BYTES, "{opcode:?}");
        }
    }

    #[test]
    fn names_are_unique() {
        for layout in WIRE.iter().chain(DESCRIPTORS).chain(ENTRIES) {
            for (index, field) in layout.fields.iter().enumerate() {
                let earlier = &layout.fields[..index];
                assert!(
                    earlier.iter().all(|other| other.name != field.name),
                    "{}",
                    field.name
                );
                assert!(!field.meaning().is_empty());
            }
        }
    }
}
