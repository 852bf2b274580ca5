//! The NIC, joined out of the cores.
pub mod bus;
pub mod engine;
pub mod host_side;
pub mod nic;
pub mod plane_rx;
pub mod plane_tx;
pub mod planes;
pub mod receive_host;
pub mod receive_side;
pub mod responder;
pub mod sizes;
pub mod transmit_side;
