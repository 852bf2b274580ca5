//! Every size of the NIC that is built, by name.
use crate::nic::Nic;

/// 4 planes, 64 bits; 4 connections of 16 paths, window 256, 16 message slots, 16 regions.
pub type Small = Nic<4, 64, 8, 13, 10, 16, 2, 6, 4, 4, 64, 256, 8, 16, 14, 14, 10, 16, 4>;

/// 1 plane, 8 bits; 2 connections of 4 paths, window 32, 4 message slots, 4 regions.
pub type Tiny = Nic<1, 8, 1, 104, 11, 4, 1, 3, 2, 2, 8, 32, 5, 2, 8, 11, 8, 4, 2>;
