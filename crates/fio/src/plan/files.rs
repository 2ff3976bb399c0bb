//! Names of files: `filename`, `directory`, `filename_format`, `nrfiles`.

use std::path::{Component, Path, PathBuf};

use record::FileChoice;

use super::each_job;
use super::notes::Notes;
use crate::error::{Error, Result};
use crate::job_file::JobFile;
use crate::list::{self, between_colons};
use crate::options::Options;
use crate::overrides::Override;

/// Maximum files of one job.
const FILES_MAX: u32 = 100_000;
/// Default names of files.
const FORMAT_DEFAULT: &str = "$jobname.$jobnum.$filenum";

/// The files of a job.
pub(crate) struct Files {
    /// Relative to the measured directory, or absolute.
    pub(crate) names: Vec<String>,
    /// Whether all clones use the same files.
    pub(crate) shared: bool,
}

/// The files of the job `name`.
pub(crate) fn files(name: &str, options: &Options, notes: &mut Notes) -> Result<Files> {
    let folder = folder(options, notes);
    if let Some(text) = options.text("filename") {
        let list = list::until_empty(between_colons(text));
        if list.parts.is_empty() {
            let error = Error::new(format!("{text} begins with an empty name, and {}", list::CUT));
            return Err(options.error("filename", error.hint("names are filename=a:b")));
        }
        if list.is_cut {
            notes.lint(format!("filename={text}{}: {}", options.at("filename"), list::CUT));
        }
        let names =
            list.parts.iter().map(|name| placed(&folder, name, options, "filename")).collect::<Result<Vec<_>>>()?;
        return Ok(Files { names, shared: true });
    }
    let count = options.number_within("nrfiles", 1, FILES_MAX)?.unwrap_or(1);
    let format = options.text("filename_format").unwrap_or(FORMAT_DEFAULT);
    // A slash in the name of a job would be a directory.
    let format = format.replace("$jobname", &name.replace('/', ".")).replace("$clientuid", "localhost");
    let named =
        |number: u32| placed(&folder, &format.replace("$filenum", &number.to_string()), options, "filename_format");
    // Without the number of the file in its name, there is only one.
    let count = if format.contains("$filenum") { count } else { 1 };
    let names = (0..count).map(named).collect::<Result<Vec<_>>>()?;
    Ok(Files { names, shared: !format.contains("$jobnum") })
}

/// The directory of the job relative to the measured one: empty if it is absolute, unless it is one of devices.
fn folder(options: &Options, notes: &mut Notes) -> String {
    let Some(text) = options.text("directory") else { return String::new() };
    let all = between_colons(text);
    if all.iter().filter(|one| !one.is_empty()).count() > 1 {
        let at = options.at("directory");
        notes.lint(format!("directory{at} has {} directories: all files are in the first one", all.len()));
    }
    match all[0].starts_with('/') && !has_devices(&all[0]) {
        true => String::new(),
        false => all[0].clone(),
    }
}

/// Whether a directory has devices, which are used where they are, and no files.
fn has_devices(directory: &str) -> bool {
    let path = Path::new(directory);
    path.starts_with("/dev") && !path.starts_with("/dev/shm")
}

/// The absolute directory of the jobs.
pub(crate) fn directory(files: &[JobFile], overrides: &[Override]) -> Result<Option<String>> {
    let mut named: Option<String> = None;
    each_job(files, overrides, |_, options, _| {
        let Some(text) = options.text("directory") else { return Ok(()) };
        let first = between_colons(text).swap_remove(0);
        // If all file names of a job are absolute, its directory is not used.
        let is_elsewhere = |name: &str| name.is_empty() || name.starts_with('/');
        let unused = options.text("filename").is_some_and(|names| names.split(':').all(is_elsewhere));
        if !first.starts_with('/') || has_devices(&first) || unused {
            return Ok(());
        }
        let trimmed = first.trim_end_matches('/');
        match &named {
            Some(other) if other != trimmed => {
                let error = Error::new(format!("{first} differs from {other} of another job"));
                Err(options.error("directory", error.hint("one directory is measured at a time: override directory=")))
            }
            _ => {
                named = Some(trimmed.to_owned());
                Ok(())
            }
        }
    })?;
    Ok(named.map(|directory| if directory.is_empty() { "/".to_owned() } else { directory }))
}

fn placed(folder: &str, name: &str, options: &Options, key: &str) -> Result<String> {
    let name = match name.starts_with('/') {
        true => name.to_owned(),
        false => {
            let path = Path::new(folder).join(name);
            let parts: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
            parts.display().to_string()
        }
    };
    if Path::new(&name).components().any(|part| part == Component::ParentDir) {
        let error = Error::new(format!("{name} is outside of the measured directory"));
        return Err(options.error(key, error.hint("use a name without ..")));
    }
    match name.is_empty() {
        true => Err(options.error(key, Error::new("has no file name"))),
        false => Ok(name),
    }
}

/// Selection of the file of the next I/O.
pub(crate) fn choice(options: &Options, notes: &mut Notes) -> Result<FileChoice> {
    let text = options.text("file_service_type").unwrap_or("roundrobin");
    match text.split([':', ',']).next().unwrap_or_default() {
        "roundrobin" => Ok(FileChoice::RoundRobin),
        "random" => Ok(FileChoice::Random),
        "sequential" => Ok(FileChoice::Sequential),
        distribution @ ("zipf" | "pareto" | "normal" | "gauss") => {
            let at = options.at("file_service_type");
            notes.lint(format!("file_service_type={distribution}{at} is not supported: files are chosen uniformly"));
            Ok(FileChoice::Random)
        }
        other => {
            let error = Error::new(format!("{other} is not a file_service_type"));
            let known = "one of roundrobin random sequential";
            Err(options.error("file_service_type", error.hint(known)))
        }
    }
}
