//! The data model of dbdyno: quantities, plan, readings, runs, and the record.
//!
//! A separate crate so that the compiler enforces the direction: all crates import it, and it imports none. Only its
//! types are serialized; `schema/` publishes them as JSON Schema. It computes nothing: rates, quantiles over readings
//! and thresholds of verdicts are in `model` and `run`.

mod activity;
mod agent;
mod checkpoints;
mod crash;
mod database_state;
pub mod evidence;
mod finding;
mod gauge;
mod inventory;
mod io;
mod judgement;
mod latency;
mod line;
mod load;
mod load_beside;
mod load_in_kind;
pub mod load_profile;
mod local_round_trips;
mod message;
mod network;
mod note;
mod observed_host;
mod pace;
mod plan;
mod proof;
mod quantity;
mod random_blocks;
mod reading;
mod record;
mod run;
mod run_kind;
mod script;
mod series;
mod settling;
mod state;
mod steady;
mod streams;
mod test;
mod tool;
mod topology;
mod totals;
mod trace;
mod transaction_type;
mod unproved;
mod variation;

pub use activity::{Activity, SampledWait, WaitClass};
pub use agent::{AgentHost, AgentRun, AgentStart};
pub use checkpoints::RequestedCheckpoints;
pub use crash::{
    ClusterFault, Crash, CrashCluster, CrashCondition, CrashDamage, CrashEvent, CrashEventKind, CrashFileSystem,
    CrashMoment, CrashRung, DurabilityShown, FaultSeen, Survival,
};
pub use database_state::DatabaseState;
pub use evidence::{Check, CheckSubject, Evidence};
pub use finding::{Finding, Verdict};
pub use gauge::{Gauge, GaugeReading, GaugeRun};
pub use inventory::{
    BlockDevice, Cache, CacheDevice, CgroupLimits, Cpu, EngineInventory, FileSystem, HostInventory, Kernel, Location,
    Memory, MemoryModule, NetworkInterface, NodeInventory, NumaNode, Setting,
};
pub use io::{
    Amount, BlockShare, Blocks, BufferContent, CacheCounts, Coverage, Distribution, FileChoice, IoFile, IoJob, IoKind,
    IoLogEntry, IoMix, IoMode, IoOrder, IoPhase, IoPlan, IoStream, Layout, LoopFile, MemberIo, OpenSync, RingOptions,
    Round, SequenceStep, Storage, SyncEvery, Verification, Zone,
};
pub use judgement::{
    JudgedWarning, Judgement, RecordDocument, ResultClass, RunCounts, RunVerdict, TestVerdict, WarningSubject,
};
pub use latency::{Latency, SAMPLES_BEYOND_QUANTILE, is_printable};
pub use line::{End, FORMAT, Head, Line};
pub use load::{
    IndexTime, JOBS_PER_GENERATOR, Load, LoadCheck, LoadForm, LoadModel, LoadNote, LoadNoteKind, LoadStage,
    LoadStageKind, ScanKind,
};
pub use load_beside::{LoadBeside, LoadBesideRun};
pub use load_in_kind::{
    AskedQuantity, ExpectedPoint, ExpectedTimes, LeftOut, LoadInKind, LoadLevel, RoleInKind, StepInKind,
};
pub use load_profile::LoadProfile;
pub use local_round_trips::{LocalRoundTrip, LocalRoundTrips, LocalTransport, RoundTripWaiting};
pub use message::{
    Answer, Attempt, FromAgent, FromKeeper, FromObserver, GivenPart, Hello, IoPart, JobShare, KeptPart, LoadPart,
    LoadSource, Order, PROTOCOL_VERSION, Part, PartKey, PartKind, PartNode, PartResult, Permitted, Piece, Refusal,
    Says, Seed, Step, Ticket, ToAgent, ToKeeper, ToObserver,
};
pub use network::{NetworkEnd, NetworkPath};
pub use note::Note;
pub use observed_host::{ObservedHost, ObservedRun};
pub use pace::{Arrival, Pace, Until};
pub use plan::{Dop, Pairing, Placement, Plan, PlannedRun, Preset, Side, Skipped};
pub use proof::{PageCached, ProofLoad, ProofPart, ProofPlace, ProofSubject};
pub use quantity::{Bytes, Nanos, Rate, Ratio, SignedNanos, Timestamp};
pub use random_blocks::{BlockOperation, BlockOperations, CacheState, LoopLocation, RandomBlocks};
pub use reading::{Reading, name};
pub use record::{DataSet, Record, SCHEMA_VERSION, Status};
pub use run::{ClientThreads, NodeEvent, NodeEventKind, NodeRun, Run, WaitMethod};
pub use run_kind::{PlanSubject, Resumption, RunKind, Scan, SubjectProperties};
pub use script::{QueryMode, Role, Script, Scripts};
pub use series::{Second, Slices};
pub use settling::{CacheFilling, Owed, Settling, SettlingStep};
pub use state::{BackgroundProgram, ForeignLoad, HostState, KernelLog};
pub use steady::{SteadyClass, SteadyRate, SteadyReason, SteadyUncertainty, SteadyVerdict};
pub use streams::{ComparedFile, FileStreams, StreamBackend, StreamDirection};
pub use test::{CacheFit, Ceiling, DataReads, Layer, Sweep, Unit};
pub use tool::{Build, ClockMethod, Instrument, Tool};
pub use topology::{Array, ArrayMember, DevicePath, NetworkMount, PciFunction, PciKind, PciLink};
pub use totals::{FailureKind, Outcome, Totals};
pub use trace::{LayerLatency, MeasuringPoint, MissingLayer, OperationClass, Trace, TracerKind, UnavailableTracer};
pub use transaction_type::{StatementRun, TransactionType};
pub use unproved::{Unproved, UnprovedReason};
pub use variation::{Resource, Variation};
