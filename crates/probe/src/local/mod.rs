//! Local round trips: a small message to another thread of this host and back, one at a time.
//!
//! Answers:         how long a request to a server on this host takes before the server does anything, and how much of that
//!                  is the wake-up of an idle processor: the difference of the cases `idle` and `busy`. A single session
//!                  pays it in each round trip; sessions that keep all processors busy do not.
//! Does not answer: the cost of the protocol of an engine or of large results; the network to another host, see N11; how
//!                  deep the idle states are that an interval of think time leads to.
//! Cost:            two threads and 64 bytes each way per round trip, about a third of a second in preset quick; measured
//!                  before the first run of an engine that is reached over a socket of this host.
//! Limits:          each end reads 128 KiB of its memory between two messages and sleeps in epoll after it has looked for a
//!                  message, as a server does: after an idle time its caches are cold, and that is a part of what a wake-up
//!                  costs. A bare blocking read was half as long on idle processors of a guest. The two processors are the
//!                  first ones that the process may use: on a machine with several threads per core or several NUMA nodes
//!                  other pairs differ. On one processor there is only the case in which both ends share it. In the case
//!                  `busy` both ends poll: a thread that only keeps a processor from idling would leave the interrupt that
//!                  wakes the other end, which in a guest is an exit to the hypervisor. The kernel may place client and
//!                  server of a session on one processor, and then nothing is woken up. Other programs on the two
//!                  processors make all cases longer; the median of a few is not moved.

mod ends;

use std::io;
use std::thread;

use measure::{Histogram, clock};
use record::{Latency, LocalRoundTrip, LocalRoundTrips, LocalTransport, Nanos, Preset, RoundTripWaiting};
use rustix::thread::{CpuSet, sched_setaffinity};

use self::ends::{End, Received, ends};

/// About that of a statement that is prepared, with a key.
const MESSAGE_BYTES: usize = 64;

/// What each end reads between two messages: about what a server touches for a statement with a key.
const WORK_BYTES: usize = 128 * 1024;
const LINE_BYTES: usize = 64;

const TRANSPORTS: [(LocalTransport, &str); 3] = [
    (LocalTransport::Pipe, "a pipe"),
    (LocalTransport::UnixSocket, "a Unix socket"),
    (LocalTransport::Tcp, "TCP of loopback"),
];

/// How many round trips a case has.
#[derive(Clone, Copy, Debug)]
struct Size {
    /// Those that are measured, at most; a tenth as many before them are not.
    count: u32,
    /// No round trip is begun later than so long after the first one.
    time_ns_max: Nanos,
}

impl Size {
    fn of(preset: Preset) -> Size {
        let milliseconds = |count: u64| Nanos(1_000_000 * count);
        match preset {
            Preset::Smoke => Size { count: 100, time_ns_max: milliseconds(20) },
            Preset::Quick => Size { count: 1_000, time_ns_max: milliseconds(90) },
            Preset::Standard | Preset::Soak => Size { count: 5_000, time_ns_max: milliseconds(500) },
            Preset::Publish => Size { count: 10_000, time_ns_max: milliseconds(1_000) },
        }
    }
}

/// Round trips between two threads on the first two of `cpus`, which the process may use, over each transport; and why
/// cases are missing, if any are. The placement of the calling thread stays as it is: both ends are threads of their own.
pub fn local_round_trips(cpus: &[u32], preset: Preset) -> (LocalRoundTrips, Vec<String>) {
    let size = Size::of(preset);
    let (mut cases, mut missing) = (Vec::new(), Vec::new());
    for (transport, name) in TRANSPORTS {
        for (waiting, of_case) in placements(cpus) {
            match latency(transport, waiting, of_case, size) {
                Ok(latency) => {
                    let mut cpus = of_case.to_vec();
                    cpus.dedup();
                    cases.push(LocalRoundTrip { transport, waiting, cpus, latency });
                }
                Err(error) => missing.push(format!("round trips over {name} were not measured: {error}")),
            }
        }
    }
    (LocalRoundTrips { processors: u32::try_from(cpus.len()).unwrap_or(u32::MAX), cases }, missing)
}

/// The cases that `cpus` allow, with the processors of the two ends.
fn placements(cpus: &[u32]) -> Vec<(RoundTripWaiting, [u32; 2])> {
    match cpus {
        [] => Vec::new(),
        [only] => vec![(RoundTripWaiting::OneProcessor, [*only; 2])],
        [one, other, ..] => vec![
            (RoundTripWaiting::OneProcessor, [*one; 2]),
            (RoundTripWaiting::Idle, [*one, *other]),
            (RoundTripWaiting::Busy, [*one, *other]),
        ],
    }
}

/// The times of the round trips of one case.
fn latency(
    transport: LocalTransport,
    waiting: RoundTripWaiting,
    [near_cpu, far_cpu]: [u32; 2],
    size: Size,
) -> io::Result<Latency> {
    let polls = waiting == RoundTripWaiting::Busy;
    let [near, far] = ends(transport, polls)?;
    thread::scope(|scope| {
        // An end that fails closes its side, by which the other one ends.
        let far = thread::Builder::new().spawn_scoped(scope, move || answer(&far, far_cpu))?;
        let near = thread::Builder::new().spawn_scoped(scope, move || ask(&near, near_cpu, size))?;
        let asked = near.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let answered = far.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        answered.and(asked)
    })
}

/// Sends each message back, until the other side is closed.
fn answer(end: &End, cpu: u32) -> io::Result<()> {
    pin(cpu)?;
    let (mut message, memory) = ([0; MESSAGE_BYTES], vec![1; WORK_BYTES]);
    while end.receive(&mut message)? == Received::Message {
        work(&memory);
        end.send(&message)?;
    }
    Ok(())
}

/// Sends messages and waits for the answer of each.
fn ask(end: &End, cpu: u32, size: Size) -> io::Result<Latency> {
    pin(cpu)?;
    let (mut histogram, mut message, memory) = (Histogram::default(), [0; MESSAGE_BYTES], vec![1; WORK_BYTES]);
    let warm_up = size.count / 10;
    let begin = clock::now();
    let mut start = begin;
    for number in 0..warm_up.saturating_add(size.count) {
        end.send(&message)?;
        if end.receive(&mut message)? == Received::Closed {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the other end has ended"));
        }
        work(&memory);
        let now = clock::now();
        if number >= warm_up {
            histogram.record(now - start);
        }
        if now - begin > size.time_ns_max && histogram.count() > 0 {
            break;
        }
        start = clock::now();
    }
    Ok(histogram.latency().printable())
}

/// Reads each line of `memory`, not in their order.
fn work(memory: &[u8]) {
    let lines = memory.len() / LINE_BYTES;
    // A full period of lines, a power of two: the multiplier is 1 more than a multiple of 4, the increment is odd.
    let (mut line, mut sum) = (0_usize, 0_u64);
    for _ in 0..lines {
        sum += memory.get(line * LINE_BYTES).map_or(0, |byte| u64::from(*byte));
        line = (line * 5 + 1) % lines;
    }
    std::hint::black_box(sum);
}

/// Pins the calling thread, which ends with the case.
fn pin(cpu: u32) -> io::Result<()> {
    let refused = |reason: String| io::Error::other(format!("processor {cpu} cannot be used: {reason}"));
    if cpu as usize >= CpuSet::MAX_CPU {
        return Err(refused(format!(
            "it is beyond {}, the highest one that CPU affinity supports",
            CpuSet::MAX_CPU - 1
        )));
    }
    let mut set = CpuSet::new();
    set.set(cpu as usize);
    sched_setaffinity(None, &set).map_err(|error| refused(error.to_string()))
}

#[cfg(test)]
mod tests {
    use rustix::thread::sched_getaffinity;

    use super::*;

    fn allowed() -> Vec<u32> {
        let set = sched_getaffinity(None).unwrap();
        (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).map(|cpu| cpu as u32).collect()
    }

    fn threads() -> usize {
        std::fs::read_dir("/proc/self/task").unwrap().count()
    }

    #[test]
    fn every_case_that_the_processors_allow_has_times_and_the_placement_stays() {
        let cpus = allowed();
        let (found, missing) = local_round_trips(&cpus, Preset::Smoke);
        assert_eq!(missing, Vec::<String>::new());
        assert_eq!(found.processors as usize, cpus.len());
        assert_eq!(found.cases.len(), if cpus.len() == 1 { 3 } else { 9 });
        for case in &found.cases {
            let Latency { count, min_ns, p50_ns, max_ns, .. } = case.latency;
            assert!(count > 0 && min_ns.0 > 0 && min_ns <= p50_ns && p50_ns <= max_ns, "{case:?}");
            let used = if case.waiting == RoundTripWaiting::OneProcessor { 1 } else { 2 };
            assert_eq!(case.cpus, cpus[..used], "{case:?}");
        }
        assert_eq!(allowed(), cpus, "the placement of the caller");
    }

    #[test]
    fn on_one_processor_there_is_no_case_of_two() {
        let cpus = &allowed()[..1];
        let (found, missing) = local_round_trips(cpus, Preset::Smoke);
        assert_eq!((found.processors, found.cases.len(), missing.len()), (1, 3, 0));
        assert!(found.cases.iter().all(|case| case.waiting == RoundTripWaiting::OneProcessor && case.cpus == cpus));
        assert_eq!(found.case(LocalTransport::UnixSocket, RoundTripWaiting::Idle), None);
    }

    #[test]
    fn a_processor_that_may_not_be_used_is_said_and_leaves_no_thread() {
        let first = allowed()[0];
        let before = threads();
        for cpus in [[first, u32::MAX], [u32::MAX, first]] {
            let size = Size::of(Preset::Smoke);
            let error = latency(LocalTransport::UnixSocket, RoundTripWaiting::Idle, cpus, size).unwrap_err();
            assert!(error.to_string().contains("processor 4294967295 cannot be used: it is beyond"), "{error}");
        }
        let (found, missing) = local_round_trips(&[first, u32::MAX], Preset::Smoke);
        assert_eq!((found.cases.len(), missing.len()), (3, 6), "{missing:?}");
        assert!(missing[0].starts_with("round trips over a pipe were not measured: processor"), "{missing:?}");
        // Other tests of this process start threads as well.
        assert!(threads() <= before + 16);
    }

    #[test]
    fn a_case_ends_with_its_time() {
        let size = Size { count: u32::MAX, time_ns_max: Nanos(1) };
        let cpus = [allowed()[0]; 2];
        let found =
            latency(LocalTransport::Pipe, RoundTripWaiting::OneProcessor, cpus, Size { count: 9, ..size }).unwrap();
        assert_eq!(found.count, 1);
    }
}
