//! Options of `dbdyno fleet` and `dbdyno agent`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::run::RunArguments;
use super::value;

/// Upper limit of `--agents`.
const AGENTS_MAX: u32 = 300;

const CHECK_EXAMPLES: &str = "\
Examples:
  dbdyno fleet check --agents 3      three agents on this machine

The messages go through a program nats-server on this machine (Debian: package nats-server), which is
started and ended with the check. Nothing is measured, and no file is written.";

const RUN_EXAMPLES: &str = "\
Examples:
  dbdyno fleet run --agents 3 --target local:postgres --tests T311 --jobs 6
                                     six sessions, two from each of three agents

Tests and probes of processors and memory are measured. The agents are processes on this machine: they show what
several clients do to a server, and no more processors than it has.";

/// Options of `dbdyno fleet`.
#[derive(Args, Debug)]
pub struct FleetArguments {
    /// What to do
    #[command(subcommand)]
    pub command: FleetCommand,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub enum FleetCommand {
    /// Ask agents for their versions and clocks, and let them start together once, without work
    Check(FleetCheckArguments),

    /// Measure as `run` does, with the jobs of each run spread over agents that start together
    Run(Box<FleetRunArguments>),
}

/// Options of `dbdyno fleet run`.
#[derive(Args, Debug)]
#[command(after_help = RUN_EXAMPLES)]
pub struct FleetRunArguments {
    /// Number of agents on this machine
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = value::count_32("agents", 1..=AGENTS_MAX))]
    pub agents: u32,

    #[command(flatten)]
    pub run: RunArguments,
}

/// Options of `dbdyno fleet check`.
#[derive(Args, Debug)]
#[command(after_help = CHECK_EXAMPLES)]
pub struct FleetCheckArguments {
    /// Number of agents on this machine
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = value::count_32("agents", 1..=AGENTS_MAX))]
    pub agents: u32,
}

/// Options of `dbdyno agent`.
#[derive(Args, Debug)]
pub struct AgentArguments {
    /// Read the ticket from the standard input: `-`, because a file or an argument may be read by others
    #[arg(long, value_name = "-", allow_hyphen_values = true)]
    pub join: String,

    /// Directory below which it makes one of its own, and removes it
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
}
