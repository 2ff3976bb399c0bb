//! The vocabulary of dbdyno: quantities, plan, readings, runs, and the record that holds them.
//!
//! A crate of its own so that the compiler guards the direction: everything imports it, it imports nothing of
//! ours. Its types are the only ones that are ever serialized; `schema/` publishes them as JSON Schema.
//! It computes nothing: rates, quantiles over readings and verdict thresholds live in `model` and `run`.

mod counter;
mod finding;
mod instrument;
mod inventory;
mod io;
mod latency;
mod plan;
mod quantity;
mod reading;
mod record;
mod run;
mod series;

pub use counter::name;
pub use finding::{Check, Finding, Verdict};
pub use instrument::Instrument;
pub use inventory::{
    BlockDevice, Cache, CgroupLimits, Cpu, EngineInventory, FileSystem, HostInventory, Kernel, Location, Memory,
    NumaNode, Setting,
};
pub use io::{
    Amount, BlockShare, Blocks, BufferContent, Coverage, Distribution, FileChoice, IoFile, IoJob, IoKind, IoMark,
    IoMix, IoMode, IoOrder, IoPhase, IoPlan, IoStream, Layout, OpenSync, RingOptions, Round, SequenceStep, Storage,
    SyncEvery, Verification, Zone,
};
pub use latency::Latency;
pub use plan::{Dop, Pace, Pairing, Placement, Plan, PlannedRun, Preset, Side, Skipped};
pub use quantity::{Bytes, Nanos, Rate, Ratio, Timestamp};
pub use reading::Reading;
pub use record::{DataSet, Record, SCHEMA_VERSION, Status, Tool};
pub use run::{CacheFit, Ceiling, FailureKind, Layer, Outcome, Run, Sweep, Totals, Unit};
pub use series::{Second, Slices};
