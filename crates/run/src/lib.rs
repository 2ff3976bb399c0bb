//! Plan, prepare, warm up, measure, record.
//!
//! A separate crate so that the compiler enforces the direction of imports: it knows engines only by their traits,
//! prints nothing (it reports to a [`Listener`]), and derives nothing from readings (`model` does).

mod bench;
mod caches;
mod capacities;
mod checkpoints;
mod collection;
mod companion;
mod data;
mod data_reads;
mod directory;
mod durability_proof;
mod error;
mod fleet;
mod forwarded;
mod gauge;
mod hands;
mod host_observer;
mod instrument;
mod interrupt;
mod invocation;
mod item;
mod kind;
mod listener;
mod load_beside;
mod loss;
mod meter;
mod network;
mod nodes;
mod observation;
mod order;
mod owed;
mod pacing;
mod platform;
mod recorder;
mod request;
mod resumption;
mod run;
mod sampler;
mod session_job;
mod session_sampler;
mod setup;
mod space;
mod steps_probe;
mod tracing;

pub use collection::{CollectedRun, CollectionOutcome, complete};
pub use directory::{Cleaned, MeasuredDirectory};
pub use durability_proof::DurabilityProofFile;
pub use error::{Error, Fault, Result};
pub use hands::{AgentProgress, Delivered, Fleet, FleetWatch, NotKept, Release};
pub use host_observer::{HostObserver, Observed, Observers};
pub use interrupt::Interrupt;
pub use invocation::Measured;
pub use kind::*;
pub use listener::{Event, Listener};
pub use network::{NetworkPeer, serve_network};
pub use platform::{Context, cache_bytes};
pub use request::{LoadBesideRequest, Request, Selection, Tracing, jobs_of_agents, repeats, window};
pub use resumption::{check_resumption, doubt, follow, reaches_out};
pub use setup::{LogRequest, Setup};
pub use tracing::clean_up_tracing;
