//! Database activity of each test at its best degree of parallelism, in the order of AWR reports.

use maud::{Markup, html};
use model::{ActivityChoice, ActivityMethod, DatabaseActivity, EventLine, MicroHistogram};
use record::Record;
use tables::activity::histogram_title;

use super::curve::at;
use crate::activity::{
    NOT_DETERMINED, RunActivity, activities, amount, below, checkpoints, class, log_facts, method, observer, samples,
    sessions, shown_buckets, time_share, unknown_lines,
};
use crate::chart::{Axis, Bar, BarChart, Figures, Mark, Scale, Tone};
use crate::document::Diagram;
use crate::figure::{UNKNOWN, count, megabytes, nanos, percent, short, three_digits};
use crate::layout::clean;
use crate::render::page::gallery;
use crate::render::page::{Cell, Column, Row, Table, facts};
use crate::text::short_title;

/// Tests of a page.
const TESTS_MAX: usize = 30;

/// Events of one list.
const EVENTS_MAX: usize = 10;

/// Histograms of one test without that of the client.
const HISTOGRAMS_MAX: usize = 12;

/// Other runs of one test.
const OTHERS_MAX: usize = 40;

/// A mark at the number of processors is drawn only where bars reach this share of it; otherwise they would be too
/// short.
const MARKED_FROM: f64 = 0.2;

/// A part for each test, the first one open; nothing where no run uses an engine.
pub(super) fn activity(record: &Record) -> Markup {
    let best = activities(record, &ActivityChoice::Best);
    let shown = &best[..best.len().min(TESTS_MAX)];
    html! {
        @if !shown.is_empty() {
            p {
                "DB time: time of all sessions at work for a statement, on CPU or waiting for anything but their \
                 client; over the elapsed time it is the average number of active sessions. DB CPU: CPU time of all \
                 processes of the engine, also outside of statements. Timed: by the engine's counters, which may \
                 include its background processes. Sampled: an estimate from session samples; shares are of DB time, \
                 not of the samples. n.d.: not determined, there is no source."
            }
        }
        @for (index, one) in shown.iter().enumerate() { (of_test(record, index, one)) }
        @if best.len() > shown.len() {
            p class="note" {
                (shown.len()) " of " (best.len()) " tests are shown; " code { "dbdyno report RECORD --activity TEST" }
                " shows any."
            }
        }
    }
}

/// One test.
fn of_test(record: &Record, index: usize, of: &RunActivity<'_>) -> Markup {
    let RunActivity { run, activity } = of;
    let (test, title) = (clean(&run.test), clean(short_title(run.layer, &run.title)));
    let load = activity.sessions.average.map_or_else(|| NOT_DETERMINED.to_owned(), three_digits);
    let id = |part: &str| format!("activity-{part}-{}", index + 1);
    html! {
        details class="activity" open=[(index == 0).then_some("open")] {
            summary { (test) " " (title) " (" (at(run)) "): " (load) " active sessions" }
            (facts(&sessions(activity)))
            (profile(&id("profile"), activity))
            (events(&id("events"), "Top timed events", &activity.events, true))
            (gallery(&charts(index, of)))
            (io(&id("io"), activity))
            (log(&id("log"), activity))
            (events(&id("background"), "Other waits: of background processes, or of all threads", &activity.background, false))
            (calibrations(&id("samples"), activity))
            (histograms(&id("histogram"), activity))
            @let unknown = unknown_lines(activity);
            @if !unknown.is_empty() {
                p class="muted" { "Not known: " (clean(&unknown.join("; "))) "." }
            }
            (others(record, &id("others"), of))
        }
    }
}

/// Sessions by class, and the distribution of the client's times.
fn charts(index: usize, of: &RunActivity<'_>) -> Vec<Diagram> {
    let name = |part: &str| format!("activity-{part}-{}", index + 1);
    let classes = classes(of).map(|chart| Diagram::new(name("classes"), chart));
    let times = of.activity.histograms.first().map(|first| Diagram::new(name("times"), distribution(of, first)));
    classes.into_iter().chain(times).collect()
}

fn classes(of: &RunActivity<'_>) -> Option<BarChart> {
    let lines = &of.activity.classes;
    let bar = |line: &model::ClassLine| Bar {
        label: class(line.class).to_owned(),
        value: rounded(line.average_sessions),
        interval: None,
        note: format!("{} of DB time", time_share(line.of_database_time)),
        tone: Tone::Plain,
    };
    let most = lines.iter().filter_map(|line| line.average_sessions).fold(0.0, f64::max);
    let mark = of.activity.sessions.processors.filter(|count| most >= f64::from(*count) * MARKED_FROM);
    (!lines.is_empty()).then(|| BarChart {
        title: format!("Active sessions by wait class, {} ({})", clean(&of.run.test), at(of.run)),
        description: "How many sessions were in each class, on average over the window.".to_owned(),
        axis: Axis::new("sessions", Scale::FromZero, Figures::Plain),
        base: 0.0,
        bars: lines.iter().map(bar).collect(),
        marks: mark.map(|count| Mark { x: f64::from(count), label: "processors".to_owned() }).into_iter().collect(),
    })
}

/// A number of sessions, rounded to its precision.
fn rounded(sessions: Option<f64>) -> f64 {
    sessions.map_or(f64::NAN, |sessions| (sessions * 1_000.0).round() / 1_000.0)
}

fn distribution(of: &RunActivity<'_>, histogram: &MicroHistogram) -> BarChart {
    let (shown, _) = shown_buckets(histogram);
    let bar = |(bucket, share): &(&model::MicroBucket, record::Ratio)| Bar {
        label: format!("{} µs", below(bucket)),
        value: share.0,
        interval: None,
        note: count(bucket.count),
        tone: Tone::Plain,
    };
    BarChart {
        title: format!("Client service time in powers of two, {} ({})", clean(&of.run.test), at(of.run)),
        description: "The share of steps in each bucket, below its limit in microseconds and at least half of it."
            .to_owned(),
        axis: Axis::new("share of steps", Scale::FromZero, Figures::Percent),
        base: 0.0,
        bars: shown.iter().map(bar).collect(),
        marks: Vec::new(),
    }
}

fn figure(shown: String, value: Option<f64>) -> Cell {
    Cell::Figure(if shown == UNKNOWN { NOT_DETERMINED.to_owned() } else { shown }, value)
}

/// Events, with their share of database time where they are parts of it.
fn events(id: &str, caption: &str, lines: &[EventLine], are_parts: bool) -> Markup {
    let columns = [
        Column::text("event"),
        Column::figures("waits"),
        Column::figures("time"),
        Column::figures("avg wait"),
        Column::figures("% DB time"),
        Column::text("class"),
        Column::text("method"),
    ];
    let keep = |index: &usize| are_parts || *index != 4;
    let columns: Vec<Column> =
        columns.into_iter().enumerate().filter(|(index, _)| keep(index)).map(|it| it.1).collect();
    let mut table = Table::new(id, caption, &columns);
    table.rows = lines
        .iter()
        .take(EVENTS_MAX)
        .map(|line| {
            let is_rest = line.method == ActivityMethod::Rest;
            let blank = |cell: Cell| if is_rest { Cell::Figure(String::new(), None) } else { cell };
            let cells = vec![
                Cell::text(clean(&line.event)),
                blank(figure(
                    line.count.map_or_else(|| UNKNOWN.to_owned(), count),
                    line.count.map(|count| count as f64),
                )),
                figure(nanos(line.total_ns), Some(line.total_ns)),
                blank(figure(line.mean_ns.map_or_else(|| UNKNOWN.to_owned(), nanos), line.mean_ns)),
                figure(time_share(line.of_database_time), line.of_database_time.map(|share| share.0)),
                Cell::text(class(line.class)),
                Cell::text(method(line.method)),
            ];
            Row::new(cells.into_iter().enumerate().filter(|(index, _)| keep(index)).map(|it| it.1).collect())
        })
        .collect();
    table.sortable = true;
    html! { div class="compact" { (table.html()) } }
}

fn profile(id: &str, activity: &DatabaseActivity) -> Markup {
    let columns = [Column::text("load"), Column::figures("per second"), Column::figures("per transaction")];
    let mut table = Table::new(id, "Load profile", &columns);
    let known = activity.profile.iter().filter(|line| line.total.is_some());
    table.rows = known
        .map(|line| {
            Row::new(vec![
                Cell::text(line.name),
                figure(amount(line.unit, line.per_second), line.per_second),
                figure(amount(line.unit, line.per_transaction), line.per_transaction),
            ])
        })
        .collect();
    html! { div class="compact" { (table.html()) } }
}

fn io(id: &str, activity: &DatabaseActivity) -> Markup {
    let columns = [
        Column::text("I/O"),
        Column::text("counted by"),
        Column::figures("requests/s"),
        Column::figures("MB/s"),
        Column::figures("mean time"),
    ];
    let mut table = Table::new(id, "I/O by kind", &columns);
    table.rows = activity
        .io
        .iter()
        .map(|line| {
            Row::new(vec![
                Cell::text(line.kind),
                Cell::text(observer(line.observer)),
                figure(short(line.per_second), line.per_second),
                figure(megabytes(line.bytes_per_second), line.bytes_per_second),
                figure(line.mean_ns.map_or_else(|| UNKNOWN.to_owned(), nanos), line.mean_ns),
            ])
        })
        .collect();
    html! { div class="compact" { (table.html()) } }
}

/// The log and checkpoints.
fn log(id: &str, activity: &DatabaseActivity) -> Markup {
    let mut table =
        Table::new(id, "Log and checkpoints", &[Column::text("log and checkpoints"), Column::figures("figure")]);
    let facts = log_facts(activity).into_iter().chain([("Checkpoints", checkpoints(activity.checkpoints))]);
    table.rows = facts.map(|(name, value)| Row::new(vec![Cell::text(name), figure(value, None)])).collect();
    html! { div class="compact" { (table.html()) } }
}

fn calibrations(id: &str, activity: &DatabaseActivity) -> Markup {
    let columns = [
        Column::text("name"),
        Column::figures("timed"),
        Column::figures("sampled"),
        Column::figures("timed over sampled"),
    ];
    let mut table = Table::new(id, "Sampled against timed", &columns);
    table.rows = samples(activity)
        .into_iter()
        .map(|[event, timed, sampled, factor]| {
            Row::new(vec![Cell::text(clean(&event)), figure(timed, None), figure(sampled, None), figure(factor, None)])
        })
        .collect();
    html! { div class="compact" { (table.html()) } }
}

/// Histograms of the engine and of a trace; that of the client is a chart.
fn histograms(id: &str, activity: &DatabaseActivity) -> Markup {
    let columns = [Column::figures("µs"), Column::figures("count"), Column::figures("share")];
    let others = activity.histograms.iter().skip(1).take(HISTOGRAMS_MAX);
    html! {
        @for (index, histogram) in others.enumerate() {
            @let subject = clean(&histogram_title(&histogram.subject));
            @let title = format!("Histogram: {subject}, {}", method(histogram.method));
            @let table = Table {
                rows: shown_buckets(histogram)
                    .0
                    .iter()
                    .map(|(bucket, share)| Row::new(vec![
                        figure(below(bucket), bucket.below_us.map(|limit| limit as f64)),
                        figure(count(bucket.count), Some(bucket.count as f64)),
                        figure(percent(*share), Some(share.0)),
                    ]))
                    .collect(),
                ..Table::new(format!("{id}-{}", index + 1), title, &columns)
            };
            div class="compact" { (table.html()) }
        }
    }
}

/// The other runs of the same test, a line each.
fn others(record: &Record, id: &str, best: &RunActivity<'_>) -> Markup {
    let columns = [
        Column::figures("run"),
        Column::text("at"),
        Column::figures("active sessions"),
        Column::figures("sampled"),
        Column::figures("coverage"),
        Column::text("top of DB time"),
    ];
    let all = activities(record, &ActivityChoice::Test(best.run.test.clone()));
    let mut table = Table::new(id, "Other runs of the same test", &columns);
    let others = all.iter().filter(|other| other.run.number != best.run.number);
    table.rows = others
        .take(OTHERS_MAX)
        .map(|other| {
            let load = &other.activity.sessions;
            let sessions = |value: Option<f64>| figure(value.map_or_else(|| UNKNOWN.to_owned(), three_digits), value);
            let top = other.activity.events.iter().take(3);
            let top = top.map(|line| format!("{} {}", clean(&line.event), time_share(line.of_database_time)));
            Row::new(vec![
                Cell::Figure(other.run.number.to_string(), Some(f64::from(other.run.number))),
                Cell::text(at(other.run)),
                sessions(load.average),
                sessions(load.sampled),
                figure(
                    load.coverage.map_or_else(|| UNKNOWN.to_owned(), percent),
                    load.coverage.map(|coverage| coverage.0),
                ),
                Cell::text(top.collect::<Vec<_>>().join(", ")),
            ])
        })
        .collect();
    table.sortable = true;
    html! {
        @if !table.rows.is_empty() {
            details { summary { "Other runs of the same test: " (table.rows.len()) } (table.html()) }
        }
    }
}
