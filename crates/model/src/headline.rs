//! The latency that stands for a run: response time where the pace was given, service time in a closed loop.

use record::{IoKind, IoStream, Latency, Pace, Run};

use crate::times::{Times, times};

/// From where to where a latency is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LatencyName {
    /// From start to end.
    Service,
    /// From the intended start to the end.
    Response,
}

/// The latency that stands for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headline {
    /// Which one it is.
    pub name: LatencyName,
    /// Its quantiles.
    pub times: Times,
}

/// Whether steps have intended starts: at a rate, or after a think time.
pub fn is_paced(pace: Pace) -> bool {
    pace != Pace::Unthrottled
}

/// Which latency stands for `run`. Steps that start late are not seen in service times (coordinated omission), so with a
/// rate or a think time it is the response time; of a run of storage where any of its jobs has one.
pub fn latency_name(run: &Run) -> LatencyName {
    let has_paced_stream = || counted(run).any(|stream| is_paced(stream.pace));
    match is_paced(run.pace) || has_paced_stream() {
        true => LatencyName::Response,
        false => LatencyName::Service,
    }
}

/// The latency that stands for `run`, with all its quantiles.
pub fn headline_latency(run: &Run) -> &Latency {
    // The table of file streams shows requests; a step may also be an open or a commit.
    if let Some(streams) = &run.streams {
        return &streams.requests;
    }
    match latency_name(run) {
        LatencyName::Service => &run.service,
        LatencyName::Response => &run.response,
    }
}

/// The latency that stands for `run` and its name; None where no step succeeded.
pub fn headline(run: &Run) -> Option<Headline> {
    let name = if run.streams.is_some() { LatencyName::Service } else { latency_name(run) };
    Some(Headline { name, times: times(headline_latency(run))? })
}

/// The slowest kind of sync, by its median, that jobs of `run` wait for between their I/O: it is part of the time from
/// one write to the next, and not of the latency of the run. None where no sync was timed on its own.
pub fn sync_beside(run: &Run) -> Option<&IoStream> {
    let syncs = streams(run).filter(|stream| stream.kind == IoKind::Sync && stream.service.count > 0);
    syncs.max_by_key(|stream| stream.service.p50_ns)
}

/// The writes that `sync`, a stream of `run`, makes durable: those of the same job, or thread where threads are told apart.
pub fn synced_writes<'a>(run: &'a Run, sync: &IoStream) -> Option<&'a IoStream> {
    let is_same_job = |stream: &&IoStream| (&stream.job, stream.clone) == (&sync.job, sync.clone);
    streams(run).find(|stream| stream.kind == IoKind::Write && is_same_job(stream))
}

/// Whether `run` counts other I/Os beside `writes`.
pub fn has_others(run: &Run, writes: &IoStream) -> bool {
    counted(run).any(|stream| stream.operations > 0 && !std::ptr::eq(stream, writes))
}

/// The names of the jobs of storage that did the I/O of `run`, each once.
pub fn io_jobs(run: &Run) -> Vec<&str> {
    let mut names = Vec::new();
    for name in counted(run).flat_map(IoStream::jobs) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn streams(run: &Run) -> impl Iterator<Item = &IoStream> {
    run.storage.iter().flat_map(|storage| &storage.streams)
}

/// The streams whose I/Os are operations of `run`: all but syncs.
fn counted(run: &Run) -> impl Iterator<Item = &IoStream> {
    streams(run).filter(|stream| stream.kind != IoKind::Sync)
}

#[cfg(test)]
mod tests {
    use record::Nanos;

    use super::*;
    use crate::fixture::{io_run, run, storage};

    fn queued(run: Run) -> Run {
        let response = Latency { p50_ns: Nanos(9), p99_ns: Some(Nanos(90)), ..run.service.clone() };
        Run { response, ..run }
    }

    fn found(run: &Run) -> Option<(LatencyName, Nanos)> {
        headline(run).map(|found| (found.name, found.times.p50_ns))
    }

    #[test]
    fn a_closed_loop_has_service_times_and_a_given_pace_response_times() {
        let with = |pace: Pace| Run { pace, ..queued(run("T611", 1)) };
        assert_eq!(found(&with(Pace::Unthrottled)), Some((LatencyName::Service, Nanos(1_000_000))));
        let paces = [
            Pace::Rate { steps_per_second: 5.0 },
            Pace::Poisson { steps_per_second: 5.0 },
            Pace::ThinkTime { think_ns: Nanos(5) },
        ];
        for pace in paces {
            assert_eq!(found(&with(pace)), Some((LatencyName::Response, Nanos(9))), "{pace:?}");
        }
    }

    #[test]
    fn one_job_of_storage_with_a_rate_is_enough_and_a_sync_beside_it_is_none() {
        let mut of_io = queued(io_run("a", IoKind::Read, 1));
        assert_eq!(found(&of_io), Some((LatencyName::Service, Nanos(1_000_000))));
        let mut paced = storage(&mut of_io).streams[0].clone();
        paced.pace = Pace::Rate { steps_per_second: 5.0 };
        storage(&mut of_io).streams.push(paced);
        assert_eq!(found(&of_io), Some((LatencyName::Response, Nanos(9))));
        storage(&mut of_io).streams[1].kind = IoKind::Sync;
        assert_eq!(found(&of_io), Some((LatencyName::Service, Nanos(1_000_000))));
    }

    #[test]
    fn the_slowest_sync_stands_beside_and_jobs_are_named_once() {
        let mut synced = io_run("a", IoKind::Write, 1);
        assert_eq!(sync_beside(&synced), None);
        let write = storage(&mut synced).streams[0].clone();
        let sync = |p50: u64| {
            let service = Latency { p50_ns: Nanos(p50), ..write.service.clone() };
            IoStream { kind: IoKind::Sync, job: "log".to_owned(), service, ..write.clone() }
        };
        let none = IoStream { kind: IoKind::Sync, service: Latency::default(), ..write.clone() };
        let group = IoStream { job: IoStream::name_of(["cold", "hot", "cold"]), ..write.clone() };
        storage(&mut synced).streams.extend([sync(7), sync(8), none, group]);
        let slowest = sync_beside(&synced).expect("a sync");
        assert_eq!(slowest.service.p50_ns, Nanos(8));
        assert_eq!(synced_writes(&synced, slowest), None, "no job `log` wrote");
        let of_job = IoStream { job: "job".to_owned(), ..slowest.clone() };
        let writes = synced_writes(&synced, &of_job).expect("writes of the job");
        assert_eq!((writes.kind, has_others(&synced, writes)), (IoKind::Write, true));
        assert_eq!(io_jobs(&synced), ["job", "cold", "hot"]);
    }

    #[test]
    fn without_a_step_there_is_none() {
        assert_eq!(headline(&Run { service: Latency::default(), ..run("T611", 1) }), None);
    }
}
