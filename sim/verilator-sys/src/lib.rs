//! Raw FFI to verilated models, and their build.
