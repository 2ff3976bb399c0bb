//! Counters of a mount of NFS, from `/proc/self/mountstats`: what the client exchanged with the server.
//!
//! They stand in place of a block device: a READ of the protocol is a read request, WRITE a write request, COMMIT a
//! flush. Requests that were sent again are counted apart.

use std::path::Path;

use base::mount::unescape;
use base::root::Root;
use record::name;

use super::device::milliseconds_ns;
use super::source::Source;
use crate::stack;

/// Reads the counters of one mount.
#[derive(Debug)]
pub(super) struct MountCounters {
    mount_point: String,
    source: Source,
}

impl MountCounters {
    /// Counters of the mount of NFS that holds `directory`; none if another file system does.
    pub(super) fn below(root: &Root, directory: &Path) -> Option<MountCounters> {
        let mount = stack::mount(root, directory)?;
        let (mount, _) = stack::below_overlays(root, mount, directory)?;
        let is_nfs = matches!(mount.kind.as_str(), "nfs" | "nfs4");
        let source = Source::new(root.proc.join("self/mountstats"));
        is_nfs.then_some(MountCounters { mount_point: mount.mount_point, source })
    }

    /// The counters now, by name.
    pub(super) fn read(&mut self) -> Vec<(&'static str, u64)> {
        self.source.read().and_then(|text| parse(text, &self.mount_point)).map_or_else(Vec::new, Mount::counters)
    }
}

/// The counters of one kind of request since the mount.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Requests {
    count: u64,
    /// Transmissions beyond one per request.
    sent_again: u64,
    /// From the transmission to the reply.
    round_trip_ms: u64,
    /// From the request to its end: queue, round trip, reply handled.
    execution_ms: u64,
}

/// The counters of a mount.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mount {
    read_bytes: u64,
    written_bytes: u64,
    reads: Requests,
    writes: Requests,
    commits: Requests,
    sent_again: u64,
}

impl Mount {
    fn counters(self) -> Vec<(&'static str, u64)> {
        let ns = milliseconds_ns;
        let Mount { reads, writes, commits, .. } = self;
        let in_queue_ms = [reads, writes, commits].iter().fold(0, |sum: u64, one| sum.saturating_add(one.execution_ms));
        vec![
            (name::DEVICE_READ_COUNT, reads.count),
            (name::DEVICE_READ_BYTES, self.read_bytes),
            (name::DEVICE_WRITE_COUNT, writes.count),
            (name::DEVICE_WRITE_BYTES, self.written_bytes),
            (name::DEVICE_FLUSH_COUNT, commits.count),
            (name::DEVICE_READ_NS, ns(reads.execution_ms)),
            (name::DEVICE_WRITE_NS, ns(writes.execution_ms)),
            (name::DEVICE_FLUSH_NS, ns(commits.execution_ms)),
            (name::DEVICE_IN_QUEUE_NS, ns(in_queue_ms)),
            (name::MOUNT_READ_ROUND_TRIP_NS, ns(reads.round_trip_ms)),
            (name::MOUNT_WRITE_ROUND_TRIP_NS, ns(writes.round_trip_ms)),
            (name::MOUNT_RETRANSMISSION_COUNT, self.sent_again),
        ]
    }
}

/// The counters of the mount at `mount_point`, the last one of several there. None without the statistics of operations,
/// which have been there since Linux 2.6.17.
pub(super) fn parse(text: &str, mount_point: &str) -> Option<Mount> {
    let is_head = |line: &str| line.starts_with("device ");
    let is_own = |line: &str| {
        let place = line.split_once(" mounted on ").and_then(|(_, rest)| rest.split_once(" with fstype "));
        place.is_some_and(|(place, kind)| kind.starts_with("nfs") && unescape(place) == mount_point)
    };
    let start = text.lines().enumerate().filter(|(_, line)| is_head(line) && is_own(line)).last()?.0;
    let mut lines = text.lines().skip(start + 1).take_while(|line| !is_head(line));
    let mut mount = Mount::default();
    // bytes: normal read, normal write, direct read, direct write, read from the server, written to the server.
    let bytes = lines.by_ref().find_map(|line| line.trim_start().strip_prefix("bytes:"))?;
    let mut bytes = numbers(bytes).skip(4);
    (mount.read_bytes, mount.written_bytes) = (bytes.next()?, bytes.next()?);
    lines.by_ref().find(|line| line.contains("per-op statistics"))?;
    for (operation, fields) in lines.filter_map(|line| line.trim().split_once(": ")) {
        let Some(requests) = requests(fields) else { continue };
        mount.sent_again = mount.sent_again.saturating_add(requests.sent_again);
        match operation {
            "READ" | "READ_PLUS" => mount.reads = mount.reads.with(requests),
            "WRITE" => mount.writes = requests,
            "COMMIT" => mount.commits = requests,
            _ => {}
        }
    }
    Some(mount)
}

impl Requests {
    fn with(self, other: Requests) -> Requests {
        Requests {
            count: self.count.saturating_add(other.count),
            sent_again: self.sent_again.saturating_add(other.sent_again),
            round_trip_ms: self.round_trip_ms.saturating_add(other.round_trip_ms),
            execution_ms: self.execution_ms.saturating_add(other.execution_ms),
        }
    }
}

/// Requests, transmissions, timeouts, bytes sent, bytes received, then milliseconds in the queue, of round trips and in
/// all; errors since Linux 5.3.
fn requests(fields: &str) -> Option<Requests> {
    let fields: Vec<u64> = numbers(fields).collect();
    let [count, transmissions, _, _, _, _, round_trip_ms, execution_ms, ..] = *fields else { return None };
    Some(Requests { count, sent_again: transmissions.saturating_sub(count), round_trip_ms, execution_ms })
}

fn numbers(text: &str) -> impl Iterator<Item = u64> + '_ {
    text.split_ascii_whitespace().map_while(|field| field.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "device /dev/vda mounted on / with fstype ext4\n\
        device one:/a mounted on /data\\040one with fstype nfs4 statvers=1.1\n\
        \topts:\trw,vers=4.2\n\
        \tbytes:\t1 2 3 4 8192 4096 0 0 \n\
        \tper-op statistics\n\
        \t        NULL: 1 1 0 44 24 15 5 21 0\n\
        \t        READ: 10 12 1 100 200 1 20 30 0\n\
        \t   READ_PLUS: 1 1 0 100 200 1 2 3 0\n\
        \t       WRITE: 5 5 0 1 2 3 50 60 0\n\
        \t      COMMIT: 2 2 0 1 2 3 4 5\n\
        device two:/b mounted on /other with fstype nfs statvers=1.1\n\
        \tbytes:\t0 0 0 0 7 7 0 0\n";

    #[test]
    fn requests_of_the_protocol_stand_for_those_of_a_device() {
        let mount = parse(TEXT, "/data one").unwrap();
        assert_eq!((mount.read_bytes, mount.written_bytes, mount.sent_again), (8192, 4096, 2));
        let reads = Requests { count: 11, sent_again: 2, round_trip_ms: 22, execution_ms: 33 };
        assert_eq!((mount.reads, mount.writes.count, mount.commits.execution_ms), (reads, 5, 5));
        let counters = mount.counters();
        assert!(
            counters.contains(&(name::DEVICE_READ_COUNT, 11)) && counters.contains(&(name::DEVICE_READ_NS, 33_000_000))
        );
        assert!(counters.contains(&(name::DEVICE_IN_QUEUE_NS, 98_000_000)));
    }

    #[test]
    fn a_mount_without_its_statistics_has_none() {
        for place in ["/other", "/", "/data", "/data\\040one"] {
            assert_eq!(parse(TEXT, place), None, "{place}");
        }
    }
}
