//! Who else uses the processors.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use record::Bystander;

use crate::counter::{parent_of, process_cpu_ns};
use crate::root::{self, Root};

/// The shortest time that says anything.
const WATCHED_MIN: Duration = Duration::from_millis(100);
/// Bystanders that are named.
const NAMED_MAX: usize = 5;
/// What uses less than this of one processor is not worth naming.
const PROCESSORS_MIN: f64 = 0.01;
/// Steps on the way up to the first process: a limit for a chain that leads back to itself.
const ANCESTORS_MAX: usize = 64;

/// The processor time of all processes at one moment, of which only names are ever kept.
#[derive(Debug)]
pub struct Bystanders {
    at: Instant,
    cpu_ns: BTreeMap<u32, u64>,
}

impl Bystanders {
    /// Looks at all processes of this host.
    pub fn look() -> Bystanders {
        Bystanders { at: Instant::now(), cpu_ns: all(&Root::host()) }
    }

    /// Those that have been busiest since, this process and all below it left out, the busiest first. Waits where too
    /// little time has passed.
    pub fn busiest(self) -> Vec<Bystander> {
        std::thread::sleep(WATCHED_MIN.saturating_sub(self.at.elapsed()));
        let root = Root::host();
        let now = all(&root);
        let elapsed_ns = self.at.elapsed().as_nanos() as f64;
        // One that began in between began with nothing.
        let grown = now.iter().map(|(pid, ns)| (*pid, ns.saturating_sub(self.cpu_ns.get(pid).copied().unwrap_or(0))));
        let busy = grown.filter(|(_, ns)| *ns > 0).filter(|(pid, _)| !is_ours(&root.proc, *pid));
        let named = busy.filter_map(|(pid, ns)| Some((root::text(root.proc.join(pid.to_string()).join("comm"))?, ns)));
        busiest(named, elapsed_ns)
    }
}

/// Programs of the same name together, those that matter, the busiest first.
fn busiest(processes: impl Iterator<Item = (String, u64)>, elapsed_ns: f64) -> Vec<Bystander> {
    let mut programs: BTreeMap<String, f64> = BTreeMap::new();
    for (name, ns) in processes {
        *programs.entry(name).or_default() += ns as f64 / elapsed_ns;
    }
    let mut busiest: Vec<Bystander> =
        programs.into_iter().map(|(name, processors)| Bystander { name, processors }).collect();
    busiest.retain(|one| one.processors >= PROCESSORS_MIN);
    busiest.sort_by(|one, other| other.processors.total_cmp(&one.processors));
    busiest.truncate(NAMED_MAX);
    busiest
}

fn all(root: &Root) -> BTreeMap<u32, u64> {
    let pids = root::names(&root.proc).into_iter().filter_map(|name| name.parse::<u32>().ok());
    pids.filter_map(|pid| Some((pid, process_cpu_ns(pid)?))).collect()
}

/// Whether a process is this one or was started by it.
fn is_ours(proc: &Path, pid: u32) -> bool {
    let ancestors = std::iter::successors(Some(pid), |pid| parent_of(proc, *pid));
    ancestors.take(ANCESTORS_MAX).any(|pid| pid == std::process::id())
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn programs_of_the_same_name_count_together_and_idle_ones_not() {
        let process = |name: &str, ns: u64| (name.to_owned(), ns);
        let all = [process("cc", 300), process("idle", 9), process("backup", 500), process("cc", 400)];
        let found = busiest(all.into_iter(), 1_000.0);
        let found: Vec<(&str, f64)> = found.iter().map(|one| (one.name.as_str(), one.processors)).collect();
        assert_eq!(found, [("cc", 0.7), ("backup", 0.5)]);
    }

    #[test]
    fn what_we_do_ourselves_is_no_bystander() {
        let before = Bystanders::look();
        let mut child =
            Command::new("sh").args(["-c", "while :; do :; done"]).stdin(Stdio::null()).spawn().expect("sh");
        let pid = child.id();
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(50) {
            std::hint::spin_loop();
        }
        let busy = process_cpu_ns(pid);
        let ours = is_ours(&Root::host().proc, pid) && is_ours(&Root::host().proc, std::process::id());
        let found = before.busiest();
        child.kill().expect("kill");
        child.wait().expect("wait");
        assert!(ours && busy.is_some() && !is_ours(&Root::host().proc, 1));
        let own = root::text("/proc/self/comm").expect("a name");
        assert!(found.iter().all(|one| one.name != own && one.processors >= PROCESSORS_MIN), "{found:?}");
        assert!(found.len() <= NAMED_MAX);
    }
}
