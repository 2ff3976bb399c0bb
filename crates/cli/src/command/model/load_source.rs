//! The measured loads on which a plan or prediction is based.

use std::collections::BTreeSet;
use std::path::Path;

use model::load_plan::{MeasuredPlan, measured_plan};
use record::{IndexTime, Load, LoadForm, LoadModel, Record};
use run::{Error, Result};

use crate::arguments::model::load::LoadPlanArguments;
use crate::subject::{self, unreadable};

/// The loads of a record, of one kind of table and form.
pub(super) struct Source {
    /// The record.
    pub(super) record: Record,
    /// How the table is stored.
    pub(super) model: LoadModel,
    /// How rows reach the engine.
    pub(super) form: LoadForm,
    /// Reasons not to trust its rates.
    pub(super) warnings: Vec<String>,
}

/// Whether two records are of the same machine and the same engine.
pub(super) fn is_alike(one: &Record, other: &Record) -> bool {
    let machine =
        |record: &Record| (record.host.host_name.clone(), record.host.cpu.model.clone(), record.host.cpu.threads);
    let engine = |record: &Record| record.engine.as_ref().map(|engine| (engine.title.clone(), engine.version.clone()));
    machine(one) == machine(other) && engine(one) == engine(other)
}

/// The record at `path`, which has a valid load.
pub(super) fn read(path: &str) -> Result<Record> {
    let record = store::read(Path::new(path)).map_err(unreadable)?;
    match model::load::inputs(&record).is_empty() {
        false => Ok(record),
        true => Err(Error::user(format!("{path} has no valid complete load")).hint(
            "`dbdyno load` measures loads; a resumed load is not complete; `dbdyno report` shows why a run is invalid",
        )),
    }
}

/// The conditions on which the rates of loads depend: whether indexes existed during the load, and the layout.
pub(super) fn conditions(record: &Record) -> BTreeSet<String> {
    let of = |load: &Load| {
        let indexes = if load.indexes == IndexTime::Before { "with indexes" } else { "without indexes" };
        format!("{indexes}, layout {}", load.layout)
    };
    record.runs.iter().filter(|run| !model::is_invalid(run)).filter_map(|run| run.load.as_deref()).map(of).collect()
}

impl Source {
    /// The records that `arguments` name, merged into one.
    pub(super) fn read(arguments: &LoadPlanArguments) -> Result<Source> {
        let mut all: Option<Record> = None;
        let mut warnings = Vec::new();
        for (number, path) in arguments.from.iter().enumerate() {
            if arguments.from[..number].contains(path) {
                let message = format!("--from names {path} twice");
                return Err(Error::user(message).hint("leave one of them out"));
            }
            let record = read(path)?;
            warnings.extend(subject::warnings(path, &record));
            match &mut all {
                None => all = Some(record),
                Some(all) if is_alike(all, &record) && conditions(all) == conditions(&record) => {
                    all.runs.extend(record.runs);
                }
                Some(all) if is_alike(all, &record) => {
                    let words = |record: &Record| conditions(record).into_iter().collect::<Vec<_>>().join(" and ");
                    let message = format!("{path} has loads {}, the records before it {}", words(&record), words(all));
                    return Err(Error::user(message).hint("a plan needs loads of one kind; leave one of them out"));
                }
                Some(_) => {
                    let message = format!("{path} is of another machine or engine than the records before it");
                    return Err(Error::user(message).hint("a plan needs records of one machine"));
                }
            }
        }
        let record = all.ok_or_else(|| Error::user("--from names no record"))?;
        Ok(Source { record, model: arguments.model, form: arguments.form, warnings })
    }

    /// The costs of its loads; `compression` is that of the planned source.
    pub(super) fn measured(&self, compression: Option<&str>) -> Option<MeasuredPlan> {
        measured_plan(&self.record, self.model, self.form, compression)
    }

    /// Title: kind of load, engine, host.
    pub(super) fn title(&self) -> String {
        let subject = self.record.engine.as_ref().map_or("an engine", |engine| engine.title.as_str());
        let host = self.record.host.host_name.as_deref().unwrap_or("an unnamed host");
        format!("{} {} into {subject} on {host}", self.model.word(), self.form.word())
    }

    /// The distinct inputs of its loads.
    pub(super) fn inputs(&self) -> Vec<String> {
        model::load::inputs(&self.record)
    }
}
