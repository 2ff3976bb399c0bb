//! A finished run in one line.

use record::{Outcome, Run, Variation, Verdict};

use crate::figure::{duration, rate, time};
use crate::finding::finding_text;
use crate::layout::{clean, cut};
use crate::verdict::mark;
use crate::words::{dop, unit_per_second, variation};

/// Characters of a title.
const TITLE_WIDTH: usize = 21;

/// Columns of the page.
const WIDTH: usize = 80;

/// The result of `run` in at most 80 columns: number, test, degree of parallelism, rate, service times, the worst
/// verdict, and whether its rate was steady where that was checked. An invalid run has the reason instead of a rate.
pub fn run_line(run: &Run) -> String {
    let row = model::row(run);
    // The variation distinguishes consecutive runs of one test better than the title.
    let title = match run.variation {
        None => clean(&run.title),
        Some(Variation::Traced) => format!("traced: {}", clean(&run.title)),
        Some(other) => variation(other),
    };
    let title = cut(&title, TITLE_WIDTH);
    let test = clean(&run.test);
    let test = cut(test.split('@').next().unwrap_or_default(), 4);
    let at = dop(run.dop, run.sweep);
    let identity = format!("{:>3} {test:<4} {title:<TITLE_WIDTH$} {at:<4}", run.number);
    if row.verdict == Verdict::Fail {
        return cut(&format!("{identity} invalid: {}", clean(&reason(run))), WIDTH);
    }
    // The table of file streams shows requests; a step may also be an open or a commit.
    let service = match &run.streams {
        Some(streams) => model::quantiles(&streams.requests),
        None => row.service,
    };
    let times = service.map_or_else(String::new, |service| {
        format!("  p50 {:>7}  p99 {:>7}", duration(service.p50_ns), time(service.p99_ns))
    });
    let operations = rate(row.operations_per_second.map(|rate| rate.0));
    let mark = mark(row.verdict);
    let steady = model::steady_verdict(run).map_or("", |word| word.word());
    // The word takes its space from the title.
    let room = steady.chars().count() + usize::from(!steady.is_empty());
    let identity = match room {
        0 => identity,
        room => format!(
            "{:>3} {test:<4} {:<2$} {3:<4}",
            run.number,
            cut(&title, TITLE_WIDTH - room),
            TITLE_WIDTH - room,
            at
        ),
    };
    let line = format!("{identity} {operations:>7} {:<6}{times} {mark} {steady}", unit_per_second(run.unit));
    cut(line.trim_end(), WIDTH)
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
