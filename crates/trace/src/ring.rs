//! Who holds a ring of io_uring: what is done through it is no system call.

use std::fs;

use base::process::Trees;

/// What the descriptor of a ring points to.
const RING: &str = "anon_inode:[io_uring]";

/// A process belongs to one of the roots as far down as the programs in the kernel follow it.
const GENERATIONS: usize = 3;

/// Whether one of `roots`, or of the processes that they started, holds a ring; also where nobody may know.
pub(crate) fn is_held_by(roots: &[u32]) -> bool {
    let mut is_held = false;
    Trees::new("/proc", roots).walk(|process, _, generation| {
        is_held = is_held || (generation <= GENERATIONS && has_ring(process));
    });
    is_held
}

fn has_ring(process: u32) -> bool {
    match fs::read_dir(format!("/proc/{process}/fd")) {
        Ok(descriptors) => descriptors
            .flatten()
            .any(|descriptor| fs::read_link(descriptor.path()).is_ok_and(|target| target.as_os_str() == RING)),
        // One that has ended since holds nothing.
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use io_uring::IoUring;

    use super::*;

    #[test]
    fn a_ring_is_seen_of_a_process_and_of_what_it_started() {
        let own = std::process::id();
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        assert!(!is_held_by(&[child.id()]), "cat has none");
        let ring = IoUring::new(2).unwrap();
        assert!(is_held_by(&[own]));
        let parent = std::os::unix::process::parent_id();
        assert!(is_held_by(&[parent]), "its parent started it");
        assert!(!is_held_by(&[child.id()]) && !is_held_by(&[]));
        drop(ring);
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
