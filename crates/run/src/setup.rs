//! What every kind of run is asked for.

use std::path::PathBuf;

use record::{Build, Placement, Preset};

use crate::durability_proof::DurabilityProofFile;

/// A log with a line for each execution of a script.
#[derive(Clone, Debug, PartialEq)]
pub struct LogRequest {
    /// Its file; of several runs each has its number behind the name.
    pub path: PathBuf,
    /// Share of the executions that have a line, each chosen at random: in [0, 1].
    pub sampled: f64,
}

/// Where and how any kind of run is carried out, and what its record says of the program.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Directory below which the measured directory is made.
    pub directory: PathBuf,
    /// Preset of durations and sizes, among them the cache size of a temporary server.
    pub preset: Preset,
    /// Seed of all data and keys, and of the order of repeats.
    pub seed: u64,
    /// Placement of jobs on processors.
    pub placement: Placement,
    /// Whether the sessions of the engine are sampled during runs.
    pub sample_sessions: bool,
    /// Where the executions of the user's scripts have a line each; absent where nowhere.
    pub script_log: Option<LogRequest>,
    /// Threads that the jobs of a run share; absent for the default.
    pub client_threads: Option<u32>,
    /// A proof of durability of the engine with the settings that it has here; absent for none.
    pub durability: Option<DurabilityProofFile>,
    /// Whether the database is kept.
    pub keep: bool,
    /// Whether each node is a database of its own, one for each agent of a fleet.
    pub database_per_agent: bool,
    /// Path of the record; that of side A in a comparison in pairs.
    pub record: PathBuf,
    /// The version of the program, for the record.
    pub version: String,
    /// What the program was built from and with, for the record.
    pub build: Option<Build>,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            directory: PathBuf::from("."),
            preset: Preset::Quick,
            seed: 42,
            placement: Placement::Kernel,
            sample_sessions: false,
            script_log: None,
            client_threads: None,
            durability: None,
            keep: false,
            database_per_agent: false,
            record: PathBuf::new(),
            version: String::new(),
            build: None,
        }
    }
}

#[cfg(test)]
impl Setup {
    /// Small, in the current directory, by a program without a version.
    pub(crate) fn smoke() -> Setup {
        Setup { preset: Preset::Smoke, record: "r.json".into(), version: "0".to_owned(), ..Setup::default() }
    }
}
