//! The common plan of both sides: the same tests at the same degrees of parallelism on the same rows, in the same
//! order.

use std::collections::BTreeSet;
use std::path::Path;

use record::{Location, Pairing, Plan, PlannedRun, Skipped};
use workload::{Sizes, Test};

use super::control_probe;
use super::plan_hash::plan_hash;
use super::request::PairRequest;
use super::side::{SIDES, of_side, other};
use crate::bench::LoadBesideTest;
use crate::item::Item;
use crate::kind::catalogue::{Ability, Machine, check_jobs, check_loads, is_file, plan_once, select};
use crate::kind::io::StorageSupport;
use crate::order::in_rounds;
use crate::platform::Platform;
use crate::{Error, Request, Result, Tracing};

/// The tests of `request`. Probes do not depend on a target and are left out of a layer; a probe that is named is a
/// mistake.
pub(super) fn select_tests<'a>(request: &Request, own: &'a [Test]) -> Result<Vec<Item<'a>>> {
    let is_test = |item: &Item<'_>| matches!(item, Item::Test(_));
    let items = select(request, own)?;
    for word in request.tests.words.iter().filter(|word| !is_file(word)) {
        if !items.iter().any(|item| is_test(item) && item.matches(word)) {
            return Err(Error::user(format!("{word} does not depend on the target and cannot be compared in pairs"))
                .hint("give tests of an engine; dbdyno run measures probes"));
        }
    }
    Ok(items.into_iter().filter(is_test).collect())
}

/// The plans of both sides, with common sizes: a small table that fits the smaller of the two caches, and a large one
/// that fits neither.
pub(super) fn plan_sides(
    request: &PairRequest,
    platforms: &[Platform<'_>; 2],
    directory: &Path,
    items: &[Item<'_>],
    loads_beside: &[Vec<LoadBesideTest<'_>>; 2],
) -> Result<[(Plan, Sizes); 2]> {
    let [a, b] =
        platforms.each_ref().map(|platform| platform.sizes(request.request.small_rows, request.request.large_rows));
    let rows = (a.small_rows.min(b.small_rows), a.large_rows.max(b.large_rows));
    let warehouses = request.request.warehouses;
    let [a, b] = [a, b].map(|sizes| Sizes { small_rows: rows.0, large_rows: rows.1, warehouses, ..sizes });
    let of_both: Vec<LoadBesideTest<'_>> = loads_beside.iter().flatten().cloned().collect();
    check_jobs(&request.request, items, &of_both, &a)?;
    for ((side, platform), loads) in SIDES.into_iter().zip(platforms).zip(loads_beside) {
        let ability = platform.engine.as_ref().map(Ability::of);
        check_loads(&request.request, loads, ability.as_ref(), &a).map_err(|error| of_side(side, error))?;
    }
    let one = |platform: &Platform<'_>, sizes: &Sizes| {
        let ability = platform.engine.as_ref().map(Ability::of);
        let machine = Machine {
            processors: host::cpus_allowed().len() as u32,
            // Neither side is traced.
            tracing: Tracing::None,
            storage: StorageSupport::detect(directory, request.request.setup.preset),
        };
        let target = platform.context.target.to_string();
        plan_once(&request.request, &target, directory, items, ability.as_ref(), sizes, &machine)
    };
    let mut plans = common_runs(
        [one(&platforms[0], &a), one(&platforms[1], &b)],
        request.pairs,
        &request.records.each_ref().map(|path| store::id_of(path)),
    )?;
    check_required(&request.judged, &plans[0])?;
    let files = contents(request)?;
    for (plan, loads) in plans.iter_mut().zip(loads_beside) {
        plan.loads_beside = loads.iter().map(|of| of.load.clone()).collect();
    }
    let of_sides = plans.each_ref().map(|plan| plan.loads_beside.clone());
    let client_threads = client_threads(request, platforms);
    for plan in &mut plans {
        plan.client_threads = client_threads;
        control_probe::add_runs(plan, host::cpus_allowed().len() as u32);
        plan.number();
        let hash = plan_hash(plan, &of_sides, &request.request.setup.version, &files);
        plan.paired.iter_mut().for_each(|pairing| pairing.plan_hash = Some(hash.clone()));
    }
    let [plan_a, plan_b] = plans;
    Ok([(plan_a, a), (plan_b, b)])
}

/// Threads that the sessions of both sides share: without a request those of both do where one server is on another host, so
/// that the client is the same.
fn client_threads(request: &PairRequest, platforms: &[Platform<'_>; 2]) -> Option<u32> {
    let is_elsewhere = |platform: &Platform<'_>| {
        platform.engine.as_ref().is_some_and(|opened| opened.inventory.location == Location::Remote)
    };
    let by_default = platforms.iter().any(is_elsewhere).then(|| host::cpus_allowed().len() as u32);
    request.request.setup.client_threads.or(by_default)
}

/// Checks that every test in `judged` is in `plan`.
fn check_required(judged: &[String], plan: &Plan) -> Result<()> {
    let Some(absent) = judged.iter().find(|code| plan.runs.iter().all(|run| run.test != **code)) else { return Ok(()) };
    if let Some(skipped) = plan.skipped.iter().find(|skipped| skipped.test == *absent) {
        let reason = &skipped.reason;
        return Err(Error::user(format!("test {absent} is required and cannot be run on both sides: {reason}"))
            .hint("require another test, or give other targets"));
    }
    let tests: BTreeSet<&str> = plan.runs.iter().map(|run| run.test.as_str()).collect();
    let tests: Vec<&str> = tests.into_iter().collect();
    Err(Error::user(format!("test {absent} is required and not planned; planned: {}", tests.join(", ")))
        .hint("add it to --tests, or require one of these"))
}

/// The contents of the test files of the request.
fn contents(request: &PairRequest) -> Result<Vec<Vec<u8>>> {
    let beside = request.loads_beside.iter().flatten().map(|load| &load.test);
    let files = request.request.tests.words.iter().chain(beside).filter(|word| is_file(word));
    let read = |path: &String| {
        std::fs::read(path).map_err(|error| Error::user(format!("test file {path} cannot be read: {error}")))
    };
    files.map(read).collect()
}

/// Both plans with their common runs, `pairs` times, in random order. `names` are those of the records.
fn common_runs(mut plans: [Plan; 2], pairs: u32, names: &[String; 2]) -> Result<[Plan; 2]> {
    let has =
        |plan: &Plan, run: &PlannedRun| plan.runs.iter().any(|other| (&other.test, other.dop) == (&run.test, run.dop));
    let once: Vec<PlannedRun> = plans[0].runs.iter().filter(|run| has(&plans[1], run)).cloned().collect();
    let mut skipped: Vec<Skipped> = Vec::new();
    for skip in plans.iter().flat_map(|plan| &plan.skipped) {
        if !skipped.iter().any(|known| known.test == skip.test) {
            skipped.push(skip.clone());
        }
    }
    for (side, plan) in SIDES.into_iter().zip(&plans) {
        let partner = &plans[other(side) as usize];
        let alone = plan.runs.iter().filter(|run| run.dop.nodes > 1 && !has(partner, run));
        skipped.extend(alone.map(|run| Skipped {
            test: run.test.clone(),
            reason: format!("at {} jobs on {} nodes: only possible on one side", run.dop.jobs, run.dop.nodes),
        }));
    }
    if once.is_empty() {
        let reasons: Vec<String> = skipped.iter().map(|skip| format!("{}: {}", skip.test, skip.reason)).collect();
        return Err(Error::user(format!("no test can be run on both sides ({})", reasons.join("; ")))
            .hint("give other --tests, or other targets"));
    }
    let runs = in_rounds(&once, pairs, plans[0].seed);
    let targets = plans.each_ref().map(|plan| plan.target.clone());
    for (side, plan) in SIDES.into_iter().zip(&mut plans) {
        let partner = other(side) as usize;
        plan.repeats = pairs.max(1);
        let (other, other_target) = (names[partner].clone(), targets[partner].clone());
        plan.paired = Some(Pairing { side, other, other_target, plan_hash: None });
        plan.runs.clone_from(&runs);
        plan.skipped.clone_from(&skipped);
    }
    Ok(plans)
}

#[cfg(test)]
mod tests {
    use record::{Dop, Nanos, Preset, RunKind, Side};

    use super::*;

    fn plan(target: &str, runs: &[(&str, u32)], skipped: &[&str]) -> Plan {
        let run = |(test, jobs): &(&str, u32)| PlannedRun::new(*test, RunKind::Test, Dop::jobs(*jobs));
        let skip = |test: &&str| Skipped { test: (*test).to_owned(), reason: "it cannot".to_owned() };
        Plan {
            window_ns: Nanos(100_000_000),
            seed: 1,
            runs: runs.iter().map(run).collect(),
            skipped: skipped.iter().map(skip).collect(),
            ..Plan::new(target, "/tmp", Preset::Smoke)
        }
    }

    fn names() -> [String; 2] {
        ["r-a".to_owned(), "r-b".to_owned()]
    }

    #[test]
    fn both_sides_have_the_same_runs_in_the_same_order_and_name_each_other() {
        let a = plan("one", &[("T611", 1), ("T611", 2), ("T332", 1)], &[]);
        let b = plan("other", &[("T611", 1), ("T611", 2), ("T161", 1)], &["T332"]);
        let [a, b] = common_runs([a, b], 6, &names()).unwrap();
        assert_eq!((a.runs.len(), a.repeats, b.repeats), (12, 6, 6));
        assert_eq!((&a.runs, &a.skipped), (&b.runs, &b.skipped));
        assert!(a.runs.iter().all(|run| run.test == "T611"));
        assert_eq!(a.skipped[0].test, "T332");
        let pairing = |side, other: &str, target: &str| {
            Some(Pairing { side, other: other.to_owned(), other_target: target.to_owned(), plan_hash: None })
        };
        assert_eq!(a.paired, pairing(Side::A, "r-b", "other"));
        assert_eq!(b.paired, pairing(Side::B, "r-a", "one"));
    }

    #[test]
    fn both_sides_have_the_hash_of_the_workload_only() {
        let sides = [plan("one", &[("T611", 1)], &[]), plan("other", &[("T611", 1)], &[])];
        let [mut a, b] = common_runs(sides, 6, &names()).unwrap();
        let none = [Vec::new(), Vec::new()];
        let hash = |plan: &Plan| plan_hash(plan, &none, "1.0", &[]);
        let first = hash(&a);
        assert_eq!((first.len(), first.starts_with("sha256:")), (71, true));
        assert_eq!(first, hash(&b), "whatever target and names are");
        let mut hashes =
            vec![first, plan_hash(&a, &none, "1.1", &[]), plan_hash(&a, &none, "1.0", &[b"code".to_vec()])];
        let load = |jobs| record::LoadBeside { test: "H100".to_owned(), test_file: None, jobs, rate: None };
        for beside in [[vec![load(1)], vec![]], [vec![], vec![load(1)]], [vec![], vec![load(2)]]] {
            hashes.push(plan_hash(&a, &beside, "1.0", &[]));
        }
        a.seed += 1;
        hashes.push(hash(&a));
        a.large_rows += 1;
        hashes.push(hash(&a));
        a.window_ns.0 += 1;
        hashes.push(hash(&a));
        a.runs[0].dop.jobs += 1;
        hashes.push(hash(&a));
        a.runs.swap(0, 1);
        hashes.push(hash(&a));
        a.preset = Preset::Quick;
        hashes.push(hash(&a));
        let different: std::collections::BTreeSet<&String> = hashes.iter().collect();
        assert_eq!(different.len(), hashes.len(), "{hashes:?}");
    }

    #[test]
    fn a_required_test_has_to_be_planned() {
        let plan = plan("one", &[("T611", 1)], &["T332"]);
        let requested =
            |code: &str| check_required(&["T611".to_owned(), code.to_owned()], &plan).map_err(|error| error.message);
        assert_eq!(requested("T611"), Ok(()));
        assert_eq!(requested("T999").unwrap_err(), "test T999 is required and not planned; planned: T611");
        let skipped = "test T332 is required and cannot be run on both sides: it cannot";
        assert_eq!(requested("T332").unwrap_err(), skipped);
    }

    #[test]
    fn the_machine_is_measured_first_and_last() {
        let sides = [plan("one", &[("T611", 1)], &[]), plan("other", &[("T611", 1)], &[])];
        let [mut a, _] = common_runs(sides, 2, &names()).unwrap();
        control_probe::add_runs(&mut a, 4);
        a.number();
        let tuples: Vec<(u32, &str, u32)> =
            a.runs.iter().map(|run| (run.number, run.test.as_str(), run.dop.jobs)).collect();
        assert_eq!(tuples, [(1, "C11", 4), (2, "T611", 1), (3, "T611", 1), (4, "C11", 4)]);
    }

    #[test]
    fn a_pair_needs_a_common_test() {
        let plans = [plan("one", &[("T332", 1)], &[]), plan("other", &[], &["T332"])];
        let error = common_runs(plans, 6, &names()).unwrap_err();
        assert_eq!(error.message, "no test can be run on both sides (T332: it cannot)");
    }
}
