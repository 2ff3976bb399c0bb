//! What is to be done, as a list that is printed as a script or carried out.

use std::fs;
use std::path::{Path, PathBuf};

use base::mount::mounts;
use base::root::{self, Root, inside};

use super::endpoint::Transport;

/// Where configfs belongs.
pub const CONFIGURATION: &str = "/sys/kernel/config";
/// The configuration of targets.
pub(super) const TARGETS: &str = "/sys/kernel/config/nvmet";
/// The controllers of NVMe.
pub(super) const CONTROLLERS: &str = "/sys/class/nvme";
/// Where connections are asked for.
pub(super) const FABRICS: &str = "/dev/nvme-fabrics";

/// One change of the state that the kernel keeps. Paths are those of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Loads a module of the kernel; one that is built in or loaded already is fine.
    LoadModule(String),
    /// Mounts configfs at [`CONFIGURATION`].
    MountConfiguration,
    /// Makes a directory.
    MakeDirectory(PathBuf),
    /// Sets an attribute, which can be read.
    Set {
        /// Its file.
        path: PathBuf,
        /// The value, without a line feed.
        value: String,
    },
    /// Makes a symbolic link at `path`.
    Link {
        /// The link.
        path: PathBuf,
        /// What it leads to.
        target: PathBuf,
    },
    /// Asks the kernel for a connection.
    Connect {
        /// The parts `name=value`, separated by commas.
        options: String,
    },
    /// Ends the connection of a controller of NVMe.
    Disconnect {
        /// Its name: `nvme5`.
        controller: String,
    },
    /// Removes a symbolic link.
    RemoveLink(PathBuf),
    /// Removes a directory of configfs with its attributes.
    RemoveDirectory(PathBuf),
}

impl Step {
    /// Sets the attribute `path` to `value`.
    pub(super) fn set(path: PathBuf, value: impl Into<String>) -> Step {
        Step::Set { path, value: value.into() }
    }

    /// Whether its effect is there already.
    pub(super) fn is_done(&self, root: &Root) -> bool {
        let place = |path: &Path| inside(&root.top, &path.to_string_lossy());
        match self {
            Step::LoadModule(name) => is_loaded(root, name),
            Step::MountConfiguration => {
                mounts(root).iter().any(|mount| mount.kind == "configfs" && mount.mount_point == CONFIGURATION)
            }
            Step::MakeDirectory(path) => place(path).is_dir(),
            Step::Set { path, value } => root::text(place(path)).as_deref() == Some(value),
            Step::Link { path, .. } => place(path).is_symlink(),
            Step::Connect { .. } => false,
            Step::Disconnect { controller } => !place(&Path::new(CONTROLLERS).join(controller)).exists(),
            Step::RemoveLink(path) => fs::symlink_metadata(place(path)).is_err(),
            Step::RemoveDirectory(path) => !place(path).exists(),
        }
    }
}

/// Whether a module is there, as far as can be seen: one that is built in is not listed unless it has parameters.
pub(super) fn is_loaded(root: &Root, name: &str) -> bool {
    let seen = match name {
        "nvmet" => inside(&root.top, TARGETS).is_dir(),
        _ => false,
    };
    seen || root.sys.join("module").join(name.replace('-', "_")).is_dir()
}

/// The module of the target side of a transport.
pub(super) fn target_module(transport: Transport) -> String {
    format!("nvmet-{}", transport.word())
}

/// The module of the initiator side of a transport.
pub(super) fn initiator_module(transport: Transport) -> String {
    format!("nvme-{}", transport.word())
}
