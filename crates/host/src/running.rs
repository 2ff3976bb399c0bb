//! Whether a process is there.

use crate::root;

/// Whether process `pid` runs: one that has ended and waits for its parent does not.
pub fn is_running(pid: u32) -> bool {
    // The state stands behind the name, which may hold anything but ends with the last parenthesis (proc_pid_stat(5)).
    let stat = root::text(format!("/proc/{pid}/stat"));
    let state = stat.as_deref().and_then(|stat| stat.rsplit_once(')')?.1.trim_start().chars().next());
    state.is_some_and(|state| !matches!(state, 'Z' | 'X' | 'x'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_has_ended_does_not_run() {
        assert!(is_running(std::process::id()));
        let mut child = std::process::Command::new("true").spawn().expect("a process");
        let pid = child.id();
        let begun = std::time::Instant::now();
        while is_running(pid) && begun.elapsed().as_secs() < 10 {
            std::thread::yield_now();
        }
        assert!(!is_running(pid), "it waits for its parent");
        child.wait().expect("ended");
        assert!(!is_running(pid), "it is gone");
    }
}
