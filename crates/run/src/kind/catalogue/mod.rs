//! Tests and probes of the catalogue, and test files of the user: sweeps, repeats, paces, rate searches, proofs.

mod execution;
mod in_kind;
mod job_limits;
mod load_beside;
mod plan;
mod proof;
mod test;
mod test_file;
mod until;

use engine::Engine;
use probe::{Form, Probe};
use record::{LoadInKind, Plan, Record, Scripts};
use std::collections::BTreeSet;
use store::Writer;
use workload::Test;

use self::execution::run_all;
use self::job_limits::check_roles;
use self::plan::{check_nodes, plan};
use self::proof::prove_all;
use self::test_file::test_files;
use self::until::search_all;
use crate::bench::{Bench, LoadBesideTest};
use crate::directory::MeasuredDirectory;
use crate::fleet::{add_agents, check_target};
use crate::invocation::{Kind, Measured, invoke, survey};
use crate::item::Item;
use crate::kind::io::StorageSupport;
use crate::network::{Peer, ReachedPeer, reach};
use crate::pacing::is_pipelined;
use crate::platform::{Context, Platform};
use crate::recorder::Recorder;
use crate::{Error, Event, Request, Result, Selection, Setup, Tracing, resumption, tracing};

pub(crate) use self::execution::{load, run_group};
pub(crate) use self::job_limits::check_jobs;
pub(crate) use self::load_beside::{check_loads, files_beside, loads_beside, sessions_of};
pub(crate) use self::plan::{Ability, Machine, is_file, plan_once, select};
pub(crate) use self::test::measure_one;

/// The requested items of the catalogue.
struct Catalogue<'r> {
    request: &'r Request,
    items: Vec<Item<'r>>,
    loads_beside: Vec<LoadBesideTest<'r>>,
    /// The peer of the network probes, where one was asked for.
    peer: Option<ReachedPeer>,
}

impl<'r> Catalogue<'r> {
    /// The items of `request`; `own` are the test files of the user, `beside` those of loads beside them. A peer is reached before
    /// anything is created.
    fn new(request: &'r Request, own: &'r [Test], files: &'r [Test]) -> Result<Catalogue<'r>> {
        let items = select(request, own)?;
        let loads_beside = loads_beside(&request.loads_beside, files, &items)?;
        let peer = request.network.as_ref().map(|peer| reach(peer, &request.setup.version)).transpose()?;
        Ok(Catalogue { request, items, loads_beside, peer })
    }
}

/// Measures the tests of `request`.
///
/// # Errors
/// Only where there is no record yet; later errors are in [`Measured::error`] beside the record so far.
pub fn measure(request: &Request, context: Context<'_>) -> Result<Measured> {
    let (own, files) = (own_tests(request)?, files_beside(&request.loads_beside)?);
    let mut kind = Catalogue::new(request, &own, &files)?;
    Ok(invoke(&mut kind, [context], None)?.measured(&request.setup.record))
}

/// The plan of `request`, without carrying it out. The engine is opened to query its capabilities, and closed again.
///
/// # Errors
/// As for [`measure()`].
pub fn dry_run(request: &Request, context: Context<'_>) -> Result<Plan> {
    let (own, files) = (own_tests(request)?, files_beside(&request.loads_beside)?);
    let [plan] = survey(&mut Catalogue::new(request, &own, &files)?, [context])?;
    Ok(plan)
}

/// Carries out the rest of the plan of `record`, which is at `request.setup.record` and is appended to. Failed runs are
/// repeated.
///
/// # Errors
/// As for [`measure()`].
pub fn resume(record: (Writer, Record), request: &Request, context: Context<'_>) -> Result<Measured> {
    resumption::check_resumption(&record.1, request)?;
    let mut record = Recorder::resumed(&request.setup.record, record);
    let prove = proof::remove_unfinished(&mut record)? || request.prove;
    let scripts = record.plan.scripts.clone();
    let in_kind = record.plan.in_kind.clone();
    let request = Request { tests: selection(&record.plan), scripts, in_kind, prove, ..request.clone() };
    let (own, files) = (own_tests(&request)?, files_beside(&request.loads_beside)?);
    let mut kind = Catalogue::new(&request, &own, &files)?;
    Ok(invoke(&mut kind, [context], Some([record]))?.measured(&request.setup.record))
}

impl Kind for Catalogue<'_> {
    fn setup(&self) -> Setup {
        self.request.setup.clone()
    }

    fn jobs_max(&self) -> u32 {
        let in_kind = self.request.in_kind.as_ref().map_or(0, |load| load.sessions);
        sessions_of(self.request.jobs_max().max(in_kind), &self.request.loads_beside)
    }

    fn check(&self, [context]: &[Context<'_>; 1]) -> Result<()> {
        let Some(fleet) = context.fleet else { return Ok(()) };
        if !self.loads_beside.is_empty() {
            return Err(Error::user("a load beside is the work of one process, not of the agents of a fleet")
                .hint("leave out --load-beside, or measure without a fleet"));
        }
        let local = self.items.iter().find(|item| matches!(item, Item::Probe(Probe { form: Form::Io(_), .. })));
        let refused = |what: String| Err(Error::user(format!("{what} cannot be measured by a fleet")));
        match local {
            _ if self.request.prove || self.request.tracer.is_some() || self.request.network.is_some() => {
                refused("proofs, traces and the network".to_owned())
            }
            Some(probe) => refused(format!("probe {} ({})", probe.code(), probe.title())),
            _ if self.request.setup.database_per_agent && context.target.local => {
                return Err(Error::user(format!("the servers of {} are one database", context.target))
                    .hint("give the addresses of servers that run already, one for each agent"));
            }
            _ if self.request.setup.script_log.is_some() => {
                return Err(Error::user("a script log is written by one process, not by the agents of a fleet")
                    .hint("leave out --script-log: the record has the figures of each script and second"));
            }
            _ if fleet.agents() == 0 => refused("a run without agents".to_owned()),
            _ => Ok(()),
        }
        .map_err(|error| error.hint("name tests that a fleet can measure, such as --tests T611"))
    }

    fn needs_engine(&self) -> bool {
        self.items.iter().any(|item| matches!(item, Item::Test(_)))
    }

    fn plan(&mut self, directory: &MeasuredDirectory, [platform]: &mut [Platform<'_>; 1]) -> Result<[Plan; 1]> {
        let opened = platform.engine.as_ref();
        check_target(platform.context.fleet, platform.context.target, opened.map(|opened| &opened.nodes))?;
        let ability = opened.map(Ability::of);
        let nodes = opened.map(|opened| &opened.nodes);
        let machine = Machine {
            processors: host::cpus_allowed().len() as u32,
            storage: StorageSupport::detect(&directory.data(), self.request.setup.preset),
            // Agents trace nothing: their traces could not be merged.
            tracing: match platform.context.fleet {
                Some(_) => Tracing::None,
                None => tracing::detect(self.request, &self.items, nodes).unwrap_or(Tracing::None),
            },
        };
        check_roles(self.request, &self.items)?;
        check_nodes(self.request, machine.processors, ability.as_ref())?;
        let target = platform.context.target.to_string();
        let sizes = platform.sizes(self.request.small_rows, self.request.large_rows);
        let sizes = sizes.with_warehouses(self.request.warehouses);
        check_jobs(self.request, &self.items, &self.loads_beside, &sizes)?;
        check_loads(self.request, &self.loads_beside, ability.as_ref(), &sizes)?;
        let mut plan = plan(self.request, &target, directory.path(), &self.items, ability.as_ref(), &sizes, &machine);
        plan.loads_beside = self.loads_beside.iter().map(|beside| beside.load.clone()).collect();
        plan.network = self.peer.as_ref().map(|peer| peer.path.clone());
        add_agents(&mut plan, platform.context.fleet);
        plan.jobs_per_agent = self.request.jobs_per_agent;
        plan.client_threads = self.request.setup.client_threads;
        plan.database_per_agent = self.request.setup.database_per_agent;
        check_pipeline(self.request, &plan, platform.context.engine)?;
        match plan.until.is_some() && plan.runs.is_empty() {
            true => Err(Error::user("there is no test for a rate search").hint("give --tests, such as T611")),
            false => Ok([plan]),
        }
    }

    fn measure(&mut self, [platform]: &mut [Platform<'_>; 1], [record]: &mut [Recorder; 1]) -> Result<()> {
        let plan = record.plan.clone();
        let nodes = platform.engine.as_ref().map(|opened| &opened.nodes);
        let untraced = nodes
            .filter(|_| platform.context.fleet.is_none())
            .and_then(|_| tracing::untraced(self.request, &plan, &self.items, nodes));
        (platform.untraced, platform.tracer) = (untraced, self.request.tracer);
        platform.peer = self.peer.as_ref().map(Peer::of);
        platform.with_bench(&plan, |bench| {
            let bench = &Bench { loads_beside: &self.loads_beside, ..bench.clone() };
            if let Some(note) = platform.untraced.as_deref().and_then(|trace| tracing::note(self.request, trace)) {
                bench.note(&note);
            }
            self.announce(bench, record);
            match &plan.until {
                Some(until) => search_all(bench, record, &self.items, until),
                None => run_all(bench, record, &self.items),
            }?;
            if self.request.prove { prove_all(bench, record, &self.items) } else { Ok(()) }
        })
    }
}

impl Catalogue<'_> {
    fn announce(&self, bench: &Bench<'_>, record: &Record) {
        let (plan, path) = (bench.plan, self.request.setup.record.as_path());
        if plan.io.is_some() && bench.subject.is_some_and(|subject| !subject.on_probed_device) {
            bench.note(&format!(
                "the storage probes measure {}; the data of the engine are elsewhere, and are not compared with them",
                plan.directory
            ));
        }
        if let Some(until) = &plan.until {
            // The number of measurements of a search is not known in advance.
            let level = &until.level;
            return bench
                .note(&format!("searching for the highest rate that meets {level}; record {}", path.display()));
        }
        let left = plan.runs.get(record.runs.len()..).unwrap_or_default();
        let (runs, expected) = (left.len(), plan.length(left));
        bench.listener.on_event(&Event::Planned { runs, expected, skipped: &plan.skipped, records: &[path] });
    }
}

/// Checks that a requested pipeline is one of runs of `plan`.
fn check_pipeline(request: &Request, plan: &Plan, engine: &dyn Engine) -> Result<()> {
    if !request.variations.iter().any(|variation| is_pipelined(Some(*variation))) {
        return Ok(());
    }
    if !engine.about().pipelines {
        return Err(Error::user(format!("{} answers each statement before the next one is sent", engine.title()))
            .hint("leave --pipeline out: it is for servers that are reached over a socket"));
    }
    match plan.runs.iter().any(|run| is_pipelined(run.variation)) {
        true => Ok(()),
        false => Err(Error::user("no selected test can send its statements in a pipeline")
            .hint("give --tests one without transactions of several statements, such as T611")),
    }
}

/// The tests of a plan, as a selection.
fn selection(plan: &Plan) -> Selection {
    let mut words: Vec<String> = plan.test_files.clone();
    let catalogue: Vec<&str> = workload::catalogue()
        .iter()
        .map(|test| test.code.as_str())
        .chain(probe::probes().iter().map(|probe| probe.code))
        .collect();
    let codes: BTreeSet<&str> = plan.runs.iter().map(|run| run.test.as_str()).collect();
    words.extend(codes.into_iter().filter(|code| catalogue.contains(code)).map(str::to_owned));
    Selection { words }
}

/// The tests of the user: test files, and the test of scripts.
pub(crate) fn own_tests(request: &Request) -> Result<Vec<Test>> {
    let mut own = test_files(&request.tests.words)?;
    own.extend(request.scripts.as_ref().map(test_of_scripts).transpose()?);
    own.extend(request.in_kind.as_ref().map(test_in_kind).transpose()?);
    Ok(own)
}

/// The test that `load` is.
fn test_in_kind(load: &LoadInKind) -> Result<Test> {
    Test::of_load_in_kind(load).map_err(|error| Error::user(format!("the load in kind is no test: {error}")))
}

/// The test that `scripts` are.
pub(crate) fn test_of_scripts(scripts: &Scripts) -> Result<Test> {
    Test::of_scripts(scripts).map_err(|error| Error::user(error.to_string()).hint(error.hint))
}
