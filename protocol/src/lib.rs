//! The contract: header table, opcodes, constants, register map. No I/O, no clock, no hardware.
