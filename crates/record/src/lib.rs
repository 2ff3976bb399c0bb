//! The vocabulary of dbdyno: quantities, plan, readings, runs, and the record that holds them.
//!
//! A crate of its own so that the compiler guards the direction: everything imports it, it imports nothing of
//! ours. Its types are the only ones that are ever serialized; `schema/` publishes them as JSON Schema.
//! It computes nothing: rates, quantiles over readings and verdict thresholds live in `model` and `run`.

mod activity;
mod arrival;
mod counter;
pub mod evidence;
mod finding;
mod foreign_load;
mod instrument;
mod inventory;
mod io;
mod latency;
mod line;
mod load;
mod machine;
mod plan;
mod quantity;
mod random_blocks;
mod reading;
mod record;
mod run;
mod run_kind;
mod series;
mod state;
mod steady;
mod streams;
mod tool;
mod trace;
mod variation;

pub use activity::{Activity, SampledWait, WaitClass};
pub use arrival::{Arrival, Until};
pub use counter::name;
pub use evidence::Evidence;
pub use finding::{Check, Finding, Verdict};
pub use foreign_load::ForeignLoad;
pub use instrument::Instrument;
pub use inventory::{
    BlockDevice, Cache, CgroupLimits, Cpu, EngineInventory, FileSystem, HostInventory, Kernel, Location, Memory,
    NodeInventory, NumaNode, Setting,
};
pub use io::{
    Amount, BlockShare, Blocks, BufferContent, Coverage, Distribution, FileChoice, IoFile, IoJob, IoKind, IoMark,
    IoMix, IoMode, IoOrder, IoPhase, IoPlan, IoStream, Layout, OpenSync, RingOptions, Round, SequenceStep, Storage,
    SyncEvery, Verification, Zone,
};
pub use latency::{Latency, SAMPLES_BEYOND_QUANTILE, is_printable};
pub use line::{End, FORMAT, Head, Line};
pub use load::{
    IndexTime, JOBS_PER_GENERATOR, Load, LoadCheck, LoadForm, LoadModel, LoadStage, LoadStageKind, ScanKind,
};
pub use machine::{MemoryModule, NetworkInterface};
pub use plan::{Dop, Pace, Pairing, Placement, Plan, PlanSubject, PlannedRun, Preset, Side, Skipped};
pub use quantity::{Bytes, Nanos, Rate, Ratio, Timestamp};
pub use random_blocks::{BlockOperation, BlockOperations, CacheState, LoopPlace, RandomBlocks};
pub use reading::Reading;
pub use record::{DataSet, Record, SCHEMA_VERSION, Status};
pub use run::{
    CacheFit, Ceiling, DataReads, FailureKind, Layer, NodeEvent, NodeEventKind, NodeRun, Outcome, Run, Sweep, Totals,
    Unit,
};
pub use run_kind::{RunKind, Scan};
pub use series::{Second, Slices};
pub use state::{BackgroundProgram, HostState, KernelLog};
pub use steady::{SteadyClass, SteadyDoubt, SteadyRate, SteadyReason, SteadyVerdict};
pub use streams::{ComparedFile, FileStreams, StreamBackend, StreamDirection};
pub use tool::{Build, Tool};
pub use trace::{LayerLatency, MeasuringPoint, MissingLayer, OperationClass, PassedRung, Rung, Trace};
pub use variation::{Resource, Unproved, Variation};
