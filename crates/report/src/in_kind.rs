//! A production load in kind: what was asked of the platform, what it reached, and whether its times are those that were predicted.

use model::{PredictedTimes, PredictionVerdict, RoleFigures, counted_quantities, is_in_kind, predicted_times};
use record::{ExpectedPoint, Latency, LeftOut, LoadInKind, LoadLevel, Ratio, Record, RoleInKind, Run, StepInKind};

use crate::document::{Block, Cell, Column, Extent, Row, Section, Table, Tone};
use crate::figure::{memory, nanos, number, percent, three_digits};
use crate::sizing::amount::{quantity, quantity_amount};
use crate::words::{capital, list, plural};

/// How to read the roles.
const READING: &str = "The load arrives at its rate, whether the platform keeps up or not: a step that starts late is not skipped, \
                       and its response time begins when it was due. Arrivals are random, so that a short run reaches a little \
                       more or less than its rate.";

/// How to read what was counted.
const COUNTED: &str = "A row that is read at random is a read of the device only where no cache has it. What the load asks in blocks \
                       is asked in rows, and a step of another engine takes other blocks.";

/// The load in kind of `record`: its runs, what was counted, predictions, and what was chosen.
pub(crate) fn in_kind(record: &Record) -> Section {
    const TITLE: &str = "Replay in kind";
    let Some(load) = &record.plan.in_kind else { return Section::new("in-kind", TITLE, Vec::new()) };
    let runs: Vec<&Run> = record.runs.iter().filter(|run| is_in_kind(record, run)).collect();
    if runs.is_empty() {
        return Section::new("in-kind", TITLE, vec![Block::text(asked(load))]);
    }
    let body = vec![
        Block::text(asked(load)),
        roles(load, &runs).into(),
        Block::text(predicted_lead(record, load, &runs)),
        predictions(record, &runs).into(),
        Block::details(vec![counted(record, &runs).into()]),
        Block::details(vec![Block::list(chosen(load)), Block::text(READING), Block::text(COUNTED)]),
    ];
    Section::new("in-kind", TITLE, body)
}

/// The same as far as a first screen has room for it.
pub(crate) fn screen(record: &Record) -> Section {
    let load = record.plan.in_kind.as_ref();
    let runs: Vec<&Run> = record.runs.iter().filter(|run| is_in_kind(record, run)).collect();
    let body = load.map(|load| vec![roles(load, &runs).into()]).filter(|_| !runs.is_empty());
    Section::new("in-kind", "Replay in kind", body.unwrap_or_default())
}

/// What of the load is asked, as a sentence.
pub(crate) fn asked(load: &LoadInKind) -> String {
    let level = match load.level {
        LoadLevel::P95 => "what 95 % of its time do not exceed",
        LoadLevel::P99 => "what 99 % of its time do not exceed",
        LoadLevel::Max => "its highest interval",
        LoadLevel::Peak => "its peak",
    };
    let times = if load.times == 1.0 { String::new() } else { format!(" {} times", three_digits(load.times)) };
    let of = |role: &RoleInKind| {
        format!("{} {}", quantity_amount(role.quantity, role.asked_per_second), quantity(role.quantity))
    };
    let roles = list(load.roles.iter().map(of));
    format!("A production load asks{times} {level}: {roles}, of {}.", plural(load.sessions.into(), "session"))
}

/// What a step of `role` is.
pub(crate) fn step(role: &RoleInKind) -> String {
    match role.step {
        StepInKind::RandomRead => "one row at random".to_owned(),
        StepInKind::CachedRead { rows: 1 } => "one row of the cache".to_owned(),
        StepInKind::CachedRead { rows } => format!("{rows} rows of the cache"),
        StepInKind::Scan { rows } => format!("{rows} rows in order"),
        StepInKind::Compute { rows } => format!("{rows} rows compared, each with each"),
        StepInKind::Commit { rows, row_bytes, changed_rows } => {
            let changed =
                if changed_rows > 0.0 { format!(", {} changed", three_digits(changed_rows)) } else { String::new() };
            format!("{} of {} inserted{changed}", plural(rows.into(), "row"), memory(row_bytes))
        }
    }
}

/// A line for each role of each run.
fn roles(load: &LoadInKind, runs: &[&Run]) -> Table {
    let columns = vec![
        Column::figure("run"),
        Column::text("role"),
        Column::text("a step").from(Extent::Whole),
        Column::figure("#J"),
        Column::figure("asked\nsteps/s"),
        Column::figure("reached\nsteps/s"),
        Column::figure("% of\nasked"),
        Column::figure("p50").in_group("service"),
        Column::figure("p99").in_group("service"),
        Column::figure("p50").in_group("response"),
        Column::figure("p99").in_group("response"),
        Column::figure("not\nstarted"),
        Column::figure("failed"),
    ];
    let rows = runs.iter().flat_map(|run| {
        model::role_figures(load, run).into_iter().map(|of| role_row(run, runs, &of)).collect::<Vec<Row>>()
    });
    Table::new("in-kind-roles", "", columns).with(rows).without_empty()
}

fn role_row(run: &Run, runs: &[&Run], figures: &RoleFigures<'_>) -> Row {
    let RoleFigures { role, of, asked, reached, share } = figures;
    let is_short = of.totals.unfinished > 0 || *share < Ratio(1.0 - model::RULES.rate_shortfall);
    let cells = vec![
        run_number(run, runs),
        Cell::text(role_name(role)),
        Cell::text(step(role)),
        Cell::count(role.jobs.into()),
        Cell::figure(Some(asked.0), number),
        Cell::figure(Some(reached.0), number),
        Cell::figure(Some(share.0), |share| percent(Ratio(share))),
        quantile(&of.service, |times| times.p50),
        quantile(&of.service, |times| times.p99),
        quantile(&of.response, |times| times.p50),
        quantile(&of.response, |times| times.p99),
        some(of.totals.unfinished),
        some(of.totals.failures.values().fold(0, |sum, count| sum.saturating_add(*count))),
    ];
    Row::new(cells).in_tone(if is_short { Tone::Warning } else { Tone::Plain })
}

/// A count, where there is something to count.
fn some(count: u64) -> Cell {
    if count > 0 { Cell::count(count) } else { Cell::empty() }
}

/// The number of a run, where there are several.
fn run_number(run: &Run, runs: &[&Run]) -> Cell {
    if runs.len() > 1 { Cell::count(run.number.into()) } else { Cell::empty() }
}

/// The name of a role in words.
fn role_name(role: &RoleInKind) -> String {
    role.step.name().replace('_', " ")
}

/// Two quantiles of a latency.
struct Shown {
    p50: Option<f64>,
    p99: Option<f64>,
}

fn quantile(latency: &Latency, of: fn(&Shown) -> Option<f64>) -> Cell {
    let times = model::times(latency);
    let shown = Shown {
        p50: times.map(|times| times.p50_ns.0 as f64),
        p99: times.and_then(|times| times.p99_ns).map(|p99| p99.0 as f64),
    };
    Cell::figure(of(&shown), nanos)
}

/// What the counters of engine and host say of the quantities.
fn counted(record: &Record, runs: &[&Run]) -> Table {
    let columns = vec![
        Column::figure("run"),
        Column::text("of the load"),
        Column::figure("asked"),
        Column::figure("counted"),
        Column::figure("% of\nasked"),
    ];
    let rows = runs.iter().flat_map(|run| {
        let row = |of: model::CountedQuantity| {
            let share = of.counted.filter(|_| of.asked > 0.0).map(|counted| counted / of.asked);
            Row::new(vec![
                run_number(run, runs),
                Cell::text(quantity(of.quantity)),
                Cell::figure(Some(of.asked), |value| quantity_amount(of.quantity, value)),
                Cell::figure(of.counted, |value| quantity_amount(of.quantity, value)),
                Cell::figure(share, |share| percent(Ratio(share))),
            ])
        };
        counted_quantities(record, run).into_iter().map(row).collect::<Vec<Row>>()
    });
    Table::new("in-kind-counted", "As engine and host count it", columns).with(rows).without_empty()
}

/// What the predictions are from, as a sentence.
fn predicted_lead(record: &Record, load: &LoadInKind, runs: &[&Run]) -> String {
    let found: Vec<PredictedTimes<'_>> = runs.iter().flat_map(|run| predicted_times(record, run)).collect();
    let has = |verdict: PredictionVerdict| found.iter().filter(|one| one.verdict == verdict).count();
    let judged = found.len()
        - has(PredictionVerdict::NotMeasured)
        - has(PredictionVerdict::Beyond)
        - has(PredictionVerdict::NoTime);
    let from = if load.expected.is_empty() { "other tests of this record" } else { "the record that was given" };
    match judged {
        0 => "No time was predicted: the record has no valid run of T311, T321, S21 or S22 at such a rate, and none was given with \
              --on."
            .to_owned(),
        _ => format!(
            "{} of {judged} times that {from} predict are within what was measured there at the next rates.",
            has(PredictionVerdict::Within)
        ),
    }
}

/// The times that were predicted beside those that were measured.
fn predictions(record: &Record, runs: &[&Run]) -> Table {
    let columns = vec![
        Column::figure("run"),
        Column::text("role"),
        Column::text("by"),
        Column::figure("rate").in_group("predicted"),
        Column::figure("p50").in_group("predicted"),
        Column::figure("p99").in_group("predicted"),
        Column::figure("rate").in_group("measured"),
        Column::figure("p50").in_group("measured"),
        Column::figure("p99").in_group("measured"),
        Column::text("the median is"),
    ];
    let rows = runs.iter().flat_map(|run| {
        predicted_times(record, run).into_iter().filter_map(|one| prediction_row(run, runs, &one)).collect::<Vec<Row>>()
    });
    Table::new("in-kind-predicted", "", columns).with(rows).without_empty()
}

fn prediction_row(run: &Run, runs: &[&Run], predicted: &PredictedTimes<'_>) -> Option<Row> {
    let PredictedTimes { figures, expected, verdict } = predicted;
    let expected = expected.as_ref()?;
    let points = &expected.points;
    let above = points.last().filter(|point| point.per_second >= expected.per_second);
    let is_open = above.is_some_and(|point| point.is_open);
    let measured = if is_open { &figures.of.response } else { &figures.of.service };
    let by = match above {
        Some(point) if point.is_open => format!("{}, response to arrivals", expected.test),
        Some(point) => format!("{}, service of a closed loop of {}", expected.test, point.jobs),
        None => format!("{}: no more than {}/s was measured", expected.test, number(expected.measured_max)),
    };
    let band = |of: fn(&ExpectedPoint) -> Option<f64>, shown: fn(f64) -> String| {
        let all: Vec<f64> = points.iter().filter_map(of).collect();
        let (low, high) = (all.iter().copied().reduce(f64::min), all.iter().copied().reduce(f64::max));
        match (above.and(low), high) {
            (Some(low), Some(high)) if shown(low) != shown(high) => {
                Cell::text(format!("{} to {}", shown(low), shown(high)))
            }
            (Some(low), Some(_)) => Cell::text(shown(low)),
            _ => Cell::empty(),
        }
    };
    let (word, tone) = match verdict {
        PredictionVerdict::Within => ("as predicted", Tone::Plain),
        PredictionVerdict::Shorter => ("shorter", Tone::Plain),
        PredictionVerdict::Longer => ("longer", Tone::Warning),
        PredictionVerdict::Beyond => ("beyond what was measured", Tone::Plain),
        PredictionVerdict::NoTime | PredictionVerdict::NotMeasured => ("not known", Tone::Plain),
    };
    let cells = vec![
        run_number(run, runs),
        Cell::text(role_name(figures.role)),
        Cell::text(by),
        band(|point| Some(point.per_second), number),
        band(|point| Some(point.p50_ns.0 as f64), nanos),
        band(|point| point.p99_ns.map(|p99| p99.0 as f64), nanos),
        Cell::figure(Some(figures.reached.0), number),
        quantile(measured, |times| times.p50),
        quantile(measured, |times| times.p99),
        Cell::text(word),
    ];
    Some(Row::new(cells).in_tone(tone))
}

/// What the load does not tell, and what no role asks.
fn chosen(load: &LoadInKind) -> Vec<String> {
    let mut found = vec![match load.sessions_told {
        Some(told) if told.round() as u32 == load.sessions => {
            format!("{} are those of the load.", capital(&plural(load.sessions.into(), "session")))
        }
        Some(told) => format!("The load has {} sessions; {} are used.", number(told), load.sessions),
        None => format!("The load does not tell its sessions; {} were chosen.", load.sessions),
    }];
    found.push("The sessions are shared among the roles by the rows of their steps.".to_owned());
    found.extend(
        load.roles.iter().map(|role| format!("{}: a step is {}; chosen.", capital(&role_name(role)), step(role))),
    );
    found.extend(load.left_out.iter().map(|LeftOut { quantity: of, per_second }| match per_second {
        Some(value) => format!(
            "{} of the load ({}) are not asked: they follow from what is done.",
            capital(quantity(*of)),
            quantity_amount(*of, *value)
        ),
        None => format!("{} are not told by the load, and not asked.", capital(quantity(*of))),
    }));
    found
}
