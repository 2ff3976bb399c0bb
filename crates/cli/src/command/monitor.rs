//! `dbdyno monitor`: a database in production, held to its promise; and what others read of it.

mod lines;
mod month;
mod unit;
mod watching;

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use monitor::{Collector, Slo};
use record::{Nanos, Ratio};
use run::{Error, Result};

use crate::arguments::value;
use crate::output::print_data;

use self::month::MonitorReportArguments;

const EXAMPLES: &str = "\
Each burst reads 32 rows by primary key, updates one row and scans a table of 1000 rows, in the
schema of dbdyno, about every 30 s at random distances; eight reads before it are not timed. It is
good where nothing fails and the slowest statement is within its threshold. What a database that
hangs swallows is bad, what this process misses is unknown. Nothing is settled, flushed or
checkpointed. One dbdyno per database.

Examples:
  dbdyno monitor postgres://me@db1/shop --baseline sheet.jsonl
  dbdyno monitor postgres://me@db1,db2/shop storage:/data --baseline sheet.jsonl     replicas, device
  dbdyno monitor mariadb://me@db2/shop --slo slo.toml --listen 127.0.0.1:9470 --on-alert ./page
  dbdyno monitor rules > dbdyno.rules.yml        what Prometheus alerts on, absence included
  dbdyno monitor unit postgres://me@db1/shop --baseline /etc/dbdyno/sheet.jsonl
  dbdyno monitor report --month 2026-11          one page: promised, kept, budget left, incidents";

const UNIT_NOTE: &str = "\
The unit is for a user that systemd makes, with no privileges, whose home is /var/lib/dbdyno-monitor:
the history is kept there. Give paths that it may read.";

/// Options of `dbdyno monitor`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = EXAMPLES)]
pub struct MonitorArguments {
    /// What is done instead of watching.
    #[command(subcommand)]
    pub command: Option<MonitorCommand>,
    /// Watching
    #[command(flatten)]
    pub watch: MonitorWatchArguments,
}

/// What is done instead of watching.
#[derive(Debug, Subcommand)]
pub enum MonitorCommand {
    /// Print a month of each target: promised, kept, budget left, incidents
    Report(MonitorReportArguments),
    /// Print rules for Prometheus (burn rates, outage, drift, absence) or Alertmanager
    Rules(MonitorRulesArguments),
    /// Print the objectives for OpenSLO, over 28 and 30 days, or for sloth
    Slo(MonitorSloArguments),
    /// Print a dashboard for Grafana
    Dashboard,
    /// Print a unit for systemd that watches with the same options
    #[command(after_help = UNIT_NOTE)]
    Unit(Box<MonitorWatchArguments>),
}

/// Options of watching.
#[derive(Args, Debug)]
pub struct MonitorWatchArguments {
    /// Databases to watch: a URL each, or `sqlite`, `local:postgres`, ... to try it; `storage:DIR` is the storage below a
    /// directory of this host
    #[arg(value_name = "TARGET", required = true)]
    pub targets: Vec<String>,
    /// Record that the promise is made from: three times its p99 at one job. One for all targets, or one for each, in
    /// their order
    #[arg(long, value_name = "RECORD")]
    pub baseline: Vec<PathBuf>,
    /// Objectives, and thresholds in place of those of the baseline: a TOML file
    #[arg(long, value_name = "FILE")]
    pub slo: Option<PathBuf>,
    /// Mean time between two bursts, around which they are spread
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = value::probe_period)]
    pub every: Nanos,
    /// Time after which a statement is given up [default: 2s, or the time between two bursts where that is shorter]
    #[arg(long, value_name = "TIME", value_parser = value::probe_timeout)]
    pub timeout: Option<Nanos>,
    /// Time between two connections of their own, timed apart
    #[arg(long, value_name = "TIME", default_value = "5min", value_parser = value::window("connect-every"))]
    pub connect_every: Nanos,
    /// Watch for so long [default: until Ctrl-C]
    #[arg(long = "for", value_name = "TIME", value_parser = value::window("for"))]
    pub length: Option<Nanos>,
    /// Share of a processor that this process may use for a target: above it, it doubles the time between bursts
    #[arg(long, value_name = "PERCENT", default_value = "0.5%", value_parser = value::processor_share)]
    pub cpu: Ratio,
    /// File of the history, which is made if it is not there
    #[arg(long, value_name = "FILE", default_value = DATA)]
    pub data: PathBuf,
    /// Serve metrics for Prometheus at this address, to everybody who reaches it [default: nowhere]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = value::listen)]
    pub listen: Option<SocketAddr>,
    /// Push metrics to this collector of OpenTelemetry every 30 s, by OTLP over HTTP [default: nowhere]
    #[arg(long, value_name = "http://HOST:PORT", value_parser = monitor::collector)]
    pub otlp: Option<Collector>,
    /// Command that is told of alerts, once at their begin and once at their end: JSON on its standard input, and
    /// variables
    #[arg(long, value_name = "COMMAND")]
    pub on_alert: Option<String>,
    /// Seed of the times of bursts and of the rows that they visit
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Directory of a temporary server or an embedded engine
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Remove the table at the end; otherwise it stays, with its 1000 rows
    #[arg(long)]
    pub drop: bool,
}

impl MonitorWatchArguments {
    /// Time after which a statement is given up.
    fn timeout(&self) -> Duration {
        self.timeout.unwrap_or(TIMEOUT.min(self.every)).into()
    }
}

/// The default time after which a statement is given up, where bursts are further apart.
const TIMEOUT: Nanos = Nanos(2_000_000_000);
/// The default history.
const DATA: &str = "dbdyno-monitor.db";

/// Options of the rules for others.
#[derive(Args, Debug)]
pub struct MonitorRulesArguments {
    /// Objectives: a TOML file
    #[arg(long, value_name = "FILE")]
    pub slo: Option<PathBuf>,
    /// Mean time between two bursts
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = value::probe_period)]
    pub every: Nanos,
    /// Who reads them
    #[arg(long, value_name = "FORM", value_enum, default_value_t = RulesForm::Prometheus)]
    pub form: RulesForm,
}

/// Forms of rules.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum RulesForm {
    /// What raises each alert
    Prometheus,
    /// What is left out while something worse is told: rules of inhibition
    Alertmanager,
}

/// Options of the objectives for others.
#[derive(Args, Debug)]
pub struct MonitorSloArguments {
    /// Objectives: a TOML file
    #[arg(long, value_name = "FILE")]
    pub slo: Option<PathBuf>,
    /// Who reads them
    #[arg(long, value_name = "FORM", value_enum, default_value_t = SloForm::Openslo)]
    pub form: SloForm,
}

/// Forms of objectives.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SloForm {
    /// OpenSLO v1, a ratio of two counters
    Openslo,
    /// prometheus/v1 of sloth, which writes rules of Prometheus
    Sloth,
}

/// Carries out `dbdyno monitor`.
///
/// # Errors
/// The user's mistakes, and the environment's refusals.
pub fn monitor(arguments: &MonitorArguments) -> Result<()> {
    match &arguments.command {
        None => watching::watch(&arguments.watch),
        Some(MonitorCommand::Report(arguments)) => month::report(arguments),
        Some(MonitorCommand::Rules(arguments)) => {
            let objective = slo(arguments.slo.as_deref())?.objective;
            print_data(&match arguments.form {
                RulesForm::Prometheus => monitor::rules(objective, arguments.every),
                RulesForm::Alertmanager => monitor::inhibition(),
            })
        }
        Some(MonitorCommand::Slo(arguments)) => {
            let slo = slo(arguments.slo.as_deref())?;
            let written = match arguments.form {
                SloForm::Openslo => monitor::openslo,
                SloForm::Sloth => monitor::sloth,
            };
            print_data(&written(slo.objective, &slo.operations()))
        }
        Some(MonitorCommand::Dashboard) => print_data(&monitor::dashboard()),
        Some(MonitorCommand::Unit(arguments)) => unit::unit(arguments),
    }
}

/// The objectives in the file at `path`; the default ones without a file.
fn slo(path: Option<&Path>) -> Result<Slo> {
    let Some(path) = path else { return Ok(Slo::default()) };
    let shown = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|error| {
        Error::user(format!("objectives {shown} cannot be read: {error}")).hint("give the path of a TOML file")
    })?;
    monitor::slo(&text, &shown).map_err(|wrong| Error::user(wrong.message).hint(wrong.hint))
}
