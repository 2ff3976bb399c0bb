//! What the environment did before and while it was measured.

use std::collections::BTreeMap;

use record::{Check, Preset, Ratio, Record, Verdict, name};

use super::field::{Field, applies, beyond, publisher, told, tool};
use super::hardware::old;
use crate::figure::percent;
use crate::inventory::{Change, is_virtual, load, time};
use crate::words::{list, plural, verdict};

const NOT_ENDED: &str = "the measurement did not end by itself";

pub(super) fn environment(record: &Record) -> Vec<Field> {
    let host = &record.host;
    let clock = record.instrument.clock_source.clone().or_else(|| host.kernel.clock_source.clone());
    let change = Change::of(host);
    let change = change.as_ref();
    let hidden = is_virtual(host).then_some("the hypervisor hides it");
    let throttles = change.and_then(|change| change.throttles()).map(|count| plural(count, "time"));
    let (kernel, silence) = match change.map(|change| change.kernel()) {
        Some(Ok(said)) => (Some(said), String::new()),
        Some(Err(reason)) => (None, reason),
        None => (None, old(record, NOT_ENDED).into_owned()),
    };
    let mut fields = vec![
        told("time given to others by the hypervisor", checked(record, Check::Steal)),
        told("quota of the control group", checked(record, Check::Throttling)),
        told("swapping", checked(record, Check::Swapping)),
        told("stalls of the generator", checked(record, Check::Stall)),
        told("sessions of others", checked(record, Check::OtherSessions)),
        told("page cache", checked(record, Check::PageCache)),
        told("levels of the rate", checked(record, Check::RateLevels)),
        tool("clock source", clock, "the kernel does not say"),
        tool("clock of the day", time(&host.kernel), old(record, "the kernel does not say")),
        tool(
            "load before the first run",
            host.at_start.as_ref().and_then(load),
            old(record, "the kernel does not say"),
        ),
        beyond(
            "pressure stall information",
            pressure(record),
            "the kernel does not keep it (psi=1 at its start) or the version did not read it",
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
            tool("slowed down for heat", throttles, old(record, "the kernel does not count it for these processors")),
            hidden.or_else(|| without_counts(record)),
        ),
        tool("kernel messages from start to end", kernel, silence),
        tool(
            "probe of the processor before and after",
            change.and_then(|change| change.probe()),
            old(record, NOT_ENDED),
        ),
        beyond("probes of memory and storage before and after", None, "they are run once in a record"),
        publisher("what else ran on the machine and its storage"),
    ];
    if record.plan.preset == Preset::Smoke {
        fields.push(told("warning", "preset smoke: its figures mean nothing"));
    }
    fields
}

/// Makers whose processors do not count how often they were slowed down: their temperature is all there is.
fn without_counts(record: &Record) -> Option<&'static str> {
    let knows_heat = record.host.at_end.as_ref().is_some_and(|end| end.temperature_celsius_max.is_some());
    knows_heat.then_some("these processors do not count it; see their temperature and the probe before and after")
}

/// The largest share of any run during which something stood still, by resource.
fn pressure(record: &Record) -> Option<String> {
    let counters = [
        ("a processor", name::HOST_CPU_PRESSURE_NS),
        ("I/O", name::HOST_IO_PRESSURE_NS),
        ("memory", name::HOST_MEMORY_PRESSURE_NS),
    ];
    let said = counters.iter().filter_map(|(resource, counter)| {
        let shares = record.runs.iter().filter_map(|run| Some(model::rate(run, counter)?.0 / 1e9));
        Some(format!("for {resource} {}", percent(Ratio(shares.reduce(f64::max)?.min(1.0)))))
    });
    let said = list(said);
    (!said.is_empty()).then(|| format!("something waited at most, in any run, {said} of the time"))
}

/// What `check` said of all runs: `pass in 70 runs, warn in 2 runs`.
pub(super) fn checked(record: &Record, check: Check) -> String {
    let mut counts: BTreeMap<Verdict, u64> = BTreeMap::new();
    for finding in record.runs.iter().flat_map(|run| &run.findings).filter(|finding| finding.check() == check) {
        *counts.entry(finding.verdict).or_default() += 1;
    }
    let said = list(counts.iter().map(|(found, runs)| format!("{} in {}", verdict(*found), plural(*runs, "run"))));
    if said.is_empty() { "does not apply to any run".to_owned() } else { said }
}
