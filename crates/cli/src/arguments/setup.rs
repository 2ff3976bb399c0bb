//! Options of every verb that measures through an engine.

use std::path::PathBuf;

use clap::Args;
use record::{Placement, Preset};
use run::{Result, Setup};

use super::choice;
use super::observe::ObserveArguments;
use crate::build::build;
use crate::new_record::record_path;

/// Where and how a verb measures.
#[derive(Args, Debug)]
#[command(next_help_heading = "Location")]
pub struct SetupArguments {
    /// Directory to measure; dbdyno works in a directory `dbdyno-data` below it
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// CPU pinning of the sessions and of a local server
    #[arg(long, default_value = "kernel", value_parser = choice::placement())]
    pub placement: Placement,
    /// Do not sample the sessions of the engine (10 samples per second)
    #[arg(long, help_heading = "Workload")]
    pub no_activity: bool,
}

impl SetupArguments {
    /// The setup of a measurement with the record at `record`, whose database is removed at the end.
    pub fn setup(&self, preset: Preset, seed: u64, record: PathBuf) -> Setup {
        let sample_sessions = !self.no_activity;
        Setup { placement: self.placement, sample_sessions, ..setup(self.dir.clone(), preset, seed, record) }
    }
}

/// Where a verb measures, who observes it, and where its record is.
#[derive(Args, Debug)]
pub struct PlaceArguments {
    #[command(flatten)]
    pub setup: SetupArguments,
    #[command(flatten)]
    pub observe: ObserveArguments,
    /// Path of the record [default: ./dbdyno-TIME-HOST.jsonl]
    #[arg(long, value_name = "FILE", help_heading = "Location")]
    pub record: Option<PathBuf>,
}

impl PlaceArguments {
    /// The setup of a measurement with a new record.
    ///
    /// # Errors
    /// Where the record exists.
    pub fn setup(&self, preset: Preset, seed: u64) -> Result<Setup> {
        Ok(self.setup.setup(preset, seed, record_path(self.record.as_deref())?))
    }
}

/// The setup of a measurement without an engine, in `directory`.
pub fn setup(directory: PathBuf, preset: Preset, seed: u64, record: PathBuf) -> Setup {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    Setup { directory, preset, seed, record, version, build: Some(build()), ..Setup::default() }
}
