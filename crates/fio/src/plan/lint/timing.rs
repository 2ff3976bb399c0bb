//! Conflicting times and rates.

use super::{Check, Subject};

pub(crate) const CHECKS: &[Check] = &[endless, rate_and_think_time, ramp_longer_than_run, verification];

fn endless(subject: &Subject<'_>) -> Option<String> {
    (subject.options.is_on("time_based") && subject.job.run_time.is_none()).then(|| {
        let setting = subject.setting("time_based");
        format!("{setting} has no effect without a runtime: the job ends with its region; hint: runtime=30")
    })
}

fn rate_and_think_time(subject: &Subject<'_>) -> Option<String> {
    let rated = matches!(subject.job.pace, record::Pace::Rate { .. } | record::Pace::Poisson { .. });
    let thinks =
        subject.options.number("thinktime").ok().flatten() != Some(0) && subject.options.last("thinktime").is_some();
    (rated && thinks)
        .then(|| format!("{} has no effect: the rate determines when I/O starts", subject.setting("thinktime")))
}

fn ramp_longer_than_run(subject: &Subject<'_>) -> Option<String> {
    let job = subject.job;
    let unbound = !job.time_based && job.ramp_time.0 > 0;
    unbound.then(|| {
        let setting = subject.setting("ramp_time");
        format!("{setting} may outlast the I/O of the job; hint: time_based with a runtime")
    })
}

fn verification(subject: &Subject<'_>) -> Option<String> {
    let job = subject.job;
    let verifies = job.verification != record::Verification::None;
    let mixed = subject.reads() && subject.writes();
    match (verifies, mixed, job.time_based) {
        (true, true, _) => Some(format!(
            "{} verifies blocks while the job writes them; hint: write first, then read in a separate job",
            subject.setting("verify")
        )),
        (true, false, true) if subject.writes() => {
            Some(format!("{} with time_based verifies only the last write of each block", subject.setting("verify")))
        }
        _ => None,
    }
}
