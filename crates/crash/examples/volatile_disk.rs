//! The layer against a guest: its disk is a volume served over NBD, so that page cache and block layer of another kernel are above
//! what loses writes. `lab/run volatile-disk` runs it.
//!
//! ```text
//! volatile_disk write DIRECTORY ROUNDS      programs of system calls, each acknowledged in a line; in the guest
//! volatile_disk guests GUEST [KILLS]        starts guests by the script GUEST, and holds what survives against what they said
//! ```
//!
//! An acknowledgement counts from the number of the last change that the disk had seen when it was read here: after any later one
//! a power cut has to leave what it promises.

#![allow(clippy::print_stdout, reason = "its output")]

#[path = "../tests/kernel/script.rs"]
#[expect(dead_code, reason = "what calls do not promise is not looked at here: later rounds sync it")]
mod script;

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use dbdyno_crash::{
    Change, FileSystem, Image, MountedDisk, Policy, ROOT, ServedDisk, SharedVolume, Syncs, Volume, formatted,
};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::script::SCRIPTS;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const SIZE_BYTES: u64 = 320 << 20;

/// Rounds of all programs in a guest whose log is replayed, and crash points in it.
const ROUNDS: u64 = 4;
const POINTS: u64 = 100;

/// Guests that are killed, where nothing else is asked for.
const KILLS: u64 = 10;

/// How a disk may lose power, by turns.
const POLICIES: [Policy; 4] = [Policy::AllLost, Policy::Prefix, Policy::Subset, Policy::TornDisk];

/// An acknowledged program.
struct Acknowledged {
    round: u64,
    script: usize,
    /// The last change that the disk had seen.
    seq: u64,
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", directory, rounds] => write(Path::new(directory), rounds.parse()?, |round, script| {
            println!("acknowledged {round} {script}");
            io::stdout().flush()
        }),
        ["guests", guest] => guests(Path::new(guest), KILLS),
        ["guests", guest, kills] => guests(Path::new(guest), kills.parse()?),
        _ => Err("give write DIRECTORY ROUNDS, or guests GUEST [KILLS]".into()),
    }
}

/// Where a program of a round works.
fn place(directory: &Path, round: u64, script: usize) -> PathBuf {
    directory.join(format!("{round}-{script}"))
}

fn write(directory: &Path, rounds: u64, mut say: impl FnMut(u64, usize) -> io::Result<()>) -> Outcome<()> {
    for round in 0..rounds {
        for (index, script) in SCRIPTS.iter().enumerate() {
            let at = place(directory, round, index);
            std::fs::create_dir(&at)?;
            (script.prepare)(&at)?;
            rustix::fs::syncfs(std::fs::File::open(&at)?)?;
            (script.act)(&at)?;
            say(round, index)?;
        }
    }
    Ok(())
}

fn guests(guest: &Path, kills: u64) -> Outcome<()> {
    let scratch = tempfile::tempdir()?;
    let mount = scratch.path().join("left");
    std::fs::create_dir(&mount)?;

    let disk = empty_disk(Syncs::Honest);
    let acknowledged = Guest::start(guest, scratch.path(), &disk, ROUNDS)?.finished()?;
    let of_guest = broken_points(&mount, &disk, &acknowledged, POINTS)?;
    println!(
        "{POINTS} crash points of a guest, {} programs acknowledged: {of_guest} broke a promise",
        acknowledged.len()
    );

    let (disk, acknowledged) = on_this_host(&mount)?;
    let of_host = broken_points(&mount, &disk, &acknowledged, POINTS)?;
    println!(
        "{POINTS} crash points of this host, {} programs acknowledged: {of_host} broke a promise",
        acknowledged.len()
    );

    let disk = empty_disk(Syncs::Lying { every: 1 });
    let acknowledged = Guest::start(guest, scratch.path(), &disk, 1)?.finished()?;
    let of_liar = broken_points(&mount, &disk, &acknowledged, POLICIES.len() as u64)?;
    println!("{} crash points of a guest whose disk ignores flushes: {of_liar} broke a promise", POLICIES.len());

    let mut of_kills = 0;
    for kill in 0..kills {
        let disk = empty_disk(Syncs::Honest);
        // Spread over the first rounds, and over the time between two acknowledgements.
        let (count, delay) = (5 + 7 * kill as usize, Duration::from_micros(kill * 1_700));
        let acknowledged = Guest::start(guest, scratch.path(), &disk, u64::MAX)?.kill_after(count, delay)?;
        let at = disk.lock().seq();
        let fate = (POLICIES[kill as usize % POLICIES.len()], kill);
        of_kills += u64::from(!is_kept(&mount, &disk, &acknowledged, at, fate)?);
    }
    println!("{kills} guests killed: {of_kills} broke a promise");

    let is_as_expected = (of_guest, of_host, of_kills) == (0, 0, 0) && 5 * of_liar >= 3 * POLICIES.len() as u64;
    if is_as_expected { Ok(()) } else { Err("guest and layer do not agree".into()) }
}

/// A volume with a disk without a file system.
fn empty_disk(syncs: Syncs) -> SharedVolume {
    let mut image = Image::empty();
    let object = image.fresh();
    image.apply(&Change::CreateFile { parent: ROOT, name: b"disk".to_vec(), object });
    image.apply(&Change::Truncate { object, size: SIZE_BYTES });
    SharedVolume::new(Volume::new(image, syncs))
}

/// The same programs on a file system of this kernel, as rung D2 has one.
fn on_this_host(mount: &Path) -> Outcome<(SharedVolume, Vec<Acknowledged>)> {
    let disk = SharedVolume::new(Volume::new(formatted(FileSystem::Ext4, SIZE_BYTES, mount)?, Syncs::Honest));
    let mounted = MountedDisk::at(mount, &disk, FileSystem::Ext4)?;
    let mut acknowledged = Vec::new();
    write(mount, ROUNDS, |round, script| {
        acknowledged.push(Acknowledged { round, script, seq: disk.lock().seq() });
        Ok(())
    })?;
    mounted.end()?;
    Ok((disk, acknowledged))
}

/// At how many of `points` crash points, spread over the log from the first acknowledgement on, a promise is broken.
fn broken_points(mount: &Path, disk: &SharedVolume, acknowledged: &[Acknowledged], points: u64) -> Outcome<u64> {
    let first = acknowledged.first().ok_or("nothing was acknowledged")?.seq;
    let last = disk.lock().seq();
    let mut broken = 0;
    for point in 0..points {
        let at = first + (last - first) * (point + 1) / points;
        let fate = (POLICIES[point as usize % POLICIES.len()], point);
        broken += u64::from(!is_kept(mount, disk, acknowledged, at, fate)?);
    }
    Ok(broken)
}

/// Whether what was acknowledged until the change `at` is there after a power cut at it.
fn is_kept(
    mount: &Path,
    disk: &SharedVolume,
    acknowledged: &[Acknowledged],
    at: u64,
    (policy, seed): (Policy, u64),
) -> Outcome<bool> {
    let left = disk.lock().survivors_at(at, policy, seed);
    let left = SharedVolume::new(Volume::new(left, Syncs::Honest));
    let mounted = match MountedDisk::at(mount, &left, FileSystem::Ext4) {
        Ok(mounted) => mounted,
        Err(error) => {
            println!("  change {at}, {policy:?}: {error}");
            return Ok(false);
        }
    };
    let broken = acknowledged
        .iter()
        .filter(|one| one.seq <= at)
        .find(|one| !(SCRIPTS[one.script].promised)(&place(mount, one.round, one.script)));
    if let Some(one) = broken {
        println!("  change {at}, {policy:?}: round {}, {}", one.round, SCRIPTS[one.script].name);
    }
    mounted.finish()?;
    Ok(broken.is_none())
}

/// A guest whose disk is a volume.
struct Guest {
    child: Child,
    disk: SharedVolume,
    _served: ServedDisk,
}

impl Guest {
    /// Starts one that makes a file system on `disk` and runs so many rounds of the programs.
    fn start(script: &Path, scratch: &Path, disk: &SharedVolume, rounds: u64) -> Outcome<Guest> {
        let socket = scratch.join("disk.socket");
        let served = ServedDisk::at(&socket, disk)?;
        let disk_name = "/dev/disk/by-id/virtio-volatile";
        let command = format!(
            "mke2fs -q -t ext4 -J size=16 {disk_name} && mount {disk_name} /mnt && volatile_disk write /mnt {rounds}"
        );
        let child = Command::new(script)
            .args(["run", &command])
            .arg(std::env::current_exe()?)
            .envs([("GUEST_DISK", socket.as_path()), ("TMPDIR", scratch)])
            .envs([("GUEST_NODES", "1"), ("GUEST_DRIVES", "1"), ("GUEST_MEMORY_MB", "512")])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()?;
        Ok(Guest { child, disk: disk.clone(), _served: served })
    }

    /// What it acknowledges, until `is_enough` of what it has.
    fn acknowledged(&mut self, is_enough: impl Fn(usize) -> bool) -> Outcome<Vec<Acknowledged>> {
        let mut acknowledged = Vec::new();
        let said = self.child.stdout.take().ok_or("the guest says nothing")?;
        for line in BufReader::new(said).lines() {
            let line = line?;
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["acknowledged", round, script] => {
                    let seq = self.disk.lock().seq();
                    acknowledged.push(Acknowledged { round: round.parse()?, script: script.parse()?, seq });
                }
                _ => println!("  guest: {line}"),
            }
            if is_enough(acknowledged.len()) {
                break;
            }
        }
        Ok(acknowledged)
    }

    /// What it has acknowledged when it has ended by itself.
    fn finished(mut self) -> Outcome<Vec<Acknowledged>> {
        let start = Instant::now();
        let acknowledged = self.acknowledged(|_| false)?;
        let status = self.child.wait()?;
        println!("  a guest ended after {} s", start.elapsed().as_secs());
        if status.success() { Ok(acknowledged) } else { Err(format!("the guest ended with {status}").into()) }
    }

    /// Cuts its power, and kills it, so long after so many acknowledgements.
    fn kill_after(mut self, count: usize, delay: Duration) -> Outcome<Vec<Acknowledged>> {
        let acknowledged = self.acknowledged(|found| found >= count)?;
        std::thread::sleep(delay);
        self.disk.freeze();
        self.kill()?;
        self.disk.release();
        if acknowledged.len() < count { Err("the guest ended too early".into()) } else { Ok(acknowledged) }
    }

    fn kill(&mut self) -> Outcome<()> {
        let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).ok_or("no process")?;
        kill_process_group(group, Signal::KILL)?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        // One that has ended needs no end.
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.kill();
        }
    }
}
