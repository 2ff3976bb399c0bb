//! `show global status`, as the client writes it: with tabs (`-B`) or borders, once or again and again.
//!
//! A dump begins where a variable comes again, or with its time: a column `dumped_at`, or a line `TS` with seconds since 1970.
//! Without times the server's own clock counts from its start. Variables of settings (`version`, `innodb_page_size`) may stand
//! among those of the status.
//!
//! Commits: `Com_commit` counts statements that commit. Where there is none, each statement that changes rows is a transaction
//! of its own.

use std::collections::BTreeMap;
use std::io::BufRead;

use record::Bytes;
use record::load_profile::{DoubtKind, Elsewhere, LoadQuantity, Zone};

use crate::cumulative::Count::{Level, Rising};
use crate::cumulative::{Counts, RateSpan, Rates, Row, Snapshot, View};
use crate::engine_name;
use crate::error::{Error, Result, shown};
use crate::form::Form;
use crate::found::{Found, add};
use crate::lines::Lines;
use crate::moment;
use crate::number;
use crate::part::{Amounts, Part, put};
use crate::statistics_views::epoch_ms;

/// The status of a server; columns are variables, sorted by name for the search.
static STATUS: View = View {
    name: "global status",
    columns: &[
        ("Busy_time", Rising),
        ("Bytes_received", Rising),
        ("Bytes_sent", Rising),
        ("Com_commit", Rising),
        ("Com_delete", Rising),
        ("Com_delete_multi", Rising),
        ("Com_insert", Rising),
        ("Com_insert_select", Rising),
        ("Com_replace", Rising),
        ("Com_replace_select", Rising),
        ("Com_rollback", Rising),
        ("Com_update", Rising),
        ("Com_update_multi", Rising),
        ("Cpu_time", Rising),
        ("Innodb_buffer_pool_read_requests", Rising),
        ("Innodb_data_read", Rising),
        ("Innodb_data_reads", Rising),
        ("Innodb_data_writes", Rising),
        ("Innodb_data_written", Rising),
        ("Innodb_log_writes", Rising),
        ("Innodb_lsn_current", Rising),
        ("Innodb_os_log_fsyncs", Rising),
        ("Innodb_os_log_written", Rising),
        ("Innodb_redo_log_current_lsn", Rising),
        ("Questions", Rising),
        ("Threads_connected", Level),
        ("Threads_running", Level),
    ],
    rates,
};

/// Variables that are facts, and no counters that are compared.
const FACTS: [&str; 7] = [
    "Innodb_buffer_pool_pages_total",
    "Innodb_page_size",
    "Uptime",
    "Uptime_since_flush_status",
    "innodb_buffer_pool_size",
    "server_uuid",
    "version",
];

fn rates(rows: &[Row<'_>]) -> Rates {
    let Some(row) = rows.first() else { return Rates::new() };
    STATUS.columns.iter().zip(&row.values).filter_map(|((name, _), value)| Some((*name, (*value)?))).collect()
}

/// A dump as it is read.
#[derive(Debug, Default)]
struct Dump {
    at_ms: Option<i64>,
    values: Vec<Option<u64>>,
    facts: BTreeMap<&'static str, String>,
    has_aria: bool,
}

impl Dump {
    fn has(&self, name: &str) -> bool {
        let is_counted = column(name).is_some_and(|index| self.values.get(index).is_some_and(Option::is_some));
        is_counted || self.facts.contains_key(name)
    }

    fn is_empty(&self) -> bool {
        self.values.iter().all(Option::is_none) && self.facts.is_empty()
    }

    fn put(&mut self, name: &str, value: &str, doubts: &mut Vec<Found>) {
        self.has_aria |= name.starts_with("Aria_");
        if let Some(fact) = FACTS.iter().find(|fact| **fact == name) {
            self.facts.insert(fact, shown(value));
            return;
        }
        let Some(index) = column(name) else { return };
        self.values.resize(STATUS.columns.len(), None);
        // Seconds have decimals, and are counted in thousandths of milliseconds.
        let read = match name {
            "Busy_time" | "Cpu_time" => number::plain(value).and_then(|seconds| number::whole(seconds * 1e6)),
            _ => value.parse().ok(),
        };
        if read.is_none() {
            let kind = DoubtKind::Impossible { field: STATUS.columns[index].0.to_owned(), text: shown(value) };
            add(doubts, Found::refusal(kind));
        }
        self.values[index] = read;
    }

    fn number(&self, fact: &str) -> Option<u64> {
        self.facts.get(fact)?.parse().ok()
    }
}

fn column(name: &str) -> Option<usize> {
    STATUS.columns.binary_search_by_key(&name, |(column, _)| column).ok()
}

pub(crate) fn read(input: impl BufRead) -> Result<Vec<Part>> {
    let mut lines = Lines::new(input);
    let mut dumps = Dumps { part: Part::new(Form::GlobalStatus), dump: Dump::default(), count: 0, has_times: None };
    let mut expects_time = false;
    while let Some(line) = lines.next()? {
        let Some((name, value)) = cells(line) else { continue };
        match value {
            _ if expects_time => {
                dumps.time(name);
                expects_time = false;
            }
            _ if name == "dumped_at" => expects_time = true,
            None => dumps.time_line(name),
            Some(_) if name == "Variable_name" => {}
            Some(value) => {
                if dumps.dump.has(name) {
                    dumps.end()?;
                }
                dumps.dump.put(name, value, &mut dumps.part.doubts);
            }
        }
    }
    let (is_complete, foreign_count) = (lines.is_complete(), lines.foreign_count());
    dumps.finish(is_complete, foreign_count)
}

/// The first two cells of a line; nothing of a border.
fn cells(line: &str) -> Option<(&str, Option<&str>)> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('+') {
        return None;
    }
    let (separator, line) = match line.strip_prefix('|') {
        Some(inner) => ('|', inner.strip_suffix('|').unwrap_or(inner)),
        None => ('\t', line),
    };
    match line.split_once(separator) {
        Some((name, value)) => Some((name.trim(), Some(value.trim()))),
        None => Some((line.trim(), None)),
    }
}

/// The dumps of a file.
struct Dumps {
    part: Part,
    dump: Dump,
    count: u64,
    /// Whether the dumps of the file have times.
    has_times: Option<bool>,
}

impl Dumps {
    /// A line without value: only one with a time matters.
    fn time_line(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        if words.next() == Some("TS") {
            self.time(words.next().unwrap_or_default());
        }
    }

    fn time(&mut self, text: &str) {
        // An error here is one of the dump before, which says the same again at its end.
        if !self.dump.is_empty() && self.end().is_err() {
            return;
        }
        let found = epoch_ms(text).map(|at_ms| (at_ms, Some(0))).or_else(|| moment::standard(text));
        match found {
            Some((at_ms, offset)) => {
                self.dump.at_ms = Some(at_ms);
                self.part.zone = offset.map_or(Zone::Unknown, Zone::OffsetMinutes);
            }
            None => {
                let kind = DoubtKind::Impossible { field: "dumped_at".into(), text: shown(text) };
                add(&mut self.part.doubts, Found::refusal(kind));
            }
        }
    }

    /// Takes the dump that was read.
    fn end(&mut self) -> Result<()> {
        let dump = std::mem::take(&mut self.dump);
        let uptime = dump.number("Uptime");
        let has_time = dump.at_ms.is_some();
        if *self.has_times.get_or_insert(has_time) != has_time {
            let hint = "write select unix_timestamp() as dumped_at before each";
            return Err(Error::new("some dumps have a time, and some have none", hint));
        }
        let Some(at_ms) = dump.at_ms.or(uptime.map(|seconds| seconds.saturating_mul(1000) as i64)) else {
            let hint = "write select unix_timestamp() as dumped_at before each dump";
            return Err(Error::new("a dump has neither a time nor the variable Uptime", hint));
        };
        self.count += 1;
        if self.count as usize > crate::limit::INTERVALS_MAX {
            let message = format!("the file has more than {} dumps", crate::limit::INTERVALS_MAX);
            return Err(Error::new(message, "give fewer of them, further apart"));
        }
        self.facts(&dump);
        // Of the server's own clock, which no step of another one moves.
        let flushed = dump.number("Uptime_since_flush_status").or(uptime);
        let since_ms =
            uptime.zip(flushed).map(|(uptime, flushed)| uptime.saturating_sub(flushed).saturating_mul(1000) as i64);
        let rows = BTreeMap::from([(String::new(), Counts { since_ms, values: dump.values })]);
        let server_seconds = uptime.map(|seconds| seconds as f64);
        self.part.tracks.dump(&STATUS, Snapshot { at_ms, server_seconds, rows });
        Ok(())
    }

    fn facts(&mut self, dump: &Dump) {
        let version = dump.facts.get("version").map(String::as_str);
        let has_aria = dump.has_aria || self.part.engine == Some(engine_name::of_status(None, true));
        self.part.engine = Some(engine_name::of_status(version, has_aria));
        self.part.version = version.map(str::to_owned).or(self.part.version.take());
        self.part.database_id = dump.facts.get("server_uuid").cloned().or(self.part.database_id.take());
        let pages = dump.number("Innodb_buffer_pool_pages_total").zip(dump.number("Innodb_page_size"));
        let pool = dump.number("innodb_buffer_pool_size").or(pages.and_then(|(count, size)| count.checked_mul(size)));
        self.part.instance.buffer_cache_bytes = pool.map(Bytes).or(self.part.instance.buffer_cache_bytes);
    }

    fn finish(mut self, is_complete: bool, foreign_count: u64) -> Result<Vec<Part>> {
        if !is_complete && !self.dump.is_empty() {
            // Of the last line a part of a number may be missing.
            add(&mut self.part.doubts, Found::refusal(DoubtKind::Truncated));
        } else if !self.dump.is_empty() {
            self.end()?;
        }
        if foreign_count > 0 {
            add(&mut self.part.doubts, Found::warning(DoubtKind::Encoding).times(foreign_count));
        }
        Ok(if self.part.tracks.is_empty() { Vec::new() } else { vec![self.part] })
    }
}

/// The amounts of an interval of a server of `version`.
pub(crate) fn amounts(
    span: &RateSpan,
    version: Option<&str>,
    engine: Option<&str>,
    doubts: &mut Vec<Found>,
) -> Amounts {
    use LoadQuantity::*;
    let rate = |name: &str| span.rates.get(name).copied();
    let sum = |names: &[&str]| names.iter().filter_map(|name| rate(name)).reduce(|sum, rate| sum + rate);
    let is_maria = engine == Some(engine_name::of_status(None, true));
    let mut amounts = Amounts::new();
    let changes = [
        "Com_insert",
        "Com_insert_select",
        "Com_update",
        "Com_update_multi",
        "Com_delete",
        "Com_delete_multi",
        "Com_replace",
        "Com_replace_select",
    ];
    let explicit = rate("Com_commit").filter(|commits| *commits > 0.0);
    let changed = sum(&changes);
    // Statements that commit by themselves are no such statements: where both may be, the count is a lower bound.
    if explicit.zip(changed).is_some_and(|(commits, changed)| changed > commits) {
        add(doubts, Found::warning(DoubtKind::CommitStatements).at(span.started_at_ms));
    }
    put(&mut amounts, CommitsPerSecond, explicit.or(changed).or(rate("Com_commit")));
    put(&mut amounts, RollbacksPerSecond, rate("Com_rollback"));
    put(&mut amounts, StatementsPerSecond, rate("Questions"));
    put(&mut amounts, LogicalReadsPerSecond, rate("Innodb_buffer_pool_read_requests"));
    put(&mut amounts, PhysicalReadsPerSecond, rate("Innodb_data_reads"));
    put(&mut amounts, PhysicalReadBytesPerSecond, rate("Innodb_data_read"));
    // Where the log is not in the writes of data, it is added; where that is not known, neither is the sum.
    let log = match engine_name::data_writes_include_log(version, is_maria) {
        Some(true) => Some((0.0, 0.0)),
        Some(false) => rate("Innodb_log_writes").zip(rate("Innodb_os_log_written")),
        None => None,
    };
    let writes = rate("Innodb_data_writes").zip(log).map(|(data, (writes, _))| data + writes);
    let written = rate("Innodb_data_written").zip(log).map(|(data, (_, bytes))| data + bytes);
    put(&mut amounts, PhysicalWritesPerSecond, writes);
    put(&mut amounts, PhysicalWriteBytesPerSecond, written);
    let log_bytes = ["Innodb_lsn_current", "Innodb_redo_log_current_lsn", "Innodb_os_log_written"];
    put(&mut amounts, LogBytesPerSecond, log_bytes.iter().find_map(|name| rate(name)));
    put(&mut amounts, LogWritesPerSecond, rate("Innodb_log_writes"));
    put(&mut amounts, LogSyncsPerSecond, rate("Innodb_os_log_fsyncs"));
    put(&mut amounts, NetworkReceivedBytesPerSecond, rate("Bytes_received"));
    put(&mut amounts, NetworkSentBytesPerSecond, rate("Bytes_sent"));
    put(&mut amounts, Sessions, rate("Threads_connected"));
    // These count only where statistics of users are on. Otherwise one of the running threads is the one that asks.
    let timed = |name: &str| rate(name).map(|time| time / 1e6).filter(|time| *time > 0.0);
    put(&mut amounts, DatabaseProcessorSecondsPerSecond, timed("Cpu_time"));
    let running = rate("Threads_running").map(|running| (running - 1.0).max(0.0));
    put(&mut amounts, ActiveSessions, timed("Busy_time").or(running));
    amounts
}

/// Where to get a quantity that the dumps do not have.
pub(crate) fn elsewhere(quantity: LoadQuantity, engine: Option<&str>) -> Elsewhere {
    use LoadQuantity::*;
    let is_maria = engine == Some(engine_name::of_status(None, true));
    match quantity {
        DatabaseProcessorSecondsPerSecond if is_maria => Elsewhere::Setting { name: "userstat".to_owned() },
        DatabaseProcessorSecondsPerSecond | HostBusyShare | HostFreeMemoryBytes => Elsewhere::HostStatistics,
        PhysicalWritesPerSecond | PhysicalWriteBytesPerSecond if is_maria => {
            Elsewhere::View { name: "show global variables like 'version'".to_owned() }
        }
        SequentialReadsPerSecond | SequentialWritesPerSecond => Elsewhere::Nowhere,
        RandomReadSeconds | CommitSeconds => Elsewhere::Watching,
        LogSyncsPerSecond if is_maria => Elsewhere::HostStatistics,
        _ => Elsewhere::View { name: "show global status".to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_sorted_for_the_search() {
        assert!(STATUS.columns.is_sorted_by_key(|(name, _)| name));
    }
}
