//! Targets in production now: what their live view shows, of the same parts as their months.

use std::collections::BTreeSet;

use model::promise::{BurnNow, BurnState, DriftReference, PromiseNow, Severity, ShiftNow, Standing, TargetNow};
use record::{Ratio, Timestamp};

use super::place::Place;
use crate::document::{Block, Cell, Column, Note, Row, Section, Table, Text, Tone};
use crate::figure::{percent, three_digits, time};
use crate::promise::{incidents, promises};

/// The targets of a history.
pub struct HistoryNow<'a> {
    /// The name of its file.
    pub file: &'a str,
    /// Whether a monitor is at work on it.
    pub is_written: bool,
    /// Its targets; or why it cannot be read.
    pub targets: Result<&'a [TargetNow], &'a str>,
}

/// The section of `histories`; without a body where there are none.
pub(super) fn section(histories: &[HistoryNow<'_>]) -> Section {
    let mut blocks = Vec::new();
    let mut number = 0;
    for history in histories {
        match history.targets {
            Err(reason) => blocks.push(Block::note(Tone::Invalid, [format!("{}: {reason}", history.file)])),
            Ok(targets) => {
                for target in targets {
                    number += 1;
                    blocks.extend(of_target(history, target, number));
                }
            }
        }
    }
    Section::new("production", "In production", blocks)
}

fn of_target(history: &HistoryNow<'_>, target: &TargetNow, number: usize) -> Vec<Block> {
    let named = |part: &str, table: Table| Table { id: format!("{part}-{number}"), ..table }.into();
    let month = &target.month;
    let mut blocks = vec![
        Block::Heading(month.target.clone()),
        Block::Note(state(history, target)),
        named("promises", Table { caption: format!("{} so far", month.month), ..promises(month) }),
        named("burns", burns(target)),
        named("bursts", bursts(target)),
        named("shifts", shifts(target)),
    ];
    if !month.incidents.is_empty() {
        blocks.push(named("incidents", incidents(month)));
    }
    blocks.extend(months(history, target).map(Block::Text));
    blocks
}

/// What is raised, and whether anybody watches.
fn state(history: &HistoryNow<'_>, target: &TargetNow) -> Note {
    let raised: Vec<(Severity, String)> = target
        .promises
        .iter()
        .flat_map(|one| {
            let word = one.promise.operation.word();
            one.raised
                .iter()
                .map(move |(alert, since)| (alert.severity(), format!("{word} {} since {}", alert.word(), since.0)))
        })
        .collect();
    let is_down = raised.iter().any(|(severity, _)| *severity == Severity::Page);
    let last = target.last_at.as_ref().map_or_else(|| "no burst yet".to_owned(), |at| format!("last burst {}", at.0));
    let (tone, title) = match (history.is_written, raised.is_empty()) {
        (false, _) => (Tone::Unknown, "NOT WATCHED: no monitor is at work on this history"),
        (true, true) => (Tone::Good, "WATCHED: no alert"),
        (true, false) if is_down => (Tone::Invalid, "ALERT: somebody has to act now"),
        (true, false) => (Tone::Warning, "TICKET: somebody has to act in working hours"),
    };
    let alerts = raised.into_iter().map(|(severity, text)| format!("{}: {text}", severity.word()));
    let sentences = std::iter::once(format!("{last}; history {}", history.file)).chain(alerts);
    Note { tone, title: title.to_owned(), sentences: sentences.map(Text::from).collect() }
}

/// How fast the budget is used, by each rule.
fn burns(target: &TargetNow) -> Table {
    let columns = vec![
        Column::text("operation"),
        Column::text("rule"),
        Column::text("state"),
        Column::figure("limit"),
        Column::figure("long\nwindow"),
        Column::figure("short\nwindow"),
        Column::figure("bad"),
        Column::figure("events"),
        Column::figure("budget\nleft"),
    ];
    let row = |(one, now): (&PromiseNow, &BurnNow)| {
        let state = match now.state {
            BurnState::Quiet => Cell::Word("quiet".to_owned(), Tone::Good),
            BurnState::Firing(_) => Cell::Word("burning".to_owned(), Tone::Invalid),
            BurnState::NotDecidable { .. } => Cell::Word("not decidable".to_owned(), Tone::Unknown),
        };
        let times = |factor: f64| Cell::Figure(format!("{}x", three_digits(factor)), Some(factor));
        Row::new(vec![
            Cell::text(one.promise.operation.word()),
            Cell::text(now.rule.alert.word()),
            state,
            times(now.rule.factor),
            times(now.burn.long_rate),
            times(now.burn.short_rate),
            Cell::count(now.burn.long.bad),
            Cell::count(now.burn.long.valid()),
            Cell::figure(one.budget_left.map(|left| left.0), |left| percent(Ratio(left))),
        ])
    };
    let pairs = target.promises.iter().flat_map(|one| one.burns.iter().map(move |burn| (one, burn)));
    let caption = "Times the rate at which the budget lasts exactly as long as its objective";
    Table::new("burns", caption, columns).with(pairs.map(row))
}

/// The last bursts, those of all operations at one moment in one line.
fn bursts(target: &TargetNow) -> Table {
    let mut columns = vec![Column::text("at")];
    for one in &target.promises {
        let word = one.promise.operation.word();
        columns.extend([Column::text("outcome").in_group(word), Column::figure("slowest").in_group(word)]);
    }
    let moments = target.promises.iter().flat_map(|one| one.bursts.iter().map(|burst| &burst.at));
    let moments: BTreeSet<_> = moments.collect();
    let row = |at: &Timestamp| {
        let cells = target.promises.iter().flat_map(|one| {
            let burst = one.bursts.iter().find(|burst| burst.at == *at);
            let outcome = burst.map_or_else(Cell::empty, |burst| {
                let tone = match burst.outcome.standing() {
                    Standing::Good => Tone::Good,
                    Standing::Bad => Tone::Invalid,
                    Standing::Unknown => Tone::Unknown,
                };
                Cell::Word(burst.outcome.word().to_owned(), tone)
            });
            let slowest = burst.and_then(|burst| burst.slowest_ns);
            [outcome, Cell::Figure(time(slowest), slowest.map(|slowest| slowest.0 as f64))]
        });
        Row::new(std::iter::once(Cell::text(&*at.0)).chain(cells).collect())
    };
    Table::new("bursts", "The last bursts, the newest first", columns).with(moments.into_iter().rev().map(row))
}

/// Medians of hours against their references; no line where too little is known.
fn shifts(target: &TargetNow) -> Table {
    let columns = vec![
        Column::text("operation"),
        Column::text("against"),
        Column::text("drift"),
        Column::figure("ratio"),
        Column::figure("at least"),
        Column::figure("at most"),
        Column::figure("hours"),
    ];
    let row = |(one, shift): (&PromiseNow, &ShiftNow)| {
        let against = match shift.reference {
            DriftReference::Baseline => "the baseline",
            DriftReference::SameHour => "the same hours of the last four weeks",
        };
        let word = match shift.is_drift {
            true => Cell::Word("drifts".to_owned(), Tone::Warning),
            false => Cell::Word("none".to_owned(), Tone::Good),
        };
        let ratio = |Ratio(ratio): Ratio| Cell::Figure(three_digits(ratio), Some(ratio));
        Row::new(vec![
            Cell::text(one.promise.operation.word()),
            Cell::text(against),
            word,
            ratio(shift.ratio),
            ratio(shift.ratio_min),
            ratio(shift.ratio_max),
            Cell::count(shift.hours.into()),
        ])
    };
    let pairs = target.promises.iter().flat_map(|one| one.shifts.iter().map(move |shift| (one, shift)));
    Table::new("shifts", "Medians of the last hours, times their reference", columns).with(pairs.map(row))
}

/// Links to the months.
fn months(history: &HistoryNow<'_>, target: &TargetNow) -> Option<Text> {
    let (first, rest) = target.months.split_first()?;
    let link =
        |month: &String| Text::link(month.as_str(), Place::Served.month(history.file, &target.month.target, month));
    let mut text = Text::from("Months: ");
    text.0.extend(link(first).0);
    for month in rest {
        text = text.plain(" ");
        text.0.extend(link(month).0);
    }
    Some(text)
}
