//! `dbdyno blocks`: random blocks through the engine.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::TypedValueParser;
use record::{Bytes, Nanos, Preset};
use run::{BlocksRequest, Context, Error, Fleet, Result, Setup, measure_blocks};
use workload::blocks::{BlocksSettings, Idle, Ignored, Mode, Wrong, assignments};

use crate::agents::{Agents, check_target, permitting};
use crate::arguments::choice;
use crate::arguments::output::OutputArguments;
use crate::arguments::setup::PlaceArguments;
use crate::arguments::value::{self, Setting, setting};
use crate::engines::engine;
use crate::measuring::{judge, measuring};
use crate::output::note;
use crate::sheet::{check_output, show};
use crate::target::target;

/// Limits of `--cache`.
const CACHE_BYTES: std::ops::RangeInclusive<u64> = 1_000_000..=1_000_000_000_000_000;

const BLOCKS_EXAMPLES: &str = "\
Examples:
  dbdyno blocks --target local:postgres --run-time 30     80M of blocks, 10 % updates, one session
  dbdyno blocks slob.conf --target local:mariadb          the settings of a slob.conf, unchanged
  dbdyno blocks slob.conf --run-time 60 --scale 2G --schemas 4 --threads 8
  dbdyno blocks --target local:postgres --cold            cold caches: each block is read from the device
  dbdyno blocks --target local:postgres --cache 16MiB,64MiB   one run per size of the buffer cache
  dbdyno blocks --target local:postgres --mode engine     the loop in a stored procedure: least CPU time

Each operation visits exactly --work-unit scattered blocks, reads or updates a row in each, and commits. The method is
that of SLOB by Kevin Closson, on every engine that stores rows in blocks. Options override the file. Values that
slob.conf has too are written as there: 80M, 2G and 1T of --scale are MiB, GiB and TiB. In sizes of --cache, MB and GB
are powers of 1000, MiB and GiB of 1024.";

/// Options of `dbdyno blocks`.
#[derive(Args, Debug)]
#[command(next_help_heading = "Workload", after_help = BLOCKS_EXAMPLES)]
pub struct BlocksArguments {
    /// Settings, in the format of a slob.conf
    #[arg(value_name = "slob.conf", help_heading = None)]
    pub file: Option<PathBuf>,
    /// The engine: `sqlite`, `local:postgres`, `local:mariadb`, `local:mysql`, or a URL
    #[arg(long, short, value_name = "TARGET", default_value = "sqlite")]
    pub target: String,
    /// Schemas: tables, each with sessions of its own [default: 1]
    #[arg(long, value_name = "N", value_parser = setting("SCHEMAS", "schemas"))]
    pub schemas: Option<Setting>,
    /// Sessions per schema (THREADS_PER_SCHEMA) [default: 1]
    #[arg(long, value_name = "N", value_parser = setting("THREADS_PER_SCHEMA", "threads"))]
    pub threads: Option<Setting>,
    /// Updates, percent of all operations (UPDATE_PCT) [default: 10]
    #[arg(long, value_name = "PERCENT", value_parser = setting("UPDATE_PCT", "update-pct"))]
    pub update_pct: Option<Setting>,
    /// Scans, percent of all reads (SCAN_PCT) [default: 0]
    #[arg(long, value_name = "PERCENT", value_parser = setting("SCAN_PCT", "scan-pct"))]
    pub scan_pct: Option<Setting>,
    /// Blocks per operation (WORK_UNIT) [default: 64]
    #[arg(long, value_name = "BLOCKS", value_parser = setting("WORK_UNIT", "work-unit"))]
    pub work_unit: Option<Setting>,
    /// Columns that an update changes, 2 or all 19 (REDO_STRESS) [default: lite]
    #[arg(long, value_name = "lite|heavy", value_parser = setting("REDO_STRESS", "redo-stress"))]
    pub redo_stress: Option<Setting>,
    /// Where the loop runs
    #[arg(long, default_value = "client", value_parser = mode())]
    pub mode: Mode,
    /// Blocks per schema, or a size in blocks of 8 KiB (SCALE) [default: 80M]
    #[arg(long, value_name = "BLOCKS|SIZE", help_heading = "Duration and size", value_parser = setting("SCALE", "scale"))]
    pub scale: Option<Setting>,
    /// Size of the scan table; 0 for none (SCAN_TABLE_SZ) [default: 1M]
    #[arg(long, value_name = "BLOCKS|SIZE", help_heading = "Duration and size", value_parser = setting("SCAN_TABLE_SZ", "scan-table-size"))]
    pub scan_table_size: Option<Setting>,
    /// Length of the window, seconds (RUN_TIME) [default: 300]
    #[arg(long, visible_short_alias = 'T', visible_aliases = ["seconds", "time", "duration"], value_name = "S", help_heading = "Duration and size", value_parser = setting("RUN_TIME", "run-time"))]
    pub run_time: Option<Setting>,
    /// Operations per session, instead of a run time (WORK_LOOP)
    #[arg(long, value_name = "N", help_heading = "Duration and size", value_parser = setting("WORK_LOOP", "work-loop"))]
    pub work_loop: Option<Setting>,
    /// Length of the warm-up, seconds [default: a quarter of the window, at most 5]
    #[arg(long, value_name = "S", help_heading = "Duration and size", value_parser = value::warm_up)]
    pub warm_up: Option<Nanos>,
    /// Parallel load sessions (LOAD_PARALLEL_DEGREE) [default: 2]
    #[arg(long, value_name = "N", help_heading = "Duration and size", value_parser = setting("LOAD_PARALLEL_DEGREE", "load-parallel-degree"))]
    pub load_parallel_degree: Option<Setting>,
    /// Sizes of the engine's buffer cache, one run each; only for a temporary server, which is restarted
    #[arg(long, value_name = "SIZE,SIZE,...", value_delimiter = ',', help_heading = "Caches", value_parser = value::bytes("cache", CACHE_BYTES))]
    pub cache: Vec<Bytes>,
    /// Start with cold caches (engine and page cache) and visit no block twice
    #[arg(long, help_heading = "Caches")]
    pub cold: bool,
    /// Send one operation in --hotspot-frequency to a hot spot of each schema (DO_HOTSPOT)
    #[arg(long, help_heading = "Hot spots and think time")]
    pub hotspot: bool,
    /// Size of the hot spot, MiB (HOTSPOT_MB) [default: 8]
    #[arg(long, value_name = "MIB", help_heading = "Hot spots and think time", value_parser = setting("HOTSPOT_MB", "hotspot-mb"))]
    pub hotspot_mb: Option<Setting>,
    /// Offset of the hot spot, MiB (HOTSPOT_OFFSET_MB) [default: 16]
    #[arg(long, value_name = "MIB", help_heading = "Hot spots and think time", value_parser = setting("HOTSPOT_OFFSET_MB", "hotspot-offset-mb"))]
    pub hotspot_offset_mb: Option<Setting>,
    /// One operation in N goes to the hot spot (HOTSPOT_FREQUENCY) [default: 3]
    #[arg(long, value_name = "N", help_heading = "Hot spots and think time", value_parser = setting("HOTSPOT_FREQUENCY", "hotspot-frequency"))]
    pub hotspot_frequency: Option<Setting>,
    /// One operation in N goes to the first schema (HOT_SCHEMA_FREQUENCY) [default: none]
    #[arg(long, value_name = "N", help_heading = "Hot spots and think time", value_parser = setting("HOT_SCHEMA_FREQUENCY", "hot-schema-frequency"))]
    pub hot_schema_frequency: Option<Setting>,
    /// Think time before one operation in N (THINK_TM_FREQUENCY) [default: never]
    #[arg(long, value_name = "N", help_heading = "Hot spots and think time", value_parser = setting("THINK_TM_FREQUENCY", "think-frequency"))]
    pub think_frequency: Option<Setting>,
    /// Minimum think time, seconds (THINK_TM_MIN) [default: 0.1]
    #[arg(long, value_name = "S", help_heading = "Hot spots and think time", value_parser = setting("THINK_TM_MIN", "think-min"))]
    pub think_min: Option<Setting>,
    /// Maximum think time, seconds (THINK_TM_MAX) [default: 0.5]
    #[arg(long, value_name = "S", help_heading = "Hot spots and think time", value_parser = setting("THINK_TM_MAX", "think-max"))]
    pub think_max: Option<Setting>,
    /// Random texts that storage can neither compress nor deduplicate (OBFUSCATE_COLUMNS)
    #[arg(long)]
    pub obfuscate: bool,
    /// Threads of dbdyno that the sessions share, where they are more (PostgreSQL, MariaDB, MySQL)
    /// [default: with a server on another host one for each processor, otherwise one for each session]
    #[arg(long, value_name = "N", value_parser = value::client_threads())]
    pub client_threads: Option<u32>,
    #[command(flatten)]
    pub place: PlaceArguments,
    /// Keep the database; a later run with the same seed and scale uses its tables again
    #[arg(long, help_heading = "Location")]
    pub keep: bool,
    /// Seed of all random data and keys
    #[arg(long, value_name = "N", default_value_t = 42, help_heading = "Duration and size")]
    pub seed: u64,
    /// Skip the storage probe before the run; runs shorter than 2 s have none either
    #[arg(long, help_heading = None)]
    pub no_probe: bool,
    /// Output
    #[command(flatten)]
    pub output: OutputArguments,
}

/// Where the loop runs.
fn mode() -> impl TypedValueParser<Value = Mode> {
    choice::of([
        ("client", "In the client: one statement per operation", Mode::Client),
        ("engine", "In the engine: a stored procedure executes batches of operations", Mode::Engine),
    ])
}

/// Upper limit of a settings file.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Upper limit of the number of cache sizes.
const CACHES_MAX: usize = 64;

/// Carries out `dbdyno blocks`.
///
/// # Errors
/// The user's mistakes, the environment's refusals, Ctrl-C, and runs that failed.
pub fn blocks(arguments: &BlocksArguments) -> Result<()> {
    blocks_by(arguments, None)
}

/// The same, with the sessions spread over `agents`.
///
/// # Errors
/// As [`blocks()`], and where the agents cannot be started.
pub fn blocks_by(arguments: &BlocksArguments, agents: Option<&Agents>) -> Result<()> {
    let settings = settings(arguments)?;
    let target = target(&arguments.target)?;
    engine(&target)?;
    if agents.is_some() {
        check_target(&target)?;
    }
    let request = BlocksRequest {
        setup: Setup {
            keep: arguments.keep,
            client_threads: arguments.client_threads,
            ..arguments.place.setup(Preset::Quick, arguments.seed)?
        },
        settings,
        mode: arguments.mode,
        cold: arguments.cold,
        caches: caches(&arguments.cache)?,
        page_cached: None,
        warm_up: arguments.warm_up,
        probes: !arguments.no_probe,
    };
    check_output(&arguments.output)?;
    let measured = measuring(arguments.output.quiet, |measuring| {
        let fleet = measuring.deploy(agents, &request.setup.directory, &permitting(&target))?;
        let fleet = fleet.as_ref().map(|(deployment, _)| deployment as &dyn Fleet);
        measuring.observing(&arguments.place.observe, &target, |context| {
            measure_blocks(&request, Context { fleet, ..context })
        })
    })?;
    show(&measured, &arguments.output)?;
    judge(measured)
}

/// The settings of the file, if any, overridden by the options.
fn settings(arguments: &BlocksArguments) -> Result<BlocksSettings> {
    let mut settings = BlocksSettings::default();
    let of_file = match &arguments.file {
        Some(path) => read(path, &mut settings, arguments.output.quiet)?,
        None => Vec::new(),
    };
    let mut of_options = Vec::new();
    let switch = |name, option, is_on: bool| is_on.then(|| Setting { name, option, value: "TRUE".to_owned() });
    let given = [
        &arguments.schemas,
        &arguments.threads,
        &arguments.update_pct,
        &arguments.scan_pct,
        &arguments.work_unit,
        &arguments.redo_stress,
        &arguments.scale,
        &arguments.scan_table_size,
        &arguments.run_time,
        &arguments.work_loop,
        &arguments.load_parallel_degree,
        &arguments.hotspot_mb,
        &arguments.hotspot_offset_mb,
        &arguments.hotspot_frequency,
        &arguments.hot_schema_frequency,
        &arguments.think_frequency,
        &arguments.think_min,
        &arguments.think_max,
        &switch("DO_HOTSPOT", "hotspot", arguments.hotspot),
        &switch("OBFUSCATE_COLUMNS", "obfuscate", arguments.obfuscate),
    ];
    for Setting { name, option, value } in given.into_iter().flatten() {
        settings.set(name, option, value).map_err(wrong)?;
        of_options.push((*name, *option));
    }
    if arguments.run_time.is_some() && arguments.work_loop.is_none() {
        // --run-time overrides WORK_LOOP of the file.
        settings.work_loop = 0;
    }
    settings.check().map_err(wrong)?;
    let idle = settings.idle();
    refuse_idle(&idle, &of_options)?;
    if let Some(path) = arguments.file.as_ref().filter(|_| !arguments.output.quiet) {
        note_idle(&idle, &of_file, path);
    }
    Ok(settings)
}

/// Refuses an option without effect; `given` are pairs of setting and option.
fn refuse_idle(idle: &[Idle], given: &[(&str, &str)]) -> Result<()> {
    let of = |idle: &Idle| given.iter().find(|(name, _)| idle.names.contains(name)).map(|(_, option)| *option);
    match idle.iter().find_map(|idle| Some((idle, of(idle)?))) {
        Some((idle, option)) => Err(Error::user(format!("--{option} has no effect: {}", idle.reason)).hint(idle.hint)),
        None => Ok(()),
    }
}

/// Notes which settings of the file have no effect; a slob.conf usually has all settings.
fn note_idle(idle: &[Idle], given: &[String], path: &Path) {
    for idle in idle {
        let names: Vec<&str> = idle.names.iter().copied().filter(|name| given.iter().any(|one| one == name)).collect();
        if !names.is_empty() {
            let verb = if names.len() == 1 { "has" } else { "have" };
            note(&format!("{}: {} {verb} no effect: {}", path.display(), names.join(", "), idle.reason));
        }
    }
}

fn wrong(wrong: Wrong) -> Error {
    Error::user(wrong.message).hint(wrong.hint)
}

/// Reads the settings of the file at `path`, notes those that are not supported, and returns all names.
fn read(path: &Path, settings: &mut BlocksSettings, quiet: bool) -> Result<Vec<String>> {
    let shown = path.display();
    let hint = "give a file of lines such as UPDATE_PCT=30";
    if fs::metadata(path).is_ok_and(|file| file.len() > FILE_BYTES_MAX) {
        return Err(Error::user(format!("{shown} has more than {FILE_BYTES_MAX} bytes")).hint(hint));
    }
    let text = fs::read_to_string(path)
        .map_err(|error| Error::user(format!("settings {shown} cannot be read: {error}")).hint(hint))?;
    let assignments = assignments(&text).map_err(|error| Error::user(format!("{shown}, {error}")).hint(error.hint))?;
    let ignored = settings
        .set_all(&assignments)
        .map_err(|wrong| Error::user(format!("{shown}, {}", wrong.message)).hint(wrong.hint))?;
    for Ignored { line, name, reason } in ignored.iter().filter(|_| !quiet) {
        note(&format!("{shown}, line {line}: {name} is ignored: {reason}"));
    }
    Ok(assignments.into_iter().map(|assignment| assignment.name).collect())
}

/// Checks the number of cache sizes.
fn caches(sizes: &[Bytes]) -> Result<Vec<Bytes>> {
    match sizes.len() > CACHES_MAX {
        true => {
            Err(Error::user(format!("{} cache sizes are more than {CACHES_MAX}", sizes.len())).hint("give fewer sizes"))
        }
        false => Ok(sizes.to_vec()),
    }
}
