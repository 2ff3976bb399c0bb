//! A load on platforms: shares, times, what is not known, purchases and costs.

use model::sizing::{Demand, Outlook, ResourceShare, Sizing, Unsized, UnsizedReason};
use record::{Rate, Ratio};

use super::SizingView;
use super::amount::{amount, name, source};
use super::verdict::full_first;
use crate::document::{Block, Cell, Column, Row, Table, Tone};
use crate::figure::{UNKNOWN, percent, three_digits};
use crate::platform_plan::purchase;
use crate::words::capital;

/// A table for each platform; with a heading where there are several.
fn each(view: &SizingView<'_>, of: impl Fn(usize, &Sizing) -> Vec<Block>) -> Vec<Block> {
    let mut found = Vec::new();
    for (index, sizing) in view.sizings.iter().enumerate() {
        let blocks = of(index, sizing);
        let is_shown = blocks.iter().any(|block| block.is_shown(crate::document::Extent::Whole));
        if is_shown && view.sizings.len() > 1 {
            found.push(Block::Heading(sizing.platform.name.clone()));
        }
        found.extend(blocks);
    }
    found
}

/// Several platforms: the share of each resource on each.
pub(super) fn beside(view: &SizingView<'_>) -> Vec<Block> {
    if view.sizings.len() < 2 {
        return Vec::new();
    }
    let names =
        view.sizings.iter().map(|sizing| Column { head: sizing.platform.name.clone().into(), ..Column::figure("") });
    let columns: Vec<Column> = [Column::text("resource"), Column::figure("needed")].into_iter().chain(names).collect();
    let resource =
        |sizing: &Sizing, demand: Demand| sizing.resources.iter().find(|resource| resource.demand == demand).cloned();
    let factor = view.growth.factor();
    let row = |demand: Demand| {
        let shares: Vec<Option<ResourceShare>> = view.sizings.iter().map(|sizing| resource(sizing, demand)).collect();
        shares.iter().any(Option::is_some).then(|| {
            let needed = view
                .history
                .level(demand)
                .map(|level| if demand.grows() { level.peak() * factor } else { level.peak() });
            let cells = [Cell::text(name(demand)), Cell::figure(needed, |value| amount(demand, value))];
            let cells = cells.into_iter().chain(shares.into_iter().map(|one| share(one.map(|one| one.share))));
            Row::new(cells.collect())
        })
    };
    let first =
        view.sizings.iter().map(|sizing| Cell::text(full_first(sizing).map_or(UNKNOWN, |one| name(one.demand))));
    let multiple =
        view.sizings.iter().map(|sizing| Cell::figure(sizing.multiple, |value| format!("{} x", three_digits(value))));
    let last = [
        Row::new([Cell::text("first to be full"), Cell::empty()].into_iter().chain(first).collect()),
        Row::new([Cell::text("at times today's peak"), Cell::empty()].into_iter().chain(multiple).collect()),
    ];
    let rows = Demand::ALL.into_iter().filter_map(row).chain(last);
    vec![Table::new("beside-table", "", columns).with(rows).into()]
}

/// A share that a reader sees at once where it is more than there is.
fn share(share: Option<f64>) -> Cell {
    match share {
        Some(value) if value > 1.0 => Cell::Word(percent(Ratio(value)), Tone::Invalid),
        value => Cell::figure(value, |value| percent(Ratio(value))),
    }
}

/// The resources of each platform.
pub(super) fn resources(view: &SizingView<'_>) -> Vec<Block> {
    each(view, |index, sizing| vec![table(index, sizing, view).into()])
}

fn table(index: usize, sizing: &Sizing, view: &SizingView<'_>) -> Table {
    let available = if sizing.platform.is_planned { "at best" } else { "showed" };
    let columns = vec![
        Column::text("resource"),
        Column::figure(if view.growth.factor() == 1.0 { "peak" } else { "peak\nafter growth" }),
        Column::figure(available),
        Column::figure("p95").in_group("share"),
        Column::figure("p99").in_group("share"),
        Column::figure("peak").in_group("share"),
        Column::figure("full at\ntimes today"),
        Column::text("by"),
    ];
    let row = |resource: &ResourceShare| {
        let demand = resource.demand;
        Row::new(vec![
            Cell::text(name(demand)),
            Cell::figure(Some(resource.needed.peak()), |value| amount(demand, value)),
            Cell::figure(Some(resource.ceiling.available), |value| amount(demand, value)),
            share(resource.share_p95),
            share(resource.share_p99),
            share(Some(resource.share)),
            Cell::figure(resource.multiple, three_digits),
            Cell::text(source(&resource.ceiling.source)),
        ])
        .in_tone(if resource.share > 1.0 { Tone::Warning } else { Tone::Plain })
    };
    let by = columns.len() - 1;
    let table = Table::new(format!("resources-{index}"), "", columns).with(sizing.resources.iter().map(row));
    Table { flexible: Some(by), ..table }
}

/// The measured times at the load.
pub(super) fn times(view: &SizingView<'_>) -> Vec<Block> {
    each(view, |index, sizing| {
        let columns = vec![
            Column::text("of"),
            Column::figure("times\ntoday"),
            Column::figure("rate"),
            Column::figure("p50"),
            Column::figure("p99"),
            Column::figure("sessions"),
            Column::text("by"),
        ];
        let row = |outlook: &Outlook| {
            let point = outlook.point;
            let by = match &point {
                Some(point) if point.is_open => format!("{}, {} arriving", outlook.test, rate(outlook, point.rate)),
                Some(point) => format!("{}, {} in a closed loop", outlook.test, rate(outlook, point.rate)),
                None => format!("beyond the {} of {}: not known", rate(outlook, outlook.rate_max), outlook.test),
            };
            Row::new(vec![
                Cell::text(name(outlook.demand)),
                Cell::figure(Some(outlook.multiple), three_digits),
                Cell::figure(Some(outlook.rate), |value| amount(outlook.demand, value)),
                Cell::figure(point.map(|point| point.p50.0 as f64), crate::figure::nanos),
                Cell::figure(point.and_then(|point| point.p99).map(|p99| p99.0 as f64), crate::figure::nanos),
                point.map_or_else(Cell::empty, |point| Cell::count(point.jobs.into())),
                Cell::text(by),
            ])
        };
        let by = columns.len() - 1;
        let table = Table::new(format!("times-{index}"), "", columns).with(sizing.outlooks.iter().map(row));
        vec![Table { flexible: Some(by), ..table }.into()]
    })
}

fn rate(outlook: &Outlook, value: f64) -> String {
    amount(outlook.demand, value)
}

/// What is not held against a platform, and what it takes.
pub(super) fn unknown(view: &SizingView<'_>) -> Vec<Block> {
    each(view, |_, sizing| {
        let not_told = |one: &&Unsized| one.reason == UnsizedReason::NotInLoad;
        let names: Vec<String> =
            sizing.unsized_resources.iter().filter(not_told).map(|one| name(one.demand).to_owned()).collect();
        let told = sizing.unsized_resources.iter().filter(|one| !not_told(one)).map(|one| unsized_words(sizing, one));
        let not_told = (!names.is_empty()).then(|| format!("The load does not tell: {}.", names.join(", ")));
        vec![Block::list(told.chain(not_told))]
    })
}

fn unsized_words(sizing: &Sizing, unknown: &Unsized) -> String {
    let of = capital(name(unknown.demand));
    let needed = unknown.needed.map(|level| amount(unknown.demand, level.peak())).unwrap_or_default();
    match unknown.reason {
        UnsizedReason::NotInLoad => format!("{of}: not told."),
        UnsizedReason::NoOldSheet if sizing.platform.is_planned => {
            format!(
                "{of}: {needed} of the old platform; of a planned one nothing is measured, and no factor is guessed."
            )
        }
        UnsizedReason::NoOldSheet => format!(
            "{of}: {needed} of the old platform; its record (--from) and that of this one have to share a test of \
             processors, no factor is guessed."
        ),
        UnsizedReason::NotMeasured => match hint(unknown.demand).filter(|_| !sizing.platform.is_planned) {
            Some(hint) => format!("{of}: {needed} are needed; the platform was not measured for it ({hint})."),
            None => format!("{of}: {needed} are needed; of the platform nothing is known."),
        },
    }
}

/// What measures a resource.
fn hint(demand: Demand) -> Option<&'static str> {
    Some(match demand {
        Demand::RandomReads => "dbdyno run --tests S22,T626",
        Demand::RandomWrites | Demand::RandomRequests => "dbdyno run --tests S22,S23",
        Demand::ReadBytes => "dbdyno run --tests S11",
        Demand::WrittenBytes => "dbdyno run --tests S12",
        Demand::Commits => "dbdyno run --tests T311",
        Demand::LogBytes => "dbdyno run --tests T322,T331",
        Demand::LogicalReads => "dbdyno run --tests T421,T611",
        Demand::NetworkSent | Demand::NetworkReceived => "dbdyno network",
        Demand::Processors | Demand::Sessions | Demand::Memory | Demand::Capacity => return None,
    })
}

/// What to buy next for each platform.
pub(super) fn next(view: &SizingView<'_>) -> Vec<Block> {
    each(view, |_, sizing| {
        let plan = &sizing.platform.plan;
        vec![Block::list(sizing.purchases.iter().map(|found| purchase(plan, found, true)))]
    })
}

/// What each platform costs, by commit.
pub(super) fn costs(view: &SizingView<'_>) -> Vec<Block> {
    each(view, |_, sizing| {
        let Some(book) = &sizing.platform.prices else { return Vec::new() };
        let mut found = vec![capital(&crate::price::total(book))];
        let commits = sizing.resources.iter().find(|resource| resource.demand == Demand::Commits);
        if let Some(commits) = commits {
            let today = commits.today.peak();
            let per = |rate: f64| book.cost_per_rate(Rate(rate)).map(|cost| crate::price::sum(cost.amount));
            found.extend(
                per(today).map(|cost| format!("{} {cost} per commit per second of today's peak.", book.currency)),
            );
            let full = sizing.multiple.map(|multiple| today * multiple.max(0.0));
            found.extend(full.and_then(per).map(|cost| {
                format!("{} {cost} per commit per second where the first resource is full.", book.currency)
            }));
        }
        vec![Block::list(found)]
    })
}
