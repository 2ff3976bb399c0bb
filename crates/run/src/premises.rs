//! Where the runs of an invocation are carried out that opens its engine more than once: what stays the same whenever it is
//! opened.

use std::path::Path;

use record::{Nanos, Plan};
use workload::Sizes;

use crate::Result;
use crate::execution::{sources, subject};
use crate::invocation::Workplace;
use crate::measurement::Bench;
use crate::opening::{Opened, Setting};

/// Everything but the engine.
#[derive(Clone, Copy)]
pub(crate) struct Premises<'a> {
    pub workplace: &'a Workplace<'a>,
    pub setting: &'a Setting,
    pub plan: &'a Plan,
    pub sizes: &'a Sizes,
    /// Whether somebody looks at what sessions are doing while runs go on.
    pub looks: bool,
    /// The beginning of the invocation on the monotonic clock.
    pub origin: Nanos,
}

impl Premises<'_> {
    /// What `body` says of a bench with the engine as it is open now.
    ///
    /// # Errors
    /// Where the engine gives no session, and those of `body`.
    pub(crate) fn with_bench<T>(&self, opened: &Opened<'_>, body: impl FnOnce(&Bench<'_>) -> Result<T>) -> Result<T> {
        let directory = Path::new(&self.plan.directory);
        let subject = subject(opened, directory);
        let sources = sources(Some(&subject), directory)?;
        body(&Bench {
            plan: self.plan,
            sizes: self.sizes,
            subject: Some(&subject),
            sources: &sources,
            instrument: &self.setting.instrument,
            host: &self.setting.host,
            processors: self.setting.processors.clone(),
            looks: self.looks,
            origin: self.origin,
            interrupt: self.workplace.interrupt,
            listener: self.workplace.listener,
        })
    }
}
