//! The summary of a record: its main results, whether they can be trusted, what limits them, and what would help.

use std::collections::BTreeMap;

use record::{
    Bytes, Check, Dop, Finding, Layer, Outcome, PlanSubject, Rate, Ratio, Record, Resource, Run, RunCounts, Sweep,
    Verdict, WarningSubject,
};

use crate::attribution::{Attribution, Capacities, Limiter, ResourceName, TimeClassName};
use crate::calibration::{Calibration, calibration};
use crate::group::ByTest;
use crate::load_curve::rate_curves;
use crate::platform_proof::{PlatformProof, platform_proof};
use crate::proof::{Cause, Proof, proofs};
use crate::queue::generator_share;
use crate::random_blocks::bytes_to_cache;
use crate::recorded_search::io_search;
use crate::row::row;
use crate::rules::RULES;
use crate::sheet::{Line, line};
use crate::verdict::{is_invalid, run_counts};
use crate::warning::{Warning, most_serious, warnings};

/// The tests of the catalogue that stand for a platform, the most telling first: transactions, single statements,
/// physical I/O, scans, loads, processors and memory.
pub const MAIN_TESTS: [&str; 14] =
    ["T616", "T311", "T716", "T611", "T626", "T721", "T426", "T331", "T431", "T131", "S22", "S21", "M11", "C11"];

/// What preset `quick` measures where no tests are named, and the rows of a short sheet: one test for each way in which a
/// platform is used, and the probes that are their ceilings.
pub const QUICK_TESTS: [&str; 16] = [
    "C11", "M11", "M21", "S11", "S21", "S22", "S31", "T131", "T421", "T611", "T426", "T626", "T331", "T311", "T616",
    "T716",
];

/// Checks by which a reader believes a figure, the most telling first.
const TELLING_CHECKS: [Check; 8] = [
    Check::DeviceIo,
    Check::ForeignIo,
    Check::PageCache,
    Check::Flush,
    Check::GeneratorBound,
    Check::ForeignCpu,
    Check::Steal,
    Check::Steady,
];

/// Main results of a summary, at most.
const RESULTS_MAX: usize = 3;

/// A remedy with a smaller gain is not named, nor one with a larger: then something unknown limits the rate long before.
const GAINS: std::ops::RangeInclusive<f64> = 1.1..=10.0;

/// Processors that a platform may be given more.
const MORE_PROCESSORS: u32 = 2;

/// The summary of a record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// The main results of this kind of record.
    pub results: Vec<MainResult>,
    /// Whether they can be trusted.
    pub validity: Validity,
    /// The limits of the main results that need an engine.
    pub limits: Vec<MainLimit>,
    /// What is known of the limit of a measurement of storage.
    pub storage: Option<StorageLimit>,
}

/// What limited the main result of a measurement of storage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StorageLimit {
    /// The limit.
    pub limiter: StorageLimiter,
    /// I/Os per second of the busiest job as a share of those that it can generate.
    pub generator_used: Option<Ratio>,
    /// Share of the processors that were busy.
    pub cpu_used: Option<Ratio>,
    /// Share of the processors of the busiest observed host of storage that served.
    pub storage_host_used: Option<Ratio>,
    /// The next higher load of a calibration, in I/Os in flight, and its rate.
    pub beyond: Option<(u32, Rate)>,
}

/// What limited a measurement of storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageLimiter {
    /// The generator of I/O.
    Generator,
    /// The processors.
    Processors,
    /// The processors of a host of storage.
    StorageHost,
    /// The latency bound: with more I/Os in flight the rate was higher.
    Bound,
    /// The device with its driver: with more I/Os in flight the rate was no higher.
    Device,
    /// The device with its driver, or too few I/Os in flight: no more were tried.
    DeviceOrDepth,
}

/// A main result.
#[derive(Clone, Debug, PartialEq)]
pub enum MainResult {
    /// The best run of a test, of an I/O job, load, scan or stream.
    Best(Box<Line>),
    /// The maximum IOPS and MB/s under a latency bound.
    Calibration(Box<Calibration>),
    /// The highest rate that meets a service level.
    Search(FoundRate),
    /// What a proof found.
    Proof(Box<PlatformProof>),
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundRate {
    /// The test; absent for a plan of I/O jobs.
    pub test: Option<(String, String)>,
    /// The service level.
    pub level: String,
    /// The highest rate that meets it, in steps or I/Os per second; absent where none was found.
    pub rate: Option<Rate>,
    /// The 95 % interval of the rate, where both ends are known.
    pub interval: Option<(Rate, Rate)>,
    /// Whether runs above the rate confirmed it.
    pub is_confirmed: bool,
}

/// How many runs can be trusted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Validity {
    /// The runs by verdict.
    pub counts: RunCounts,
    /// Tests that were run and have no valid run.
    pub without_result: Vec<String>,
    /// Tests that gained more than the added workers can give.
    pub gains_beyond_workers: Vec<String>,
    /// The tests whose repeats drift, see [`crate::RepeatDrift`].
    pub drifting: Vec<String>,
    /// What could not be checked, with the number of runs.
    pub unchecked: BTreeMap<Check, usize>,
    /// Checks that were made and that no run failed, the most telling first.
    pub passed: Vec<Check>,
    /// The most serious finding, of several equally serious ones that of most runs.
    pub most_serious: Option<MostSerious>,
}

/// The most serious finding of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct MostSerious {
    /// The test of its first run.
    pub test: String,
    /// The finding of that run.
    pub finding: Finding,
    /// Runs with a finding of this check that is as serious.
    pub runs: usize,
}

/// The limit of a main result.
#[derive(Clone, Debug, PartialEq)]
pub struct MainLimit {
    /// The test.
    pub test: String,
    /// Its title.
    pub title: String,
    /// Its layer.
    pub layer: Layer,
    /// Which degree of parallelism it varies.
    pub sweep: Sweep,
    /// The degree of its best run.
    pub dop: Dop,
    /// The limit by the figures of that run, with its evidence.
    pub attribution: Attribution,
    /// The proof of the limit, if it was tried.
    pub proof: Option<Proof>,
    /// The fastest valid run with more sessions or threads: its degree, and its rate as a ratio of that of the best run.
    pub with_more: Option<(Dop, Ratio)>,
    /// What a cache has to hold of the data that the test works on.
    pub data_bytes: Option<Bytes>,
    /// What would help, the largest gain first.
    pub remedies: Vec<Gain>,
}

impl MainLimit {
    /// Whether the best rate is the best of those tried and perhaps not of those possible: no resource is full, and more
    /// sessions or threads were not tried.
    pub fn is_best_of_tried(&self) -> bool {
        let is_open = matches!(
            self.attribution.limiter,
            Limiter::TooFewClients { .. } | Limiter::WakeUps(_) | Limiter::Unexplained | Limiter::Serialised(_)
        );
        is_open && self.with_more.is_none()
    }
}

/// A change of the platform, with the gain that it can have at most: all else is assumed to be unlimited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// The change.
    pub remedy: Remedy,
    /// The largest factor of the rate: the part of the time of which nothing is known counts as if the change helped it.
    pub factor_max: f64,
    /// The factor by what is known alone: of the part of which nothing is known, nothing is helped. At most `factor_max`.
    pub factor_known: f64,
    /// Whether the factor is from runs with less of the resource, and not from the figures of one run.
    pub is_measured: bool,
}

/// A change of the platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// So many more processors.
    Processors(u32),
    /// No other programs on the processors.
    NoOtherPrograms,
    /// A log device with half the latency.
    LogLatency,
    /// A data device with half the latency.
    DataLatency,
    /// Half the time of a round trip.
    NetworkLatency,
    /// Memory for all data, so that none is read from the device.
    Memory,
    /// A device with twice the rate.
    DeviceRate,
    /// More sessions: the client is the limit.
    Sessions,
}

/// The summary of `record`.
pub fn summary(record: &Record) -> Summary {
    let by_test = ByTest::of(record);
    let results = results(record, &by_test);
    let (capacities, proofs) = (Capacities::of(record), proofs(record));
    let limits = results.iter().filter_map(|result| match result {
        MainResult::Best(line) if !line.is_probe => limit(record, line, &capacities, &proofs),
        _ => None,
    });
    let storage = results.first().and_then(|result| storage_limit(record, result));
    Summary { limits: limits.collect(), storage, validity: validity(record, &by_test), results }
}

/// None where the result is not of storage alone.
fn storage_limit(record: &Record, result: &MainResult) -> Option<StorageLimit> {
    let (number, most, beyond) = match result {
        MainResult::Best(line) => (line.best.as_ref()?.run, 0.0, None),
        MainResult::Calibration(found) => {
            let beyond = found.curve.iter().find(|point| point.in_flight > found.in_flight);
            (found.run, found.max_iops.high, beyond.map(|point| (point.in_flight, point.iops)))
        }
        MainResult::Search(_) | MainResult::Proof(_) => return None,
    };
    let run = record.runs.iter().find(|run| run.number == number)?;
    run.storage.as_ref().filter(|_| record.plan.subject() == PlanSubject::Io)?;
    let row = row(run);
    let cpu_used = row.cpu.map(|cpu| Ratio(cpu.user.0 + cpu.system.0));
    let is_elsewhere = record.storage_hosts.iter().any(|host| !host.is_same_machine);
    let storage_host_used = row.storage_cpu.filter(|_| is_elsewhere).and_then(|cpu| cpu.of_host);
    let generator_used = generator_share(run);
    let more_is_faster = beyond.map(|(_, Rate(rate))| rate > most);
    let limiter = storage_limiter(generator_used, [cpu_used, storage_host_used], more_is_faster);
    Some(StorageLimit { limiter, generator_used, cpu_used, storage_host_used, beyond })
}

/// `more_is_faster` says whether more I/Os in flight gave a higher rate; absent where they were not tried.
fn storage_limiter(
    generator_used: Option<Ratio>,
    [cpu_used, storage_host_used]: [Option<Ratio>; 2],
    more_is_faster: Option<bool>,
) -> StorageLimiter {
    let is_full = |used: Option<Ratio>| used.is_some_and(|used| used.0 >= RULES.foreign_cpu_crowded);
    match more_is_faster {
        _ if generator_used.is_some_and(|used| used.0 > RULES.generator_share_max) => StorageLimiter::Generator,
        _ if is_full(cpu_used) => StorageLimiter::Processors,
        _ if is_full(storage_host_used) => StorageLimiter::StorageHost,
        Some(true) => StorageLimiter::Bound,
        Some(false) => StorageLimiter::Device,
        None => StorageLimiter::DeviceOrDepth,
    }
}

fn results(record: &Record, by_test: &ByTest<'_>) -> Vec<MainResult> {
    let searches = searches(record);
    if !searches.is_empty() {
        return searches.into_iter().take(RESULTS_MAX).map(MainResult::Search).collect();
    }
    if let PlanSubject::Proof(_) = record.plan.subject() {
        return platform_proof(record).map(|found| MainResult::Proof(Box::new(found))).into_iter().collect();
    }
    if let Some(found) = calibration(record) {
        return vec![MainResult::Calibration(Box::new(found))];
    }
    let known = |code: &&str| line(by_test, code).filter(|line| line.best.is_some());
    let mut lines: Vec<Line> = MAIN_TESTS.iter().filter_map(known).collect();
    if lines.iter().all(|line| line.is_probe) {
        // Tests come before the probes that were measured beside them, which are their ceilings.
        let others = by_test.codes().filter_map(|code| known(&code)).filter(|line| !line.is_probe);
        lines.splice(0..0, others);
    }
    if record.plan.subject() != PlanSubject::Catalogue {
        lines.retain(|line| !line.is_probe);
    } else if lines.is_empty() {
        lines = by_test.codes().filter_map(|code| known(&code)).collect();
    }
    lines.truncate(RESULTS_MAX);
    lines.into_iter().map(|line| MainResult::Best(Box::new(line))).collect()
}

fn searches(record: &Record) -> Vec<FoundRate> {
    let found = |test, search: crate::RecordedSearch<'_>| {
        let limit = search.answer.limit;
        let ends = limit.filter(|limit| limit.low.is_told && limit.high.is_told);
        FoundRate {
            test,
            level: search.until.level.clone(),
            rate: limit.map(|limit| Rate(limit.estimate)),
            interval: ends.map(|limit| (Rate(limit.low.rate), Rate(limit.high.rate))),
            is_confirmed: search.answer.confirmation.as_ref().is_some_and(|found| found.is_confirmed),
        }
    };
    let of_io = io_search(record).map(|search| found(None, search));
    let curves = rate_curves(record);
    let of_tests = curves.iter().filter_map(|curve| {
        let test = (curve.test.to_owned(), curve.title.to_owned());
        Some(found(Some(test), curve.search(&record.plan)?))
    });
    of_io.into_iter().chain(of_tests).collect()
}

fn validity(record: &Record, by_test: &ByTest<'_>) -> Validity {
    let (counts, warnings) = (run_counts(record), warnings(record));
    let has_none = |code: &&str| by_test.runs(code).iter().all(|run| is_invalid(run));
    let without_result = by_test.codes().filter(has_none).map(str::to_owned).collect();
    let findings = record.runs.iter().flat_map(|run| &run.findings);
    let mut unchecked = BTreeMap::new();
    for finding in findings.filter(|finding| finding.verdict == Verdict::Unknown) {
        *unchecked.entry(finding.check()).or_default() += 1;
    }
    let of = |subject| {
        let found = warnings.iter().filter(|warning| warning.subject == subject);
        found.flat_map(Warning::tests).map(str::to_owned).collect()
    };
    Validity {
        counts,
        without_result,
        gains_beyond_workers: of(WarningSubject::Gain),
        drifting: of(WarningSubject::Drift),
        passed: passed(record),
        unchecked,
        most_serious: most_serious_of(&warnings),
    }
}

/// The checks that passed in all runs in which they were made, those of [`TELLING_CHECKS`] first.
fn passed(record: &Record) -> Vec<Check> {
    let mut worst: BTreeMap<Check, Verdict> = BTreeMap::new();
    for finding in record.runs.iter().flat_map(|run| &run.findings) {
        let known = worst.entry(finding.check()).or_insert(finding.verdict);
        // What could not be checked in one run is not passed.
        *known = if finding.verdict == Verdict::Pass { *known } else { finding.verdict };
    }
    worst.retain(|_, verdict| *verdict == Verdict::Pass);
    let place = |check: &Check| TELLING_CHECKS.iter().position(|telling| telling == check).unwrap_or(usize::MAX);
    let mut passed: Vec<Check> = worst.into_keys().collect();
    passed.sort_by_key(place);
    passed
}

/// The most serious finding of `warnings` of runs that were carried out.
fn most_serious_of(warnings: &[Warning<'_>]) -> Option<MostSerious> {
    let found = most_serious(warnings)?;
    let mut done = found.instances.iter().filter(|one| one.run.outcome == Outcome::Done);
    let runs = done.clone().count();
    let first = done.next()?;
    Some(MostSerious { test: first.run.test.clone(), finding: first.finding?.clone(), runs })
}

fn limit(record: &Record, line: &Line, capacities: &Capacities, proofs: &[Proof]) -> Option<MainLimit> {
    let best = line.best.as_ref()?;
    let run = record.runs.iter().find(|run| run.number == best.run)?;
    let attribution = capacities.attribute(run)?;
    let proof = proofs.iter().rev().find(|proof| proof.test == line.test && proof.dop == best.dop).cloned();
    let processors = record.host.cpu.threads;
    let mut remedies = remedies(&attribution, proof.as_ref(), processors, run.pace.rate().is_none());
    // More sessions were tried, and were not faster.
    let workers = |dop: Dop| dop.jobs.saturating_mul(dop.threads);
    let is_plain = |run: &&Run| run.test == line.test && run.variation.is_none() && !is_invalid(run);
    let with_more = record.runs.iter().filter(is_plain).filter(|run| workers(run.dop) > workers(best.dop));
    let rates = with_more.filter_map(|run| {
        let Rate(rate) = row(run).operations_per_second?;
        Some((run.dop, Ratio(rate / best.operations_per_second.0)))
    });
    let with_more = rates.max_by(|one, other| one.1.0.total_cmp(&other.1.0));
    if with_more.is_some() {
        remedies.retain(|gain| gain.remedy != Remedy::Sessions);
    }
    Some(MainLimit {
        test: line.test.clone(),
        title: line.title.clone(),
        layer: line.layer,
        sweep: line.sweep,
        dop: best.dop,
        attribution,
        proof,
        with_more,
        data_bytes: bytes_to_cache(run),
        remedies,
    })
}

/// What would help. A limit that was disproved helps nothing; in an open loop the rate is given.
fn remedies(found: &Attribution, proof: Option<&Proof>, processors: u32, is_closed: bool) -> Vec<Gain> {
    if !is_closed || proof.is_some_and(|proof| proof.cause == Cause::NotBecause) {
        return Vec::new();
    }
    // Beside other programs, the shares of the response time are not those of the platform.
    let is_disturbed = matches!(found.limiter, Limiter::OtherPrograms { .. });
    let waits = of_waits(found).filter(|_| !is_disturbed);
    let mut gains: Vec<Gain> = of_limit(found, proof, processors).into_iter().chain(waits).collect();
    gains.retain(|gain| GAINS.contains(&gain.factor_known));
    gains.sort_by(|one, other| other.factor_known.total_cmp(&one.factor_known));
    gains
}

/// More of the limiting resource. The busiest of the others bounds the gain: it is saturated then (utilisation law).
fn of_limit(found: &Attribution, proof: Option<&Proof>, processors: u32) -> Option<Gain> {
    let limiting = match &found.limiter {
        Limiter::Processors | Limiter::OtherPrograms { .. } => Some(&ResourceName::Processors),
        Limiter::Resource(name) => Some(name),
        _ => None,
    };
    let others = found.uses.iter().filter(|other| Some(&other.name) != limiting);
    let next = others.map(|other| 1.0 / other.used.0).fold(f64::INFINITY, f64::min);
    let gain = |remedy, factor: f64, is_measured| {
        let factor = factor.min(next);
        Some(Gain { remedy, factor_max: factor, factor_known: factor, is_measured })
    };
    let figures = |remedy, factor| gain(remedy, factor, false);
    match &found.limiter {
        Limiter::Processors => {
            let processors = f64::from(processors.max(1));
            let factor = (processors + f64::from(MORE_PROCESSORS)) / processors;
            let remedy = Remedy::Processors(MORE_PROCESSORS);
            let measured = proof.filter(|proof| proof.resource == Resource::Processors && is_decided(proof));
            match measured {
                Some(proof) => {
                    let elasticity = proof.interval.map_or(proof.elasticity, |interval| interval.high).clamp(0.0, 1.0);
                    gain(remedy, factor.powf(elasticity), true)
                }
                None => figures(remedy, factor),
            }
        }
        Limiter::OtherPrograms { used: Ratio(used) } => figures(Remedy::NoOtherPrograms, 1.0 / (1.0 - used)),
        Limiter::Resource(ResourceName::ClientThreads { .. }) => None,
        Limiter::Resource(_) => figures(Remedy::DeviceRate, 2.0),
        // Up to the saturation of the busiest resource (asymptotic bound), also where sessions wait for each other.
        Limiter::TooFewClients { .. } if next.is_finite() => figures(Remedy::Sessions, next),
        Limiter::TooFewClients { clients, knee } => figures(Remedy::Sessions, knee / clients),
        Limiter::OneThread { .. }
        | Limiter::WakeUps(_)
        | Limiter::Offered
        | Limiter::Serialised(_)
        | Limiter::Unexplained => None,
    }
}

fn is_decided(proof: &Proof) -> bool {
    proof.pairs >= RULES.proof_pairs_min && matches!(proof.cause, Cause::Because | Cause::InPart)
}

/// Shorter waits: a step of a closed loop becomes shorter by what is saved of each wait (Amdahl's law). What is not known of
/// the time may be the same wait: only with all of it is the factor a bound.
fn of_waits(found: &Attribution) -> impl Iterator<Item = Gain> {
    let share = |names: [TimeClassName; 2]| -> f64 {
        found.classes.iter().filter(|class| names.contains(&class.name)).map(|class| class.share.0).fold(0.0, f64::max)
    };
    let log = share([TimeClassName::LogSyncs, TimeClassName::DeviceFlushes]);
    let data = share([TimeClassName::DataIo, TimeClassName::DeviceReads]);
    let Ratio(unknown) = found.unknown_share();
    let factor = |saved: f64| 1.0 / (1.0 - saved.min(1.0));
    let saved = |remedy, part: f64, share: f64| Gain {
        remedy,
        factor_max: factor(part * (share + unknown)),
        factor_known: factor(part * share),
        is_measured: false,
    };
    let network = share([TimeClassName::RoundTrips; 2]);
    [
        saved(Remedy::LogLatency, 0.5, log),
        saved(Remedy::DataLatency, 0.5, data),
        saved(Remedy::Memory, 1.0, data),
        saved(Remedy::NetworkLatency, 0.5, network),
    ]
    .into_iter()
}

#[cfg(test)]
mod tests {
    use record::{CacheState, Check, PlannedRun, RunKind};

    use super::*;
    use crate::attribution::{TimeClass, Use};
    use crate::fixture::{blocks_run, finding, record, run};
    use crate::statistics::Interval;

    fn found(limiter: Limiter, uses: &[(ResourceName, f64)], classes: &[(TimeClassName, f64)]) -> Attribution {
        let uses = uses.iter().map(|(name, used)| Use { name: name.clone(), used: Ratio(*used) }).collect();
        let classes = classes.iter().map(|(name, share)| TimeClass { name: *name, share: Ratio(*share) }).collect();
        Attribution { limiter, uses, classes }
    }

    fn gains(found: &Attribution, proof: Option<&Proof>) -> Vec<(Remedy, f64, bool)> {
        let gains = remedies(found, proof, 2, true);
        gains.iter().map(|gain| (gain.remedy, (gain.factor_max * 100.0).round() / 100.0, gain.is_measured)).collect()
    }

    fn proof(cause: Cause, elasticity: f64) -> Proof {
        Proof {
            test: "T131".to_owned(),
            sweep: Sweep::Jobs,
            dop: Dop::jobs(2),
            resource: Resource::Processors,
            share: Ratio(0.8),
            control: Rate(100.0),
            perturbed: Rate(80.0),
            elasticity,
            interval: Some(Interval { estimate: elasticity, low: elasticity - 0.1, high: elasticity + 0.1 }),
            pairs: 3,
            cause,
            limiter: None,
        }
    }

    #[test]
    fn more_processors_gain_at_most_their_share_and_what_the_next_resource_allows() {
        let alone = found(Limiter::Processors, &[(ResourceName::Processors, 0.98)], &[]);
        assert_eq!(gains(&alone, None), [(Remedy::Processors(2), 2.0, false)]);
        let uses = [(ResourceName::Processors, 0.98), (ResourceName::SyncedWrites, 0.8)];
        assert_eq!(gains(&found(Limiter::Processors, &uses, &[]), None), [(Remedy::Processors(2), 1.25, false)]);
    }

    #[test]
    fn a_proof_bounds_the_gain_by_its_elasticity_and_a_disproof_leaves_none() {
        let cpu = found(Limiter::Processors, &[(ResourceName::Processors, 0.98)], &[]);
        // 2 to the power of 0.6.
        assert_eq!(gains(&cpu, Some(&proof(Cause::InPart, 0.5))), [(Remedy::Processors(2), 1.52, true)]);
        assert_eq!(gains(&cpu, Some(&proof(Cause::Because, 1.0))), [(Remedy::Processors(2), 2.0, true)]);
        assert_eq!(gains(&cpu, Some(&proof(Cause::NotBecause, 0.0))), []);
    }

    #[test]
    fn a_wait_of_half_the_time_gains_a_third_with_half_its_latency() {
        let limiter = || Limiter::Serialised(TimeClass { name: TimeClassName::LogSyncs, share: Ratio(0.5) });
        let waits = [(TimeClassName::LogSyncs, 0.5), (TimeClassName::OnProcessor, 0.4), (TimeClassName::DataIo, 0.1)];
        let expected = [(Remedy::LogLatency, 1.33, false), (Remedy::Memory, 1.11, false)];
        assert_eq!(gains(&found(limiter(), &[], &waits), None), expected);
        assert_eq!(remedies(&found(limiter(), &[], &waits), None, 2, false), [], "an open loop has its rate");
    }

    #[test]
    fn a_bound_counts_the_part_of_the_time_of_which_nothing_is_known() {
        let waits = [(TimeClassName::LogSyncs, 0.31), (TimeClassName::OnProcessor, 0.40)];
        let found = remedies(&found(Limiter::Unexplained, &[], &waits), None, 2, true);
        let [gain] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(gain.remedy, Remedy::LogLatency);
        // Half of 31 %, and half of these and the other 29 %.
        assert_eq!(format!("{:.1} {:.1}", gain.factor_known, gain.factor_max), "1.2 1.4");
    }

    #[test]
    fn beside_other_programs_only_their_end_helps() {
        let limiter = Limiter::OtherPrograms { used: Ratio(0.5) };
        let waits = [(TimeClassName::LogSyncs, 0.5)];
        assert_eq!(gains(&found(limiter, &[], &waits), None), [(Remedy::NoOtherPrograms, 2.0, false)]);
        assert_eq!(gains(&found(Limiter::Unexplained, &[], &[]), None), []);
    }

    #[test]
    fn a_device_is_the_limit_only_where_more_in_flight_was_tried_and_nothing_else_was_full() {
        let of = |generator: f64, cpu: f64, more: Option<bool>| {
            storage_limiter(Some(Ratio(generator)), [Some(Ratio(cpu)), None], more)
        };
        assert_eq!(of(0.01, 0.2, Some(false)), StorageLimiter::Device);
        assert_eq!(of(0.01, 0.2, Some(true)), StorageLimiter::Bound);
        assert_eq!(of(0.01, 0.2, None), StorageLimiter::DeviceOrDepth);
        assert_eq!(of(0.6, 0.2, Some(false)), StorageLimiter::Generator);
        assert_eq!(of(0.01, 0.95, None), StorageLimiter::Processors);
        assert_eq!(storage_limiter(None, [None; 2], Some(false)), StorageLimiter::Device);
        let served = [Some(Ratio(0.2)), Some(Ratio(0.95))];
        assert_eq!(storage_limiter(None, served, Some(false)), StorageLimiter::StorageHost);
    }

    #[test]
    fn the_result_is_the_subject_and_not_the_probe_beside_it() {
        let probe = || Run { kind: RunKind::Probe, ..run("S21", 1) };
        let codes = |measured: &Record| -> Vec<String> {
            let found = summary(measured).results.into_iter();
            found
                .filter_map(|result| if let MainResult::Best(line) = result { Some(line.test) } else { None })
                .collect()
        };
        let mut blocks = record(vec![probe(), blocks_run(CacheState::Warm)]);
        blocks.plan.runs = vec![
            PlannedRun::new("S21", RunKind::Probe, Dop::jobs(1)),
            PlannedRun::new("B100", RunKind::Blocks { cache_bytes: None }, Dop::jobs(1)),
        ];
        assert_eq!(codes(&blocks), ["B100"]);
        blocks.runs[1].outcome = Outcome::Failed { message: "the server is gone".to_owned() };
        assert_eq!(codes(&blocks), [""; 0]);
        assert_eq!(codes(&record(vec![probe(), run("T211", 1)])), ["T211", "S21"]);
        assert_eq!(codes(&record(vec![probe(), run("T211", 1), run("T611", 1)])), ["T611", "S21"]);
        assert_eq!(codes(&record(vec![probe()])), ["S21"]);
    }

    #[test]
    fn what_has_no_result_and_what_is_not_known_are_told() {
        let with = |test: &str, check: Check, verdict: Verdict| Run {
            findings: vec![finding(check, verdict)],
            ..run(test, 1)
        };
        let runs = vec![
            with("T611", Check::Steal, Verdict::Fail),
            with("T616", Check::ForeignIo, Verdict::Unknown),
            with("T616", Check::ForeignIo, Verdict::Unknown),
        ];
        let found = summary(&record(runs)).validity;
        assert_eq!(found.without_result, ["T611"]);
        assert_eq!(found.unchecked, BTreeMap::from([(Check::ForeignIo, 2)]));
    }

    #[test]
    fn the_most_serious_finding_is_that_of_most_runs_among_the_worst() {
        let with = |number: u32, findings: &[(Check, Verdict)]| Run {
            number,
            findings: findings.iter().map(|(check, verdict)| finding(*check, *verdict)).collect(),
            ..run("T611", number)
        };
        let steal = (Check::Steal, Verdict::Warn);
        let swapping = (Check::Swapping, Verdict::Warn);
        let unknown = (Check::ForeignIo, Verdict::Unknown);
        let told = |runs: Vec<Run>| {
            let found = summary(&record(runs)).validity;
            let most_serious = found.most_serious.map(|most_serious| (most_serious.finding.check(), most_serious.runs));
            (found.counts.runs, found.counts.invalid, found.counts.with_warnings, most_serious)
        };
        let runs = [with(1, &[steal]), with(2, &[swapping, unknown]), with(3, &[swapping])];
        assert_eq!(told(runs.to_vec()), (3, 0, 3, Some((Check::Swapping, 2))));
        assert_eq!(told(vec![with(1, &[steal]), with(2, &[swapping])]), (2, 0, 2, Some((Check::Steal, 1))));
        let invalid = with(4, &[(Check::Failures, Verdict::Fail)]);
        assert_eq!(told([&runs[..], &[invalid]].concat()), (4, 1, 3, Some((Check::Failures, 1))));
        assert_eq!(told(vec![with(1, &[unknown])]), (1, 0, 0, None));
    }
}
