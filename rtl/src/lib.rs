//! The NIC, joined out of the cores.
pub mod host_side;
pub mod plane_rx;
pub mod plane_tx;
pub mod receive_side;
