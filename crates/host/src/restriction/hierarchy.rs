//! Where a group can be made.

use std::path::{Path, PathBuf};

use base::group::{own_directories, own_directories_of};
use base::root::{self, Root};

use super::error::RestrictionError;

/// Which part of the kernel does the limiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Controller {
    Cpu,
    Io,
}

impl Controller {
    /// What it is called in one version and in the other.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Controller::Cpu => ("cpu", "cpu"),
            Controller::Io => ("blkio", "io"),
        }
    }
}

/// A tree of groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hierarchy {
    /// Version of control groups, 1 or 2.
    pub version: u32,
    /// The word of its lines in `/proc/PID/cgroup`: the controller in version 1, nothing in version 2.
    pub word: &'static str,
    /// The group below which one can be made.
    pub parent: PathBuf,
    /// The group that this process is in.
    pub own: PathBuf,
}

impl Hierarchy {
    /// The tree that `controller` works on.
    ///
    /// # Errors
    /// Where there is none, or where no group on the way up hands the controller on.
    pub(super) fn of(root: &Root, controller: Controller) -> Result<Hierarchy, RestrictionError> {
        let (first, second) = controller.names();
        let word = first;
        if let Some(own) = own_directories(root, first).and_then(|steps| steps.into_iter().next()) {
            return Ok(Hierarchy { version: 1, word, parent: own.clone(), own });
        }
        let steps = own_directories_of(root, "self", None).unwrap_or_default();
        let Some(own) = steps.first().cloned() else {
            return Err(RestrictionError::new(
                "there are no control groups here",
                "mount them: mount -t cgroup2 none /sys/fs/cgroup",
            ));
        };
        if !lists(&steps[steps.len() - 1].join("cgroup.controllers"), second) {
            return Err(RestrictionError::new(
                format!("the control groups have no controller {second}"),
                "the kernel was built or started without it, or it is not handed on to this container",
            ));
        }
        // A group with processes hands nothing on to groups below it (the root may): look above this one.
        let hands_on = |step: &&PathBuf| lists(&step.join("cgroup.subtree_control"), second);
        let Some(parent) = steps.iter().find(hands_on).cloned() else {
            return Err(RestrictionError::new(
                format!("no control group above {} hands the controller {second} on", own.display()),
                format!("echo +{second} > {}/cgroup.subtree_control", steps[steps.len() - 1].display()),
            ));
        };
        match steps.iter().take_while(|step| **step != parent).find(|step| has_limit(step)) {
            Some(step) => Err(RestrictionError::new(
                format!(
                    "control group {} has a limit of its own, which a group beside it would not have",
                    step.display()
                ),
                "run where there is none",
            )),
            None => Ok(Hierarchy { version: 2, word: "", parent, own }),
        }
    }

    /// The group that a process is in, in this tree.
    pub(super) fn group_of(&self, root: &Root, pid: u32) -> Option<PathBuf> {
        let controller = Some(self.word).filter(|word| !word.is_empty());
        own_directories_of(root, &pid.to_string(), controller)?.into_iter().next()
    }
}

fn lists(file: &Path, word: &str) -> bool {
    root::text(file).is_some_and(|text| text.split_ascii_whitespace().any(|known| known == word))
}

/// Whether a group of version 2 has a limit that its processes would leave with it.
fn has_limit(group: &Path) -> bool {
    let text = |file: &str| root::text(group.join(file)).unwrap_or_default();
    let is_limited = |file: &str| !matches!(text(file).split(' ').next(), Some("max" | "") | None);
    is_limited("cpu.max") || is_limited("memory.max") || is_limited("memory.high") || !text("io.max").is_empty()
}
