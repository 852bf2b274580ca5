//! The NIC, joined out of the cores.
pub mod plane_rx;
pub mod plane_tx;
