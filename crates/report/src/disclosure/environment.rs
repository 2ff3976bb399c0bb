//! The environment before and during the measurement.

use std::collections::BTreeMap;

use record::{Check, ClockMethod, Preset, Ratio, Record, Verdict, name};

use super::field::{Field, applies, filled, optional, publisher, tool};
use super::hardware::old;
use crate::figure::{nanos, percent};
use crate::inventory::{Change, is_virtual, load, time};
use crate::verdict::key;
use crate::words::{list, plural};

const NOT_ENDED: &str = "the measurement did not finish";

/// How the clock was read, where the kernel was not asked.
fn clock_reading(record: &Record) -> String {
    if record.instrument.clock_method != Some(ClockMethod::Tsc) {
        return String::new();
    }
    let differences = record.runs.iter().filter_map(|run| run.clock_difference_ns_max);
    let most = differences.max().map(|most| format!(", at most {} from CLOCK_MONOTONIC", nanos(most.0 as f64)));
    format!(", read by dbdyno itself{}", most.unwrap_or_default())
}

pub(super) fn environment(record: &Record) -> Vec<Field> {
    let host = &record.host;
    let clock = record.instrument.clock_source.clone().or_else(|| host.kernel.clock_source.clone());
    let clock = clock.map(|source| source + &clock_reading(record));
    let change = Change::of(host);
    let change = change.as_ref();
    let hidden = is_virtual(host).then_some("the hypervisor hides it");
    let throttles = change.and_then(|change| change.figures().throttle_count).map(|count| plural(count, "time"));
    let (kernel, silence) = match change.map(|change| change.kernel()) {
        Some(Ok(text)) => (Some(text), String::new()),
        Some(Err(reason)) => (None, reason),
        None => (None, old(record, NOT_ENDED).into_owned()),
    };
    let mut fields = vec![
        filled("CPU steal", checked(record, Check::Steal)),
        filled("CPU quota of the control group", checked(record, Check::Throttling)),
        filled("swapping", checked(record, Check::Swapping)),
        filled("stalls of the load generator", checked(record, Check::Stall)),
        filled("other sessions", checked(record, Check::OtherSessions)),
        filled("page cache", checked(record, Check::PageCache)),
        filled("rate levels", checked(record, Check::RateLevels)),
        tool("clock source", clock, "not reported by the kernel"),
        tool("system clock", time(&host.kernel), old(record, "not reported by the kernel")),
        tool(
            "load before the first run",
            host.at_start.as_ref().and_then(load),
            old(record, "not reported by the kernel"),
        ),
        optional(
            "pressure stall information",
            pressure(record),
            "not available (boot option psi=1), or not read by the dbdyno version that measured",
        ),
        applies(
            tool(
                "clock and temperature",
                change.and_then(|change| change.heat()),
                old(record, "no sensor is known to the kernel"),
            ),
            hidden,
        ),
        applies(
            tool("thermal throttling", throttles, old(record, "not counted by the kernel for these processors")),
            hidden.or_else(|| without_counts(record)),
        ),
        tool("kernel messages from start to end", kernel, silence),
        tool("CPU probe before and after", change.and_then(|change| change.probe()), old(record, NOT_ENDED)),
        optional("probes of memory and storage before and after", None, "run once in a record"),
        publisher("other workloads on the machine and its storage"),
    ];
    fields.extend(followed(record).map(|text| filled("followed live", text)));
    if record.plan.preset == Preset::Smoke {
        fields.push(filled("warning", "preset smoke: its figures mean nothing"));
    }
    fields
}

/// Which runs were followed live, and by how many; nothing where none was.
fn followed(record: &Record) -> Option<String> {
    let viewers = || record.runs.iter().filter_map(|run| run.live_viewers);
    let (runs, most) = (viewers().count() as u64, viewers().max()?);
    let viewers = plural(most.get().into(), "viewer");
    Some(format!("{} by at most {viewers} through dbdyno serve on this host", plural(runs, "run")))
}

/// Why the throttling count is absent on processors that only report their temperature.
fn without_counts(record: &Record) -> Option<&'static str> {
    let knows_heat = record.host.at_end.as_ref().is_some_and(|end| end.temperature_celsius_max.is_some());
    knows_heat.then_some("these processors do not count it; see the temperature and the CPU probe")
}

/// The largest pressure stall share of any run, by resource.
fn pressure(record: &Record) -> Option<String> {
    let counters = [
        ("CPU", name::HOST_CPU_PRESSURE_NS),
        ("I/O", name::HOST_IO_PRESSURE_NS),
        ("memory", name::HOST_MEMORY_PRESSURE_NS),
    ];
    let shares = counters.iter().filter_map(|(resource, counter)| {
        let rates = record.runs.iter().filter_map(|run| Some(model::rate(run, counter)?.0 / 1e9));
        Some(format!("{resource} {}", percent(Ratio(rates.reduce(f64::max)?.min(1.0)))))
    });
    let shares = list(shares);
    (!shares.is_empty()).then(|| format!("max share of time with a stalled task in any run: {shares}"))
}

/// The verdicts of `check` over all runs: `pass in 70 runs, warn in 2 runs`.
pub(super) fn checked(record: &Record, check: Check) -> String {
    let mut counts: BTreeMap<Verdict, u64> = BTreeMap::new();
    for finding in record.runs.iter().flat_map(|run| &run.findings).filter(|finding| finding.check() == check) {
        *counts.entry(finding.verdict).or_default() += 1;
    }
    let verdicts = list(counts.iter().map(|(found, runs)| format!("{} in {}", key(*found), plural(*runs, "run"))));
    if verdicts.is_empty() { "does not apply to any run".to_owned() } else { verdicts }
}
