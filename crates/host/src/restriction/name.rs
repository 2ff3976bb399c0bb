//! The name of a group says who made it: `dbdyno-PID-START`. Whose maker is dead is removed.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::group::empty;
use super::hierarchy::{Controller, Hierarchy};
use crate::root::{self, Root};

const PREFIX: &str = "dbdyno-";

/// The maker of a group: its number, and its start, which tells it from a later process of that number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GroupName {
    pid: u32,
    /// Ticks since the machine started.
    start_ticks: u64,
}

impl GroupName {
    /// The name for groups of this process; none where its start is not known.
    pub(super) fn own() -> Option<GroupName> {
        GroupName::of(&Root::host().proc, std::process::id())
    }

    fn of(proc: &Path, pid: u32) -> Option<GroupName> {
        let start_ticks = start_ticks(&root::text(proc.join(pid.to_string()).join("stat"))?)?;
        Some(GroupName { pid, start_ticks })
    }

    /// Whether the maker still runs.
    fn is_alive(self) -> bool {
        crate::is_running(self.pid) && GroupName::of(&Root::host().proc, self.pid) == Some(self)
    }
}

impl fmt::Display for GroupName {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{PREFIX}{}-{}", self.pid, self.start_ticks)
    }
}

impl FromStr for GroupName {
    type Err = ();

    fn from_str(text: &str) -> Result<GroupName, ()> {
        let (pid, start_ticks) = text.strip_prefix(PREFIX).and_then(|rest| rest.split_once('-')).ok_or(())?;
        let name = GroupName { pid: pid.parse().map_err(drop)?, start_ticks: start_ticks.parse().map_err(drop)? };
        // No other spelling: what is removed is what was made.
        (name.to_string() == text).then_some(name).ok_or(())
    }
}

/// Field 22 of `/proc/PID/stat`. The name before it may hold anything, brackets too.
fn start_ticks(stat: &str) -> Option<u64> {
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(19)?.parse().ok()
}

/// Removes the groups that an earlier invocation has made and could not remove; says which, a line each. Processes in
/// them go where this process is.
pub fn remove_left_groups() -> Vec<String> {
    let root = Root::host();
    let trees = [Controller::Cpu, Controller::Io].map(|controller| Hierarchy::of(&root, controller));
    let mut said = Vec::new();
    for tree in trees.into_iter().flatten() {
        for name in root::names(&tree.parent) {
            let Ok(maker) = name.parse::<GroupName>() else { continue };
            if maker.is_alive() {
                continue;
            }
            let directory = tree.parent.join(&name);
            said.push(match empty(&directory, |_| &tree.own) {
                Ok(()) => format!("removed control group {}, left by an earlier invocation", directory.display()),
                Err(error) => error.to_string(),
            });
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_maker_is_known_by_number_and_start() {
        let own = GroupName::own().expect("this process");
        assert!(own.is_alive());
        assert!(!GroupName { start_ticks: own.start_ticks + 1, ..own }.is_alive(), "a later process of that number");
        assert_eq!(own.to_string().parse(), Ok(own));
    }

    #[test]
    fn only_what_was_made_so_is_ours() {
        for name in ["dbdyno", "dbdyno-1", "dbdyno-1-", "dbdyno-01-2", "dbdyno-1-2-3", "dbdyno-+1-2", "xdbdyno-1-2"] {
            assert_eq!(name.parse::<GroupName>(), Err(()), "{name}");
        }
    }

    #[test]
    fn the_start_is_the_twenty_second_field() {
        let text = "7 (a ) b (c) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 1000 20";
        assert_eq!(start_ticks(text), Some(4711));
        assert_eq!(start_ticks("7 (short) S 1"), None);
    }

    proptest! {
        #[test]
        fn every_name_is_read_again(pid in any::<u32>(), start_ticks in any::<u64>()) {
            let name = GroupName { pid, start_ticks };
            prop_assert_eq!(name.to_string().parse(), Ok(name));
        }

        #[test]
        fn no_text_is_too_strange(text in "(dbdyno-)?\\PC*") {
            let _ = text.parse::<GroupName>();
            let _ = start_ticks(&text);
        }
    }
}
