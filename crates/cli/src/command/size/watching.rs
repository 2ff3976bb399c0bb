//! `dbdyno size watch`: the load of a live server, by its own counters.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use engine::{Target, Workspace};
use monitor::{LoadSettings, watch_load};
use record::Nanos;
use run::{Error, Interrupt, Result};

use crate::arguments::value;
use crate::engines::engine;
use crate::output::print;
use crate::signal;
use crate::target::target;

const EXAMPLES: &str = "\
Only counters are read, in one session; nothing is created on the server. Where the server runs on this host, processors
and devices are read, too. Ctrl-C ends it, and keeps what was read.

Examples:
  dbdyno size watch postgres://me@db1/shop --for 1h --every 10s --save load.json
  dbdyno size watch mariadb://me@db2/shop --for 1d --every 1min --save day.json";

/// Options of `dbdyno size watch`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct SizeWatchArguments {
    /// The server: a URL
    #[arg(value_name = "TARGET")]
    pub target: String,
    /// Watch for so long
    #[arg(long = "for", value_name = "TIME", default_value = "1h", value_parser = value::window("for"))]
    pub length: Nanos,
    /// Length of an interval
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = value::load_interval)]
    pub every: Nanos,
    /// The file that the load is written to
    #[arg(long, value_name = "FILE", default_value = "load.json")]
    pub save: PathBuf,
    /// Keep the names of host and database in it
    #[arg(long)]
    pub names: bool,
}

/// The session that reads, and one that is opened where it is lost.
const SESSIONS_MAX: u32 = 2;

/// Watches until its time is over, or a signal, which is no error.
///
/// # Errors
/// The user's mistakes; where the server cannot be reached, and where the file cannot be written.
pub(super) fn watch(arguments: &SizeWatchArguments) -> Result<()> {
    let target = target(&arguments.target)?;
    let engine = engine(&target)?;
    check(&target)?;
    super::check_place(&arguments.save)?;
    let interrupt = Arc::new(Interrupt::default());
    signal::listen(Arc::clone(&interrupt))?;
    let workspace = Workspace { directory: env::temp_dir(), keep: true, cache_bytes: None, sessions_max: SESSIONS_MAX };
    let settings = LoadSettings {
        every: arguments.every.into(),
        length: arguments.length.into(),
        with_names: arguments.names,
        offset_minutes: 0,
    };
    print(&format!(
        "watching {target} for {}, an interval every {}; Ctrl-C ends it and keeps what was read",
        time(arguments.length),
        time(arguments.every)
    ))?;
    let path = &arguments.save;
    let mut save = |profile: &record::LoadProfile| super::save(path, profile);
    let (profile, cost) = watch_load(engine, &target, &workspace, &settings, &interrupt, &mut save)?;
    print(&format!(
        "{} intervals in {}\ncost: {} readings in one session, {} transactions of its own (not among the commits), {:.2} s of \
         processor of dbdyno",
        profile.intervals.len(),
        path.display(),
        cost.readings,
        cost.transactions,
        cost.cpu_ns as f64 / 1e9
    ))
}

fn time(span: Nanos) -> String {
    format!("{} s", span.seconds())
}

/// Refuses what has no counters that others add to.
fn check(target: &Target) -> Result<()> {
    if target.is_external() && target.addresses.len() < 2 {
        return Ok(());
    }
    if target.is_external() {
        let message = format!("target {target} names {} nodes", target.addresses.len());
        return Err(Error::user(message).hint("watch each node by itself; `dbdyno size` sums the files"));
    }
    Err(Error::user(format!("target {target} is no server that others use: it has no counters to watch"))
        .hint("give the URL of a running server, such as postgres://me@db1/shop"))
}
