//! Reusable synthesizable cores, one a file.
