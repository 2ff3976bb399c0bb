//! Bytes that a process read from and wrote to the block layer.

use base::root;
use record::name;

/// Parses `/proc/PID/io` (proc_pid_io(5)). It includes ended threads and children that were waited for.
pub(super) fn parse(text: &str) -> Vec<(&'static str, u64)> {
    let counters = [("read_bytes", name::CLIENT_READ_BYTES), ("write_bytes", name::CLIENT_WRITE_BYTES)];
    let value = |line: &str| root::entry(text, line)?.parse().ok();
    counters.into_iter().filter_map(|(line, name)| Some((name, value(line)?))).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::FileExt;
    use std::path::Path;

    use super::super::Counters;
    use super::*;
    use crate::drop_cache;

    #[test]
    fn only_bytes_of_the_block_layer_are_parsed() {
        let text = "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\ncancelled_write_bytes: 7\n";
        assert_eq!(parse(text), [(name::CLIENT_READ_BYTES, 5), (name::CLIENT_WRITE_BYTES, 6)]);
        assert_eq!(parse("rchar: 1\nread_bytes: -1\n"), []);
        assert_eq!(parse(""), []);
    }

    #[test]
    fn the_io_of_a_file_is_counted() {
        const LENGTH: u64 = 4 << 20;
        let mut file = tempfile::tempfile().expect("a file");
        let mut counters = Counters::new(Path::new("/tmp"));
        if counters.device().is_none() {
            return;
        }
        let before = counters.read(&[]);
        file.write_all(&vec![7; LENGTH as usize]).expect("write");
        drop_cache(&file, 0, LENGTH).expect("drop");
        file.read_exact_at(&mut vec![0; LENGTH as usize], 0).expect("read");
        let after = counters.read(&[]);
        // Other tests of this process only add to the counters.
        for name in [name::CLIENT_READ_BYTES, name::CLIENT_WRITE_BYTES, name::DEVICE_READ_BYTES] {
            let grown = after[name] - before[name];
            assert!(grown >= LENGTH, "{name} grew by {grown}");
        }
    }
}
