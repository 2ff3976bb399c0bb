//! Where I/O goes: the devices that are named, the directories that files name, and what of it is written.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use record::IoPlan;
use run::{Error, Result};

use super::permission::ASK;
use crate::arguments::io::LocationArguments;

/// The same arguments with every device by its absolute path. One that is given as such stays as it is, so that it is
/// the one that a job file names.
///
/// # Errors
/// Devices and files that are not there.
pub fn with_absolute_devices(location: &LocationArguments) -> Result<LocationArguments> {
    let absolute = |path: &PathBuf| match path.is_absolute() && path.exists() {
        true => Ok(path.clone()),
        false => path.canonicalize().map_err(|error| {
            Error::user(format!("device {} cannot be found: {error}", path.display()))
                .hint("name a block device such as /dev/nvme1n1, or a file that is there")
        }),
    };
    let device = location.device.iter().map(absolute).collect::<Result<_>>()?;
    // What is not there is no device either, which is said later.
    let again = |path: &PathBuf| match path == Path::new(ASK) {
        true => path.clone(),
        false => absolute(path).unwrap_or_else(|_| path.clone()),
    };
    let destroy_data = location.destroy_data.iter().map(again).collect();
    Ok(LocationArguments { device, destroy_data, ..location.clone() })
}

/// The directory to work in: that of the command line, or the one that the jobs name, or the one of their files.
/// Where the command line overrules them, the plan gets a note.
///
/// # Errors
/// Files in several directories.
pub fn directory(asked: Option<&Path>, named: Option<String>, plan: &mut IoPlan) -> Result<PathBuf> {
    let mut wanted = directories_of_files(plan);
    wanted.extend(named.map(PathBuf::from));
    if let Some(asked) = asked {
        let overruled = wanted.iter().filter(|directory| !is_same(directory, asked));
        let note = |directory: &PathBuf| {
            format!("--dir {} takes the place of {}, which the jobs name", asked.display(), directory.display())
        };
        plan.lints.extend(overruled.map(note));
        return Ok(asked.to_owned());
    }
    let mut directories = wanted.into_iter();
    match (directories.next(), directories.next()) {
        (None, _) => Ok(PathBuf::from(".")),
        (Some(only), None) => Ok(only),
        (Some(one), Some(other)) => {
            let (one, other) = (one.display(), other.display());
            Err(Error::user(format!("the jobs name files in {one} and in {other}"))
                .hint("one directory is measured at a time: give it by --dir, or run these jobs one by one"))
        }
    }
}

/// The directories of absolute names of files that are not there yet: the places which their author means.
fn directories_of_files(plan: &IoPlan) -> BTreeSet<PathBuf> {
    let names = plan.phases.iter().flat_map(|phase| &phase.jobs).flat_map(|job| &job.files).map(Path::new);
    let ours = names.filter(|path| path.is_absolute() && !run::is_foreign(path));
    ours.filter_map(Path::parent).map(Path::to_owned).collect()
}

fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

/// Devices and files that are there already, and that `plan` writes to. Preconditioning writes to all of them.
pub fn written_devices(plan: &IoPlan, precondition: bool) -> Vec<PathBuf> {
    let jobs = plan.phases.iter().flat_map(|phase| &phase.jobs);
    let writing = jobs.filter(|job| precondition || job.mix.changes_data());
    let names: BTreeSet<PathBuf> = writing.flat_map(|job| &job.files).map(PathBuf::from).collect();
    names.into_iter().filter(|path| run::is_foreign(path)).collect()
}

#[cfg(test)]
mod tests {
    use record::{IoJob, IoPhase};

    use super::*;

    fn plan(files: &[&str]) -> IoPlan {
        let files = files.iter().map(|name| (*name).to_owned()).collect();
        let phase = IoPhase { name: "io".to_owned(), jobs: vec![IoJob { files, ..IoJob::default() }] };
        IoPlan { phases: vec![phase], ..IoPlan::default() }
    }

    #[test]
    fn files_that_are_not_there_name_the_directory() {
        let of = |files: &[&str]| directory(None, None, &mut plan(files)).unwrap();
        assert_eq!(of(&["data", "/dev/sdx"]), Path::new("."));
        assert_eq!(of(&["/mnt/none/a", "/mnt/none/b"]), Path::new("/mnt/none"));
        let error = directory(None, None, &mut plan(&["/mnt/none/a", "/mnt/other/b"])).unwrap_err();
        assert!(error.to_string().starts_with("the jobs name files in /mnt/none and in /mnt/other\nhint: "), "{error}");
        assert!(directory(None, Some("/mnt/other".to_owned()), &mut plan(&["/mnt/none/a"])).is_err());
    }

    #[test]
    fn a_directory_of_the_command_line_overrules_them_and_says_so() {
        let mut plan = plan(&["/mnt/none/a", "/mnt/other/b"]);
        let here = Path::new(".");
        assert_eq!(directory(Some(here), None, &mut plan).unwrap(), here);
        assert_eq!(plan.lints[0], "--dir . takes the place of /mnt/none, which the jobs name");
        assert_eq!(plan.lints.len(), 2);
        plan = IoPlan::default();
        directory(Some(Path::new("/tmp/../tmp")), Some("/tmp".to_owned()), &mut plan).unwrap();
        assert!(plan.lints.is_empty(), "{:?}", plan.lints);
    }

    #[test]
    fn preconditioning_writes_to_what_is_only_read() {
        let reading = plan(&["/dev/null", "data"]);
        assert_eq!(written_devices(&reading, false), [""; 0].map(PathBuf::from));
        assert_eq!(written_devices(&reading, true), [PathBuf::from("/dev/null")]);
    }

    #[test]
    fn a_device_is_known_by_its_absolute_path() {
        let named =
            |device: &str| LocationArguments { device: vec![PathBuf::from(device)], ..LocationArguments::default() };
        let cargo = with_absolute_devices(&named("Cargo.toml")).unwrap();
        assert!(cargo.device[0].is_absolute() && cargo.device[0].ends_with("Cargo.toml"), "{:?}", cargo.device);
        assert_eq!(with_absolute_devices(&named("/dev/null")).unwrap().device, [PathBuf::from("/dev/null")]);
        let error = with_absolute_devices(&named("/dev/none")).unwrap_err().to_string();
        assert!(error.starts_with("device /dev/none cannot be found: No such file"), "{error}");
    }
}
