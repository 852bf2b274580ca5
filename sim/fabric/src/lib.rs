//! Event-driven simulation of networks whose hosts run the model.
//!
//! A [`scenario::Scenario`] becomes a [`simulation::Simulation`], which ends in a [`outcome::Summary`]. Nothing here looks at a
//! clock; every random choice comes from the seed.
pub mod baseline;
pub mod batch;
pub mod bench;
pub mod compare;
pub mod entropy;
pub mod event;
pub mod foreign;
pub mod host;
pub mod limit;
pub mod loss;
pub mod metaroce;
pub mod network;
pub mod outcome;
pub mod packet;
pub mod plot;
pub mod port;
pub mod record;
pub mod report;
pub mod results;
pub mod runs;
pub mod scenario;
pub mod shard;
pub mod sighting;
pub mod simulation;
pub mod suite;
pub mod sweep;
pub mod topology;
pub mod trace;
pub mod units;
pub mod workload;
