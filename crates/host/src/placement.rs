//! CPU affinity of threads and processes.

use std::io;

use base::process::Trees;
use base::root::{self, Root};
use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Why the CPU affinity could not be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlacementError {
    /// The processor is beyond the limit of the system call.
    #[error("processor {cpu} is beyond {cpu_max}, the highest one that CPU affinity supports")]
    Beyond {
        /// The number of the processor.
        cpu: u32,
        /// The highest number.
        cpu_max: u32,
    },
    /// The kernel refused the binding of memory.
    #[error("cannot use the memory of node {node} alone: {reason}")]
    Memory {
        /// The node.
        node: u32,
        /// The error of the kernel.
        reason: String,
    },
    /// The kernel refused the affinity.
    #[error("cannot pin {who} to processor {cpu}: {reason}")]
    Refused {
        /// The thread or process.
        who: String,
        /// The number of the processor.
        cpu: u32,
        /// The error of the kernel.
        reason: String,
    },
}

/// The processors that this process may use, ascending: the affinity of its first thread, which is never pinned; the
/// online processors if that is unknown.
pub fn cpus_allowed() -> Vec<u32> {
    let root = Root::host();
    let status = root::text(root.proc.join("self/status")).unwrap_or_default();
    let listed = root::entry(&status, "Cpus_allowed_list").and_then(root::cpu_list);
    let of_thread = || {
        let set = sched_getaffinity(None).ok()?;
        Some((0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).filter_map(|cpu| u32::try_from(cpu).ok()).collect())
    };
    let online = || root::cpu_list(&root::text(root.sys.join("devices/system/cpu/online"))?);
    let found = listed.filter(|cpus| !cpus.is_empty()).or_else(of_thread).or_else(online);
    found.unwrap_or_else(|| vec![0])
}

/// Pins the calling thread to processor `cpu`.
///
/// # Errors
/// If the processor is offline, not allowed, or beyond the limit.
pub fn pin_this_thread(cpu: u32) -> Result<(), PlacementError> {
    let set = only(cpu)?;
    sched_setaffinity(None, &set).map_err(|error| refused("this thread".to_owned(), cpu, error.into()))
}

/// Pins the calling thread to `cpus`, at least one.
///
/// # Errors
/// As for one processor.
pub fn pin_this_thread_to(cpus: &[u32]) -> Result<(), PlacementError> {
    let first = cpus.first().copied().unwrap_or_default();
    sched_setaffinity(None, &all(cpus)?).map_err(|error| refused("this thread".to_owned(), first, error.into()))
}

/// Has the memory that the calling thread touches first from now on, and the threads that it starts, come from NUMA node
/// `node` alone (set_mempolicy(2), MPOL_BIND).
///
/// # Errors
/// If the node has no memory or is not allowed, or the kernel has no NUMA.
pub fn bind_memory_of_this_thread(node: u32) -> Result<(), PlacementError> {
    /// Nodes that a kernel can have.
    const NODES_MAX: usize = 1024;
    const BITS: usize = u64::BITS as usize;
    let mut mask = [0_u64; NODES_MAX / BITS];
    let refused = |reason: io::Error| PlacementError::Memory { node, reason: reason.to_string() };
    let Some(word) = mask.get_mut(node as usize / BITS) else {
        return Err(refused(io::Error::from_raw_os_error(libc::EINVAL)));
    };
    *word = 1 << (node as usize % BITS);
    // The kernel reads one bit less than it is told.
    let bits = NODES_MAX + 1;
    // SAFETY: the kernel reads `bits` - 1 bits, which the mask has.
    let result = unsafe { libc::syscall(libc::SYS_set_mempolicy, libc::MPOL_BIND, mask.as_ptr(), bits) };
    if result == 0 { Ok(()) } else { Err(refused(io::Error::last_os_error())) }
}

/// Pins all threads of process `pid` and its descendants to `cpus`, at least one; later threads and processes inherit
/// it.
///
/// # Errors
/// As for [`pin_process`]; a descendant that has ended is not an error.
pub fn pin_process_tree_to(pid: u32, cpus: &[u32]) -> Result<(), PlacementError> {
    let first = cpus.first().copied().unwrap_or_default();
    let set = all(cpus)?;
    place_process(pid, first, &set)?;
    for process in descendants(pid) {
        match place_process(process, first, &set) {
            Err(_) if !base::process::is_running(process) => {}
            placed => placed?,
        }
    }
    Ok(())
}

/// The descendants of process `pid`.
pub(crate) fn descendants(pid: u32) -> Vec<u32> {
    let found = Trees::new(Root::host().proc, &[pid]).processes();
    found.into_iter().map(|process| process.pid).filter(|process| *process != pid).collect()
}

/// Pins all threads of process `pid` to processor `cpu`; later threads inherit it.
///
/// # Errors
/// As for a thread, and if the process has ended or belongs to another user.
pub fn pin_process(pid: u32, cpu: u32) -> Result<(), PlacementError> {
    place_process(pid, cpu, &only(cpu)?)
}

/// Pins all threads of a process to `set`; an error names `cpu`.
fn place_process(pid: u32, cpu: u32, set: &CpuSet) -> Result<(), PlacementError> {
    let who = || format!("process {pid}");
    let tasks = root::numbered(Root::host().proc.join(format!("{pid}/task")), "");
    let mut placed = 0;
    let mut failure = None;
    for task in tasks {
        match i32::try_from(task).ok().and_then(Pid::from_raw).map(|task| sched_setaffinity(Some(task), set)) {
            Some(Ok(())) => placed += 1,
            // A thread that has ended.
            Some(Err(rustix::io::Errno::SRCH)) | None => {}
            Some(Err(error)) => failure = Some(refused(who(), cpu, error.into())),
        }
    }
    match failure {
        Some(error) => Err(error),
        None if placed == 0 => Err(PlacementError::Refused { who: who(), cpu, reason: "no such process".to_owned() }),
        None => Ok(()),
    }
}

fn only(cpu: u32) -> Result<CpuSet, PlacementError> {
    let cpu_max = u32::try_from(CpuSet::MAX_CPU - 1).unwrap_or(u32::MAX);
    if cpu > cpu_max {
        return Err(PlacementError::Beyond { cpu, cpu_max });
    }
    let mut set = CpuSet::new();
    set.set(cpu as usize);
    Ok(set)
}

fn all(cpus: &[u32]) -> Result<CpuSet, PlacementError> {
    let mut set = CpuSet::new();
    for cpu in cpus {
        let one = only(*cpu)?;
        (0..CpuSet::MAX_CPU).filter(|index| one.is_set(*index)).for_each(|index| set.set(index));
    }
    Ok(set)
}

fn refused(who: String, cpu: u32, error: io::Error) -> PlacementError {
    PlacementError::Refused { who, cpu, reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::thread;

    use super::*;

    #[test]
    fn memory_can_be_bound_to_a_node_that_is_there_alone() {
        let bound = |node| std::thread::spawn(move || bind_memory_of_this_thread(node)).join().expect("no panic");
        for missing in [1023, 1024, u32::MAX] {
            let error = bound(missing).expect_err("no such node").to_string();
            assert!(error.starts_with(&format!("cannot use the memory of node {missing} alone: ")), "{error}");
        }
        // A kernel without NUMA has no directory of nodes, and a container may forbid the call.
        if std::path::Path::new("/sys/devices/system/node/node0").is_dir() && bound(0).is_ok() {
            assert!(crate::node_free_bytes(0).is_some());
        }
    }

    #[test]
    fn a_pinned_thread_stays_and_the_others_are_free() {
        let allowed = cpus_allowed();
        assert!(!allowed.is_empty() && allowed.is_sorted());
        let last = *allowed.last().expect("a processor");
        let placed = thread::spawn(move || {
            pin_this_thread(last).expect("placed");
            rustix::thread::sched_getcpu()
        });
        assert_eq!(placed.join().expect("thread"), last as usize);
        assert_eq!(cpus_allowed(), allowed);
    }

    #[test]
    fn a_process_is_pinned_with_all_its_threads() {
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().expect("sleep");
        let cpu = *cpus_allowed().last().expect("a processor");
        pin_process(child.id(), cpu).expect("placed");
        let status = root::text(format!("/proc/{}/status", child.id())).expect("status");
        assert_eq!(root::entry(&status, "Cpus_allowed_list"), Some(cpu.to_string().as_str()));
        child.kill().expect("end");
        child.wait().expect("reap");
        let error = pin_process(child.id(), cpu).expect_err("gone");
        assert!(error.to_string().contains("no such process"), "{error}");
    }

    #[test]
    fn a_process_is_pinned_with_its_descendants_and_freed_again() {
        let mut shell = Command::new("sh").args(["-c", "sleep 60 & wait"]).stdin(Stdio::null()).spawn().expect("sh");
        let start = std::time::Instant::now();
        let children = loop {
            let children = descendants(shell.id());
            if !children.is_empty() || start.elapsed().as_secs() > 30 {
                break children;
            }
            thread::sleep(std::time::Duration::from_millis(10));
        };
        let allowed = |pid: u32| {
            let status = root::text(format!("/proc/{pid}/status")).expect("status");
            root::cpu_list(root::entry(&status, "Cpus_allowed_list").expect("list")).expect("processors")
        };
        let (last, everything) = (*cpus_allowed().last().expect("a processor"), cpus_allowed());
        pin_process_tree_to(shell.id(), &[last]).expect("placed");
        let kept: Vec<Vec<u32>> = children.iter().copied().chain([shell.id()]).map(allowed).collect();
        pin_process_tree_to(shell.id(), &everything).expect("freed");
        let freed: Vec<Vec<u32>> = children.iter().copied().chain([shell.id()]).map(allowed).collect();
        for child in children {
            let _ = rustix::process::kill_process(
                Pid::from_raw(child as i32).expect("a process"),
                rustix::process::Signal::KILL,
            );
        }
        shell.kill().expect("end");
        shell.wait().expect("reap");
        assert_eq!(kept, vec![vec![last]; 2]);
        assert_eq!(freed, vec![everything; 2]);
    }

    #[test]
    fn a_missing_processor_is_an_error() {
        assert!(matches!(pin_this_thread(u32::MAX), Err(PlacementError::Beyond { cpu: u32::MAX, .. })));
        if !cpus_allowed().contains(&1023) {
            assert!(pin_this_thread(1023).expect_err("not there").to_string().contains("processor 1023"));
        }
    }
}
