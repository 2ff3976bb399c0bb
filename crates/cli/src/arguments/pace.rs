//! Options of the pace: when steps are due, what is searched for, which hardware threads are used.

use super::value::{self, Rate};
use clap::{Args, ValueEnum};
use model::Bound;
use record::Nanos;

use super::Arrival;

/// When steps are due.
#[derive(Args, Debug)]
pub struct PaceArguments {
    /// Steps per second of all jobs together (or 6000/min), or shares of what the same test reaches as fast as possible, such as 50%;
    /// several are a sweep
    #[arg(
        long,
        value_name = "R,50%,...",
        value_delimiter = ',',
        allow_hyphen_values = true,
        group = "arrivals",
        help_heading = "When steps are due", value_parser = value::rate_or_share)]
    pub rate: Vec<Rate>,
    /// Search the highest rate that keeps a level of the response time: p99=5ms, p99.9=50ms, mean=500us; with its interval,
    /// and confirmed 10 % above [at --jobs, default: twice the processors]
    #[arg(
        long,
        value_name = "LEVEL",
        group = "arrivals",
        conflicts_with = "repeats",
        help_heading = "When steps are due", value_parser = value::bound)]
    pub until: Option<Bound>,
    /// How the steps of --rate or --until arrive
    #[arg(
        long,
        value_enum,
        default_value_t = Arrival::Poisson,
        requires = "arrivals",
        help_heading = "When steps are due"
    )]
    pub arrival: Arrival,
    /// The same as --arrival poisson
    #[arg(long, requires = "arrivals", conflicts_with = "arrival", help_heading = "When steps are due")]
    pub poisson: bool,
    /// Wait of each job between two steps, such as 10ms; several are a sweep
    #[arg(
        long,
        value_name = "TIME,...",
        value_delimiter = ',',
        allow_hyphen_values = true,
        visible_alias = "think",
        conflicts_with = "arrivals",
        help_heading = "When steps are due", value_parser = value::think_time)]
    pub think_time: Vec<Nanos>,
    /// Hardware threads that jobs and a server of dbdyno's own use: all, one of each core, or both in turn
    #[arg(long, value_enum, help_heading = "Where")]
    pub smt: Option<Smt>,
}

/// Which hardware threads are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Smt {
    /// All
    On,
    /// One of each core
    Off,
    /// Every run on all, then on one of each core
    Both,
}
