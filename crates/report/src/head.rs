//! What is said of a record as a whole: when it was measured and with which overhead, how its tests read and began, and
//! warnings about all figures.

use std::collections::{BTreeMap, BTreeSet};

use record::{DataReads, Preset, Record, SettlingStep, Status};

use crate::agents::host_warnings;
use crate::fact::size_text;
use crate::figure::{duration, nanos};
use crate::inventory::topology::defect_texts;
use crate::layout::clean;
use crate::words::{list, status};

/// Start time to the minute, and the status.
pub(crate) fn started(record: &Record) -> String {
    let minute: String = record.started_at.0.chars().take("2026-01-31T12:00".len()).collect();
    let start =
        if minute.is_empty() { "at an unknown time".to_owned() } else { format!("{} UTC", minute.replace('T', " ")) };
    format!("{start}, {}", status(record.status))
}

/// Version and overhead of the tool.
pub(crate) fn instrument(record: &Record) -> String {
    let costs = &record.instrument;
    let cost = |value: f64, what: &str| (value > 0.0).then(|| format!("{} {what}", nanos(value)));
    let parts = [
        cost(costs.loop_step_ns, "per step"),
        cost(costs.null_engine_step_ns, "per step on the null engine"),
        cost(costs.clock_read_ns, "per clock read"),
        cost(costs.sample_ns.0 as f64, "per host sample"),
    ];
    let known = list(parts.into_iter().flatten());
    let version = &record.tool.version;
    if known.is_empty() { version.clone() } else { format!("{version}; tool overhead: {known}") }
}

/// The warning about the preset smoke.
pub(crate) const SMOKE: &str = "preset smoke only proves that everything works: its figures mean nothing";

/// Defects of the platform that are named; more are counted.
const DEFECTS_MAX: usize = 3;

/// Warnings about all figures of the record.
pub(crate) fn warnings(record: &Record) -> Vec<String> {
    let mut warnings = Vec::new();
    if !record.tool.optimised {
        warnings.push("dbdyno was built without optimisation: the figures mean nothing".to_owned());
    }
    if let Some((program, machine)) = model::emulation(record) {
        warnings.push(format!(
            "dbdyno for {program} was emulated on {machine}: the figures are the emulator's, not the machine's"
        ));
    }
    if record.plan.preset == Preset::Smoke {
        warnings.push(SMOKE.to_owned());
    }
    let defects = defect_texts(&record.host);
    let more = defects.len().saturating_sub(DEFECTS_MAX);
    warnings.extend(defects.into_iter().take(DEFECTS_MAX));
    warnings.extend((more > 0).then(|| format!("and {more} more of the platform (dbdyno inventory --record)")));
    warnings.extend(host_warnings(&record.agent_hosts));
    let (runs, planned) = (record.runs.len(), record.plan.runs.len());
    let reason = record.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
    if record.status != Status::Finished {
        warnings.push(format!("{} after {runs} of {planned} runs{reason}", status(record.status)));
    } else if runs < planned {
        warnings.push(format!("{runs} of {planned} runs are in this record{reason}"));
    }
    warnings
}

/// How the tests of `record` read, and which tests where they differ. None where no test reads outside the cache.
pub(crate) fn data_reads(record: &Record) -> Option<String> {
    let mut ways: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for run in &record.runs {
        let Some(reads) = &run.data_reads else { continue };
        let tests = ways.entry(read_mode(reads)).or_default();
        if !tests.contains(&run.test.as_str()) {
            tests.push(&run.test);
        }
    }
    let is_one = ways.len() == 1;
    let parts = ways.into_iter().map(|(way, tests)| match is_one {
        true => way,
        false => format!("{way}: {}", clean(&tests.join(", "))),
    });
    let parts = parts.collect::<Vec<String>>().join("; ");
    (!parts.is_empty()).then(|| list([format!("of tables outside the cache: {parts}")]))
}

/// What was done before the runs of `record` so that they begin in the same state, and how long it took at most. None where nothing
/// was.
pub(crate) fn settled(record: &Record) -> Option<String> {
    let all = || record.runs.iter().filter_map(|run| run.settling.as_ref());
    let longest = all().map(|settling| settling.settle_ns).max()?;
    let fillings = all().filter_map(|settling| settling.cache_fill.as_ref());
    let largest = fillings.max_by_key(|filling| filling.read_ns);
    let filled = largest.map(|filling| {
        format!(
            "the cache is filled with {} of rows before tests of random ones, in up to {}",
            size_text(filling.bytes),
            duration(filling.read_ns)
        )
    });
    let steps: BTreeSet<SettlingStep> = all().flat_map(|settling| settling.steps.iter().copied()).collect();
    let steps = steps.into_iter().map(settling_step).collect::<Vec<_>>().join(" and ");
    let steps = if steps.is_empty() { steps } else { format!(" ({steps})") };
    let written = format!("what runs leave is written back before the next one{steps}, in up to {}", duration(longest));
    Some(list([written].into_iter().chain(filled)))
}

fn settling_step(step: SettlingStep) -> &'static str {
    match step {
        SettlingStep::Vacuum => "vacuum",
        SettlingStep::Purge => "purge",
        SettlingStep::WriteBack => "all changed pages",
        SettlingStep::Checkpoint => "checkpoint",
    }
}

fn read_mode(reads: &DataReads) -> String {
    match reads {
        DataReads::Direct => "direct I/O (O_DIRECT)".to_owned(),
        DataReads::Dropped => "files are dropped from the page cache continuously (posix_fadvise DONTNEED)".to_owned(),
        DataReads::PageCache { reason } => format!("through the page cache ({})", clean(reason)),
    }
}
