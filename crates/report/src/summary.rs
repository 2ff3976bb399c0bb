//! The summary of a record, in words: the same on the terminal and on the page.

use model::{
    Attribution, Beyond, Calibration, Cause, ClaimBasis, FoundRate, Gain, Headline, LatencyName, Limiter, Line,
    MainLimit, MainResult, MostSerious, Point, Remedy, Scans, StorageLimit, StorageLimiter, Summary, Validity,
    summary as summarise,
};
use record::{Bytes, Check, IoStream, PlanSubject, Rate, Record, Run, RunCounts, Unit, Verdict};

use crate::fact::{io_pattern, size_text};
use crate::figure::{duration, megabytes, number, percent, volume};
use crate::finding::{check_words, finding_text};
use crate::layout::clean;
use crate::limit::{basis_note, headline, resource, time_class};
use crate::platform_proof;
use crate::wake_up::single_job;
use crate::words::{CODES_MAX, basis, dop_text, few, list, plural, short_title, title, unit_per_second};

/// Classes of time that are named.
const CLASSES_MAX: usize = 2;

/// With more of the response time unknown, the summary says how much.
const UNKNOWN_SHARE_MAX: f64 = 0.2;

/// Passed checks that are named.
const PASSED_MAX: usize = 2;

/// Remedies that are named.
const REMEDIES_MAX: usize = 2;

/// Rates that differ by less are called the same.
const SAME_RATE: f64 = 0.03;

/// With this share, most of the time goes to one class.
const MOST: f64 = 0.5;

/// The summary of `record` as sentences under labels: its results, or why there are none, whether they can be trusted, what limits
/// them and what would help.
pub(crate) fn facts(record: &Record) -> Vec<(&'static str, Vec<String>)> {
    let (found, subject) = (summarise(record), record.plan.subject());
    let mut results: Vec<String> = found.results.iter().flat_map(|result| result_texts(record, result)).collect();
    if results.is_empty() {
        let is_some_valid = found.validity.counts.invalid < found.validity.counts.runs;
        results.push(match subject {
            PlanSubject::Proof(_) if is_some_valid => {
                "nothing is proved: no round has valid runs of all parts".to_owned()
            }
            _ => "none: no run is valid".to_owned(),
        });
    }
    let (mut limits, help) = limits_of(&found);
    limits.extend(alone_of(&found.results));
    let mut facts = vec![
        ("results", results),
        ("validity", validity_text(&found.validity, subject.properties().is_about_storage)),
        (LIMITS, limits),
        (HELP, help),
    ];
    facts.retain(|(_, sentences)| !sentences.is_empty());
    facts
}

/// What limits the main results of `record`, and what would help, as sentences under labels.
pub(crate) fn limits(record: &Record) -> Vec<(&'static str, Vec<String>)> {
    let (limits, help) = limits_of(&summarise(record));
    let facts = [(LIMITS, limits), (HELP, help)];
    facts.into_iter().filter(|(_, sentences)| !sentences.is_empty()).collect()
}

const LIMITS: &str = "limits";
const HELP: &str = "would help";

fn limits_of(found: &Summary) -> (Vec<String>, Vec<String>) {
    let of_best = found.limits.iter().map(limit_text).chain(found.storage.iter().map(storage_text));
    let help = found.limits.iter().filter_map(remedy_text).chain(found.storage.iter().map(storage_remedy));
    (of_best.collect(), help.collect())
}

/// What wake-ups of idle processors add to the single jobs of the main results of `record`, a sentence each.
pub(crate) fn alone(record: &Record) -> Vec<String> {
    alone_of(&summarise(record).results)
}

fn alone_of(results: &[MainResult]) -> Vec<String> {
    let alone = results.iter().filter_map(|result| match result {
        MainResult::Best(line) => single_job(line).map(|(at, text)| format!("{} {at}: {text}", clean(&line.test))),
        MainResult::Calibration(_) | MainResult::Search(_) | MainResult::Proof(_) => None,
    });
    alone.collect()
}

/// How many runs of `record` are valid, and what speaks against them; nothing without runs.
pub(crate) fn validity(record: &Record) -> Option<String> {
    let sentences = validity_text(&summarise(record).validity, false);
    (!record.runs.is_empty()).then(|| sentences.join("; "))
}

/// The main results of `record`, a sentence each; empty without a valid run.
pub fn results(record: &Record) -> Vec<String> {
    summarise(record).results.iter().flat_map(|result| result_texts(record, result)).collect()
}

fn result_texts(record: &Record, result: &MainResult) -> Vec<String> {
    match result {
        MainResult::Best(line) => vec![best_text(record, line)],
        MainResult::Search(found) => vec![found_text(found)],
        MainResult::Proof(found) => platform_proof::sentences(record, found),
        MainResult::Calibration(found) => {
            let small = format!(
                "random reads of {}: {} IOPS with {} in flight",
                size_text(found.block_bytes),
                number(found.max_iops.median),
                found.in_flight
            );
            let large = found
                .max_mbps
                .as_ref()
                .map(|large| format!("{}: {} MB/s", large_reads(found), megabytes(Some(large.median * 1e6))));
            vec![list([Some(small), large, bound_text(found)].into_iter().flatten())]
        }
    }
}

/// The large reads of a calibration.
pub(crate) fn large_reads(found: &Calibration) -> String {
    match found.large_block_bytes {
        Some(block) => format!("random reads of {}", size_text(block)),
        None => "large random reads".to_owned(),
    }
}

/// The latency bound of a calibration, and whether it was met.
pub(crate) fn bound_text(found: &Calibration) -> Option<String> {
    found.bound.as_ref().map(|bound| format!("latency bound {bound} {}", bound_outcome(found, ["met", "missed"])))
}

/// Whether the bound of a calibration was met, in the words for met and missed, and by how many of the runs where they differ.
pub(crate) fn bound_outcome(found: &Calibration, [met, missed]: [&str; 2]) -> String {
    let (all, kept) = (found.max_iops.repeats, found.kept_runs);
    match found.kept {
        None => "not judged".to_owned(),
        Some(true) if kept == all => met.to_owned(),
        Some(true) => format!("{met} in {kept} of {all} runs"),
        Some(false) if kept == 0 => missed.to_owned(),
        Some(false) => format!("{missed} in {} of {all} runs", all - kept),
    }
}

fn best_text(record: &Record, line: &Line) -> String {
    let Some(best) = &line.best else { return String::new() };
    let run = record.runs.iter().find(|run| run.number == best.run);
    let synced = run.and_then(|run| Some((run, model::sync_beside(run)?)));
    let times = best.headline.map(|found| match synced {
        Some((run, sync)) => synced_text(record, run, found, sync),
        None => headline_text(found),
    });
    let doubt = (line.verdict == Verdict::Warn).then(|| "with a warning".to_owned());
    let what = io_name(record, line).unwrap_or_else(|| short_name(&line.test, title(line)));
    let rate = run.and_then(model::scans).map_or_else(
        || rate_text(line, best),
        |scans| format!("{} with {}", scans_text(&scans), dop_text(best.dop, line.sweep)),
    );
    let facts = list([Some(rate), times, doubt, run.and_then(at_once)].into_iter().flatten());
    format!("{what}: {facts}")
}

/// The latency that stands for a run; service time has no name.
pub(crate) fn headline_text(found: Headline) -> String {
    let name = latency_prefix(found.name);
    match found.times.p99_ns {
        Some(p99) => format!("{name}p99 {}", duration(p99)),
        None => format!("{name}p50 {} (too few for p99)", duration(found.times.p50_ns)),
    }
}

/// The name of a latency before its figure; service time has none.
fn latency_prefix(name: LatencyName) -> &'static str {
    match name {
        LatencyName::Service => "",
        LatencyName::Response => "response time ",
    }
}

/// The latency of the run, and beside it by name that of its syncs and of the writes before them; the note says how both are timed
/// as one.
fn synced_text(record: &Record, run: &Run, found: Headline, sync: &IoStream) -> String {
    let job = tables::io_stream::job(record, run, sync);
    let call = tables::io_stream::pattern(sync, job);
    let sync_time = duration(sync.service.p50_ns);
    let note = "commit=1 or --commit times both as one";
    let Some(writes) = model::synced_writes(run, sync) else {
        return format!("{}; besides {call} p50 {sync_time}", headline_text(found));
    };
    let of_all = if model::has_others(run, writes) { format!("{}; ", headline_text(found)) } else { String::new() };
    let write_time = match found.name {
        LatencyName::Service => writes.service.p50_ns,
        LatencyName::Response => writes.response.p50_ns,
    };
    let followed = match job.and_then(|job| job.sync_every).map(|every| every.writes) {
        Some(1) => format!("each followed by {call}"),
        Some(count) => format!("{call} after every {count} writes"),
        None => format!("besides {call}"),
    };
    let prefix = latency_prefix(found.name);
    format!("{of_all}{prefix}write p50 {}, {followed} p50 {sync_time} ({note})", duration(write_time))
}

/// That several jobs of storage ran at once.
pub(crate) fn at_once(run: &Run) -> Option<String> {
    (model::io_jobs(run).len() > 1).then(|| "the jobs ran at the same time".to_owned())
}

/// The rates of scans.
pub(crate) fn scans_text(scans: &Scans) -> String {
    let bytes = scans.bytes_per_second.map(|Rate(bytes)| format!("{} MB/s", megabytes(Some(bytes))));
    let rows = format!("{} row/s", number(scans.rows_per_second.0));
    list([Some(format!("{} scan/s", number(scans.per_second.0))), Some(rows), bytes].into_iter().flatten())
}

/// A test by its code and title, an I/O job by its name and what it does.
pub(crate) fn result_name(record: &Record, line: &Line) -> String {
    io_name(record, line).unwrap_or_else(|| name(&line.test, title(line)))
}

fn io_name(record: &Record, line: &Line) -> Option<String> {
    let best = line.best.as_ref().filter(|_| line.test == line.title)?;
    let run = record.runs.iter().find(|run| run.number == best.run)?;
    let jobs = model::io_jobs(run);
    if jobs.len() > 1 {
        return Some(format!("{} together", named(&jobs)));
    }
    Some(format!("{} ({})", clean(&line.test), io_pattern(run)?))
}

/// Names of jobs: `a, b and c`, or `a, b and 3 more`.
fn named(jobs: &[&str]) -> String {
    let (first, last) = match jobs {
        [first @ .., last] if jobs.len() <= CODES_MAX => (first, clean(last)),
        _ => (&jobs[..CODES_MAX.min(jobs.len()) - 1], format!("{} more", jobs.len() + 1 - CODES_MAX)),
    };
    format!("{} and {last}", list(first.iter().map(|job| clean(job))))
}

/// A test by its code and title.
fn name(code: &str, title: &str) -> String {
    // The title of an I/O job is its name.
    if title == code { clean(code) } else { format!("{} {}", clean(code), clean(title)) }
}

/// The same with the title up to its first comma.
pub(crate) fn short_name(code: &str, title: &str) -> String {
    name(code, title.split(',').next().unwrap_or_default())
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

/// What the rate of a search for `level` is.
pub(crate) fn limit_of(level: &str) -> String {
    format!("rate at which half of the runs meet {}", clean(level))
}

fn found_text(found: &FoundRate) -> String {
    let of = found.test.as_ref().map(|(code, title)| format!("{} {}: ", clean(code), clean(title)));
    let unit = if found.test.is_some() { "steps/s" } else { "I/Os per second" };
    let rate = match found.rate {
        None => "none was found".to_owned(),
        Some(Rate(rate)) => {
            let interval = found.interval.map(|(low, high)| format!(" (95 % {} to {})", number(low.0), number(high.0)));
            let confirmed = if found.is_confirmed { ", confirmed by runs above it" } else { ", not confirmed" };
            format!("{} {unit}{}{confirmed}", number(rate), interval.unwrap_or_default())
        }
    };
    format!("{}{}: {rate}", of.unwrap_or_default(), limit_of(&found.level))
}

/// How many runs are valid, and what speaks against them; what speaks for runs of storage, which have no sheet of checks
/// beside them.
fn validity_text(validity: &Validity, is_storage: bool) -> Vec<String> {
    let Validity { counts: RunCounts { runs, invalid, with_warnings, .. }, without_result, most_serious, .. } =
        validity;
    let valid = runs - invalid;
    let counts = match (valid, *runs) {
        (1, 1) if *with_warnings > 0 => "the only run is valid, with a warning".to_owned(),
        (1, 1) => "the only run is valid".to_owned(),
        (0, 1) => "the only run is invalid".to_owned(),
        (valid, runs) => format!("{valid} of {runs} runs gave a result"),
    };
    let warned = (*with_warnings > 0 && *runs > 1).then(|| format!("{with_warnings} with a warning"));
    let gains = &validity.gains_beyond_workers;
    let gains = (!gains.is_empty()).then(|| format!("a gain beyond the added jobs: {}", few(gains)));
    let drifting = &validity.drifting;
    let drifting = (!drifting.is_empty()).then(|| format!("repeats that drift: {}", few(drifting)));
    let in_other_states = &validity.in_other_states;
    let in_other_states =
        (!in_other_states.is_empty()).then(|| format!("runs in another state: {}", few(in_other_states)));
    let of_tests = [gains, drifting, in_other_states];
    let is_without = most_serious.is_none() && of_tests.iter().all(Option::is_none);
    let none = is_without.then(|| "no warnings".to_owned());
    let most_serious = most_serious.as_ref().map(most_serious_text);
    let missing = (!without_result.is_empty()).then(|| format!("no result of {}", few(without_result)));
    let unchecked = unchecked_text(validity).map(|text| format!("; not checked: {text}"));
    let counts = list([Some(counts), warned].into_iter().chain(of_tests).chain([none, missing]).flatten());
    let counted = counts + &unchecked.unwrap_or_default() + &most_serious.unwrap_or_default();
    let passed = is_storage.then(|| passed_text(validity)).flatten();
    [Some(counted), passed].into_iter().flatten().collect()
}

/// The most telling checks that were passed, and how many others.
fn passed_text(validity: &Validity) -> Option<String> {
    let named: Vec<&str> = validity.passed.iter().take(PASSED_MAX).map(|passed| check_words(*passed).name).collect();
    let others = validity.passed.len().saturating_sub(PASSED_MAX);
    let others = if others > 0 { format!(" and {}", plural(others as u64, "other")) } else { String::new() };
    (!named.is_empty()).then(|| format!("passed checks: {}{others}", named.join(", ")))
}

/// What could not be checked, and of how many runs.
fn unchecked_text(validity: &Validity) -> Option<String> {
    let of = |count: usize| match count == validity.counts.runs {
        true => "all runs".to_owned(),
        false => plural(count as u64, "run"),
    };
    let text = |(found, count): (&Check, &usize)| match found {
        Check::WindowLength => format!("{} ({}: windows too short)", check_words(Check::Steady).name, of(*count)),
        found => format!("{} ({})", check_words(*found).name, of(*count)),
    };
    let checks: Vec<String> = validity.unchecked.iter().map(text).collect();
    (!checks.is_empty()).then(|| checks.join(", "))
}

/// The most serious finding, and what to do about it.
fn most_serious_text(most_serious: &MostSerious) -> String {
    let others = most_serious.runs - 1;
    let others = if others > 0 { format!(" and {}", plural(others as u64, "other run")) } else { String::new() };
    let remedy = check_words(most_serious.finding.check()).remedy;
    format!(
        "; most serious: {} ({}{others}). Remedy: {remedy}",
        finding_text(&most_serious.finding),
        clean(&most_serious.test)
    )
}

/// What limits a main result, after its name.
pub(crate) fn limit_text(limit: &MainLimit) -> String {
    let name = short_name(&limit.test, short_title(limit.layer, &limit.title));
    let (basis, found) = limit_words(limit);
    format!("{name}{basis}: {found}")
}

/// What a limit rests on, and the limit.
pub(crate) fn limit_words(limit: &MainLimit) -> (String, String) {
    let basis = match limit.proof.as_ref().map(|proof| proof.cause) {
        Some(Cause::Because | Cause::InPart) => " (measured: runs with less of it)".to_owned(),
        _ => basis_note(Some(&limit.attribution), limit.proof.as_ref()),
    };
    let is_open = matches!(limit.attribution.limiter, Limiter::TooFewClients { .. } | Limiter::Unexplained);
    let time = time_text(&limit.attribution).filter(|_| is_open && limit.proof.is_none());
    let rest = match (&limit.attribution.limiter, limit.with_more) {
        (Limiter::TooFewClients { .. }, Some((dop, ratio))) => {
            let than = match ratio.0 {
                ratio if ratio < 1.0 - SAME_RATE => "slower",
                ratio if ratio > 1.0 + SAME_RATE => "faster",
                _ => "no faster",
            };
            format!("{than} with {}: {} of this rate", dop_text(dop, limit.sweep), percent(ratio))
        }
        (Limiter::TooFewClients { .. }, None) => "no resource is full, the time of each step limits".to_owned(),
        (Limiter::Unexplained, _) if time.is_some() => match limit.attribution.uses.first() {
            Some(fullest) => format!("fullest resource: {} {}", resource(&fullest.name), percent(fullest.used)),
            None => "no resource was counted".to_owned(),
        },
        _ => headline(Some(&limit.attribution), limit.proof.as_ref()),
    };
    let of_tried = limit.is_best_of_tried().then(|| format!("best of those tried: {}", tried_text(limit)));
    let found = time.into_iter().chain([rest]).chain(of_tried).collect::<Vec<String>>().join("; ");
    (basis, found)
}

/// That more sessions or threads than those of the best run were not tried.
pub(crate) fn tried_text(limit: &MainLimit) -> String {
    format!("more than {} may be faster", dop_text(limit.dop, limit.sweep))
}

/// What most of the time goes to.
fn time_text(found: &Attribution) -> Option<String> {
    let largest = found.classes.iter().take(CLASSES_MAX);
    let shares: Vec<String> =
        largest.map(|class| format!("{} {}", time_class(class.name), percent(class.share))).collect();
    let unknown = found.unknown_share();
    let unknown = (unknown.0 > UNKNOWN_SHARE_MAX).then(|| format!(", of {} nothing is known", percent(unknown)));
    let mostly = if found.classes.first()?.share.0 >= MOST { "mostly " } else { "" };
    Some(format!("{mostly}{} of the time{}", shares.join(", "), unknown.unwrap_or_default()))
}

/// The limit of a measurement of storage, with its evidence.
fn storage_text(limit: &StorageLimit) -> String {
    let what = match limit.limiter {
        StorageLimiter::Generator => "dbdyno itself",
        StorageLimiter::Processors => "CPU",
        StorageLimiter::StorageHost => "CPU of the host of storage",
        StorageLimiter::Bound => "the latency bound",
        StorageLimiter::Device => "the device with its driver",
        StorageLimiter::DeviceOrDepth => "the device with its driver, or too few I/Os in flight",
    };
    // What is not the limit is said to be none, with its figure.
    let not = |is_limit: bool| if is_limit { "" } else { "not " };
    let generator = limit.generator_used.map(|used| {
        let not = not(limit.limiter == StorageLimiter::Generator);
        format!("{not}the load generator (at {} of its limit)", percent(used))
    });
    let cpu = limit.cpu_used.map(|used| {
        let not = not(limit.limiter == StorageLimiter::Processors);
        format!("{not}the processors ({} busy)", percent(used))
    });
    let storage_host = limit.storage_host_used.map(|used| {
        let not = not(limit.limiter == StorageLimiter::StorageHost);
        format!("{not}those of the host of storage ({} busy)", percent(used))
    });
    let beyond = limit.beyond.map(|beyond| format!("{} in flight gave {}", beyond.in_flight, number(beyond.rate.0)));
    let what = format!("{what} ({})", basis(limit.basis()));
    let evidence = list([generator, cpu, storage_host, beyond].into_iter().flatten());
    if evidence.is_empty() { what } else { format!("{what}; {evidence}") }
}

fn storage_remedy(limit: &StorageLimit) -> String {
    let known = |remedy: &str| format!("{remedy} ({})", basis(limit.basis()));
    match (limit.limiter, limit.beyond) {
        (StorageLimiter::Generator, _) => known("more jobs: one does not generate more"),
        (StorageLimiter::Processors, _) => known("more processors, or fewer other programs"),
        (StorageLimiter::StorageHost, _) => known("more processors where the storage is served, or several such hosts"),
        (StorageLimiter::Bound, _) => {
            known("a device with lower latency; more I/Os in flight gave a higher rate beyond the bound")
        }
        (StorageLimiter::Device, _) => known("a faster device; more I/Os in flight gave no higher rate"),
        (StorageLimiter::DeviceOrDepth, None) => {
            "not known: more I/Os in flight were not tried, dbdyno calibrate finds the maximum".to_owned()
        }
        (StorageLimiter::DeviceOrDepth, Some(Beyond { is_faster: true, in_flight, .. })) => {
            format!(
                "not known: {in_flight} in flight gave a higher rate within the bound, in fewer runs; calibrate again"
            )
        }
        (StorageLimiter::DeviceOrDepth, Some(Beyond { in_flight_max, in_flight_needed, .. })) => format!(
            "not known: the load was not raised far enough; {in_flight_max} in flight were tried, {in_flight_needed} and more \
             would show whether the device is the limit"
        ),
    }
}

/// What would help a main result.
pub(crate) fn remedy_text(limit: &MainLimit) -> Option<String> {
    gain_texts(limit, REMEDIES_MAX).map(|gains| format!("{}: {gains}", clean(&limit.test)))
}

/// The gains of so many remedies, the largest first.
pub(crate) fn gain_texts(limit: &MainLimit, most: usize) -> Option<String> {
    let limiter = &limit.attribution.limiter;
    let gains = limit.remedies.iter().take(most).enumerate();
    let gains: Vec<String> =
        gains.map(|(index, gain)| gain_text(gain, limiter, limit.data_bytes, index == 0)).collect();
    (!gains.is_empty()).then(|| gains.join(", "))
}

/// The gain of a remedy, with what it is measured by.
fn gain_text(gain: &Gain, limiter: &Limiter, data: Option<Bytes>, is_first: bool) -> String {
    let what = change_text(gain.remedy, limiter, data);
    let measured = if gain.basis == ClaimBasis::Measured { " (measured with less)" } else { "" };
    format!("{} times{} with {what}{measured}", factors_text(gain), if is_first { " the rate" } else { "" })
}

/// The estimate of a gain and its bound: two digits, because all else is assumed to be unlimited. The model has rounded them.
pub(crate) fn factors_text(gain: &Gain) -> String {
    let shown = |factor: f64| format!("{factor:.1}");
    match (gain.factor_estimated.map(shown), gain.factor_max.map(shown)) {
        (Some(estimated), Some(most)) if estimated != most => format!("about {estimated}, at most {most}"),
        (Some(estimated), None) => format!("about {estimated} or more"),
        (_, Some(most)) => format!("at most {most}"),
        (None, None) => "more".to_owned(),
    }
}

/// A change of the platform; `data` is what a cache would have to hold.
pub(crate) fn change_text(remedy: Remedy, limiter: &Limiter, data: Option<Bytes>) -> String {
    match remedy {
        Remedy::Processors(count) => plural(u64::from(count), "more processor"),
        Remedy::NoOtherPrograms => "no other programs".to_owned(),
        Remedy::LogLatency => "a log device of half the latency".to_owned(),
        Remedy::DataLatency => "a data device of half the latency".to_owned(),
        Remedy::NetworkLatency => "a network of half the latency, or half as many round trips".to_owned(),
        Remedy::Memory => match data {
            Some(size) => format!("all {} of data cached", volume(size)),
            None => "all data cached".to_owned(),
        },
        Remedy::DeviceRate => match limiter {
            Limiter::Resource(name) => format!("twice the {}", resource(name)),
            _ => "twice the rate of the device".to_owned(),
        },
        Remedy::Sessions => "more sessions".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use record::{Rate, Ratio};

    use super::*;

    fn gain(factor_estimated: Option<f64>, factor_max: Option<f64>, basis: ClaimBasis) -> String {
        let gain = Gain { remedy: Remedy::Memory, factor_max, factor_estimated, basis };
        gain_text(&gain, &Limiter::Unexplained, None, true)
    }

    #[test]
    fn a_gain_says_what_it_is_estimated_at_and_its_bound() {
        let all = "times the rate with all data cached";
        assert_eq!(gain(None, Some(1.4), ClaimBasis::Bound), format!("at most 1.4 {all}"));
        assert_eq!(gain(None, Some(1.6), ClaimBasis::Measured), format!("at most 1.6 {all} (measured with less)"));
        assert_eq!(gain(Some(2.7), Some(4.9), ClaimBasis::Bound), format!("about 2.7, at most 4.9 {all}"));
        assert_eq!(gain(Some(1.4), Some(1.4), ClaimBasis::Bound), format!("at most 1.4 {all}"));
        assert_eq!(gain(Some(2.5), None, ClaimBasis::Bound), format!("about 2.5 or more {all}"));
    }

    fn storage(limiter: StorageLimiter, beyond: Option<(u32, bool)>) -> String {
        let beyond = beyond.map(|(in_flight, is_faster)| Beyond {
            in_flight,
            rate: Rate(88_800.0),
            is_faster,
            is_missed: false,
            in_flight_max: in_flight,
            in_flight_needed: 384,
        });
        let generator_used = Some(Ratio(0.01));
        let limit = StorageLimit { limiter, generator_used, cpu_used: None, storage_host_used: None, beyond };
        format!("{} | {}", storage_text(&limit), storage_remedy(&limit))
    }

    #[test]
    fn a_limit_of_storage_says_whether_it_was_measured_and_how_far_the_load_was_raised() {
        assert_eq!(
            storage(StorageLimiter::Device, Some((512, false))),
            "the device with its driver (measured); not the load generator (at 1.0 % of its limit), 512 in flight gave 88.80 k | \
             a faster device; more I/Os in flight gave no higher rate (measured)"
        );
        assert_eq!(
            storage(StorageLimiter::DeviceOrDepth, Some((268, false))),
            "the device with its driver, or too few I/Os in flight (estimate); not the load generator (at 1.0 % of its limit), 268 \
             in flight gave 88.80 k | not known: the load was not raised far enough; 268 in flight were tried, 384 and more would \
             show whether the device is the limit"
        );
        let faster = storage(StorageLimiter::DeviceOrDepth, Some((512, true)));
        assert!(faster.contains("512 in flight gave a higher rate within the bound"), "{faster}");
        assert!(storage(StorageLimiter::DeviceOrDepth, None).contains("were not tried"));
    }
}
