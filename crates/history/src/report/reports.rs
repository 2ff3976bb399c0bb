//! The reports of a file: what of their pieces is taken.

use record::load_profile::DoubtKind;

use crate::error::{Error, Result, shown};
use crate::form::Form;
use crate::found::{Found, add};
use crate::limit::{INSTANCES_MAX, INTERVALS_MAX};
use crate::part::Part;

use super::collected::{ByInstance, Collected, Event};
use super::{Piece, figures, key};

/// Labels of lines with a value each, by key.
const LABELS: [&str; 32] = [
    "elapsed",
    "dbtime",
    // The load profile.
    "dbtimes",
    "dbcpus",
    "backgroundcpus",
    "redosize",
    "redosizebytes",
    "logicalreads",
    "logicalreadblocks",
    "physicalreads",
    "readiorequests",
    "writeiorequests",
    "readiomb",
    "writeiomb",
    "executes",
    "executessql",
    "rollbacks",
    "transactions",
    // The I/O profile.
    "totalrequests",
    "totalmb",
    "redorequests",
    "redomb",
    // Memory.
    "hostmemmb",
    "sgausemb",
    "pgausemb",
    "buffercache",
    "sharedpoolsize",
    "stdblocksize",
    "beginsnap",
    "endsnap",
    "logbuffer",
    // Of a cluster.
    "numberofinstances",
];

/// Statistics that are taken of instance activity and the operating system.
const STATISTICS: [&str; 22] = [
    "physical read total IO requests",
    "physical read total multi block requests",
    "physical read total bytes",
    "physical write total IO requests",
    "physical write total multi block requests",
    "physical write total bytes",
    "user commits",
    "user rollbacks",
    "redo size",
    "redo writes",
    "redo synch writes",
    "session logical reads",
    "execute count",
    "bytes received via SQL*Net from client",
    "bytes sent via SQL*Net to client",
    "BUSY_TIME",
    "IDLE_TIME",
    "NUM_CPUS",
    "NUM_CPU_CORES",
    "NUM_CPU_SOCKETS",
    "PHYSICAL_MEMORY_BYTES",
    "FREE_MEMORY_BYTES",
];

/// Seconds that are taken of the time model: instance activity has some of the same names, in hundredths.
const TIMES: [&str; 3] = ["DB time", "DB CPU", "background cpu time"];

/// Characters that a name has at least in a column that cuts it.
const CUT_NAME_CHARACTERS: usize = 24;

/// Foreground wait events that are taken.
const EVENTS: [&str; 3] = ["db file sequential read", "cell single block physical read", "log file sync"];

/// Facts of the header, by the key of their heading.
const FACTS: [(&str, &str); 20] = [
    ("dbname", "database name"),
    ("database", "database name"),
    ("name", "database name"),
    ("dbid", "database id"),
    ("instance", "instance"),
    ("instnum", "instance number"),
    ("release", "release"),
    ("rac", "rac"),
    ("hostname", "host"),
    ("host", "host"),
    ("cpus", "cpus"),
    ("cores", "cores"),
    ("sockets", "sockets"),
    ("memorygb", "memory gb"),
    ("memoryg", "memory gb"),
    ("id", "database id"),
    ("inreport", "instances in report"),
    ("blocksize", "block size"),
    ("instances", "instances"),
    ("numberofinstancestotal", "instances"),
];

/// What the rows of the current table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    Other,
    Header,
    /// Snapshots, with the number of instances in a column of its own.
    Snapshots,
    /// Name and value: instance activity, operating system.
    Statistics,
    /// Name and seconds.
    TimeModel,
    Events,
    /// A row for each instance of a cluster.
    ByInstance(ByInstance),
    /// The summary of a cluster.
    Cluster,
}

/// The reports of a file, which are one after the other.
#[derive(Debug)]
pub(super) struct Reports {
    form: Form,
    current: Collected,
    parts: Vec<Part>,
    table: Table,
    headings: Vec<String>,
    title: String,
    /// Labels stand in the summary of a report, before the first section of its details.
    is_in_summary: bool,
}

impl Reports {
    pub(super) fn new(form: Form) -> Reports {
        Reports {
            form,
            current: Collected::default(),
            parts: Vec::new(),
            table: Table::Other,
            headings: Vec::new(),
            title: String::new(),
            is_in_summary: true,
        }
    }

    pub(super) fn take(&mut self, piece: Piece<'_>) -> Result<()> {
        match piece {
            Piece::Title(title) => self.title(title),
            Piece::Line(line) => self.line(line)?,
            Piece::Headings(headings) => self.headings(headings),
            Piece::Row(cells) => self.row(cells),
        }
        Ok(())
    }

    fn title(&mut self, title: &str) {
        self.title = key(title);
        self.table = Table::Other;
        // The details of a report of one instance begin with the one or the other.
        if self.title.starts_with("timemodel") || self.title.starts_with("foregroundwait") {
            self.is_in_summary = false;
        }
    }

    fn line(&mut self, line: &str) -> Result<()> {
        let trimmed = line.trim();
        if trimmed.len() > 12 && is_begin(trimmed) {
            self.end()?;
            self.current.is_begun = true;
            self.current.is_of_cluster = trimmed.to_ascii_uppercase().contains("(RAC)");
            return Ok(());
        }
        if trimmed.eq_ignore_ascii_case("end of report") {
            self.current.is_complete = true;
        }
        if (self.is_in_summary || self.title.starts_with("racstatistics"))
            && let Some((label, rest)) = trimmed.split_once(':')
        {
            self.label(label, rest);
        }
        Ok(())
    }

    fn label(&mut self, label: &str, rest: &str) {
        let key = key(label);
        let Some(label) = LABELS.iter().find(|label| **label == key) else { return };
        let words = rest.split("  ").map(str::trim).filter(|word| !word.is_empty());
        let values: Vec<String> = match *label {
            // Identifier, day, time, and numbers beside.
            "beginsnap" | "endsnap" => rest.split_whitespace().take(8).map(str::to_owned).collect(),
            _ => words.take(6).map(str::to_owned).collect(),
        };
        if !values.is_empty() {
            self.current.labels.entry(label).or_insert(values);
        }
    }

    fn headings(&mut self, headings: &[String]) {
        self.headings = headings.iter().map(|heading| key(heading)).collect();
        self.table = self.kind();
    }

    fn kind(&self) -> Table {
        let has = |heading: &str| self.headings.iter().any(|known| known == heading);
        let ends = |ending: &str| self.headings.iter().any(|known| known.ends_with(ending) && !known.contains('%'));
        let first = self.headings.first().map_or("", String::as_str);
        if first == "i#" || first == "inst#" {
            return match () {
                () if ends("beginsnaptime") => Table::ByInstance(ByInstance::Instances),
                () if ends("busy") || ends("busytimes") => Table::ByInstance(ByInstance::System),
                () if has("sgatargetbegin") => Table::ByInstance(ByInstance::Caches),
                () if has("logicalreads/s") => Table::ByInstance(ByInstance::PerSecond),
                () if (has("dbtimes") || has("dbtime"))
                    && (has("dbcpus") || has("dbcpu"))
                    && !self.title.contains('%') =>
                {
                    Table::ByInstance(ByInstance::TimeModel)
                }
                () => Table::Other,
            };
        }
        let second = self.headings.get(1).map_or("", String::as_str);
        match first {
            "statistic" | "statisticname" if second.starts_with("total") || second.starts_with("value") => {
                Table::Statistics
            }
            "statistic" | "statisticname" if second.starts_with("time") => Table::TimeModel,
            "event" if self.title.starts_with("foregroundwaitevents") => Table::Events,
            _ if has("snapid") && has("instances") => Table::Snapshots,
            _ if ends("blocksize") && ends("inreport") => Table::Cluster,
            _ if has("dbid") || has("instnum") || (has("cpus") && (has("cores") || has("sockets"))) => Table::Header,
            _ => Table::Other,
        }
    }

    fn row(&mut self, cells: &[String]) {
        match self.table {
            Table::Other => {}
            Table::Header => self.facts(cells),
            Table::Snapshots => {
                let count = self.cell(cells, |heading| heading == "instances");
                // An instance may have gone or come within the interval: all that were there count.
                let known = self.current.facts.get("instances").and_then(|known| known.parse::<u32>().ok());
                if let Some(count) = count.filter(|count| count.parse::<u32>().ok() > known) {
                    self.current.facts.insert("instances", shown(&count));
                }
            }
            Table::Cluster => self.cluster(cells),
            Table::Statistics => {
                let (Some(name), Some(value)) = (cells.first(), cells.get(1)) else { return };
                // Of a value that changed within the interval the later one counts.
                let later = self.cell(cells, |heading| heading == "endvalue").filter(|value| !value.is_empty());
                let Some(name) = known(name, &STATISTICS) else { return };
                let is_level = name.ends_with("_BYTES");
                let value = later.filter(|_| is_level).unwrap_or_else(|| value.clone());
                self.current.statistics.entry(name).or_insert(value);
            }
            Table::TimeModel => {
                let (Some(name), Some(value)) = (cells.first(), cells.get(1)) else { return };
                let Some(name) = known(name, &TIMES) else { return };
                self.current.statistics.entry(name).or_insert_with(|| value.clone());
            }
            Table::Events => {
                let Some(name) = cells.first().and_then(|name| known(name, &EVENTS)) else { return };
                let event = Event {
                    waits: self.cell(cells, |heading| heading == "waits").unwrap_or_default(),
                    seconds: self.cell(cells, |heading| heading.starts_with("totalwaittime")).unwrap_or_default(),
                    average: self.cell(cells, |heading| heading.starts_with("avg")).unwrap_or_default(),
                };
                self.current.events.entry(name).or_insert(event);
            }
            Table::ByInstance(table) => self.instance_row(table, cells),
        }
    }

    /// The cell below the first heading that `is_wanted`.
    fn cell(&self, cells: &[String], is_wanted: impl Fn(&str) -> bool) -> Option<String> {
        cells.get(self.headings.iter().position(|heading| is_wanted(heading))?).cloned()
    }

    fn facts(&mut self, cells: &[String]) {
        for (heading, cell) in self.headings.iter().zip(cells).filter(|(_, cell)| !cell.is_empty()) {
            // Of Statspack "Host Name" is two columns.
            let is_host = heading == "name" && self.headings.first().is_some_and(|first| first == "host");
            let fact = match FACTS.iter().find(|(known, _)| known == heading) {
                Some(_) if is_host => "host",
                Some((_, fact)) => fact,
                None => continue,
            };
            self.current.facts.entry(fact).or_insert_with(|| shown(cell));
        }
    }

    /// The summary of a cluster, whose headings have that of their group before them.
    fn cluster(&mut self, cells: &[String]) {
        for (heading, cell) in self.headings.iter().zip(cells).filter(|(_, cell)| !cell.is_empty()) {
            let fact = match heading.as_str() {
                "id" | "databaseid" | "dbid" => "database id",
                "name" | "databasename" | "dbname" => "database name",
                // The first of the totals is that of the instances.
                _ if heading.ends_with("total") => "instances",
                _ if heading.ends_with("inreport") => "instances in report",
                _ => continue,
            };
            self.current.facts.entry(fact).or_insert_with(|| shown(cell));
        }
    }

    fn instance_row(&mut self, table: ByInstance, cells: &[String]) {
        let Some(number) = cells.first().and_then(|cell| cell.parse::<u32>().ok()) else { return };
        let rows = self.current.by_instance.entry(table).or_default();
        if rows.len() >= INSTANCES_MAX || rows.contains_key(&number) {
            return;
        }
        let row = rows.entry(number).or_default();
        // Values of the end of the interval have the headings of those of its beginning, and stand after them.
        for (heading, cell) in self.headings.iter().zip(cells).filter(|(_, cell)| !cell.is_empty()) {
            row.entry(heading.clone()).or_insert_with(|| cell.clone());
        }
    }

    /// Ends a report.
    fn end(&mut self) -> Result<()> {
        let report = std::mem::take(&mut self.current);
        self.table = Table::Other;
        self.is_in_summary = true;
        if !report.is_begun {
            return Ok(());
        }
        if self.parts.len() >= INTERVALS_MAX {
            return Err(Error::new(format!("the file has more than {INTERVALS_MAX} reports"), "give it in parts"));
        }
        self.parts.push(figures::part(self.form, &report)?);
        Ok(())
    }

    pub(super) fn finish(mut self, foreign_count: u64) -> Result<Vec<Part>> {
        self.end()?;
        if let Some(part) = self.parts.first_mut().filter(|_| foreign_count > 0) {
            add(&mut part.doubts, Found::warning(DoubtKind::Encoding).times(foreign_count));
        }
        Ok(self.parts)
    }
}

/// Whether a line begins a report.
fn is_begin(line: &str) -> bool {
    let Some(first) = line.get(..9) else { return false };
    if !(first.eq_ignore_ascii_case("WORKLOAD ") || first.eq_ignore_ascii_case("STATSPACK")) {
        return false;
    }
    let key = key(line);
    key.starts_with("workloadrepositoryreport")
        || key.starts_with("workloadrepositorypdbreport")
        || key.starts_with("statspackreport")
        || key.starts_with("statspackstatisticsreport")
}

/// The known name that a cell has, whole or cut.
fn known(name: &str, names: &[&'static str]) -> Option<&'static str> {
    let is_cut = name.len() >= CUT_NAME_CHARACTERS;
    // A name that is cut may be that of several.
    let mut found = names.iter().filter(|known| **known == name || (is_cut && known.starts_with(name)));
    let first = found.next().copied()?;
    (first == name || found.next().is_none()).then_some(first)
}
