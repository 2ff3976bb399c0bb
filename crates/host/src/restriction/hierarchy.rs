//! The cgroup hierarchy in which a cgroup can be created.

use std::path::{Path, PathBuf};

use base::group::{own_directories, own_directories_of};
use base::root::{self, Root};

use super::error::RestrictionError;

/// A cgroup controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Controller {
    Cpu,
    Io,
}

impl Controller {
    /// The names in version 1 and version 2.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Controller::Cpu => ("cpu", "cpu"),
            Controller::Io => ("blkio", "io"),
        }
    }
}

/// A cgroup hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hierarchy {
    /// Version of control groups, 1 or 2.
    pub version: u32,
    /// The controller in its lines of `/proc/PID/cgroup`: empty in version 2.
    pub controller: &'static str,
    /// The parent of new cgroups.
    pub parent: PathBuf,
    /// The cgroup of this process.
    pub own: PathBuf,
}

impl Hierarchy {
    /// The hierarchy of `controller`.
    pub(super) fn of(root: &Root, controller: Controller) -> Result<Hierarchy, RestrictionError> {
        let (first, second) = controller.names();
        if let Some(own) = own_directories(root, first).and_then(|steps| steps.into_iter().next()) {
            return Ok(Hierarchy { version: 1, controller: first, parent: own.clone(), own });
        }
        let steps = own_directories_of(root, "self", None).unwrap_or_default();
        let Some(own) = steps.first().cloned() else {
            return Err(RestrictionError::new(
                "there are no control groups",
                "mount them: mount -t cgroup2 none /sys/fs/cgroup",
            ));
        };
        if !lists(&steps[steps.len() - 1].join("cgroup.controllers"), second) {
            return Err(RestrictionError::new(
                format!("the control groups have no controller {second}"),
                "the kernel was built or started without it, or it is not delegated to this container",
            ));
        }
        // A cgroup with processes cannot enable controllers for children (the root can): look above this one.
        let enables = |step: &&PathBuf| lists(&step.join("cgroup.subtree_control"), second);
        let Some(parent) = steps.iter().find(enables).cloned() else {
            return Err(RestrictionError::new(
                format!("no control group above {} enables the controller {second}", own.display()),
                format!("echo +{second} > {}/cgroup.subtree_control", steps[steps.len() - 1].display()),
            ));
        };
        match steps.iter().take_while(|step| **step != parent).find(|step| has_limit(step)) {
            Some(step) => Err(RestrictionError::new(
                format!("control group {} has a limit, which a sibling group would not have", step.display()),
                "run in a control group without limits",
            )),
            None => Ok(Hierarchy { version: 2, controller: "", parent, own }),
        }
    }

    /// The cgroup of a process in this hierarchy.
    pub(super) fn group_of(&self, root: &Root, pid: u32) -> Option<PathBuf> {
        let controller = Some(self.controller).filter(|name| !name.is_empty());
        own_directories_of(root, &pid.to_string(), controller)?.into_iter().next()
    }
}

fn lists(file: &Path, word: &str) -> bool {
    root::text(file).is_some_and(|text| text.split_ascii_whitespace().any(|known| known == word))
}

/// Whether a cgroup of version 2 has a limit that its processes lose when they leave it.
fn has_limit(group: &Path) -> bool {
    let text = |file: &str| root::text(group.join(file)).unwrap_or_default();
    let is_limited = |file: &str| !matches!(text(file).split(' ').next(), Some("max" | "") | None);
    is_limited("cpu.max") || is_limited("memory.max") || is_limited("memory.high") || !text("io.max").is_empty()
}
