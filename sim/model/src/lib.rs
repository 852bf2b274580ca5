//! The golden software model: the protocol without a clock or a socket.
//!
//! [`nic::Nic`] has one method for each commit of the hardware's engines; [`endpoint::Endpoint`] runs them by itself. All
//! arithmetic is the hardware's: integers that wrap at stated widths.
pub mod config;
pub mod congestion;
pub mod counters;
pub mod endpoint;
pub mod hint;
pub mod message;
pub mod mutant;
pub mod nic;
pub mod receive;
pub mod reorder;
pub mod send;
pub mod tracker;
pub mod window;
pub mod wire;
