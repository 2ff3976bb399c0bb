//! NVMe over fabrics on this host: targets that offer a device or a file, connections that make a block device of one.
//!
//! The kernel keeps all state, in configfs and sysfs; what is of dbdyno is known by its names alone, so that
//! it is found and removed whatever happened to the process that made it. What is to be done is a list of [`Step`]s, which
//! is printed as a script or carried out. What others made is never changed.

mod backing;
mod connection;
mod endpoint;
mod error;
mod kernel;
mod name;
mod removal;
mod state;
mod step;
mod target;

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use base::Root;
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::process::geteuid;

pub use self::connection::{ConnectionPlan, ConnectionRequest, SERVICE};
pub use self::endpoint::{Endpoint, Transport};
pub use self::error::{FabricError, FabricFault};
use self::kernel::{HostKernel, Kernel, apply};
pub use self::name::{NQN_BYTES_MAX, NQN_PREFIX};
pub use self::state::{Connection, FabricState, Namespace, Port, Subsystem};
pub use self::step::{CONFIGURATION, Step};
pub use self::target::{Backing, TargetPlan};
use crate::inventory::host_name;
use crate::storage::device_holders;

/// What one process at a time locks.
const LOCK: &str = "run/dbdyno-fabric.lock";
/// How long another invocation is waited for.
const LOCK_MAX: Duration = Duration::from_secs(60);
/// How long the block device of a connection is waited for.
const DEVICE_MAX: Duration = Duration::from_secs(15);
/// Pause before the next look.
const PAUSE: Duration = Duration::from_millis(50);

/// What there is, of dbdyno and of others.
pub fn state() -> FabricState {
    FabricState::read(&Root::host())
}

/// How the device or file at `path` becomes a target that listens at `endpoint`, and the steps that are left to do.
///
/// # Errors
/// Where it cannot be offered: it is in use, or something else listens there.
pub fn plan_target(path: &Path, endpoint: Endpoint) -> Result<(TargetPlan, Vec<Step>), FabricError> {
    let root = Root::host();
    let backing = backing::find(path)?;
    let plan = target::plan(&FabricState::read(&root), &host_name(), backing, endpoint)?;
    let pending = plan.pending(&root);
    if !pending.is_empty() {
        backing::refuse_use(&plan.backing)?;
    }
    Ok((plan, pending))
}

/// How this host is connected to a target.
///
/// # Errors
/// Where it is not clear to which one.
pub fn plan_connection(request: &ConnectionRequest) -> Result<ConnectionPlan, FabricError> {
    connection::plan(&state(), &host_name(), request)
}

/// The steps that remove all that is of dbdyno; none where nothing is.
///
/// # Errors
/// Where the device of a connection is in use.
pub fn plan_removal() -> Result<Vec<Step>, FabricError> {
    let root = Root::host();
    let state = FabricState::read(&root);
    for connection in state.connections.iter().filter(|connection| connection.is_ours()) {
        for device in &connection.devices {
            let reasons = device_holders(&root, device);
            if !reasons.is_empty() {
                return Err(FabricError::environment(
                    format!("/dev/{device} of {} is in use: {}", connection.controller, reasons.join("; ")),
                    "stop that first (umount, swapoff, ...): it would lose what it writes",
                ));
            }
        }
    }
    Ok(removal::steps(&state))
}

/// The right to change something: of one process at a time, until this value is dropped.
#[derive(Debug)]
pub struct FabricLock {
    root: Root,
    _lock: File,
}

impl FabricLock {
    /// Waits for other invocations.
    ///
    /// # Errors
    /// Without root, or where another invocation does not end.
    pub fn acquire() -> Result<FabricLock, FabricError> {
        let root = Root::host();
        if !geteuid().is_root() {
            return Err(FabricError::environment(
                format!("{CONFIGURATION}/nvmet and /dev/nvme-fabrics can be changed by root only"),
                "run it with sudo, or without --apply to read the steps first",
            ));
        }
        let path = root.top.join(LOCK);
        let refused = |error: std::io::Error| {
            FabricError::environment(
                format!("{} cannot be locked: {error}", path.display()),
                "mount /run where it is missing, or remove this file",
            )
        };
        let lock = open_lock(&path).map_err(refused)?;
        let start = Instant::now();
        while let Err(error) = flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            if error != rustix::io::Errno::WOULDBLOCK && error != rustix::io::Errno::INTR {
                return Err(refused(error.into()));
            }
            if start.elapsed() > LOCK_MAX {
                return Err(FabricError::environment(
                    format!("{} is locked by another process for more than {} s", path.display(), LOCK_MAX.as_secs()),
                    "wait until the other dbdyno has ended",
                ));
            }
            thread::sleep(PAUSE);
        }
        Ok(FabricLock { root, _lock: lock })
    }

    /// Carries out the steps of a target; what is made of it is removed again where one fails.
    ///
    /// # Errors
    /// What the kernel refused.
    pub fn make_target(&self, plan: &TargetPlan) -> Result<usize, FabricError> {
        make_target(&mut self.kernel(), &self.root, plan)
    }

    /// Connects, and waits for the block device.
    ///
    /// # Errors
    /// What the kernel refused, or where no device came.
    pub fn connect(&self, plan: &ConnectionPlan) -> Result<Connection, FabricError> {
        apply(&mut self.kernel(), &self.root, &plan.steps)?;
        let start = Instant::now();
        loop {
            let state = FabricState::read(&self.root);
            let is_planned = |known: &&Connection| connection::is_at(known, &plan.nqn, &plan.endpoint);
            let found = state.connections.iter().find(is_planned);
            let has_nodes = |known: &&Connection| {
                let has_node = |name: &String| self.root.top.join("dev").join(name).exists();
                !known.devices.is_empty() && known.devices.iter().all(has_node)
            };
            match found.filter(has_nodes) {
                Some(connection) => return Ok(connection.clone()),
                None if start.elapsed() < DEVICE_MAX => thread::sleep(PAUSE),
                None => {
                    let what = found.map_or_else(
                        || "the connection ended again".to_owned(),
                        |known| format!("{} is {}", known.controller, known.state),
                    );
                    return Err(FabricError::environment(
                        format!("no block device in {} s: {what}", DEVICE_MAX.as_secs()),
                        "the target may have no namespace that is enabled: dmesg has more; dbdyno fabric remove --apply ends it",
                    ));
                }
            }
        }
    }

    /// Carries out the steps of [`plan_removal`].
    ///
    /// # Errors
    /// What the kernel refused; the rest stays.
    pub fn remove(&self, steps: &[Step]) -> Result<usize, FabricError> {
        apply(&mut self.kernel(), &self.root, steps)
    }

    fn kernel(&self) -> HostKernel {
        HostKernel { root: self.root.clone() }
    }
}

/// The file of the lock, which nobody but its owner may open: a lock is held by whoever can open what it is on. It ends with the
/// process, whatever ends that, and the file stays.
fn open_lock(path: &Path) -> std::io::Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(path, flags, Mode::from_raw_mode(0o600))?);
    let found = file.metadata()?;
    match found.is_file() && found.uid() == geteuid().as_raw() && found.mode() & 0o077 == 0 {
        true => Ok(file),
        false => Err(std::io::Error::other("it is no file that root alone may open")),
    }
}

fn make_target(kernel: &mut dyn Kernel, root: &Root, plan: &TargetPlan) -> Result<usize, FabricError> {
    let was_offered = FabricState::read(root).ports_of(&plan.nqn).next().is_some();
    let made = apply(kernel, root, &plan.steps);
    if made.is_err() && !was_offered {
        let steps = removal::target_steps(&FabricState::read(root), |subsystem| subsystem.nqn == plan.nqn);
        // What cannot be removed now is found by `remove`; the first error is the one that matters.
        let _ = apply(kernel, root, &steps);
    }
    made
}

#[cfg(test)]
mod tests;
