//! A finished run in one line.

use model::{Headline, LatencyName};
use record::{Outcome, Run, Variation, Verdict};

use crate::figure::{duration, rate, time};
use crate::finding::finding_text;
use crate::layout::{clean, cut};
use crate::verdict::word_of;
use crate::words::{dop, unit_per_second, variation};

/// Characters of a title.
const TITLE_WIDTH: usize = 16;

/// Characters of a unit and service times.
const TIMES_WIDTH: usize = 30;

/// The unit of a run of random blocks that only scans.
const SCANS: &str = "scan/s";

/// Characters of a line.
const WIDTH: usize = 80;

/// The result of `run` in at most 80 columns: number, test, degree of parallelism, rate, latency, the worst
/// verdict, and whether its rate was steady where that was checked. An invalid run has the reason instead of a rate.
pub fn run_line(run: &Run) -> String {
    let row = model::row(run);
    // The variation distinguishes consecutive runs of one test better than the title.
    let title = match run.variation {
        None => clean(&run.title),
        Some(Variation::Traced) => format!("traced: {}", clean(&run.title)),
        Some(other) => variation(other),
    };
    let test = clean(&run.test);
    let test = cut(test.split('@').next().unwrap_or_default(), 4);
    let at = dop(run.dop, run.sweep);
    let identity = |room: usize| format!("{:>3} {test:<4} {:<room$} {at:<4}", run.number, cut(&title, room));
    if row.verdict == Verdict::Fail {
        return cut(&format!("{} invalid: {}", identity(TITLE_WIDTH), clean(&reason(run))), WIDTH);
    }
    let times = times(run).unwrap_or_default();
    let operations = rate(row.operations_per_second.map(|rate| rate.0));
    let steady = model::steady_verdict(run).map_or("", |word| word.word());
    let unit = if model::scans(run).is_some() { SCANS } else { unit_per_second(run.unit) };
    let times_width = TIMES_WIDTH.saturating_sub(unit.chars().count());
    let figures = format!(" {operations:>7} {unit}{times:>times_width$} {} {steady}", word_of(row.verdict));
    let figures = figures.trim_end();
    // Longer figures take their space from the title.
    let room = WIDTH.saturating_sub(identity(0).chars().count() + figures.chars().count());
    cut(&format!("{}{figures}", identity(room.min(TITLE_WIDTH))), WIDTH)
}

/// The latency that stands for `run`: service times without a name, response times, or those of writes and of the sync
/// that follows them.
fn times(run: &Run) -> Option<String> {
    let Headline { name, times } = model::headline(run)?;
    let p50 = duration(times.p50_ns);
    let sync = model::sync_beside(run).map(|sync| duration(sync.service.p50_ns));
    Some(match (name, sync) {
        (LatencyName::Service, None) => format!(" p50 {p50:>7} p99 {:>7}", time(times.p99_ns)),
        (LatencyName::Service, Some(sync)) => format!(" p50 {p50:>7} sync {sync:>7}"),
        // The rate that was asked for needs the room of the median.
        (LatencyName::Response, None) => match times.p99_ns {
            Some(p99) => format!(" response p99 {:>7}", duration(p99)),
            None => format!(" response p50 {p50:>7}"),
        },
        (LatencyName::Response, Some(sync)) => format!(" resp. p50 {p50:>7} sync {sync:>7}"),
    })
}

/// Why a run is invalid.
fn reason(run: &Run) -> String {
    match &run.outcome {
        Outcome::Failed { message } => message.clone(),
        Outcome::Done => run
            .findings
            .iter()
            .find(|finding| finding.verdict == Verdict::Fail)
            .map_or_else(|| "no reason is recorded".to_owned(), finding_text),
    }
}
