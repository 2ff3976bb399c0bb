//! Instances of tracefs.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use base::{ObjectName, Process};

use super::mount::Tracefs;
use crate::event::TRACEPOINTS;

/// Size of the ring buffer of a processor. An event takes about 70 bytes.
const RING_KIB: u32 = 4_096;

/// Instances created by this process, which may have several at a time.
static CREATED: AtomicU32 = AtomicU32::new(0);

/// An instance of this process; removed on drop.
#[derive(Debug)]
pub(super) struct Instance {
    directory: PathBuf,
    /// Keeps the mount.
    _tracefs: Tracefs,
}

impl Instance {
    /// Creates a disabled instance for requests that match `filter`.
    pub(super) fn create(tracefs: Tracefs, filter: &str) -> io::Result<Instance> {
        let instances = tracefs.path().join("instances");
        let name = own_name(CREATED.fetch_add(1, Ordering::Relaxed))
            .ok_or_else(|| io::Error::other("the start time of this process is unknown (/proc)"))?;
        let directory = instances.join(name);
        fs::create_dir(&directory)?;
        let instance = Instance { directory, _tracefs: tracefs };
        instance.set_up(filter)?;
        Ok(instance)
    }

    fn set_up(&self, filter: &str) -> io::Result<()> {
        self.write("tracing_on", "0")?;
        self.write("trace_clock", "mono")?;
        // If the memory is not available, the default size has to do.
        let _ = self.write("buffer_size_kb", &RING_KIB.to_string());
        for (_, name) in TRACEPOINTS {
            self.write(&format!("events/block/{name}/filter"), filter)?;
            self.write(&format!("events/block/{name}/enable"), "1")?;
        }
        Ok(())
    }

    fn write(&self, file: &str, text: &str) -> io::Result<()> {
        let path = self.directory.join(file);
        fs::write(&path, text)
            .map_err(|error| io::Error::new(error.kind(), format!("cannot write {text} to {file}: {error}")))
    }

    /// Enables or disables the recording of events.
    pub(super) fn record(&self, on: bool) {
        // An error is visible as missing events.
        let _ = self.write("tracing_on", if on { "1" } else { "0" });
    }

    /// The ring buffers of all processors, non-blocking.
    pub(super) fn open_rings(&self) -> io::Result<Vec<File>> {
        let open = |cpu: PathBuf| {
            let path = cpu.join("trace_pipe_raw");
            OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC).open(path)
        };
        self.processors()?.into_iter().map(open).collect()
    }

    fn processors(&self) -> io::Result<Vec<PathBuf>> {
        let entries = fs::read_dir(self.directory.join("per_cpu"))?;
        entries.map(|entry| entry.map(|entry| entry.path())).collect()
    }

    /// Lost events of all processors.
    pub(super) fn lost_count(&self) -> Option<u64> {
        let of = |cpu: PathBuf| fs::read_to_string(cpu.join("stats")).ok().as_deref().and_then(lost);
        self.processors().ok()?.into_iter().map(of).sum()
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // After an error the next start removes the instance.
        let _ = fs::remove_dir(&self.directory);
    }
}

/// The name of instance `number` of this process.
fn own_name(number: u32) -> Option<String> {
    Some(ObjectName { process: Process::own()?, number }.to_string())
}

/// Removes the instances of dead dbdyno processes; returns a message for each. None if tracefs cannot be read.
pub(crate) fn remove_left() -> Vec<String> {
    let Ok(tracefs) = Tracefs::find() else { return Vec::new() };
    remove_left_in(&tracefs.path().join("instances"), Path::new("/proc"))
}

fn remove_left_in(instances: &Path, proc: &Path) -> Vec<String> {
    let entries = fs::read_dir(instances).into_iter().flatten().flatten();
    let stale = entries.filter(|entry| {
        let name = entry.file_name();
        let object = name.to_str().and_then(|name| name.parse::<ObjectName>().ok());
        object.is_some_and(|object| Process::below(proc, object.process.pid) != Some(object.process))
    });
    let removed = stale.filter(|entry| fs::remove_dir(entry.path()).is_ok());
    let message = |entry: fs::DirEntry| {
        format!("removed tracefs instance {}, left by an earlier invocation", entry.file_name().display())
    };
    removed.map(message).collect()
}

/// Lost events in `stats` of a processor.
fn lost(stats: &str) -> Option<u64> {
    let value = |word: &str| -> Option<u64> {
        stats.lines().find_map(|line| line.strip_prefix(word)?.strip_prefix(':')?.trim().parse().ok())
    };
    Some(
        value("overrun")?.saturating_add(value("commit overrun")?).saturating_add(value("dropped events").unwrap_or(0)),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn all_kinds_of_losses_add_up() {
        let stats = "entries: 7\noverrun: 5\ncommit overrun: 1\nbytes: 99\ndropped events: 2\nread events: 30\n";
        assert_eq!((lost(stats), lost("entries: 7\n")), (Some(8), None));
    }

    #[test]
    fn instances_of_dead_processes_are_removed_and_nothing_else() {
        let tree = tempfile::tempdir().unwrap();
        let (instances, proc) = (tree.path().join("instances"), tree.path().join("proc"));
        fs::create_dir_all(proc.join("70")).unwrap();
        fs::write(proc.join("70/stat"), "70 (a ) b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 900 20").unwrap();
        for name in
            ["dbdyno-70-900", "dbdyno-70-900-3", "dbdyno-70-899", "dbdyno-71-900-1", "dbdyno-mine", "foreign-7-9"]
        {
            fs::create_dir_all(instances.join(name)).unwrap();
        }
        let removed = remove_left_in(&instances, &proc);
        assert_eq!(removed.len(), 2, "{removed:?}");
        let mut stayed: Vec<String> =
            fs::read_dir(&instances).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        stayed.sort();
        assert_eq!(stayed, ["dbdyno-70-900", "dbdyno-70-900-3", "dbdyno-mine", "foreign-7-9"]);
    }

    #[test]
    fn the_name_identifies_the_process() {
        let process = Process::own().unwrap();
        assert_eq!(own_name(2).unwrap().parse(), Ok(ObjectName { process, number: 2 }));
        assert!(own_name(0).unwrap().matches('-').count() == 2);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "((overrun|commit overrun|dropped events)?:? ?[0-9]{0,25}\\PC*\n)*") {
            let _ = lost(&text);
        }
    }
}
