//! The NIC, joined out of the cores.
