//! Options of a production load in kind.

use std::path::PathBuf;

use base::{Wrong, quantity};
use clap::Args;
use clap::builder::TypedValueParser;
use record::LoadLevel;

use super::choice;

/// How many times as much of a load is asked, at most.
const TIMES_MAX: f64 = 1_000.0;

/// Options of a production load in kind.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Replay in kind")]
pub struct LikeArguments {
    /// Measure the platform with the mixture of this production load: its reads, commits, log and sessions at the rates of its
    /// peak, in an open loop. Files that `dbdyno size` reads; may be repeated for those of one load
    #[arg(long, value_name = "LOAD")]
    pub like: Vec<PathBuf>,
    /// The level of the load that is asked, each quantity at its own
    #[arg(long, value_name = "LEVEL", default_value = "peak", requires = "like", value_parser = level())]
    pub at: LoadLevel,
    /// So many times as much of the load
    #[arg(long, value_name = "TIMES", default_value_t = 1.0, requires = "like", value_parser = times)]
    pub times: f64,
    /// A record that predicts the times: those that it has at such rates are shown beside [default: the other tests of this record]
    #[arg(long, value_name = "RECORD", requires = "like")]
    pub on: Option<PathBuf>,
}

/// Levels of a load.
fn level() -> impl TypedValueParser<Value = LoadLevel> {
    choice::of([
        ("p95", "What is not exceeded for 95 % of the time", LoadLevel::P95),
        ("p99", "What is not exceeded for 99 % of the time", LoadLevel::P99),
        ("max", "The average of the highest interval", LoadLevel::Max),
        ("peak", "The largest part of an interval that the load tells, or else as max", LoadLevel::Peak),
    ])
}

/// How many times as much.
fn times(text: &str) -> Result<f64, Wrong> {
    let times = quantity::number(text.trim()).filter(|times| *times > 0.0 && *times <= TIMES_MAX);
    times.ok_or_else(|| {
        Wrong::new("times", text, "is not a number of times above 0 and at most 1000", "write it as 1.5")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_asked_at_least_a_little_of() {
        assert_eq!([times("1.5").unwrap(), times("0.1").unwrap()], [1.5, 0.1]);
        assert!(["0", "-1", "1001", "x", "nan", ""].iter().all(|text| times(text).is_err()));
    }
}
