//! Database activity as a document: a part for each run, from the sessions at work to the distribution of their times.

use model::{ActivityChoice, ActivityMethod, DatabaseActivity, EventLine, MicroHistogram, ProfileUnit};
use record::{Ratio, Record, Run};
use tables::activity::histogram_title;

use super::words::{
    NOT_DETERMINED, amount, checkpoints, class, log_facts, method, observer, samples, sessions, time_share,
    unknown_lines,
};
use super::{RunActivity, activities, requested};
use crate::document::{Bar, BarRole, Block, Cell, Column, Command, Document, Row, Section, Table, Text};
use crate::figure::{megabytes, nanos, percent, short, three_digits};
use crate::shell_word::shell_word;
use crate::words::{dop, short_title, variation};

/// Tests of the view of a whole record.
const TESTS_MAX: usize = 30;

/// Events of one list.
const EVENTS_MAX: usize = 10;

/// Histograms of one test in the view of a whole record.
const HISTOGRAMS_MAX: usize = 13;

/// Other runs of one test.
const OTHERS_MAX: usize = 40;

/// How to read the figures.
const READING: [&str; 4] = [
    "DB time: time of all sessions at work for a statement, on CPU or waiting for anything but their client; over the \
     elapsed time it is the average number of active sessions.",
    "DB CPU: CPU time of all processes of the engine, also outside of statements; it may exceed DB time.",
    "Timed: by the engine's counters, which may include its background processes. Sampled: an estimate from session \
     samples; shares are of DB time, not of the samples.",
    "n.d.: not determined, there is no source.",
];

/// The database activity during the runs of `record` that `choice` selects: load profile, timed events, wait classes, I/O,
/// log, checkpoints, histograms. `path` is the path of the record.
///
/// # Errors
/// Why there is no activity, in words.
pub fn activity(record: &Record, choice: &ActivityChoice, path: &str) -> Result<Document, String> {
    let found = requested(record, choice)?;
    let parts = found.iter().enumerate().map(|(index, of)| part(index, of, parts(index, of, usize::MAX)));
    let csv = Command {
        label: "as CSV",
        verb: "dbdyno report".to_owned(),
        word: shell_word(path),
        options: "--activity --format csv".to_owned(),
    };
    let body = parts.chain(reading()).collect();
    let document = Document::new("Database activity", vec![Section::new("activity", "", body)]);
    Ok(Document { foot: vec![Block::Commands(vec![csv])], ..document })
}

/// The best run of each test of `record`, and the other runs of the test in a line each; nothing where no run uses an engine.
pub(crate) fn of_record(record: &Record) -> Vec<Block> {
    let best = activities(record, &ActivityChoice::Best);
    let shown = &best[..best.len().min(TESTS_MAX)];
    if shown.is_empty() {
        return Vec::new();
    }
    let of_test = |(index, of): (usize, &RunActivity<'_>)| {
        let others = others(record, index, of);
        let summary = format!("Other runs of the same test: {}", others.rows.len());
        let others = Block::fold(summary, vec![others.into()]);
        part(index, of, parts(index, of, HISTOGRAMS_MAX).into_iter().chain([others]).collect())
    };
    let mut blocks: Vec<Block> = shown.iter().enumerate().map(of_test).collect();
    if best.len() > shown.len() {
        let words = Text::from(format!("{} of {} tests are shown; ", shown.len(), best.len()));
        blocks.push(Block::text(words.code("dbdyno report RECORD --activity TEST").plain(" shows any.")));
    }
    blocks.extend(reading());
    blocks
}

fn reading() -> impl Iterator<Item = Block> {
    [Block::Heading("How to read it".to_owned()), Block::list(READING)].into_iter()
}

/// The part of one run; the first one is open.
fn part(index: usize, RunActivity { run, activity }: &RunActivity<'_>, body: Vec<Block>) -> Block {
    let load = activity.sessions.average.map_or_else(|| NOT_DETERMINED.to_owned(), three_digits);
    let title = short_title(run.layer, &run.title);
    let summary = format!("{} {title}, {}, run {}: {load} active sessions", run.test, at(run), run.number);
    Block::Fold { summary, is_open: index == 0, body }
}

fn at(run: &Run) -> String {
    let other = run.variation.map(|other| format!(", {}", variation(other))).unwrap_or_default();
    format!("{}{other}", dop(run.dop, run.sweep))
}

/// What is known of one run, with so many histograms.
fn parts(index: usize, RunActivity { activity, .. }: &RunActivity<'_>, histograms_max: usize) -> Vec<Block> {
    let id = |part: &str| format!("activity-{part}-{}", index + 1);
    let waits = "Other waits: of background processes, or of all threads";
    let log = log_facts(activity).into_iter().chain([("Checkpoints", checkpoints(activity.checkpoints))]);
    let mut blocks = vec![
        Block::facts(sessions(activity)),
        profile(id("profile"), activity).into(),
        events(id("events"), "Top timed events", &activity.events, true).into(),
        classes(id("classes"), activity).into(),
        events(id("background"), waits, &activity.background, false).into(),
        calibrations(id("samples"), activity).into(),
        io(id("io"), activity).into(),
        Block::Heading("Log and checkpoints".to_owned()),
        Block::facts(log),
    ];
    let histograms = activity.histograms.iter().take(histograms_max).zip(1..);
    blocks.extend(histograms.map(|(of, number)| buckets(format!("{}-{number}", id("histogram")), of).into()));
    let unknown = unknown_lines(activity);
    if !unknown.is_empty() {
        blocks.extend([Block::Heading("Not known".to_owned()), Block::list(unknown)]);
    }
    blocks
}

/// A figure, or that there is no source.
fn known(value: Option<f64>, shown: impl Fn(f64) -> String) -> Cell {
    let value = value.filter(|value| value.is_finite());
    Cell::Figure(value.map_or_else(|| NOT_DETERMINED.to_owned(), shown), value)
}

fn share(share: Option<Ratio>) -> Cell {
    Cell::Figure(time_share(share), share.map(|share| share.0))
}

/// A bar of `value` relative to `most`.
fn bar(value: f64, most: f64) -> Cell {
    let to = if most > 0.0 { value / most } else { 0.0 };
    Cell::Bar(Bar { from: 0.0, to, role: BarRole::Own })
}

fn profile(id: String, activity: &DatabaseActivity) -> Table {
    let columns = vec![Column::text("load"), Column::figure("per second"), Column::figure("per transaction")];
    let figure = |unit: ProfileUnit, value| Cell::Figure(amount(unit, value), value);
    let lines = activity.profile.iter().filter(|line| line.total.is_some()).map(|line| {
        let figures = [line.per_second, line.per_transaction].map(|value| figure(line.unit, value));
        Row::new([vec![Cell::text(line.name)], figures.to_vec()].concat())
    });
    Table::new(id, "Load profile", columns).with(lines)
}

/// Events, with their share of database time where they are parts of it.
fn events(id: String, caption: &str, lines: &[EventLine], are_parts: bool) -> Table {
    let mut columns = vec![
        Column::text("event"),
        Column::figure("waits"),
        Column::figure("time"),
        Column::figure("avg\nwait"),
        Column::text("class"),
        Column::text("method"),
    ];
    if are_parts {
        columns.insert(4, Column::figure("% DB\ntime"));
    }
    let row = |line: &EventLine| {
        let blank = |cell| if line.method == ActivityMethod::Rest { Cell::empty() } else { cell };
        let mut cells = vec![
            Cell::text(line.event.as_str()),
            blank(line.count.map_or_else(|| known(None, nanos), Cell::count)),
            known(Some(line.total_ns), nanos),
            blank(known(line.mean_ns, nanos)),
            Cell::text(class(line.class)),
            Cell::text(method(line.method)),
        ];
        if are_parts {
            cells.insert(4, share(line.of_database_time));
        }
        Row::new(cells)
    };
    let table = Table::new(id, caption, columns).with(lines.iter().take(EVENTS_MAX).map(row));
    Table { is_sortable: true, flexible: Some(0), ..table }
}

fn classes(id: String, activity: &DatabaseActivity) -> Table {
    let columns = vec![
        Column::text("class"),
        Column::figure("time"),
        Column::figure("% DB\ntime"),
        Column::figure("sessions\non average"),
        Column::text(""),
    ];
    let most = activity.classes.iter().map(|line| line.total_ns).fold(0.0, f64::max);
    let rows = activity.classes.iter().map(|line| {
        Row::new(vec![
            Cell::text(class(line.class)),
            known(Some(line.total_ns), nanos),
            share(line.of_database_time),
            known(line.average_sessions, three_digits),
            bar(line.total_ns, most),
        ])
    });
    Table::new(id, "Wait classes", columns).with(rows)
}

fn calibrations(id: String, activity: &DatabaseActivity) -> Table {
    let columns = vec![
        Column::text("name"),
        Column::figure("timed"),
        Column::figure("sampled"),
        Column::figure("timed over\nsampled"),
    ];
    let rows = samples(activity).into_iter().map(|[event, figures @ ..]| {
        let figures = figures.map(|figure| Cell::Figure(figure, None));
        Row::new([vec![Cell::text(event)], figures.to_vec()].concat())
    });
    Table { flexible: Some(0), ..Table::new(id, "Sampled against timed", columns).with(rows) }
}

fn io(id: String, activity: &DatabaseActivity) -> Table {
    let columns = vec![
        Column::text("I/O"),
        Column::text("counted by"),
        Column::figure("requests/s"),
        Column::figure("MB/s"),
        Column::figure("mean time"),
    ];
    let rows = activity.io.iter().map(|line| {
        Row::new(vec![
            Cell::text(line.kind),
            Cell::text(observer(line.observer)),
            known(line.per_second, |value| short(Some(value))),
            known(line.bytes_per_second, |value| megabytes(Some(value))),
            known(line.mean_ns, nanos),
        ])
    });
    Table::new(id, "I/O by kind", columns).with(rows)
}

fn buckets(id: String, histogram: &MicroHistogram) -> Table {
    let columns = vec![Column::figure("µs"), Column::figure("count"), Column::figure("share"), Column::text("")];
    let share = |count: u64| count as f64 / histogram.count.max(1) as f64;
    let most = histogram.buckets.iter().map(|bucket| share(bucket.count)).fold(0.0, f64::max);
    let rows = histogram.buckets.iter().map(|bucket| {
        let below = bucket.below_us.map_or_else(|| "more".to_owned(), |limit| format!("< {limit}"));
        Row::new(vec![
            Cell::Figure(below, bucket.below_us.map(|limit| limit as f64)),
            Cell::count(bucket.count),
            Cell::figure(Some(share(bucket.count)), |share| percent(Ratio(share))),
            bar(share(bucket.count), most),
        ])
    });
    let caption = format!("Histogram: {}, {}", histogram_title(&histogram.subject), method(histogram.method));
    Table::new(id, caption, columns).with(rows)
}

/// The other runs of the same test, a line each.
fn others(record: &Record, index: usize, best: &RunActivity<'_>) -> Table {
    let columns = vec![
        Column::figure("run"),
        Column::text("at"),
        Column::figure("active sessions"),
        Column::figure("sampled"),
        Column::figure("coverage"),
        Column::text("top of DB time"),
    ];
    let all = activities(record, &ActivityChoice::Test(best.run.test.clone()));
    let others = all.iter().filter(|other| other.run.number != best.run.number).take(OTHERS_MAX);
    let rows = others.map(|RunActivity { run, activity }| {
        let load = &activity.sessions;
        let top = activity.events.iter().take(3);
        let top = top.map(|line| format!("{} {}", line.event, time_share(line.of_database_time)));
        Row::new(vec![
            Cell::Figure(run.number.to_string(), Some(f64::from(run.number))),
            Cell::text(at(run)),
            known(load.average, three_digits),
            known(load.sampled, three_digits),
            known(load.coverage.map(|coverage| coverage.0), |share| percent(Ratio(share))),
            Cell::text(top.collect::<Vec<_>>().join(", ")),
        ])
    });
    let table = Table::new(format!("activity-others-{}", index + 1), "Other runs of the same test", columns);
    Table { is_sortable: true, ..table.with(rows) }
}
