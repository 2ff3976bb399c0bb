//! Options of `dbdyno fleet` and `dbdyno agent`.

use clap::{Args, Subcommand};

use super::value;

/// Upper limit of `--agents`.
const AGENTS_MAX: u32 = 300;

const CHECK_EXAMPLES: &str = "\
Examples:
  dbdyno fleet check --agents 3      three agents on this machine

The messages go through a program nats-server on this machine (Debian: package nats-server), which is
started and ended with the check. Nothing is measured, and no file is written.";

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
}
