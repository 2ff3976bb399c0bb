//! Instances that a process left behind when it was killed.

use std::fs;
use std::path::Path;

use super::Tracefs;
use super::instance::remove;

/// What the names of all of them begin with.
const PREFIX: &str = "dbdyno-";

/// The name of instance `number` of this process: `dbdyno-PID-START`, then `-NUMBER` from the second one on. By its start
/// time a process is told from another one with the same number.
pub(super) fn own_name(number: u32) -> Option<String> {
    let pid = std::process::id();
    let start = start_time(Path::new("/proc"), pid)?;
    let suffix = if number == 0 { String::new() } else { format!("-{number}") };
    Some(format!("{PREFIX}{pid}-{start}{suffix}"))
}

/// When process `pid` was started, in ticks since the machine was.
fn start_time(proc: &Path, pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(proc.join(pid.to_string()).join("stat")).ok()?;
    // Behind the name, which may hold anything but ends with the last parenthesis; it is field 22 (proc_pid_stat(5)).
    stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

/// The process and its start time in the name of an instance.
fn owner(name: &str) -> Option<(u32, u64)> {
    let mut numbers = name.strip_prefix(PREFIX)?.split('-');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
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
        name.to_str().and_then(owner).is_some_and(|(pid, start)| start_time(proc, pid) != Some(start))
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
    use proptest::prelude::*;

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
        assert_eq!(start_time(&proc, 70), Some(900));
        let removed = remove_left_in(&instances, &proc);
        assert_eq!(removed.len(), 2, "{removed:?}");
        let mut stayed: Vec<String> =
            fs::read_dir(&instances).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        stayed.sort();
        assert_eq!(stayed, ["dbdyno-70-900", "dbdyno-70-900-3", "dbdyno-mine", "foreign-7-9"]);
    }

    #[test]
    fn the_name_says_whose_it_is() {
        let name = own_name(2).unwrap();
        let start = start_time(Path::new("/proc"), std::process::id()).unwrap();
        assert_eq!(owner(&name), Some((std::process::id(), start)));
        assert!(name.ends_with("-2") && own_name(0).unwrap().matches('-').count() == 2);
    }

    proptest! {
        #[test]
        fn no_name_is_too_strange(name in "(dbdyno)?-?[0-9]{0,12}-?\\PC*") {
            let _ = owner(&name);
        }
    }
}
