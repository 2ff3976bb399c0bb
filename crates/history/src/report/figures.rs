//! The load of a report of what was collected of it.

use record::Bytes;
use record::load_profile::{DoubtKind, Elsewhere, LoadQuantity};

use crate::error::{Error, Result, shown};
use crate::form::Form;
use crate::found::{Found, add};
use crate::limit::CLOCK_SECONDS;
use crate::moment::{self, DAY_MS};
use crate::number::{self, Evidence, Notation, whole};
use crate::part::{Amounts, Part, Span, put};

use super::collected::{ByInstance, Collected, Event, InstanceRows, Row};

/// Bytes of the megabytes of reports.
const MEBIBYTE: f64 = 1_048_576.0;

/// Number of the instance that stands for all of a cluster.
pub(super) const CLUSTER: u32 = 0;

/// Reads the numbers of a report, and notes those that cannot be.
struct Reader<'a> {
    report: &'a Collected,
    notation: Option<Notation>,
    doubts: Vec<Found>,
}

/// The part of a history that a report is.
pub(super) fn part(form: Form, report: &Collected) -> Result<Part> {
    let mut reader = Reader { report, notation: evidence(report).notation()?, doubts: Vec::new() };
    let mut part = Part::new(form);
    let fact = |name: &str| report.facts.get(name).cloned();
    part.version = fact("release");
    part.database_id = fact("database id");
    part.database_name = fact("database name");
    let span = match report.is_of_cluster {
        true => reader.cluster(&mut part)?,
        false => reader.instance(&mut part)?,
    };
    part.spans.push(span);
    part.doubts = reader.doubts;
    if !report.is_complete {
        add(&mut part.doubts, Found::warning(DoubtKind::Truncated));
    }
    Ok(part)
}

/// Numbers that tell the notation: those of columns that are read.
fn evidence(report: &Collected) -> Evidence {
    let mut evidence = Evidence::default();
    let labels = report.labels.iter().filter(|(label, _)| !matches!(**label, "beginsnap" | "endsnap"));
    labels.flat_map(|(_, values)| values).for_each(|text| evidence.see(first_number(text)));
    report.statistics.values().for_each(|text| evidence.see(text));
    for Event { waits, seconds, average } in report.events.values() {
        [waits, seconds, average].iter().for_each(|text| evidence.see(text));
    }
    for row in report.by_instance.values().flat_map(InstanceRows::values) {
        let figures = row.iter().filter(|(heading, _)| is_figure(heading));
        figures.for_each(|(_, text)| evidence.see(text));
    }
    evidence
}

/// Whether a column of a table by instance has numbers, and no names, times or versions.
fn is_figure(heading: &str) -> bool {
    let others = ["release", "version", "host", "instance", "startup", "snaptime", "platform", "name"];
    !others.iter().any(|other| heading.contains(other))
}

/// A text up to its unit in brackets: `6.03 (mins)`.
fn first_number(text: &str) -> &str {
    text.split(" (").next().unwrap_or(text)
}

impl Reader<'_> {
    /// A number that is not below 0.
    fn number(&mut self, field: &str, text: &str) -> Option<f64> {
        let text = text.trim();
        if text.is_empty() || text == "N/A" {
            return None;
        }
        let value = number::number(text, self.notation).filter(|value| *value >= 0.0);
        if value.is_none() {
            // With a notation that is known it would be a number.
            let is_ambiguous = number::number(text, Some(Notation::Point)).is_some_and(|value| value >= 0.0)
                && self.notation.is_none();
            let kind = match is_ambiguous {
                true => DoubtKind::AmbiguousNumber { text: shown(text) },
                false => DoubtKind::Impossible { field: field.to_owned(), text: shown(text) },
            };
            add(&mut self.doubts, Found::refusal(kind));
        }
        value
    }

    /// The value of a label in a column.
    fn label(&mut self, label: &str, column: usize) -> Option<f64> {
        let text = self.report.labels.get(label)?.get(column)?.clone();
        self.number(label, first_number(&text))
    }

    fn any_label<const COUNT: usize>(&mut self, labels: [&str; COUNT]) -> Option<f64> {
        labels.iter().find_map(|label| self.label(label, 0))
    }

    fn statistic(&mut self, name: &str) -> Option<f64> {
        let text = self.report.statistics.get(name)?.clone();
        self.number(name, &text)
    }

    fn count(&mut self, name: &str) -> Option<u32> {
        let text = self.report.facts.get(name)?.clone();
        let value = self.number(name, &text).filter(|count| (1.0..1e6).contains(count))?;
        Some(value as u32)
    }

    /// The begin of the interval of one instance, and its seconds.
    fn interval(&mut self) -> Result<(i64, f64)> {
        let begun = self.snapshot_ms("beginsnap");
        let ended = self.snapshot_ms("endsnap");
        let elapsed = self.label("elapsed", 0).map(|minutes| minutes * 60.0).filter(|seconds| *seconds > 0.0);
        let (Some(begun_at_ms), Some(ended_at_ms)) = (begun, ended) else {
            let hint = "is it complete? Its header has the times of both snapshots";
            return Err(Error::new("the report does not tell when it begins and ends", hint));
        };
        let clock_seconds = (ended_at_ms - begun_at_ms) as f64 / 1e3;
        // Where the clock was set within the interval, the time that went by is another one than the clock shows.
        let seconds = elapsed.unwrap_or(clock_seconds);
        let step = clock_seconds - seconds;
        if step.abs() > CLOCK_SECONDS {
            add(&mut self.doubts, Found::warning(DoubtKind::ClockStep { seconds: step }).at(begun_at_ms));
        }
        self.length(begun_at_ms, if step.abs() > CLOCK_SECONDS { seconds } else { clock_seconds })
    }

    fn length(&self, begun_at_ms: i64, seconds: f64) -> Result<(i64, f64)> {
        let seconds_max = 10.0 * 366.0 * DAY_MS as f64 / 1e3;
        if !(seconds > 0.0 && seconds < seconds_max) {
            let message = format!("the interval of the report has {seconds} s");
            return Err(Error::new(message, "is the end of the report that of its beginning?"));
        }
        Ok((begun_at_ms, seconds))
    }

    fn snapshot_ms(&self, label: &str) -> Option<i64> {
        let words = self.report.labels.get(label)?;
        day_and_time(words.get(1)?, words.get(2)?)
    }

    /// The load of one instance.
    fn instance(&mut self, part: &mut Part) -> Result<Span> {
        use LoadQuantity::*;
        let (started_at_ms, seconds) = self.interval()?;
        self.facts(part);
        let mut amounts = Amounts::new();
        self.activity(&mut amounts, seconds);
        // The load profile is rounded, and of the I/O of sessions alone.
        let fallbacks = [
            (PhysicalReadsPerSecond, ["totalrequests", ""], 1, 1.0),
            (PhysicalWritesPerSecond, ["totalrequests", ""], 2, 1.0),
            (PhysicalReadBytesPerSecond, ["totalmb", ""], 1, MEBIBYTE),
            (PhysicalWriteBytesPerSecond, ["totalmb", ""], 2, MEBIBYTE),
            (PhysicalReadsPerSecond, ["readiorequests", ""], 0, 1.0),
            (PhysicalWritesPerSecond, ["writeiorequests", ""], 0, 1.0),
            (PhysicalReadBytesPerSecond, ["readiomb", ""], 0, MEBIBYTE),
            (PhysicalWriteBytesPerSecond, ["writeiomb", ""], 0, MEBIBYTE),
            (LogBytesPerSecond, ["redosizebytes", "redosize"], 0, 1.0),
            (LogicalReadsPerSecond, ["logicalreadblocks", "logicalreads"], 0, 1.0),
            (StatementsPerSecond, ["executessql", "executes"], 0, 1.0),
            (RollbacksPerSecond, ["rollbacks", ""], 0, 1.0),
        ];
        for (quantity, labels, column, factor) in fallbacks {
            if !amounts.contains_key(&quantity) {
                let rate = labels.iter().find_map(|label| self.label(label, column));
                put(&mut amounts, quantity, rate.map(|rate| rate * factor));
            }
        }
        if !amounts.contains_key(&CommitsPerSecond) {
            let commits = self.label("transactions", 0).zip(self.label("rollbacks", 0));
            put(&mut amounts, CommitsPerSecond, commits.map(|(all, rolled_back)| (all - rolled_back).max(0.0)));
        }
        let db_seconds = self.statistic("DB time").map(|time| time / seconds);
        put(&mut amounts, ActiveSessions, db_seconds.or_else(|| Some(self.label("dbtime", 0)? * 60.0 / seconds)));
        let processor = self.statistic("DB CPU").map(|time| time / seconds).or_else(|| self.any_label(["dbcpus"]));
        let background = self.statistic("background cpu time").map(|time| time / seconds);
        let background = background.or_else(|| self.any_label(["backgroundcpus"])).unwrap_or(0.0);
        put(&mut amounts, DatabaseProcessorSecondsPerSecond, processor.map(|processor| processor + background));
        let busy = self.statistic("BUSY_TIME").zip(self.statistic("IDLE_TIME"));
        let share = busy.filter(|(busy, idle)| busy + idle > 0.0).map(|(busy, idle)| busy / (busy + idle));
        put(&mut amounts, HostBusyShare, share);
        put(&mut amounts, HostFreeMemoryBytes, self.statistic("FREE_MEMORY_BYTES"));
        put(&mut amounts, Sessions, self.sessions());
        self.latencies(&mut amounts);
        Ok(Span { started_at_ms, seconds, amounts })
    }

    /// What the instance activity counts, of one instance or of all of a cluster.
    fn activity(&mut self, amounts: &mut Amounts, seconds: f64) {
        use LoadQuantity::*;
        let counted = [
            (PhysicalReadsPerSecond, "physical read total IO requests"),
            (SequentialReadsPerSecond, "physical read total multi block requests"),
            (PhysicalReadBytesPerSecond, "physical read total bytes"),
            (PhysicalWritesPerSecond, "physical write total IO requests"),
            (SequentialWritesPerSecond, "physical write total multi block requests"),
            (PhysicalWriteBytesPerSecond, "physical write total bytes"),
            (CommitsPerSecond, "user commits"),
            (RollbacksPerSecond, "user rollbacks"),
            (LogBytesPerSecond, "redo size"),
            (LogWritesPerSecond, "redo writes"),
            (LogSyncsPerSecond, "redo synch writes"),
            (LogicalReadsPerSecond, "session logical reads"),
            (StatementsPerSecond, "execute count"),
            (NetworkReceivedBytesPerSecond, "bytes received via SQL*Net from client"),
            (NetworkSentBytesPerSecond, "bytes sent via SQL*Net to client"),
        ];
        for (quantity, name) in counted {
            let total = self.statistic(name);
            put(amounts, quantity, total.map(|total| total / seconds));
        }
    }

    /// Sessions at both snapshots, on average.
    fn sessions(&mut self) -> Option<f64> {
        let mut at = |label: &str| {
            let text = self.report.labels.get(label)?.get(3)?.clone();
            self.number("sessions", &text)
        };
        Some((at("beginsnap")? + at("endsnap")?) / 2.0)
    }

    fn latencies(&mut self, amounts: &mut Amounts) {
        let names = [
            (
                LoadQuantity::RandomReadSeconds,
                ["db file sequential read", "cell single block physical read"].as_slice(),
            ),
            (LoadQuantity::CommitSeconds, ["log file sync"].as_slice()),
        ];
        for (quantity, names) in names {
            // Of an engine with two ways to read, the one that is used more.
            let events = names.iter().filter_map(|name| self.report.events.get(name).cloned());
            let waits: Vec<(Event, f64)> = events
                .filter_map(|event| Some((event.clone(), number::number(&event.waits, self.notation)?)))
                .collect();
            let Some((event, waits)) = waits.into_iter().max_by(|one, other| one.1.total_cmp(&other.1)) else {
                continue;
            };
            let total = number::number(&event.seconds, self.notation);
            // Seconds are whole ones: of few of them the average is the better one, if it has a unit.
            let average = number::duration_seconds(&event.average, self.notation)
                .or_else(|| Some(total.filter(|total| *total >= 10.0 && waits > 0.0)? / waits));
            put(amounts, quantity, average.filter(|seconds| *seconds > 0.0));
        }
    }

    fn facts(&mut self, part: &mut Part) {
        let size = |label: &str, column: usize| -> Option<Bytes> {
            number::size_bytes(self.report.labels.get(label)?.get(column)?, self.notation).map(Bytes)
        };
        // The later value, where it changed.
        let buffer_cache = size("buffercache", 1).or(size("buffercache", 0));
        let mut megabytes = |label: &str| -> Option<Bytes> {
            let size = self.label(label, 1).or_else(|| self.label(label, 0))?;
            whole(size * MEBIBYTE).map(Bytes)
        };
        let (shared, sessions) = (megabytes("sgausemb"), megabytes("pgausemb"));
        let instance = &mut part.instance;
        instance.buffer_cache_bytes = buffer_cache;
        instance.shared_memory_bytes = shared;
        instance.session_memory_bytes = sessions;
        instance.number = self.count("instance number").unwrap_or(1);
        instance.name = self.report.facts.get("instance").cloned();
        instance.host_name = self.report.facts.get("host").cloned();
        let mut counted = |statistic: &str, fact: &str| -> Option<u32> {
            let value = self.statistic(statistic).filter(|count| (1.0..1e6).contains(count));
            value.map(|count| count as u32).or_else(|| self.count(fact))
        };
        instance.hardware_threads = counted("NUM_CPUS", "cpus");
        instance.cores = counted("NUM_CPU_CORES", "cores");
        instance.sockets = counted("NUM_CPU_SOCKETS", "sockets");
        let memory = self.statistic("PHYSICAL_MEMORY_BYTES").and_then(whole);
        let gigabytes = self.report.facts.get("memory gb").cloned().and_then(|text| self.number("memory", &text));
        instance.memory_bytes = memory.or(gigabytes.and_then(|size| whole(size * MEBIBYTE * 1024.0))).map(Bytes);
        part.instances_expected = self.count("instances").or_else(|| self.instances_labelled());
    }

    /// Instances of a cluster, where a line of its own has their number at both snapshots.
    fn instances_labelled(&mut self) -> Option<u32> {
        let counts = [self.label("numberofinstances", 0), self.label("numberofinstances", 1)];
        let count = counts.into_iter().flatten().reduce(f64::max)?;
        (1.0..1e6).contains(&count).then_some(count as u32)
    }

    /// The load of a cluster, as its global report has it: counts of all instances, and sums of what is told by instance.
    fn cluster(&mut self, part: &mut Part) -> Result<Span> {
        use LoadQuantity::*;
        let instances = self.report.by_instance.get(&ByInstance::Instances).cloned().unwrap_or_default();
        let (started_at_ms, seconds) = self.cluster_interval(&instances)?;
        part.instance.number = CLUSTER;
        let included = u32::try_from(instances.len()).ok();
        part.instances_expected = self.count("instances").or(included);
        let read = self.count("instances in report").or(included);
        if let Some((read, expected)) = read.zip(part.instances_expected).filter(|(read, expected)| read < expected) {
            add(&mut self.doubts, Found::warning(DoubtKind::InstancesMissing { read, expected }).at(started_at_ms));
        }
        let first = |heading: &str| instances.values().find_map(|row| cell(row, |key| key == heading));
        part.version = part.version.take().or(first("release"));
        let mut amounts = Amounts::new();
        self.activity(&mut amounts, seconds);
        let per_second = self.complete(ByInstance::PerSecond, &instances, started_at_ms);
        let sums = [
            (LogicalReadsPerSecond, "logicalreads/s", 1.0),
            (LogBytesPerSecond, "redosizek/s", 1024.0),
            (StatementsPerSecond, "execs/s", 1.0),
        ];
        for (quantity, heading, factor) in sums {
            if !amounts.contains_key(&quantity) {
                let sum = self.sum(&per_second, |key| key == heading);
                put(&mut amounts, quantity, sum.map(|sum| sum * factor));
            }
        }
        let time_model = self.complete(ByInstance::TimeModel, &instances, started_at_ms);
        let minutes = self.sum(&instances, |key| key.starts_with("dbtime"));
        put(&mut amounts, ActiveSessions, minutes.map(|minutes| minutes * 60.0 / seconds));
        let processor = self.sum(&time_model, |key| key.starts_with("dbcpu"));
        let background = self.sum(&time_model, is_background).unwrap_or(0.0);
        put(&mut amounts, DatabaseProcessorSecondsPerSecond, processor.map(|time| (time + background) / seconds));
        let system = self.complete(ByInstance::System, &instances, started_at_ms);
        let busy = self.sum(&system, |key| ends(key, "busy") || ends(key, "busytimes"));
        let idle = self.sum(&system, |key| ends(key, "idle") || ends(key, "idletimes"));
        let busy = busy.zip(idle).filter(|(busy, idle)| busy + idle > 0.0);
        put(&mut amounts, HostBusyShare, busy.map(|(busy, idle)| busy / (busy + idle)));
        let threads = self.sum(&system, |key| key.ends_with("#cpus") || key.ends_with("numcpus") || key == "cpus");
        let cores = self.sum(&system, |key| key.ends_with("#core") || key.ends_with("#cores"));
        let count = |sum: Option<f64>| sum.filter(|count| (1.0..1e6).contains(count)).map(|count| count as u32);
        part.instance.hardware_threads = count(threads);
        part.instance.cores = count(cores);
        let bytes = |megabytes: Option<f64>| {
            megabytes.filter(|size| *size > 0.0).and_then(|size| whole(size * MEBIBYTE)).map(Bytes)
        };
        part.instance.memory_bytes = bytes(self.sum(&system, |key| key.starts_with("memory") || key == "mb"));
        let caches = self.complete(ByInstance::Caches, &instances, started_at_ms);
        // The later size stands only where it changed.
        let mut size = |what: &str| {
            let of = |moment: &str| format!("{what}{moment}");
            let (begin, end) = (of("begin"), of("end"));
            let later = |row: &Row| row.get(&end).or_else(|| row.get(&begin)).cloned();
            bytes(self.sum_of(&caches, later))
        };
        part.instance.shared_memory_bytes = size("sgatarget");
        part.instance.session_memory_bytes = size("pgatarget");
        part.instance.buffer_cache_bytes = size("dbcache");
        Ok(Span { started_at_ms, seconds, amounts })
    }

    fn cluster_interval(&mut self, instances: &InstanceRows) -> Result<(i64, f64)> {
        let moments = |ending: &str| -> Vec<i64> {
            let texts = instances.values().filter_map(|row| cell(row, |key| key.ends_with(ending)));
            texts
                .filter_map(|text| text.split_once(' ').and_then(|(day, time)| day_and_time(day, time.trim())))
                .collect()
        };
        let begun = moments("beginsnaptime").into_iter().min();
        let ended = moments("endsnaptime").into_iter().max();
        let minutes = self.longest(instances, |key| key.starts_with("elapsedtime"));
        let (Some(begun_at_ms), Some(ended_at_ms)) = (begun, ended) else {
            let hint = "is it complete? Its table of instances has the times of both snapshots";
            return Err(Error::new("the report does not tell when it begins and ends", hint));
        };
        // The moments are those of minutes, the length is exact.
        self.length(begun_at_ms, minutes.map_or((ended_at_ms - begun_at_ms) as f64 / 1e3, |minutes| minutes * 60.0))
    }

    /// The rows of a table, if it has one of each of `instances`; a table that does not is no sum of them, and left out.
    fn complete(&mut self, table: ByInstance, instances: &InstanceRows, at_ms: i64) -> InstanceRows {
        let Some(rows) = self.report.by_instance.get(&table) else { return InstanceRows::new() };
        if instances.keys().all(|number| rows.contains_key(number)) {
            return rows.clone();
        }
        let read = instances.keys().filter(|number| rows.contains_key(number)).count();
        let [read, expected] = [read, instances.len()].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        add(&mut self.doubts, Found::refusal(DoubtKind::InstancesMissing { read, expected }).at(at_ms));
        InstanceRows::new()
    }

    /// The sum over all instances; absent where one of them does not tell.
    fn sum(&mut self, rows: &InstanceRows, is_wanted: impl Fn(&str) -> bool) -> Option<f64> {
        self.sum_of(rows, |row| cell(row, &is_wanted))
    }

    fn sum_of(&mut self, rows: &InstanceRows, found: impl Fn(&Row) -> Option<String>) -> Option<f64> {
        let cells: Option<Vec<String>> = rows.values().map(found).collect();
        let cells = cells.filter(|cells| !cells.is_empty())?;
        cells.iter().map(|text| self.number("instance", text)).sum()
    }

    fn longest(&mut self, rows: &InstanceRows, is_wanted: impl Fn(&str) -> bool) -> Option<f64> {
        let cells: Vec<String> = rows.values().filter_map(|row| cell(row, &is_wanted)).collect();
        cells.iter().filter_map(|text| self.number("elapsed", text)).reduce(f64::max)
    }
}

fn cell(row: &Row, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
    row.iter().find(|(key, _)| is_wanted(key)).map(|(_, cell)| cell.clone())
}

/// Whether a heading of several lines ends with this word, and is no share.
fn ends(key: &str, ending: &str) -> bool {
    key.ends_with(ending) && !key.contains('%')
}

/// Whether a column of the time model has the processor time of background processes.
fn is_background(key: &str) -> bool {
    (key.starts_with("bg") || key.starts_with("bkg") || key.starts_with("background")) && key.contains("cpu")
}

/// `23-Jan-22` and `10:00:39`.
fn day_and_time(day: &str, time: &str) -> Option<i64> {
    Some(moment::named_day_ms(day)? + moment::time_ms(time)?)
}

/// Where to get a quantity that a report does not have.
pub(crate) fn elsewhere(quantity: LoadQuantity) -> Elsewhere {
    use LoadQuantity::*;
    let section = |heading: &str| Elsewhere::Section { heading: heading.to_owned() };
    match quantity {
        HostBusyShare | HostFreeMemoryBytes => section("Operating System Statistics"),
        ActiveSessions | DatabaseProcessorSecondsPerSecond => section("Time Model Statistics"),
        RandomReadSeconds | CommitSeconds => section("Foreground Wait Events"),
        Sessions => section("Begin Snap"),
        _ => section("Instance Activity Stats"),
    }
}
