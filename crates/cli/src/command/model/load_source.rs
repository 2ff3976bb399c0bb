//! The loads of a record that a plan or a prediction rests on.

use std::collections::BTreeSet;
use std::path::Path;

use model::load_plan::{MeasuredPlan, measured_plan};
use record::{IndexTime, Load, LoadForm, LoadModel, Preset, Record};
use run::{Error, Result};

use crate::arguments::model::load::LoadPlanArguments;
use crate::command::places::unreadable;

/// What a record says, for the kind of table and the form that were asked for.
pub(super) struct Source {
    /// The record.
    pub(super) record: Record,
    /// How the table is stored.
    pub(super) model: LoadModel,
    /// How rows reach the engine.
    pub(super) form: LoadForm,
    /// Why rates of it are not to be believed.
    pub(super) doubts: Vec<String>,
}

/// Whether two records are of the same machine and the same engine.
pub(super) fn is_alike(one: &Record, other: &Record) -> bool {
    let machine =
        |record: &Record| (record.host.host_name.clone(), record.host.cpu.model.clone(), record.host.cpu.threads);
    let engine = |record: &Record| record.engine.as_ref().map(|engine| (engine.title.clone(), engine.version.clone()));
    machine(one) == machine(other) && engine(one) == engine(other)
}

/// Why no rate of `record`, which was read from `place`, is to be believed.
pub(super) fn doubts(place: &str, record: &Record) -> Vec<String> {
    let slow = (!record.tool.optimised).then_some("was made by a dbdyno that was built without optimisation");
    let small = (record.plan.preset == Preset::Smoke).then_some("is of preset smoke, which only proves that all works");
    let all = [slow, small].into_iter().flatten();
    all.map(|why| format!("{place} {why}: what rests on its rates means nothing")).collect()
}

/// The record at `place`, which has a load.
///
/// # Errors
/// Where it cannot be read, or has none that is a result.
pub(super) fn read(place: &str) -> Result<Record> {
    let record = store::read(Path::new(place)).map_err(unreadable)?;
    match model::load::inputs(&record).is_empty() {
        false => Ok(record),
        true => Err(Error::user(format!("{place} has no whole load that is a result")).hint(
            "`dbdyno load` measures loads, and the rest of one that was gone on with is none; `dbdyno report` says of each \
             run why it is invalid",
        )),
    }
}

/// What the loads of `record` do not share with others that are not like them: when indexes were made, as far as that is
/// part of the rate, and the layout.
pub(super) fn conditions(record: &Record) -> BTreeSet<String> {
    let of = |load: &Load| {
        let indexes = if load.indexes == IndexTime::Before { "with indexes" } else { "without indexes" };
        format!("{indexes}, layout {}", load.layout)
    };
    record.runs.iter().filter(|run| !model::is_invalid(run)).filter_map(|run| run.load.as_deref()).map(of).collect()
}

impl Source {
    /// The records that `arguments` name, as if they were one, asked about the loads that they name.
    ///
    /// # Errors
    /// As [`read`], where records are of different machines or engines, and where the kind of table is none.
    pub(super) fn read(arguments: &LoadPlanArguments) -> Result<Source> {
        let mut all: Option<Record> = None;
        let mut doubts = Vec::new();
        for (number, place) in arguments.from.iter().enumerate() {
            if arguments.from[..number].contains(place) {
                let message = format!("--from names {place} twice");
                return Err(Error::user(message).hint("each load counts once; leave one of them out"));
            }
            let record = read(place)?;
            doubts.extend(self::doubts(place, &record));
            match &mut all {
                None => all = Some(record),
                Some(all) if is_alike(all, &record) && conditions(all) == conditions(&record) => {
                    all.runs.extend(record.runs);
                }
                Some(all) if is_alike(all, &record) => {
                    let said = |record: &Record| conditions(record).into_iter().collect::<Vec<_>>().join(" and ");
                    let message =
                        format!("{place} has loads {}, and the records before it {}", said(&record), said(all));
                    return Err(Error::user(message).hint("one plan rests on loads of one kind; leave one of them out"));
                }
                Some(_) => {
                    let message = format!("{place} is of another machine or engine than the records before it");
                    return Err(Error::user(message).hint("what one machine measured says nothing of another"));
                }
            }
        }
        let record = all.ok_or_else(|| Error::user("--from names no record"))?;
        Ok(Source { record, model: arguments.model, form: arguments.form.into(), doubts })
    }

    /// What its loads cost; `compression` is what a source is to be compressed with.
    pub(super) fn measured(&self, compression: Option<&str>) -> Option<MeasuredPlan> {
        measured_plan(&self.record, self.model, self.form, compression)
    }

    /// What was measured, and where.
    pub(super) fn title(&self) -> String {
        let subject = self.record.engine.as_ref().map_or("an engine", |engine| engine.title.as_str());
        let host = self.record.host.host_name.as_deref().unwrap_or("an unnamed host");
        format!("{} {} into {subject} on {host}", self.model.word(), self.form.word())
    }

    /// Inputs of its loads, each once.
    pub(super) fn inputs(&self) -> Vec<String> {
        model::load::inputs(&self.record)
    }
}
