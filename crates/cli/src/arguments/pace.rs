//! Options of the arrival rate, of the search for a rate, and of hardware threads.

use clap::{Args, ValueEnum};
use model::Bound;
use record::{Arrival, Nanos};

use super::choice;
use super::value::{self, Rate};

/// Arrival rate, search, and hardware threads.
#[derive(Args, Debug)]
#[command(next_help_heading = "Arrival rate")]
pub struct PaceArguments {
    /// Steps per second of all jobs together (or 6000/min), or shares of the closed-loop rate of the same test, such as
    /// 50%; several are a sweep
    #[arg(long, value_name = "R,50%,...", value_delimiter = ',', group = "arrivals", value_parser = value::rate_or_share)]
    pub rate: Vec<Rate>,
    /// Find the highest rate that meets a service level of the response time: p99=5ms, p99.9=50ms, mean=500us; with its
    /// interval, and confirmed 10 % above [at --jobs, default: twice the processors]
    #[arg(long, value_name = "LEVEL", group = "arrivals", conflicts_with = "repeats", value_parser = value::bound)]
    pub until: Option<Bound>,
    /// Arrival process of --rate and --until
    #[arg(long, default_value = "poisson", requires = "arrivals", value_parser = choice::arrival())]
    pub arrival: Arrival,
    /// The same as --arrival poisson
    #[arg(long, requires = "arrivals", conflicts_with = "arrival")]
    pub poisson: bool,
    /// Think time of each job between two steps, such as 10ms; several are a sweep
    #[arg(long, value_name = "TIME,...", value_delimiter = ',', visible_alias = "think", conflicts_with = "arrivals", value_parser = value::think_time)]
    pub think_time: Vec<Nanos>,
    /// Hardware threads of jobs and of a temporary server: all, one per core, or both in turn
    #[arg(long, value_enum, help_heading = "Location")]
    pub smt: Option<Smt>,
}

/// Use of hardware threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Smt {
    /// All
    On,
    /// One per core
    Off,
    /// Every run on all, then on one per core
    Both,
}
