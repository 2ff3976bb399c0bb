//! Options of every verb that measures through an engine.

use std::path::PathBuf;

use clap::Args;
use record::Preset;
use run::Setup;

use super::choice::PlacementArgument;
use crate::build::build;

/// Where and how a verb measures.
#[derive(Args, Debug)]
pub struct SetupArguments {
    /// Directory to measure; dbdyno works in a directory `dbdyno-data` below it
    #[arg(long, short, value_name = "DIR", default_value = ".", help_heading = "Location")]
    pub dir: PathBuf,
    /// CPU pinning of the sessions and of a local server
    #[arg(long, value_enum, default_value_t = PlacementArgument::Kernel, help_heading = "Location")]
    pub placement: PlacementArgument,
    /// Do not sample the sessions of the engine (10 samples per second)
    #[arg(long, help_heading = "Workload")]
    pub no_activity: bool,
}

impl SetupArguments {
    /// The setup of a measurement with the record at `record`, whose database is removed at the end.
    pub fn setup(&self, preset: Preset, seed: u64, record: PathBuf) -> Setup {
        let (placement, sample_sessions) = (self.placement.into(), !self.no_activity);
        Setup { placement, sample_sessions, ..setup(self.dir.clone(), preset, seed, record) }
    }
}

/// The setup of a measurement without an engine, in `directory`.
pub fn setup(directory: PathBuf, preset: Preset, seed: u64, record: PathBuf) -> Setup {
    Setup {
        directory,
        preset,
        seed,
        placement: record::Placement::Kernel,
        sample_sessions: false,
        client_threads: None,
        keep: false,
        database_per_agent: false,
        record,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: Some(build()),
    }
}
