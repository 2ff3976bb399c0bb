//! Which jobs run at the same time, and which are reported together.

use record::{IoJob, IoPhase};

use crate::error::{Error, Result};
use crate::options::Options;

/// Names of a phase that would be longer are cut.
const NAME_LETTERS_MAX: usize = 80;

/// Phases while they are filled.
#[derive(Debug, Default)]
pub(crate) struct Phases {
    phases: Vec<Vec<IoJob>>,
    /// Where a job goes that waits for nobody.
    base: usize,
    report_group: u32,
}

impl Phases {
    /// Puts a job where it belongs: behind everything before it (`stonewall`, or another file), behind the job that it
    /// waits for (`wait_for`), or beside the one before it.
    ///
    /// # Errors
    /// It waits for a job that is not before it.
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
                    let error = Error::new(format!("{awaited}, which is no job before this one"));
                    options.error("wait_for", error.hint("name a job that stands further up"))
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

    /// All jobs of all phases.
    pub(crate) fn job_count(&self) -> usize {
        self.phases.iter().map(Vec::len).sum()
    }

    /// The phases, each called by its jobs.
    pub(crate) fn finish(self) -> Vec<IoPhase> {
        let phases = self.phases.into_iter().filter(|jobs| !jobs.is_empty());
        phases.map(|jobs| IoPhase { name: name(&jobs), jobs }).collect()
    }
}

fn name(jobs: &[IoJob]) -> String {
    let mut names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
    names.dedup();
    let all = names.join(", ");
    match all.chars().count() > NAME_LETTERS_MAX {
        true => format!("{} and {} more", names[0], jobs.len() - 1),
        false => all,
    }
}
