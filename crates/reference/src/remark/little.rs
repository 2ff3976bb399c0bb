//! Little's law (Little 1961): what is in flight on average is the rate times the time that each takes.

use super::work::granted;
use super::{TOLERANCE, differ, worst};
use crate::figure::{apart, exact, rounded};
use crate::publication::{SingleInstance, TestFigures};

/// A table with service times: of I/Os in flight there is one per job or thread at most as long as each waits for its
/// own; of transactions, one per job.
pub(super) fn table(test: &TestFigures) -> Option<String> {
    reads(test).or_else(|| transactions(test))
}

fn reads(test: &TestFigures) -> Option<String> {
    let degrees = test.degrees();
    let pairs = degrees.iter().zip(&test.read_iops).zip(&test.service_ms);
    // Service times are printed in whole milliseconds: half of one each way is granted.
    let pairs = pairs.map(|((degree, iops), service_ms)| {
        let sessions = f64::from(*degree);
        let in_flight = iops * service_ms / 1e3;
        ((*degree, *iops, *service_ms), granted(in_flight, sessions, 0.5 / service_ms), sessions)
    });
    let more = pairs.filter(|(_, found, sessions)| found > sessions);
    let ((degree, iops, service_ms), _, sessions, beyond) = worst(more, TOLERANCE)?;
    let in_flight = iops * service_ms / 1e3;
    let of = if test.threads.is_empty() { "jobs" } else { "threads" };
    Some(format!(
        "{} at {degree}: by Little's law {} reads/s x {} ms are {} reads in flight, {} than {degree} {of} that wait for \
         one each; {beyond} of {} points are beyond {} %: either reads are asked for ahead, or the service time is not \
         that of a read",
        test.code,
        exact(iops),
        exact(service_ms),
        rounded(in_flight),
        apart(in_flight, sessions),
        degrees.len(),
        exact(TOLERANCE * 100.0)
    ))
}

fn transactions(test: &TestFigures) -> Option<String> {
    let (seconds, jobs, rate) = (test.service_s_at_max?, *test.jobs.last()?, *test.tps.last()?);
    let (in_flight, sessions) = (rate * seconds, f64::from(jobs));
    // Printed in hundredths of a second: half of one each way is granted.
    let closest = granted(in_flight, sessions, 0.005 / seconds);
    differ(closest, sessions, TOLERANCE).then(|| {
        format!(
            "{} at {jobs}: by Little's law {} transactions/s x {} s are {} transactions in flight, {} than {jobs} jobs",
            test.code,
            exact(rate),
            exact(seconds),
            rounded(in_flight),
            apart(in_flight, sessions)
        )
    })
}

/// A session that reads a block waits for it: more in flight than sessions are writes that nobody waits for.
pub(super) fn single_instance(figures: &SingleInstance) -> Option<String> {
    let sessions = f64::from(figures.sessions());
    let in_flight = figures.iops * figures.latency_ms / 1e3;
    (in_flight > sessions * (1.0 + TOLERANCE)).then(|| {
        format!(
            "SLOB: by Little's law {} IOPS x {} ms are {} I/Os in flight, {} times the {} sessions ({} schemas of {} \
             each): sessions that wait for their reads have at most one each, so that the rest must be writes in the \
             background, or rate and latency are not of the same I/Os",
            exact(figures.iops),
            exact(figures.latency_ms),
            rounded(in_flight),
            rounded(in_flight / sessions),
            exact(sessions),
            figures.schemas,
            exact(sessions / f64::from(figures.schemas))
        )
    })
}
