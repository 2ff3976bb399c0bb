//! A month of a target as one page: what was promised, whether it was kept, what is left, what went wrong.

use model::promise::{Incident, Month, PromiseMonth};
use record::Ratio;

use super::words::{exact_percent, limited_by, outcomes, promise_text};
use crate::document::{Block, Cell, Column, Document, Extent, Note, Row, Section, Table, Text, Tone, drawn_by};
use crate::figure::{percent, time};
use crate::view::line as csv_line;
use crate::words::{list, plural};

/// The page of `month`.
pub fn month(month: &Month) -> Document {
    let promises =
        vec![promises(month).into(), Block::list(month.promises.iter().map(|one| promise_text(&one.promise)))];
    let incidents = match month.incidents.is_empty() {
        true => vec![Block::text("None.")],
        false => vec![incidents(month).into()],
    };
    let sections = vec![
        Section::new("promise", "Promise", promises),
        Section::new("incidents", "Incidents", incidents),
        Section::new("behind", "What is behind it", vec![behind(month)]),
    ];
    Document {
        subtitle: month.month.clone(),
        lead: vec![Block::Answer(answer(month))],
        foot: vec![drawn_by()],
        ..Document::new(format!("Promise of {}", month.target), sections)
    }
}

fn answer(month: &Month) -> Note {
    let words = |kept: Option<bool>| {
        let of = month.promises.iter().filter(move |one| one.is_kept() == kept);
        list(of.map(|one| one.promise.operation.word().to_owned()))
    };
    let (broken, kept, unseen) = (words(Some(false)), words(Some(true)), words(None));
    let (tone, title) = match (broken.is_empty(), kept.is_empty()) {
        (false, _) => (Tone::Invalid, format!("BROKEN: {broken}")),
        (true, false) => (Tone::Good, format!("KEPT: {kept}")),
        (true, true) => (Tone::Unknown, "NOTHING WAS SEEN".to_owned()),
    };
    let also_kept = (!broken.is_empty() && !kept.is_empty()).then(|| format!("kept: {kept}"));
    let not_seen = (!unseen.is_empty() && !kept.is_empty()).then(|| format!("nothing was seen of: {unseen}"));
    let incidents = Some(plural(month.incidents.len() as u64, "incident"));
    let sentences = [also_kept, not_seen, incidents].into_iter().flatten().map(Text::from).collect();
    Note { tone, title, sentences }
}

/// A line for each operation.
pub(crate) fn promises(month: &Month) -> Table {
    let columns = vec![
        Column::text("operation"),
        Column::text("promise"),
        Column::figure("promised"),
        Column::figure("good"),
        Column::figure("events"),
        Column::figure("budget\nleft"),
        Column::figure("within"),
        Column::figure("slowest\np99"),
        Column::figure("median"),
        Column::figure("baseline\nmedian"),
        Column::figure("unknown").from(Extent::Whole),
    ];
    let row = |one: &PromiseMonth| {
        let verdict = match one.is_kept() {
            Some(true) => Cell::Word("kept".to_owned(), Tone::Good),
            Some(false) => Cell::Word("broken".to_owned(), Tone::Invalid),
            None => Cell::Word("not seen".to_owned(), Tone::Unknown),
        };
        let share = |share: Option<Ratio>| Cell::figure(share.map(|share| share.0), |share| percent(Ratio(share)));
        let good = |share: Option<Ratio>| Cell::figure(share.map(|share| share.0), |share| exact_percent(Ratio(share)));
        let p99 = one.slowest.as_ref().and_then(|slowest| slowest.p99_ns);
        let span = |span: Option<record::Nanos>| Cell::Figure(time(span), span.map(|span| span.0 as f64));
        Row::new(vec![
            Cell::text(one.promise.operation.word()),
            verdict,
            good(Some(one.promise.objective.good_ratio)),
            good(one.good_share()),
            Cell::count(one.counts.valid()),
            share(one.budget_left()),
            span(one.promise.threshold_ns),
            span(p99),
            span(one.median_ns),
            span(one.promise.baseline_p50_ns),
            Cell::count(one.counts.unknown),
        ])
    };
    Table::new("promises", "Each operation", columns).with(month.promises.iter().map(row))
}

/// A line for each incident.
pub(crate) fn incidents(month: &Month) -> Table {
    let columns = vec![
        Column::text("from"),
        Column::text("until"),
        Column::text("operation"),
        Column::text("alert"),
        Column::text("why"),
        Column::text("limited by"),
    ];
    let row = |incident: &Incident| {
        let until = incident.until.as_ref().map_or("goes on", |until| &until.0);
        let why = match outcomes(&incident.outcomes) {
            bad if bad.is_empty() => incident.why.clone(),
            bad => format!("{}; in all {bad}", incident.why),
        };
        Row::new(vec![
            Cell::text(&*incident.from.0),
            Cell::text(until),
            Cell::text(incident.operation.word()),
            Cell::text(incident.alert.word()),
            Cell::text(why),
            Cell::text(limited_by(month, incident)),
        ])
    };
    Table { flexible: Some(4), ..Table::new("incidents", "By begin", columns).with(month.incidents.iter().map(row)) }
}

fn behind(month: &Month) -> Block {
    let hours = month.promises.iter().map(|one| one.hours_watched).max().unwrap_or(0);
    let record = match month.record.is_empty() {
        true => "none: what is promised was given by hand".to_owned(),
        false => format!("record {}", month.record),
    };
    Block::facts([
        ("baseline", record),
        ("watched", format!("{} of the month with events", plural(hours.into(), "hour"))),
        ("good", "a burst without an error, whose slowest statement is within the time that is promised".to_owned()),
        ("unknown", "bursts at which the monitor itself was late or stopped, or that nothing can be held against: they count for neither".to_owned()),
    ])
}

const CSV_HEADS: [&str; 14] = [
    "target",
    "month",
    "operation",
    "kept",
    "good_ratio_promised",
    "good_ratio",
    "good_count",
    "bad_count",
    "unknown_count",
    "budget_left_ratio",
    "threshold_ns",
    "slowest_ns_p99",
    "median_ns",
    "record",
];

/// The months as comma-separated values: a line for each operation of each target, times in nanoseconds.
pub fn month_csv(months: &[Month]) -> String {
    let mut text = String::new();
    csv_line(&mut text, CSV_HEADS.into_iter());
    for month in months {
        for one in &month.promises {
            let number = |number: Option<f64>| number.map_or_else(String::new, |number| number.to_string());
            let span = |span: Option<record::Nanos>| span.map_or_else(String::new, |span| span.0.to_string());
            let p99 = one.slowest.as_ref().and_then(|slowest| slowest.p99_ns);
            let cells = [
                month.target.clone(),
                month.month.clone(),
                one.promise.operation.word().to_owned(),
                one.is_kept().map_or_else(String::new, |kept| kept.to_string()),
                one.promise.objective.good_ratio.0.to_string(),
                number(one.good_share().map(|share| share.0)),
                one.counts.good.to_string(),
                one.counts.bad.to_string(),
                one.counts.unknown.to_string(),
                number(one.budget_left().map(|left| left.0)),
                span(one.promise.threshold_ns),
                span(p99),
                span(one.median_ns),
                month.record.clone(),
            ];
            csv_line(&mut text, cells.iter().map(String::as_str));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use model::promise::{Alert, Counts, Operation, Outcome, Promise};
    use record::{Nanos, Timestamp};

    use super::*;
    use crate::Style;

    fn sample() -> Month {
        let one = |operation, bad| PromiseMonth {
            promise: Promise {
                operation,
                threshold_ns: Some(Nanos(1_500_000)),
                baseline_p50_ns: Some(Nanos(200_000)),
                objective: Default::default(),
            },
            counts: Counts { good: 1_000 - bad, bad, unknown: 3 },
            hours_watched: 9,
            median_ns: Some(Nanos(210_000)),
            slowest: None,
        };
        let incident = Incident {
            operation: Operation::Commit,
            alert: Alert::Down,
            from: Timestamp("2026-11-30T04:00:00.000Z".to_owned()),
            until: None,
            why: "3 in a row are bad: 3 slow".to_owned(),
            outcomes: BTreeMap::from([(Outcome::Slow, 20)]),
        };
        Month {
            target: "engine://me@h1/shop".to_owned(),
            month: "2026-11".to_owned(),
            record: "r1".to_owned(),
            promises: vec![one(Operation::Read, 0), one(Operation::Commit, 20)],
            incidents: vec![incident],
        }
    }

    #[test]
    fn a_page_says_what_was_broken_and_by_what() {
        let text = month(&sample()).text(Style::default(), 120);
        let text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
        for words in ["BROKEN: commit", "kept: read", "the log, or what it is written to", "20 slow", "98 %", "goes on"]
        {
            assert!(text.contains(words), "no {words} in\n{text}");
        }
        assert!(month(&sample()).html().contains("BROKEN"));
    }

    #[test]
    fn a_line_has_the_figures_of_an_operation() {
        let text = month_csv(&[sample()]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[2].starts_with("engine://me@h1/shop,2026-11,commit,false,0.99,0.98,980,20,3,"), "{}", lines[2]);
    }
}
