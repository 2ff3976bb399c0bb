//! Foreign load: CPU time and I/O of other programs during a measurement.
//!
//! The usage of a process is the difference of two snapshots of all processes. The total usage of an ended process is
//! added to the process that waited for it: what the first snapshot already had is subtracted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::{Add, AddAssign};
use std::path::Path;
use std::time::{Duration, Instant};

use base::process::{Stat, cpu_ns};
use base::root::{self, Root};
use record::{BackgroundProgram, Bytes, ForeignLoad, Nanos};

/// Minimum interval of two snapshots.
const INTERVAL_MIN: Duration = Duration::from_millis(100);
/// Maximum of listed programs.
const NAMED_MAX: usize = 5;
/// Programs below this share of one processor are not listed...
const PROCESSORS_MIN: f64 = 0.01;
/// ...unless they read and write at least this much.
const BYTES_PER_SECOND_MIN: f64 = 100_000.0;
/// Maximum depth of a process, against cycles.
const ANCESTORS_MAX: usize = 64;

/// A snapshot of all processes.
#[derive(Debug)]
pub struct Processes {
    time: Instant,
    processes: BTreeMap<u32, Process>,
}

/// A process in a snapshot.
#[derive(Clone, Debug)]
struct Process {
    name: String,
    parent: u32,
    /// Start time, in ticks: distinguishes processes with the same PID.
    start_ticks: u64,
    is_of_kernel: bool,
    /// Since its start, including ended children.
    used: Used,
}

/// Usage. Bytes are absent if the kernel shows them of no process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Used {
    cpu_ns: u64,
    io: Option<Io>,
}

/// Bytes read from and written to the block layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Io {
    read_bytes: u64,
    write_bytes: u64,
}

impl Used {
    const NOTHING: Used = Used { cpu_ns: 0, io: None };

    fn since(self, before: Used) -> Used {
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
    /// Takes a snapshot of all processes of this host: some ten microseconds each.
    pub fn read() -> Processes {
        Processes::at(&Root::host())
    }

    fn at(root: &Root) -> Processes {
        let time = Instant::now();
        let pids = root::names(&root.proc).into_iter().filter_map(|name| name.parse::<u32>().ok());
        Processes { time, processes: pids.filter_map(|pid| Some((pid, process(root, pid)?))).collect() }
    }

    /// The foreign load since `before`: all processes except this one, those of `server_roots`, and their descendants.
    pub fn foreign_load_since(&self, before: &Processes, server_roots: &[u32]) -> ForeignLoad {
        let interval = self.time.duration_since(before.time);
        let seconds = interval.as_secs_f64().max(f64::MIN_POSITIVE);
        let own = self.trees(before, &[std::process::id()]);
        let server = self.trees(before, server_roots);
        let (mut kernel, mut others, mut served) = (Used::NOTHING, Used::NOTHING, Used::NOTHING);
        let mut programs: BTreeMap<&str, Used> = BTreeMap::new();
        for (pid, used) in self.used_since(before) {
            let process = &self.processes[&pid];
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
            observed_ns: Nanos(u64::try_from(interval.as_nanos()).unwrap_or(u64::MAX)),
            processors: processors(others),
            kernel_processors: processors(kernel),
            read_bytes: others.io.map(|io| Bytes(io.read_bytes)),
            write_bytes: others.io.map(|io| Bytes(io.write_bytes)),
            server_read_bytes: served.map(|io| Bytes(io.read_bytes)),
            server_write_bytes: served.map(|io| Bytes(io.write_bytes)),
            programs: busiest(programs.into_iter(), seconds),
        }
    }

    /// Usage of every process of this snapshot since `before`.
    fn used_since(&self, before: &Processes) -> BTreeMap<u32, Used> {
        let mut earlier: BTreeMap<u32, Used> = BTreeMap::new();
        for (pid, process) in &before.processes {
            // The usage of an ended process is counted by its nearest ancestor that still runs, if at all.
            let mut ancestry = std::iter::successors(Some((*pid, process)), |(_, process)| {
                before.processes.get(&process.parent).map(|parent| (process.parent, parent))
            })
            .take(ANCESTORS_MAX);
            if let Some((survivor, _)) = ancestry.find(|(pid, process)| self.contains(*pid, process)) {
                *earlier.entry(survivor).or_insert(Used::NOTHING) += process.used;
            }
        }
        let used = |pid: &u32, process: &Process| match earlier.get(pid).filter(|_| before.contains(*pid, process)) {
            Some(earlier) => process.used.since(*earlier),
            None => process.used,
        };
        self.processes.iter().map(|(pid, process)| (*pid, used(pid, process))).collect()
    }

    fn contains(&self, pid: u32, process: &Process) -> bool {
        self.processes.get(&pid).is_some_and(|known| known.start_ticks == process.start_ticks)
    }

    /// The processes of this snapshot that are one of `roots` or a descendant, in either snapshot.
    fn trees(&self, before: &Processes, roots: &[u32]) -> BTreeSet<u32> {
        let parent = |pid: u32| {
            let known = before.processes.get(&pid).or_else(|| self.processes.get(&pid));
            known.map(|process| process.parent)
        };
        let is_below = |pid: u32| {
            std::iter::successors(Some(pid), |pid| parent(*pid)).take(ANCESTORS_MAX).any(|pid| roots.contains(&pid))
        };
        self.processes.keys().copied().filter(|pid| is_below(*pid)).collect()
    }

    /// The busiest foreign programs since this snapshot, the busiest first. Sleeps up to the minimum interval.
    pub fn background_programs(self) -> Vec<BackgroundProgram> {
        std::thread::sleep(INTERVAL_MIN.saturating_sub(self.time.elapsed()));
        Processes::read().foreign_load_since(&self, &[]).programs
    }
}

/// The programs above the thresholds, the busiest first; of equally busy ones, those with most I/O.
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
        // The one with most I/O is always listed.
        if most >= NAMED_MAX {
            found.swap(most, NAMED_MAX - 1);
        }
    }
    found.truncate(NAMED_MAX);
    found
}

fn process(root: &Root, pid: u32) -> Option<Process> {
    let stat = Stat::of(&root.proc, pid)?;
    // A process without a clock has just ended: its parent counts its time.
    let own_ns = if root.is_host() { cpu_ns(pid)? } else { stat.own_ns() };
    let used = Used { cpu_ns: own_ns.saturating_add(stat.end_ns()), io: io(&root.proc, pid) };
    Some(Process {
        name: stat.name,
        parent: stat.parent,
        start_ticks: stat.start_ticks,
        is_of_kernel: stat.is_of_kernel,
        used,
    })
}

/// From `/proc/PID/io` (proc_pid_io(5)): readable for root and the owner of the process.
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

    fn listed(pid: u32, parent: u32, name: &str, cpu_ns: u64, io: Option<(u64, u64)>) -> (u32, Process) {
        let io = io.map(|(read_bytes, write_bytes)| Io { read_bytes, write_bytes });
        let is_of_kernel = parent == 2;
        let name = name.to_owned();
        (pid, Process { name, parent, start_ticks: u64::from(pid), is_of_kernel, used: Used { cpu_ns, io } })
    }

    /// The load between two snapshots one second apart.
    fn since(before: Vec<(u32, Process)>, now: Vec<(u32, Process)>, servers: &[u32]) -> ForeignLoad {
        let time = Instant::now();
        let before = Processes { time, processes: before.into_iter().collect() };
        Processes { time: time + Duration::from_secs(1), processes: now.into_iter().collect() }
            .foreign_load_since(&before, servers)
    }

    fn named(load: &ForeignLoad) -> Vec<(&str, f64)> {
        load.programs.iter().map(|one| (one.name.as_str(), one.processors)).collect()
    }

    #[test]
    fn programs_of_the_same_name_count_together_and_idle_ones_not() {
        let second = 1_000_000_000;
        let before = vec![listed(10, 1, "cc", second, Some((0, 0))), listed(11, 1, "cc", 0, Some((5, 5)))];
        let now = vec![
            listed(10, 1, "cc", second + 300_000_000, Some((0, 0))),
            listed(11, 1, "cc", 400_000_000, Some((5, 2_000_005))),
            listed(12, 1, "idle", 9_000_000, Some((0, 0))),
            listed(13, 1, "backup", 500_000_000, Some((0, 0))),
            listed(14, 2, "kworker/0:1", 200_000_000, Some((0, 0))),
        ];
        let load = since(before, now, &[]);
        assert_eq!(named(&load), [("cc", 0.7), ("backup", 0.5)]);
        assert!((load.processors - 1.209).abs() < 1e-9 && (load.kernel_processors - 0.2).abs() < 1e-9, "{load:?}");
        assert_eq!((load.read_bytes, load.write_bytes), (Some(Bytes(0)), Some(Bytes(2_000_000))));
        assert_eq!(load.server_read_bytes, None, "no server");
        assert_eq!(load.programs[0].write_bytes_per_second, Some(2e6));
    }

    #[test]
    fn an_ended_process_is_counted_by_its_parent_since_the_first_snapshot() {
        let before = vec![
            listed(10, 1, "make", 10, Some((0, 0))),
            listed(11, 10, "sh", 20, Some((1_000, 0))),
            listed(12, 11, "cc", 5_000_000_000, Some((7_000, 0))),
        ];
        // The shell and the compiler have ended; their usage is counted by make, and 300 ms more.
        let now = vec![listed(10, 1, "make", 5_300_000_030, Some((9_000, 0)))];
        let load = since(before, now, &[]);
        assert!((load.processors - 0.3).abs() < 1e-6, "{load:?}");
        assert_eq!(load.read_bytes, Some(Bytes(1_000)));
        assert_eq!(named(&load).len(), 1);
    }

    #[test]
    fn a_reused_pid_is_another_process() {
        let (pid, mut later) = listed(10, 1, "new", 100_000_000, Some((0, 0)));
        later.start_ticks += 1;
        let load = since(vec![listed(10, 1, "old", 900_000_000, Some((0, 0)))], vec![(pid, later)], &[]);
        assert_eq!(named(&load), [("new", 0.1)]);
    }

    #[test]
    fn the_server_and_our_children_are_not_foreign() {
        let us = std::process::id();
        let all = |cpu_ns, bytes| {
            vec![
                listed(us, 1, "us", cpu_ns, Some((bytes, 0))),
                listed(4_000_001, us, "child", cpu_ns, Some((bytes, 0))),
                listed(4_000_002, 1, "server", cpu_ns, Some((bytes, 0))),
                listed(4_000_003, 4_000_002, "session", cpu_ns, Some((bytes, bytes))),
                listed(4_000_004, 1, "other", cpu_ns, None),
            ]
        };
        let load = since(all(0, 0), all(500_000_000, 4_096), &[4_000_002]);
        assert_eq!(named(&load), [("other", 0.5)]);
        assert_eq!((load.server_read_bytes, load.server_write_bytes), (Some(Bytes(8_192)), Some(Bytes(4_096))));
        assert_eq!(load.read_bytes, None, "not readable");
    }

    #[test]
    fn the_program_with_most_io_is_listed_after_busier_ones() {
        let busy = |pid: u32| listed(pid, 1, &format!("busy{pid}"), 100_000_000 + u64::from(pid), Some((0, 0)));
        let now = (10..20).map(busy).chain([listed(30, 1, "dd", 20_000_000, Some((0, 1 << 30)))]).collect();
        let load = since(Vec::new(), now, &[]);
        assert_eq!(load.programs.len(), NAMED_MAX);
        assert!(load.programs.iter().any(|one| one.name == "dd"), "{load:?}");
    }

    fn busy_loop() -> Child {
        Command::new("sh").args(["-c", "while :; do :; done"]).stdin(Stdio::null()).spawn().expect("sh")
    }

    /// On the real host: a child of this process is ours.
    #[test]
    fn a_busy_child_is_ours_or_the_server() {
        let mut child = busy_loop();
        let before = Processes::read();
        std::thread::sleep(Duration::from_millis(300));
        let after = Processes::read();
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
