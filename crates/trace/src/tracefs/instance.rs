//! One instance: made, told what to note, removed.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::Tracefs;
use super::left::own_name;
use crate::event::TRACEPOINTS;

/// Memory of the ring of a processor. An event takes about 70 bytes.
const RING_KIB: u32 = 4_096;

/// Instances that this process has made: several may be there at the same time.
static MADE: AtomicU32 = AtomicU32::new(0);

/// An instance of this process; it is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Instance {
    directory: PathBuf,
    /// What keeps the directory there.
    _tracefs: Tracefs,
}

impl Instance {
    /// Makes one that will note the requests for which `condition` holds, and notes nothing yet.
    pub(super) fn make(tracefs: Tracefs, condition: &str) -> io::Result<Instance> {
        let instances = tracefs.path().join("instances");
        let name = own_name(MADE.fetch_add(1, Ordering::Relaxed))
            .ok_or_else(|| io::Error::other("this process has no start time in /proc"))?;
        let directory = instances.join(name);
        fs::create_dir(&directory)?;
        let made = Instance { directory, _tracefs: tracefs };
        made.set_up(condition)?;
        Ok(made)
    }

    fn set_up(&self, condition: &str) -> io::Result<()> {
        self.write("tracing_on", "0")?;
        self.write("trace_clock", "mono")?;
        // As much as is to be had: the ring that the kernel gives by itself will do where there is no more.
        let _ = self.write("buffer_size_kb", &RING_KIB.to_string());
        for (_, name) in TRACEPOINTS {
            self.write(&format!("events/block/{name}/filter"), condition)?;
            self.write(&format!("events/block/{name}/enable"), "1")?;
        }
        Ok(())
    }

    fn write(&self, file: &str, text: &str) -> io::Result<()> {
        let path = self.directory.join(file);
        fs::write(&path, text)
            .map_err(|error| io::Error::new(error.kind(), format!("{file} cannot be told {text}: {error}")))
    }

    /// Notes events from now on, or no more.
    pub(super) fn note(&self, on: bool) {
        // The file took the same a moment ago; where it does not, there are no events, and it shows.
        let _ = self.write("tracing_on", if on { "1" } else { "0" });
    }

    /// The rings of all processors, as files that do not wait.
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

    /// Events that found no room, on all processors.
    pub(super) fn lost_count(&self) -> Option<u64> {
        let of = |cpu: PathBuf| fs::read_to_string(cpu.join("stats")).ok().as_deref().and_then(lost);
        self.processors().ok()?.into_iter().map(of).sum()
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // Nobody is left to hear of an error; the next start finds what could not be removed.
        let _ = remove(&self.directory);
    }
}

/// Removes the instance `directory`, which takes its events with it.
pub(super) fn remove(directory: &Path) -> io::Result<()> {
    fs::remove_dir(directory)
}

/// What `stats` of a processor says was lost.
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
    fn all_ways_to_lose_an_event_add_up() {
        let stats = "entries: 7\noverrun: 5\ncommit overrun: 1\nbytes: 99\ndropped events: 2\nread events: 30\n";
        assert_eq!((lost(stats), lost("entries: 7\n")), (Some(8), None));
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in "((overrun|commit overrun|dropped events)?:? ?[0-9]{0,25}\\PC*\n)*") {
            let _ = lost(&text);
        }
    }
}
