//! The load itself: where it is from, every quantity over time, hours of the day.

use model::sizing::{Demand, Hour};
use record::Ratio;
use record::load_profile::{Scope, SourceMoment};

use super::SizingView;
use super::amount::{amount, name, quantity, quantity_amount};
use crate::chart::{Axis, Figures, LineChart, Point, Role, Scale, Series};
use crate::clock::minute;
use crate::document::{Block, Cell, Column, Diagram, Row, Table};
use crate::figure::{nanos, percent, three_digits};
use crate::words::{list, plural};

/// The resources whose hours are drawn.
const DRAWN: [Demand; 6] = [
    Demand::Commits,
    Demand::Processors,
    Demand::RandomReads,
    Demand::RandomWrites,
    Demand::LogBytes,
    Demand::LogicalReads,
];

/// A moment by the clock of the sources.
fn moment(view: &SizingView<'_>, at: SourceMoment) -> String {
    minute(at.0 + i64::from(view.history.offset_minutes.unwrap_or(0)) * 60_000)
}

/// Sources, span and number of intervals.
pub(super) fn subtitle(view: &SizingView<'_>) -> String {
    let source = |source: &record::load_profile::Source| {
        let engine = source.engine.clone().filter(|_| source.scope == Scope::Database);
        let version = source.version.clone().unwrap_or_default();
        let of = list([engine.unwrap_or_default(), version].map(|text| crate::layout::clean(&text)));
        let form = crate::layout::clean(&source.form);
        if of.is_empty() { form } else { format!("{form} ({of})") }
    };
    let mut sources: Vec<String> = view.profile.sources.iter().map(source).collect();
    sources.dedup();
    let span = view.history.span.map(|(from, to)| format!("{} to {}", moment(view, from), moment(view, to)));
    let intervals = format!(
        "{} of at most {}",
        plural(view.history.intervals as u64, "interval"),
        nanos(view.history.longest_seconds * 1e9)
    );
    let instances = plural(view.profile.instances.len() as u64, "instance");
    list([list(sources), span.unwrap_or_default(), intervals, instances])
}

/// The load without a platform.
pub(super) fn summary(view: &SizingView<'_>) -> Vec<String> {
    let peak = |demand: Demand| {
        let level = view.history.level(demand)?;
        Some(format!("{} {}", amount(demand, level.peak()), name(demand)))
    };
    let named: Vec<String> = [Demand::Commits, Demand::RandomReads, Demand::RandomWrites, Demand::LogBytes]
        .into_iter()
        .filter_map(peak)
        .collect();
    let busy = view.history.level(Demand::Processors);
    let busy = busy.map(|level| format!("{} hardware threads busy", three_digits(level.peak())));
    match list(named.into_iter().chain(busy)) {
        empty if empty.is_empty() => vec!["The sources tell nothing that a platform can be held against.".to_owned()],
        peaks => vec![
            format!("At its peaks, each by itself: {peaks}."),
            "`--on RECORD` holds it against a platform that was measured.".to_owned(),
        ],
    }
}

/// Every quantity over time.
pub(super) fn load(view: &SizingView<'_>) -> Vec<Block> {
    let columns = vec![
        Column::text("quantity"),
        Column::figure("mean"),
        Column::figure("p95"),
        Column::figure("p99"),
        Column::figure("highest\ninterval"),
        Column::figure("highest\nwithin one"),
        Column::text("highest at"),
    ];
    let rows = view.history.figures.iter().map(|figures| {
        let level = figures.level;
        let of = |value: Option<f64>| Cell::figure(value, |value| quantity_amount(figures.quantity, value));
        Row::new(vec![
            Cell::text(quantity(figures.quantity)),
            of(Some(level.mean)),
            of(level.p95),
            of(level.p99),
            of(Some(level.max)),
            of(level.burst),
            Cell::text(level.peak_at.map(|at| moment(view, at)).unwrap_or_default()),
        ])
    });
    let facts = [Demand::Memory, Demand::Capacity].into_iter().filter_map(|demand| {
        let level = view.history.level(demand)?;
        let of = if demand == Demand::Memory { "Memory of its instances" } else { "Size on disk" };
        Some(format!("{of}: {}.", amount(demand, level.max)))
    });
    let growth = view.profile.sources.iter().filter_map(|source| source.growth_bytes_per_day);
    let growth = growth.map(|bytes| {
        let way = if bytes < 0.0 { "shrinks" } else { "grows" };
        format!("It {way} by {} a day.", amount(Demand::Capacity, bytes.abs()))
    });
    let cost = view.profile.sources.iter().filter_map(|source| source.watching_seconds_per_second);
    let cost = cost.map(|share| format!("Watching took {} of a processor of dbdyno.", percent(Ratio(share))));
    let quantiles = (view.history.intervals < 100)
        .then(|| "p95 takes 20 intervals, p99 takes 100: fewer tell no such quantile.".to_owned());
    vec![
        Table::new("load-table", "", columns).with(rows).into(),
        Block::list(facts.chain(growth).chain(cost).chain(quantiles).collect::<Vec<String>>()),
    ]
}

/// Charts of the hours of the day.
pub(super) fn hours(view: &SizingView<'_>) -> Vec<Block> {
    let charts = view.history.hours.iter().filter(|(demand, _)| DRAWN.contains(demand));
    let charts = charts.filter(|(_, hours)| hours.iter().flatten().count() > 1);
    let drawn: Vec<Diagram> = charts.clone().map(|(demand, hours)| chart(*demand, hours)).collect();
    let first: Vec<Diagram> = charts.take(1).map(|(demand, hours)| chart(*demand, hours)).collect();
    let clock = view
        .history
        .offset_minutes
        .is_none()
        .then(|| Block::aside("The sources do not say their time zone: hours are those of their clocks."));
    match drawn.is_empty() {
        true => Vec::new(),
        // A terminal has room for the first one.
        false => [Block::by_line(vec![Block::Charts(first)]), Block::whole(vec![Block::Charts(drawn)])]
            .into_iter()
            .chain(clock)
            .collect(),
    }
}

fn chart(demand: Demand, hours: &[Option<Hour>; 24]) -> Diagram {
    let points = |of: fn(&Hour) -> f64| {
        let point =
            |(hour, value): (usize, &Option<Hour>)| Point::new(hour as f64, value.as_ref().map_or(f64::NAN, of));
        hours.iter().enumerate().map(point).collect::<Vec<Point>>()
    };
    let unit = match demand {
        Demand::Processors => "threads",
        Demand::LogBytes => "bytes per second",
        _ => "per second",
    };
    let highest = hours.iter().enumerate().filter_map(|(hour, value)| Some((hour, value.as_ref()?.max)));
    let highest = highest.max_by(|one, other| one.1.total_cmp(&other.1));
    let description = highest.map_or_else(String::new, |(hour, max)| {
        format!("The highest interval touches hour {hour}: {}.", amount(demand, max))
    });
    let chart = LineChart::new(
        format!("{} by hour of the day", crate::words::capital(name(demand))),
        description,
        Axis::new("hour of the day", Scale::Linear, Figures::Plain),
        Axis::new(unit, Scale::FromZero, Figures::Rate),
        vec![
            Series::new("highest interval", Role::Measured, points(|hour| hour.max)),
            Series::new("mean", Role::Other, points(|hour| hour.mean)),
        ],
    );
    Diagram::new(format!("hours-{}", super::amount::key(demand)), chart)
}
