//! Processes in `/proc`: their identity, their state, and trees of processes.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::root::{self, Root};

/// A process, identified by pid and start time, which differs from that of a later process with the same pid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// The pid.
    pub pid: u32,
    /// Start, ticks since boot: field 22 of `/proc/PID/stat`.
    pub start_ticks: u64,
}

impl Process {
    /// The process with this pid; none if it does not exist or is a zombie.
    pub fn of(pid: u32) -> Option<Process> {
        Process::below(&Root::host().proc, pid)
    }

    /// The same in a recorded `/proc`.
    pub fn below(proc: &Path, pid: u32) -> Option<Process> {
        let stat = Stat::of(proc, pid)?;
        stat.runs().then_some(Process { pid, start_ticks: stat.start_ticks })
    }

    /// This process.
    pub fn own() -> Option<Process> {
        Process::of(std::process::id())
    }

    /// Whether it is still running.
    pub fn is_alive(self) -> bool {
        Process::of(self.pid) == Some(self)
    }
}

/// Whether process `pid` is running; a zombie is not.
pub fn is_running(pid: u32) -> bool {
    Process::of(pid).is_some()
}

/// Prefix of all kernel objects of dbdyno.
const PREFIX: &str = "dbdyno-";

/// Name of a kernel object of a process of dbdyno, by which the next start finds left-overs of a killed one:
/// `dbdyno-PID-START`, and `dbdyno-PID-START-NUMBER` from the second one on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectName {
    /// The process that created it.
    pub process: Process,
    /// Number of objects of this kind that it created before.
    pub number: u32,
}

impl fmt::Display for ObjectName {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{PREFIX}{}-{}", self.process.pid, self.process.start_ticks)?;
        match self.number {
            0 => Ok(()),
            number => write!(to, "-{number}"),
        }
    }
}

/// Not the name of an object of dbdyno.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is not named {PREFIX}PID-START")]
pub struct NotMade;

impl FromStr for ObjectName {
    type Err = NotMade;

    fn from_str(text: &str) -> Result<ObjectName, NotMade> {
        let mut numbers = text.strip_prefix(PREFIX).ok_or(NotMade)?.splitn(3, '-');
        let pid = numbers.next().and_then(|pid| pid.parse().ok()).ok_or(NotMade)?;
        let start_ticks = numbers.next().and_then(|start| start.parse().ok()).ok_or(NotMade)?;
        let number = numbers.next().map_or(Ok(0), |number| number.parse().map_err(|_| NotMade))?;
        let name = ObjectName { process: Process { pid, start_ticks }, number };
        // Only the canonical spelling: nothing else is removed.
        (name.to_string() == text).then_some(name).ok_or(NotMade)
    }
}

/// Fields of `/proc/PID/stat` (proc_pid_stat(5)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Name of the program, truncated by the kernel to 15 characters.
    pub name: String,
    /// `R`, `S`, `D`, ...; `Z` and `X` after its end.
    pub state: char,
    /// The parent.
    pub parent: u32,
    /// Whether it is a kernel thread.
    pub is_of_kernel: bool,
    /// Start, ticks since boot.
    pub start_ticks: u64,
    /// User and system time of all threads, ticks.
    pub own_ticks: u64,
    /// The same of ended and waited-for children, and of theirs.
    pub ended_ticks: u64,
}

/// The flag of kernel threads (`PF_KTHREAD`).
const KERNEL_THREAD: u64 = 0x0020_0000;

impl Stat {
    /// That of a process; none if it does not exist.
    pub fn of(proc: &Path, pid: u32) -> Option<Stat> {
        // Twice the longest line, so that one read suffices.
        let mut bytes = [0; 2048];
        let read = fs::File::open(proc.join(format!("{pid}/stat"))).ok()?.read(&mut bytes).ok()?;
        Stat::parse(&String::from_utf8_lossy(&bytes[..read]))
    }

    /// Fields 2, 3, 4, 9, 14 to 17 and 22. The name may contain anything, also brackets.
    fn parse(text: &str) -> Option<Stat> {
        let (before, after) = text.rsplit_once(')')?;
        let fields: Vec<&str> = after.split_ascii_whitespace().take(20).collect();
        // The first field after the name is field 3.
        let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
        Some(Stat {
            name: before.split_once('(').map_or("", |(_, name)| name).to_owned(),
            state: fields.first()?.chars().next()?,
            parent: u32::try_from(number(4)?).ok()?,
            is_of_kernel: number(9)? & KERNEL_THREAD != 0,
            start_ticks: number(22)?,
            own_ticks: number(14)?.saturating_add(number(15)?),
            ended_ticks: number(16)?.saturating_add(number(17)?),
        })
    }

    /// Whether it is running, and not a zombie.
    pub fn runs(&self) -> bool {
        !matches!(self.state, 'Z' | 'X' | 'x')
    }

    /// CPU time of all threads, nanoseconds, with the resolution of ticks.
    pub fn own_ns(&self) -> u64 {
        ticks_ns(self.own_ticks)
    }

    /// CPU time of ended children, nanoseconds, with the resolution of ticks.
    pub fn end_ns(&self) -> u64 {
        ticks_ns(self.ended_ticks)
    }

    /// Seconds since its start, by the uptime in `proc`.
    pub fn age_seconds(&self, proc: &Path) -> Option<f64> {
        let up_seconds: f64 = root::text(proc.join("uptime"))?.split_ascii_whitespace().next()?.parse().ok()?;
        Some(up_seconds - ticks_ns(self.start_ticks) as f64 / 1e9)
    }
}

/// Nanoseconds of ticks of `/proc`.
pub fn ticks_ns(ticks: u64) -> u64 {
    ticks.saturating_mul(1_000_000_000 / rustix::param::clock_ticks_per_second().max(1))
}

/// CPU time of all threads of a process, ended ones included, nanoseconds: more precise than ticks, and complete for
/// multi-threaded servers, unlike `/proc/PID/schedstat`, which covers the first thread only.
pub fn cpu_ns(pid: u32) -> Option<u64> {
    // The CPU-time clock of another process: CPUCLOCK_SCHED, see clock_getcpuclockid(3).
    let clock = (!i32::try_from(pid).ok()? << 3) | 2;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a local timespec that outlives the call; an invalid clock is an error.
    let result = unsafe { libc::clock_gettime(clock, &raw mut time) };
    let nanos = u64::try_from(time.tv_sec).ok()?.checked_mul(1_000_000_000)?;
    (result == 0).then(|| nanos + u64::try_from(time.tv_nsec).unwrap_or(0))
}

/// The pids of all processes in `proc`.
pub fn every(proc: &Path) -> impl Iterator<Item = u32> + use<> {
    let entries = fs::read_dir(proc).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Trees of processes: roots and their descendants.
#[derive(Clone, Debug)]
pub struct Trees {
    proc: PathBuf,
    roots: Vec<u32>,
    /// Whether the kernel lists the children of a process; otherwise the parents of all processes are read.
    lists_children: bool,
}

impl Trees {
    /// The trees of `roots` in `proc`.
    pub fn new(proc: impl Into<PathBuf>, roots: &[u32]) -> Trees {
        let proc = proc.into();
        let lists_children = roots.iter().any(|pid| listed_children(&proc, *pid).is_some());
        Trees { proc, roots: roots.to_vec(), lists_children }
    }

    /// The roots.
    pub fn roots(&self) -> &[u32] {
        &self.roots
    }

    /// Calls `each` once with every existing process, parents before children: pid, stat, and number of generations
    /// below the nearest root.
    pub fn walk(&self, mut each: impl FnMut(u32, &Stat, usize)) {
        let stat = |pid: u32| Stat::of(&self.proc, pid);
        let all: BTreeMap<u32, Stat> = match self.lists_children || self.roots.is_empty() {
            true => BTreeMap::new(),
            false => every(&self.proc).filter_map(|pid| Some((pid, stat(pid)?))).collect(),
        };
        let mut found: Vec<(u32, usize)> = self.roots.iter().map(|root| (*root, 0)).collect();
        let mut at = 0;
        while let Some((pid, generation)) = found.get(at).copied() {
            let is_repeated = found[..at].iter().any(|(known, _)| *known == pid);
            at += 1;
            let stat = if self.lists_children { stat(pid) } else { all.get(&pid).cloned() };
            let Some(stat) = stat.filter(|_| !is_repeated) else { continue };
            each(pid, &stat, generation);
            let children: Vec<u32> = match self.lists_children {
                true => listed_children(&self.proc, pid).unwrap_or_default(),
                false => all.iter().filter(|(_, stat)| stat.parent == pid).map(|(child, _)| *child).collect(),
            };
            found.extend(children.into_iter().map(|child| (child, generation + 1)));
        }
    }

    /// All processes, including the roots.
    pub fn processes(&self) -> Vec<Process> {
        let mut found = Vec::new();
        self.walk(|pid, stat, _| found.push(Process { pid, start_ticks: stat.start_ticks }));
        found
    }
}

/// The children, as listed by the kernel per thread, if it is built with this. A thread that ends meanwhile has none.
fn listed_children(proc: &Path, pid: u32) -> Option<Vec<u32>> {
    let tasks = proc.join(format!("{pid}/task"));
    let lists = root::names(&tasks).into_iter().filter_map(|task| fs::read(tasks.join(task).join("children")).ok());
    let mut lists = lists.peekable();
    lists.peek()?;
    let pids = |list: Vec<u8>| -> Vec<u32> {
        String::from_utf8_lossy(&list).split_ascii_whitespace().filter_map(|child| child.parse().ok()).collect()
    };
    Some(lists.flat_map(pids).collect())
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;

    const LINE: &str = "7 (a ) b (c) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 1000 20";

    fn process(proc: &Path, pid: u32, parent: u32) {
        let line = format!("{pid} (a) b (c) S {parent} {pid} {pid} 0 -1 4194560 1 2 3 4 0 0 0 0 20 0 1 0 99 0 0\n");
        let directory = proc.join(pid.to_string());
        fs::create_dir_all(&directory).expect("process");
        fs::write(directory.join("stat"), line).expect("stat");
    }

    fn walked(trees: &Trees) -> Vec<(u32, usize)> {
        let mut found = Vec::new();
        trees.walk(|pid, _, generation| found.push((pid, generation)));
        found
    }

    #[test]
    fn a_name_with_brackets_does_not_shift_the_fields() {
        let stat = Stat::parse(LINE).expect("a stat line");
        assert_eq!((stat.name.as_str(), stat.state, stat.parent, stat.start_ticks), ("a ) b (c", 'S', 1, 4711));
        assert_eq!((stat.own_ticks, stat.ended_ticks, stat.is_of_kernel), (11, 15, false));
        assert!(Stat::parse("7 (short) S 1").is_none() && Stat::parse("").is_none());
    }

    #[test]
    fn the_age_is_uptime_minus_start() {
        let tree = tempfile::tempdir().expect("temporary directory");
        let stat = Stat { start_ticks: 4700, ..Stat::parse(LINE).expect("a stat line") };
        assert_eq!(stat.age_seconds(tree.path()), None);
        fs::write(tree.path().join("uptime"), "100.5 90.0\n").expect("uptime");
        assert_eq!(stat.age_seconds(tree.path()), Some(100.5 - ticks_ns(4700) as f64 / 1e9));
    }

    #[test]
    fn a_process_is_identified_by_pid_and_start() {
        let own = Process::own().expect("this process");
        assert_eq!(own.pid, std::process::id());
        assert!(own.is_alive());
        assert!(!Process { start_ticks: own.start_ticks + 1, ..own }.is_alive(), "a later process of that number");
        assert_eq!(
            ObjectName { process: own, number: 0 }.to_string().parse(),
            Ok(ObjectName { process: own, number: 0 })
        );
    }

    #[test]
    fn an_ended_process_is_not_running() {
        assert!(is_running(std::process::id()));
        let mut child = Command::new("true").spawn().expect("a process");
        let pid = child.id();
        let start = Instant::now();
        while is_running(pid) && start.elapsed().as_secs() < 10 {
            std::thread::yield_now();
        }
        assert!(!is_running(pid), "it is a zombie");
        child.wait().expect("ended");
        assert!(!is_running(pid), "it is gone");
    }

    #[test]
    fn only_canonical_names_are_accepted() {
        for name in ["dbdyno", "dbdyno-1", "dbdyno-1-", "dbdyno-01-2", "dbdyno-1-2-0", "dbdyno-+1-2", "xdbdyno-1-2"] {
            assert_eq!(name.parse::<ObjectName>(), Err(NotMade), "{name}");
        }
        let process = Process { pid: 1, start_ticks: 2 };
        assert_eq!("dbdyno-1-2".parse(), Ok(ObjectName { process, number: 0 }));
        assert_eq!("dbdyno-1-2-3".parse(), Ok(ObjectName { process, number: 3 }));
    }

    #[test]
    fn each_process_of_a_tree_comes_once_and_after_its_parent() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        for (pid, parent) in [(1, 0), (10, 1), (11, 10), (12, 10), (13, 12), (20, 1)] {
            process(scratch.path(), pid, parent);
        }
        let below = |roots: &[u32]| walked(&Trees::new(scratch.path(), roots));
        assert_eq!(below(&[10]), [(10, 0), (11, 1), (12, 1), (13, 2)]);
        assert_eq!(below(&[10, 12, 20]), [(10, 0), (12, 0), (20, 0), (11, 1), (13, 1)], "from the nearest root");
        assert_eq!((below(&[99]), below(&[])), (vec![], vec![]));
    }

    #[test]
    fn listed_children_are_used() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        for (pid, parent) in [(10, 1), (11, 10), (12, 10), (14, 10)] {
            process(scratch.path(), pid, parent);
        }
        for (pid, task, children) in [(10, 10, "11 "), (10, 15, "12 10 "), (11, 11, ""), (12, 12, "")] {
            let directory = scratch.path().join(format!("{pid}/task/{task}"));
            fs::create_dir_all(&directory).expect("task");
            fs::write(directory.join("children"), children).expect("children");
        }
        // A thread that ends between the listing of threads and the reading of its children.
        fs::create_dir_all(scratch.path().join("10/task/13")).expect("task");
        assert_eq!(walked(&Trees::new(scratch.path(), &[10])), [(10, 0), (11, 1), (12, 1)]);
    }

    #[test]
    fn children_are_found() {
        let own = std::process::id();
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().expect("cat");
        let found = Trees::new("/proc", &[own]).processes();
        assert_eq!(found.first().map(|process| process.pid), Some(own));
        assert!(found.contains(&Process::of(child.id()).expect("the child")));
        drop(child.stdin.take());
        child.wait().expect("ended");
    }

    #[test]
    fn the_clock_of_a_process_agrees_with_its_ticks() {
        let pid = std::process::id();
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(50) {
            std::hint::spin_loop();
        }
        let by_clock_ns = cpu_ns(pid).expect("a clock");
        let ticks = Stat::of(&Root::host().proc, pid).expect("stat").own_ticks;
        let difference_ns = by_clock_ns.abs_diff(ticks_ns(ticks));
        assert!(difference_ns < ticks_ns(10), "{by_clock_ns} ns by the clock, {ticks} ticks");
        assert_eq!(cpu_ns(u32::MAX), None);
    }

    proptest! {
        #[test]
        fn every_name_is_parsed_again(pid in any::<u32>(), start_ticks in any::<u64>(), number in any::<u32>()) {
            let name = ObjectName { process: Process { pid, start_ticks }, number };
            prop_assert_eq!(name.to_string().parse(), Ok(name));
        }

        #[test]
        fn no_text_panics(
            line in "[0-9]* ?\\(?\\PC*\\)?( [0-9-]+)*",
            name in "(dbdyno)?-?[0-9]{0,12}-?\\PC*",
        ) {
            let _ = Stat::parse(&line);
            let _ = name.parse::<ObjectName>();
        }
    }
}
