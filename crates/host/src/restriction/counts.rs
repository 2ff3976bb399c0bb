//! I/O counts of a cgroup.

use std::path::Path;

use base::root;

/// I/O of a cgroup, cumulative. A flush counts as a write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoCounts {
    /// Completed read requests.
    pub reads: u64,
    /// Completed write requests.
    pub writes: u64,
    /// Bytes of the completed reads.
    pub read_bytes: u64,
    /// Bytes of the completed writes.
    pub write_bytes: u64,
}

/// The counts of the cgroup `directory`.
pub(super) fn read(directory: &Path, version: u32, device: (u32, u32)) -> Option<IoCounts> {
    let text = |file: &str| root::text(directory.join(file));
    let device = format!("{}:{}", device.0, device.1);
    match version {
        1 => {
            let (counts, bytes) = (text("blkio.throttle.io_serviced")?, text("blkio.throttle.io_service_bytes")?);
            let of = |text: &str, word: &str| version_1(text, &device, word);
            Some(IoCounts {
                reads: of(&counts, "Read"),
                writes: of(&counts, "Write"),
                read_bytes: of(&bytes, "Read"),
                write_bytes: of(&bytes, "Write"),
            })
        }
        // The file of a cgroup without I/O is empty.
        _ => Some(version_2(&std::fs::read_to_string(directory.join("io.stat")).ok()?, &device)),
    }
}

/// The value of the line `254:0 Read 12`; 0 without a line, since there was no I/O.
fn version_1(text: &str, device: &str, word: &str) -> u64 {
    let value = |line: &str| line.strip_prefix(device)?.trim_start().strip_prefix(word)?.trim().parse().ok();
    text.lines().find_map(value).unwrap_or(0)
}

/// The line `254:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0`; zeros without a line.
fn version_2(text: &str, device: &str) -> IoCounts {
    let line = text.lines().find_map(|line| line.strip_prefix(device)?.strip_prefix(' ')).unwrap_or_default();
    let value = |word: &str| {
        let of = |part: &str| part.strip_prefix(word)?.strip_prefix('=')?.parse().ok();
        line.split(' ').find_map(of).unwrap_or(0)
    };
    IoCounts { reads: value("rios"), writes: value("wios"), read_bytes: value("rbytes"), write_bytes: value("wbytes") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_versions_are_read() {
        let text = "254:0 Read 12\n254:0 Write 303\n254:0 Sync 303\n254:0 Total 315\nTotal 315\n";
        assert_eq!([version_1(text, "254:0", "Read"), version_1(text, "254:0", "Write")], [12, 303]);
        assert_eq!(version_1(text, "254:16", "Read"), 0);
        let text = "254:16 rbytes=9 wbytes=9 rios=9 wios=9\n254:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0\n";
        let expected = IoCounts { reads: 3, writes: 4, read_bytes: 1, write_bytes: 2 };
        assert_eq!(version_2(text, "254:0"), expected);
        assert_eq!(version_2(text, "254:1"), IoCounts::default(), "not a prefix of a number");
        assert_eq!(version_2("", "254:0"), IoCounts::default());
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(([0-9]{1,3}:0)? ?(Read|rios=)? ?\\PC*\n)*") {
            let _ = (version_1(&text, "254:0", "Read"), version_2(&text, "254:0"));
        }
    }
}
