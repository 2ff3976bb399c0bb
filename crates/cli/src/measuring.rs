//! What every verb that measures has around it: signals, progress, and the engines.

use std::sync::Arc;

use engine::Target;
use run::{Context, Error, Interrupt, Result};

use crate::engines::{ENGINES, engine};
use crate::progress::{Loudness, Progress};
use crate::signal;

/// A verb while it measures.
pub struct Measuring {
    interrupt: Arc<Interrupt>,
    progress: Progress,
}

impl Measuring {
    /// Where to measure: the engine of `target`.
    ///
    /// # Errors
    /// Where dbdyno has no such engine.
    pub fn context<'a>(&'a self, target: &'a Target) -> Result<Context<'a>> {
        let (engine, interrupt) = (engine(target)?, &self.interrupt);
        Ok(Context { engine, target, engines: ENGINES, listener: &self.progress, interrupt })
    }

    /// The same of both sides of a comparison in pairs.
    ///
    /// # Errors
    /// Where dbdyno has no engine of one of them.
    pub fn contexts<'a>(&'a self, [a, b]: [&'a Target; 2]) -> Result<[Context<'a>; 2]> {
        Ok([self.context(a)?, self.context(b)?])
    }
}

/// Carries out `body`; Ctrl-C asks it to end, and its progress is shown unless it is to be `quiet`.
///
/// # Errors
/// Where signals cannot be handled, and those of `body`.
pub fn measuring<T>(quiet: bool, body: impl FnOnce(&Measuring) -> Result<T>) -> Result<T> {
    let interrupt = Arc::new(Interrupt::default());
    signal::listen(Arc::clone(&interrupt))
        .map_err(|error| Error::environment(format!("signals cannot be handled: {error}")))?;
    let progress = Progress::new(if quiet { Loudness::Quiet } else { Loudness::Normal });
    let measuring = Measuring { interrupt, progress };
    let result = body(&measuring);
    measuring.progress.end();
    result
}
