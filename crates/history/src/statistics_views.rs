//! Dumps of the views `pg_stat_*` as separated values, of servers of version 13 to 18.
//!
//! A header tells by its columns which view follows, so that one file may have dumps of several views, one after the other and
//! again and again. A column has the time of the dump; `stats_reset` says since when a row counts.
//!
//! Reads and writes are those that the server asks of the operating system, whose page cache serves some of them. `pg_stat_io`
//! (since 16) counts requests, except in 17, where a request of several blocks counts as several. Before, blocks are counted,
//! each of which was a request then.

mod catalog;
mod figures;

use std::collections::BTreeMap;
use std::io::BufRead;

use record::Bytes;
use record::load_profile::{DoubtKind, Zone};

use crate::cumulative::{self, Counts, Snapshot};
use crate::error::{Error, Result, shown};
use crate::form::Form;
use crate::found::{Found, add};
use crate::moment;
use crate::number;
use crate::part::Part;
use crate::separated::{Records, SEPARATORS, split};

use catalog::{Dumped, VIEWS};
pub(crate) use figures::{amounts, elsewhere};

/// Whether `line` is the header of a view that is known.
pub(crate) fn is_header(line: &str) -> bool {
    header(line).is_some()
}

/// The view that a header is of, and its columns.
fn header(line: &str) -> Option<Header> {
    // Values are rarely words, and a header has several.
    if !line.contains('_') {
        return None;
    }
    let mut names = Vec::new();
    SEPARATORS.iter().find_map(|separator| {
        split(line, *separator, &mut names).ok()?;
        names.iter_mut().for_each(|name| *name = name.trim().to_ascii_lowercase());
        let has = |column: &str| names.iter().any(|name| name == column);
        let dumped = VIEWS.iter().find(|dumped| dumped.told_by.iter().all(|column| has(column)))?;
        let places: BTreeMap<String, usize> = names.iter().cloned().zip(0..).collect();
        let time = TIMES.iter().find_map(|column| places.get(*column).copied()).unwrap_or(usize::MAX);
        let columns = dumped.view.columns.iter().map(|(column, _)| places.get(*column).copied()).collect();
        Some(Header { dumped, separator: *separator, width: names.len(), places, time, columns })
    })
}

/// Names of columns with the time of a dump.
const TIMES: [&str; 14] = [
    "dumped_at",
    "now",
    "clock_timestamp",
    "statement_timestamp",
    "transaction_timestamp",
    "current_timestamp",
    "sampled_at",
    "snapshot_time",
    "snap_time",
    "collected_at",
    "captured_at",
    "time",
    "ts",
    "timestamp",
];

/// The columns of the records that follow.
struct Header {
    dumped: &'static Dumped,
    separator: char,
    places: BTreeMap<String, usize>,
    width: usize,
    /// The column with the time; beyond all of them if there is none.
    time: usize,
    /// Where the columns of the view are.
    columns: Vec<Option<usize>>,
}

impl Header {
    fn field<'a>(&self, fields: &'a [String], column: &str) -> Option<&'a str> {
        let field = fields.get(*self.places.get(column)?)?.trim();
        (!field.is_empty() && field != "\\N").then_some(field)
    }

    /// The time of a record, as it is written.
    fn time<'a>(&self, fields: &'a [String]) -> &'a str {
        fields.get(self.time).map_or("", |time| time.trim())
    }

    fn counts(&self, fields: &[String]) -> Counts {
        let since = self.field(fields, "stats_reset").and_then(moment::standard);
        let value = |(place, (column, _)): (&Option<usize>, &(&str, _))| {
            let text = fields.get((*place)?)?.trim();
            if column.ends_with("_time") {
                // Milliseconds with decimals, which are counted in thousandths.
                return number::whole(number::plain(text)? * 1e3);
            }
            // Sums may have decimals, too.
            text.parse().ok().or_else(|| number::whole(number::plain(text)?))
        };
        let values = self.columns.iter().zip(self.dumped.view.columns).map(value).collect();
        Counts { since_ms: since.map(|(since_ms, _)| since_ms), values }
    }

    fn key(&self, fields: &[String]) -> String {
        let parts: Vec<&str> =
            self.dumped.key.iter().map(|column| self.field(fields, column).unwrap_or_default()).collect();
        parts.join("\u{1f}")
    }
}

/// A time of a clock with an offset, or in seconds since 1970.
fn moment_of(text: &str) -> Option<(i64, Option<i16>)> {
    moment::standard(text).or_else(|| epoch_ms(text).map(|at_ms| (at_ms, Some(0))))
}

/// Seconds since 1970, with decimals, as milliseconds.
pub(crate) fn epoch_ms(text: &str) -> Option<i64> {
    let seconds = number::plain(text)?;
    (1e8..1e10).contains(&seconds).then(|| (seconds * 1e3).round() as i64)
}

pub(crate) fn read(input: impl BufRead) -> Result<Vec<Part>> {
    let mut dumps = Dumps::new();
    let mut records = Records::new(input);
    let mut fields = Vec::new();
    while let Some((record, line)) = records.next()? {
        if let Some(header) = header(record) {
            dumps.begin(header, line)?;
            continue;
        }
        let Some(header) = &dumps.header else { continue };
        split(record, header.separator, &mut fields).map_err(|error| error.at(line))?;
        dumps.record(&fields).map_err(|error| error.at(line))?;
    }
    let (is_cut, foreign_count) = (records.is_cut(), records.foreign_count());
    dumps.finish(is_cut, foreign_count)
}

/// The dumps of a file.
struct Dumps {
    part: Part,
    header: Option<Header>,
    /// The dump of each view that rows are added to.
    open: BTreeMap<&'static str, (&'static Dumped, Snapshot)>,
    /// Whether the last record had fewer fields than its header.
    is_short: bool,
    /// The time of the last record: all of a dump have one.
    time: (String, Option<(i64, Option<i16>)>),
}

impl Dumps {
    fn new() -> Dumps {
        Dumps {
            part: Part::new(Form::StatisticsViews),
            header: None,
            open: BTreeMap::new(),
            is_short: false,
            time: Default::default(),
        }
    }

    fn begin(&mut self, header: Header, line: u64) -> Result<()> {
        if header.time == usize::MAX {
            let message = format!("a dump of {} has no time", header.dumped.view.name);
            let hint = "select now() as dumped_at, * from the view";
            return Err(Error::new(message, hint).at(line));
        }
        self.header = Some(header);
        Ok(())
    }

    fn record(&mut self, fields: &[String]) -> Result<()> {
        let Some(header) = &self.header else { return Ok(()) };
        self.is_short = fields.len() < header.width;
        // Footers such as "(3 rows)" have one field, and what a client says beside.
        if fields.len() != header.width {
            if fields.len() > 1 {
                // Fields may have names in them.
                let text = format!("{} of {} fields", fields.len(), header.width);
                let kind = DoubtKind::Impossible { field: header.dumped.view.name.into(), text };
                add(&mut self.part.doubts, Found::refusal(kind));
            }
            return Ok(());
        }
        let text = header.time(fields);
        if self.time.0 != text {
            self.time = (text.to_owned(), moment_of(text));
        }
        let Some((at_ms, offset)) = self.time.1 else {
            let kind = DoubtKind::Impossible { field: "dumped_at".into(), text: shown(text) };
            add(&mut self.part.doubts, Found::refusal(kind));
            return Ok(());
        };
        if let Some(offset) = offset {
            self.part.zone = Zone::OffsetMinutes(offset);
        }
        let dumped = header.dumped;
        if dumped.view.name == catalog::SERVER {
            facts(&mut self.part, header, fields, at_ms);
        }
        let (key, counts) = (header.key(fields), header.counts(fields));
        let open =
            self.open.entry(dumped.view.name).or_insert_with(|| (dumped, Snapshot { at_ms, ..Snapshot::default() }));
        if open.1.at_ms != at_ms {
            let complete = std::mem::replace(&mut open.1, Snapshot { at_ms, ..Snapshot::default() });
            self.part.tracks.dump(&dumped.view, complete);
        }
        cumulative::add_row(&mut open.1, key, counts)
    }

    fn finish(mut self, is_cut: bool, foreign_count: u64) -> Result<Vec<Part>> {
        for (dumped, snapshot) in self.open.into_values() {
            self.part.tracks.dump(&dumped.view, snapshot);
        }
        if is_cut && self.is_short {
            add(&mut self.part.doubts, Found::refusal(DoubtKind::Truncated));
        }
        if foreign_count > 0 {
            add(&mut self.part.doubts, Found::warning(DoubtKind::Encoding).times(foreign_count));
        }
        Ok(if self.part.tracks.is_empty() { Vec::new() } else { vec![self.part] })
    }
}

/// What the dump of the server itself tells beside counters.
fn facts(part: &mut Part, header: &Header, fields: &[String], at_ms: i64) {
    let text = |column: &str| header.field(fields, column).map(str::to_owned);
    let bytes = |column: &str| header.field(fields, column).and_then(|text| text.parse::<u64>().ok());
    part.version = text("server_version").or(part.version.take());
    part.database_id = text("system_identifier").or(part.database_id.take());
    part.instance.buffer_cache_bytes = bytes("shared_buffers_bytes").map(Bytes).or(part.instance.buffer_cache_bytes);
    if let Some(size_bytes) = bytes("size_bytes") {
        part.sizes.push((at_ms, size_bytes));
    }
}
