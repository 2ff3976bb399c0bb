//! Figures of the activity in words, for every medium.

use model::{ActivityMethod, Checkpoints, DatabaseActivity, IoObserver, NoSource, ProfileUnit};
use record::{Bytes, Ratio, WaitClass};

use crate::figure::{count, duration, nanos, number, percent, three_digits, volume};
use crate::words::plural;

/// Shown where there is no source.
pub(super) const NOT_DETERMINED: &str = "n.d.";

/// The name of a wait class.
pub(super) fn class(class: WaitClass) -> &'static str {
    match class {
        WaitClass::Cpu => "CPU",
        WaitClass::UserIo => "User I/O",
        WaitClass::Commit => "Commit",
        WaitClass::Concurrency => "Concurrency",
        WaitClass::Application => "Application",
        WaitClass::Network => "Network",
        WaitClass::Cluster => "Cluster",
        WaitClass::SystemIo => "System I/O",
        WaitClass::Other => "Other",
        WaitClass::Idle => "Idle",
    }
}

/// The method of a figure.
pub(super) fn method(method: ActivityMethod) -> String {
    match method {
        ActivityMethod::Timed => "timed".to_owned(),
        ActivityMethod::Sampled { period_ns } => format!("sampled @{}", duration(period_ns)),
        ActivityMethod::Called => "timed by dbdyno".to_owned(),
        ActivityMethod::Rest => "rest".to_owned(),
    }
}

/// The source of a count.
pub(super) fn observer(observer: IoObserver) -> &'static str {
    match observer {
        IoObserver::Engine => "engine",
        IoObserver::Device => "device",
    }
}

/// An amount of the load profile.
pub(super) fn amount(unit: ProfileUnit, value: Option<f64>) -> String {
    let Some(value) = value.filter(|value| value.is_finite() && *value >= 0.0) else {
        return NOT_DETERMINED.to_owned();
    };
    match unit {
        ProfileUnit::Time => nanos(value),
        ProfileUnit::Bytes => volume(Bytes(value.round() as u64)),
        ProfileUnit::Count => number(value),
    }
}

/// A share of database time.
pub(super) fn time_share(share: Option<Ratio>) -> String {
    share.map_or_else(|| NOT_DETERMINED.to_owned(), percent)
}

/// Database time and the sessions at work: name and value.
pub(super) fn sessions(activity: &DatabaseActivity) -> Vec<(String, String)> {
    let load = &activity.sessions;
    let fact = |name: &str, value: String| (name.to_owned(), value);
    let mut facts = vec![fact("Elapsed", duration(activity.elapsed_ns))];
    facts.push(match activity.database_time {
        Some(time) => fact("DB time", format!("{}, {}", nanos(time.total_ns), method(time.method))),
        None => fact("DB time", NOT_DETERMINED.to_owned()),
    });
    let on = load.processors.map(|count| format!(" on {}", plural(count.into(), "processor"))).unwrap_or_default();
    let average = load.average.map_or_else(|| NOT_DETERMINED.to_owned(), three_digits);
    facts.push(fact("Average active sessions", format!("{average}{on}")));
    if let (Some(sampled), Some(samples), Some(period)) = (load.sampled, load.sample_count, load.period_ns) {
        let cost = load.cost_ns.map(|cost| format!(", cost {}", duration(cost))).unwrap_or_default();
        let active = load.found.map(|found| format!("{} active in ", count(found))).unwrap_or_default();
        let samples = plural(samples, "sample");
        let text = format!("{}: {active}{samples} every {}{cost}", three_digits(sampled), duration(period));
        facts.push(fact("Sampled active sessions", text));
    }
    if let Some(coverage) = load.coverage {
        facts.push(fact("Coverage", format!("samples account for {} of DB time", percent(coverage))));
    }
    facts
}

/// Samples compared with the engine's times: name, timed, sampled, factor between them. The first row is all of
/// database time.
pub(super) fn samples(activity: &DatabaseActivity) -> Vec<[String; 4]> {
    // A factor from few samples is not significant.
    let is_enough = activity.sessions.found.is_some_and(|found| found >= model::RULES.attribution_samples_min);
    let row = |event: &str, timed: f64, sampled: f64, factor: Option<f64>| {
        let factor = factor.filter(|_| is_enough).map_or_else(|| NOT_DETERMINED.to_owned(), three_digits);
        [event.to_owned(), nanos(timed), nanos(sampled), factor]
    };
    let all = activity.database_time.zip(activity.sessions.coverage).map(|(time, coverage)| {
        let factor = (coverage.0 > 0.0).then(|| 1.0 / coverage.0);
        row("all of DB time", time.total_ns, time.total_ns * coverage.0, factor)
    });
    let of_event = activity.calibrations.iter().map(|it| row(&it.event, it.timed_ns, it.sampled_ns, it.factor));
    all.into_iter().chain(of_event).collect()
}

/// The log: name and value.
pub(super) fn log_facts(activity: &DatabaseActivity) -> Vec<(&'static str, String)> {
    let log = &activity.log;
    let bytes = |value| amount(ProfileUnit::Bytes, value);
    let count = |value| amount(ProfileUnit::Count, value);
    vec![
        ("Bytes per second", bytes(log.bytes_per_second)),
        ("Bytes per transaction", bytes(log.bytes_per_transaction)),
        ("Syncs per second", count(log.syncs_per_second)),
        ("Bytes per sync", bytes(log.bytes_per_sync)),
        ("Commits per sync", count(log.commits_per_sync)),
    ]
}

/// Checkpoints in a sentence.
pub(super) fn checkpoints(found: Option<Checkpoints>) -> String {
    let Some(found) = found else { return NOT_DETERMINED.to_owned() };
    let blocks = found.blocks.map(|blocks| format!(", {} written", plural(blocks, "block"))).unwrap_or_default();
    format!("{} in the window{blocks}", found.count)
}

/// What has no source, a line for each reason.
pub(super) fn unknown_lines(activity: &DatabaseActivity) -> Vec<String> {
    let of_profile = activity.profile.iter().filter_map(|line| Some((line.name, line.reason.as_ref()?)));
    let of_log = activity.log.syncs.is_none().then_some(("syncs of the log", &NoSource::EventsNotCounted));
    let others = activity.not_known.iter().map(|it| (it.what, &it.reason));
    let mut lines: Vec<(&NoSource, Vec<&str>)> = Vec::new();
    for (what, reason) in others.chain(of_profile).chain(of_log) {
        match lines.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(what),
            None => lines.push((reason, vec![what])),
        }
    }
    lines
        .into_iter()
        .map(|(reason, names)| format!("{}: {}", names.join(", "), tables::activity::reason(reason)))
        .collect()
}
