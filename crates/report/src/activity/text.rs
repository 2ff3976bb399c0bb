//! The activity on a terminal.

use model::{ActivityChoice, ActivityMethod, DatabaseActivity, EventLine, MicroHistogram};
use record::Record;
use tables::activity::histogram_title;

use super::words::{
    NOT_DETERMINED, amount, below, checkpoints, class, log_facts, method, observer, samples, sessions, shown_buckets,
    time_share, unknown_lines,
};
use super::{RunActivity, requested};
use crate::figure::{UNKNOWN, count, duration, megabytes, nanos, percent, short, three_digits};
use crate::layout::{Align, Head, Table, bar, clean, cut, paragraph, section};
use crate::shell_word::shell_word;
use crate::style::Style;
use crate::text::{command, next_steps, short_title};
use crate::words::{dop, variation};

/// The widest layout, which can be pasted anywhere.
const WIDTH_MAX: usize = 80;

/// Events of one list.
const EVENTS_MAX: usize = 10;

/// Characters of an event.
const EVENT_MAX: usize = 27;

/// Characters of a bar, at most.
const BAR_MAX: usize = 24;

/// Characters of a line without its bar.
const BESIDE_BAR: usize = 44;

/// How to read the figures.
const READING: [&str; 4] = [
    "DB time: time of all sessions at work for a statement, on CPU or waiting for anything but their client.",
    "DB CPU: CPU time of all processes of the engine, also outside of statements; it may exceed DB time.",
    "Timed: by the engine's counters, which may include its background processes. Sampled: an estimate from session \
     samples; shares are of DB time, not of the samples.",
    "n.d.: not determined, there is no source.",
];

/// The database activity during the runs of `record` that `choice` selects, laid out for `width` columns, at most 80:
/// load profile, active sessions, timed events, wait classes, I/O, log, checkpoints, histograms. `path` is the path of
/// the record.
///
/// # Errors
/// Why there is no activity, in words.
pub fn activity_text(
    record: &Record,
    choice: &ActivityChoice,
    path: &str,
    style: Style,
    width: usize,
) -> Result<String, String> {
    let found = requested(record, choice)?;
    let width = crate::page_width(width).min(WIDTH_MAX);
    let mut lines: Vec<String> = Vec::new();
    for one in &found {
        lines.extend(run(one, style, width));
    }
    lines.push(section("HOW TO READ IT", style, width));
    lines.extend(READING.iter().flat_map(|note| paragraph("", 2, note, width)));
    lines.push(String::new());
    lines.extend(command("figures", "dbdyno report", &shell_word(path), "--activity --format csv", width));
    lines.extend(next_steps(record, path, width));
    Ok(style.encoded(lines.join("\n") + "\n"))
}

/// The parts of one run.
fn run(of: &RunActivity<'_>, style: Style, width: usize) -> Vec<String> {
    let RunActivity { run, activity } = of;
    let title = clean(short_title(run.layer, &run.title));
    let other = run.variation.map(|other| format!(", {}", variation(other))).unwrap_or_default();
    let head = format!("Run {}: {} {title}, {}{other}", run.number, clean(&run.test), dop(run.dop, run.sweep));
    let mut lines = vec!["═".repeat(width), cut(&head, width), String::new()];
    let mut part = |title: &str, body: Vec<String>| {
        if !body.is_empty() {
            lines.push(section(title, style, width));
            lines.extend(body);
            lines.push(String::new());
        }
    };
    let table = |table: Table| if table.is_empty() { Vec::new() } else { table.lines(style, width) };
    part("SESSIONS", facts(sessions(activity), width));
    part("LOAD PROFILE", table(profile(activity)));
    part("TOP TIMED EVENTS", table(events(&activity.events)));
    part("WAIT CLASSES", table(classes(activity, width)));
    part("OTHER WAITS: of background processes, or of all threads", table(background(&activity.background)));
    part("SAMPLED AGAINST TIMED", table(calibrations(activity)));
    part("I/O BY KIND", table(io(activity)));
    part("LOG", facts(log_facts(activity).into_iter().map(|(name, value)| (name.to_owned(), value)).collect(), width));
    part("CHECKPOINTS", vec![format!("  {}", checkpoints(activity.checkpoints))]);
    for histogram in &activity.histograms {
        let title = format!("HISTOGRAM: {}, {}", clean(&histogram_title(&histogram.subject)), method(histogram.method));
        part(&cut(&title, width), table(buckets(histogram)));
    }
    part("NOT KNOWN", unknown_lines(activity).iter().flat_map(|line| paragraph("", 2, line, width)).collect());
    lines
}

/// Names and values, the values aligned.
fn facts(facts: Vec<(String, String)>, width: usize) -> Vec<String> {
    let indent = facts.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0) + 4;
    facts.iter().flat_map(|(name, value)| paragraph(&format!("  {name}"), indent, value, width)).collect()
}

fn profile(activity: &DatabaseActivity) -> Table {
    const HEADS: [Head; 3] =
        [(&[""], Align::Left), (&["per second"], Align::Right), (&["per transaction"], Align::Right)];
    let mut table = Table::new(&HEADS, &[]);
    for line in activity.profile.iter().filter(|line| line.total.is_some()) {
        let cells = [amount(line.unit, line.per_second), amount(line.unit, line.per_transaction)];
        table.push([vec![format!("  {}", line.name)], cells.to_vec()].concat(), None);
    }
    table
}

/// The name of an event in a column; a path that is too long loses its first parts.
fn event(name: &str, width: usize) -> String {
    let name = clean(name);
    let mut shown = name.as_str();
    while shown.chars().count() + 2 > width
        && let Some((_, rest)) = shown.split_once('/')
    {
        shown = rest;
    }
    cut(&format!("  {shown}"), width)
}

/// A method in a narrow column.
fn narrow(how: ActivityMethod) -> String {
    match how {
        ActivityMethod::Sampled { period_ns } => format!("@{}", duration(period_ns)),
        other => method(other),
    }
}

fn waits(line: &EventLine) -> String {
    line.count.map_or_else(|| NOT_DETERMINED.to_owned(), count)
}

fn mean(line: &EventLine) -> String {
    line.mean_ns.map_or_else(|| NOT_DETERMINED.to_owned(), nanos)
}

fn events(lines: &[EventLine]) -> Table {
    const HEADS: [Head; 7] = [
        (&["event"], Align::Left),
        (&["waits"], Align::Right),
        (&["time"], Align::Right),
        (&["avg", "wait"], Align::Right),
        (&["% DB", "time"], Align::Right),
        (&["class"], Align::Left),
        (&["method"], Align::Left),
    ];
    let mut table = Table::new(&HEADS, &[]);
    for line in lines.iter().take(EVENTS_MAX) {
        let is_rest = line.method == ActivityMethod::Rest;
        let cells = vec![
            event(&line.event, EVENT_MAX),
            if is_rest { String::new() } else { waits(line) },
            nanos(line.total_ns),
            if is_rest { String::new() } else { mean(line) },
            time_share(line.of_database_time),
            class(line.class).to_owned(),
            narrow(line.method),
        ];
        table.push(cells, None);
    }
    table
}

fn background(lines: &[EventLine]) -> Table {
    const HEADS: [Head; 5] = [
        (&["event"], Align::Left),
        (&["waits"], Align::Right),
        (&["time"], Align::Right),
        (&["avg wait"], Align::Right),
        (&["class"], Align::Left),
    ];
    let mut table = Table::new(&HEADS, &[]);
    for line in lines.iter().take(EVENTS_MAX) {
        table.push(
            vec![
                event(&line.event, EVENT_MAX + 8),
                waits(line),
                nanos(line.total_ns),
                mean(line),
                class(line.class).to_owned(),
            ],
            None,
        );
    }
    table
}

fn classes(activity: &DatabaseActivity, width: usize) -> Table {
    const HEADS: [Head; 5] = [
        (&["class"], Align::Left),
        (&["time"], Align::Right),
        (&["% DB", "time"], Align::Right),
        (&["sessions", "on average"], Align::Right),
        (&[""], Align::Left),
    ];
    let most = activity.classes.iter().map(|line| line.total_ns).fold(0.0, f64::max);
    let mut table = Table::new(&HEADS, &[]);
    for line in &activity.classes {
        table.push(
            vec![
                format!("  {}", class(line.class)),
                nanos(line.total_ns),
                time_share(line.of_database_time),
                line.average_sessions.map_or_else(|| NOT_DETERMINED.to_owned(), three_digits),
                bar(line.total_ns, most, BAR_MAX.min(width.saturating_sub(BESIDE_BAR))),
            ],
            None,
        );
    }
    table
}

fn calibrations(activity: &DatabaseActivity) -> Table {
    const HEADS: [Head; 4] = [
        (&[""], Align::Left),
        (&["timed"], Align::Right),
        (&["sampled"], Align::Right),
        (&["timed over", "sampled"], Align::Right),
    ];
    let mut table = Table::new(&HEADS, &[]);
    for [event, timed, sampled, factor] in samples(activity) {
        table.push(vec![cut(&format!("  {}", clean(&event)), EVENT_MAX), timed, sampled, factor], None);
    }
    table
}

fn io(activity: &DatabaseActivity) -> Table {
    const HEADS: [Head; 5] = [
        (&[""], Align::Left),
        (&["counted by"], Align::Left),
        (&["requests/s"], Align::Right),
        (&["MB/s"], Align::Right),
        (&["mean time"], Align::Right),
    ];
    let mut table = Table::new(&HEADS, &[]);
    for line in &activity.io {
        let or_not = |text: String| if text == UNKNOWN { NOT_DETERMINED.to_owned() } else { text };
        table.push(
            vec![
                format!("  {}", line.kind),
                observer(line.observer).to_owned(),
                or_not(short(line.per_second)),
                or_not(megabytes(line.bytes_per_second)),
                line.mean_ns.map_or_else(|| NOT_DETERMINED.to_owned(), nanos),
            ],
            None,
        );
    }
    table
}

fn buckets(histogram: &MicroHistogram) -> Table {
    const HEADS: [Head; 4] =
        [(&["µs"], Align::Right), (&["count"], Align::Right), (&["share"], Align::Right), (&[""], Align::Left)];
    let mut table = Table::new(&HEADS, &[]);
    let (shown, most) = shown_buckets(histogram);
    for (bucket, share) in shown {
        let cells =
            vec![format!("  {}", below(bucket)), count(bucket.count), percent(share), bar(share.0, most, BAR_MAX)];
        table.push(cells, None);
    }
    table
}
