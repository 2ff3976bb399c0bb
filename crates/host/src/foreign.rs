//! What other programs do on this host while something is measured.
//!
//! All processes are looked at twice. What one has used since is what it had used at the second look less what it had
//! at the first. The time and the I/O of a process that has ended are found in the process that waited for it, all of
//! it at once: what was there at the first look is taken off again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::{Add, AddAssign};
use std::path::Path;
use std::time::{Duration, Instant};

use base::process::{Stat, cpu_ns};
use base::root::{self, Root};
use record::{BackgroundProgram, Bytes, ForeignLoad, Nanos};

/// The shortest time that says anything.
const WATCHED_MIN: Duration = Duration::from_millis(100);
/// Programs that are named.
const NAMED_MAX: usize = 5;
/// What uses less than this of one processor is not worth naming.
const PROCESSORS_MIN: f64 = 0.01;
/// What reads and writes less than this in a second is not either.
const BYTES_PER_SECOND_MIN: f64 = 100_000.0;
/// Steps on the way up to the first process: a limit for a chain that leads back to itself.
const ANCESTORS_MAX: usize = 64;

/// All processes at one moment.
#[derive(Debug)]
pub struct Processes {
    at: Instant,
    seen: BTreeMap<u32, Process>,
}

/// A process at one moment.
#[derive(Clone, Debug)]
struct Process {
    name: String,
    parent: u32,
    /// When it was started, in ticks: tells it from a later one of the same number.
    started_ticks: u64,
    is_of_kernel: bool,
    /// Since it was started, children that have ended included.
    used: Used,
}

/// What was used. Bytes are absent where the kernel tells them of no process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Used {
    cpu_ns: u64,
    io: Option<Io>,
}

/// Bytes that the block layer was made to read and write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Io {
    read_bytes: u64,
    write_bytes: u64,
}

impl Used {
    const NOTHING: Used = Used { cpu_ns: 0, io: None };

    fn less(self, before: Used) -> Used {
        let io = self.io.zip(before.io).map(|(now, before)| Io {
            read_bytes: now.read_bytes.saturating_sub(before.read_bytes),
            write_bytes: now.write_bytes.saturating_sub(before.write_bytes),
        });
        Used { cpu_ns: self.cpu_ns.saturating_sub(before.cpu_ns), io }
    }
}

impl Add for Used {
    type Output = Used;

    fn add(self, other: Used) -> Used {
        let both = |one: Io, other: Io| Io {
            read_bytes: one.read_bytes.saturating_add(other.read_bytes),
            write_bytes: one.write_bytes.saturating_add(other.write_bytes),
        };
        let io = match (self.io, other.io) {
            (Some(one), Some(other)) => Some(both(one, other)),
            (one, other) => one.or(other),
        };
        Used { cpu_ns: self.cpu_ns.saturating_add(other.cpu_ns), io }
    }
}

impl AddAssign for Used {
    fn add_assign(&mut self, other: Used) {
        *self = *self + other;
    }
}

impl Processes {
    /// Looks at all processes of this host: some ten microseconds each.
    pub fn look() -> Processes {
        Processes::at(&Root::host())
    }

    fn at(root: &Root) -> Processes {
        let at = Instant::now();
        let pids = root::names(&root.proc).into_iter().filter_map(|name| name.parse::<u32>().ok());
        Processes { at, seen: pids.filter_map(|pid| Some((pid, process(root, pid)?))).collect() }
    }

    /// What others have done since `before`: all but this process, the processes of `server_roots`, and what was
    /// started by any of them.
    pub fn foreign_load_since(&self, before: &Processes, server_roots: &[u32]) -> ForeignLoad {
        let watched = self.at.duration_since(before.at);
        let seconds = watched.as_secs_f64().max(f64::MIN_POSITIVE);
        let own = self.trees(before, &[std::process::id()]);
        let server = self.trees(before, server_roots);
        let (mut kernel, mut others, mut served) = (Used::NOTHING, Used::NOTHING, Used::NOTHING);
        let mut programs: BTreeMap<&str, Used> = BTreeMap::new();
        for (pid, used) in self.used_since(before) {
            let process = &self.seen[&pid];
            match () {
                () if server.contains(&pid) => served += used,
                () if own.contains(&pid) => {}
                () if process.is_of_kernel => kernel += used,
                () => {
                    others += used;
                    *programs.entry(&process.name).or_insert(Used::NOTHING) += used;
                }
            }
        }
        let processors = |used: Used| used.cpu_ns as f64 / 1e9 / seconds;
        let served = served.io.filter(|_| !server.is_empty());
        ForeignLoad {
            watched_ns: Nanos(u64::try_from(watched.as_nanos()).unwrap_or(u64::MAX)),
            processors: processors(others),
            kernel_processors: processors(kernel),
            read_bytes: others.io.map(|io| Bytes(io.read_bytes)),
            write_bytes: others.io.map(|io| Bytes(io.write_bytes)),
            server_read_bytes: served.map(|io| Bytes(io.read_bytes)),
            server_write_bytes: served.map(|io| Bytes(io.write_bytes)),
            programs: busiest(programs.into_iter(), seconds),
        }
    }

    /// What every process that there is now has used since `before`.
    fn used_since(&self, before: &Processes) -> BTreeMap<u32, Used> {
        let mut earlier: BTreeMap<u32, Used> = BTreeMap::new();
        let goes_on = |pid: u32, process: &Process| {
            self.seen.get(&pid).is_some_and(|now| now.started_ticks == process.started_ticks)
        };
        for (pid, process) in &before.seen {
            // The nearest ancestor that is still there has counted what it used until then, if anybody has.
            let chain = std::iter::successors(Some((*pid, process)), |(_, process)| {
                before.seen.get(&process.parent).map(|parent| (process.parent, parent))
            });
            let left = chain.take(ANCESTORS_MAX).find(|(pid, process)| goes_on(*pid, process));
            if let Some((heir, _)) = left {
                let so_far = earlier.entry(heir).or_insert(Used::NOTHING);
                *so_far += process.used;
            }
        }
        let used = |pid: &u32, process: &Process| match earlier.get(pid).filter(|_| before.knows(*pid, process)) {
            Some(earlier) => process.used.less(*earlier),
            None => process.used,
        };
        self.seen.iter().map(|(pid, process)| (*pid, used(pid, process))).collect()
    }

    fn knows(&self, pid: u32, process: &Process) -> bool {
        self.seen.get(&pid).is_some_and(|known| known.started_ticks == process.started_ticks)
    }

    /// The processes of now that are one of `roots` or were started below one, as of now or at the first look.
    fn trees(&self, before: &Processes, roots: &[u32]) -> BTreeSet<u32> {
        let parent = |pid: u32| {
            let known = before.seen.get(&pid).or_else(|| self.seen.get(&pid));
            known.map(|process| process.parent)
        };
        let is_below = |pid: u32| {
            std::iter::successors(Some(pid), |pid| parent(*pid)).take(ANCESTORS_MAX).any(|pid| roots.contains(&pid))
        };
        self.seen.keys().copied().filter(|pid| is_below(*pid)).collect()
    }

    /// The programs of others that have been busiest since, the busiest first. Waits where too little time has passed.
    pub fn background_programs(self) -> Vec<BackgroundProgram> {
        std::thread::sleep(WATCHED_MIN.saturating_sub(self.at.elapsed()));
        Processes::look().foreign_load_since(&self, &[]).programs
    }
}

/// Those that matter, the busiest first; of equally busy ones, those with most I/O.
fn busiest<'a>(programs: impl Iterator<Item = (&'a str, Used)>, seconds: f64) -> Vec<BackgroundProgram> {
    let background_program = |(name, used): (&str, Used)| BackgroundProgram {
        name: name.to_owned(),
        processors: used.cpu_ns as f64 / 1e9 / seconds,
        read_bytes_per_second: used.io.map(|io| io.read_bytes as f64 / seconds),
        write_bytes_per_second: used.io.map(|io| io.write_bytes as f64 / seconds),
    };
    let bytes =
        |one: &BackgroundProgram| one.read_bytes_per_second.unwrap_or(0.0) + one.write_bytes_per_second.unwrap_or(0.0);
    let mut found: Vec<BackgroundProgram> = programs.map(background_program).collect();
    found.retain(|one| one.processors >= PROCESSORS_MIN || bytes(one) >= BYTES_PER_SECOND_MIN);
    found.sort_by(|one, other| other.processors.total_cmp(&one.processors).then(bytes(other).total_cmp(&bytes(one))));
    if let Some(most) = (0..found.len()).max_by(|one, other| bytes(&found[*one]).total_cmp(&bytes(&found[*other]))) {
        // The one with most I/O is named in any case.
        if most >= NAMED_MAX {
            found.swap(most, NAMED_MAX - 1);
        }
    }
    found.truncate(NAMED_MAX);
    found
}

fn process(root: &Root, pid: u32) -> Option<Process> {
    let stat = Stat::of(&root.proc, pid)?;
    // One without a clock has just ended: its time is with its parent.
    let own_ns = if root.is_host() { cpu_ns(pid)? } else { stat.own_ns() };
    let used = Used { cpu_ns: own_ns.saturating_add(stat.end_ns()), io: io(&root.proc, pid) };
    Some(Process {
        name: stat.name,
        parent: stat.parent,
        started_ticks: stat.start_ticks,
        is_of_kernel: stat.is_of_kernel,
        used,
    })
}

/// From `/proc/PID/io` (proc_pid_io(5)): for root and for the owner of the process.
fn io(proc: &Path, pid: u32) -> Option<Io> {
    let text = fs::read_to_string(proc.join(pid.to_string()).join("io")).ok()?;
    let value = |line: &str| root::entry(&text, line)?.parse().ok();
    Some(Io { read_bytes: value("read_bytes")?, write_bytes: value("write_bytes")? })
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    const TICK_NS: u64 = 10_000_000;

    fn seen(pid: u32, parent: u32, name: &str, cpu_ns: u64, io: Option<(u64, u64)>) -> (u32, Process) {
        let io = io.map(|(read_bytes, write_bytes)| Io { read_bytes, write_bytes });
        let is_of_kernel = parent == 2;
        let name = name.to_owned();
        (pid, Process { name, parent, started_ticks: u64::from(pid), is_of_kernel, used: Used { cpu_ns, io } })
    }

    /// Two looks one second apart.
    fn since(before: Vec<(u32, Process)>, now: Vec<(u32, Process)>, servers: &[u32]) -> ForeignLoad {
        let at = Instant::now();
        let before = Processes { at, seen: before.into_iter().collect() };
        Processes { at: at + Duration::from_secs(1), seen: now.into_iter().collect() }
            .foreign_load_since(&before, servers)
    }

    fn named(load: &ForeignLoad) -> Vec<(&str, f64)> {
        load.programs.iter().map(|one| (one.name.as_str(), one.processors)).collect()
    }

    #[test]
    fn programs_of_the_same_name_count_together_and_idle_ones_not() {
        let second = 1_000_000_000;
        let before = vec![seen(10, 1, "cc", second, Some((0, 0))), seen(11, 1, "cc", 0, Some((5, 5)))];
        let now = vec![
            seen(10, 1, "cc", second + 300_000_000, Some((0, 0))),
            seen(11, 1, "cc", 400_000_000, Some((5, 2_000_005))),
            seen(12, 1, "idle", 9_000_000, Some((0, 0))),
            seen(13, 1, "backup", 500_000_000, Some((0, 0))),
            seen(14, 2, "kworker/0:1", 200_000_000, Some((0, 0))),
        ];
        let load = since(before, now, &[]);
        assert_eq!(named(&load), [("cc", 0.7), ("backup", 0.5)]);
        assert!((load.processors - 1.209).abs() < 1e-9 && (load.kernel_processors - 0.2).abs() < 1e-9, "{load:?}");
        assert_eq!((load.read_bytes, load.write_bytes), (Some(Bytes(0)), Some(Bytes(2_000_000))));
        assert_eq!(load.server_read_bytes, None, "no server");
        assert_eq!(load.programs[0].write_bytes_per_second, Some(2e6));
    }

    #[test]
    fn one_that_ended_is_with_its_parent_less_what_it_had_before() {
        let before = vec![
            seen(10, 1, "make", 10, Some((0, 0))),
            seen(11, 10, "sh", 20, Some((1_000, 0))),
            seen(12, 11, "cc", 5_000_000_000, Some((7_000, 0))),
        ];
        // The shell and the compiler have ended; the make that waited has all of it, and 300 ms more.
        let now = vec![seen(10, 1, "make", 5_300_000_030, Some((9_000, 0)))];
        let load = since(before, now, &[]);
        assert!((load.processors - 0.3).abs() < 1e-6, "{load:?}");
        assert_eq!(load.read_bytes, Some(Bytes(1_000)));
        assert_eq!(named(&load).len(), 1);
    }

    #[test]
    fn a_number_that_is_used_again_is_another_process() {
        let (pid, mut later) = seen(10, 1, "new", 100_000_000, Some((0, 0)));
        later.started_ticks += 1;
        let load = since(vec![seen(10, 1, "old", 900_000_000, Some((0, 0)))], vec![(pid, later)], &[]);
        assert_eq!(named(&load), [("new", 0.1)]);
    }

    #[test]
    fn the_server_and_what_we_started_are_not_foreign() {
        let us = std::process::id();
        let all = |cpu_ns, bytes| {
            vec![
                seen(us, 1, "us", cpu_ns, Some((bytes, 0))),
                seen(4_000_001, us, "child", cpu_ns, Some((bytes, 0))),
                seen(4_000_002, 1, "server", cpu_ns, Some((bytes, 0))),
                seen(4_000_003, 4_000_002, "session", cpu_ns, Some((bytes, bytes))),
                seen(4_000_004, 1, "other", cpu_ns, None),
            ]
        };
        let load = since(all(0, 0), all(500_000_000, 4_096), &[4_000_002]);
        assert_eq!(named(&load), [("other", 0.5)]);
        assert_eq!((load.server_read_bytes, load.server_write_bytes), (Some(Bytes(8_192)), Some(Bytes(4_096))));
        assert_eq!(load.read_bytes, None, "it may not be asked");
    }

    #[test]
    fn the_one_with_most_io_is_named_behind_busier_ones() {
        let busy = |pid: u32| seen(pid, 1, &format!("busy{pid}"), 100_000_000 + u64::from(pid), Some((0, 0)));
        let now = (10..20).map(busy).chain([seen(30, 1, "dd", 20_000_000, Some((0, 1 << 30)))]).collect();
        let load = since(Vec::new(), now, &[]);
        assert_eq!(load.programs.len(), NAMED_MAX);
        assert!(load.programs.iter().any(|one| one.name == "dd"), "{load:?}");
    }

    fn busy_loop() -> Child {
        Command::new("sh").args(["-c", "while :; do :; done"]).stdin(Stdio::null()).spawn().expect("sh")
    }

    /// On the real host: a child of this process is ours, and a busy process is busy however this one got its name.
    #[test]
    fn a_busy_child_is_ours_and_a_server_when_it_is_called_one() {
        let mut child = busy_loop();
        let before = Processes::look();
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(300) {
            std::thread::sleep(Duration::from_millis(10));
        }
        let after = Processes::look();
        let ours = after.used_since(&before).get(&child.id()).copied();
        let below = after.trees(&before, &[std::process::id()]);
        let load = after.foreign_load_since(&before, &[child.id()]);
        child.kill().expect("kill");
        child.wait().expect("wait");
        assert!(ours.is_some_and(|used| used.cpu_ns > TICK_NS), "{ours:?}");
        assert!(below.contains(&child.id()) && below.contains(&std::process::id()) && !below.contains(&1));
        assert_eq!(load.server_read_bytes, Some(Bytes(0)), "a loop reads nothing");
        let own = root::text("/proc/self/comm").expect("a name");
        assert!(load.programs.iter().all(|one| one.name != own), "{load:?}");
        assert!(before.background_programs().len() <= NAMED_MAX);
    }
}
