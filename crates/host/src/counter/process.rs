//! Processor time of process trees: a server and the processes that it starts for its sessions.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::cpu::ticks_ns;
use crate::root::{self, Root};

/// The trees below some processes.
#[derive(Debug)]
pub(super) struct ProcessTrees {
    proc: PathBuf,
    /// Whether system calls speak of the same processes as `proc`, and know the clocks of others.
    has_clocks: bool,
    /// Whether the kernel lists the children of a process; otherwise every process is asked for its parent.
    lists_children: bool,
    roots: Vec<u32>,
}

/// What we need of `/proc/PID/stat`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProcessStat {
    /// Name of the program, cut by the kernel after 15 letters.
    pub(crate) name: String,
    /// Who started it, or took it over.
    pub(crate) parent: u32,
    /// Whether it is a thread of the kernel.
    pub(crate) is_of_kernel: bool,
    /// When it was started, in ticks.
    pub(crate) started_ticks: u64,
    /// User and system time of all threads, in ticks.
    own_ticks: u64,
    /// The same of the children that have ended and were waited for, and of theirs.
    ended_ticks: u64,
}

impl ProcessStat {
    /// That of a process; none where it is not there.
    pub(crate) fn of(proc: &Path, pid: u32) -> Option<ProcessStat> {
        // Half of it is enough for the longest line: one call, and no second one that finds the end.
        let mut bytes = [0; 2048];
        let read = fs::File::open(proc.join(format!("{pid}/stat"))).ok()?.read(&mut bytes).ok()?;
        parse(&String::from_utf8_lossy(&bytes[..read]))
    }

    /// Time of all threads, nanoseconds, as exact as ticks are.
    pub(crate) fn own_ns(&self) -> u64 {
        ticks_ns(self.own_ticks)
    }

    /// Time of the children that have ended, nanoseconds, as exact as ticks are.
    pub(crate) fn ended_ns(&self) -> u64 {
        ticks_ns(self.ended_ticks)
    }
}

impl ProcessTrees {
    pub(super) fn new(root: &Root) -> ProcessTrees {
        let has_clocks = root.is_host() && cpu_ns(std::process::id()).is_some();
        ProcessTrees { proc: root.proc.clone(), has_clocks, lists_children: false, roots: Vec::new() }
    }

    /// Watches the trees below `roots` from now on; true if they are others than before.
    pub(super) fn turn_to(&mut self, roots: &[u32]) -> bool {
        let changed = self.roots != roots;
        if changed {
            self.roots = roots.to_vec();
            self.lists_children = roots.iter().any(|pid| self.listed_children(*pid).is_some());
        }
        changed
    }

    /// Nanoseconds that the trees have run; none where there are none.
    ///
    /// The time of a child that has ended is found in its parent, in ticks. It is read of the parent before the
    /// child's own is read of the child: one that ends in between is missing in one reading, and never twice in it.
    pub(super) fn cpu_ns(&self) -> Option<u64> {
        if self.roots.is_empty() {
            return None;
        }
        let all = if self.lists_children { BTreeMap::new() } else { self.all() };
        let mut found: Vec<u32> = Vec::new();
        let mut sum_ns: Option<u64> = None;
        let mut open: Vec<u32> = self.roots.clone();
        while let Some(pid) = open.pop() {
            let stat = if self.lists_children { self.stat(pid) } else { all.get(&pid).cloned() };
            let Some(stat) = stat.filter(|_| !found.contains(&pid)) else { continue };
            found.push(pid);
            let own_ns = match self.has_clocks {
                // One without a clock has ended since, and its parent may have counted it already.
                true => cpu_ns(pid).unwrap_or(0),
                false => ticks_ns(stat.own_ticks),
            };
            let total_ns = own_ns.saturating_add(ticks_ns(stat.ended_ticks));
            sum_ns = Some(sum_ns.unwrap_or(0).saturating_add(total_ns));
            if self.lists_children {
                open.extend(self.listed_children(pid).unwrap_or_default());
            } else {
                open.extend(all.iter().filter(|(_, stat)| stat.parent == pid).map(|(child, _)| *child));
            }
        }
        sum_ns
    }

    fn stat(&self, pid: u32) -> Option<ProcessStat> {
        ProcessStat::of(&self.proc, pid)
    }

    /// The children, as the kernel lists them per thread, where it was built to do so.
    fn listed_children(&self, pid: u32) -> Option<Vec<u32>> {
        let tasks = self.proc.join(format!("{pid}/task"));
        let mut children = Vec::new();
        let threads = root::names(&tasks);
        if threads.is_empty() {
            return None;
        }
        for task in threads {
            let text = read_text(&tasks.join(task).join("children"))?;
            children.extend(text.split_ascii_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        }
        Some(children)
    }

    /// Every process there is.
    fn all(&self) -> BTreeMap<u32, ProcessStat> {
        let pids = root::names(&self.proc).into_iter().filter_map(|name| name.parse::<u32>().ok());
        pids.filter_map(|pid| Some((pid, self.stat(pid)?))).collect()
    }
}

/// Nanoseconds that all threads of a process have run, those that have ended included: finer than ticks, and for
/// servers of many threads too, of which `/proc/PID/schedstat` knows only the first.
pub(crate) fn cpu_ns(pid: u32) -> Option<u64> {
    // The clock of another process's processor time: CPUCLOCK_SCHED of the process, see clock_getcpuclockid(3).
    let clock = (!i32::try_from(pid).ok()? << 3) | 2;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec of ours that outlives the call; an unknown clock is refused.
    let result = unsafe { libc::clock_gettime(clock, &raw mut time) };
    let nanos = u64::try_from(time.tv_sec).ok()?.checked_mul(1_000_000_000)?;
    (result == 0).then(|| nanos + u64::try_from(time.tv_nsec).unwrap_or(0))
}

fn read_text(path: &Path) -> Option<String> {
    fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// The flag of a thread of the kernel (`PF_KTHREAD`).
const KERNEL_THREAD: u64 = 0x0020_0000;

/// Fields 2, 4, 9, 14 to 17 and 22. The name may hold anything, brackets too.
fn parse(text: &str) -> Option<ProcessStat> {
    let (before, behind) = text.rsplit_once(')')?;
    let fields: Vec<&str> = behind.split_ascii_whitespace().collect();
    // The first field behind the name is field 3.
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some(ProcessStat {
        name: before.split_once('(').map_or("", |(_, name)| name).to_owned(),
        parent: u32::try_from(number(4)?).ok()?,
        is_of_kernel: number(9)? & KERNEL_THREAD != 0,
        started_ticks: number(22)?,
        own_ticks: number(14)?.saturating_add(number(15)?),
        ended_ticks: number(16)?.saturating_add(number(17)?),
    })
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;

    fn process(proc: &Path, pid: u32, parent: u32, times: [u64; 4]) {
        let [user, system, ended_user, ended_system] = times;
        let text = format!(
            "{pid} (a) b (c) S {parent} {pid} {pid} 0 -1 4194560 1 2 3 4 {user} {system} {ended_user} {ended_system} 20 0 1 0 99 0 0\n"
        );
        let directory = proc.join(pid.to_string());
        fs::create_dir_all(&directory).expect("process");
        fs::write(directory.join("stat"), text).expect("stat");
    }

    #[test]
    fn a_tree_is_its_living_and_its_dead() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        let root = Root::below(scratch.path());
        process(&root.proc, 1, 0, [1000, 1000, 1000, 1000]);
        process(&root.proc, 10, 1, [1, 2, 30, 40]);
        process(&root.proc, 11, 10, [5, 5, 0, 0]);
        process(&root.proc, 12, 10, [7, 0, 3, 0]);
        process(&root.proc, 13, 12, [0, 9, 0, 0]);
        process(&root.proc, 20, 1, [500, 0, 0, 0]);
        let mut trees = ProcessTrees::new(&root);
        assert_eq!(trees.cpu_ns(), None);
        assert!(trees.turn_to(&[10]));
        assert!(!trees.turn_to(&[10]));
        assert_eq!(trees.cpu_ns(), Some(ticks_ns(73 + 10 + 10 + 9)));
        trees.turn_to(&[10, 11, 20]);
        assert_eq!(trees.cpu_ns(), Some(ticks_ns(102 + 500)), "a root inside another tree counts once");
        trees.turn_to(&[99]);
        assert_eq!(trees.cpu_ns(), None, "a process that is not there");
    }

    #[test]
    fn a_kernel_that_lists_children_is_believed() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        let root = Root::below(scratch.path());
        process(&root.proc, 10, 1, [1, 0, 0, 0]);
        process(&root.proc, 11, 10, [2, 0, 0, 0]);
        process(&root.proc, 12, 10, [4, 0, 0, 0]);
        for (pid, task, children) in [(10, 10, "11 "), (10, 15, "12 10 "), (11, 11, ""), (12, 12, "")] {
            let directory = root.proc.join(format!("{pid}/task/{task}"));
            fs::create_dir_all(&directory).expect("task");
            fs::write(directory.join("children"), children).expect("children");
        }
        let mut trees = ProcessTrees::new(&root);
        trees.turn_to(&[10]);
        assert_eq!(trees.cpu_ns(), Some(ticks_ns(7)));
    }

    /// A shell whose children spin one after the other.
    fn spinner() -> Child {
        let script = "for i in 1 2 3 4; do sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'; done; read line";
        Command::new("sh").args(["-c", script]).stdin(Stdio::piped()).spawn().expect("a shell")
    }

    #[test]
    fn children_that_ended_are_not_lost() {
        let mut child = spinner();
        let mut counters = super::super::Counters::new(Path::new("/"));
        let mut readings = Vec::new();
        let begun = Instant::now();
        // Until the last child is gone: then the shell alone waits for its line.
        let mut quiet = 0;
        while quiet < 20 && begun.elapsed() < Duration::from_secs(20) {
            readings.push(counters.read(&[child.id()])[record::name::SERVER_CPU_NS]);
            quiet = if readings.iter().rev().nth(1) == readings.last() { quiet + 1 } else { 0 };
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(readings.windows(2).all(|pair| pair[0] <= pair[1]), "never back");
        let stat = parse(&read_text(Path::new(&format!("/proc/{}/stat", child.id()))).expect("stat")).expect("fields");
        assert!(stat.ended_ticks > 0, "the shell has waited for children that ran");
        let last_ns = *readings.last().expect("readings");
        let ended_ns = ticks_ns(stat.ended_ticks);
        assert!(last_ns >= ended_ns, "{last_ns} ns in all, {ended_ns} ns of those that ended");
        drop(child.stdin.take());
        child.wait().expect("end");
    }

    #[test]
    fn the_clock_of_a_process_agrees_with_its_ticks() {
        let trees = ProcessTrees::new(&Root::host());
        let pid = std::process::id();
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(50) {
            std::hint::spin_loop();
        }
        let by_clock_ns = cpu_ns(pid).expect("a clock");
        let ticks = trees.stat(pid).expect("stat").own_ticks;
        let apart_ns = by_clock_ns.abs_diff(ticks_ns(ticks));
        assert!(apart_ns < ticks_ns(10), "{by_clock_ns} ns by the clock, {ticks} ticks");
        assert_eq!(cpu_ns(u32::MAX), None);
    }

    proptest! {
        #[test]
        fn no_line_is_too_strange(line in "[0-9]* ?\\(?\\PC*\\)?( [0-9-]+)*") {
            let _ = parse(&line);
        }
    }
}
