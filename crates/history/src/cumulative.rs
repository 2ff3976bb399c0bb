//! Dumps of cumulative counters, and what lies between two of them.
//!
//! A dump of a [`View`] is a [`Snapshot`]: rows by key, each with the values of the view's columns. Two snapshots that follow
//! each other make rates. Of a file only its first and last snapshot of each view are kept, so that the dumps of several files
//! are joined; what lies between is rates already.

use std::collections::BTreeMap;

use record::load_profile::DoubtKind;

use crate::error::{Error, Result};
use crate::found::{Found, add};
use crate::limit::ROWS_MAX;

/// What a column counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    /// It rises until it is reset.
    Rising,
    /// It rises from the start of the row, which may go and come again: less than before is a row that is new.
    RisingInRow,
    /// A level: its mean of two dumps stands for the time between.
    Level,
}

/// A view whose dumps are compared.
#[derive(Debug)]
pub(crate) struct View {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its columns.
    pub(crate) columns: &'static [(&'static str, Count)],
    /// Makes rates of its rows.
    pub(crate) rates: fn(&[Row<'_>]) -> Rates,
}

/// Rates per second, and levels, by a name of the reader's own.
pub(crate) type Rates = BTreeMap<&'static str, f64>;

/// What a row did between two dumps.
#[derive(Debug)]
pub(crate) struct Row<'a> {
    /// Its key.
    pub(crate) key: &'a str,
    /// A rate per second or a level for each column of the view.
    pub(crate) values: Vec<Option<f64>>,
}

/// The values of a row at a moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Counts {
    /// Since when they count, if the row says so: of the clock of the server where the dump has it.
    pub(crate) since_ms: Option<i64>,
    /// One for each column of the view.
    pub(crate) values: Vec<Option<u64>>,
}

/// A dump of a view.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Snapshot {
    pub(crate) at_ms: i64,
    /// Seconds of the server's own clock, which nobody sets, if it is dumped.
    pub(crate) server_seconds: Option<f64>,
    pub(crate) rows: BTreeMap<String, Counts>,
}

impl Snapshot {
    /// Since when the values of `row` count, by the clock of the dumps.
    fn since_ms(&self, row: &Counts) -> Option<i64> {
        let since_ms = row.since_ms?;
        match self.server_seconds {
            Some(seconds) => Some(self.at_ms.saturating_sub((seconds * 1e3) as i64).saturating_add(since_ms)),
            None => Some(since_ms),
        }
    }
}

/// Rates between two moments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RateSpan {
    pub(crate) started_at_ms: i64,
    pub(crate) seconds: f64,
    pub(crate) rates: Rates,
}

/// Dumps of a view that follow each other in one file.
#[derive(Debug)]
pub(crate) struct Track {
    view: &'static View,
    first: Snapshot,
    last: Snapshot,
    dump_count: u64,
    spans: Vec<RateSpan>,
    doubts: Vec<Found>,
}

/// The dumps of a file, or of several.
#[derive(Debug, Default)]
pub(crate) struct Tracks(Vec<Track>);

impl Tracks {
    /// Adds a dump of `view`; those of one view are given in the order of the file.
    pub(crate) fn dump(&mut self, view: &'static View, snapshot: Snapshot) {
        let latest = self.0.iter_mut().rev().find(|track| track.view.name == view.name);
        match latest {
            Some(track) if snapshot.at_ms > track.last.at_ms => track.go_on(snapshot),
            Some(track) if snapshot.at_ms == track.last.at_ms && snapshot == track.last => {}
            _ => self.0.push(Track {
                view,
                first: snapshot.clone(),
                last: snapshot,
                dump_count: 1,
                spans: Vec::new(),
                doubts: Vec::new(),
            }),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Dumps of all views.
    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|track| track.dump_count as usize).sum()
    }

    pub(crate) fn join(&mut self, others: Tracks) {
        self.0.extend(others.0);
    }

    /// All rates, those between the files included, in order of time.
    pub(crate) fn finish(mut self, doubts: &mut Vec<Found>) -> Vec<RateSpan> {
        self.0.sort_by_key(|track| (track.view.name, track.first.at_ms));
        let mut spans = Vec::new();
        for tracks in self.0.chunk_by(|one, other| one.view.name == other.view.name) {
            for track in tracks {
                spans.extend(track.spans.iter().cloned());
                track.doubts.iter().for_each(|found| add(doubts, found.clone()));
            }
            for pair in tracks.windows(2) {
                let (earlier, later) = (&pair[0].last, &pair[1].first);
                if later.at_ms > earlier.at_ms {
                    spans.extend(between(pair[0].view, earlier, later, doubts));
                } else if later != earlier {
                    add(doubts, Found::refusal(DoubtKind::Overlap).at(later.at_ms));
                }
            }
            if tracks.iter().all(|track| track.dump_count == 1 && track.last == tracks[0].first) {
                spans.extend(alone(tracks[0].view, &tracks[0].first, doubts));
            }
        }
        spans.sort_by_key(|span| span.started_at_ms);
        spans
    }
}

impl Track {
    fn go_on(&mut self, snapshot: Snapshot) {
        self.spans.extend(between(self.view, &self.last, &snapshot, &mut self.doubts));
        self.last = snapshot;
        self.dump_count += 1;
    }
}

/// The rates between two dumps; nothing where counters were reset.
fn between(view: &'static View, earlier: &Snapshot, later: &Snapshot, doubts: &mut Vec<Found>) -> Option<RateSpan> {
    let at_ms = earlier.at_ms;
    let clock_seconds = later.at_ms.saturating_sub(earlier.at_ms) as f64 / 1e3;
    let mut seconds = clock_seconds;
    if let (Some(before), Some(after)) = (earlier.server_seconds, later.server_seconds) {
        if after < before {
            add(doubts, Found::refusal(DoubtKind::Restart).at(at_ms));
            return None;
        }
        // A second of the server is a whole one, so that the clock is the better measure as long as both agree.
        let step = clock_seconds - (after - before);
        if step.abs() > crate::limit::CLOCK_SECONDS {
            add(doubts, Found::warning(DoubtKind::ClockStep { seconds: step }).at(at_ms));
            seconds = after - before;
        }
    }
    if seconds <= 0.0 || later.rows.is_empty() || earlier.rows.is_empty() {
        return None;
    }
    let is_reset = |(key, after): (&String, &Counts)| {
        let Some(before) = earlier.rows.get(key) else { return false };
        let is_same =
            |after_ms: i64| before.since_ms.is_some_and(|before_ms| before_ms.abs_diff(after_ms) <= CLOCK_GRAIN_MS);
        after.since_ms.is_some_and(|after_ms| !is_same(after_ms))
    };
    if later.rows.iter().any(is_reset) {
        add(doubts, Found::refusal(DoubtKind::Reset).at(at_ms));
        return None;
    }
    let mut fallen = Vec::new();
    let rows: Vec<Row<'_>> = later
        .rows
        .iter()
        .map(|(key, after)| {
            let before = earlier.rows.get(key);
            Row { key, values: row_rates(view, before, after, seconds, &mut fallen) }
        })
        .collect();
    let has_fallen = fallen.iter().any(|change| matches!(change, Change::Fallen(_)));
    for change in fallen {
        let found = match change {
            Change::Fallen(column) => Found::refusal(DoubtKind::Decreased { counter: column.to_owned() }),
            Change::Wrapped(column, bits) => Found::warning(DoubtKind::Wrapped { counter: column.to_owned(), bits }),
        };
        add(doubts, found.at(at_ms));
    }
    // A counter that fell without a reset says that the others cannot be trusted either.
    (!has_fallen).then(|| RateSpan { started_at_ms: at_ms, seconds, rates: (view.rates)(&rows) })
}

/// By how much two readings of the time of a reset may differ: some servers count whole seconds.
const CLOCK_GRAIN_MS: u64 = 1_000;

/// What happened to a counter that is less than before.
enum Change {
    Fallen(&'static str),
    Wrapped(&'static str, u32),
}

fn row_rates(
    view: &'static View,
    before: Option<&Counts>,
    after: &Counts,
    seconds: f64,
    changes: &mut Vec<Change>,
) -> Vec<Option<f64>> {
    let value = |(index, (column, count)): (usize, &(&'static str, Count))| {
        let after = (*after.values.get(index)?)?;
        let earlier = before.and_then(|before| before.values.get(index).copied().flatten());
        // A counter that was not dumped has not begun at 0.
        if *count != Count::Level && before.is_some() && earlier.is_none() {
            return None;
        }
        let before = earlier;
        let growth = match (count, before) {
            (Count::Level, None) => return Some(after as f64),
            (Count::Level, Some(before)) => return Some((after as f64 + before as f64) / 2.0),
            // A row that was not there has counted since it is.
            (Count::Rising | Count::RisingInRow, None) => after,
            (_, Some(before)) if after >= before => after - before,
            (Count::RisingInRow, Some(_)) => after,
            (Count::Rising, Some(before)) => match wrapped(before, after) {
                Some((growth, bits)) => {
                    changes.push(Change::Wrapped(column, bits));
                    growth
                }
                None => {
                    changes.push(Change::Fallen(column));
                    return None;
                }
            },
        };
        Some(growth as f64 / seconds)
    };
    view.columns.iter().enumerate().map(value).collect()
}

/// The growth of a counter of 32 or 64 bits that began again at 0, and its width. It was in the last quarter of its values and
/// is in the first one: anything else is a reset.
fn wrapped(before: u64, after: u64) -> Option<(u64, u32)> {
    let quarter = 1u64 << 30;
    if (3 * quarter..4 * quarter).contains(&before) && after < quarter {
        return Some((4 * quarter - before + after, 32));
    }
    let quarter = 1u64 << 62;
    (before >= 3 * quarter && after < quarter).then(|| (after.wrapping_sub(before), 64))
}

/// The rates of a dump without a second one, since its counters were reset, if its rows say when.
fn alone(view: &'static View, only: &Snapshot, doubts: &mut Vec<Found>) -> Option<RateSpan> {
    let counts = view.columns.iter().any(|(_, count)| *count != Count::Level);
    if !counts {
        return None;
    }
    let started_at_ms =
        only.rows.values().filter_map(|row| only.since_ms(row)).filter(|since| *since < only.at_ms).min();
    let Some(started_at_ms) = started_at_ms else {
        add(doubts, Found::refusal(DoubtKind::NoResetTime).at(only.at_ms));
        return None;
    };
    let seconds = (only.at_ms - started_at_ms) as f64 / 1e3;
    // Since some counters were reset; of the others nothing says it.
    if only.server_seconds.is_some_and(|uptime| uptime - seconds > crate::limit::CLOCK_SECONDS) {
        add(doubts, Found::refusal(DoubtKind::NoResetTime).at(only.at_ms));
        return None;
    }
    add(doubts, Found::warning(DoubtKind::SingleDump).at(started_at_ms));
    let rows: Vec<Row<'_>> = only
        .rows
        .iter()
        .map(|(key, row)| {
            let since_ms = only.since_ms(row).unwrap_or(started_at_ms).min(only.at_ms - 1);
            let own_seconds = (only.at_ms - since_ms) as f64 / 1e3;
            Row { key, values: row_rates(view, None, row, own_seconds, &mut Vec::new()) }
        })
        .collect();
    Some(RateSpan { started_at_ms, seconds, rates: (view.rates)(&rows) })
}

/// Adds a row to a dump.
pub(crate) fn add_row(snapshot: &mut Snapshot, key: String, counts: Counts) -> Result<()> {
    if snapshot.rows.len() >= ROWS_MAX {
        let message = format!("a dump of one moment has more than {ROWS_MAX} rows");
        return Err(Error::new(
            message,
            "dump fewer rows, but not those of the largest counts: they are others each time",
        ));
    }
    snapshot.rows.insert(key, counts);
    Ok(())
}

/// Rates of several views of the same time as one; the times of dumps of one moment may differ by seconds.
pub(crate) fn merge(spans: Vec<RateSpan>) -> Vec<RateSpan> {
    let mut merged: Vec<RateSpan> = Vec::new();
    for span in spans {
        let tolerance = 5f64.max(span.seconds * 0.02).min(span.seconds / 2.0);
        let is_same = |other: &&mut RateSpan| {
            (span.started_at_ms - other.started_at_ms).abs() as f64 / 1e3 <= tolerance
                && (span.seconds - other.seconds).abs() <= tolerance
                && span.rates.keys().all(|name| !other.rates.contains_key(name))
        };
        // Views have a handful of spans of each time, next to each other.
        match merged.iter_mut().rev().take(16).find(is_same) {
            Some(other) => other.rates.extend(span.rates),
            None => merged.push(span),
        }
    }
    merged
}

#[cfg(test)]
mod tests;
