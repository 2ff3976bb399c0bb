//! What wake-ups of idle processors add to the single job of a test, beside its best run.

use model::{Limiter, Line, RULES};
use record::{LocalTransport, Record, RoundTripWaiting};

use crate::figure::{duration, three_digits};
use crate::limit::limit;
use crate::words::{dop, list};

/// Round trips between two threads of the host of `record`, by transport: on one processor, and on two, idle and busy.
pub(crate) fn local_round_trips(record: &Record) -> Option<String> {
    let found = record.local_round_trips.as_ref()?;
    let of = |transport, name: &str| {
        let median = |waiting, words: &str| {
            let case = found.case(transport, waiting)?;
            Some(format!("{} {words}", duration(case.latency.p50_ns)))
        };
        let cases = [
            median(RoundTripWaiting::OneProcessor, "on one processor"),
            median(RoundTripWaiting::Idle, "on two idle ones"),
            median(RoundTripWaiting::Busy, "on two busy ones"),
        ];
        let cases = list(cases.into_iter().flatten());
        (!cases.is_empty()).then(|| format!("{name} {cases}"))
    };
    let transports = [
        of(LocalTransport::Pipe, "pipe"),
        of(LocalTransport::UnixSocket, "Unix socket"),
        of(LocalTransport::Tcp, "TCP of loopback"),
    ];
    let known = transports.into_iter().flatten().collect::<Vec<_>>().join("; ");
    let only = if found.processors == 1 { " (there is no other processor)" } else { "" };
    (!known.is_empty()).then(|| format!("median of a round trip between two threads: {known}{only}"))
}

/// The degree of the single job of `line` and what wake-ups add to its steps, what of the gain is then of the added jobs,
/// and how to measure without. None where wake-ups are a small part of its time or are not known, and where the single job is
/// the best run, whose limit is stated by itself.
pub(crate) fn single_job(line: &Line) -> Option<(String, String)> {
    let (wake_up, speed, best) = (line.wake_up?, line.speed.as_ref()?, line.best.as_ref()?);
    (speed.run != best.run && wake_up.share().0 >= RULES.attribution_class_min).then_some(())?;
    let (gain, without) = (line.scalability?, line.gain_without_wake_ups()?);
    let found = limit(&Limiter::WakeUps(wake_up));
    let with_more = dop(best.dop, line.sweep);
    let text = format!(
        "{found}; {with_more} did {} times the rate of one, about {} times that without wake-ups, which busy processors do \
         not need (to measure one without them: --placement paired)",
        three_digits(gain),
        three_digits(without)
    );
    Some((dop(speed.dop, line.sweep), text))
}
