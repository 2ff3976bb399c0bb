//! Details of storage runs: I/O modes, refused modes, files, rates, preconditioning, errors, verified content.

use std::collections::BTreeMap;
use std::path::Path;

use record::{IoFile, IoStream, LoopFile, Nanos, Pace, Record, Round, Run, Storage, name};
use tables::io_stream::{self, StreamRow, profile};

use super::stream::{is_open, name as stream_name, runs};
use crate::figure::{count, duration, memory, number, percent};
use crate::layout::clean;
use crate::words::{list, plural, run_numbers};

/// Facts that are shown.
const FACTS_MAX: usize = 200;

/// Files of a run that are described.
const FILES_SHOWN_MAX: usize = 6;

/// From this compressed share on, data is incompressible.
const INCOMPRESSIBLE: f64 = 0.995;

/// Rounds of preconditioning that are shown: those of the steady-state rule.
const ROUNDS_SHOWN: usize = 5;

/// A fact and the runs that it is about.
struct Fact {
    label: &'static str,
    text: String,
    runs: Vec<u32>,
}

/// All facts, each once, with its runs where these are not all; a label stands before the first of its facts.
pub(super) fn facts(record: &Record) -> Vec<(&'static str, String)> {
    let mut facts: Vec<Fact> = Vec::new();
    let mut known = BTreeMap::new();
    let mut add = |run: &Run, label: &'static str, text: String| {
        let index = *known.entry((label, text.clone())).or_insert(facts.len());
        match facts.get_mut(index) {
            Some(fact) => fact.runs.push(run.number),
            None => facts.push(Fact { label, text, runs: vec![run.number] }),
        }
    };
    for (run, storage) in runs(record) {
        storage.modes.iter().for_each(|mode| add(run, "mode", clean(mode)));
        storage.refused.iter().for_each(|refused| add(run, "refused", clean(refused)));
        storage.files.iter().take(FILES_SHOWN_MAX).for_each(|file| add(run, "file", self::file(file)));
        let more = storage.files.len().saturating_sub(FILES_SHOWN_MAX);
        (more > 0).then(|| add(run, "file", format!("and {more} more, see the record")));
        requests(run).into_iter().for_each(|text| add(run, "NFS", text));
        rates(storage).into_iter().for_each(|text| add(run, "rate", text));
        preconditioning(storage).into_iter().for_each(|text| add(run, "rounds", text));
    }
    for line in io_stream::rows(record) {
        failure(&line).into_iter().for_each(|text| add(line.run, "failed", text));
        content(&line).into_iter().for_each(|text| add(line.run, "content", text));
    }
    let order = ["mode", "refused", "file", "NFS", "rounds", "rate", "failed", "content"];
    facts.sort_by_key(|fact| order.iter().position(|label| *label == fact.label));
    let count = runs(record).count();
    let mut shown = Vec::new();
    let mut above = "";
    for fact in facts.iter().take(FACTS_MAX) {
        let label = if fact.label == above { "" } else { fact.label };
        let runs = if fact.runs.len() < count { format!(" ({})", run_numbers(&fact.runs)) } else { String::new() };
        shown.push((label, format!("{}{runs}", fact.text)));
        above = fact.label;
    }
    let more = facts.len().saturating_sub(FACTS_MAX);
    shown.extend((more > 0).then(|| ("", format!("and {more} more, see the record"))));
    shown
}

/// What a mount of NFS exchanged with its server during `run`.
fn requests(run: &Run) -> Option<String> {
    let of = |counter: &str| model::delta(run, counter).filter(|count| *count > 0);
    let kind = |kind: &str, requests: &str, whole: &str, round_trip: &str| {
        let requests = of(requests)?;
        let mean = |counter: &str| Some(duration(Nanos(model::delta(run, counter)? / requests)));
        let whole = mean(whole)?;
        Some(format!("{} {kind}, {whole} each, {} of it from sending to reply", count(requests), mean(round_trip)?))
    };
    let kinds = [
        kind("READ", name::DEVICE_READ_COUNT, name::DEVICE_READ_NS, name::MOUNT_READ_ROUND_TRIP_NS),
        kind("WRITE", name::DEVICE_WRITE_COUNT, name::DEVICE_WRITE_NS, name::MOUNT_WRITE_ROUND_TRIP_NS),
    ];
    let again = model::delta(run, name::MOUNT_RETRANSMISSION_COUNT)?;
    let commits = of(name::DEVICE_FLUSH_COUNT).map(|commits| format!("{} COMMIT", count(commits)));
    let again = Some(format!("{} sent again", count(again)));
    Some(list(kinds.into_iter().chain([commits, again]).flatten()))
}

/// A file or device: path, size, and holes, cached or compressible parts.
fn file(file: &IoFile) -> String {
    let region = match file.region_bytes == file.size_bytes {
        true => memory(file.size_bytes),
        false => format!("{} of {}", memory(file.region_bytes), memory(file.size_bytes)),
    };
    let kind = match (file.is_device, file.found) {
        (true, _) => Some("device".to_owned()),
        (false, true) => Some("existing".to_owned()),
        (false, false) => None,
    };
    let system = file.file_system.as_ref().map(|system| format!("on {system}"));
    let below = match file.has_device {
        Some(false) if file.is_counted_by_mount => Some("counted by the mount".to_owned()),
        Some(false) => Some(match &file.memory_device {
            Some(device) => format!("in memory ({device})"),
            None => "no block device".to_owned(),
        }),
        _ => None,
    };
    let through = file.loop_file.as_ref().map(|through| match Path::new(&file.path).ends_with(&through.device) {
        true => loop_text(through),
        false => format!("on {}, which {}", through.device, loop_text(through)),
    });
    let holes = file.hole_bytes.filter(|bytes| bytes.0 > 0).map(|bytes| format!("{} of holes", memory(bytes)));
    let unwritten = file.unwritten_bytes.filter(|bytes| bytes.0 > 0);
    let unwritten = unwritten.map(|bytes| format!("{} never written", memory(bytes)));
    let cached = file.cached.map(|share| match share.0 > 0.0 {
        true => format!("{} in the page cache", percent(share)),
        false => "nothing in the page cache".to_owned(),
    });
    let compressed = file.compressed.map(|share| match share.0 < INCOMPRESSIBLE {
        true => format!("deflates to {}", percent(share)),
        false => "incompressible".to_owned(),
    });
    let repeated = file.repeated.filter(|share| share.0 > 0.0).map(|share| format!("{} repeated", percent(share)));
    let facts = [Some(region), kind, system, below, through, holes, unwritten, cached, compressed, repeated];
    let agent = file.agent.as_ref().map(|agent| format!("{}: ", clean(agent))).unwrap_or_default();
    format!("{agent}{}: {}", clean(&file.path), list(facts.into_iter().flatten()))
}

/// What a loop device does: `reads and writes the file /f on ext4 through the page cache`.
pub(crate) fn loop_text(file: &LoopFile) -> String {
    let system = file.file_system.as_ref().map(|system| format!(" on {system}")).unwrap_or_default();
    let way = if file.is_direct { "past" } else { "through" };
    format!("reads and writes the file {}{system} {way} the page cache", clean(&file.path))
}

/// The number of rounds before the window, and the rates of the last ones.
fn preconditioning(storage: &Storage) -> Option<String> {
    let rounds = &storage.rounds;
    let last = rounds.get(rounds.len().saturating_sub(ROUNDS_SHOWN)..)?;
    let length = last.first()?.length_ns;
    let rate = |round: &Round| number(round.operations_per_second.0);
    let rates = list(last.iter().map(rate));
    Some(format!(
        "{} of {} before the window; the last ones: {rates} IOPS",
        plural(rounds.len() as u64, "round"),
        duration(length)
    ))
}

/// The target rate of each job, and the I/Os not started. Target rates of a search are in its own table.
fn rates(storage: &Storage) -> Vec<String> {
    let mut jobs: Vec<(u32, &str)> = Vec::new();
    for stream in storage.streams.iter().filter(|stream| stream.pace != Pace::Unthrottled) {
        let job = (stream.report_group, stream.job.as_str());
        if !(jobs.contains(&job) || storage.bound.is_some() && is_open(stream.pace)) {
            jobs.push(job);
        }
    }
    let of = |job: (u32, &str)| {
        let streams = storage.streams.iter().filter(move |stream| (stream.report_group, stream.job.as_str()) == job);
        rate(job.1, &streams.collect::<Vec<_>>())
    };
    jobs.into_iter().filter_map(of).collect()
}

/// The pace of one job; `streams` are all of its own.
fn rate(job: &str, streams: &[&IoStream]) -> Option<String> {
    let asked = match streams.first()?.pace {
        Pace::Unthrottled => return None,
        Pace::Rate { steps_per_second } => format!("target {} I/Os per second", number(steps_per_second)),
        Pace::Poisson { steps_per_second } => {
            format!("target {} I/Os per second, Poisson arrivals", number(steps_per_second))
        }
        Pace::ThinkTime { think_ns } => format!("think time {}", duration(think_ns)),
    };
    let unfinished = streams.iter().fold(0u64, |sum, stream| sum.saturating_add(stream.unfinished));
    let behind = if unfinished > 0 { format!("; {} not started at the end", count(unfinished)) } else { String::new() };
    Some(format!("{}: {asked}{behind}", clean(job)))
}

/// I/Os that failed, and the first error.
fn failure(line: &StreamRow<'_>) -> Option<String> {
    let stream = line.of.0;
    if stream.failures == 0 {
        return None;
    }
    let short = if stream.short > 0 { format!(", {} of them short", count(stream.short)) } else { String::new() };
    let first = stream.first_failure.as_deref().map(|text| format!("; the first: {}", clean(text))).unwrap_or_default();
    Some(format!(
        "{} {}: {} failed{short}{first}",
        clean(&stream_name(line.of.0)),
        profile(line),
        count(stream.failures)
    ))
}

/// Blocks whose content was checked.
fn content(line: &StreamRow<'_>) -> Option<String> {
    let IoStream { verified, corrupt, stale, unverified, .. } = line.of.0;
    if verified + corrupt + stale + unverified == 0 {
        return None;
    }
    let name = clean(&stream_name(line.of.0));
    let others = [(*stale, "stale"), (*unverified, "not verified")].into_iter().filter(|(blocks, _)| *blocks > 0);
    let others: String = others.map(|(blocks, what)| format!(", {} {what}", count(blocks))).collect();
    Some(format!("{name}: {} blocks verified, {} corrupt{others}", count(*verified), count(*corrupt)))
}
