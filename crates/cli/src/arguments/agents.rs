//! Options about where the agents of a fleet are.

use std::path::PathBuf;

use clap::Args;

use super::value;

/// Upper limit of `--agents`.
pub const AGENTS_MAX: u32 = 300;

/// Where the agents are.
#[derive(Args, Clone, Debug)]
#[group(required = true, multiple = false)]
pub struct AgentsArguments {
    /// Number of agents on this machine
    #[arg(long, value_name = "N", value_parser = value::count_32("agents", 1..=AGENTS_MAX))]
    pub agents: Option<u32>,
    /// File with a host on each line, which gets an agent: a destination of ssh, then options name=NAME, dir=DIR,
    /// program=PATH (one that is there), via="COMMAND ..." (in place of ssh), under="COMMAND ..." (on the host)
    #[arg(long, value_name = "FILE")]
    pub hosts: Option<PathBuf>,
}
