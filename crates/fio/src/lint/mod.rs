//! Settings that do not do what they seem to: each is said once, with its line, and the plan is as the job says.

mod durability;
mod pattern;
mod phase;
mod timing;
mod truth;

use record::IoJob;

use crate::options::Options;
use crate::plan::notes::Notes;
use crate::surroundings::Surroundings;

pub(crate) use phase::phase;

/// What the checks of one job look at.
pub(crate) struct Subject<'a> {
    pub(crate) job: &'a IoJob,
    pub(crate) options: &'a Options,
    pub(crate) surroundings: &'a Surroundings<'a>,
}

impl Subject<'_> {
    /// The setting of `key` as it is written, with its place: `iodepth=4 (FILE:LINE)`.
    fn setting(&self, key: &str) -> String {
        let value = self.options.text(key).map(|value| format!("={value}")).unwrap_or_default();
        format!("{key}{value}{}", self.options.at(key))
    }

    fn reads(&self) -> bool {
        self.job.mix.read.0 > 0.0
    }

    fn writes(&self) -> bool {
        self.job.mix.write.0 > 0.0
    }

    /// Whether most I/O of the job jumps.
    fn is_random(&self) -> bool {
        let order = self.job.order;
        [order.read_random, order.write_random, order.trim_random].iter().any(|share| share.0 > 0.5)
    }
}

/// One check: what it has to say, if anything.
pub(crate) type Check = fn(&Subject<'_>) -> Option<String>;

/// Notes what is doubtful in one job.
pub(crate) fn job(job: &IoJob, options: &Options, surroundings: &Surroundings<'_>, notes: &mut Notes) {
    let subject = Subject { job, options, surroundings };
    let families: [&[Check]; 4] = [durability::CHECKS, pattern::CHECKS, timing::CHECKS, truth::CHECKS];
    for check in families.into_iter().flatten() {
        if let Some(said) = check(&subject) {
            notes.lint(format!("{}: {said}", job.name));
        }
    }
}
