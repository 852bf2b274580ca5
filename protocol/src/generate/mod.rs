//! Text that follows from the table.
