//! Who holds a ring of io_uring: what is done through it is no system call.

use std::collections::BTreeMap;
use std::fs;

/// What the descriptor of a ring points to.
const RING: &str = "anon_inode:[io_uring]";

/// A process belongs to one of the roots as far down as the programs in the kernel follow it.
const GENERATIONS: usize = 3;

/// Whether one of `roots`, or of the processes that they started, holds a ring; also where nobody may know.
pub(crate) fn is_held_by(roots: &[u32]) -> bool {
    let parents = parents();
    let belongs = |process: u32| {
        std::iter::successors(Some(process), |child| parents.get(child).copied())
            .take(1 + GENERATIONS)
            .any(|ancestor| roots.contains(&ancestor))
    };
    parents.keys().any(|process| belongs(*process) && has_ring(*process))
}

/// The parent of each process that is there.
fn parents() -> BTreeMap<u32, u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return BTreeMap::new() };
    let parent = |process: u32| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok())
    };
    let processes = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    processes.filter_map(|process| Some((process, parent(process)?))).collect()
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
        let parent = parents()[&own];
        assert!(is_held_by(&[parent]), "its parent started it");
        assert!(!is_held_by(&[child.id()]) && !is_held_by(&[]));
        drop(ring);
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
