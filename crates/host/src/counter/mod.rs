//! Raw, cumulative counters of the host, of dbdyno itself and of the processes of a server.

mod cache;
mod cpu;
mod device;
mod interface;
mod member;
mod mount;
mod pressure;
mod process;
mod source;
mod transfer;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base::Root;
use base::group::{Groups, throttled_ns};
use record::name;

use self::device::DeviceCounters;
use self::interface::InterfaceCounters;
use self::mount::MountCounters;
use self::pressure::Pressure;
use self::process::ProcessTrees;
use self::source::Source;

pub use self::cache::CacheCounters;
pub use self::device::CountedDevice;
pub use self::member::{MemberCounters, members, members_at};

/// Reads counters repeatedly. Files stay open: a reading without a server costs some tens of microseconds. With a
/// server it reads every process of the server (with CONFIG_PROC_CHILDREN) or of the host: about ten microseconds each,
/// see `benches/counters.rs`.
///
/// No counter decreases between two readings of the same value of this type, although some of their sources do
/// temporarily (a process that ends is counted by its parent with coarser ticks).
#[derive(Debug)]
pub struct Counters {
    root: Root,
    stat: Source,
    vmstat: Source,
    throttle: Option<Source>,
    pressure: Pressure,
    device: Option<DeviceCounters>,
    /// In place of the device, where a mount of NFS holds the directory.
    mount: Option<MountCounters>,
    /// The interface on the path to a peer, where one is named.
    interface: Option<InterfaceCounters>,
    transfer: Source,
    directory: PathBuf,
    trees: ProcessTrees,
    /// Other processes that work for this one.
    clients: ProcessTrees,
    /// The highest value of each counter so far.
    highest: BTreeMap<&'static str, u64>,
}

impl Counters {
    /// Counters of this host; those of the device, or the mount of NFS, below `directory`.
    pub fn new(directory: &Path) -> Counters {
        Counters::at(Root::host(), directory)
    }

    /// The same, on the machine below `root`. The CPU time of dbdyno is read on this host only.
    pub fn at(root: Root, directory: &Path) -> Counters {
        Counters {
            stat: Source::new(root.proc.join("stat")),
            vmstat: Source::new(root.proc.join("vmstat")),
            throttle: Groups::of(&root).throttle_file().map(Source::new),
            pressure: Pressure::new(&root.proc),
            device: DeviceCounters::below(&root, directory),
            mount: MountCounters::below(&root, directory),
            interface: None,
            transfer: Source::new(root.proc.join("self/io")),
            directory: directory.to_owned(),
            trees: ProcessTrees::new(&root),
            clients: ProcessTrees::new(&root),
            highest: BTreeMap::new(),
            root,
        }
    }

    /// The same with the counters of a network interface.
    #[must_use]
    pub fn with_interface(mut self, interface: &str) -> Counters {
        self.interface = Some(InterfaceCounters::new(&self.root, interface));
        self
    }

    /// The same with processor time and I/O of the processes `roots`, and of those below them, as those of this program.
    #[must_use]
    pub fn with_clients(mut self, roots: &[u32]) -> Counters {
        self.clients.set_roots(roots);
        self
    }

    /// The device whose counters are read; none if the directory is not on a block device.
    pub fn device(&self) -> Option<&CountedDevice> {
        self.device.as_ref().map(DeviceCounters::device)
    }

    /// Writes all dirty pages of the file system of the directory: otherwise the kernel writes them during a
    /// measurement. If that fails, the counters show the writes.
    pub fn write_back(&self) {
        if let Ok(directory) = std::fs::File::open(&self.directory) {
            let _ = rustix::fs::syncfs(directory);
        }
    }

    /// The current counters, by the names of [`record::name`]. What a source does not give is absent. `server_roots`
    /// are the root processes of a server on this host; without them, there is no `server_cpu_ns`. Other roots than
    /// before reset that counter.
    pub fn read(&mut self, server_roots: &[u32]) -> BTreeMap<String, u64> {
        let mut values: Vec<(&'static str, u64)> = Vec::with_capacity(32);
        if let Some(times) = self.stat.read().and_then(cpu::parse) {
            values.extend(times.counters());
        }
        if let Some(pages) = self.vmstat.read().and_then(swap_in_count) {
            values.push((name::HOST_SWAP_IN_COUNT, pages));
        }
        if let Some(throttled) = self.throttle.as_mut().and_then(Source::read).and_then(throttled_ns) {
            values.push((name::HOST_THROTTLED_NS, throttled));
        }
        values.extend(self.pressure.read());
        if let Some(device) = &mut self.device {
            values.extend(device.read());
        } else if let Some(mount) = &mut self.mount {
            values.extend(mount.read());
        }
        values.extend(self.interface.iter_mut().flat_map(InterfaceCounters::read));
        let of_clients = self.clients.transfers();
        let own = self.transfer.read().into_iter().flat_map(transfer::parse);
        values
            .extend(own.map(|(name, value)| (name, value.saturating_add(of_clients.get(name).copied().unwrap_or(0)))));
        if self.root.is_host() {
            let clients = self.clients.cpu_ns().unwrap_or(0);
            values.push((name::CLIENT_CPU_NS, cpu::own_ns().saturating_add(clients)));
        }
        if self.trees.set_roots(server_roots) {
            self.highest.remove(name::SERVER_CPU_NS);
        }
        if let Some(server) = self.trees.cpu_ns() {
            values.push((name::SERVER_CPU_NS, server));
        }
        values.into_iter().map(|(name, value)| (name.to_owned(), self.monotonic(name, value))).collect()
    }

    /// The value, or the highest one so far.
    fn monotonic(&mut self, name: &'static str, value: u64) -> u64 {
        let highest = self.highest.entry(name).or_insert(value);
        *highest = value.max(*highest);
        *highest
    }
}

/// Pages swapped in, from `/proc/vmstat`.
fn swap_in_count(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("pswpin ")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn this_host_has_the_counters_of_linux() {
        let mut counters = Counters::new(Path::new("/"));
        let first = counters.read(&[std::process::id()]);
        // By CPU time, which does not depend on other processes.
        let start_ns = cpu::own_ns();
        while cpu::own_ns() - start_ns < 30_000_000 {
            std::hint::spin_loop();
        }
        let second = counters.read(&[std::process::id()]);
        for name in [name::HOST_CPU_USER_NS, name::HOST_CPU_IDLE_NS, name::CLIENT_CPU_NS, name::SERVER_CPU_NS] {
            assert!(first.contains_key(name), "{name}");
        }
        for (name, before) in &first {
            assert!(second[name] >= *before, "{name} went back");
        }
        // The server here is this process with the children that other tests start: ended ones are counted in ticks of
        // 10 ms.
        for (name, at_least_ns) in [(name::CLIENT_CPU_NS, 30_000_000), (name::SERVER_CPU_NS, 20_000_000)] {
            let grown_ns = second[name] - first[name];
            assert!(grown_ns >= at_least_ns, "ran for 30 ms, {name} grew by {grown_ns} ns");
        }
        assert!(!counters.read(&[]).contains_key(name::SERVER_CPU_NS), "no server, no counter");
    }

    #[test]
    fn a_counter_does_not_decrease() {
        let mut counters = Counters::at(Root::below("/nonexistent"), Path::new("/"));
        assert!(counters.read(&[1]).is_empty(), "nothing there, nothing counted");
        assert_eq!([5, 3, 6].map(|value| counters.monotonic("a", value)), [5, 5, 6]);
        assert_eq!(counters.monotonic("b", 1), 1);
    }

    #[test]
    fn swapped_pages_are_found_by_their_full_name() {
        assert_eq!(swap_in_count("pgpgin 1\npswpin 42\npswpout 7\n"), Some(42));
        assert_eq!(swap_in_count("pswpinx 42\n"), None);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "((pswpin|cpu|read_bytes:|device a mounted on / with fstype nfs|bytes: 1|[0-9]+)? ?\\PC*\n)*") {
            let _ = (swap_in_count(&text), cpu::parse(&text), device::parse(&text), transfer::parse(&text));
            let _ = (pressure::parse(&text), mount::parse(&text, "/"), interface::parse(&text, "lo"));
        }
    }
}
