//! The plan: from the request to the list of runs.

use std::collections::BTreeSet;
use std::path::Path;

use engine::{Caps, Engine};
use record::{Dop, Layer, Plan, PlannedRun, Preset, Skipped, Sweep};
use workload::{IN_KIND_CODE, SCRIPTS_CODE, Sizes, Test};

use super::job_limits;
use crate::item::{Item, catalogue};
use crate::kind::io::{StorageSupport, add_jobs};
use crate::order::in_rounds;
use crate::pacing::{restrict_to_search, with_variations};
use crate::platform::OpenEngine;
use crate::request::{degrees, probe_window, repeats, window};
use crate::tracing::add_repeats;
use crate::{Error, Request, Result, Tracing};

/// The items of `request`, in the order of the catalogue; `own` are the test files of the user.
pub(crate) fn select<'a>(request: &Request, own: &'a [Test]) -> Result<Vec<Item<'a>>> {
    let words: Vec<&str> = request.tests.words.iter().map(String::as_str).filter(|word| !is_file(word)).collect();
    for word in &words {
        if !catalogue().any(|item| item.matches(word)) {
            return Err(unknown(word, &catalogue().collect::<Vec<_>>()));
        }
    }
    if let Some(test) = own.iter().find(|test| catalogue().any(|item| item.code() == test.code)) {
        return Err(Error::user(format!("test {} of a test file is already in the catalogue", test.code))
            .hint("give it a code of its own, such as T901"));
    }
    if request.scripts.is_some() && own.iter().filter(|test| test.code == SCRIPTS_CODE).count() > 1 {
        return Err(Error::user(format!("test {SCRIPTS_CODE} of a test file has the code of scripts"))
            .hint("give it another code, such as T901"));
    }
    if request.in_kind.is_some() && own.iter().filter(|test| test.code == IN_KIND_CODE).count() > 1 {
        return Err(Error::user(format!("test {IN_KIND_CODE} of a test file has the code of a load in kind"))
            .hint("give it another code, such as T901"));
    }
    let twice = |(index, test): &(usize, &Test)| own[..*index].iter().any(|one| one.code == test.code);
    if let Some((_, test)) = own.iter().enumerate().find(twice) {
        return Err(Error::user(format!("test {} is in two test files", test.code))
            .hint("give each a code of its own, such as T901 and T902"));
    }
    let by_default = |item: &Item<'_>| match request.setup.preset {
        Preset::Quick => model::QUICK_TESTS.contains(&item.code()),
        Preset::Soak => model::SOAK_TESTS.contains(&item.code()),
        Preset::Smoke | Preset::Standard | Preset::Publish => true,
    };
    let named = |item: &Item<'_>| words.iter().find(|word| item.is_named(word));
    if let Some(item) = catalogue().find(|item| request.network.is_none() && needs_peer(item) && named(item).is_some())
    {
        return Err(Error::user(format!("{} ({}) needs a peer", item.code(), item.title()))
            .hint("give --network HOST where `dbdyno network serve` runs, or use dbdyno network"));
    }
    let is_default = request.tests.words.is_empty() && request.scripts.is_none() && request.in_kind.is_none();
    let is_selected = |item: &Item<'_>| match is_default {
        _ if needs_peer(item) => request.network.is_some(),
        true => by_default(item),
        false => words.iter().any(|word| item.matches(word)),
    };
    let mut items: Vec<Item<'a>> = catalogue().filter(is_selected).collect();
    items.extend(own.iter().map(Item::Test));
    Ok(items)
}

/// Whether it is measured between this host and a peer.
fn needs_peer(item: &Item<'_>) -> bool {
    item.layer() == Layer::Network
}

/// Tests that are named in a hint, at most.
const MEANT_MAX: usize = 4;

/// The error for a word that names no test: with the tests that have such a code or such a word in their title.
pub(super) fn unknown(word: &str, catalogue: &[Item<'_>]) -> Error {
    let titled = |item: &&Item<'_>| word.len() > 2 && item.title().to_lowercase().contains(&word.to_lowercase());
    let like: Vec<&str> = base::similar(word, catalogue.iter().map(Item::code));
    let coded = like.iter().filter_map(|code| catalogue.iter().find(|item| item.code() == *code));
    let mut meant: Vec<String> = Vec::new();
    for item in coded.chain(catalogue.iter().filter(titled)).take(MEANT_MAX) {
        meant.push(format!("{} ({})", item.code(), item.title()));
    }
    let words = "give codes (dbdyno list tests), layers (cpu, memory, storage, network, server, database), probes, tests \
                 or all, or the path of a test file ending in .toml";
    Error::user(format!("test {word} is not known")).hint(match meant.is_empty() {
        true => words.to_owned(),
        false => format!("did you mean {}? Or {words}", meant.join(" or ")),
    })
}

/// Whether a word of the selection is the path of a test file.
pub(crate) fn is_file(word: &str) -> bool {
    word.ends_with(".toml") || word.contains('/')
}

/// The engine, as far as the plan needs it.
pub(crate) struct Ability<'a> {
    pub engine: &'a dyn Engine,
    pub caps: Caps,
    /// Number of nodes, and of those that take writes.
    pub nodes: (u32, u32),
}

impl<'a> Ability<'a> {
    /// Of an open engine.
    pub(crate) fn of(opened: &OpenEngine<'a>) -> Ability<'a> {
        Ability { engine: opened.engine, caps: *opened.nodes.first().caps(), nodes: opened.nodes.counts() }
    }
}

/// The machine, as far as the plan needs it.
pub(crate) struct Machine {
    /// Processors that the jobs may use.
    pub processors: u32,
    /// What storage probes can use.
    pub storage: StorageSupport,
    /// What can be traced.
    pub tracing: Tracing,
}

/// The runs, their degrees of parallelism, repeats and order, and what is skipped.
///
/// All rounds of the probes are before those of the tests: probes need an idle machine, and the file of the storage
/// probes is laid out once.
pub(crate) fn plan(
    request: &Request,
    target: &str,
    directory: &Path,
    items: &[Item<'_>],
    ability: Option<&Ability<'_>>,
    sizes: &Sizes,
    machine: &Machine,
) -> Plan {
    let mut plan = plan_once(request, target, directory, items, ability, sizes, machine);
    plan.repeats = request.repeats.unwrap_or_else(|| repeats(request.setup.preset)).max(1);
    if request.until.is_some() {
        restrict_to_search(&mut plan, request);
    }
    let is_probe = |run: &PlannedRun| probe::probe(&run.test).is_some();
    let (probes, tests): (Vec<PlannedRun>, Vec<PlannedRun>) = plan.runs.drain(..).partition(is_probe);
    plan.runs = in_rounds(&probes, plan.repeats, plan.seed);
    let sweeps_jobs = |code: &str| items.iter().any(|item| item.code() == code && item.sweep() == Sweep::Jobs);
    let pipelines = |code: &str| items.iter().any(|item| item.code() == code && item.pipelines());
    plan.runs.extend(with_variations(&tests, request, plan.repeats, plan.seed, &sweeps_jobs, &pipelines));
    let traceable = |code: &str| items.iter().any(|item| item.code() == code && item.is_traceable());
    add_repeats(&mut plan.runs, plan.repeats, machine.tracing, &traceable);
    plan.number();
    plan
}

/// The same with every test once at each degree of parallelism, in the order of the catalogue; not numbered.
pub(crate) fn plan_once(
    request: &Request,
    target: &str,
    directory: &Path,
    items: &[Item<'_>],
    ability: Option<&Ability<'_>>,
    sizes: &Sizes,
    machine: &Machine,
) -> Plan {
    let degrees = request.degrees.clone().unwrap_or_else(|| usual_degrees(request, machine.processors));
    let spread = match request.setup.database_per_agent {
        true => Spread::OneNodePerAgent { jobs_each: request.jobs_per_agent },
        false => Spread::OverNodes { requested: request.nodes.as_deref() },
    };
    let (warm_up_ns, window_ns) = window(request);
    let mut runs: Vec<PlannedRun> = Vec::new();
    let mut skipped = Vec::new();
    for item in items {
        let reason = match (item, ability) {
            (Item::Test(test), Some(ability)) => test
                .missing(&ability.caps, ability.engine)
                .map(|missing| format!("{} has {missing}", ability.engine.title())),
            _ => None,
        };
        match reason {
            Some(reason) => skipped.push(Skipped { test: item.code().to_owned(), reason }),
            None => {
                // A load in kind has the sessions of that load.
                let in_kind = request.in_kind.as_ref().filter(|_| item.code() == IN_KIND_CODE);
                let allowed = match in_kind {
                    Some(load) => vec![load.sessions],
                    None => job_limits::allowed(*item, &degrees, sizes),
                };
                let dops = dops(*item, &allowed, spread, ability).into_iter();
                runs.extend(dops.map(|dop| PlannedRun::new(item.code(), item.kind(), dop)));
            }
        }
    }
    let mut plan = Plan {
        window_ns,
        probe_window_ns: probe_window(request),
        warm_up_ns,
        steps: request.steps,
        seed: request.setup.seed,
        placement: request.setup.placement,
        pace: request.pace,
        until: request.until.clone(),
        one_thread_per_core: request.one_thread_per_core,
        small_rows: sizes.small_rows,
        large_rows: sizes.large_rows,
        warehouses: sizes.warehouses,
        runs,
        skipped,
        test_files: request.tests.words.iter().filter(|word| is_file(word)).cloned().collect(),
        scripts: request.scripts.clone(),
        in_kind: request.in_kind.clone(),
        ..Plan::new(target, directory.display().to_string(), request.setup.preset)
    };
    add_jobs(&mut plan, items, &machine.storage);
    plan
}

/// The sweep of one test. A test of threads inside a statement runs with one thread where the engine has no more, and
/// on one node.
///
/// If the test can use several nodes, each degree of parallelism is measured on as many of them as have a job, and the
/// highest one also on fewer: the gain of a node shows where all have enough to do. A test that changes the database
/// uses the nodes that take writes.
fn dops(item: Item<'_>, degrees: &[u32], spread: Spread<'_>, ability: Option<&Ability<'_>>) -> Vec<Dop> {
    match item.sweep() {
        Sweep::Jobs | Sweep::Agents { .. } => {
            let nodes = ability.map_or(1, |ability| match item {
                Item::Test(test) if test.changes() => ability.nodes.1,
                Item::Test(_) => ability.nodes.0,
                Item::Probe(_) => 1,
            });
            match spread {
                Spread::OneNodePerAgent { jobs_each } => {
                    let agents = |jobs: u32| jobs_each.map_or(jobs, |each| jobs.div_ceil(each));
                    let dop = |jobs: &u32| Dop { nodes: agents(*jobs).clamp(1, nodes.max(1)), jobs: *jobs, threads: 1 };
                    degrees.iter().map(dop).collect()
                }
                Spread::OverNodes { requested } => over_nodes(degrees, requested, nodes.max(1)),
            }
        }
        Sweep::Threads => {
            let parallel = ability.is_some_and(|ability| match item {
                Item::Test(test) => test.is_parallel(&ability.caps),
                Item::Probe(_) => false,
            });
            let threads: &[u32] = if parallel { degrees } else { &[1] };
            threads.iter().map(|threads| Dop { nodes: 1, jobs: 1, threads: *threads }).collect()
        }
    }
}

/// The degrees of parallelism where none are asked for: of long runs the highest alone.
fn usual_degrees(request: &Request, processors: u32) -> Vec<u32> {
    let all = degrees(processors);
    match request.setup.preset {
        Preset::Soak => all.into_iter().max().into_iter().collect(),
        _ => all,
    }
}

/// How jobs are spread over nodes.
#[derive(Clone, Copy)]
enum Spread<'a> {
    /// All of them over as many nodes, if numbers are requested.
    OverNodes { requested: Option<&'a [u32]> },
    /// Those of an agent on the one node that it has; agents are added with as many jobs each, if a number is given.
    OneNodePerAgent { jobs_each: Option<u32> },
}

/// Jobs on up to `nodes` nodes, with at least one job each. Requested numbers of nodes are measured at every degree
/// with a job for each; a number above what the test can use means all of them.
fn over_nodes(degrees: &[u32], requested: Option<&[u32]>, nodes: u32) -> Vec<Dop> {
    let most = degrees.iter().copied().max().unwrap_or(1);
    let with = |nodes: u32, jobs: u32| Dop { nodes, jobs, threads: 1 };
    if let Some(requested) = requested {
        let counts: BTreeSet<u32> = requested.iter().map(|count| (*count).clamp(1, nodes)).collect();
        let all = |count: u32| degrees.iter().filter(move |jobs| **jobs >= count).map(move |jobs| with(count, *jobs));
        return counts.into_iter().flat_map(all).collect();
    }
    let mut dops: Vec<Dop> = degrees.iter().map(|jobs| with(nodes.min(*jobs), *jobs)).collect();
    let fewer = crate::request::degrees(nodes)
        .into_iter()
        .filter(|count| *count < nodes.min(most))
        .map(|count| with(count, most));
    dops.extend(fewer);
    dops
}

/// Checks the requested numbers of nodes.
pub(crate) fn check_nodes(request: &Request, processors: u32, ability: Option<&Ability<'_>>) -> Result<()> {
    let Some(most) = request.nodes.iter().flatten().copied().max() else { return Ok(()) };
    let available = ability.map_or(1, |ability| ability.nodes.0);
    if most > available {
        return Err(Error::user(format!("nodes {most} is more than the target has: {available}"))
            .hint("name more nodes in the target, or ask for fewer"));
    }
    let degrees = request.degrees.clone().unwrap_or_else(|| usual_degrees(request, processors));
    match degrees.into_iter().max() {
        Some(jobs) if jobs < most => Err(Error::user(format!("{jobs} jobs cannot be spread over {most} nodes"))
            .hint("give --jobs at least as many as --nodes")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_soak_has_the_highest_degree_alone() {
        let setup = |preset| crate::Setup { preset, ..crate::Setup::smoke() };
        let of = |preset| usual_degrees(&Request { setup: setup(preset), ..Request::default() }, 2);
        assert_eq!((of(Preset::Standard), of(Preset::Soak)), (vec![1, 2, 4], vec![4]));
    }

    #[test]
    fn degrees_that_nobody_asked_for_are_left_out_beyond_the_warehouses() {
        let items: Vec<Item<'_>> = catalogue().filter(|item| item.code() == "C110").collect();
        let request = Request { setup: crate::Setup::smoke(), warehouses: Some(3), ..Request::default() };
        let sizes = Sizes::derive(Preset::Smoke, None, 1).with_warehouses(Some(3));
        let machine = Machine {
            processors: 16,
            storage: StorageSupport::detect(&std::env::temp_dir(), Preset::Smoke),
            tracing: Tracing::None,
        };
        let plan = plan_once(&request, "null", Path::new("/tmp"), &items, None, &sizes, &machine);
        assert_eq!(plan.runs.iter().map(|run| run.dop.jobs).collect::<Vec<u32>>(), [1, 2]);
        assert_eq!(plan.warehouses, Some(3));
    }

    #[test]
    fn what_quick_measures_is_in_the_catalogue() {
        let tests = workload::catalogue();
        let known = |code: &str| probe::probe(code).is_some() || tests.iter().any(|test| test.code == code);
        assert!(model::QUICK_TESTS.into_iter().chain(model::SOAK_TESTS).all(known));
    }

    #[test]
    fn nodes_are_swept_where_there_are_several() {
        let dop = |nodes: u32, jobs: u32| Dop { nodes, jobs, threads: 1 };
        assert_eq!(over_nodes(&[1, 2, 4], None, 1), [dop(1, 1), dop(1, 2), dop(1, 4)]);
        assert_eq!(over_nodes(&[1, 2, 4], None, 3), [dop(1, 1), dop(2, 2), dop(3, 4), dop(1, 4), dop(2, 4)]);
        assert_eq!(over_nodes(&[1, 2, 4], None, 2), [dop(1, 1), dop(2, 2), dop(2, 4), dop(1, 4)]);
        assert_eq!(over_nodes(&[1, 2], None, 3), [dop(1, 1), dop(2, 2), dop(1, 2)], "no more nodes than jobs");
        assert_eq!(over_nodes(&[2, 4], Some(&[3, 1, 9]), 3), [dop(1, 2), dop(1, 4), dop(3, 4)]);
    }

    #[test]
    fn files_and_codes_are_distinguished() {
        assert!(is_file("mine.toml") && is_file("./T611") && !is_file("T611") && !is_file("cpu"));
    }
}
