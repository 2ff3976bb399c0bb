//! CPU time and I/O of process trees: a server and its session processes, agents on this host.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use base::Root;
use base::process::{Stat, Trees, cpu_ns};

use super::transfer;

/// The process trees below some roots.
#[derive(Debug)]
pub(super) struct ProcessTrees {
    proc: PathBuf,
    /// Whether `proc` is that of this host, and the CPU clocks of other processes are readable.
    has_clocks: bool,
    trees: Trees,
}

impl ProcessTrees {
    pub(super) fn new(root: &Root) -> ProcessTrees {
        let has_clocks = root.is_host() && cpu_ns(std::process::id()).is_some();
        ProcessTrees { proc: root.proc.clone(), has_clocks, trees: Trees::new(&root.proc, &[]) }
    }

    /// Sets the roots; true if they differ from the previous ones.
    pub(super) fn set_roots(&mut self, roots: &[u32]) -> bool {
        let changed = self.trees.roots() != roots;
        if changed {
            self.trees = Trees::new(&self.proc, roots);
        }
        changed
    }

    /// CPU time of the trees; none without a process.
    ///
    /// The time of an ended child is counted by its parent, in ticks. Parents are read before their children: a child
    /// that ends in between is missing in one reading, but never counted twice.
    pub(super) fn cpu_ns(&self) -> Option<u64> {
        let mut sum_ns: Option<u64> = None;
        self.trees.walk(|pid, stat: &Stat, _| {
            // A process without a clock has just ended, and its parent may have counted it already.
            let own_ns = if self.has_clocks { cpu_ns(pid).unwrap_or(0) } else { stat.own_ns() };
            let total_ns = own_ns.saturating_add(stat.end_ns());
            sum_ns = Some(sum_ns.unwrap_or(0).saturating_add(total_ns));
        });
        sum_ns
    }

    /// The counters of I/O of the processes that run, added.
    pub(super) fn transfers(&self) -> BTreeMap<&'static str, u64> {
        let mut sums = BTreeMap::new();
        self.trees.walk(|pid, _: &Stat, _| {
            let text = fs::read_to_string(self.proc.join(pid.to_string()).join("io"));
            for (name, value) in text.ok().iter().flat_map(|text| transfer::parse(text)) {
                let sum: &mut u64 = sums.entry(name).or_default();
                *sum = sum.saturating_add(value);
            }
        });
        sums
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use base::process::ticks_ns;

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
    fn a_tree_includes_its_ended_children() {
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
        assert!(trees.set_roots(&[10]));
        assert!(!trees.set_roots(&[10]));
        assert_eq!(trees.cpu_ns(), Some(ticks_ns(73 + 10 + 10 + 9)));
        trees.set_roots(&[10, 11, 20]);
        assert_eq!(trees.cpu_ns(), Some(ticks_ns(102 + 500)), "a root inside another tree counts once");
        trees.set_roots(&[99]);
        assert_eq!(trees.cpu_ns(), None, "a process that is not there");
    }

    #[test]
    fn lists_of_children_are_used() {
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
        trees.set_roots(&[10]);
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
        let start = Instant::now();
        // Until the last child has ended: then the shell only waits for input.
        let mut quiet = 0;
        while quiet < 20 && start.elapsed() < Duration::from_secs(20) {
            readings.push(counters.read(&[child.id()])[record::name::SERVER_CPU_NS]);
            quiet = if readings.iter().rev().nth(1) == readings.last() { quiet + 1 } else { 0 };
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(readings.windows(2).all(|pair| pair[0] <= pair[1]), "never back");
        let stat = Stat::of(Path::new("/proc"), child.id()).expect("stat");
        assert!(stat.ended_ticks > 0, "the shell has waited for children that ran");
        let last_ns = *readings.last().expect("readings");
        let end_ns = ticks_ns(stat.ended_ticks);
        assert!(last_ns >= end_ns, "{last_ns} ns in all, {end_ns} ns of those that ended");
        drop(child.stdin.take());
        child.wait().expect("end");
    }
}
