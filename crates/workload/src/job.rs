//! One job of a test: a session and what it does in a step.

use engine::{Canceller, Error, Result, Session};
use measure::{Broken, Done, Work};

use crate::bulk::BulkWork;
use crate::sql_work::SqlWork;

/// The work of one job.
pub struct Job {
    work: Kind,
}

enum Kind {
    Sql(SqlWork),
    Bulk(BulkWork),
}

impl From<SqlWork> for Job {
    fn from(work: SqlWork) -> Job {
        Job { work: Kind::Sql(work) }
    }
}

impl From<BulkWork> for Job {
    fn from(work: BulkWork) -> Job {
        Job { work: Kind::Bulk(work) }
    }
}

impl Job {
    /// Does one step and compares every answer with what the data must give. Not for an engine without answers.
    ///
    /// # Errors
    /// Where an answer is wrong, in words, or where there is none.
    pub fn check(&mut self) -> std::result::Result<(), Broken> {
        match &mut self.work {
            Kind::Sql(work) => work.check(),
            Kind::Bulk(work) => work.check(),
        }
    }

    /// Makes what the session did visible in the counters of its node; how many transactions the engine counts for
    /// that.
    ///
    /// # Errors
    /// What the engine says.
    pub fn publish_counters(&mut self) -> Result<u64> {
        self.session_mut().publish_counters()
    }

    /// Something that can break off a statement of this job from another thread.
    pub fn canceller(&self) -> Option<Box<dyn Canceller>> {
        self.session().canceller()
    }

    /// The process that serves this job's session, where it is one of its own on this host.
    pub fn server_process(&self) -> Option<u32> {
        self.session().server_process()
    }

    fn session(&self) -> &dyn Session {
        match &self.work {
            Kind::Sql(work) => work.session.as_ref(),
            Kind::Bulk(work) => work.session.as_ref(),
        }
    }

    fn session_mut(&mut self) -> &mut dyn Session {
        match &mut self.work {
            Kind::Sql(work) => work.session.as_mut(),
            Kind::Bulk(work) => work.session.as_mut(),
        }
    }
}

impl Work for Job {
    #[inline]
    fn step(&mut self, number: u64) -> std::result::Result<Done, Broken> {
        match &mut self.work {
            Kind::Sql(work) => work.step(number),
            Kind::Bulk(work) => work.step(number),
        }
    }
}

/// What an error of the engine means to a step that was begun: counted where the session lives on, else the end.
/// `open` says whether a transaction has to be rolled back.
#[cold]
pub(crate) fn failed(session: &mut dyn Session, error: &Error, open: bool) -> std::result::Result<Done, Broken> {
    let Some(kind) = error.failure() else {
        if open {
            // Its locks must not outlive the step; where the session is gone, so are they.
            let _ = session.rollback();
        }
        return Err(broken(error));
    };
    if open {
        session.rollback().map_err(|error| broken(&error))?;
    }
    Ok(Done::failed(kind))
}

/// `error` in one text, with its hint.
pub(crate) fn broken(error: &Error) -> Broken {
    match &error.hint {
        Some(hint) => Broken { message: format!("{}; hint: {hint}", error.message) },
        None => Broken { message: error.message.clone() },
    }
}
