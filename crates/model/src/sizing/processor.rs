//! Processors of two platforms by what both were measured with: never by a factor.

use record::Record;

use super::ceiling::{server_host, shows};
use crate::row::row;
use crate::system::{FactValue, System};

/// Tests of processors within the engine, which go before the probes of native code.
const ENGINE_TESTS: [&str; 3] = ["T131", "T421", "T611"];
const PROBES: [&str; 3] = ["C11", "C13", "C14"];

/// What was measured of the processors of a platform.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessorSheet {
    /// Its name.
    pub name: String,
    /// Model of the processor.
    pub model: Option<String>,
    /// Hardware threads that the tests could use.
    pub threads: f64,
    /// Whether the figures are published ones.
    pub is_published: bool,
    /// The best rate of each test, by its code.
    pub rates: Vec<(String, f64)>,
}

/// How much work of the old platform the processors of the new one do.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessorRatio {
    /// The tests that both have.
    pub codes: Vec<String>,
    /// Hardware threads of the old platform that all processors of the new one are worth: by the test that says least,
    pub threads_low: f64,
    /// and by the one that says most.
    pub threads_high: f64,
    /// Whether the old sheet is a published one of the same processor, so that this is a bound and no measurement of the old
    /// platform.
    pub is_published: bool,
}

fn is_of_processors(code: &str) -> bool {
    ENGINE_TESTS.contains(&code) || PROBES.contains(&code)
}

/// The sheet of `record`; absent where the processors of the server are not known.
pub fn processor_sheet(record: &Record) -> Option<ProcessorSheet> {
    let host = server_host(record)?;
    let quota = host.cgroup.cpu_quota.unwrap_or(f64::INFINITY);
    let threads = f64::from(host.cpu.threads).min(quota);
    let mut rates: Vec<(String, f64)> = Vec::new();
    for run in record.runs.iter().filter(|run| is_of_processors(&run.test) && shows(run)) {
        let Some(rate) = row(run).operations_per_second else { continue };
        keep_best(&mut rates, &run.test, rate.0);
    }
    Some(ProcessorSheet { name: record.id.clone(), model: host.cpu.model.clone(), threads, is_published: false, rates })
        .filter(|sheet| sheet.threads > 0.0)
}

/// The sheet of a published system; absent where it does not tell its hardware threads.
pub fn published_sheet(system: &System) -> Option<ProcessorSheet> {
    let threads = system.facts.iter().find_map(|fact| match fact.value {
        FactValue::Topology { threads: Some(threads), .. } => Some(f64::from(threads)),
        FactValue::Topology { cores: Some(cores), .. } => Some(f64::from(cores)),
        _ => None,
    })?;
    let mut rates: Vec<(String, f64)> = Vec::new();
    for test in system.tests.iter().filter(|test| is_of_processors(&test.code)) {
        for rate in test.points.iter().filter_map(|point| point.median()) {
            keep_best(&mut rates, &test.code, rate.0);
        }
    }
    let model = system.facts.iter().find(|fact| fact.name == "processor");
    Some(ProcessorSheet {
        name: system.name.clone(),
        model: model.and_then(|fact| fact.value.text()).map(str::to_owned),
        threads,
        is_published: true,
        rates,
    })
}

fn keep_best(rates: &mut Vec<(String, f64)>, code: &str, rate: f64) {
    match rates.iter_mut().find(|(known, _)| known == code) {
        Some((_, known)) => *known = known.max(rate),
        None => rates.push((code.to_owned(), rate)),
    }
}

/// The ratio of two sheets by the tests of the engine that both have, or else by the probes; absent without any. All hardware
/// threads of the old platform are taken to be worth the same, which a busy share in the middle understates where two of
/// them share a core.
pub fn processor_ratio(old: &ProcessorSheet, new: &ProcessorSheet) -> Option<ProcessorRatio> {
    let by = |codes: &[&str]| {
        let of = |sheet: &ProcessorSheet, code: &str| {
            let found = sheet.rates.iter().find(|(known, _)| known == code);
            found.map(|(_, rate)| *rate).filter(|rate| *rate > 0.0)
        };
        let worth = |code: &&str| {
            let threads = of(new, code)? / (of(old, code)? / old.threads);
            Some(((*code).to_owned(), threads))
        };
        codes.iter().filter_map(worth).collect::<Vec<(String, f64)>>()
    };
    let engine = by(&ENGINE_TESTS);
    let found = if engine.is_empty() { by(&PROBES) } else { engine };
    let threads = || found.iter().map(|(_, threads)| *threads);
    Some(ProcessorRatio {
        threads_low: threads().reduce(f64::min)?,
        threads_high: threads().reduce(f64::max)?,
        codes: found.iter().map(|(code, _)| code.clone()).collect(),
        is_published: old.is_published || new.is_published,
    })
}
