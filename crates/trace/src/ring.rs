//! Detects processes with an io_uring, whose I/O is not done by system calls.

use std::fs;

use base::process::Trees;

/// Link target of the descriptor of a ring.
const RING: &str = "anon_inode:[io_uring]";

/// Generations of descendants that the BPF programs follow.
const GENERATIONS: usize = 3;

/// Whether one of `roots` or their descendants has a ring; also if that is not readable.
pub(crate) fn is_used_by(roots: &[u32]) -> bool {
    let mut is_used = false;
    Trees::new("/proc", roots).walk(|process, _, generation| {
        is_used = is_used || (generation <= GENERATIONS && has_ring(process));
    });
    is_used
}

fn has_ring(process: u32) -> bool {
    match fs::read_dir(format!("/proc/{process}/fd")) {
        Ok(descriptors) => descriptors
            .flatten()
            .any(|descriptor| fs::read_link(descriptor.path()).is_ok_and(|target| target.as_os_str() == RING)),
        // The process has ended.
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use io_uring::IoUring;

    use super::*;

    #[test]
    fn rings_of_a_process_and_its_descendants_are_found() {
        let own = std::process::id();
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        assert!(!is_used_by(&[child.id()]), "cat has none");
        let ring = IoUring::new(2).unwrap();
        assert!(is_used_by(&[own]));
        let parent = std::os::unix::process::parent_id();
        assert!(is_used_by(&[parent]), "a descendant of its parent");
        assert!(!is_used_by(&[child.id()]) && !is_used_by(&[]));
        drop(ring);
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
