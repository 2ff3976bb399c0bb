//! What is said of rates over the window: its length, their levels, and what was asked for.

use record::evidence::{
    Backlog, Bound, Confirmation, LoadBesideSteps, RateInterval, RateLevels, SearchAnswer, SearchEnding,
    SeenCheckpoints, Steady, StepDown, Warehouses, WindowLength,
};
use record::{Rate, Verdict};

use super::{CheckWords, Worded};
use crate::figure::percent;
use crate::layout::clean;
use crate::steadiness;
use crate::words::plural;

impl Worded for WindowLength {
    const WORDS: CheckWords = CheckWords {
        name: "window length",
        limits: ["fewer than 20 steps", ""],
        meaning: "The window is too short for the conclusion: repeat with a longer preset.",
        remedy: "choose longer windows: --seconds, or --preset standard",
    };

    fn sentence(&self, _: Verdict) -> String {
        match self {
            WindowLength::Enough { window_ns } => format!("the window is {:.0} s long", window_ns.seconds()),
            WindowLength::Short { window_ns_min } => {
                let seconds = window_ns_min.seconds();
                format!("the window is shorter than {seconds} s: no claim that the rate is steady")
            }
            WindowLength::FewSteps { steps, steps_min } => {
                format!(
                    "{} in the window; below {steps_min}, quantiles of their times are unreliable",
                    plural(*steps, "step")
                )
            }
            WindowLength::CommittedLater { late_bytes, committed_bytes } => format!(
                "{:.1} of {:.1} MB were committed after the window: the rate excludes that commit; hint: --commit-every, \
                 or no --seconds",
                late_bytes.0 as f64 / 1e6,
                committed_bytes.0 as f64 / 1e6
            ),
        }
    }
}

impl Worded for SeenCheckpoints {
    const WORDS: CheckWords = CheckWords {
        name: "checkpoints",
        limits: ["fewer than wanted", ""],
        meaning: "Pages that the run changed may be written after it: the rate is none that lasts.",
        remedy: "choose longer windows: --seconds, or --preset standard",
    };

    fn sentence(&self, _: Verdict) -> String {
        let SeenCheckpoints { seen, wanted, is_counted, refusal } = self;
        let counted = if *is_counted { "" } else { ", as they were asked for" };
        let refused = refusal.as_ref().map(|why| format!(": {}", clean(why))).unwrap_or_default();
        format!("{} in the window, {wanted} wanted{counted}{refused}", plural(*seen, "checkpoint"))
    }
}

impl Worded for Warehouses {
    const WORDS: CheckWords = CheckWords {
        name: "warehouses",
        limits: ["fewer than 5 for each job", ""],
        meaning: "Jobs share their home warehouses, and wait for the rows of each other: the rate is one of locks.",
        remedy: "give more warehouses: --warehouses",
    };

    fn sentence(&self, verdict: Verdict) -> String {
        let Warehouses { warehouses, jobs, per_job_min } = self;
        let limit = match verdict {
            Verdict::Pass => format!("at least {per_job_min} for each"),
            _ => format!("below {per_job_min} for each, jobs wait for rows of each other"),
        };
        format!("{} for {}; {limit}", plural(u64::from(*warehouses), "warehouse"), plural(u64::from(*jobs), "job"))
    }
}

impl Worded for LoadBesideSteps {
    const WORDS: CheckWords = CheckWords {
        name: "load beside",
        limits: ["no step, or many that failed", "all failed"],
        meaning: "The load beside the jobs was not the one that was asked for: what it takes from them is not known.",
        remedy: "measure the load alone by dbdyno run, and choose windows that are longer than its steps",
    };

    fn sentence(&self, verdict: Verdict) -> String {
        let LoadBesideSteps { test, steps, failed, cancelled, limit } = self;
        let test = clean(test);
        let cancelled = match cancelled {
            0 => String::new(),
            count => format!(", {} cancelled at the end", plural(*count, "step")),
        };
        let limit = match verdict {
            Verdict::Warn if *steps > 0 => format!("; limit {}", percent(*limit)),
            _ => String::new(),
        };
        format!("{test} ended {} in the window, {failed} failed{cancelled}{limit}", plural(*steps, "step"))
    }
}

impl Worded for Steady {
    const WORDS: CheckWords = CheckWords {
        name: "steadiness",
        limits: ["not steady", ""],
        meaning: "The rate was not steady: the mean is of no steady state (SNIA, Performance Test Specification).",
        remedy: "measure longer, and after preconditioning",
    };

    fn sentence(&self, verdict: Verdict) -> String {
        match self {
            Steady::Window { verdict, reason, counted } => steadiness::window_text(*verdict, reason, counted.as_ref()),
            Steady::Rounds { rounds, rounds_needed, rule } => {
                steadiness::rounds_text(verdict, *rounds, *rounds_needed, rule.as_ref())
            }
        }
    }
}

impl Worded for Option<RateLevels> {
    const WORDS: CheckWords = CheckWords {
        name: "rate levels",
        limits: ["two levels 25 % apart, or more", ""],
        meaning: "The rate jumped between two levels: the mean is between two states of the machine.",
        remedy: "choose longer windows (--seconds) and look at what changes meanwhile",
    };

    fn sentence(&self, _: Verdict) -> String {
        let Some(levels) = self else { return "the rate of the seconds has one level".to_owned() };
        format!(
            "the rate jumps between two levels: {:.0} steps/s in {} s and {:.0} steps/s in {} s",
            levels.lower.0, levels.lower_seconds, levels.upper.0, levels.upper_seconds
        )
    }
}

impl Worded for Option<StepDown> {
    const WORDS: CheckWords = CheckWords {
        name: "rate drop",
        limits: ["a lasting fall of 10 %", ""],
        meaning: "The rate dropped during the run: burst credits, a cache or heat. The later rate is the lasting one.",
        remedy: "measure longer, and after preconditioning",
    };

    fn sentence(&self, _: Verdict) -> String {
        let Some(fall) = self else { return "no lasting drop of the rate during the run".to_owned() };
        format!(
            "the rate of {} dropped from {:.0} to {:.0} I/Os per second after {} s and did not recover: throttling, \
             exhausted burst credits or heat; use the later rate",
            fall.job, fall.before.0, fall.after.0, fall.at_second
        )
    }
}

impl Worded for Backlog {
    const WORDS: CheckWords = CheckWords {
        name: "backlog",
        limits: ["some", "1 %"],
        meaning: "The platform did not achieve the arrival rate: response times grow with the window.",
        remedy: "choose a lower --rate",
    };

    fn sentence(&self, _: Verdict) -> String {
        let (Backlog::Kept { job } | Backlog::NotStarted { job, .. } | Backlog::Slower { job, .. }) = self;
        let (of, noun) = match job {
            Some(job) => (format!("{job}: "), "I/O"),
            None => (String::new(), "step"),
        };
        let text = match self {
            Backlog::Kept { .. } => format!("every intended {noun} completed: the target rate was achieved"),
            Backlog::NotStarted { count, share, limit, .. } => format!(
                "{} not started, {} of all; limit {}: the target rate was missed",
                plural(*count, noun),
                percent(*share),
                percent(*limit)
            ),
            Backlog::Slower { done, due, .. } => {
                format!("{:.1} {noun}s per second achieved, target {:.1}: the target rate was missed", done.0, due.0)
            }
        };
        format!("{of}{text}")
    }
}

impl Worded for Bound {
    const WORDS: CheckWords = CheckWords {
        name: "service level",
        limits: ["missed", ""],
        meaning: "The service level was missed at this load.",
        remedy: "choose another bound, or a lower rate",
    };

    fn sentence(&self, verdict: Verdict) -> String {
        match self {
            Bound::Invalid { level } => format!("{level:?} is not a service level"),
            Bound::Level { level, value_ns: None, .. } => format!("whether {level} was met is not known"),
            Bound::Level { level, statistic, value_ns: Some(value), confirms } => {
                let value = match value.0 {
                    0..1_000_000 => format!("{:.0} µs", value.0 as f64 / 1e3),
                    _ => format!("{:.2} ms", value.0 as f64 / 1e6),
                };
                let outcome = if verdict == Verdict::Pass { "met" } else { "missed" };
                let confirms = match confirms {
                    None => "",
                    Some(Confirmation::AtLimit) => "; confirmation at the rate found",
                    Some(Confirmation::AboveLimit) => "; confirmation 10 % above the rate found",
                };
                format!("{statistic} of the response times is {value}: {level} {outcome}{confirms}")
            }
            Bound::Search(answer) => search_text(answer),
        }
    }
}

/// The answer of a search for a rate.
fn search_text(answer: &SearchAnswer) -> String {
    let unit = if answer.of_storage { "I/Os per second" } else { "steps/s" };
    let end = |rate: Rate, is_outermost: bool| {
        format!("{:.2}{}", rate.0, if is_outermost { " (the outermost rate tried)" } else { "" })
    };
    let rate = match answer.rate {
        None => "no limit was found".to_owned(),
        Some(RateInterval { estimate, low, low_is_outermost, high, high_is_outermost }) => format!(
            "{:.2} {unit}, 95 % interval for a repeat {} to {}",
            estimate.0,
            end(low, low_is_outermost),
            end(high, high_is_outermost)
        ),
    };
    let ending = match answer.ending {
        SearchEnding::Confirmed => "confirmed, missed at 10 % above",
        SearchEnding::NotConfirmed => "not confirmed, not missed at 10 % above",
        SearchEnding::OneSided => "not bounded on both sides",
    };
    format!("search for {}: {rate}; {ending}", answer.level)
}
