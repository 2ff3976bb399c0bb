//! The summary of a record, in words: the same on the terminal and on the page.

use model::{
    Cause, FoundRate, Gain, Gravest, Limiter, Line, MainLimit, MainResult, Point, Remedy, Summary, Validity,
    summary as summarise,
};
use record::{Rate, Record, Unit, Verdict};

use crate::fact::size_text;
use crate::figure::{duration, megabytes, number, percent};
use crate::finding::{finding_text, remedy};
use crate::layout::{clean, paragraph};
use crate::limit::{headline, resource};
use crate::text::{short_title, title};
use crate::words::{dop_text, list, plural, unit_per_second};

/// Column of the texts.
const INDENT: usize = 12;

/// Remedies that are named.
const REMEDIES_MAX: usize = 2;

/// Codes that are named one by one.
const CODES_MAX: usize = 4;

/// The summary of `record` as sentences under labels; empty without runs.
pub(crate) fn facts(record: &Record) -> Vec<(&'static str, Vec<String>)> {
    if record.runs.is_empty() {
        return Vec::new();
    }
    let found = summarise(record);
    let mut results: Vec<String> = found.results.iter().map(result_text).collect();
    if results.is_empty() {
        results.push("none: no run is valid".to_owned());
    }
    let limits = found.limits.iter().map(limit_text).collect();
    let mut facts = vec![
        ("results", results),
        ("validity", vec![validity_text(&found.validity)]),
        ("limits", limits),
        ("would help", remedies_text(&found).collect()),
    ];
    facts.retain(|(_, sentences)| !sentences.is_empty());
    facts
}

/// The main results of `record`, a sentence each; empty without a valid run.
pub fn results(record: &Record) -> Vec<String> {
    summarise(record).results.iter().map(result_text).collect()
}

/// The same as lines for the terminal.
pub(crate) fn lines(record: &Record, width: usize) -> Vec<String> {
    let of_label = |(label, sentences): (&str, Vec<String>)| -> Vec<String> {
        let labels = [label].into_iter().chain(std::iter::repeat(""));
        labels.zip(sentences).flat_map(|(label, sentence)| paragraph(label, INDENT, &sentence, width)).collect()
    };
    facts(record).into_iter().flat_map(of_label).collect()
}

fn result_text(result: &MainResult) -> String {
    match result {
        MainResult::Best(line) => best_text(line),
        MainResult::Search(found) => found_text(found),
        MainResult::Calibration(found) => {
            let small = format!(
                "{} random reads/s of {} at {} in flight",
                number(found.max_iops.median),
                size_text(found.block_bytes),
                found.in_flight
            );
            let large = found.max_mbps.as_ref().map(|large| format!("{} MB/s", megabytes(Some(large.median * 1e6))));
            let bound = found.bound.as_ref().map(|bound| {
                let kept = if found.kept == Some(false) { "missed" } else { "met" };
                format!("{bound} {kept}")
            });
            list([Some(small), large, bound].into_iter().flatten())
        }
    }
}

fn best_text(line: &Line) -> String {
    let Some(best) = &line.best else { return String::new() };
    let times = best.service.map(|service| match service.p99_ns {
        Some(p99) => format!("p99 {}", duration(p99)),
        None => format!("p50 {}", duration(service.p50_ns)),
    });
    let doubt = (line.verdict == Verdict::Warn).then(|| "with a warning".to_owned());
    let what = name(&line.test, title(line));
    let facts = list([Some(rate_text(line, best)), times, doubt].into_iter().flatten());
    format!("{what}: {facts}")
}

/// A test in a few words: its code, and its title up to the first comma.
fn name(code: &str, title: &str) -> String {
    let title = clean(title);
    let short = title.split(',').next().unwrap_or_default();
    // The title of an I/O job is its name.
    if short == code { clean(code) } else { format!("{} {short}", clean(code)) }
}

/// The rate of a point, with its degree of parallelism.
fn rate_text(line: &Line, best: &Point) -> String {
    let Rate(rate) = best.operations_per_second;
    let (rate, bytes) = match line.unit {
        Unit::Byte => (format!("{} MB/s", megabytes(Some(rate))), None),
        _ if best.in_flight.is_some() => (format!("{} IOPS", number(rate)), best.bytes_per_second),
        unit => (format!("{} {}", number(rate), unit_per_second(unit)), best.bytes_per_second),
    };
    let bytes = bytes.map(|Rate(bytes)| format!(" ({} MB/s)", megabytes(Some(bytes)))).unwrap_or_default();
    let with = best.in_flight.map_or_else(|| dop_text(best.dop, line.sweep), |count| format!("{count} in flight"));
    format!("{rate}{bytes} with {with}")
}

fn found_text(found: &FoundRate) -> String {
    let of = found.test.as_ref().map(|(code, title)| format!("{} {}: ", clean(code), clean(title)));
    let unit = if found.test.is_some() { "steps/s" } else { "I/Os per second" };
    let rate = match found.rate {
        None => "no highest rate was found".to_owned(),
        Some(Rate(rate)) => {
            let interval = found.interval.map(|(low, high)| format!(" (95 % {} to {})", number(low.0), number(high.0)));
            let confirmed = if found.is_confirmed { ", confirmed by runs above it" } else { ", not confirmed" };
            format!("{} {unit}{}{confirmed}", number(rate), interval.unwrap_or_default())
        }
    };
    format!("{}highest rate with {}: {rate}", of.unwrap_or_default(), clean(&found.level))
}

fn validity_text(validity: &Validity) -> String {
    let Validity { runs, invalid, with_warnings, without_result, gravest } = validity;
    let valid = runs - invalid;
    let counts = match (valid, *runs) {
        (1, 1) if *with_warnings > 0 => "the run is valid, with a warning".to_owned(),
        (1, 1) => "the run is valid".to_owned(),
        (0, 1) => "the run is invalid".to_owned(),
        (valid, runs) => format!("{valid} of {runs} runs are valid"),
    };
    let warned = (*with_warnings > 0 && *runs > 1).then(|| format!("{with_warnings} with a warning"));
    let none = gravest.is_none().then(|| "no warnings".to_owned());
    let gravest = gravest.as_ref().map(gravest_text);
    let missing = (!without_result.is_empty()).then(|| format!("no result of {}", few(without_result)));
    list([Some(counts), warned, none, missing].into_iter().flatten()) + &gravest.unwrap_or_default()
}

/// Some codes, or their number.
fn few(codes: &[String]) -> String {
    match codes.len() > CODES_MAX {
        true => plural(codes.len() as u64, "test"),
        false => codes.iter().map(|code| clean(code)).collect::<Vec<_>>().join(", "),
    }
}

/// The gravest finding, and what to do about it.
fn gravest_text(gravest: &Gravest) -> String {
    let others = gravest.runs - 1;
    let others = if others > 0 { format!(" and {}", plural(others as u64, "other run")) } else { String::new() };
    let remedy = remedy(gravest.finding.check());
    format!("; gravest: {} ({}{others}). Remedy: {remedy}", finding_text(&gravest.finding), clean(&gravest.test))
}

fn limit_text(limit: &MainLimit) -> String {
    let proved = match limit.proof.as_ref().map(|proof| proof.cause) {
        Some(Cause::Because | Cause::InPart) => " (proved by runs with less of it)",
        _ => "",
    };
    let name = name(&limit.test, short_title(limit.layer, &limit.title));
    let found = match (&limit.attribution.limiter, limit.with_more) {
        (Limiter::TooFewClients { .. }, more) => {
            let more = more.map(|(dop, ratio)| format!("; {} reached {}", dop_text(dop, limit.sweep), percent(ratio)));
            format!("latency, no resource is full{}", more.unwrap_or_default())
        }
        _ => headline(Some(&limit.attribution), limit.proof.as_ref()),
    };
    format!("{name}: {found}{proved}")
}

/// The remedies of all main results, those of each result together.
fn remedies_text(found: &Summary) -> impl Iterator<Item = String> {
    found.limits.iter().filter(|limit| !limit.remedies.is_empty()).map(|limit| {
        let limiter = &limit.attribution.limiter;
        let gains = limit.remedies.iter().take(REMEDIES_MAX).enumerate();
        let gains = gains.map(|(index, gain)| gain_text(gain, limiter, index == 0));
        format!("{}: at most {}", clean(&limit.test), gains.collect::<Vec<String>>().join(", "))
    })
}

/// The bound of the gain of a remedy: two digits, because all else is assumed to be unlimited.
fn gain_text(gain: &Gain, limiter: &Limiter, is_first: bool) -> String {
    let what = match gain.remedy {
        Remedy::Processors(count) => plural(u64::from(count), "more processor"),
        Remedy::NoOtherPrograms => "no other programs".to_owned(),
        Remedy::LogLatency => "half the log device latency".to_owned(),
        Remedy::DataLatency => "half the data device latency".to_owned(),
        Remedy::Memory => "memory for all data".to_owned(),
        Remedy::DeviceRate => match limiter {
            Limiter::Resource(name) => format!("twice the {}", resource(name)),
            _ => "twice the rate of the device".to_owned(),
        },
        Remedy::Sessions => "more sessions".to_owned(),
    };
    let basis = if gain.is_measured { " (measured with less)" } else { "" };
    format!("{:.1} times{} with {what}{basis}", gain.factor_max, if is_first { " the rate" } else { "" })
}
