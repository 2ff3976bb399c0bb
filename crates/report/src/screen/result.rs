//! The main results of a record that is not of the catalogue, a card each.

use model::{Calibration, FoundRate, Line, MainResult, Point, Sheet};
use record::{Record, Unit, Verdict};

use crate::document::{Card, Tone};
use crate::figure::{duration, megabytes, memory, number};
use crate::line::repeats;
use crate::platform_proof;
use crate::summary::{at_once, bound_text, headline_text, large_reads, limit_of, result_name};
use crate::verdict::word_of;
use crate::words::{dop_text, list, unit_per_second};

/// Cards of tests, at most.
const TESTS_MAX: usize = 4;

/// A card for each main result of `record`, whose sheet is `sheet`.
pub(super) fn cards(record: &Record, sheet: &Sheet) -> Vec<Card> {
    let found = model::summary(record).results;
    let (tests, others): (Vec<&MainResult>, Vec<&MainResult>) =
        found.iter().partition(|result| matches!(result, MainResult::Best(_)));
    if !others.is_empty() {
        return others.into_iter().flat_map(other).collect();
    }
    let lines: Vec<&Line> = tests
        .into_iter()
        .filter_map(|result| match result {
            MainResult::Best(line) => Some(&**line),
            MainResult::Search(_) | MainResult::Calibration(_) | MainResult::Proof(_) => None,
        })
        .collect();
    let lines: Vec<&Line> = if lines.is_empty() { sheet.lines.iter().collect() } else { lines };
    let with_result = lines.into_iter().filter_map(|line| Some(test(record, line, line.best.as_ref()?)));
    with_result.take(TESTS_MAX).collect()
}

fn test(record: &Record, line: &Line, best: &Point) -> Card {
    let run = record.runs.iter().find(|run| run.number == best.run);
    let per_second = best.operations_per_second.0;
    let (figure, unit) = match line.unit {
        Unit::Byte => (number(per_second / 1e6), "MB/s"),
        _ if best.in_flight.is_some() => (number(per_second), "IOPS"),
        _ if run.and_then(model::scans).is_some() => (number(per_second), "scan/s"),
        unit => (number(per_second), unit_per_second(unit)),
    };
    let notes = [
        run.and_then(model::sync_beside).map(|sync| format!("sync p50 {}", duration(sync.service.p50_ns))),
        run.and_then(at_once),
        repeats(best, line.unit),
        best.ceiling.as_ref().map(|limit| super::share(record, limit)),
    ];
    Card {
        at: match best.in_flight {
            Some(count) => format!("{count} in flight"),
            None => format!("with {}", dop_text(best.dop, line.sweep)),
        },
        latency: best.headline.filter(|found| found.times.p99_ns.is_some()).map_or_else(String::new, headline_text),
        trust: match line.verdict {
            verdict if verdict >= Verdict::Warn => (word_of(verdict).to_owned(), Tone::of(verdict)),
            _ => (String::new(), Tone::Plain),
        },
        notes: notes.into_iter().flatten().collect(),
        ..card(result_name(record, line), figure, unit)
    }
}

fn card(name: impl Into<String>, figure: impl Into<String>, unit: impl Into<String>) -> Card {
    Card { name: name.into(), figure: figure.into(), unit: unit.into(), ..Card::default() }
}

/// The cards of a search, a calibration or a proof; nothing for the best run of a test.
fn other(result: &MainResult) -> Vec<Card> {
    match result {
        MainResult::Best(_) => Vec::new(),
        MainResult::Search(found) => vec![search(found)],
        MainResult::Proof(found) => {
            let (what, much, how) = platform_proof::tile(found);
            vec![Card { at: how, ..card(what, much, "") }]
        }
        MainResult::Calibration(found) => calibration(found),
    }
}

fn search(found: &FoundRate) -> Card {
    let of = found.test.as_ref().map(|(code, title)| format!("{code} {title}: "));
    let unit = if found.test.is_some() { "steps/s" } else { "I/Os per second" };
    let interval = found.interval.map(|(low, high)| format!("95 % {} to {}", number(low.0), number(high.0)));
    let confirmed = if found.is_confirmed { "confirmed" } else { "not confirmed" };
    let how = list([interval, Some(confirmed.to_owned())].into_iter().flatten());
    let rate = found.rate.map_or_else(|| "none".to_owned(), |rate| number(rate.0));
    Card { at: how, ..card(of.unwrap_or_default() + &limit_of(&found.level), rate, unit) }
}

fn calibration(found: &Calibration) -> Vec<Card> {
    let small = Card {
        at: list([Some(format!("{} in flight", found.in_flight)), bound_text(found)].into_iter().flatten()),
        ..card(format!("random reads of {}", memory(found.block_bytes)), number(found.max_iops.median), "IOPS")
    };
    let large = found.max_mbps.as_ref().map(|large| Card {
        at: found.large_in_flight.map_or_else(String::new, |count| format!("{count} in flight")),
        ..card(large_reads(found), megabytes(Some(large.median * 1e6)), "MB/s")
    });
    let latency = Card {
        latency: found.latency.p99_ns.map_or_else(String::new, |p99| format!("p99 {}", duration(p99))),
        ..card("latency at the maximum", duration(found.latency.mean_ns), "mean")
    };
    [Some(small), large, Some(latency)].into_iter().flatten().collect()
}
