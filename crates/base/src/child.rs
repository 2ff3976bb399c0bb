//! Programs that are of no use without the process that runs them.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};

/// Has the kernel kill what `command` starts as soon as the thread that starts it has ended: also where that is killed, and can end
/// nothing itself. A thread that does not wait for the program must not end before it.
pub fn die_with_parent(command: &mut Command) {
    signal_with_parent(command, Signal::KILL);
}

/// The same with the signal of a terminal that closes, for a program that cleans up after it. Where a process is killed, the signal
/// comes once for each of its threads that ends before the last one: that of Ctrl-C would end the program without cleaning up. A
/// program that ignores it (`nohup`) goes on.
pub fn stop_with_parent(command: &mut Command) {
    signal_with_parent(command, Signal::HUP);
}

fn signal_with_parent(command: &mut Command, signal: Signal) {
    let parent = getpid();
    let prepare = move || -> io::Result<()> {
        set_parent_process_death_signal(Some(signal))?;
        // A parent that ended before tells nobody any more.
        if getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    };
    // SAFETY: prctl(PR_SET_PDEATHSIG) and getppid() are async-signal-safe and allocate nothing.
    unsafe { command.pre_exec(prepare) };
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;

    #[test]
    fn a_program_ends_with_the_thread_that_started_it() {
        let start = || {
            let mut command = Command::new("sleep");
            command.arg("60").process_group(0).stdin(Stdio::null());
            die_with_parent(&mut command);
            command.spawn().expect("sleep")
        };
        let mut child = std::thread::spawn(start).join().expect("started");
        let status = child.wait().expect("a child");
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(Signal::KILL.as_raw()));
    }
}
