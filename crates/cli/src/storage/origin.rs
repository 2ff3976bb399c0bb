//! Where the settings of jobs are written: the lines of job files in errors that come after parsing.

use std::path::Path;

use fio::{JobFile, Override, Written};
use record::IoPlan;
use run::{Error, Result};

/// The job files and overrides that a plan is of.
pub struct Origins {
    /// The files, or the one of the command line.
    pub files: Vec<JobFile>,
    /// Overrides of all jobs.
    pub overrides: Vec<Override>,
}

impl Origins {
    /// The same error with the line and text of the setting that it is about, unless that is an option of the command
    /// line.
    pub fn located(&self, error: Error) -> Error {
        let written = error.setting.as_ref().and_then(|setting| self.written(&setting.job, setting.keys));
        let Some(Written { location, text, meant }) = written else { return error };
        let hint = match (meant, error.hint) {
            (Some(meant), Some(hint)) => Some(format!("a share follows a slash: {meant}; {hint}")),
            (Some(meant), None) => Some(format!("a share follows a slash: {meant}")),
            (None, hint) => hint,
        };
        Error { message: format!("{location}: {text}: {}", error.message), hint, ..error }
    }

    /// Checks that the directory of the jobs exists.
    ///
    /// # Errors
    /// If it does not, with the line that names it.
    pub fn check_directory(&self, directory: &Path, plan: &IoPlan) -> Result<()> {
        let Err(error) = directory.metadata() else { return Ok(()) };
        if error.kind() != std::io::ErrorKind::NotFound {
            return Ok(());
        }
        let shown = directory.display().to_string();
        let refused = format!("directory {shown} cannot be found: {error}");
        let jobs = plan.phases.iter().flat_map(|phase| &phase.jobs);
        let named = jobs
            .flat_map(|job| [(job, &["directory"]), (job, &["filename"])])
            .find_map(|(job, keys)| self.written(&job.name, keys).filter(|written| written.text.contains(&shown)));
        let message = match named {
            Some(Written { location, text, .. }) => format!("{location}: {text}: {refused}"),
            None => refused,
        };
        Err(Error::user(message).hint("create it, or give another --dir"))
    }

    fn written(&self, job: &str, keys: &[&str]) -> Option<Written> {
        fio::written(&self.files, &self.overrides, job, keys).filter(|written| !written.is_command_line())
    }
}
