//! The endpoints that the suite knows how to reach.
pub mod cosim;
pub mod model;
pub mod settings;
pub mod soft;
mod spoiled;
