//! The golden software model: the protocol without a clock or a socket.
