//! Boards: tops, clocks, pins, build flows and their reports.
