//! `dbdyno size`: what the production load of today needs of a platform that was measured.

mod platform;
mod watching;

use std::fs::File;
use std::path::{Path, PathBuf};

use ::history::Names;
use clap::{Args, Subcommand, ValueEnum};
use model::sizing::{Growth, Sizing, history, size};
use record::LoadProfile;
use report::SizingView;
use run::{Error, Result};

use self::watching::SizeWatchArguments;
use crate::arguments::value;
use crate::engines::ENGINES;
use crate::load_files::{is_own, load};
use crate::output::{print, print_data, style, width};
use crate::page::write_page;

const EXAMPLES: &str = "\
Examples:
  dbdyno size watch postgres://me@db1/shop --for 1h --save load.json
                                        the load of a live server, read only
  dbdyno size queries postgres          statements that dump the counters, for where dbdyno may not connect
  dbdyno size awr_*.html sa15.json      files of others: AWR and Statspack reports, AWR Miner, dumps of pg_stat
                                        views and of the global status, sadf -j, sar, iostat -x -t, pgBadger
  dbdyno size load.json                 the load: peaks, hours of the day, what is missing
  dbdyno size load.json --on new.jsonl  what it needs of a platform that was measured
  dbdyno size load.json --on new.jsonl --from old.jsonl --growth 30%/y --years 3
                                        processors by both sheets, and in three years
  dbdyno size load.json --on a.jsonl --on hp-dl980 --on planned.toml --html sizing.html
                                        several platforms side by side

Each resource is held against the highest rate that the platform showed. Times are those that were measured at such a
rate or the next higher one; beyond what was measured nothing is known, and nothing is extrapolated.";

/// Options of `dbdyno size`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = EXAMPLES)]
pub struct SizeArguments {
    /// What is done instead.
    #[command(subcommand)]
    pub command: Option<SizeCommand>,
    /// Sizing
    #[command(flatten)]
    pub sizing: SizingArguments,
}

/// What is done instead of sizing.
#[derive(Debug, Subcommand)]
pub enum SizeCommand {
    /// Watch a live server and write its load to a file, read only
    Watch(Box<SizeWatchArguments>),
    /// Print the statements that dump the counters of a server, for where dbdyno may not connect
    Queries(SizeQueriesArguments),
}

/// Options of `dbdyno size queries`.
#[derive(Args, Debug)]
pub struct SizeQueriesArguments {
    /// The engine
    #[arg(value_name = "ENGINE")]
    pub engine: String,
}

/// Options of sizing.
#[derive(Args, Debug)]
pub struct SizingArguments {
    /// Files of the load, of one database: all of them make one history. Their form is told by their content
    #[arg(value_name = "LOAD", required = true)]
    pub loads: Vec<PathBuf>,
    /// A platform: a record, the name of a published system, or a planned platform (TOML); may be given several times
    #[arg(long, value_name = "RECORD|SYSTEM|PLATFORM")]
    pub on: Vec<String>,
    /// The sheet of the old platform, a record or a published system: processors are held against each other by what both
    /// were measured with
    #[arg(long, value_name = "RECORD|SYSTEM", requires = "on")]
    pub from: Option<String>,
    /// Growth of the load each year, such as `30%/y`
    #[arg(long, value_name = "PERCENT", value_parser = value::growth, requires = "years")]
    pub growth: Option<f64>,
    /// Years that are planned for
    #[arg(long, value_name = "YEARS", value_parser = value::years, requires = "growth")]
    pub years: Option<f64>,
    /// Price books, one per platform in the same order; `-` for none
    #[arg(long, value_name = "FILE,...", value_delimiter = ',', requires = "on")]
    pub prices: Vec<PathBuf>,
    /// Output format
    #[arg(long, short, value_enum, default_value_t = SizeFormat::Text)]
    pub format: SizeFormat,
    /// Write an HTML page instead of printing
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    pub html: Option<PathBuf>,
    /// Also write the load of all files as one load profile, to give away
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Keep the names of hosts and databases in what is written with --save
    #[arg(long, requires = "save")]
    pub names: bool,
}

/// Formats of a sizing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SizeFormat {
    /// Human-readable
    Text,
    /// Markdown
    Markdown,
    /// JSON
    Json,
}

/// Platforms, at most.
const PLATFORMS_MAX: usize = 26;

/// Carries out `dbdyno size`.
///
/// # Errors
/// The user's mistakes, and the environment's refusals.
pub fn command(arguments: &SizeArguments) -> Result<()> {
    match &arguments.command {
        Some(SizeCommand::Watch(arguments)) => watching::watch(arguments),
        Some(SizeCommand::Queries(arguments)) => queries(&arguments.engine),
        None => sizing(&arguments.sizing),
    }
}

fn queries(name: &str) -> Result<()> {
    let known: Vec<&str> =
        ENGINES.iter().filter(|engine| engine.statistics_script().is_some()).map(|engine| engine.name()).collect();
    let script = ENGINES.iter().find(|engine| engine.name() == name).and_then(|engine| engine.statistics_script());
    match script {
        Some(script) => print_data(script),
        None => Err(Error::user(format!("engine {name} has no statements that dump its counters"))
            .hint(format!("known: {}; reports of Oracle are AWR and Statspack", known.join(", ")))),
    }
}

fn sizing(arguments: &SizingArguments) -> Result<()> {
    if arguments.on.len() > PLATFORMS_MAX {
        let message = format!("{} platforms are given, at most {PLATFORMS_MAX} are compared", arguments.on.len());
        return Err(Error::user(message).hint("give fewer --on"));
    }
    let names = if arguments.names { Names::Kept } else { Names::Hidden };
    let profile = load(&arguments.loads, names)?;
    if let Some(path) = &arguments.save {
        let given = if arguments.names { profile.clone() } else { without_names(&profile) };
        save(path, &given)?;
    }
    let history = history(&profile);
    let growth = match (arguments.growth, arguments.years) {
        (Some(per_year), Some(years)) => Growth { per_year, years },
        _ => Growth::NONE,
    };
    let old = arguments.from.as_deref().map(platform::sheet).transpose()?;
    let old_sheet = arguments.from.as_deref();
    let platforms = platform::platforms(arguments, &profile, &history, old.as_ref(), growth)?;
    let sizings: Vec<Sizing> = platforms.into_iter().map(|platform| size(&history, platform, growth)).collect();
    let view = SizingView { profile: &profile, history: &history, sizings: &sizings, growth, old_sheet };
    match &arguments.html {
        Some(file) => write_page(file, &report::sizing(&view).html()),
        None => match arguments.format {
            SizeFormat::Text => print(&report::sizing(&view).text(style(), width())),
            SizeFormat::Markdown => print_data(&report::sizing(&view).markdown()),
            SizeFormat::Json => print_data(&report::sizing_json(&view)),
        },
    }
}

/// `profile` without names of hosts, instances and databases.
fn without_names(profile: &LoadProfile) -> LoadProfile {
    let mut profile = profile.clone();
    profile.sources.iter_mut().for_each(|source| source.database_name = None);
    for instance in &mut profile.instances {
        (instance.name, instance.host_name) = (None, None);
    }
    profile
}

/// Writes `profile` to `path`. Only an existing load profile is overwritten.
///
/// # Errors
/// Where the file is something else, and where it cannot be written.
fn save(path: &Path, profile: &LoadProfile) -> Result<()> {
    check_place(path)?;
    store::write_load_profile(path, profile).map_err(Error::from)
}

/// Refuses a file that exists and is no load profile.
///
/// # Errors
/// Where it is something else.
fn check_place(path: &Path) -> Result<()> {
    let is_other = File::open(path).is_ok_and(|mut file| {
        let is_empty = file.metadata().is_ok_and(|found| found.len() == 0);
        !is_empty && !is_own(&mut file).unwrap_or(false)
    });
    match is_other {
        true => {
            Err(Error::user(format!("{} exists and is not a load profile", path.display())).hint("give another file"))
        }
        false => Ok(()),
    }
}
