//! Processes as `/proc` shows them, told apart from later ones that got the same number.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

use super::Product;

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
        let stat = parse_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?;
        (!matches!(stat.state, 'Z' | 'X')).then_some(Process { pid, start_ticks: stat.start_ticks })
    }

    /// This one.
    pub fn own() -> Option<Process> {
        Process::of(std::process::id())
    }

    /// Whether it still runs.
    pub fn is_alive(self) -> bool {
        Process::of(self.pid) == Some(self)
    }

    /// Sends `signal`, unless it is gone. A refusal shows in that it does not end.
    fn signal(self, signal: Signal) {
        if let Some(held) = Held::of(self) {
            held.signal(signal);
        }
    }

    /// Ends a server: with `first`, then, where it does not heed, with harder means. False if it outlives them all.
    ///
    /// A stopped process heeds nothing but the last, so that all of its tree is continued first.
    pub fn end(self, first: Signal) -> bool {
        let patience = [
            (first, Duration::from_secs(60)),
            (Signal::QUIT, Duration::from_secs(10)),
            (Signal::KILL, Duration::from_secs(5)),
        ];
        for (signal, limit) in patience {
            self.signal(signal);
            for process in tree(self) {
                process.signal(Signal::CONT);
            }
            if self.wait(limit) {
                return true;
            }
        }
        false
    }

    /// Waits until it is gone; false if it is still there after `limit`.
    fn wait(self, limit: Duration) -> bool {
        let begun = Instant::now();
        while self.is_alive() {
            if begun.elapsed() > limit {
                return false;
            }
            thread::sleep(Duration::from_millis(5));
        }
        true
    }
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
    every()
        .filter_map(Process::of)
        .filter(|process| {
            let arguments = fs::read(format!("/proc/{}/cmdline", process.pid)).unwrap_or_default();
            // Last: then the arguments are those of this process, and of no later one with its number.
            names_data_directory(product.data_option, &arguments, data.as_os_str()) && process.is_alive()
        })
        .collect()
}

/// `root` and all below it.
fn tree(root: Process) -> Vec<Process> {
    let all: Vec<(u32, Process)> = every()
        .filter_map(|pid| {
            let stat = parse_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?;
            Some((stat.parent, Process { pid, start_ticks: stat.start_ticks }))
        })
        .collect();
    let mut found = vec![root];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        let children = all.iter().filter(|(of, child)| *of == parent.pid && !found.contains(child));
        found.extend(children.map(|(_, child)| *child).collect::<Vec<Process>>());
        next += 1;
    }
    found
}

fn every() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

struct Stat {
    state: char,
    parent: u32,
    start_ticks: u64,
}

/// Fields 3, 4 and 22 of `/proc/PID/stat`. The name before them may hold anything, brackets too.
fn parse_stat(text: &str) -> Option<Stat> {
    let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    let parent = fields.next()?.parse().ok()?;
    Some(Stat { state, parent, start_ticks: fields.nth(17)?.parse().ok()? })
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
    fn a_process_is_known_by_number_and_start() {
        let own = Process::own().expect("this process");
        assert_eq!(own.pid, std::process::id());
        assert!(own.is_alive());
        assert!(!Process { start_ticks: own.start_ticks + 1, ..own }.is_alive(), "a later process of that number");
    }

    #[test]
    fn a_name_with_brackets_does_not_shift_the_fields() {
        let text = "7 (a ) b (c) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 1000 20";
        let stat = parse_stat(text).expect("a stat line");
        assert_eq!((stat.state, stat.parent, stat.start_ticks), ('S', 1, 4711));
        assert!(parse_stat("7 (short) S 1").is_none());
        assert!(parse_stat("").is_none());
    }

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
        process.signal(Signal::STOP);
        assert!(process.end(Signal::INT), "continued, and ended by the first signal");
        assert!(!process.is_alive(), "what waits to be reaped is not alive");
        child.wait().expect("reap");
    }
}
