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
use engine::{Engine, Node, Processes, Target, Workspace, close_all};
use measure::clock;
use record::{ClusterFault, CrashRung, Nanos};
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
    /// Directories of the data of each node, which the engine has left clean. The first node takes writes.
    pub(super) data: Vec<PathBuf>,
    /// Which of several nodes a fault takes.
    pub(super) fault: ClusterFault,
    /// How long a start may take.
    pub(super) start_max: Duration,
}

/// The files of a running node.
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
    /// Its nodes; the first takes writes.
    pub(super) nodes: Vec<RunningNode>,
    /// How long it took to start.
    pub(super) ready_ns: Nanos,
    /// A fault takes so many of them, the first ones.
    lost: usize,
}

/// A running node.
pub(super) struct RunningNode {
    pub(super) node: Box<dyn Node>,
    files: Files,
}

/// What a fault has left.
pub(super) struct Fault {
    /// When it came, on the monotonic clock.
    pub(super) at: Nanos,
    /// What the nodes that it took had written to; none where files are on the file system of this host.
    volumes: Vec<SharedVolume>,
    /// The nodes that it did not take.
    pub(super) survivors: Vec<RunningNode>,
}

/// What is left of the files of nodes that a fault took.
pub(super) struct Left {
    /// Those of each node; none where they are on the file system of this host.
    pub(super) files: Option<Vec<Image>>,
    /// What was not synced, where that is known.
    pub(super) pending: Option<Pending>,
}

impl Fault {
    /// The number of the last change before the fault, counted from the begin of the load, of the node that takes writes; absent where
    /// it is not known.
    pub(super) fn changes(&self) -> Option<u64> {
        Some(self.volumes.first()?.lock().seq())
    }

    /// The number of the last change before the first sync after the change `at` of that node.
    pub(super) fn before_sync(&self, at: u64) -> u64 {
        self.volumes.first().map_or(at, |volume| volume.lock().before_sync(at))
    }

    /// What survives by `policy` and `seed`: of all changes, or of those up to number `at` of a single node.
    pub(super) fn left(&self, at: Option<u64>, policy: Policy, seed: u64) -> Left {
        let (mut pending, mut files) = (None, None);
        for (volume, number) in self.volumes.iter().zip(0..) {
            let volume = volume.lock();
            let at = at.unwrap_or_else(|| volume.seq());
            let (so_far, more): (Pending, Pending) = (pending.unwrap_or_default(), volume.pending(at));
            pending = Some(Pending {
                writes: so_far.writes + more.writes,
                bytes: so_far.bytes + more.bytes,
                names: so_far.names + more.names,
            });
            // Each node has losses of its own.
            let seed = seed ^ u64::wrapping_mul(number, 0x9e37_79b9_7f4a_7c15);
            files.get_or_insert_with(Vec::new).push(volume.survivors_at(at, policy, seed));
        }
        Left { files, pending }
    }
}

impl Stand<'_> {
    /// The data of each node as they are on the file system, in memory; none where faults leave them there.
    pub(super) fn pristine(&self) -> Result<Option<Vec<Image>>> {
        let is_in_process = self.engine.about().is_in_process;
        let of_node = |data: &PathBuf| match self.rung {
            CrashRung::D0 | CrashRung::D1 | CrashRung::ByHand => read_image(data),
            CrashRung::D2 => self.disk_with(data, &read_image(data)?),
        };
        if self.rung == CrashRung::ByHand || self.rung == CrashRung::D0 && !is_in_process {
            return Ok(None);
        }
        self.data.iter().map(of_node).collect::<Result<_>>().map(Some)
    }

    /// A volume with a disk whose file system has the files of `image`, which are those in `data`.
    fn disk_with(&self, data: &Path, image: &Image) -> Result<Image> {
        let size_bytes = (2 * image.size_bytes() + DISK_FREE_BYTES).next_multiple_of(1 << 20);
        let disk = formatted(self.file_system, size_bytes, data).map_err(|error| no_layer(data, &error))?;
        let volume = SharedVolume::new(Volume::new(disk, Syncs::Honest));
        let mounted = MountedDisk::at(data, &volume, self.file_system).map_err(|error| no_layer(data, &error))?;
        mounted.fill(image).and_then(|()| mounted.finish()).map_err(|error| {
            Error::environment(format!("{} cannot be copied to a disk that loses writes: {error}", data.display()))
        })?;
        let disk = volume.lock().live().clone();
        Ok(disk)
    }

    /// Starts the engine on `files`, or on those that are there. Why it does not start is the inner error.
    pub(super) fn start(&self, files: Option<Vec<Image>>) -> Result<std::result::Result<Running, engine::Error>> {
        let start = clock::now();
        let mut all = Vec::new();
        match files {
            None => all.resize_with(self.data.len(), || Files::Host),
            Some(images) => {
                for (data, image) in self.data.iter().zip(images) {
                    match self.provide(data, image)? {
                        Ok(files) => all.push(files),
                        Err(error) => return Ok(Err(error)),
                    }
                }
            }
        }
        let lost = if self.fault == ClusterFault::Primary { 1 } else { all.len() };
        Ok(self.open(&all).map(|nodes| Running {
            nodes: nodes.into_iter().zip(all).map(|(node, files)| RunningNode { node, files }).collect(),
            ready_ns: clock::now().since(start),
            lost,
        }))
    }

    /// Makes `image` the files in `data`. Why nothing can start on them is the inner error.
    fn provide(&self, data: &Path, image: Image) -> Result<std::result::Result<Files, engine::Error>> {
        let is_told = self.engine.about().is_in_process;
        if is_told && self.rung != CrashRung::D2 {
            replace_files(data, &image)?;
            return Ok(Ok(Files::Told(Arc::new(FileFace::default()), None)));
        }
        let volume = SharedVolume::new(Volume::new(image, self.syncs));
        if self.rung != CrashRung::D2 {
            let mounted = Mounted::at(data, &volume).map_err(|error| no_layer(data, &error))?;
            return Ok(Ok(Files::Mounted(mounted, volume)));
        }
        match MountedDisk::at(data, &volume, self.file_system) {
            Ok(mounted) => Ok(Ok(Files::Disk(mounted, volume))),
            // What is left is not even a file system.
            Err(error @ MountError::Unreadable { .. }) => {
                Ok(Err(engine::Error::new(engine::Kind::Unreachable, error.to_string())))
            }
            Err(error) => Err(no_layer(data, &error)),
        }
    }
}

fn no_layer(data: &Path, error: &MountError) -> Error {
    Error::environment(format!("{} cannot be put on a layer that loses writes: {error}", data.display()))
        .hint("run as root where /dev/fuse is, or give --rung D0")
}

impl Stand<'_> {
    /// Opens the engine, whose nodes have `files`. One in this process cannot be killed, and is told or refused its files.
    fn open(&self, files: &[Files]) -> engine::Result<Vec<Box<dyn Node>>> {
        let layer = match files {
            [Files::Told(face, _)] => Some(Arc::clone(face) as Arc<dyn engine::FileLayer>),
            [Files::Disk(_, volume)] if self.engine.about().is_in_process => {
                Some(Arc::new(PowerSwitch(volume.clone())) as Arc<dyn engine::FileLayer>)
            }
            _ => None,
        };
        match layer {
            Some(layer) => {
                let opened = self.engine.open_above(&self.target, &self.workspace, layer);
                opened.and_then(|node| claimed(vec![node]))
            }
            None => self.open_servers(),
        }
    }

    /// Starts the servers. Where they have not started in time, because they wait for what they have lost or work at it for ever, they
    /// are killed with all that they have started: all processes below this one.
    fn open_servers(&self) -> engine::Result<Vec<Box<dyn Node>>> {
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
            let opened = self.engine.open_cluster(&self.target, &self.workspace).and_then(claimed);
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

/// The nodes, with their schema claimed.
fn claimed(nodes: Vec<Box<dyn Node>>) -> engine::Result<Vec<Box<dyn Node>>> {
    let claim = |(number, node): (usize, &dyn Node)| if number == 0 { node.claim() } else { node.join() };
    match nodes.iter().map(AsRef::as_ref).enumerate().try_for_each(claim) {
        Ok(()) => Ok(nodes),
        Err(error) => {
            kill(&nodes.iter().map(AsRef::as_ref).collect::<Vec<&dyn Node>>());
            // What they say when they are closed after that is no news.
            let _ = close_all(nodes);
            Err(error)
        }
    }
}

impl Running {
    /// Of nodes that a fault has left; with the next one all of them are lost.
    pub(super) fn of_survivors(nodes: Vec<RunningNode>, ready_ns: Nanos) -> Running {
        Running { lost: nodes.len(), nodes, ready_ns }
    }

    /// The node that takes writes.
    pub(super) fn node(&self) -> &dyn Node {
        self.nodes[0].node.as_ref()
    }

    /// From now on all nodes are lost with a fault.
    pub(super) fn lose_all(&mut self) {
        self.lost = self.nodes.len();
    }

    /// From now on what is not synced may be lost; what was done before is on stable storage.
    pub(super) fn arm(&mut self, stand: &Stand<'_>) -> Result<()> {
        for (node, data) in self.nodes.iter_mut().zip(&stand.data) {
            match &mut node.files {
                Files::Host => {}
                Files::Mounted(_, volume) | Files::Disk(_, volume) => volume.lock().rebase(),
                Files::Told(face, armed) => {
                    let volume = SharedVolume::new(Volume::new(read_image(data)?, stand.syncs));
                    face.arm(volume.clone());
                    *armed = Some(volume);
                }
            }
        }
        Ok(())
    }

    /// The storage of the first node, which takes writes, where it loses some.
    pub(super) fn volume(&self) -> Option<SharedVolume> {
        self.nodes[0].volume()
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

    /// Turns the power of the nodes off that a fault takes: from one moment on nothing is written and nothing answered, then their
    /// processes are killed.
    pub(super) fn fault(&self) -> Nanos {
        let lost = &self.nodes[..self.lost];
        let volumes: Vec<SharedVolume> = lost.iter().filter_map(RunningNode::volume).collect();
        SharedVolume::freeze_all(&volumes);
        let at = clock::now();
        send_kill(&lost.iter().map(|node| node.node.as_ref()).collect::<Vec<&dyn Node>>());
        // Processes that wait for a volume end only when they are let go, and do nothing more then.
        volumes.iter().for_each(SharedVolume::release);
        at
    }

    /// Ends what is left of the nodes that the fault `at` took.
    pub(super) fn end(mut self, at: Nanos) -> Result<Fault> {
        let survivors = self.nodes.split_off(self.lost);
        let volumes = self.nodes.into_iter().filter_map(|node| node.end().transpose()).collect::<Result<_>>()?;
        Ok(Fault { at, volumes, survivors })
    }

    /// Stops the engine as its user does.
    pub(super) fn close(self) -> Result<()> {
        let (nodes, files): (Vec<Box<dyn Node>>, Vec<Files>) =
            self.nodes.into_iter().map(|node| (node.node, node.files)).unzip();
        let closed = close_all(nodes);
        for files in files {
            if let Files::Mounted(mounted, _) = files {
                mounted.end().map_err(|error| Error::environment(format!("a mount cannot be ended: {error}")))?;
            }
        }
        Ok(closed?)
    }
}

impl RunningNode {
    /// What it writes to, where that loses writes.
    fn volume(&self) -> Option<SharedVolume> {
        match &self.files {
            Files::Host => None,
            Files::Mounted(_, volume) | Files::Disk(_, volume) => Some(volume.clone()),
            Files::Told(_, volume) => volume.clone(),
        }
    }

    /// Ends what is left of it after its fault; what it wrote to, where that loses writes.
    fn end(self) -> Result<Option<SharedVolume>> {
        let RunningNode { node, files } = self;
        let refused = |error: std::io::Error| {
            Error::environment(format!("a layer that loses writes cannot be unmounted: {error}"))
                .hint("it ends with this program")
        };
        // A server that was killed, or a file that cannot be written, has nothing to say when it is closed.
        let close = |node: Box<dyn Node>| {
            kill(&[node.as_ref()]);
            let _ = node.close();
        };
        Ok(match files {
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
        })
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

/// Removes the directories of servers that have left `data` in them, each below `workspace`: what is kept there is needed no more.
pub(super) fn remove_servers(data: &[PathBuf], workspace: &Path) -> Result<()> {
    let own = data.iter().filter_map(|data| data.parent()).filter(|root| root.parent() == Some(workspace));
    own.filter(|root| root.exists()).try_for_each(|root| {
        fs::remove_dir_all(root)
            .map_err(|error| Error::environment(format!("{} cannot be removed: {error}", root.display())))
    })
}

/// Sends SIGKILL to all processes of `nodes`: their main processes are stopped first, so that they start no others meanwhile.
fn send_kill(nodes: &[&dyn Node]) -> Vec<Process> {
    let roots = nodes.iter().flat_map(|node| match node.processes() {
        Processes::Local(roots) => roots,
        Processes::InProcess | Processes::Remote => Vec::new(),
    });
    let roots: Vec<u32> = roots.filter(|pid| base::process::is_running(*pid)).collect();
    roots.iter().for_each(|pid| signal(*pid, Signal::STOP));
    let all = Trees::new("/proc", &roots).processes();
    all.iter().filter(|process| process.is_alive()).for_each(|process| signal(process.pid, Signal::KILL));
    all
}

pub(super) fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        // One that has ended needs no signal.
        let _ = kill_process(pid, signal);
    }
}

/// Kills all processes of `nodes` and waits until they have ended.
fn kill(nodes: &[&dyn Node]) {
    let all = send_kill(nodes);
    let start = Instant::now();
    while all.iter().any(|process| process.is_alive()) && start.elapsed() < END_MAX {
        thread::sleep(Duration::from_millis(2));
    }
}
