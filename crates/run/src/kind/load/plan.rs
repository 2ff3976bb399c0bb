//! The plan: from the request to the list of loads.

use std::iter;
use std::path::Path;

use engine::Caps;
use record::{Bytes, Dop, LoadForm, LoadModel, Plan, PlannedRun, RunKind, Skipped};
use workload::load::{CODE, Input, LoadTable, Unfit};

use super::request::LoadRequest;
use super::scan_plan::{PlannedScan, ScanContext, scans, skipped_scans};
use crate::{Error, Result};

/// One run: a load of the whole source into a table of its own.
#[derive(Clone, Debug)]
pub struct PlannedLoad {
    /// How rows reach the engine.
    pub form: LoadForm,
    /// Sessions.
    pub jobs: u32,
    /// The table.
    pub(super) table: LoadTable,
    /// The scans after it: the table of the last load of a model is scanned.
    pub scans: Vec<PlannedScan>,
}

/// The planned loads.
#[derive(Clone, Debug, Default)]
pub struct LoadPlan {
    /// The loads, in order.
    pub loads: Vec<PlannedLoad>,
    /// What was requested and is skipped.
    pub skipped: Vec<Skipped>,
    /// Size of a batch, in bytes of flat file.
    pub batch: Bytes,
}

impl PlannedLoad {
    /// How the table is stored.
    pub fn model(&self) -> LoadModel {
        self.table.model()
    }

    /// Name of the table.
    pub fn table_name(&self) -> &str {
        self.table.name()
    }

    /// The code of the run: runs of other models and forms are not repeats of each other.
    pub fn code(&self) -> String {
        code(self.model(), self.form)
    }
}

fn code(model: LoadModel, form: LoadForm) -> String {
    let model = if model == LoadModel::default() { String::new() } else { format!("@{}", model.word()) };
    let form = if form == LoadForm::AsIs { ",as-is" } else { "" };
    format!("{CODE}{model}{form}")
}

/// The loads of `request` that an engine with `caps` supports, with `degrees` of parallelism, and the scans of their
/// tables that are possible in `context`.
pub(super) fn loads(request: &LoadRequest, caps: &Caps, degrees: &[u32], context: &ScanContext) -> Result<LoadPlan> {
    let (mut loads, mut skipped): (Vec<PlannedLoad>, Vec<Skipped>) = (Vec::new(), Vec::new());
    for model in &request.models {
        for form in &request.forms {
            let code = code(*model, *form);
            let table = LoadTable::new(&request.table, &request.layout, *model, &request.months, caps);
            let table = match table {
                Ok(_) if *form == LoadForm::AsIs && !caps.lines => {
                    skipped.push(skip(code, "this engine cannot load unparsed lines"));
                    continue;
                }
                Ok(_) if *form == LoadForm::AsIs && request.layout.reads_quotes() => {
                    let reason = format!("quoted fields of layout {} are read by dbdyno (typed)", request.layout.name);
                    skipped.push(skip(code, &reason));
                    continue;
                }
                Ok(table) => table,
                Err(Unfit(reason)) => {
                    skipped.push(skip(code, &reason));
                    continue;
                }
            };
            let (allowed, refused): (Vec<u32>, Vec<u32>) =
                degrees.iter().partition(|jobs| caps.concurrent_writers || **jobs == 1);
            // Without a request, one job is used.
            if !refused.is_empty() && request.degrees.is_some() {
                let jobs: Vec<String> = refused.iter().map(u32::to_string).collect();
                let reason = format!("at {} jobs: this engine supports one writer at a time", jobs.join(", "));
                skipped.push(skip(code, &reason));
            }
            let jobs = if allowed.is_empty() && request.degrees.is_none() { vec![1] } else { allowed };
            let load = |jobs| PlannedLoad { form: *form, jobs, table: table.clone(), scans: Vec::new() };
            loads.extend(jobs.into_iter().map(load));
        }
        if let (Some(requested), Some(last)) = (&request.scans, loads.last_mut().filter(|last| last.model() == *model))
        {
            last.scans = scans(requested, &last.table, caps, context);
        }
    }
    if let (Some(requested), Some(last)) = (&request.scans, loads.last()) {
        // The reasons are the same for all tables.
        skipped.extend(skipped_scans(requested, &last.table, caps, context));
    }
    if loads.is_empty() {
        let reasons: Vec<String> = skipped.iter().map(|skip| format!("{}: {}", skip.test, skip.reason)).collect();
        return Err(Error::user(format!("there is nothing to load: {}", reasons.join("; ")))
            .hint("give other --models, --form or --jobs"));
    }
    check_several(request, loads.len())?;
    Ok(LoadPlan { loads, skipped, batch: request.batch() })
}

fn skip(test: String, reason: &str) -> Skipped {
    Skipped { test, reason: reason.to_owned() }
}

/// Refuses several loads where only one can be.
fn check_several(request: &LoadRequest, count: usize) -> Result<()> {
    match count {
        0 | 1 => Ok(()),
        _ if request.resume => Err(Error::user(format!("only one load can be resumed, and {count} were requested"))
            .hint("give --models, --form and --jobs of the aborted load")),
        _ if request.input == Input::Pipe => {
            Err(Error::user(format!("a pipe can be read once, and {count} loads were requested"))
                .hint("give one of --models, --form and --jobs, or a file"))
        }
        _ => Ok(()),
    }
}

/// The plan as the record keeps it.
pub(super) fn plan(request: &LoadRequest, loads: &LoadPlan, target: &str, directory: &Path) -> Plan {
    let all = loads.loads.iter().flat_map(|load| {
        let kind = RunKind::Load { model: load.model(), form: load.form };
        let scan = |scan: &PlannedScan| {
            let dop = Dop { nodes: 1, jobs: 1, threads: scan.threads };
            PlannedRun::new(scan.code(), RunKind::Scan(scan.key()), dop)
        };
        let load_run = PlannedRun::new(load.code(), kind, Dop::jobs(load.jobs));
        iter::once(load_run).chain(load.scans.iter().map(scan).collect::<Vec<_>>())
    });
    let mut plan = Plan {
        window_ns: Plan::OPEN_WINDOW_NS,
        seed: request.seed(),
        placement: request.setup.placement,
        runs: all.collect(),
        skipped: loads.skipped.clone(),
        ..Plan::new(target, directory.display().to_string(), request.setup.preset)
    };
    plan.number();
    plan
}

#[cfg(test)]
mod tests {
    use super::super::request::ScanRequest;
    use super::super::tests::{caps, request};
    use super::*;

    /// For an engine with caches of its own on this host, with two processors.
    fn loads(request: &LoadRequest, caps: &Caps, degrees: &[u32]) -> Result<LoadPlan> {
        super::loads(request, caps, degrees, &ScanContext { processors: 2, never_cold: None })
    }

    fn wide() -> LoadRequest {
        let input = Input::Generated { seed: 1, rows: 100 };
        let forms = vec![LoadForm::Typed, LoadForm::AsIs];
        LoadRequest { models: LoadModel::ALL.to_vec(), forms, ..request(input) }
    }

    #[test]
    fn each_model_form_and_degree_is_a_run_with_a_code() {
        let plan = loads(&wide(), &caps(), &[1, 2]).unwrap();
        assert_eq!(plan.loads.len(), 4 * 2 * 2);
        let codes: Vec<String> = plan.loads.iter().step_by(2).map(PlannedLoad::code).collect();
        assert_eq!(codes[..4], ["L100", "L100,as-is", "L100@partitioned", "L100@partitioned,as-is"]);
        assert_eq!(codes[6], "L100@partitioned+compressed");
    }

    #[test]
    fn unsupported_loads_are_skipped_with_a_reason() {
        let simple =
            Caps { table_compression: false, partitions: false, lines: false, concurrent_writers: false, ..caps() };
        let plan = loads(&wide(), &simple, &[1, 2]).unwrap();
        assert_eq!(plan.loads.len(), 1);
        assert_eq!(plan.skipped.len(), 7);
        let requested = LoadRequest { degrees: Some(vec![2]), ..wide() };
        let error = loads(&requested, &simple, &[2]).unwrap_err();
        assert!(error.message.contains("supports one writer at a time"), "{error}");
        let unasked = LoadRequest { forms: vec![LoadForm::Typed], models: vec![LoadModel::default()], ..wide() };
        assert_eq!(loads(&unasked, &simple, &[2]).unwrap().loads[0].jobs, 1, "no more were requested");
    }

    #[test]
    fn quoted_fields_are_not_sent_unparsed() {
        let layout = flat::Layout { quote: flat::Quote::Read(b'"'), ..flat::Layout::cards() };
        let request = LoadRequest { layout, models: vec![LoadModel::default()], ..wide() };
        let plan = loads(&request, &caps(), &[1]).unwrap();
        assert_eq!((plan.loads.len(), plan.loads[0].form), (1, LoadForm::Typed));
        assert_eq!(plan.skipped[0].test, "L100,as-is");
        assert!(plan.skipped[0].reason.contains("quoted fields of layout cards are read by dbdyno"));
        let error = loads(&LoadRequest { forms: vec![LoadForm::AsIs], ..request }, &caps(), &[1]).unwrap_err();
        assert!(error.message.contains("nothing to load: L100,as-is: quoted fields of layout cards"), "{error}");
    }

    #[test]
    fn the_table_of_the_last_load_of_each_model_is_read() {
        let scans = ScanRequest { degrees: Some(vec![1, 2]), probes: false };
        let planned = loads(&LoadRequest { scans: Some(scans), ..wide() }, &caps(), &[1, 2]).unwrap();
        let scans: Vec<usize> = planned.loads.iter().map(|load| load.scans.len()).collect();
        assert_eq!(scans, [0, 0, 0, 8].repeat(4));
        let plan = plan(&wide(), &planned, "example", Path::new("/measured"));
        assert_eq!(plan.runs.len(), 4 * (4 + 8));
        let tuple =
            |index: usize| (plan.runs[index].test.as_str(), plan.runs[index].dop.jobs, plan.runs[index].dop.threads);
        assert_eq!((tuple(3), tuple(4)), (("L100,as-is", 2, 1), ("L431,cold", 1, 1)));
        assert_eq!((tuple(11), tuple(12)), (("L441", 1, 2), ("L100@partitioned", 1, 1)));
        assert!(plan.runs.iter().zip(1..).all(|(run, number)| run.number == number));
    }

    #[test]
    fn one_load_is_resumed_and_a_pipe_is_read_once() {
        let resumed = LoadRequest { resume: true, ..wide() };
        assert!(loads(&resumed, &caps(), &[1]).unwrap_err().message.contains("only one load can be resumed, and 8"));
        let piped = LoadRequest { input: Input::Pipe, ..wide() };
        assert!(loads(&piped, &caps(), &[1]).unwrap_err().message.contains("a pipe can be read once"));
    }
}
