//! Options of `dbdyno pair`.

use std::path::PathBuf;

use clap::Args;
use model::Gate;
use record::{Nanos, Preset};
use run::LoadBesideRequest;

use super::choice;
use super::load_beside;
use super::output::OutputArguments;
use super::script::ScriptArguments;
use super::setup::SetupArguments;
use super::value;

const PAIR_EXAMPLES: &str = "\
Examples:
  dbdyno pair --a local:postgres --b 'local:postgres?wal_compression=on'
  dbdyno pair --a sqlite --b 'sqlite?page_size=4KiB' --tests T611,T716 --jobs 1
  dbdyno pair --a postgres://me@db1/shop --b postgres://me@db2/shop --pairs 20
  dbdyno pair --a local:postgres --b local:postgres --tests C100 --jobs 4 --b-load-beside H100:jobs=1   what C100 loses to H100
  dbdyno pair --a local:postgres --b 'local:postgres?jit=off' --script mine.sql --initialize
  dbdyno pair --a local:postgres --b 'local:postgres?bin=/opt/pg19/bin' --fail-if 'slower>2%'

Both sides are loaded with the same rows and measured alternately, in randomized order, so that drift of the machine is
not taken for a difference between them. A control probe measures the machine before the first pair and after the last
one; if it changed by more than 5 %, verdicts carry a warning. Both records contain a hash of the common workload. Each
side has its own record; `dbdyno compare` compares the two again. A verdict needs at least 6 pairs.

Exit code: 0, whatever the verdicts are, also if every test is INCOMPARABLE; with --fail-if, 1 if a condition is met or
no test has a verdict, as with the preset smoke, whose figures mean nothing; 1 if a side fails; 2 for targets that cannot
be paired, and for a condition on a test that is not planned; 130 after Ctrl-C.";

/// Options of `dbdyno pair`.
#[derive(Args, Debug)]
#[command(next_help_heading = "Workload", after_help = PAIR_EXAMPLES)]
pub struct PairArguments {
    /// Side A, the base: `sqlite`, `local:postgres`, or a URL
    #[arg(long, value_name = "TARGET")]
    pub a: String,
    /// Side B
    #[arg(long, value_name = "TARGET")]
    pub b: String,
    /// Pairs of runs of each test at each degree of parallelism
    #[arg(long, value_name = "N", default_value = "10", value_parser = value::repeats("pairs"))]
    pub pairs: u32,
    /// Codes, layers (cpu, server, storage, database), or your own test files [default: T611,T616,T716,T311; none with scripts]
    #[arg(long, value_name = "T611,server,...", value_delimiter = ',')]
    pub tests: Vec<String>,
    /// Have another test at work beside each run of side B, with jobs of its own, and a rate in steps per second of all of them
    /// together: the change from A is what the measured tests lose to it; may be repeated
    #[arg(long, value_name = "TEST:jobs=N[,rate=R]", value_parser = load_beside::load)]
    pub b_load_beside: Vec<LoadBesideRequest>,
    /// The same of side A
    #[arg(long, value_name = "TEST:jobs=N[,rate=R]", value_parser = load_beside::load)]
    pub a_load_beside: Vec<LoadBesideRequest>,
    /// Scripts of pgbench
    #[command(flatten)]
    pub scripts: ScriptArguments,
    /// Degrees of parallelism [default: 1 and the processors]
    #[arg(long, short, visible_short_alias = 'c', visible_aliases = ["clients", "threads"], value_name = "1,8", value_delimiter = ',', value_parser = value::degree("jobs"))]
    pub jobs: Option<Vec<u32>>,
    /// Threads of dbdyno that the sessions of each side share, where they are more (PostgreSQL, MariaDB, MySQL)
    /// [default: with one server on another host one for each processor, otherwise one for each job]
    #[arg(long, value_name = "N", value_parser = value::client_threads())]
    pub client_threads: Option<u32>,
    /// Duration and size of the measurement
    #[arg(long, short, default_value = "quick", help_heading = "Duration and size", value_parser = choice::preset())]
    pub preset: Preset,
    /// Length of each measured window, seconds
    #[arg(long, short, visible_short_alias = 'T', visible_aliases = ["time", "duration"], value_name = "S", help_heading = "Duration and size", value_parser = value::window("seconds"))]
    pub seconds: Option<Nanos>,
    /// Length of each warm-up, seconds
    #[arg(long, value_name = "S", help_heading = "Duration and size", value_parser = value::warm_up)]
    pub warm_up: Option<Nanos>,
    /// Rows of the table that fits the engine's cache
    #[arg(long, value_name = "ROWS", help_heading = "Duration and size", value_parser = value::rows("small-rows"))]
    pub small_rows: Option<u64>,
    /// Rows of the table that does not fit it
    #[arg(long, value_name = "ROWS", help_heading = "Duration and size", value_parser = value::rows("large-rows"))]
    pub large_rows: Option<u64>,
    /// Warehouses of the order mixes (C100, C110) [default: as the preset says]
    #[arg(long, value_name = "N", help_heading = "Duration and size", value_parser = value::warehouses)]
    pub warehouses: Option<u64>,
    /// Seed of data, keys and order
    #[arg(long, value_name = "N", default_value_t = 42, help_heading = "Duration and size")]
    pub seed: u64,
    #[command(flatten)]
    pub setup: SetupArguments,
    /// Path of the records: NAME.jsonl gives NAME-a.jsonl and NAME-b.jsonl [default: ./dbdyno-TIME-HOST.jsonl]
    #[arg(long, value_name = "FILE", help_heading = "Location")]
    pub record: Option<PathBuf>,
    /// Fail (exit code 1) if B is slower: `slower>2%`, `T611:slower>5%`, `inconclusive`, comma-separated
    #[arg(long, value_name = "CONDITIONS", value_parser = value::gate, help_heading = None)]
    pub fail_if: Option<Gate>,
    /// Output
    #[command(flatten)]
    pub output: OutputArguments,
    /// Print the plan and exit
    #[arg(long, help_heading = None)]
    pub dry_run: bool,
}
