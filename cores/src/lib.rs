//! Reusable synthesizable cores, one a file.
pub mod axi_reader;
pub mod axi_writer;
pub mod burst_splitter;
pub mod counts;
pub mod crc32;
#[rustfmt::skip]
pub mod generated;
pub mod header_slots;
pub mod icrc;
pub mod parser;
pub mod prim;
pub mod ram_bypass;
pub mod read_aligner;
pub mod skid_buffer;
pub mod stream_fifo;
pub mod transmit_path;
pub mod types;
