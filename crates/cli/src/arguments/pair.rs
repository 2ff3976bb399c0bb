//! What may stand behind `dbdyno pair`.

use super::value;
use model::Gate;
use record::Nanos;
use std::path::PathBuf;

use clap::Args;

use super::{PlacementArgument, PresetArgument};

const PAIR_EXAMPLES: &str = "\
Examples:
  dbdyno pair --a local:postgres --b 'local:postgres?wal_compression=on'
  dbdyno pair --a sqlite --b 'sqlite?page_size=4KiB' --tests T611,T716 --jobs 1
  dbdyno pair --a postgres://me@db1/shop --b postgres://me@db2/shop --pairs 20
  dbdyno pair --a local:postgres --b 'local:postgres?bin=/opt/pg19/bin' --fail-if 'slower>2%'

Both sides are opened, loaded with the same rows, and measured in turns, by lot one or the other first. So what
drifts on the machine meanwhile is no difference between them. Before the first pair and after the last one a probe
measures the machine itself; where that changed by more than 5 %, verdicts are in doubt and say so. A hash of what both
sides are asked stands in both records. Each side has a record of its own; `dbdyno compare` shows the two again. A
verdict needs 6 pairs at least.

Exit code: 0, whatever the verdicts are, and also where every test is INCOMPARABLE; with --fail-if 1 where it is met, and
where nothing was compared: no test has a verdict, as with the preset smoke, whose figures mean nothing; 1 where a side
fails; 2 for what cannot be paired, and for a condition on a test that is not planned; 130 after Ctrl-C.";

/// Options of `dbdyno pair`.
#[derive(Args, Debug)]
#[command(after_help = PAIR_EXAMPLES)]
pub struct PairArguments {
    /// Side A, which the other is held against: `sqlite`, `local:postgres`, or a URL
    #[arg(long, value_name = "TARGET", help_heading = "What")]
    pub a: String,
    /// Side B
    #[arg(long, value_name = "TARGET", help_heading = "What")]
    pub b: String,
    /// How many pairs of runs each test gets at each degree of parallelism
    #[arg(long, value_name = "N", default_value = "10", allow_hyphen_values = true, help_heading = "What", value_parser = value::repeats("pairs"))]
    pub pairs: u32,
    /// Codes, layers (cpu, server, storage, database), or test files of your own
    #[arg(
        long,
        value_name = "T611,server,...",
        value_delimiter = ',',
        default_value = "T611,T616,T716,T311",
        help_heading = "What"
    )]
    pub tests: Vec<String>,
    /// Degrees of parallelism [default: 1 and the processors]
    #[arg(long, short, value_name = "1,8", value_delimiter = ',', allow_hyphen_values = true, help_heading = "What", value_parser = value::degree("jobs"))]
    pub jobs: Option<Vec<u32>>,
    /// How long and how large
    #[arg(long, short, value_enum, default_value_t = PresetArgument::Quick, help_heading = "How long and how large")]
    pub preset: PresetArgument,
    /// Length of each measured window, seconds
    #[arg(long, short, value_name = "S", allow_hyphen_values = true, help_heading = "How long and how large", value_parser = value::window("seconds"))]
    pub seconds: Option<Nanos>,
    /// Length of each warm-up, seconds
    #[arg(long, value_name = "S", allow_hyphen_values = true, help_heading = "How long and how large", value_parser = value::warm_up)]
    pub warm_up: Option<Nanos>,
    /// Rows of the table that fits the engine's cache
    #[arg(long, value_name = "ROWS", allow_hyphen_values = true, help_heading = "How long and how large", value_parser = value::rows("small-rows"))]
    pub small_rows: Option<u64>,
    /// Rows of the table that should not fit it
    #[arg(long, value_name = "ROWS", allow_hyphen_values = true, help_heading = "How long and how large", value_parser = value::rows("large-rows"))]
    pub large_rows: Option<u64>,
    /// What data, keys, order and lot are drawn from
    #[arg(long, value_name = "N", default_value_t = 42, help_heading = "How long and how large")]
    pub seed: u64,
    /// Directory to measure; dbdyno works in a directory `dbdyno-data` below it, with a place for each side
    #[arg(long, short, value_name = "DIR", default_value = ".", help_heading = "Where")]
    pub dir: PathBuf,
    /// Which processors the jobs and a local server run on
    #[arg(long, value_enum, default_value_t = PlacementArgument::Kernel, help_heading = "Where")]
    pub placement: PlacementArgument,
    /// Where the records go: NAME.jsonl stands for NAME-a.jsonl and NAME-b.jsonl [default: ./dbdyno-TIME-HOST.jsonl]
    #[arg(long, value_name = "FILE", help_heading = "Where")]
    pub record: Option<PathBuf>,
    /// Do not look at what the sessions of the engine are doing meanwhile, ten times a second
    #[arg(long, help_heading = "What")]
    pub no_activity: bool,
    /// Fail (exit code 1) where B is slower: `slower>2%`, `T611:slower>5%`, `inconclusive`, with commas between several
    #[arg(long, value_name = "CONDITIONS", value_parser = value::gate)]
    pub fail_if: Option<Gate>,
    /// Print the comparison and nothing else
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the plan and stop
    #[arg(long)]
    pub dry_run: bool,
}
