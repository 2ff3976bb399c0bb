//! Crashes on purpose: what was acknowledged before each, and what was there after it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, Nanos};

/// What a fault takes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CrashRung {
    /// The processes of the server; the operating system goes on.
    D0,
    /// Also what was not synced, file by file.
    D1,
    /// Also what a disk was not told to flush, below a file system that recovers by itself.
    D2,
    /// The power of a server elsewhere, cut by whoever has its plug.
    ByHand,
}

impl CrashRung {
    /// Its word on the command line and in views.
    pub fn word(self) -> &'static str {
        match self {
            CrashRung::D0 => "D0",
            CrashRung::D1 => "D1",
            CrashRung::D2 => "D2",
            CrashRung::ByHand => "D3 by hand",
        }
    }
}

/// The file system on a disk that loses what was not flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CrashFileSystem {
    /// ext4 in its default mode.
    Ext4,
    /// XFS.
    Xfs,
    /// btrfs.
    Btrfs,
}

impl CrashFileSystem {
    /// Its name, as `mount` takes it.
    pub fn word(self) -> &'static str {
        match self {
            CrashFileSystem::Ext4 => "ext4",
            CrashFileSystem::Xfs => "xfs",
            CrashFileSystem::Btrfs => "btrfs",
        }
    }
}

/// Which nodes of a cluster a fault takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClusterFault {
    /// The primary alone; a replica is promoted in its place.
    Primary,
    /// All of them at once; they are started again on what is left.
    AllNodes,
}

impl ClusterFault {
    /// Its word on the command line and in tables.
    pub fn word(self) -> &'static str {
        match self {
            ClusterFault::Primary => "primary",
            ClusterFault::AllNodes => "all-nodes",
        }
    }
}

/// A cluster, and which of its nodes a fault takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CrashCluster {
    /// Its nodes.
    pub nodes: u32,
    /// Which of them a fault takes.
    pub fault: ClusterFault,
}

/// What is tried: the engine as it is asked for, or a control that has to lose.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CrashCondition {
    /// As it is asked for.
    Asked,
    /// Storage that answers syncs and does not carry them out.
    LyingStorage {
        /// Of so many syncs one is not carried out; 1 for none at all.
        every: u32,
    },
    /// Settings of the engine that weaken its durability.
    Settings {
        /// As in a target: `name=value`, several joined by `&`.
        settings: String,
    },
}

/// What of the changes that were not synced survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Survival {
    /// All.
    All,
    /// None.
    AllLost,
    /// Those up to a moment.
    Prefix,
    /// By lot for each page of 4 KiB.
    Subset,
    /// By lot for each sector of 512 bytes.
    Torn,
    /// Not known: the fault was made by somebody else.
    Unknown,
}

/// What was seen of a fault that somebody else made, between the last commit and the look at what is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FaultSeen {
    /// Nothing: no start of the server.
    Nothing,
    /// The server was started anew, and its host was not.
    Server,
    /// The server was started anew; of its host nothing is known.
    ServerAtLeast,
    /// The host was started anew.
    Host,
}

impl FaultSeen {
    /// All.
    pub const ALL: [FaultSeen; 4] = [FaultSeen::Nothing, FaultSeen::Server, FaultSeen::ServerAtLeast, FaultSeen::Host];
}

/// What the engine was doing when the fault came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CrashMoment {
    /// Commits of rows alone.
    Commit,
    /// Also a checkpoint.
    Checkpoint,
    /// Also a checkpoint: the fault came when the first file or device was to be synced that it had written to.
    Flush,
    /// Also tables being created, renamed, emptied and dropped.
    Tables,
    /// Also a switch to another file of the log.
    LogSwitch,
}

impl CrashMoment {
    /// All.
    pub const ALL: [CrashMoment; 5] =
        [CrashMoment::Commit, CrashMoment::Checkpoint, CrashMoment::Flush, CrashMoment::Tables, CrashMoment::LogSwitch];
}

/// A state that a crash has left, and what the engine made of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Crash {
    /// The number of the crash in its run, counted from 1.
    pub number: u32,
    /// Which of the states of this crash it is, counted from 1: the first is that of the fault itself, the others are of faults at
    /// earlier changes of the same load.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub state: u32,
    /// Changes of the storage between the begin of the load and the fault; absent where they are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<u64>,
    /// Seed of what is drawn by lot.
    pub seed: u64,
    /// What the engine was doing.
    pub moment: CrashMoment,
    /// What of the unsynced survived.
    pub survival: Survival,
    /// From the end of the load to the fault; absent where the fault came under load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ns: Option<Nanos>,
    /// From the moment at which nothing of the primary reached its replicas any more to the fault; absent where that was the fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolated_ns: Option<Nanos>,
    /// Commits that were begun.
    pub attempted: u64,
    /// Commits that the engine has acknowledged.
    pub acknowledged: u64,
    /// Commits without an answer: they may be there or not.
    pub unknown: u64,
    /// Rows that were there afterwards; absent where they could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<u64>,
    /// Writes that were not synced at the fault; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsynced_writes: Option<u64>,
    /// Their bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsynced_bytes: Option<Bytes>,
    /// From the start of the engine after the fault until it took sessions; absent where it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_ns: Option<Nanos>,
    /// What the engine said when it did not start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub would_not_start: Option<String>,
    /// What was wrong.
    #[serde(default, skip_serializing_if = "CrashDamage::is_none")]
    pub damage: CrashDamage,
    /// What the engine's own checks complained about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub complaints: Vec<String>,
    /// What was seen of the fault, where somebody else made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<FaultSeen>,
    /// The error with which the first session was lost, where somebody else made the fault and it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_with: Option<String>,
    /// The last events before the fault, and it; of one crash of a run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timeline: Vec<CrashEvent>,
}

pub(crate) fn one() -> u32 {
    1
}

pub(crate) fn is_one(count: &u32) -> bool {
    *count == 1
}

/// What a proof of durability has shown of an engine with the same version and settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DurabilityShown {
    /// What its faults took away.
    pub rung: CrashRung,
    /// Of several nodes, which of them a fault took; absent for a single one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<CrashCluster>,
    /// Its crashes.
    pub crashes: u64,
    /// Those with a loss or another damage.
    pub damaged: u64,
    /// States that its crashes have left; absent where each has left one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<u64>,
    /// Name of the record of the proof.
    pub record: String,
    /// The host that it ran on; absent where not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_name: Option<String>,
}

/// What was wrong after a crash, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CrashDamage {
    /// Acknowledged commits that are not there, those of tables included.
    pub lost: u64,
    /// Of these, commits after which a later one of the same client is there.
    pub holes: u64,
    /// Commits that are there in part, or with other content.
    pub torn: u64,
    /// Rows that nobody wrote, or whose transaction was rolled back.
    pub phantoms: u64,
    /// Rows that are there more than once.
    pub duplicates: u64,
    /// Clients whose counter is not the number of their rows.
    pub wrong_counters: u64,
}

impl CrashDamage {
    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        *self == CrashDamage::default()
    }
}

/// An event of a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CrashEvent {
    /// Since the first commit was begun.
    pub at_ns: Nanos,
    /// The client, counted from 0; 0 for the fault.
    pub client: u32,
    /// Number of the commit of the client; 0 for the fault.
    pub number: u64,
    /// What it is.
    pub kind: CrashEventKind,
}

/// Kinds of events of a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CrashEventKind {
    /// A commit was acknowledged and is there.
    Acknowledged,
    /// A commit was acknowledged and is not there.
    Lost,
    /// A commit had no answer and is there.
    UnknownThere,
    /// A commit had no answer and is not there.
    UnknownGone,
    /// The fault.
    Fault,
}
