//! A cgroup of this process.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use base::root::{self, Root};
use base::{ObjectName, Process};

use super::counts::{self, IoCounts};
use super::error::RestrictionError;
use super::hierarchy::Hierarchy;
use crate::placement::descendants;

/// Maximum attempts to move all processes.
const ROUNDS_MAX: u32 = 50;
/// Pause before the next attempt: a cgroup stays busy briefly after its last process has left.
const PAUSE: Duration = Duration::from_millis(10);

/// A cgroup created by this process; removed on drop.
#[derive(Debug)]
pub(super) struct Group {
    root: Root,
    hierarchy: Hierarchy,
    directory: PathBuf,
    /// The previous cgroup of each process.
    origins: BTreeMap<u32, PathBuf>,
    exists: bool,
}

impl Group {
    /// Creates a cgroup without limits and processes.
    pub(super) fn create(root: &Root, hierarchy: &Hierarchy) -> Result<Group, RestrictionError> {
        let process = Process::own()
            .ok_or_else(|| RestrictionError::new("the start time of this process is unknown", "mount /proc"))?;
        let directory = hierarchy.parent.join(ObjectName { process, number: 0 }.to_string());
        fs::create_dir(&directory).map_err(|error| RestrictionError::refused("create", &directory, &error))?;
        let (root, hierarchy) = (root.clone(), hierarchy.clone());
        Ok(Group { root, hierarchy, directory, origins: BTreeMap::new(), exists: true })
    }

    /// Writes `text` to a file of the cgroup.
    pub(super) fn write(&self, file: &str, text: &str) -> Result<(), RestrictionError> {
        let path = self.directory.join(file);
        fs::write(&path, text).map_err(|error| RestrictionError::refused(&format!("write {text} to"), &path, &error))
    }

    /// Copies the lines of `files` from the cgroup of this process.
    pub(super) fn inherit(&self, files: &[&str]) -> Result<(), RestrictionError> {
        for file in files {
            let text = root::text(self.hierarchy.own.join(file)).unwrap_or_default();
            text.lines().try_for_each(|line| self.write(file, line))?;
        }
        Ok(())
    }

    /// I/O of its processes on `device`.
    pub(super) fn io_counts(&self, device: (u32, u32)) -> Option<IoCounts> {
        counts::read(&self.directory, self.hierarchy.version, device)
    }

    /// Moves the processes `roots` and all their descendants into the cgroup, including those started meanwhile.
    pub(super) fn add_processes(&mut self, roots: &[u32]) -> Result<(), RestrictionError> {
        for _ in 0..ROUNDS_MAX {
            let all = roots.iter().flat_map(|pid| [vec![*pid], descendants(*pid)].concat());
            let outside: Vec<u32> = all.filter(|pid| !self.origins.contains_key(pid)).collect();
            if outside.is_empty() {
                return Ok(());
            }
            for pid in outside {
                let origin = self.hierarchy.group_of(&self.root, pid).filter(|origin| *origin != self.directory);
                // A child of a moved process is already here; its origin is our own cgroup.
                self.origins.insert(pid, origin.unwrap_or_else(|| self.hierarchy.own.clone()));
                move_to(pid, &self.directory)?;
            }
        }
        Err(RestrictionError::new("processes are started faster than they can be moved", "try again"))
    }

    /// Moves all processes back and removes the cgroup.
    pub(super) fn remove(&mut self) -> Result<(), RestrictionError> {
        if !std::mem::take(&mut self.exists) {
            return Ok(());
        }
        let origin = |pid: u32| self.origins.get(&pid).unwrap_or(&self.hierarchy.own);
        remove(&self.directory, origin)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // After an error the next start removes the cgroup.
        let _ = self.remove();
    }
}

/// Moves all processes of the cgroup `directory` to their origins and removes it.
pub(super) fn remove<'a>(directory: &Path, origin: impl Fn(u32) -> &'a PathBuf) -> Result<(), RestrictionError> {
    let mut last = io::Error::other("not empty");
    for _ in 0..ROUNDS_MAX {
        let text = root::text(directory.join("cgroup.procs")).unwrap_or_default();
        for pid in text.lines().filter_map(|line| line.trim().parse::<u32>().ok()) {
            move_to(pid, origin(pid))?;
        }
        match fs::remove_dir(directory) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => last = error,
        }
        thread::sleep(PAUSE);
    }
    Err(RestrictionError::refused("remove", directory, &last))
}

/// Moves a process with all its threads; an ended process is not an error.
fn move_to(pid: u32, directory: &Path) -> Result<(), RestrictionError> {
    let path = directory.join("cgroup.procs");
    match fs::write(&path, pid.to_string()) {
        Err(error) if base::process::is_running(pid) => {
            Err(RestrictionError::refused(&format!("move process {pid} to"), directory, &error))
        }
        _ => Ok(()),
    }
}
