//! What a killed invocation left: groups are named after their maker, and those of a dead one are removed.

use base::Maker;
use base::root::{self, Root};

use super::group::empty;
use super::hierarchy::{Controller, Hierarchy};

/// Removes the groups that an earlier invocation has made and could not remove; says which, a line each. Processes in
/// them go where this process is.
pub fn remove_left_groups() -> Vec<String> {
    let root = Root::host();
    let trees = [Controller::Cpu, Controller::Io].map(|controller| Hierarchy::of(&root, controller));
    let mut said = Vec::new();
    for tree in trees.into_iter().flatten() {
        for name in root::names(&tree.parent) {
            let is_left = |maker: Maker| maker.number == 0 && !maker.process.is_alive();
            if !name.parse().is_ok_and(is_left) {
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
