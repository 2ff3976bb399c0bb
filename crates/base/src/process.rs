//! Processes as `/proc` shows them: what they are, which processes they have started, and whether one is still the same.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::root::{self, Root};

/// A process. Its start tells it from a later one with the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// Ticks since the machine started, field 22 of `/proc/PID/stat`.
    pub start_ticks: u64,
}

impl Process {
    /// The process that has this number now; none where there is none, or only its exit status is left of it.
    pub fn of(pid: u32) -> Option<Process> {
        Process::below(&Root::host().proc, pid)
    }

    /// The same in a recorded tree, whose `/proc` is `proc`.
    pub fn below(proc: &Path, pid: u32) -> Option<Process> {
        let stat = Stat::of(proc, pid)?;
        stat.runs().then_some(Process { pid, start_ticks: stat.start_ticks })
    }

    /// This one.
    pub fn own() -> Option<Process> {
        Process::of(std::process::id())
    }

    /// Whether it still runs.
    pub fn is_alive(self) -> bool {
        Process::of(self.pid) == Some(self)
    }
}

/// Whether process `pid` runs: one that has ended and waits for its parent does not.
pub fn is_running(pid: u32) -> bool {
    Process::of(pid).is_some()
}

/// Begins the names of all that dbdyno makes in the kernel.
const PREFIX: &str = "dbdyno-";

/// What a process of dbdyno calls what it makes in the kernel, so that the next start finds what a killed one left:
/// `dbdyno-PID-START`, and `dbdyno-PID-START-NUMBER` from the second one on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Maker {
    /// Who made it.
    pub process: Process,
    /// How many of its kind it had made before.
    pub number: u32,
}

impl fmt::Display for Maker {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{PREFIX}{}-{}", self.process.pid, self.process.start_ticks)?;
        match self.number {
            0 => Ok(()),
            number => write!(to, "-{number}"),
        }
    }
}

/// A text that is not the name of anything that dbdyno made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is not named {PREFIX}PID-START")]
pub struct NotMade;

impl FromStr for Maker {
    type Err = NotMade;

    fn from_str(text: &str) -> Result<Maker, NotMade> {
        let mut numbers = text.strip_prefix(PREFIX).ok_or(NotMade)?.splitn(3, '-');
        let pid = numbers.next().and_then(|pid| pid.parse().ok()).ok_or(NotMade)?;
        let start_ticks = numbers.next().and_then(|start| start.parse().ok()).ok_or(NotMade)?;
        let number = numbers.next().map_or(Ok(0), |number| number.parse().map_err(|_| NotMade))?;
        let maker = Maker { process: Process { pid, start_ticks }, number };
        // No other spelling: what is removed is what was made.
        (maker.to_string() == text).then_some(maker).ok_or(NotMade)
    }
}

/// What is read of `/proc/PID/stat` (proc_pid_stat(5)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Name of the program, cut by the kernel after 15 letters.
    pub name: String,
    /// `R`, `S`, `D`, ...; `Z` and `X` of one that has ended.
    pub state: char,
    /// Who started it, or took it over.
    pub parent: u32,
    /// Whether it is a thread of the kernel.
    pub is_of_kernel: bool,
    /// When it was started, ticks since the machine was.
    pub start_ticks: u64,
    /// User and system time of all threads, in ticks.
    pub own_ticks: u64,
    /// The same of the children that have ended and were waited for, and of theirs.
    pub ended_ticks: u64,
}

/// The flag of a thread of the kernel (`PF_KTHREAD`).
const KERNEL_THREAD: u64 = 0x0020_0000;

impl Stat {
    /// That of a process; none where it is not there.
    pub fn of(proc: &Path, pid: u32) -> Option<Stat> {
        // Half of it is enough for the longest line: one call, and no second one that finds the end.
        let mut bytes = [0; 2048];
        let read = fs::File::open(proc.join(format!("{pid}/stat"))).ok()?.read(&mut bytes).ok()?;
        Stat::parse(&String::from_utf8_lossy(&bytes[..read]))
    }

    /// Fields 2, 3, 4, 9, 14 to 17 and 22. The name may hold anything, brackets too.
    fn parse(text: &str) -> Option<Stat> {
        let (before, behind) = text.rsplit_once(')')?;
        let fields: Vec<&str> = behind.split_ascii_whitespace().take(20).collect();
        // The first field behind the name is field 3.
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

    /// Whether it runs, and is not only an exit status that waits for its parent.
    pub fn runs(&self) -> bool {
        !matches!(self.state, 'Z' | 'X' | 'x')
    }

    /// Time of all threads, nanoseconds, as exact as ticks are.
    pub fn own_ns(&self) -> u64 {
        ticks_ns(self.own_ticks)
    }

    /// Time of the children that have ended, nanoseconds, as exact as ticks are.
    pub fn end_ns(&self) -> u64 {
        ticks_ns(self.ended_ticks)
    }

    /// Seconds since it was started, by the age of the machine in `proc`.
    pub fn age_seconds(&self, proc: &Path) -> Option<f64> {
        let up_seconds: f64 = root::text(proc.join("uptime"))?.split_ascii_whitespace().next()?.parse().ok()?;
        Some(up_seconds - ticks_ns(self.start_ticks) as f64 / 1e9)
    }
}

/// Nanoseconds of so many ticks of `/proc`.
pub fn ticks_ns(ticks: u64) -> u64 {
    ticks.saturating_mul(1_000_000_000 / rustix::param::clock_ticks_per_second().max(1))
}

/// Nanoseconds that all threads of a process of this host have run, those that have ended included: finer than ticks, and
/// for servers of many threads too, of which `/proc/PID/schedstat` knows only the first.
pub fn cpu_ns(pid: u32) -> Option<u64> {
    // The clock of another process's processor time: CPUCLOCK_SCHED of the process, see clock_getcpuclockid(3).
    let clock = (!i32::try_from(pid).ok()? << 3) | 2;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec of ours that outlives the call; an unknown clock is refused.
    let result = unsafe { libc::clock_gettime(clock, &raw mut time) };
    let nanos = u64::try_from(time.tv_sec).ok()?.checked_mul(1_000_000_000)?;
    (result == 0).then(|| nanos + u64::try_from(time.tv_nsec).unwrap_or(0))
}

/// The numbers of all processes in `proc`.
pub fn every(proc: &Path) -> impl Iterator<Item = u32> + use<> {
    let entries = fs::read_dir(proc).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Some processes and those that they have started, and those that these have.
#[derive(Clone, Debug)]
pub struct Trees {
    proc: PathBuf,
    roots: Vec<u32>,
    /// Whether the kernel lists the children of a process; otherwise every process is asked for its parent.
    lists_children: bool,
}

impl Trees {
    /// The trees below `roots`, which are looked for in `proc`.
    pub fn new(proc: impl Into<PathBuf>, roots: &[u32]) -> Trees {
        let proc = proc.into();
        let lists_children = roots.iter().any(|pid| listed_children(&proc, *pid).is_some());
        Trees { proc, roots: roots.to_vec(), lists_children }
    }

    /// Whose trees these are.
    pub fn roots(&self) -> &[u32] {
        &self.roots
    }

    /// Calls `each` with every process that is there now, each once and before those that it has started: its number,
    /// what is known of it, and how many generations lie between it and the nearest root.
    pub fn walk(&self, mut each: impl FnMut(u32, &Stat, usize)) {
        let stat = |pid: u32| Stat::of(&self.proc, pid);
        let all: BTreeMap<u32, Stat> = match self.lists_children || self.roots.is_empty() {
            true => BTreeMap::new(),
            false => every(&self.proc).filter_map(|pid| Some((pid, stat(pid)?))).collect(),
        };
        let mut found: Vec<(u32, usize)> = self.roots.iter().map(|root| (*root, 0)).collect();
        let mut at = 0;
        while let Some((pid, generation)) = found.get(at).copied() {
            let is_known = found[..at].iter().any(|(known, _)| *known == pid);
            at += 1;
            let stat = if self.lists_children { stat(pid) } else { all.get(&pid).cloned() };
            let Some(stat) = stat.filter(|_| !is_known) else { continue };
            each(pid, &stat, generation);
            let children: Vec<u32> = match self.lists_children {
                true => listed_children(&self.proc, pid).unwrap_or_default(),
                false => all.iter().filter(|(_, stat)| stat.parent == pid).map(|(child, _)| *child).collect(),
            };
            found.extend(children.into_iter().map(|child| (child, generation + 1)));
        }
    }

    /// All of them, the roots among them.
    pub fn processes(&self) -> Vec<Process> {
        let mut found = Vec::new();
        self.walk(|pid, stat, _| found.push(Process { pid, start_ticks: stat.start_ticks }));
        found
    }
}

/// The children, as the kernel lists them per thread, where it was built to do so.
fn listed_children(proc: &Path, pid: u32) -> Option<Vec<u32>> {
    let tasks = proc.join(format!("{pid}/task"));
    let mut children = Vec::new();
    let threads = root::names(&tasks);
    if threads.is_empty() {
        return None;
    }
    for task in threads {
        let text = fs::read(tasks.join(task).join("children")).ok()?;
        let text = String::from_utf8_lossy(&text);
        children.extend(text.split_ascii_whitespace().filter_map(|child| child.parse::<u32>().ok()));
    }
    Some(children)
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
    fn an_age_is_that_of_the_machine_less_the_start() {
        let tree = tempfile::tempdir().expect("temporary directory");
        let stat = Stat { start_ticks: 4700, ..Stat::parse(LINE).expect("a stat line") };
        assert_eq!(stat.age_seconds(tree.path()), None);
        fs::write(tree.path().join("uptime"), "100.5 90.0\n").expect("uptime");
        assert_eq!(stat.age_seconds(tree.path()), Some(100.5 - ticks_ns(4700) as f64 / 1e9));
    }

    #[test]
    fn a_process_is_known_by_number_and_start() {
        let own = Process::own().expect("this process");
        assert_eq!(own.pid, std::process::id());
        assert!(own.is_alive());
        assert!(!Process { start_ticks: own.start_ticks + 1, ..own }.is_alive(), "a later process of that number");
        assert_eq!(Maker { process: own, number: 0 }.to_string().parse(), Ok(Maker { process: own, number: 0 }));
    }

    #[test]
    fn a_process_that_has_ended_does_not_run() {
        assert!(is_running(std::process::id()));
        let mut child = Command::new("true").spawn().expect("a process");
        let pid = child.id();
        let begun = Instant::now();
        while is_running(pid) && begun.elapsed().as_secs() < 10 {
            std::thread::yield_now();
        }
        assert!(!is_running(pid), "it waits for its parent");
        child.wait().expect("ended");
        assert!(!is_running(pid), "it is gone");
    }

    #[test]
    fn only_what_was_made_so_is_ours() {
        for name in ["dbdyno", "dbdyno-1", "dbdyno-1-", "dbdyno-01-2", "dbdyno-1-2-0", "dbdyno-+1-2", "xdbdyno-1-2"] {
            assert_eq!(name.parse::<Maker>(), Err(NotMade), "{name}");
        }
        let process = Process { pid: 1, start_ticks: 2 };
        assert_eq!("dbdyno-1-2".parse(), Ok(Maker { process, number: 0 }));
        assert_eq!("dbdyno-1-2-3".parse(), Ok(Maker { process, number: 3 }));
    }

    #[test]
    fn each_process_of_a_tree_comes_once_and_behind_its_parent() {
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
    fn a_kernel_that_lists_children_is_believed() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        for (pid, parent) in [(10, 1), (11, 10), (12, 10), (14, 10)] {
            process(scratch.path(), pid, parent);
        }
        for (pid, task, children) in [(10, 10, "11 "), (10, 15, "12 10 "), (11, 11, ""), (12, 12, "")] {
            let directory = scratch.path().join(format!("{pid}/task/{task}"));
            fs::create_dir_all(&directory).expect("task");
            fs::write(directory.join("children"), children).expect("children");
        }
        assert_eq!(walked(&Trees::new(scratch.path(), &[10])), [(10, 0), (11, 1), (12, 1)]);
    }

    #[test]
    fn what_a_process_has_started_is_found() {
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
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(50) {
            std::hint::spin_loop();
        }
        let by_clock_ns = cpu_ns(pid).expect("a clock");
        let ticks = Stat::of(&Root::host().proc, pid).expect("stat").own_ticks;
        let apart_ns = by_clock_ns.abs_diff(ticks_ns(ticks));
        assert!(apart_ns < ticks_ns(10), "{by_clock_ns} ns by the clock, {ticks} ticks");
        assert_eq!(cpu_ns(u32::MAX), None);
    }

    proptest! {
        #[test]
        fn every_name_is_read_again(pid in any::<u32>(), start_ticks in any::<u64>(), number in any::<u32>()) {
            let maker = Maker { process: Process { pid, start_ticks }, number };
            prop_assert_eq!(maker.to_string().parse(), Ok(maker));
        }

        #[test]
        fn no_text_is_too_strange(
            line in "[0-9]* ?\\(?\\PC*\\)?( [0-9-]+)*",
            name in "(dbdyno)?-?[0-9]{0,12}-?\\PC*",
        ) {
            let _ = Stat::parse(&line);
            let _ = name.parse::<Maker>();
        }
    }
}
