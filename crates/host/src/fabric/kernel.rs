//! Carrying out steps, and why the kernel refused one.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use base::root::{Root, inside};

use super::error::FabricError;
use super::step::{CONFIGURATION, CONTROLLERS, FABRICS, Step};
use crate::system_program::system_program;

/// How long something that is busy is tried again: a controller that is being made, or an initiator that lets go.
const BUSY_MAX: Duration = Duration::from_secs(15);
/// Pause before the next attempt.
const PAUSE: Duration = Duration::from_millis(50);

/// Who carries out steps.
pub(super) trait Kernel {
    /// Carries out one step.
    ///
    /// # Errors
    /// Those of the operating system.
    fn carry_out(&mut self, step: &Step) -> io::Result<()>;
}

/// Carries out the `steps` whose effect is not there yet, in order; returns how many they were.
pub(super) fn apply(kernel: &mut dyn Kernel, root: &Root, steps: &[Step]) -> Result<usize, FabricError> {
    let mut count = 0;
    for step in steps {
        if !step.is_done(root) {
            kernel.carry_out(step).map_err(|error| refused(step, &error))?;
            count += 1;
        }
    }
    Ok(count)
}

/// The kernel of this host.
pub(super) struct HostKernel {
    pub(super) root: Root,
}

impl HostKernel {
    fn place(&self, path: &Path) -> PathBuf {
        inside(&self.root.top, &path.to_string_lossy())
    }

    /// One write: the kernel takes it as one value.
    fn write(&self, path: &Path, text: &str) -> io::Result<()> {
        OpenOptions::new().write(true).open(self.place(path))?.write_all(text.as_bytes())
    }
}

impl Kernel for HostKernel {
    fn carry_out(&mut self, step: &Step) -> io::Result<()> {
        match step {
            Step::LoadModule(name) => succeed("modprobe", &[name]),
            Step::MountConfiguration => succeed("mount", &["-t", "configfs", "configfs", CONFIGURATION]),
            Step::MakeDirectory(path) => fs::create_dir(self.place(path)),
            Step::Set { path, value } => self.write(path, value),
            Step::Link { path, target } => symlink(self.place(target), self.place(path)),
            Step::Connect { options } => self.write(Path::new(FABRICS), options),
            Step::Disconnect { controller } => {
                let path = Path::new(CONTROLLERS).join(controller).join("delete_controller");
                gone(|| self.write(&path, "1"))
            }
            Step::RemoveLink(path) => gone(|| fs::remove_file(self.place(path))),
            Step::RemoveDirectory(path) => gone(|| fs::remove_dir(self.place(path))),
        }
    }
}

/// Removes something, again while it is busy; what is gone already is fine.
fn gone(remove: impl Fn() -> io::Result<()>) -> io::Result<()> {
    let start = Instant::now();
    loop {
        match remove() {
            Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENODEV)) => return Ok(()),
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) && start.elapsed() < BUSY_MAX => {}
            other => return other,
        }
        thread::sleep(PAUSE);
    }
}

/// Runs a program, which lies where root finds it, to its end; an error is what it says.
fn succeed(program: &str, arguments: &[&str]) -> io::Result<()> {
    let output = Command::new(system_program(program)).args(arguments).stdin(Stdio::null()).output();
    let output = output.map_err(|error| io::Error::other(format!("{program} cannot be run: {error}")))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
    }
}

/// Why a step was not carried out, and what may be done.
pub(super) fn refused(step: &Step, error: &io::Error) -> FabricError {
    let what = match step {
        Step::LoadModule(name) => format!("the module {name} of the kernel cannot be loaded"),
        Step::MountConfiguration => format!("configfs cannot be mounted at {CONFIGURATION}"),
        Step::MakeDirectory(path) => format!("{} cannot be made", path.display()),
        Step::Set { path, value } => format!("{value} cannot be written to {}", path.display()),
        Step::Link { path, .. } => format!("the link {} cannot be made", path.display()),
        Step::Connect { .. } => format!("the connection was refused ({FABRICS})"),
        Step::Disconnect { controller } => format!("{CONTROLLERS}/{controller} cannot be disconnected"),
        Step::RemoveLink(path) | Step::RemoveDirectory(path) => format!("{} cannot be removed", path.display()),
    };
    let message = match error.to_string() {
        text if text.is_empty() => what,
        text => format!("{what}: {text}"),
    };
    FabricError::environment(message, hint(step, error))
}

fn hint(step: &Step, error: &io::Error) -> &'static str {
    match (step, error.raw_os_error()) {
        (Step::LoadModule(_), _) => {
            "use a kernel that has it, such as Debian's linux-image-amd64 (not the one of a container or a small virtual \
             machine)"
        }
        (_, Some(libc::EACCES | libc::EPERM)) => "run as root, outside of containers",
        (_, Some(libc::EROFS)) => "it is mounted read-only: run outside of the container",
        (Step::MakeDirectory(_), Some(libc::EEXIST)) => "something else made it at the same time: try again",
        (Step::Link { .. }, Some(libc::EADDRINUSE)) => "something else listens there: give another --port or --address",
        (Step::Link { .. }, Some(libc::EADDRNOTAVAIL | libc::ENODEV)) => {
            "no interface of this host has this address: `ip address` lists them"
        }
        (Step::Set { path, .. }, _) if path.ends_with("enable") => {
            "the kernel cannot open it for reading and writing: a file must be on a file system with direct I/O"
        }
        (Step::Connect { .. }, Some(libc::ECONNREFUSED)) => {
            "nothing listens there: make the target first, and compare address and port"
        }
        (Step::Connect { .. }, Some(libc::ETIMEDOUT | libc::EHOSTUNREACH | libc::ENETUNREACH)) => {
            "the address is not reached: try it with ping, and look for a firewall"
        }
        (Step::Connect { .. }, Some(libc::EALREADY)) => {
            "this host is connected there already: `dbdyno fabric` lists it"
        }
        (Step::Connect { .. }, _) => {
            "the target may not have this nqn, or the transport no module: dmesg has the reason"
        }
        (
            Step::Disconnect { .. } | Step::RemoveLink(_) | Step::RemoveDirectory(_),
            Some(libc::EBUSY | libc::ENOTEMPTY),
        ) => "something in it is still in use: stop that, and try again",
        _ => "dmesg may have the reason",
    }
}
