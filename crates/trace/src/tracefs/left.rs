//! Instances that a process left behind when it was killed.

use std::fs;
use std::path::Path;

use base::{Maker, Process};

use super::Tracefs;
use super::instance::remove;

/// The name of instance `number` of this process.
pub(super) fn own_name(number: u32) -> Option<String> {
    Some(Maker { process: Process::own()?, number }.to_string())
}

/// Removes the instances of processes of dbdyno that are gone; says which. Where tracefs cannot be read there are none that
/// could be removed.
pub(crate) fn remove_left() -> Vec<String> {
    let Ok(tracefs) = Tracefs::find() else { return Vec::new() };
    remove_left_in(&tracefs.path().join("instances"), Path::new("/proc"))
}

fn remove_left_in(instances: &Path, proc: &Path) -> Vec<String> {
    let entries = fs::read_dir(instances).into_iter().flatten().flatten();
    let gone = entries.filter(|entry| {
        let name = entry.file_name();
        let maker = name.to_str().and_then(|name| name.parse::<Maker>().ok());
        maker.is_some_and(|maker| Process::below(proc, maker.process.pid) != Some(maker.process))
    });
    let removed = gone.filter(|entry| remove(&entry.path()).is_ok());
    let words = |entry: fs::DirEntry| {
        format!(
            "removed the instance {} of the kernel's tracer, left by an earlier invocation",
            entry.file_name().display()
        )
    };
    removed.map(words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dead_process_left_is_removed_and_nothing_else() {
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
    fn the_name_says_whose_it_is() {
        let process = Process::own().unwrap();
        assert_eq!(own_name(2).unwrap().parse(), Ok(Maker { process, number: 2 }));
        assert!(own_name(0).unwrap().matches('-').count() == 2);
    }
}
