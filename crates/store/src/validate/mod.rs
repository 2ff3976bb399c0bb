//! Validation: impossible values in well-formed records, such as 0 jobs, an invalid date, a share above 1, or a damaged
//! histogram.
//!
//! Only impossible values are refused. Unlikely ones are figures, which `model` checks.

mod activity;
mod agents;
mod gauges;
mod histogram;
mod in_kind;
mod load;
mod load_beside;
mod nodes;
mod plan;
mod random_blocks;
mod run;
mod streams;
mod trace;
mod transaction_types;

use record::{Dop, Instrument, Latency, Pace, Ratio, Record, Run, Timestamp, Variation};

pub(crate) use nodes::Requirement;
pub(crate) use run::run;

/// The error is a clause that names thing, value and limit.
pub(crate) type Validity = Result<(), String>;

/// Whether `run` may become a line of `record`: one that is not would make the file unreadable.
///
/// # Errors
/// A clause that names thing, value and limit.
pub fn check_run(record: &Record, run: &Run) -> Validity {
    self::run(run).and_then(|()| Requirement::of(run).check(record, run))
}

/// Whether `run` itself is possible, whatever record it is of.
///
/// # Errors
/// As [`check_run`].
pub fn check_figures(run: &Run) -> Validity {
    self::run(run)
}

/// Checks `record` without its runs.
pub(crate) fn rest(record: &Record) -> Validity {
    date("started_at", &record.started_at)?;
    record.ended_at.iter().try_for_each(|ended_at| date("ended_at", ended_at))?;
    plan::plan(&record.plan)?;
    let cpu = &record.host.cpu;
    let figures = [("clock_mhz", cpu.clock_mhz), ("clock_mhz_max", cpu.clock_mhz_max)];
    let quota = ("cpu_quota", record.host.cgroup.cpu_quota);
    figures
        .into_iter()
        .chain([quota])
        .try_for_each(|(name, value)| value.map_or(Ok(()), |value| positive(name, value)))?;
    instrument(&record.instrument)?;
    record.engine.as_ref().map_or(Ok(()), |engine| at_least_one("nodes of the engine", engine.nodes))?;
    let mut loaded = record.data_sets.iter().filter(|set| !set.reused);
    loaded.try_for_each(|set| at_least_one("jobs", set.jobs).map_err(|why| format!("table {}: {why}", set.table)))
}

fn instrument(instrument: &Instrument) -> Validity {
    let figures = [
        ("clock_read_ns", instrument.clock_read_ns),
        ("loop_step_ns", instrument.loop_step_ns),
        ("null_engine_step_ns", instrument.null_engine_step_ns),
    ];
    figures.into_iter().try_for_each(|(name, value)| positive(name, value))
}

/// Checks a timestamp.
pub(crate) fn date(name: &str, moment: &Timestamp) -> Validity {
    let Timestamp(text) = moment;
    humantime::parse_rfc3339(text)
        .map(drop)
        .map_err(|_| format!("{name} {text:?} is not a date such as 2026-01-31T12:00:00.000Z"))
}

fn at_least_one(name: &str, count: u32) -> Validity {
    if count == 0 { Err(format!("{name} 0, minimum 1")) } else { Ok(()) }
}

/// Checks a figure that must not be negative.
fn positive(name: &str, value: f64) -> Validity {
    match value.is_finite() && value >= 0.0 {
        true => Ok(()),
        false => Err(format!("{name} {value}, minimum 0")),
    }
}

fn share(name: &str, Ratio(value): Ratio) -> Validity {
    match (0.0..=1.0).contains(&value) {
        true => Ok(()),
        false => Err(format!("{name} {value} is not a share from 0 to 1")),
    }
}

fn dop(dop: Dop) -> Validity {
    at_least_one("nodes", dop.nodes)?;
    at_least_one("jobs", dop.jobs)?;
    at_least_one("threads", dop.threads)
}

fn pace(pace: Pace) -> Validity {
    match pace {
        Pace::Rate { steps_per_second } | Pace::Poisson { steps_per_second } => {
            let is_rate = steps_per_second.is_finite() && steps_per_second > 0.0;
            if is_rate { Ok(()) } else { Err(format!("steps_per_second {steps_per_second}: a rate must be above 0")) }
        }
        Pace::Unthrottled | Pace::ThinkTime { .. } => Ok(()),
    }
}

/// Checks pace and share of a variation.
fn variation(variation: Option<Variation>) -> Validity {
    match variation {
        Some(Variation::Paced { pace: of, .. }) => pace(of),
        Some(Variation::ShareOfCapacity { share } | Variation::Perturbed { share, .. }) => {
            match share.is_finite() && share > 0.0 {
                true => Ok(()),
                false => Err(format!("a variation with share {share}: a share must be above 0")),
            }
        }
        Some(Variation::Pipelined { statements }) if statements < 2 => {
            Err(format!("a pipeline of {statements} statements, minimum 2"))
        }
        Some(Variation::Pipelined { .. } | Variation::Traced) | None => Ok(()),
    }
}

/// Checks that quantiles ascend and that the histogram is valid.
fn latency(name: &str, latency: &Latency) -> Validity {
    let quantiles = [
        ("p50_ns", Some(latency.p50_ns)),
        ("p90_ns", latency.p90_ns),
        ("p99_ns", latency.p99_ns),
        ("p999_ns", latency.p999_ns),
    ];
    let quantiles: Vec<(&str, _)> = quantiles.into_iter().filter_map(|(name, at)| Some((name, at?))).collect();
    let descending = quantiles.windows(2).find(|pair| pair[1].1 < pair[0].1);
    if let Some([(low, at_low), (high, at_high)]) = descending {
        return Err(format!("{name} {high} {} is below {low} {}", at_high.0, at_low.0));
    }
    if latency.max_ns < latency.min_ns {
        return Err(format!("{name} max_ns {} is below min_ns {}", latency.max_ns.0, latency.min_ns.0));
    }
    histogram::whole(&latency.histogram).map_err(|why| format!("{name} histogram cannot be decoded: {why}"))
}
