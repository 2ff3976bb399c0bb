//! Words for the values of a record: one word for one thing, in every view.

use model::{ClaimBasis, Line, in_flight};
use record::{Dop, Layer, Pace, Placement, Preset, Ratio, Resource, Run, Status, Sweep, Unit, Variation};

use crate::figure::{duration, number, percent, short};
use crate::layout::clean;

/// What a statement rests on, in a word.
pub(crate) fn basis(basis: ClaimBasis) -> &'static str {
    match basis {
        ClaimBasis::Bound => "bound",
        ClaimBasis::Estimate => "estimate",
        ClaimBasis::Measured => "measured",
    }
}

/// Items in a row, with commas between.
pub(crate) fn list(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().filter(|item| !item.trim().is_empty()).collect::<Vec<_>>().join(", ")
}

/// A number of things: `1 core`, `2 cores`.
pub(crate) fn plural(count: u64, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// Codes that are named one by one.
pub(crate) const CODES_MAX: usize = 4;

/// Some codes, or their number.
pub(crate) fn few(codes: &[String]) -> String {
    match codes.len() > CODES_MAX {
        true => plural(codes.len() as u64, "test"),
        false => codes.iter().map(|code| clean(code)).collect::<Vec<_>>().join(", "),
    }
}

/// Headings of the groups of the sheet, in their order: from the processor to the whole database.
pub(crate) const LAYERS: [(Layer, &str); 6] = [
    (Layer::Cpu, "CPU"),
    (Layer::Memory, "MEMORY"),
    (Layer::Server, "SERVER: SQL in memory"),
    (Layer::Storage, "STORAGE"),
    (Layer::Network, "NETWORK"),
    (Layer::Database, "DATABASE"),
];

/// A unit in one word, in the singular.
pub(crate) fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Operation => "operation",
        Unit::Row => "row",
        Unit::Statement => "statement",
        Unit::Transaction => "transaction",
        Unit::Call => "call",
        Unit::Number => "number",
        Unit::Element => "element",
        Unit::Block => "block",
        Unit::Byte => "byte",
        Unit::Load => "load",
        Unit::RoundTrip => "round trip",
        Unit::Query => "query",
    }
}

/// A unit per second, short enough for a column: at most six characters.
pub(crate) fn unit_per_second(unit: Unit) -> &'static str {
    match unit {
        Unit::Operation => "op/s",
        Unit::Row => "row/s",
        Unit::Statement => "stmt/s",
        Unit::Transaction => "tx/s",
        Unit::Call => "call/s",
        Unit::Number => "num/s",
        Unit::Element => "elem/s",
        Unit::Block => "blk/s",
        Unit::Byte => "B/s",
        Unit::Load => "load/s",
        Unit::RoundTrip => "trip/s",
        Unit::Query => "qry/s",
    }
}

/// A rate with its unit: `3.5 MB/s`, `52.31 k row/s`.
pub(crate) fn rate_of(per_second: f64, counted: Unit) -> String {
    let figure = number(per_second);
    match counted {
        Unit::Byte if figure.contains(' ') => format!("{figure}B/s"),
        counted => format!("{figure} {}", unit_per_second(counted)),
    }
}

/// The title without the name of its layer, which is the heading of the group.
pub(crate) fn title(line: &Line) -> &str {
    short_title(line.layer, &line.title)
}

/// A title without the name of its layer.
pub(crate) fn short_title(layer: Layer, title: &str) -> &str {
    let prefix = title.get(..layer.word().len()).filter(|start| start.eq_ignore_ascii_case(layer.word()));
    let rest = prefix.and_then(|prefix| title[prefix.len()..].strip_prefix([',', ':']));
    rest.map(str::trim_start).filter(|rest| !rest.is_empty()).unwrap_or(title)
}

/// The name of a preset.
pub fn preset(preset: Preset) -> &'static str {
    match preset {
        Preset::Smoke => "smoke",
        Preset::Quick => "quick",
        Preset::Standard => "standard",
        Preset::Publish => "publish",
        Preset::Soak => "soak",
    }
}

/// The status of an invocation.
pub(crate) fn status(status: Status) -> &'static str {
    match status {
        Status::Running => "unfinished",
        Status::Finished => "finished",
        Status::Interrupted => "interrupted",
        Status::Failed => "failed",
    }
}

/// The placement of jobs, as the option takes it.
pub(crate) fn placement(placement: Placement) -> &'static str {
    match placement {
        Placement::Kernel => "kernel",
        Placement::Spread => "spread",
        Placement::Paired => "paired",
    }
}

/// The CPU pinning of jobs, in a word.
pub(crate) fn pinning(of: Placement) -> &'static str {
    match of {
        Placement::Kernel => "none",
        other => placement(other),
    }
}

/// The pacing of steps, in words.
pub(crate) fn pace(pace: Pace) -> String {
    match pace {
        Pace::Unthrottled => "closed loop, unthrottled".to_owned(),
        Pace::Rate { steps_per_second } => format!("{} steps/s", number(steps_per_second)),
        Pace::Poisson { steps_per_second } => format!("{} steps/s, Poisson", number(steps_per_second)),
        Pace::ThinkTime { think_ns } => format!("think time {}", duration(think_ns)),
    }
}

/// How a run differs from the plain one of its test, in words.
pub(crate) fn variation(variation: Variation) -> String {
    match variation {
        Variation::Paced { pace: of, one_thread_per_core } => {
            let fewer = one_thread_per_core.then(|| "one thread per core".to_owned());
            list([Some(pace(of)), fewer].into_iter().flatten())
        }
        Variation::ShareOfCapacity { share } => format!("{} of capacity", percent(Ratio(share))),
        Variation::Pipelined { statements } => format!("{statements} statements in a pipeline"),
        Variation::Traced => "traced".to_owned(),
        Variation::Perturbed { resource, share } => {
            let what = match resource {
                Resource::Processors => "processors",
                Resource::DeviceIo => "device I/O",
                Resource::ArrivalRate => "arrival rate",
            };
            format!("{} of {what}", percent(Ratio(share)))
        }
    }
}

/// The same after a degree of parallelism, abbreviated.
pub(crate) fn varied(variation: Variation) -> String {
    match variation {
        Variation::Paced { pace, one_thread_per_core } => {
            let pace = match pace {
                Pace::Unthrottled => String::new(),
                Pace::Rate { steps_per_second } | Pace::Poisson { steps_per_second } => {
                    format!("{}/s", short(Some(steps_per_second)))
                }
                Pace::ThinkTime { think_ns } => format!("+{}", duration(think_ns)),
            };
            if one_thread_per_core { format!("{pace} 1/core").trim_start().to_owned() } else { pace }
        }
        Variation::ShareOfCapacity { share } => percent(Ratio(share)),
        Variation::Perturbed { resource, share } => {
            let what = match resource {
                Resource::Processors => "CPU",
                Resource::DeviceIo => "I/O",
                Resource::ArrivalRate => "rate",
            };
            format!("{} {what}", percent(Ratio(share)))
        }
        Variation::Pipelined { statements } => format!("pipeline {statements}"),
        Variation::Traced => "traced".to_owned(),
    }
}

/// A degree of parallelism in one word: `J4` is four jobs, `T8` eight threads of one job, `N2J4T8` all three, `H2J8`
/// eight jobs of two agents. What `sweep` varies is always named, nodes and threads where they are more than one.
pub fn dop(dop: Dop, sweep: Sweep) -> String {
    let nodes = if dop.nodes > 1 { format!("N{}", dop.nodes) } else { String::new() };
    match (sweep, dop.jobs, dop.threads) {
        (Sweep::Threads, 1, threads) => format!("{nodes}T{threads}"),
        (Sweep::Agents { jobs_each }, jobs, _) => format!("{nodes}H{}J{jobs}", jobs.div_ceil(jobs_each.max(1))),
        (_, jobs, 0 | 1) => format!("{nodes}J{jobs}"),
        (_, jobs, threads) => format!("{nodes}J{jobs}T{threads}"),
    }
}

/// The degree of parallelism of `run`, as in the tables.
pub(crate) fn at(run: &Run) -> String {
    match in_flight(run) {
        Some(in_flight) => format!("{in_flight} in flight"),
        None => dop(run.dop, run.sweep),
    }
}

/// A degree of parallelism in words: `4 jobs`, `8 threads`, `8 jobs on 2 nodes`. What `sweep` does not vary is named
/// only where it is more than one.
pub(crate) fn dop_text(dop: Dop, sweep: Sweep) -> String {
    let jobs = (sweep != Sweep::Threads || dop.jobs > 1).then(|| plural(dop.jobs.into(), "job"));
    let threads = (sweep == Sweep::Threads || dop.threads > 1).then(|| plural(dop.threads.into(), "thread"));
    let nodes = if dop.nodes > 1 { format!(" on {} nodes", dop.nodes) } else { String::new() };
    let agents = match sweep {
        Sweep::Agents { jobs_each } => format!(" of {}", plural(dop.jobs.div_ceil(jobs_each.max(1)).into(), "agent")),
        _ => String::new(),
    };
    let workers: Vec<String> = jobs.into_iter().chain(threads).collect();
    format!("{}{agents}{nodes}", workers.join(" of "))
}

/// Degrees of parallelism in words: `1, 2, 4 jobs`, `1, 2 threads`. What does not vary is named only where it is
/// more than one.
pub(crate) fn degrees(dops: &[Dop]) -> String {
    let row = |numbers: Vec<u32>| list(numbers.iter().map(u32::to_string));
    let named = |numbers: Vec<u32>, word: &str| match numbers.as_slice() {
        [1] => format!("1 {word}"),
        _ => format!("{} {word}s", row(numbers)),
    };
    let of = |degree: fn(&Dop) -> u32| {
        let mut numbers: Vec<u32> = dops.iter().map(degree).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    };
    let (nodes, jobs, threads) = (of(|dop| dop.nodes), of(|dop| dop.jobs), of(|dop| dop.threads));
    let mut parts = Vec::new();
    if threads == [1] || jobs != [1] {
        parts.push(named(jobs, "job"));
    }
    if threads != [1] {
        parts.push(named(threads, "thread"));
    }
    if nodes != [1] {
        parts.push(named(nodes, "node"));
    }
    parts.join(", ")
}

/// Numbers of runs, in order, neighbours as a range: `run 3`, `runs 1-4, 7`.
pub(crate) fn run_numbers(runs: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for run in runs {
        match ranges.last_mut() {
            Some((_, end)) if end.checked_add(1) == Some(*run) => *end = *run,
            Some((_, end)) if *end == *run => {}
            _ => ranges.push((*run, *run)),
        }
    }
    let shown = list(ranges.iter().map(|(start, end)| match start == end {
        true => start.to_string(),
        false => format!("{start}-{end}"),
    }));
    match ranges.as_slice() {
        [(start, end)] if start == end => format!("run {shown}"),
        _ => format!("runs {shown}"),
    }
}

/// `sentence` with an uppercase first letter.
pub(crate) fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_degree_names_nodes_and_threads_where_there_are_several() {
        let at = |nodes, jobs, threads, sweep| dop(Dop { nodes, jobs, threads }, sweep);
        assert_eq!(at(1, 4, 1, Sweep::Jobs), "J4");
        assert_eq!(at(3, 4, 1, Sweep::Jobs), "N3J4");
        assert_eq!(at(1, 1, 8, Sweep::Threads), "T8");
        assert_eq!(at(2, 1, 8, Sweep::Threads), "N2T8");
        assert_eq!(at(2, 4, 8, Sweep::Jobs), "N2J4T8");
        assert_eq!(at(1, 8, 1, Sweep::Agents { jobs_each: 4 }), "H2J8");
    }

    #[test]
    fn degrees_name_what_varies() {
        let threads = |threads| Dop { nodes: 1, jobs: 1, threads };
        assert_eq!(degrees(&[Dop::jobs(1)]), "1 job");
        assert_eq!(degrees(&[Dop::jobs(1), Dop::jobs(2), Dop::jobs(4)]), "1, 2, 4 jobs");
        assert_eq!(degrees(&[threads(1), threads(2)]), "1, 2 threads");
        assert_eq!(degrees(&[Dop { nodes: 2, jobs: 8, threads: 4 }]), "8 jobs, 4 threads, 2 nodes");
    }

    #[test]
    fn neighbouring_runs_are_a_range() {
        assert_eq!(run_numbers(&[3]), "run 3");
        assert_eq!(run_numbers(&[1, 2, 3, 7, 9, 9, 10]), "runs 1-3, 7, 9-10");
        assert_eq!(run_numbers(&[u32::MAX, 0]), format!("runs {}, 0", u32::MAX));
    }
}
