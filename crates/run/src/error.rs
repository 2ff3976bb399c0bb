//! Errors that end an invocation, and who has to act.

use std::fmt;

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;

/// Who has to act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A mistake of the user.
    User,
    /// The environment refused: no server, no space, no permission.
    Environment,
    /// The user interrupted it.
    Interrupted,
}

/// An error message: thing, value, limit, and a hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Who has to act.
    pub fault: Fault,
    /// What is wrong, one sentence, lower case, no full stop.
    pub message: String,
    /// What the user may do about it.
    pub hint: Option<String>,
    /// The setting of a storage job that it is about, so that the line of its file can be said.
    pub setting: Option<Box<JobSetting>>,
}

/// A setting of a storage job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobSetting {
    /// The name of the job.
    pub job: String,
    /// Keys of a job file: the first one that the job has is meant.
    pub keys: &'static [&'static str],
}

impl Error {
    /// A mistake of the user.
    pub fn user(message: impl Into<String>) -> Error {
        Error { fault: Fault::User, message: message.into(), hint: None, setting: None }
    }

    /// A refusal of the environment.
    pub fn environment(message: impl Into<String>) -> Error {
        Error { fault: Fault::Environment, message: message.into(), hint: None, setting: None }
    }

    /// Interrupted by the user.
    pub fn interrupted() -> Error {
        Error { fault: Fault::Interrupted, message: "interrupted".to_owned(), hint: None, setting: None }
    }

    /// The same error with a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }

    /// The same error about the first of `keys` that the storage job `job` has.
    pub(crate) fn about(mut self, job: &str, keys: &'static [&'static str]) -> Error {
        self.setting.get_or_insert_with(|| Box::new(JobSetting { job: job.to_owned(), keys }));
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(formatter, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl From<engine::Error> for Error {
    fn from(error: engine::Error) -> Error {
        let fault = match error.kind {
            engine::Kind::Usage => Fault::User,
            _ => Fault::Environment,
        };
        Error { fault, message: error.message, hint: error.hint, setting: None }
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Error {
        Error { fault: Fault::Environment, hint: error.hint(), message: error.to_string(), setting: None }
    }
}
