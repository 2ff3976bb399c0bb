//! From settings to a plan: inheritance, phases, report groups.

mod access;
pub(crate) mod blocks;
mod content;
mod distribution;
pub(crate) mod engine;
mod files;
mod job;
mod lint;
pub(crate) mod notes;
mod pace;
mod pattern;
mod phase;
mod processors;
pub(crate) mod region;
#[cfg(test)]
mod tests;
mod transaction;

use record::IoPlan;

use crate::error::{Error, Location, Result};
use crate::expand::Surroundings;
use crate::job_file::{JobFile, Section};
use crate::options::Options;
use crate::overrides::{COMMAND_LINE, Override};

use notes::Notes;
use phase::Phases;

/// Maximum jobs of one plan.
const JOBS_MAX: usize = 16_384;

/// The plan of `files`, one after the other, with `overrides` for each job.
///
/// # Errors
/// Invalid values, with their line; files without a job.
pub fn plan(files: &[JobFile], overrides: &[Override], surroundings: &Surroundings<'_>) -> Result<IoPlan> {
    directory(files, overrides)?;
    let mut phases = Phases::default();
    let mut notes = Notes::default();
    each_job(files, overrides, |section, options, first_of_file| {
        let name = options.text("name").unwrap_or(&section.name);
        let job = job::job(name, options, surroundings, &mut notes).map_err(|error| error.at(&section.location))?;
        notes.list(options);
        lint::job(&job, options, surroundings, &mut notes);
        phases.add(job, options, first_of_file).map_err(|error| error.at(&section.location))?;
        match phases.job_count() > JOBS_MAX {
            true => Err(Error::new(format!("there are more than {JOBS_MAX} jobs")).at(&section.location)),
            false => Ok(()),
        }
    })?;
    let phases = phases.finish();
    if phases.is_empty() {
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        let error = Error::new(format!("{} has no job", names.join(", ")));
        return Err(error.hint("a job is a section with a name other than global: [name]"));
    }
    for phase in &phases {
        lint::phase(phase, &mut notes);
    }
    let (ignored, lints) = notes.into_lists();
    Ok(IoPlan { phases, ignored, lints })
}

/// The absolute directory of the jobs, to which file names are relative. `None` if no job has one.
///
/// # Errors
/// Jobs with different directories: one directory is measured at a time.
pub fn directory(files: &[JobFile], overrides: &[Override]) -> Result<Option<String>> {
    files::directory(files, overrides)
}

/// A setting of a job as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// File and line.
    pub location: Location,
    /// `key=value`, or the key alone.
    pub text: String,
    /// What it may have been meant to be: shares of `bssplit` after slashes.
    pub meant: Option<String>,
}

impl Written {
    /// Whether it is an option of the command line, not of a file or an override.
    pub fn is_command_line(&self) -> bool {
        *self.location.source == *COMMAND_LINE
    }
}

/// The first of `keys` that the job `name` has; none if there are several jobs of that name whose settings differ.
pub fn written(files: &[JobFile], overrides: &[Override], name: &str, keys: &[&str]) -> Option<Written> {
    let mut found: Vec<Written> = Vec::new();
    let visited = each_job(files, overrides, |section, options, _| {
        let setting = keys.iter().find_map(|key| options.last(key));
        if let Some(setting) = setting.filter(|_| options.text("name").unwrap_or(&section.name) == name) {
            let value = setting.value.as_deref();
            let meant = value.filter(|_| setting.key.name == "bssplit").and_then(blocks::with_slashes);
            let value = value.map(|value| format!("={value}")).unwrap_or_default();
            let text = format!("{}{value}", setting.written);
            let one = Written { location: setting.location.clone(), text, meant };
            if !found.contains(&one) {
                found.push(one);
            }
        }
        Ok(())
    });
    visited.ok()?;
    found.pop().filter(|_| found.is_empty())
}

/// Calls `visit` for every job, with its settings and whether it is the first of a file other than the first.
fn each_job(
    files: &[JobFile],
    overrides: &[Override],
    mut visit: impl FnMut(&Section, &Options, bool) -> Result<()>,
) -> Result<()> {
    for (index, file) in files.iter().enumerate() {
        let mut defaults = Options::default();
        let mut first = true;
        for section in &file.sections {
            if section.is_global() {
                // The name of the defaults does not apply to jobs.
                defaults.add_without_name(&section.settings)?;
                continue;
            }
            let mut options = defaults.clone();
            options.add(&section.settings)?;
            for Override(setting) in overrides {
                options.add_override(setting)?;
            }
            visit(section, &options, first && index > 0)?;
            first = false;
        }
    }
    Ok(())
}
