//! One group: made, filled, emptied, removed.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use base::root::{self, Root};
use base::{Maker, Process};

use super::counts::{self, IoCounts};
use super::error::RestrictionError;
use super::hierarchy::Hierarchy;
use crate::placement::below;

/// How often one looks for processes that were started meanwhile.
const ROUNDS_MAX: u32 = 50;
/// A group that was just emptied is busy for a moment.
const PAUSE: Duration = Duration::from_millis(10);

/// A group that this process has made; it is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Group {
    root: Root,
    hierarchy: Hierarchy,
    directory: PathBuf,
    /// Where each process was before.
    origins: BTreeMap<u32, PathBuf>,
    is_there: bool,
}

impl Group {
    /// Makes it, without limits and without processes.
    pub(super) fn make(root: &Root, hierarchy: &Hierarchy) -> Result<Group, RestrictionError> {
        let process = Process::own()
            .ok_or_else(|| RestrictionError::new("this process has no start time", "mount /proc: it is told there"))?;
        let directory = hierarchy.parent.join(Maker { process, number: 0 }.to_string());
        fs::create_dir(&directory).map_err(|error| RestrictionError::refused("made", &directory, &error))?;
        let (root, hierarchy) = (root.clone(), hierarchy.clone());
        Ok(Group { root, hierarchy, directory, origins: BTreeMap::new(), is_there: true })
    }

    /// Writes `text` into a file of the group.
    pub(super) fn write(&self, file: &str, text: &str) -> Result<(), RestrictionError> {
        let path = self.directory.join(file);
        fs::write(&path, text).map_err(|error| RestrictionError::refused(&format!("told {text}"), &path, &error))
    }

    /// Takes over what `files` of the group of this process say, line by line.
    pub(super) fn take_over(&self, files: &[&str]) -> Result<(), RestrictionError> {
        for file in files {
            let text = root::text(self.hierarchy.own.join(file)).unwrap_or_default();
            text.lines().try_for_each(|line| self.write(file, line))?;
        }
        Ok(())
    }

    /// What its processes have had of the I/O of `device`.
    pub(super) fn io_counts(&self, device: (u32, u32)) -> Option<IoCounts> {
        counts::read(&self.directory, self.hierarchy.version, device)
    }

    /// Moves the processes `roots` and all below them here, until nobody is left outside.
    pub(super) fn gather(&mut self, roots: &[u32]) -> Result<(), RestrictionError> {
        for _ in 0..ROUNDS_MAX {
            let everybody = roots.iter().flat_map(|pid| [vec![*pid], below(*pid)].concat());
            let outside: Vec<u32> = everybody.filter(|pid| !self.origins.contains_key(pid)).collect();
            if outside.is_empty() {
                return Ok(());
            }
            for pid in outside {
                let origin = self.hierarchy.group_of(&self.root, pid).filter(|origin| *origin != self.directory);
                // A child of one that was moved is here already, and goes back to where that came from.
                self.origins.insert(pid, origin.unwrap_or_else(|| self.hierarchy.own.clone()));
                move_to(pid, &self.directory)?;
            }
        }
        Err(RestrictionError::new("processes are started faster than they can be moved", "try again"))
    }

    /// Moves everybody back and removes the group.
    pub(super) fn remove(mut self) -> Result<(), RestrictionError> {
        self.undo()
    }

    fn undo(&mut self) -> Result<(), RestrictionError> {
        if !std::mem::take(&mut self.is_there) {
            return Ok(());
        }
        let origin = |pid: u32| self.origins.get(&pid).unwrap_or(&self.hierarchy.own);
        empty(&self.directory, origin)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Nobody is left to hear of an error; the next start finds the group and removes it.
        let _ = self.undo();
    }
}

/// Moves all processes of the group `directory` to their origins and removes it.
pub(super) fn empty<'a>(directory: &Path, origin: impl Fn(u32) -> &'a PathBuf) -> Result<(), RestrictionError> {
    let mut last = io::Error::other("it is not empty");
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
    Err(RestrictionError::refused("removed", directory, &last))
}

/// Moves a process with all its threads; one that has ended is where it should be.
fn move_to(pid: u32, directory: &Path) -> Result<(), RestrictionError> {
    let path = directory.join("cgroup.procs");
    match fs::write(&path, pid.to_string()) {
        Err(error) if base::process::is_running(pid) => {
            Err(RestrictionError::refused(&format!("joined by process {pid}"), directory, &error))
        }
        _ => Ok(()),
    }
}
