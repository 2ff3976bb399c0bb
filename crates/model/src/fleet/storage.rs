//! The I/O of several agents: streams of one kind are added, files are those of all hosts.

use record::{CacheCounts, IoFile, IoStream, Nanos, Pace, Rate, Storage};

use super::latencies::merged_latency;
use super::series::merged_seconds;
use super::{AgentPart, MergeError};

/// The I/O of all parts, from `begun`, the earliest start. What a volume of several devices did on a host is not part of
/// it.
pub(super) fn merged_storage(parts: &[AgentPart<'_>], begun: i64) -> Result<Storage, MergeError> {
    let of_agents: Vec<(&AgentPart<'_>, &Storage)> =
        parts.iter().filter_map(|part| Some((part, part.run.storage.as_deref()?))).collect();
    let count = of_agents.first().map_or(0, |(_, storage)| storage.streams.len());
    if let Some((other, _)) = of_agents.iter().find(|(_, storage)| storage.streams.len() != count) {
        return Err(other_streams(other));
    }
    let streams = (0..count).map(|index| merged_stream(&of_agents, index, begun)).collect::<Result<_, _>>()?;
    let all = || of_agents.iter().map(|(_, storage)| *storage);
    // The slowest thread is held against the lowest ceiling.
    let generator = all().map(|storage| storage.generator_per_second.map(|rate| rate.0));
    let generator = generator.reduce(|one, other| one.zip(other).map(|(one, other)| one.min(other))).flatten();
    let cache = all().map(|storage| storage.cache).reduce(|one, other| one.zip(other).map(added)).flatten();
    Ok(Storage {
        modes: distinct(all().flat_map(|storage| &storage.modes)),
        refused: distinct(all().flat_map(|storage| &storage.refused)),
        generator_per_second: generator.map(Rate),
        scheduling_delay_ns_max: all().filter_map(|storage| storage.scheduling_delay_ns_max).max(),
        files: of_agents.iter().flat_map(|(part, storage)| storage.files.iter().map(|file| of(part, file))).collect(),
        streams,
        members: Vec::new(),
        cache,
        rounds: Vec::new(),
        bound: all().find_map(|storage| storage.bound.clone()),
    })
}

/// The pace of two agents that keep `one` and `other`.
pub(super) fn together(one: Pace, other: Pace) -> Pace {
    match (one, other) {
        (Pace::Rate { steps_per_second: one }, Pace::Rate { steps_per_second: other }) => {
            Pace::Rate { steps_per_second: one + other }
        }
        (Pace::Poisson { steps_per_second: one }, Pace::Poisson { steps_per_second: other }) => {
            Pace::Poisson { steps_per_second: one + other }
        }
        (one, _) => one,
    }
}

fn of(part: &AgentPart<'_>, file: &IoFile) -> IoFile {
    IoFile { agent: Some(part.agent.to_owned()), ..file.clone() }
}

fn distinct<'a>(words: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for word in words {
        if !all.contains(word) {
            all.push(word.clone());
        }
    }
    all
}

fn added((one, other): (CacheCounts, CacheCounts)) -> CacheCounts {
    CacheCounts {
        read_hits: one.read_hits.saturating_add(other.read_hits),
        read_misses: one.read_misses.saturating_add(other.read_misses),
        promotions: one.promotions.zip(other.promotions).map(|(one, other)| one.saturating_add(other)),
    }
}

fn other_streams(part: &AgentPart<'_>) -> MergeError {
    MergeError::OtherRun { agent: part.agent.to_owned(), number: part.run.number, test: part.run.test.clone() }
}

/// The I/Os in flight of all `streams` together over `window`, each with its agent and its start; none where one of them
/// has not counted them.
fn in_flight_mean(streams: &[(String, Nanos, IoStream)], window: Nanos) -> Option<f64> {
    let integral =
        |(_, _, stream): &(String, Nanos, IoStream)| Some(stream.in_flight_mean? * stream.window_ns.0 as f64);
    let sum: Option<f64> = streams.iter().map(integral).sum();
    sum.filter(|_| window.0 > 0).map(|sum| sum / window.0 as f64)
}

/// Stream `index` of all agents: its threads are those of all of them, and its window lasts to the last end.
fn merged_stream(of_agents: &[(&AgentPart<'_>, &Storage)], index: usize, begun: i64) -> Result<IoStream, MergeError> {
    let stream = |(part, storage): &(&AgentPart<'_>, &Storage)| {
        let stream = storage.streams.get(index).cloned();
        stream.map(|stream| (part.agent.to_owned(), part.since(begun), stream)).ok_or_else(|| other_streams(part))
    };
    let streams = of_agents.iter().map(stream).collect::<Result<Vec<_>, _>>()?;
    let described = |stream: &IoStream| (stream.job.clone(), stream.report_group, stream.clone, stream.kind);
    let Some((_, _, first)) = streams.first() else { return Err(MergeError::NoParts) };
    if let Some(place) = streams.iter().position(|(_, _, stream)| described(stream) != described(first)) {
        return Err(other_streams(of_agents[place].0));
    }
    let all = || streams.iter().map(|(_, _, stream)| stream);
    let sum = |count: fn(&IoStream) -> u64| all().map(count).fold(0, u64::saturating_add);
    let threads = |count: fn(&IoStream) -> u32| all().map(count).fold(0, u32::saturating_add);
    let ends = streams.iter().map(|(_, since, stream)| *since + stream.window_ns);
    let window_ns = ends.max().unwrap_or(Nanos(0));
    Ok(IoStream {
        clones: threads(|stream| stream.clones),
        slots: threads(|stream| stream.slots),
        depth: all().map(|stream| stream.depth).max().unwrap_or(first.depth),
        pace: all().skip(1).fold(first.pace, |pace, stream| together(pace, stream.pace)),
        window_ns,
        in_flight_mean: in_flight_mean(&streams, window_ns),
        operations: sum(|stream| stream.operations),
        bytes: record::Bytes(sum(|stream| stream.bytes.0)),
        short: sum(|stream| stream.short),
        failures: sum(|stream| stream.failures),
        first_failure: streams.iter().find_map(|(agent, _, stream)| {
            stream.first_failure.as_ref().map(|failure| format!("agent {agent}: {failure}"))
        }),
        unfinished: sum(|stream| stream.unfinished),
        verified: sum(|stream| stream.verified),
        corrupt: sum(|stream| stream.corrupt),
        stale: sum(|stream| stream.stale),
        unverified: sum(|stream| stream.unverified),
        service: merged_latency(streams.iter().map(|(agent, _, stream)| (agent.as_str(), &stream.service)))?,
        response: merged_latency(streams.iter().map(|(agent, _, stream)| (agent.as_str(), &stream.response)))?,
        seconds: merged_seconds(streams.iter().map(|(_, since, stream)| (*since, stream.seconds.as_slice()))),
        ..first.clone()
    })
}
