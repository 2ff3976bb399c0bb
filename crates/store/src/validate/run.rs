//! Runs.

use record::{Bytes, IoFile, IoStream, Nanos, Outcome, Run, Storage};

use super::{
    Validity, activity, agents, at_least_one, date, dop, gauges, histogram, latency, load, load_beside, nodes, pace,
    positive, random_blocks, share, streams, trace, transaction_types, variation,
};

/// Maximum steps per second: each needs a clock reading of some nanoseconds, with at most ten thousand parallel jobs.
const STEPS_PER_SECOND_MAX: u128 = 10_000_000_000_000;

/// Maximum operations per second: ten million statements on the null engine, each over a hundred billion rows.
const OPERATIONS_PER_SECOND_MAX: u128 = 1_000_000_000_000_000_000;

/// Checks `run`.
pub(crate) fn run(run: &Run) -> Validity {
    check(run).map_err(|why| format!("run {} ({}): {why}", run.number, run.test))
}

fn check(run: &Run) -> Validity {
    at_least_one("number", run.number)?;
    dop(run.dop)?;
    pace(run.pace)?;
    variation(run.variation)?;
    date("started_at", &run.started_at)?;
    if run.outcome == Outcome::Done {
        rate("steps", run.totals.steps, run.window_ns, STEPS_PER_SECOND_MAX)?;
        rate("operations", run.totals.operations, run.window_ns, OPERATIONS_PER_SECOND_MAX)?;
    }
    latency("service", &run.service)?;
    latency("response", &run.response)?;
    run.start_lag.iter().try_for_each(|lag| latency("start_lag", lag))?;
    slices(run)?;
    let edges = run.readings.first().zip(run.readings.last());
    if let Some((first, last)) = edges.filter(|(first, last)| last.at_ns < first.at_ns) {
        return Err(format!("the last reading at_ns {} is before the first at_ns {}", last.at_ns.0, first.at_ns.0));
    }
    nodes::nodes(run)?;
    agents::agents(run)?;
    run.trace.as_deref().map_or(Ok(()), trace::trace)?;
    run.activity.as_ref().map_or(Ok(()), activity::activity)?;
    run.blocks.as_deref().map_or(Ok(()), |blocks| random_blocks::random_blocks(run, blocks))?;
    transaction_types::transaction_types(run)?;
    gauges::gauges(run)?;
    load_beside::loads(run)?;
    run.load.as_deref().map_or(Ok(()), |load| load::load(run, load))?;
    run.streams.as_deref().map_or(Ok(()), |streams| streams::streams(run, streams))?;
    run.storage.as_deref().map_or(Ok(()), storage)
}

fn rate(name: &str, count: u64, Nanos(window): Nanos, limit: u128) -> Validity {
    match (count, window) {
        (0, _) => Ok(()),
        (_, 0) => Err(format!("{name} {count} in window_ns 0, which is impossible")),
        _ if u128::from(count) * u128::from(Nanos::SECOND.0) <= limit * u128::from(window) => Ok(()),
        _ => Err(format!("{name} {count} in window_ns {window}, {limit} per second is the maximum")),
    }
}

fn slices(run: &Run) -> Validity {
    let Some(slices) = &run.slices else { return Ok(()) };
    if slices.width_ns == Nanos(0) && !slices.responses.is_empty() {
        return Err(format!("{} slices of width_ns 0", slices.responses.len()));
    }
    slices.responses.iter().zip(1..).try_for_each(|(text, number)| {
        histogram::outline(text).map_err(|why| format!("histogram of slice {number} cannot be decoded: {why}"))
    })
}

fn storage(storage: &Storage) -> Validity {
    storage.generator_per_second.map_or(Ok(()), |rate| positive("generator_per_second", rate.0))?;
    for file in &storage.files {
        self::file(file).map_err(|why| format!("file {}: {why}", file.path))?;
    }
    for stream in &storage.streams {
        self::stream(stream).map_err(|why| format!("stream {}: {why}", stream.job))?;
    }
    storage.rounds.iter().zip(1..).try_for_each(|(round, number)| {
        positive("operations_per_second", round.operations_per_second.0).map_err(|why| format!("round {number}: {why}"))
    })
}

fn file(file: &IoFile) -> Validity {
    let shares = [("cached", file.cached), ("compressed", file.compressed), ("repeated", file.repeated)];
    shares.into_iter().try_for_each(|(name, ratio)| ratio.map_or(Ok(()), |ratio| share(name, ratio)))
}

fn stream(stream: &IoStream) -> Validity {
    at_least_one("clones", stream.clones)?;
    share("duty_cycle", stream.duty_cycle)?;
    pace(stream.pace)?;
    let (Bytes(least), Bytes(most)) = (stream.block_bytes_min, stream.block_bytes_max);
    if most < least {
        return Err(format!("block_bytes_max {most} is below block_bytes_min {least}"));
    }
    latency("service", &stream.service)?;
    latency("response", &stream.response)
}
