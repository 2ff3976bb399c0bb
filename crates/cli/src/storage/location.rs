//! Files and devices of the I/O: the named devices, the directory of files, and the permission to write to devices.

use std::collections::BTreeSet;
use std::io::{BufRead, IsTerminal, stdin};
use std::path::{Path, PathBuf};

use record::IoPlan;
use run::{Error, Permission, Result};

use crate::arguments::io::LocationArguments;
use crate::output::note;

/// The arguments with absolute paths of all devices. An absolute path stays as it is, so that it matches that of a job
/// file.
///
/// # Errors
/// Devices and files that do not exist.
pub fn with_absolute_devices(location: &LocationArguments) -> Result<LocationArguments> {
    let absolute = |path: &PathBuf| match path.is_absolute() && path.exists() {
        true => Ok(path.clone()),
        false => path.canonicalize().map_err(|error| run::not_found(path, &error)),
    };
    let device = location.device.iter().map(absolute).collect::<Result<_>>()?;
    // A path that does not exist is refused later.
    let confirmed = |path: &PathBuf| match path == Path::new(ASK) {
        true => path.clone(),
        false => absolute(path).unwrap_or_else(|_| path.clone()),
    };
    let destroy_data = location.destroy_data.iter().map(confirmed).collect();
    Ok(LocationArguments { device, destroy_data, ..location.clone() })
}

/// The arguments where all devices are those of other hosts, on which alone they can be looked at.
///
/// # Errors
/// Paths that are not absolute.
pub fn with_devices_of_hosts(location: &LocationArguments) -> Result<LocationArguments> {
    match location.device.iter().find(|device| !device.is_absolute()) {
        Some(device) => Err(Error::user(format!("device {} has no absolute path", device.display()))
            .hint("it is opened on each host: give a path such as /dev/nvme1n1")),
        None => Ok(location.clone()),
    }
}

/// The directory to work in: that of the command line, or of the jobs, or of their files. If the command line overrides
/// them, the plan gets a note.
///
/// # Errors
/// Files in several directories.
pub fn directory(
    given: Option<&Path>,
    named: Option<String>,
    devices: &[PathBuf],
    plan: &mut IoPlan,
) -> Result<PathBuf> {
    let mut wanted = directories_of_files(plan, devices);
    wanted.extend(named.map(PathBuf::from));
    if let Some(given) = given {
        let overridden = wanted.iter().filter(|directory| !is_same(directory, given));
        let note =
            |directory: &PathBuf| format!("--dir {} overrides {} of the jobs", given.display(), directory.display());
        plan.lints.extend(overridden.map(note));
        return Ok(given.to_owned());
    }
    let mut directories = wanted.into_iter();
    match (directories.next(), directories.next()) {
        (None, _) => Ok(PathBuf::from(".")),
        (Some(only), None) => Ok(only),
        (Some(one), Some(other)) => {
            let (one, other) = (one.display(), other.display());
            Err(Error::user(format!("the jobs have files in {one} and in {other}"))
                .hint("one directory is measured at a time: give it by --dir, or run these jobs one by one"))
        }
    }
}

/// The directories of absolute paths of files that do not exist yet; `devices` are those that do, maybe on another host.
fn directories_of_files(plan: &IoPlan, devices: &[PathBuf]) -> BTreeSet<PathBuf> {
    let names = plan.phases.iter().flat_map(|phase| &phase.jobs).flat_map(|job| &job.files).map(Path::new);
    let new =
        names.filter(|path| path.is_absolute() && !run::is_foreign(path) && devices.iter().all(|one| one != path));
    new.filter_map(Path::parent).map(Path::to_owned).collect()
}

fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

/// Devices and existing files that `plan` writes to. Preconditioning writes to all of them.
pub fn written_devices(plan: &IoPlan, precondition: bool) -> Vec<PathBuf> {
    let jobs = plan.phases.iter().flat_map(|phase| &phase.jobs);
    let writing = jobs.filter(|job| precondition || job.mix.changes_data());
    let names: BTreeSet<PathBuf> = writing.flat_map(|job| &job.files).map(PathBuf::from).collect();
    names.into_iter().filter(|path| run::is_foreign(path)).collect()
}

/// The value of `--destroy-data` without a path: ask for confirmation.
const ASK: &str = "-";

/// Which devices may be used and overwritten, on each of `hosts`, or here without any; asks for confirmation of `writes` where
/// needed.
///
/// # Errors
/// Where the user did not confirm.
pub fn permission(arguments: &LocationArguments, writes: &[PathBuf], hosts: &[String]) -> Result<Permission> {
    let mut destroy = Vec::new();
    for path in &arguments.destroy_data {
        match path == Path::new(ASK) {
            false if !arguments.device.contains(path) => {
                return Err(Error::user(format!("--destroy-data {} is not a --device", path.display()))
                    .hint("give the path twice: --device PATH --destroy-data PATH"));
            }
            false => destroy.push(path.clone()),
            true => {
                for device in writes.iter().filter(|device| arguments.device.contains(device)) {
                    if arguments.yes || confirmed(device, hosts)? {
                        destroy.push(device.clone());
                    }
                }
            }
        }
    }
    Ok(Permission { devices: arguments.device.clone(), destroy })
}

fn confirmed(device: &Path, hosts: &[String]) -> Result<bool> {
    let shown = device.display().to_string();
    let on = if hosts.is_empty() { String::new() } else { format!(" on each of {}", hosts.join(", ")) };
    if !stdin().is_terminal() {
        return Err(Error::user(format!("destroying the data on {shown} is not confirmed"))
            .hint(format!("give --destroy-data {shown}, or --destroy-data --yes")));
    }
    note(&format!("This destroys all data on {shown}{on}. Type its path to continue:"));
    let mut answer = String::new();
    stdin().lock().read_line(&mut answer).map_err(|error| Error::environment(format!("no answer: {error}")))?;
    match answer.trim() == shown {
        true => Ok(true),
        false => Err(Error::user(format!("{shown} was not confirmed")).hint("nothing was written")),
    }
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
    fn files_that_do_not_exist_give_the_directory() {
        let of = |files: &[&str]| directory(None, None, &[], &mut plan(files)).unwrap();
        assert_eq!(of(&["data", "/dev/sdx"]), Path::new("."));
        assert_eq!(of(&["/mnt/none/a", "/mnt/none/b"]), Path::new("/mnt/none"));
        let there = [PathBuf::from("/mnt/none/a")];
        assert_eq!(directory(None, None, &there, &mut plan(&["/mnt/none/a"])).unwrap(), Path::new("."));
        let error = directory(None, None, &[], &mut plan(&["/mnt/none/a", "/mnt/other/b"])).unwrap_err();
        assert!(error.to_string().starts_with("the jobs have files in /mnt/none and in /mnt/other\nhint: "), "{error}");
        assert!(directory(None, Some("/mnt/other".to_owned()), &[], &mut plan(&["/mnt/none/a"])).is_err());
    }

    #[test]
    fn a_directory_of_the_command_line_overrides_them_with_a_note() {
        let mut plan = plan(&["/mnt/none/a", "/mnt/other/b"]);
        let here = Path::new(".");
        assert_eq!(directory(Some(here), None, &[], &mut plan).unwrap(), here);
        assert_eq!(plan.lints[0], "--dir . overrides /mnt/none of the jobs");
        assert_eq!(plan.lints.len(), 2);
        plan = IoPlan::default();
        directory(Some(Path::new("/tmp/../tmp")), Some("/tmp".to_owned()), &[], &mut plan).unwrap();
        assert!(plan.lints.is_empty(), "{:?}", plan.lints);
    }

    #[test]
    fn preconditioning_writes_to_what_is_only_read() {
        let reading = plan(&["/dev/null", "data"]);
        assert_eq!(written_devices(&reading, false), [""; 0].map(PathBuf::from));
        assert_eq!(written_devices(&reading, true), [PathBuf::from("/dev/null")]);
    }

    #[test]
    fn devices_have_absolute_paths() {
        let named =
            |device: &str| LocationArguments { device: vec![PathBuf::from(device)], ..LocationArguments::default() };
        let cargo = with_absolute_devices(&named("Cargo.toml")).unwrap();
        assert!(cargo.device[0].is_absolute() && cargo.device[0].ends_with("Cargo.toml"), "{:?}", cargo.device);
        assert_eq!(with_absolute_devices(&named("/dev/null")).unwrap().device, [PathBuf::from("/dev/null")]);
        let error = with_absolute_devices(&named("/dev/none")).unwrap_err().to_string();
        assert!(error.starts_with("device /dev/none cannot be found: No such file"), "{error}");
    }
}
