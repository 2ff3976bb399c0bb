//! Lints: misleading settings, each reported once with its line. They do not change the plan.

mod durability;
mod pattern;
mod timing;
mod truth;

use record::IoJob;

use crate::expand::Surroundings;
use crate::options::Options;
use crate::plan::notes::Notes;

pub(crate) use durability::phase;

/// The input of the checks of one job.
pub(crate) struct Subject<'a> {
    pub(crate) job: &'a IoJob,
    pub(crate) options: &'a Options,
    pub(crate) surroundings: &'a Surroundings<'a>,
}

impl Subject<'_> {
    /// The setting of `key` with its location: `iodepth=4 (FILE:LINE)`.
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

    /// Whether most I/O of the job is random.
    fn is_random(&self) -> bool {
        let order = self.job.order;
        [order.read_random, order.write_random, order.trim_random].iter().any(|share| share.0 > 0.5)
    }
}

/// One check: returns the text of a lint.
pub(crate) type Check = fn(&Subject<'_>) -> Option<String>;

/// Adds the lints of one job.
pub(crate) fn job(job: &IoJob, options: &Options, surroundings: &Surroundings<'_>, notes: &mut Notes) {
    let subject = Subject { job, options, surroundings };
    let families: [&[Check]; 4] = [durability::CHECKS, pattern::CHECKS, timing::CHECKS, truth::CHECKS];
    for check in families.into_iter().flatten() {
        if let Some(text) = check(&subject) {
            notes.lint(format!("{}: {text}", job.name));
        }
    }
}
