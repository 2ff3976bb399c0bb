//! The options of pgbench, as its documentation has them ("Options"), and the options of `dbdyno run` that they stand for.

use std::path::PathBuf;

use clap::Args;
use record::Nanos;
use report::PgbenchLines;
use run::{Error, Result};

use super::value;

const PGBENCH_EXAMPLES: &str = "\
Examples:
  dbdyno pgbench -i -s 10 shop                       the tables of the built-in scripts, in the schema of dbdyno
  dbdyno pgbench -c 8 -j 2 -T 60 -P 5 -r shop        the built-in script that is like TPC-B
  dbdyno pgbench -f read.sql@9 -f write.sql@1 -D size=100 -M prepared -c 4 -t 1000 -h db1 -U me shop
  dbdyno pgbench -S -c 4 -T 30 --target mariadb://me@db1/shop    on another engine

Options of pgbench mean what they mean there; what differs is in the documentation (Coming from pgbench).
PGHOST, PGPORT, PGUSER and PGDATABASE are read, as are PGPASSWORD and ~/.pgpass.";

/// Seconds of the window of a run that ends after a number of transactions.
const SECONDS_OF_TRANSACTIONS: &str = "86400";

/// Options of `dbdyno pgbench`.
#[derive(Args, Debug)]
#[command(after_help = PGBENCH_EXAMPLES, disable_help_flag = true)]
pub struct PgbenchArguments {
    /// The database, or a connection string
    #[arg(value_name = "DBNAME")]
    pub database: Option<String>,
    /// The same as DBNAME
    #[arg(long, short = 'd', value_name = "DBNAME", conflicts_with = "database")]
    pub dbname: Option<String>,
    /// The engine in place of a PostgreSQL server, as for `dbdyno run`
    #[arg(long, value_name = "TARGET", conflicts_with_all = ["database", "dbname", "host", "port", "username"])]
    pub target: Option<String>,
    /// Host of the server, or the directory of its socket
    #[arg(long, short = 'h', value_name = "HOST")]
    pub host: Option<String>,
    /// Port of the server
    #[arg(long, short = 'p', value_name = "PORT")]
    pub port: Option<u16>,
    /// User
    #[arg(long, short = 'U', value_name = "NAME")]
    pub username: Option<String>,
    /// Make the tables of the built-in scripts anew and keep them, and run nothing
    #[arg(long, short = 'i')]
    pub initialize: bool,
    /// Scale factor: 100,000 accounts each
    #[arg(long, short = 's', value_name = "N")]
    pub scale: Option<u32>,
    /// A built-in script: tpcb-like, simple-update or select-only
    #[arg(long, short = 'b', value_name = "NAME[@WEIGHT]")]
    pub builtin: Vec<String>,
    /// A script
    #[arg(long, short = 'f', value_name = "FILE[@WEIGHT]")]
    pub file: Vec<String>,
    /// The built-in script simple-update
    #[arg(long, short = 'N')]
    pub skip_some_updates: bool,
    /// The built-in script select-only
    #[arg(long, short = 'S')]
    pub select_only: bool,
    /// Sessions
    #[arg(long, short = 'c', value_name = "N", default_value = "1", value_parser = value::degree("client"))]
    pub client: u32,
    /// Threads, which the sessions share
    #[arg(long, short = 'j', value_name = "N", default_value = "1", value_parser = value::degree("jobs"))]
    pub jobs: u32,
    /// Seconds that the scripts are run
    #[arg(long, short = 'T', value_name = "SECONDS", conflicts_with = "transactions", value_parser = value::count("time", 1..=604_800))]
    pub time: Option<u64>,
    /// Transactions of each session [default: 10]
    #[arg(long, short = 't', value_name = "N", value_parser = value::count("transactions", 1..=u64::MAX))]
    pub transactions: Option<u64>,
    /// Define a variable
    #[arg(long, short = 'D', value_name = "NAME=VALUE")]
    pub define: Vec<String>,
    /// How statements are sent: simple, extended or prepared
    #[arg(long, short = 'M', value_name = "MODE", default_value = "simple")]
    pub protocol: String,
    /// Open a session for each transaction
    #[arg(long, short = 'C')]
    pub connect: bool,
    /// Transactions per second, with exponential intervals
    #[arg(long, short = 'R', value_name = "RATE")]
    pub rate: Option<String>,
    /// Count transactions that take longer, milliseconds; with a rate, too, none is skipped
    #[arg(long, short = 'L', value_name = "MS", value_parser = milliseconds)]
    pub latency_limit: Option<Nanos>,
    /// Tries of a transaction that ends by a serialization failure or a deadlock; 0 for as many as it takes
    #[arg(long, value_name = "N")]
    pub max_tries: Option<u32>,
    /// Show failures by kind
    #[arg(long)]
    pub failures_detailed: bool,
    /// Show the time of each statement
    #[arg(long, short = 'r', visible_alias = "report-latencies")]
    pub report_per_command: bool,
    /// A line of progress for every so many seconds, on standard error when the run has ended
    #[arg(long, short = 'P', value_name = "SECONDS", value_parser = value::count("progress", 1..=604_800))]
    pub progress: Option<u64>,
    /// Write a line for each transaction to one file, PREFIX.PID, in the format of pgbench
    #[arg(long, short = 'l')]
    pub log: bool,
    /// Prefix of the name of that file
    #[arg(long, value_name = "PREFIX", default_value = "pgbench_log", requires = "log")]
    pub log_prefix: String,
    /// Share of the transactions that have a line
    #[arg(long, value_name = "SHARE", requires = "log")]
    pub sampling_rate: Option<String>,
    /// Seed of random numbers
    #[arg(long, value_name = "SEED")]
    pub random_seed: Option<String>,
    /// Show a built-in script, and run nothing
    #[arg(long, value_name = "NAME")]
    pub show_script: Option<String>,
    /// Accepted: dbdyno never vacuums tables of the user before a run
    #[arg(long, short = 'n')]
    pub no_vacuum: bool,
    /// Accepted: what goes wrong is always said
    #[arg(long)]
    pub verbose_errors: bool,
    /// Accepted: a serious error always ends the run
    #[arg(long)]
    pub exit_on_abort: bool,
    /// Accepted
    #[arg(long, short = 'q')]
    pub quiet: bool,
    /// Path of the record [default: ./dbdyno-TIME-HOST.jsonl]
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Directory in which dbdyno works
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Write no page
    #[arg(long)]
    pub no_html: bool,
    /// Print help
    #[arg(long, short = '?', action = clap::ArgAction::Help)]
    pub help: Option<bool>,
    #[command(flatten)]
    pub refused: RefusedArguments,
}

/// Options of pgbench that dbdyno has not: each is refused with what serves instead.
#[derive(Args, Debug)]
pub struct RefusedArguments {
    #[arg(long, value_name = "SECONDS", hide = true)]
    aggregate_interval: Option<String>,
    #[arg(long, hide = true)]
    progress_timestamp: bool,
    #[arg(long, short = 'v', hide = true)]
    vacuum_all: bool,
    #[arg(long, short = 'I', value_name = "STEPS", hide = true)]
    init_steps: Option<String>,
    #[arg(long, short = 'F', value_name = "PERCENT", hide = true)]
    fillfactor: Option<String>,
    #[arg(long, hide = true)]
    foreign_keys: bool,
    #[arg(long, value_name = "N", hide = true)]
    partitions: Option<String>,
    #[arg(long, value_name = "NAME", hide = true)]
    partition_method: Option<String>,
    #[arg(long, value_name = "NAME", hide = true)]
    tablespace: Option<String>,
    #[arg(long, value_name = "NAME", hide = true)]
    index_tablespace: Option<String>,
    #[arg(long, hide = true)]
    unlogged_tables: bool,
}

impl RefusedArguments {
    /// # Errors
    /// Where one of them is given.
    fn check(&self) -> Result<()> {
        let seconds = "the record has figures of each second: dbdyno export";
        let tables = "make such tables with pgbench itself, and run without --initialize";
        let given = [
            ("aggregate-interval", self.aggregate_interval.is_some(), seconds),
            ("progress-timestamp", self.progress_timestamp, "leave it out: the record has the time of its start"),
            ("vacuum-all", self.vacuum_all, "vacuum the tables with vacuumdb before the run"),
            ("init-steps", self.init_steps.is_some(), tables),
            ("fillfactor", self.fillfactor.is_some(), tables),
            ("foreign-keys", self.foreign_keys, tables),
            ("partitions", self.partitions.is_some(), tables),
            ("partition-method", self.partition_method.is_some(), tables),
            ("tablespace", self.tablespace.is_some(), tables),
            ("index-tablespace", self.index_tablespace.is_some(), tables),
            ("unlogged-tables", self.unlogged_tables, tables),
        ];
        match given.into_iter().find(|(_, is_given, _)| *is_given) {
            None => Ok(()),
            Some((name, _, hint)) => {
                Err(Error::user(format!("--{name} is an option of pgbench that dbdyno has not")).hint(hint))
            }
        }
    }
}

impl PgbenchArguments {
    /// The words of the `dbdyno run` that does the same.
    ///
    /// # Errors
    /// The user's mistakes.
    pub fn run_words(&self) -> Result<Vec<String>> {
        self.refused.check()?;
        let mut words: Vec<String> = ["dbdyno", "run", "--target"].map(str::to_owned).into();
        words.push(self.target());
        let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
        option("dir", self.dir.display().to_string());
        option("warm-up", "0".to_owned());
        option("trace", "none".to_owned());
        match self.initialize {
            true => {
                let path = std::env::temp_dir().join(format!("dbdyno-initialize-{}.jsonl", std::process::id()));
                option("record", path.display().to_string());
                option("builtin", "select-only".to_owned());
            }
            false => {
                self.record.iter().for_each(|path| option("record", path.display().to_string()));
                self.scripts().for_each(|(name, script)| option(name, script));
            }
        }
        self.define.iter().for_each(|definition| option("define", definition.clone()));
        self.scale.iter().for_each(|scale| option("scale", scale.to_string()));
        match self.initialize {
            true => ["--initialize", "--preset=smoke", "--steps=1", "--jobs=1", "--no-activity", "--quiet"]
                .into_iter()
                .for_each(|word| words.push(word.to_owned())),
            false => self.measured_words(&mut words),
        }
        // The tables of an earlier --initialize stay, as those of pgbench do.
        words.push("--keep".to_owned());
        words.extend((self.no_html || self.initialize).then(|| "--no-html".to_owned()));
        Ok(words)
    }

    fn measured_words(&self, words: &mut Vec<String>) {
        let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
        option("query-mode", self.protocol.clone());
        option("jobs", self.client.to_string());
        if self.jobs < self.client && self.is_server() && !self.connect {
            option("client-threads", self.jobs.to_string());
        }
        match self.time {
            Some(time) => option("seconds", time.to_string()),
            None => {
                option("steps", self.transactions_per_client().to_string());
                option("seconds", SECONDS_OF_TRANSACTIONS.to_owned());
            }
        }
        self.rate.iter().for_each(|rate| option("rate", rate.clone()));
        words.extend(self.connect.then(|| "--connect".to_owned()));
        let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
        self.max_tries.iter().for_each(|tries| option("max-tries", tries.to_string()));
        if self.log {
            option("script-log", format!("{}.{}", self.log_prefix, std::process::id()));
            self.sampling_rate.iter().for_each(|share| option("sampling-rate", share.clone()));
        }
        // `time` and `rand` ask for a seed that is another one each time.
        let seed = self.random_seed.as_ref().filter(|seed| seed.parse::<u64>().is_ok());
        seed.iter().for_each(|seed| option("seed", (*seed).clone()));
    }

    /// The scripts, each with the name of its option.
    fn scripts(&self) -> impl Iterator<Item = (&'static str, String)> {
        let named = [(self.skip_some_updates, "simple-update"), (self.select_only, "select-only")];
        let builtin = named.into_iter().filter(|(is_given, _)| *is_given).map(|(_, name)| name.to_owned());
        let mut all: Vec<(&str, String)> = self.file.iter().map(|file| ("script", file.clone())).collect();
        all.extend(builtin.chain(self.builtin.iter().cloned()).map(|name| ("builtin", name)));
        if all.is_empty() {
            all.push(("builtin", "tpcb-like".to_owned()));
        }
        all.into_iter()
    }

    /// The target: the one that is named, or a connection string of what pgbench is told.
    fn target(&self) -> String {
        let of_environment = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let named = self.database.clone().or_else(|| self.dbname.clone());
        let database = named.or_else(|| of_environment("PGDATABASE"));
        match (&self.target, database) {
            (Some(target), _) => target.clone(),
            (None, Some(database)) if database.contains(['=', ':']) => database,
            (None, database) => {
                let host = self.host.clone().or_else(|| of_environment("PGHOST")).unwrap_or_else(default_host);
                let words = [
                    ("host", Some(host)),
                    ("port", self.port.map(|port| port.to_string()).or_else(|| of_environment("PGPORT"))),
                    ("user", self.username.clone().or_else(|| of_environment("PGUSER"))),
                    ("dbname", database),
                ];
                let quoted = |text: String| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
                let pair = |(name, value): (&str, Option<String>)| Some(format!("{name}={}", quoted(value?)));
                words.into_iter().filter_map(pair).collect::<Vec<String>>().join(" ")
            }
        }
    }

    /// Whether the sessions can share threads: those of engines in this process cannot.
    fn is_server(&self) -> bool {
        self.target
            .as_ref()
            .is_none_or(|target| !["sqlite", "duckdb", "null"].iter().any(|name| target.starts_with(name)))
    }

    fn transactions_per_client(&self) -> u64 {
        self.transactions.unwrap_or(10)
    }

    /// What of the closing lines of pgbench is asked for.
    pub fn lines(&self) -> PgbenchLines {
        PgbenchLines {
            transactions_per_client: self.time.is_none().then(|| self.transactions_per_client()),
            duration_s: self.time,
            threads: self.jobs.min(self.client),
            latency_limit: self.latency_limit,
            per_statement: self.report_per_command,
            failures_detailed: self.failures_detailed,
            has_progress: self.progress.is_some(),
        }
    }
}

/// Where libpq of Debian and of PostgreSQL's own packages looks for a server that is not named.
fn default_host() -> String {
    let sockets = ["/var/run/postgresql", "/tmp"];
    let has_one = |folder: &&str| PathBuf::from(folder).join(".s.PGSQL.5432").exists();
    sockets.into_iter().find(has_one).unwrap_or("localhost").to_owned()
}

fn milliseconds(text: &str) -> std::result::Result<Nanos, base::Wrong> {
    match text.parse::<f64>() {
        Ok(limit) if limit > 0.0 && limit <= 86_400_000.0 => Ok(Nanos((limit * 1e6) as u64)),
        _ => Err(base::Wrong::new(
            "latency-limit",
            text,
            "is no number of milliseconds above 0",
            "give a number such as 5",
        )),
    }
}
