//! A dissector for Wireshark.

/// The Lua text.
pub fn dissector() -> String {
    String::new()
}
