//! Processes of servers: found by their data directory, ended, and never mistaken for later ones of the same number.

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

/// Where the processes of this host are.
const PROC: &str = "/proc";

/// Sends `signal`, unless `process` is gone. A refusal shows in that it does not end.
fn signal(process: Process, signal: Signal) {
    if let Some(held) = Held::of(process) {
        held.signal(signal);
    }
}

/// Ends `server`: with `first`, then, where it does not heed, with harder means. False if it outlives them all.
///
/// A stopped process heeds nothing but the last, so that all of its tree is continued first.
pub fn end_process(server: Process, first: Signal) -> bool {
    let timeout = [
        (first, Duration::from_secs(60)),
        (Signal::QUIT, Duration::from_secs(10)),
        (Signal::KILL, Duration::from_secs(5)),
    ];
    for (harder, limit) in timeout {
        signal(server, harder);
        for process in Trees::new(PROC, &[server.pid]).processes() {
            signal(process, Signal::CONT);
        }
        if is_gone_within(server, limit) {
            return true;
        }
    }
    false
}

/// Waits until `process` is gone; false if it is still there after `limit`.
fn is_gone_within(process: Process, limit: Duration) -> bool {
    let begun = Instant::now();
    while process.is_alive() {
        if begun.elapsed() > limit {
            return false;
        }
        thread::sleep(Duration::from_millis(5));
    }
    true
}

/// A process whose number no other one is mistaken for, even if it ends and its number is given away.
#[derive(Debug)]
struct Held {
    pid: Pid,
    /// None where the kernel (before 5.3) or a sandbox has no such descriptors; the number must do then.
    pidfd: Option<OwnedFd>,
}

impl Held {
    /// None where `process` is gone.
    fn of(process: Process) -> Option<Held> {
        let pid = Pid::from_raw(i32::try_from(process.pid).ok()?)?;
        let pidfd = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(pidfd) => Some(pidfd),
            Err(Errno::SRCH) => return None,
            Err(_) => None,
        };
        // In this order: what has the number and the start now is what was opened.
        process.is_alive().then_some(Held { pid, pidfd })
    }

    /// Sends `signal`, unless the process is gone; whether it was sent.
    fn signal(&self, signal: Signal) -> bool {
        match &self.pidfd {
            Some(pidfd) => pidfd_send_signal(pidfd, signal),
            None => kill_process(self.pid, signal),
        }
        .is_ok()
    }
}

/// What identifies this start of the machine: after another one, no recorded process is alive.
pub fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").map(|id| id.trim().to_owned()).unwrap_or_default()
}

/// The processes of `product` that were started on the data directory `data`, whoever started them.
pub fn on_data_directory(product: &Product, data: &Path) -> Vec<Process> {
    every(Path::new(PROC))
        .filter_map(Process::of)
        .filter(|process| {
            let arguments = fs::read(format!("/proc/{}/cmdline", process.pid)).unwrap_or_default();
            // Last: then the arguments are those of this process, and of no later one with its number.
            names_data_directory(product.data_option, &arguments, data.as_os_str()) && process.is_alive()
        })
        .collect()
}

/// An option that ends in an equals sign stands before its value, another one is an argument of its own.
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
    fn only_the_argument_behind_the_option_is_the_data_directory() {
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
        // Where numbers cannot be chosen (no privilege), and for whom another one is quicker, the last round is one in which
        // the number is nobody's.
        for _ in 0..20 {
            let mut first = sleep();
            let held = Held::of(Process::of(first.id()).expect("the child")).expect("it lives");
            assert!(held.pidfd.is_some(), "this kernel has them");
            assert!(held.signal(Signal::CONT), "it lives");
            first.kill().expect("kill");
            first.wait().expect("reap");
            let _ = fs::write("/proc/sys/kernel/ns_last_pid", (first.id() - 1).to_string());
            let mut second = sleep();
            assert!(!held.signal(Signal::KILL), "the one that was meant is gone");
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
    fn a_stopped_process_that_ignores_a_signal_is_ended_all_the_same() {
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().expect("sleep");
        let process = Process::of(child.id()).expect("the child");
        signal(process, Signal::STOP);
        assert!(end_process(process, Signal::INT), "continued, and ended by the first signal");
        assert!(!process.is_alive(), "what waits to be reaped is not alive");
        child.wait().expect("reap");
    }
}
