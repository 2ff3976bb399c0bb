//! What AWR Miner writes: sections between marks, columns of fixed width below rulers.
//!
//! Main metrics are averages of a snapshot's interval, with the largest minute of some. Sizes are gigabytes, rounded to a tenth;
//! so are megabytes per second.

use std::collections::BTreeMap;
use std::io::BufRead;

use record::Bytes;
use record::load_profile::{DoubtKind, Elsewhere, LoadQuantity};

use crate::error::{Error, Result, shown};
use crate::form::Form;
use crate::found::{Found, add};
use crate::limit::{COLUMNS_MAX, INSTANCES_MAX, INTERVALS_MAX};
use crate::lines::Lines;
use crate::moment;
use crate::number::{plain, whole};
use crate::part::{Amounts, Part, Span, put, put_with_max};

/// What a line is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Other,
    System,
    Memory,
    Size,
    Metrics,
}

const SECTIONS: [(&str, Section); 4] = [
    ("OS-INFORMATION", Section::System),
    ("MEMORY", Section::Memory),
    ("SIZE-ON-DISK", Section::Size),
    ("MAIN-METRICS", Section::Metrics),
];

/// Columns of a table: name, and where it begins and ends, in characters.
type Columns = Vec<(String, usize, usize)>;

#[derive(Debug)]
struct File {
    section: Section,
    /// The line before the ruler.
    headings: String,
    columns: Columns,
    facts: BTreeMap<String, String>,
    parts: BTreeMap<u32, Part>,
    /// Ends of snapshots, by their number.
    ends: BTreeMap<u64, i64>,
    sizes: Vec<(u64, u64)>,
    doubts: Vec<Found>,
    is_open: bool,
    metrics_seen: bool,
    span_count: usize,
}

pub(crate) fn read(input: impl BufRead) -> Result<Vec<Part>> {
    let mut lines = Lines::new(input);
    let mut file = File {
        section: Section::Other,
        headings: String::new(),
        columns: Columns::new(),
        facts: BTreeMap::new(),
        parts: BTreeMap::new(),
        ends: BTreeMap::new(),
        sizes: Vec::new(),
        doubts: Vec::new(),
        is_open: false,
        metrics_seen: false,
        span_count: 0,
    };
    while let Some(line) = lines.next()? {
        let result = file.line(line);
        result.map_err(|error| error.at(lines.number()))?;
    }
    if lines.foreign_count() > 0 {
        add(&mut file.doubts, Found::warning(DoubtKind::Encoding).times(lines.foreign_count()));
    }
    Ok(file.finish(lines.is_complete()))
}

impl File {
    fn line(&mut self, line: &str) -> Result<()> {
        let trimmed = line.trim();
        if let Some(name) = mark(trimmed, "~~BEGIN-") {
            let known = SECTIONS.iter().find(|(known, _)| *known == name);
            self.section = known.map_or(Section::Other, |(_, section)| *section);
            self.metrics_seen |= self.section == Section::Metrics;
            self.columns.clear();
            self.is_open = true;
        } else if mark(trimmed, "~~END-").is_some() {
            self.section = Section::Other;
            self.is_open = false;
        } else if self.section == Section::Other || trimmed.is_empty() {
        } else if trimmed.bytes().all(|byte| matches!(byte, b'-' | b' ')) && self.section != Section::System {
            self.columns = columns(line, &self.headings)?;
        } else if self.section == Section::System {
            let (name, value) = trimmed.split_once(char::is_whitespace).unwrap_or((trimmed, ""));
            if self.facts.len() < COLUMNS_MAX {
                self.facts.entry(shown(name)).or_insert_with(|| shown(value));
            }
        } else if self.columns.is_empty() || trimmed.starts_with(|letter: char| letter.is_alphabetic()) {
            // Headings come again on each page.
            self.headings.clear();
            self.headings.push_str(line);
        } else {
            self.row(line)?;
        }
        Ok(())
    }

    fn row(&mut self, line: &str) -> Result<()> {
        let letters: Vec<char> = line.chars().collect();
        let mut row = Row { columns: &self.columns, letters: &letters, doubts: &mut self.doubts };
        match self.section {
            Section::Metrics => {
                let Some((snapshot, number, span)) = row.metrics() else { return Ok(()) };
                if self.span_count >= INTERVALS_MAX
                    || (self.parts.len() >= INSTANCES_MAX && !self.parts.contains_key(&number))
                {
                    let message = format!("there are more than {INTERVALS_MAX} intervals or {INSTANCES_MAX} instances");
                    return Err(Error::new(message, "give fewer days"));
                }
                self.span_count += 1;
                self.ends.insert(snapshot, span.ended_at_ms());
                part(&mut self.parts, number).spans.push(span);
            }
            Section::Memory => {
                let Some(number) = row.instance("INSTANCE_NUMBER") else { return Ok(()) };
                let gigabytes = |value: f64| whole(value * f64::powi(1024.0, 3)).map(Bytes);
                let (shared, sessions) = (row.number("SGA").and_then(gigabytes), row.number("PGA").and_then(gigabytes));
                if self.parts.len() < INSTANCES_MAX {
                    let instance = &mut part(&mut self.parts, number).instance;
                    instance.shared_memory_bytes = instance.shared_memory_bytes.max(shared);
                    instance.session_memory_bytes = instance.session_memory_bytes.max(sessions);
                }
            }
            Section::Size => {
                let size = row.number("SIZE_GB").and_then(|size| whole(size * f64::powi(1024.0, 3)));
                if let Some((snapshot, size)) = row.snapshot("SNAP_ID").zip(size)
                    && self.sizes.len() < INTERVALS_MAX
                {
                    self.sizes.push((snapshot, size));
                }
            }
            Section::Other | Section::System => {}
        }
        Ok(())
    }

    fn finish(mut self, is_complete: bool) -> Vec<Part> {
        if self.is_open || !is_complete {
            add(&mut self.doubts, Found::warning(DoubtKind::Truncated));
        }
        if !self.metrics_seen {
            add(&mut self.doubts, Found::refusal(DoubtKind::SectionMissing { heading: "MAIN-METRICS".to_owned() }));
        }
        let fact = |name: &str| self.facts.get(name).filter(|text| !text.is_empty()).cloned();
        let count = |name: &str| fact(name)?.parse::<u32>().ok().filter(|count| *count > 0);
        // The file has the facts of the first instance alone.
        if let Some(part) = self.parts.get_mut(&1) {
            part.instance.hardware_threads = count("NUM_CPUS");
            part.instance.cores = count("NUM_CPU_CORES");
            part.instance.sockets = count("NUM_CPU_SOCKETS");
            let gigabytes = fact("PHYSICAL_MEMORY_GB").and_then(|text| plain(&text));
            part.instance.memory_bytes = gigabytes.and_then(|size| whole(size * f64::powi(1024.0, 3))).map(Bytes);
        }
        let sizes: Vec<(i64, u64)> =
            self.sizes.iter().filter_map(|(snapshot, size)| Some((*self.ends.get(snapshot)?, *size))).collect();
        let mut parts: Vec<Part> = Vec::new();
        for mut part in std::mem::take(&mut self.parts).into_values().filter(|part| !part.spans.is_empty()) {
            part.version = fact("VERSION");
            part.database_id = fact("DBID");
            part.database_name = fact("DB_NAME");
            part.instances_expected = count("INSTANCES");
            if count("INSTANCES") == Some(1) {
                part.instance.host_name = fact("HOSTS");
            }
            if parts.is_empty() {
                part.sizes.clone_from(&sizes);
                part.doubts = std::mem::take(&mut self.doubts);
            }
            parts.push(part);
        }
        parts
    }
}

fn part(parts: &mut BTreeMap<u32, Part>, number: u32) -> &mut Part {
    parts.entry(number).or_insert_with(|| {
        let mut part = Part::new(Form::AwrMiner);
        part.instance.number = number;
        part
    })
}

/// The name within a mark.
fn mark<'a>(line: &'a str, begin: &str) -> Option<&'a str> {
    line.strip_prefix(begin)?.strip_suffix("~~")
}

fn columns(ruler: &str, headings: &str) -> Result<Columns> {
    let headings: Vec<char> = headings.chars().collect();
    let ruler: Vec<char> = ruler.chars().collect();
    let mut columns = Columns::new();
    let mut begin = 0;
    while begin < ruler.len() {
        let end = ruler[begin..].iter().position(|letter| *letter != '-').map_or(ruler.len(), |length| begin + length);
        if end > begin {
            if columns.len() == COLUMNS_MAX {
                let message = format!("a table has more than {COLUMNS_MAX} columns");
                return Err(Error::new(message, "is it the file that was meant?"));
            }
            let name: String = headings.get(begin..end.min(headings.len())).unwrap_or_default().iter().collect();
            columns.push((name.trim().to_owned(), begin, end));
        }
        begin = end + 1;
    }
    Ok(columns)
}

/// A line of a table by the names of its columns.
struct Row<'a> {
    columns: &'a Columns,
    letters: &'a [char],
    doubts: &'a mut Vec<Found>,
}

impl Row<'_> {
    /// What stands in a column, if there is anything.
    fn cell(&self, name: &str) -> Option<String> {
        let (_, begin, end) = self.columns.iter().find(|(column, _, _)| column == name)?;
        let cell: String = self.letters.get(*begin..(*end).min(self.letters.len()))?.iter().collect();
        let cell = cell.trim();
        (!cell.is_empty()).then(|| cell.to_owned())
    }

    fn number(&mut self, name: &str) -> Option<f64> {
        let cell = self.cell(name)?;
        let value = plain(&cell).filter(|value| *value >= 0.0);
        if value.is_none() {
            let kind = DoubtKind::Impossible { field: name.to_owned(), text: shown(&cell) };
            add(self.doubts, Found::refusal(kind));
        }
        value
    }

    fn snapshot(&mut self, name: &str) -> Option<u64> {
        self.number(name).and_then(whole)
    }

    fn instance(&mut self, name: &str) -> Option<u32> {
        self.number(name).filter(|number| (1.0..65536.0).contains(number)).map(|number| number as u32)
    }

    /// The end of the interval, `13/05/09 13:52`.
    fn end_ms(&mut self) -> Option<i64> {
        let cell = self.cell("end")?;
        let found = cell
            .split_once(' ')
            .and_then(|(day, time)| Some(moment::year_first_ms(day, '/')? + moment::time_ms(time.trim())?));
        if found.is_none() {
            let kind = DoubtKind::Impossible { field: "end".to_owned(), text: shown(&cell) };
            add(self.doubts, Found::refusal(kind));
        }
        found
    }

    /// The snapshot, its instance, and its interval.
    fn metrics(&mut self) -> Option<(u64, u32, Span)> {
        use LoadQuantity::*;
        let (snapshot, number, ended_at_ms) = (self.snapshot("snap")?, self.instance("inst")?, self.end_ms()?);
        let seconds = self.number("dur_m").filter(|minutes| *minutes > 0.0 && *minutes < 1e6)? * 60.0;
        let mut amounts = Amounts::new();
        let mebibyte = 1_048_576.0;
        let with_max = [
            (PhysicalReadsPerSecond, "read_iops", "read_iops_max", 1.0),
            (PhysicalReadBytesPerSecond, "read_mb_s", "read_mb_s_max", mebibyte),
            (PhysicalWritesPerSecond, "write_iops", "write_iops_max", 1.0),
            (PhysicalWriteBytesPerSecond, "write_mb_s", "write_mb_s_max", mebibyte),
            (HostBusyShare, "os_cpu", "os_cpu_max", 0.01),
            (ActiveSessions, "aas", "aas_max", 1.0),
        ];
        for (quantity, name, max_name, factor) in with_max {
            let (average, max) = (self.number(name), self.number(max_name));
            put_with_max(&mut amounts, quantity, average.map(|value| value * factor), max.map(|value| value * factor));
        }
        let averages = [
            (CommitsPerSecond, "commits_s", 1.0),
            (LogBytesPerSecond, "redo_mb_s", mebibyte),
            (LogicalReadsPerSecond, "l_reads_s", 1.0),
            (StatementsPerSecond, "exec_s", 1.0),
            (DatabaseProcessorSecondsPerSecond, "cpu_per_s", 1.0),
            (Sessions, "logons_total", 1.0),
        ];
        for (quantity, name, factor) in averages {
            let average = self.number(name).map(|value| value * factor);
            put(&mut amounts, quantity, average);
        }
        // A latency of 0 is one that is below what is written.
        let latency = self.number("s_blk_r_lat").filter(|milliseconds| *milliseconds > 0.0);
        put(&mut amounts, RandomReadSeconds, latency.map(|milliseconds| milliseconds / 1e3));
        let started_at_ms = ended_at_ms - (seconds * 1e3) as i64;
        Some((snapshot, number, Span { started_at_ms, seconds, amounts }))
    }
}

/// Where to get a quantity that the file does not have.
pub(crate) fn elsewhere(quantity: LoadQuantity) -> Elsewhere {
    match quantity {
        LoadQuantity::HostFreeMemoryBytes => Elsewhere::HostStatistics,
        LoadQuantity::DatabaseProcessorSecondsPerSecond => {
            Elsewhere::View { name: "AWR report or file of AWR Miner 4".to_owned() }
        }
        _ => Elsewhere::View { name: "AWR report".to_owned() },
    }
}
