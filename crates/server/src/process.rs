//! Processes of servers: found by their data directory and terminated, safe against reuse of process ids.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use base::Process;
use base::process::{Trees, every};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

use super::Product;

/// The process file system of this host.
const PROC: &str = "/proc";

/// Sends `signal`, unless `process` has exited. Errors are ignored: the process then does not exit.
fn signal(process: Process, signal: Signal) {
    if let Some(handle) = ProcessHandle::of(process) {
        handle.signal(signal);
    }
}

/// Terminates `server`: with the signal `first`, then with SIGQUIT, then with SIGKILL. False if it still runs.
///
/// A stopped process reacts to SIGKILL only, therefore its whole tree gets SIGCONT first.
pub fn terminate_process(server: Process, first: Signal) -> bool {
    let signals = [
        (first, Duration::from_secs(60)),
        (Signal::QUIT, Duration::from_secs(10)),
        (Signal::KILL, Duration::from_secs(5)),
    ];
    for (next, limit) in signals {
        signal(server, next);
        for process in Trees::new(PROC, &[server.pid]).processes() {
            signal(process, Signal::CONT);
        }
        if exits_within(server, limit) {
            return true;
        }
    }
    false
}

/// Waits until `process` has exited; false if it still runs after `limit`.
fn exits_within(process: Process, limit: Duration) -> bool {
    let start = Instant::now();
    while process.is_alive() {
        if start.elapsed() > limit {
            return false;
        }
        thread::sleep(Duration::from_millis(5));
    }
    true
}

/// A process, safe against reuse of its process id.
#[derive(Debug)]
struct ProcessHandle {
    pid: Pid,
    /// `None` if the kernel (before 5.3) or a sandbox has no such descriptors; then the process id is used.
    pidfd: Option<OwnedFd>,
}

impl ProcessHandle {
    /// `None` if `process` has exited.
    fn of(process: Process) -> Option<ProcessHandle> {
        let pid = Pid::from_raw(i32::try_from(process.pid).ok()?)?;
        let pidfd = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(pidfd) => Some(pidfd),
            Err(Errno::SRCH) => return None,
            Err(_) => None,
        };
        // Checked after opening: a process with this id and start time is the one that was opened.
        process.is_alive().then_some(ProcessHandle { pid, pidfd })
    }

    /// Sends `signal`, unless the process has exited; returns whether it was sent.
    fn signal(&self, signal: Signal) -> bool {
        match &self.pidfd {
            Some(pidfd) => pidfd_send_signal(pidfd, signal),
            None => kill_process(self.pid, signal),
        }
        .is_ok()
    }
}

/// The boot id of this host: after a reboot, no recorded process is alive.
pub fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").map(|id| id.trim().to_owned()).unwrap_or_default()
}

/// All processes of `product` that were started on the data directory `data`.
pub fn on_data_directory(product: &Product, data: &Path) -> Vec<Process> {
    every(Path::new(PROC))
        .filter_map(Process::of)
        .filter(|process| {
            let arguments = fs::read(format!("/proc/{}/cmdline", process.pid)).unwrap_or_default();
            // Checked last: the arguments then belong to this process, not to a later one with the same id.
            names_data_directory(product.data_option, &arguments, data.as_os_str()) && process.is_alive()
        })
        .collect()
}

/// The value of an option that ends in an equals sign is part of the argument, otherwise it is the next argument.
fn names_data_directory(option: &str, arguments: &[u8], data: &OsStr) -> bool {
    let mut arguments = arguments.split(|byte| *byte == 0).peekable();
    while let Some(argument) = arguments.next() {
        let value = match argument.strip_prefix(option.as_bytes()) {
            Some(rest) if option.ends_with('=') => Some(rest),
            Some([]) => arguments.peek().copied(),
            _ => None,
        };
        if value == Some(data.as_bytes()) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn only_the_value_of_the_option_is_the_data_directory() {
        let data = OsStr::new("/a/data");
        for (option, arguments, expected) in [
            ("-D", &b"/bin/server\0-D\0/a/data\0"[..], true),
            ("-D", b"/bin/server\0-D\0/a/data2\0", false),
            ("-D", b"vi\0/a/data\0", false),
            ("-D", b"", false),
            ("--datadir=", b"/bin/server\0--datadir=/a/data\0--x\0", true),
            ("--datadir=", b"/bin/server\0--datadir=/a/data2\0", false),
            ("--datadir=", b"/bin/server\0--datadir=\0/a/data\0", false),
        ] {
            assert_eq!(names_data_directory(option, arguments, data), expected, "{option}");
        }
    }

    #[test]
    fn a_signal_never_reaches_a_later_process_of_the_same_number() {
        let sleep = || Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().expect("sleep");
        // Without the privilege to choose process ids, or if another process takes the id first, the id is unused in
        // all rounds.
        for _ in 0..20 {
            let mut first = sleep();
            let handle = ProcessHandle::of(Process::of(first.id()).expect("the child")).expect("it lives");
            assert!(handle.pidfd.is_some(), "this kernel has them");
            assert!(handle.signal(Signal::CONT), "it lives");
            first.kill().expect("kill");
            first.wait().expect("reap");
            let _ = fs::write("/proc/sys/kernel/ns_last_pid", (first.id() - 1).to_string());
            let mut second = sleep();
            assert!(!handle.signal(Signal::KILL), "the intended process has exited");
            let lives = Process::of(second.id()).is_some();
            second.kill().expect("kill");
            second.wait().expect("reap");
            assert!(lives);
            if second.id() == first.id() {
                break;
            }
        }
    }

    #[test]
    fn a_stopped_process_is_continued_and_terminated() {
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().expect("sleep");
        let process = Process::of(child.id()).expect("the child");
        signal(process, Signal::STOP);
        assert!(terminate_process(process, Signal::TERM), "continued, and terminated by the first signal");
        assert!(!process.is_alive(), "a zombie is not alive");
        child.wait().expect("reap");
    }
}
