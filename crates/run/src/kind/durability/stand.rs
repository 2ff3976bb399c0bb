//! The test stand: the engine on files that a fault takes away, its start and its end by force.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use base::Process;
use base::process::Trees;
use crash::{
    FileSystem, Image, MountError, Mounted, MountedDisk, Pending, Policy, SharedVolume, Syncs, Volume, formatted,
};
use engine::{Engine, Node, Processes, Target, Workspace};
use measure::clock;
use record::{CrashRung, Nanos};
use rustix::process::{Pid, Signal, kill_process};

use super::layer::{FileFace, PowerSwitch};
use crate::{Error, Result};

/// Bytes of data that are taken into memory.
const DATA_BYTES_MAX: u64 = 2 << 30;

/// Bytes of a disk beside twice its data: what a file system and a load take.
const DISK_FREE_BYTES: u64 = 512 << 20;

/// How long a start may take, recovery included.
pub(super) const START_MAX: Duration = Duration::from_secs(60);

/// The same of a control, which is expected to have lost what the engine needs.
pub(super) const START_OF_CONTROL_MAX: Duration = Duration::from_secs(15);

/// How long killed processes may take to end.
const END_MAX: Duration = Duration::from_secs(20);

/// Where the engine works, and how.
pub(super) struct Stand<'a> {
    pub(super) engine: &'a dyn Engine,
    pub(super) target: Target,
    pub(super) workspace: Workspace,
    pub(super) rung: CrashRung,
    /// That of the disk, on a rung with one.
    pub(super) file_system: FileSystem,
    pub(super) syncs: Syncs,
    /// Directory of the data, which the engine has left clean.
    pub(super) data: PathBuf,
    /// How long a start may take.
    pub(super) start_max: Duration,
}

/// The files of a running engine.
enum Files {
    /// On the file system of this host.
    Host,
    /// On a volume that is mounted.
    Mounted(Mounted, SharedVolume),
    /// On a file system of a disk.
    Disk(MountedDisk, SharedVolume),
    /// On the file system of this host, with a volume that is told of each change once it is armed.
    Told(Arc<FileFace>, Option<SharedVolume>),
}

/// A running engine.
pub(super) struct Running {
    pub(super) node: Box<dyn Node>,
    /// How long it took to start.
    pub(super) ready_ns: Nanos,
    files: Files,
}

/// What a fault has left.
pub(super) struct Fault {
    /// When it came, on the monotonic clock.
    pub(super) at: Nanos,
    /// What was not synced, where that is known.
    pub(super) pending: Option<Pending>,
    /// The files that are left; none where they are on the file system of this host.
    pub(super) left: Option<Image>,
}

impl Stand<'_> {
    /// The data as they are on the file system, in memory; none where faults leave them there.
    pub(super) fn pristine(&self) -> Result<Option<Image>> {
        let is_in_process = self.engine.about().is_in_process;
        match self.rung {
            CrashRung::D0 if !is_in_process => Ok(None),
            CrashRung::D0 | CrashRung::D1 => read_image(&self.data).map(Some),
            CrashRung::D2 => self.disk_with(&read_image(&self.data)?).map(Some),
        }
    }

    /// A volume with a disk whose file system has the files of `image`.
    fn disk_with(&self, image: &Image) -> Result<Image> {
        let size_bytes = (2 * image.size_bytes() + DISK_FREE_BYTES).next_multiple_of(1 << 20);
        let disk = formatted(self.file_system, size_bytes, &self.data).map_err(|error| self.no_layer(&error))?;
        let volume = SharedVolume::new(Volume::new(disk, Syncs::Honest));
        let mounted = MountedDisk::at(&self.data, &volume, self.file_system).map_err(|error| self.no_layer(&error))?;
        mounted.fill(image).and_then(|()| mounted.finish()).map_err(|error| {
            Error::environment(format!("{} cannot be copied to a disk that loses writes: {error}", self.data.display()))
        })?;
        let disk = volume.lock().live().clone();
        Ok(disk)
    }

    fn no_layer(&self, error: &MountError) -> Error {
        let data = self.data.display();
        Error::environment(format!("{data} cannot be put on a layer that loses writes: {error}"))
            .hint("run as root where /dev/fuse is, or give --rung D0")
    }

    /// Starts the engine on `files`, or on those that are there. Why it does not start is the inner error.
    pub(super) fn start(&self, files: Option<Image>) -> Result<std::result::Result<Running, engine::Error>> {
        let start = clock::now();
        let is_told = self.engine.about().is_in_process;
        let (files, node) = match files {
            Some(image) if self.rung == CrashRung::D2 => {
                let volume = SharedVolume::new(Volume::new(image, self.syncs));
                match MountedDisk::at(&self.data, &volume, self.file_system) {
                    Ok(mounted) => (Files::Disk(mounted, volume.clone()), self.open_on_disk(&volume)),
                    // What is left is not even a file system: nothing can start on it.
                    Err(error @ MountError::Unreadable { .. }) => {
                        return Ok(Err(engine::Error::new(engine::Kind::Unreachable, error.to_string())));
                    }
                    Err(error) => return Err(self.no_layer(&error)),
                }
            }
            Some(image) if is_told => {
                replace_files(&self.data, &image)?;
                let face = Arc::new(FileFace::default());
                let layer = Arc::clone(&face) as Arc<dyn engine::FileLayer>;
                let opened = self.engine.open_above(&self.target, &self.workspace, layer);
                (Files::Told(face, None), opened.and_then(claimed))
            }
            Some(image) => {
                let volume = SharedVolume::new(Volume::new(image, self.syncs));
                let mounted = Mounted::at(&self.data, &volume).map_err(|error| self.no_layer(&error))?;
                (Files::Mounted(mounted, volume), self.open_server())
            }
            None => (Files::Host, self.open_server()),
        };
        Ok(node.map(|node| Running { node, ready_ns: clock::now().since(start), files }))
    }
}

impl Stand<'_> {
    /// Opens the engine on the disk of `volume`; one in this process cannot be killed, and is refused its files without power.
    fn open_on_disk(&self, volume: &SharedVolume) -> engine::Result<Box<dyn Node>> {
        match self.engine.about().is_in_process {
            true => {
                let switch = Arc::new(PowerSwitch(volume.clone()));
                self.engine.open_above(&self.target, &self.workspace, switch).and_then(claimed)
            }
            false => self.open_server(),
        }
    }

    /// Starts a server. One that has not started in time, because it waits for what it has lost or works at it for ever, is
    /// killed with all that it has started: all processes below this one.
    fn open_server(&self) -> engine::Result<Box<dyn Node>> {
        let (started, watched) = channel::<()>();
        thread::scope(|scope| {
            let watch = scope.spawn(move || {
                let is_late = watched.recv_timeout(self.start_max) == Err(RecvTimeoutError::Timeout);
                if is_late {
                    let own = std::process::id();
                    let below = Trees::new("/proc", &[own]).processes();
                    below
                        .iter()
                        .filter(|process| process.pid != own)
                        .for_each(|process| signal(process.pid, Signal::KILL));
                }
                is_late
            });
            let opened = self.engine.open(&self.target, &self.workspace).and_then(claimed);
            drop(started);
            match (watch.join(), opened) {
                (Ok(true), Err(_)) => {
                    let message = format!("it had not started after {} s", self.start_max.as_secs());
                    Err(engine::Error::new(engine::Kind::Unreachable, message))
                }
                (_, opened) => opened,
            }
        })
    }
}

/// The node, with its schema claimed.
fn claimed(node: Box<dyn Node>) -> engine::Result<Box<dyn Node>> {
    match node.claim() {
        Ok(()) => Ok(node),
        Err(error) => {
            kill(node.as_ref());
            // What it says when it is closed after that is no news.
            let _ = node.close();
            Err(error)
        }
    }
}

impl Running {
    /// From now on what is not synced may be lost; what was done before is on stable storage.
    pub(super) fn arm(&mut self, stand: &Stand<'_>) -> Result<()> {
        match &mut self.files {
            Files::Host => {}
            Files::Mounted(_, volume) | Files::Disk(_, volume) => volume.lock().rebase(),
            Files::Told(face, armed) => {
                let volume = SharedVolume::new(Volume::new(read_image(&stand.data)?, stand.syncs));
                face.arm(volume.clone());
                *armed = Some(volume);
            }
        }
        Ok(())
    }

    /// What the engine writes to, where that loses writes.
    pub(super) fn volume(&self) -> Option<SharedVolume> {
        match &self.files {
            Files::Host => None,
            Files::Mounted(_, volume) | Files::Disk(_, volume) => Some(volume.clone()),
            Files::Told(_, volume) => volume.clone(),
        }
    }

    /// Waits until the power has gone off by itself, but no longer than `time_max`.
    pub(super) fn await_fault(&self, time_max: Duration) {
        let Some(volume) = self.volume() else { return };
        let start = Instant::now();
        while !volume.lock().is_frozen() && start.elapsed() < time_max {
            thread::sleep(Duration::from_micros(500));
        }
    }

    /// Whether the power went off by itself.
    pub(super) fn has_tripped(&self) -> bool {
        self.volume().is_some_and(|volume| volume.lock().has_tripped())
    }

    /// Turns the power off: from one moment on nothing is written and nothing answered, then the processes are killed.
    pub(super) fn fault(&self) -> Nanos {
        if let Some(volume) = self.volume() {
            volume.freeze();
        }
        let at = clock::now();
        send_kill(self.node.as_ref());
        // Processes that wait for the volume end only when they are let go, and do nothing more then.
        if let Some(volume) = self.volume() {
            volume.release();
        }
        at
    }

    /// Ends what is left of the engine after its fault `at`; what of its files survives is drawn by `policy` and `seed`.
    pub(super) fn end(self, at: Nanos, policy: Policy, seed: u64) -> Result<Fault> {
        let Running { node, files, .. } = self;
        let refused = |error: std::io::Error| {
            Error::environment(format!("a layer that loses writes cannot be unmounted: {error}"))
                .hint("it ends with this program")
        };
        // A server that was killed, or a file that cannot be written, has nothing to say when it is closed.
        let close = |node: Box<dyn Node>| {
            kill(node.as_ref());
            let _ = node.close();
        };
        let volume = match files {
            Files::Host => {
                close(node);
                None
            }
            Files::Mounted(mounted, volume) => {
                mounted.end().map_err(refused)?;
                close(node);
                Some(volume)
            }
            Files::Disk(disk, volume) => {
                // A file system ends with the last program that has a file of it open.
                close(node);
                disk.end().map_err(refused)?;
                Some(volume)
            }
            Files::Told(_, volume) => {
                close(node);
                volume
            }
        };
        let lost = volume.map(|volume| {
            let volume = volume.lock();
            (volume.pending(), volume.survivors(policy, seed))
        });
        let (pending, left) = lost.unzip();
        Ok(Fault { at, pending, left })
    }

    /// Stops the engine as its user does.
    pub(super) fn close(self) -> Result<()> {
        let closed = self.node.close();
        if let Files::Mounted(mounted, _) = self.files {
            mounted.end().map_err(|error| Error::environment(format!("a mount cannot be ended: {error}")))?;
        }
        Ok(closed?)
    }
}

fn read_image(data: &Path) -> Result<Image> {
    Image::read(data, DATA_BYTES_MAX).map_err(|error| match error {
        crash::ImageError::Refused(error) => Error::environment(format!("{} cannot be read: {error}", data.display())),
        crash::ImageError::TooLarge { bytes_max } => Error::environment(format!(
            "the data in {} are larger than {} MiB, which faults keep in memory",
            data.display(),
            bytes_max >> 20
        ))
        .hint("give smaller log files in the target"),
        crash::ImageError::TooDeep => {
            Error::environment(format!("{} has too many levels of directories", data.display()))
        }
    })
}

/// Leaves nothing but `image` in the directory of an engine in this process, which has files alone.
pub(super) fn replace_files(data: &Path, image: &Image) -> Result<()> {
    let replace = || -> std::io::Result<()> {
        for entry in fs::read_dir(data)? {
            let path = entry?.path();
            if path.is_file() {
                fs::remove_file(path)?;
            }
        }
        image.write_all(data)
    };
    replace().map_err(|error| Error::environment(format!("{} cannot be written: {error}", data.display())))
}

/// Sends SIGKILL to all processes of `node`: its main processes are stopped first, so that they start no others meanwhile.
fn send_kill(node: &dyn Node) -> Vec<Process> {
    let Processes::Local(roots) = node.processes() else { return Vec::new() };
    let roots: Vec<u32> = roots.into_iter().filter(|pid| base::process::is_running(*pid)).collect();
    roots.iter().for_each(|pid| signal(*pid, Signal::STOP));
    let all = Trees::new("/proc", &roots).processes();
    all.iter().filter(|process| process.is_alive()).for_each(|process| signal(process.pid, Signal::KILL));
    all
}

fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        // One that has ended needs no signal.
        let _ = kill_process(pid, signal);
    }
}

/// Kills all processes of `node` and waits until they have ended.
fn kill(node: &dyn Node) {
    let all = send_kill(node);
    let start = Instant::now();
    while all.iter().any(|process| process.is_alive()) && start.elapsed() < END_MAX {
        thread::sleep(Duration::from_millis(2));
    }
}
