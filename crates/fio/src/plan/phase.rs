//! Phases: jobs that run at the same time; report groups.

use record::{IoJob, IoPhase};

use crate::error::{Error, Result};
use crate::options::Options;

/// Maximum length of the name of a phase.
const NAME_CHARACTERS_MAX: usize = 80;

/// Builds the phases.
#[derive(Debug, Default)]
pub(crate) struct Phases {
    phases: Vec<Vec<IoJob>>,
    /// The phase of the next job without `wait_for`.
    base: usize,
    report_group: u32,
}

impl Phases {
    /// Adds a job to its phase: after all previous jobs (`stonewall`, or another file), after the job that it waits for
    /// (`wait_for`), or with the previous one.
    pub(crate) fn add(&mut self, mut job: IoJob, options: &Options, first_of_file: bool) -> Result<()> {
        let wall = (first_of_file || options.is_on("stonewall")) && self.job_count() > 0;
        if wall {
            self.base = self.phases.len();
        }
        if wall || (options.is_on("new_group") && self.job_count() > 0) {
            self.report_group += 1;
        }
        let phase = match options.text("wait_for") {
            Some(awaited) => {
                let is_awaited = |job: &IoJob| job.name == awaited;
                let found = self.phases.iter().rposition(|jobs| jobs.iter().any(is_awaited));
                let after = found.ok_or_else(|| {
                    let error = Error::new(format!("{awaited} is not a job before this one"));
                    options.error("wait_for", error.hint("use the name of an earlier job"))
                })?;
                self.base.max(after + 1)
            }
            None => self.base,
        };
        while self.phases.len() <= phase {
            self.phases.push(Vec::new());
        }
        job.report_group = self.report_group;
        self.phases[phase].push(job);
        Ok(())
    }

    /// Number of jobs of all phases.
    pub(crate) fn job_count(&self) -> usize {
        self.phases.iter().map(Vec::len).sum()
    }

    /// The phases, named after their jobs.
    pub(crate) fn finish(self) -> Vec<IoPhase> {
        let phases = self.phases.into_iter().filter(|jobs| !jobs.is_empty());
        phases.map(|jobs| IoPhase { name: name(&jobs), jobs }).collect()
    }
}

fn name(jobs: &[IoJob]) -> String {
    let mut names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
    names.dedup();
    let all = names.join(", ");
    match all.chars().count() > NAME_CHARACTERS_MAX {
        true => format!("{} and {} more", names[0], jobs.len() - 1),
        false => all,
    }
}
