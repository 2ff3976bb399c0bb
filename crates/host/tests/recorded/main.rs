//! Inventory and counters of recorded machines.

macro_rules! recording {
    ($name:literal) => {
        build(include_str!(concat!("../fixtures/", $name, ".tree")))
    };
}

mod topology;
mod tree;

use std::path::Path;

use dbdyno_host::{CountedDevice, Counters, cores_at, inventory_at, one_thread_per_core};
use record::{Bytes, HostInventory, Nanos, PciLink, name};

use tree::{Tree, build};

fn inventory(tree: &Tree, directory: &str) -> HostInventory {
    inventory_at(&tree.root, Path::new(directory))
}

fn counted(tree: &Tree, directory: &str) -> Option<CountedDevice> {
    Counters::at(tree.root.clone(), Path::new(directory)).device().cloned()
}

fn counter(tree: &Tree, directory: &str, name: &str) -> Option<u64> {
    Counters::at(tree.root.clone(), Path::new(directory)).read(&[]).get(name).copied()
}

fn names(inventory: &HostInventory) -> Vec<&str> {
    inventory.devices.iter().map(|device| device.name.as_str()).collect()
}

#[test]
fn a_server_of_two_sockets_is_counted_right() {
    let inventory = inventory(&recording!("two_socket"), "/");
    let cpu = &inventory.cpu;
    assert_eq!(cpu.model.as_deref(), Some("Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz"));
    assert_eq!((cpu.sockets, cpu.cores, cpu.threads, cpu.smt), (Some(2), Some(4), 8, Some(true)));
    assert_eq!((cpu.clock_mhz, cpu.clock_mhz_max), (Some(2500.0), Some(3200.0)));
    assert_eq!(cpu.governor.as_deref(), Some("performance"));
    let caches: Vec<(u32, &str, u64, u32)> = cpu
        .caches
        .iter()
        .map(|cache| (cache.level, cache.kind.as_str(), cache.size_bytes.0 >> 10, cache.instances))
        .collect();
    assert_eq!(
        caches,
        [(1, "data", 48, 4), (1, "instruction", 32, 4), (2, "unified", 1280, 4), (3, "unified", 49152, 2)]
    );
    let nodes: Vec<(u32, &str)> = cpu.numa_nodes.iter().map(|node| (node.number, node.cpus.as_str())).collect();
    assert_eq!(nodes, [(0, "0,2,4,6"), (1, "1,3,5,7")]);
    assert_eq!(cpu.numa_nodes[1].memory_bytes, Some(Bytes(264_374_560 << 10)));
}

#[test]
fn one_thread_of_each_core_is_chosen_over_all_sockets() {
    let cores = cores_at(&recording!("two_socket").root).unwrap();
    assert_eq!(cores, [[0, 4], [1, 5], [2, 6], [3, 7]]);
    assert_eq!(one_thread_per_core(&cores, &[0, 1, 2, 3, 4, 5, 6, 7]), [0, 1, 2, 3]);
    assert_eq!(one_thread_per_core(&cores, &[1, 3, 5, 7]), [1, 3], "where only one socket may be used");
}

#[test]
fn a_machine_without_topology_has_no_cores() {
    assert_eq!(cores_at(&recording!("cgroup_1").root), None);
}

#[test]
fn names_memory_and_kernel_of_a_server() {
    let inventory = inventory(&recording!("two_socket"), "/");
    assert_eq!(inventory.host_name.as_deref(), Some("db1"));
    assert_eq!(inventory.product.as_deref(), Some("Dell Inc. PowerEdge R750"));
    assert_eq!(inventory.virtualisation, None);
    assert_eq!(inventory.memory.total_bytes, Bytes(527_961_756 << 10));
    assert_eq!(inventory.memory.available_bytes, Some(Bytes(498_112_004 << 10)));
    assert_eq!(inventory.memory.swap_bytes, Some(Bytes(8_388_604 << 10)));
    assert_eq!(inventory.memory.huge_page_pool_bytes, Some(Bytes::GIB.times(128)));
    assert_eq!(inventory.memory.transparent_huge_pages.as_deref(), Some("never"));
    assert_eq!(inventory.kernel.release, "5.14.0-503.el9.x86_64");
    assert_eq!(inventory.kernel.architecture, "x86_64");
    assert_eq!(inventory.kernel.operating_system.as_deref(), Some("Rocky Linux 9.5 (Blue Onyx)"));
    assert_eq!(inventory.kernel.clock_source.as_deref(), Some("tsc"));
    assert!(inventory.kernel.command_line.is_some_and(|line| line.ends_with("transparent_hugepage=never")));
}

#[test]
fn the_disclosure_of_a_server() {
    let inventory = inventory(&recording!("two_socket"), "/");
    let cpu = &inventory.cpu;
    assert_eq!(cpu.stepping.as_deref(), Some("family 6, model 106"));
    assert_eq!(cpu.microcode.as_deref(), Some("0xd0003f5"));
    assert_eq!((cpu.clock_driver.as_deref(), cpu.boost), (Some("intel_pstate"), Some(true)));
    assert_eq!(
        (cpu.idle_driver.as_deref(), cpu.idle_states.join(" ").as_str()),
        (Some("intel_idle"), "POLL C1 C6 (off)")
    );
    assert_eq!(inventory.firmware.as_deref(), Some("Dell Inc. 1.15.2 of 11/05/2024"));
    assert_eq!(inventory.memory.transparent_huge_page_defragmentation.as_deref(), Some("madvise"));
    let kernel = &inventory.kernel;
    let weaknesses: Vec<&str> = kernel.mitigations.keys().map(String::as_str).collect();
    assert_eq!(weaknesses, ["meltdown", "spectre_v2"]);
    let settings: Vec<(&str, &str)> =
        kernel.settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(settings, [("kernel.numa_balancing", "1"), ("vm.dirty_ratio", "20")]);
    assert_eq!(kernel.clock_synchronised, None, "not known for another machine");
    let [interface] = inventory.network.as_slice() else { panic!("one interface, not {:?}", inventory.network) };
    assert_eq!((interface.name.as_str(), interface.driver.as_deref()), ("eno1", Some("mlx5_core")));
    assert_eq!((interface.packet_bytes_max, interface.megabits_per_second), (Some(Bytes(9000)), Some(25_000)));
}

#[test]
fn the_disclosure_of_a_disk_with_a_masked_serial_number() {
    let inventory = inventory(&recording!("nvme_partition"), "/var/lib");
    let disk = &inventory.devices[0];
    assert_eq!(disk.firmware.as_deref(), Some("GDC5602Q"));
    assert_eq!(disk.serial_masked.as_deref(), Some("**********3456"));
    let link = PciLink { gigatransfers_per_second: 8.0, lanes: 4, gigatransfers_per_second_max: 16.0, lanes_max: 4 };
    assert_eq!(disk.link, Some(link));
    assert_eq!(disk.queue.get("read_ahead_kb").map(String::as_str), Some("128"));
    assert_eq!(disk.queue.len(), 2, "settings of this kernel only");
}

#[test]
fn an_empty_tree_has_an_empty_inventory() {
    let tree = build("");
    let inventory = inventory(&tree, "/");
    assert_eq!(inventory.cpu, record::Cpu::default());
    assert_eq!(inventory.memory, record::Memory::default());
    assert_eq!(inventory.cgroup, record::CgroupLimits::default());
    assert_eq!((inventory.file_system, inventory.devices), (None, vec![]));
    assert_eq!((inventory.host_name, inventory.product, inventory.virtualisation), (None, None, None));
    assert!(Counters::at(tree.root, Path::new("/")).read(&[]).is_empty());
}

#[test]
fn a_virtual_machine_has_a_disk_without_partition() {
    let tree = recording!("virtual_machine");
    let inventory = inventory(&tree, "/home/somebody");
    assert_eq!(inventory.virtualisation.as_deref(), Some("docker on qemu"));
    assert_eq!((inventory.cpu.threads, inventory.cpu.sockets, inventory.cpu.cores), (2, None, None));
    assert_eq!(inventory.cpu.clock_mhz, Some(2596.138));
    assert_eq!(inventory.memory.huge_page_pool_bytes, Some(Bytes(0)));
    let system = inventory.file_system.expect("file system");
    assert_eq!((system.kind.as_str(), system.source.as_str(), system.mount_point.as_str()), ("ext4", "/dev/vda", "/"));
    assert_eq!(system.options, "rw,relatime,discard,resuid=65534");
    assert_eq!(system.size_bytes, None, "not known for another machine");
    let [disk] = inventory.devices.as_slice() else { panic!("one device, not {:?}", inventory.devices) };
    assert_eq!((disk.name.as_str(), disk.model.as_deref()), ("vda", None));
    assert_eq!(disk.size_bytes, Some(Bytes::GIB.times(256)));
    assert_eq!(
        (disk.rotational, disk.fua, disk.queue_depth),
        (None, Some(false), Some(256)),
        "virtual disks are rotational by default"
    );
    assert_eq!((disk.scheduler.as_deref(), disk.write_cache.as_deref()), (Some("none"), Some("write back")));
    assert_eq!(disk.logical_block_bytes, Some(Bytes(512)));
}

/// What `/proc` and `/sys` of an ARM64 machine with a device tree have, which differs from x86: no model name, no clock, no
/// flag for a hypervisor, no firmware tables.
const ARM: &str = "
--- proc/cpuinfo
processor\t: 0
BogoMIPS\t: 50.00
Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x3
CPU part\t: 0xd0c
CPU revision\t: 1

processor\t: 1
CPU implementer\t: 0x41
CPU variant\t: 0x3
CPU part\t: 0xd0c
CPU revision\t: 1
--- proc/sys/kernel/arch
aarch64
--- sys/devices/system/cpu/online
0-1
--- sys/devices/system/cpu/{cpu0,cpu1}/topology/physical_package_id
-1
--- sys/devices/system/cpu/cpu0/topology/core_cpus_list
0
--- sys/devices/system/cpu/cpu1/topology/core_cpus_list
1
--- proc/device-tree/model
linux,dummy-virt\0
--- proc/device-tree/hypervisor/compatible
linux,kvm\0";

#[test]
fn a_machine_with_a_device_tree_is_known_by_it() {
    let tree = build(ARM);
    let machine = inventory(&tree, "/");
    assert_eq!(machine.cpu.model.as_deref(), Some("ARM Neoverse-N1"));
    assert_eq!(machine.cpu.stepping.as_deref(), Some("variant 0x3, revision 1"));
    assert_eq!((machine.cpu.threads, machine.cpu.sockets, machine.cpu.cores), (2, None, Some(2)));
    assert_eq!((machine.cpu.smt, machine.cpu.clock_mhz), (Some(false), None));
    assert_eq!(machine.kernel.architecture, "aarch64");
    assert_eq!(machine.product.as_deref(), Some("linux,dummy-virt"));
    assert_eq!(machine.virtualisation.as_deref(), Some("kvm"));
    let tree = build("--- proc/device-tree/hypervisor/compatible\nxen,xen-4.17\0xen,xen\0");
    assert_eq!(inventory(&tree, "/").virtualisation.as_deref(), Some("xen"));
    let tree = build("--- proc/device-tree/model\nRaspberry Pi 5\0");
    assert_eq!(inventory(&tree, "/").virtualisation, None);
}

#[test]
fn the_counters_of_a_virtual_machine_separate_flushes_from_writes() {
    let tree = recording!("virtual_machine");
    let values = Counters::at(tree.root.clone(), Path::new("/")).read(&[]);
    let expected = [
        (name::DEVICE_DISCARD_BYTES, 1_643_248 * 512),
        (name::DEVICE_DISCARD_COUNT, 11_637),
        (name::DEVICE_FLUSH_COUNT, 3633),
        (name::DEVICE_FLUSH_NS, 119_000_000),
        (name::DEVICE_IN_QUEUE_NS, 289_846_000_000),
        (name::DEVICE_IO_TICKS_NS, 14_532_000_000),
        (name::DEVICE_READ_BYTES, 14_476_490 * 512),
        (name::DEVICE_READ_COUNT, 175_752),
        (name::DEVICE_WRITE_BYTES, 6_991_096 * 512),
        (name::DEVICE_WRITE_COUNT, 18_535 - 3633),
        (name::HOST_SWAP_IN_COUNT, 12),
    ];
    for (name, value) in expected {
        assert_eq!(values.get(name), Some(&value), "{name}");
    }
    let tick_ns = 1_000_000_000 / rustix::param::clock_ticks_per_second();
    assert_eq!(values.get(name::HOST_CPU_USER_NS), Some(&(1200 * tick_ns)));
    assert_eq!(values.get(name::HOST_CPU_SYSTEM_NS), Some(&(376 * tick_ns)));
    assert_eq!(values.get(name::HOST_CPU_STEAL_NS), Some(&(80 * tick_ns)));
    for absent in [name::HOST_THROTTLED_NS, name::CLIENT_CPU_NS, name::CLIENT_READ_BYTES, name::SERVER_CPU_NS] {
        assert_eq!(values.get(absent), None, "{absent}");
    }
}

#[test]
fn memory_network_and_hidden_layers_have_no_device() {
    let tree = recording!("virtual_machine");
    for (directory, kind) in [("/dev/shm/x", "tmpfs"), ("/net/x", "nfs4"), ("/layers/x", "overlay")] {
        let inventory = inventory(&tree, directory);
        assert_eq!(inventory.file_system.expect("file system").kind, kind);
        assert_eq!(inventory.devices, [], "{directory}");
        assert_eq!(counted(&tree, directory), None, "{directory}");
        assert_eq!(counter(&tree, directory, name::DEVICE_READ_COUNT), None);
    }
    let seen = inventory(&tree, "/layers/seen/x");
    assert_eq!(names(&seen), ["vda"], "the upper layer is visible");
    assert_eq!(seen.file_system.expect("file system").kind, "overlay");
}

#[test]
fn the_device_of_a_partition_is_its_disk() {
    let tree = recording!("nvme_partition");
    let inventory = inventory(&tree, "/var/lib");
    let [disk] = inventory.devices.as_slice() else { panic!("one device, not {:?}", inventory.devices) };
    assert_eq!((disk.name.as_str(), disk.model.as_deref()), ("nvme0n1", Some("SAMSUNG MZQL21T9HCJR-00A07")));
    assert_eq!((disk.rotational, disk.fua), (Some(false), Some(true)));
    assert_eq!(disk.logical_block_bytes, Some(Bytes(4096)));
    let device = CountedDevice { name: "nvme0n1".to_owned(), counts_flushes: true, depth: 0 };
    assert_eq!(counted(&tree, "/var/lib"), Some(device));
    assert_eq!(counter(&tree, "/var/lib", name::DEVICE_WRITE_COUNT), Some(3800), "the disk's, less its flushes");
    assert_eq!(counter(&tree, "/var/lib", name::DEVICE_FLUSH_COUNT), Some(1200));
}

#[test]
fn a_btrfs_has_all_its_devices() {
    let tree = recording!("nvme_partition");
    assert_eq!(names(&inventory(&tree, "/data/db")), ["nvme0n1", "nvme1n1"]);
}

#[test]
fn a_stack_is_listed_from_the_top_with_each_device_once() {
    let tree = recording!("crypt_on_lvm_on_md");
    let inventory = inventory(&tree, "/secret/db");
    assert_eq!(names(&inventory), ["dm-1", "dm-0", "md0", "sda", "sdb"]);
    let models: Vec<&str> = inventory.devices.iter().filter_map(|device| device.model.as_deref()).collect();
    assert_eq!(models, ["crypt secret", "lvm vg0-data", "md raid1", "ST4000NM0035-1V4", "SEAGATE ST4000NM0035-1V4"]);
    assert_eq!(inventory.devices[2].slaves, ["sda1", "sdb1"]);
    assert_eq!(inventory.devices[0].size_bytes, Some(Bytes::GIB));
}

#[test]
fn a_stack_that_spreads_is_counted_at_its_top_without_flushes() {
    let tree = recording!("crypt_on_lvm_on_md");
    let device = CountedDevice { name: "dm-1".to_owned(), counts_flushes: false, depth: 0 };
    assert_eq!(counted(&tree, "/secret/db"), Some(device));
    assert_eq!(counter(&tree, "/secret/db", name::DEVICE_WRITE_COUNT), Some(200));
    assert_eq!(counter(&tree, "/secret/db", name::DEVICE_FLUSH_COUNT), None, "absent, not zero");
}

#[test]
fn a_stack_on_one_disk_is_counted_at_the_disk() {
    let tree = recording!("crypt_on_lvm_on_md");
    assert_eq!(names(&inventory(&tree, "/renamed/db")), ["dm-2", "sdb"], "found by the mount source");
    let device = CountedDevice { name: "sdb".to_owned(), counts_flushes: true, depth: 1 };
    assert_eq!(counted(&tree, "/renamed/db"), Some(device));
    assert_eq!(counter(&tree, "/renamed/db", name::DEVICE_WRITE_COUNT), Some(200));
    assert_eq!(counter(&tree, "/renamed/db", name::DEVICE_FLUSH_COUNT), Some(50));
}

#[test]
fn limits_of_control_groups_version_1() {
    let tree = recording!("cgroup_1");
    let limits = inventory(&tree, "/").cgroup;
    assert_eq!((limits.version, limits.cpu_quota), (Some(1), Some(1.5)));
    assert_eq!(limits.cpu_period_ns, Some(Nanos(100_000_000)));
    assert_eq!(limits.cpu_set.as_deref(), Some("0-3"));
    assert_eq!(limits.memory_max_bytes, Some(Bytes::GIB.times(4)), "the limit of the parent is lower");
    assert_eq!(counter(&tree, "/", name::HOST_THROTTLED_NS), Some(123_456_789));
}

#[test]
fn limits_of_control_groups_version_2() {
    let tree = recording!("cgroup_2");
    let limits = inventory(&tree, "/").cgroup;
    assert_eq!((limits.version, limits.cpu_quota), (Some(2), Some(2.5)));
    assert_eq!(limits.cpu_period_ns, Some(Nanos(20_000_000)));
    assert_eq!(limits.cpu_set.as_deref(), Some("2-5"));
    assert_eq!(limits.memory_max_bytes, Some(Bytes::GIB));
    assert_eq!(counter(&tree, "/", name::HOST_THROTTLED_NS), Some(250_000), "of the group with the quota");
}

#[test]
fn this_host_has_an_inventory() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let inventory = dbdyno_host::inventory(directory.path());
    assert!(inventory.cpu.threads >= 1);
    assert!(inventory.memory.total_bytes > Bytes::MIB);
    assert!(!inventory.kernel.release.is_empty() && !inventory.kernel.architecture.is_empty());
    let system = inventory.file_system.expect("the file system of a directory that exists");
    assert!(system.size_bytes >= system.free_bytes && system.free_bytes.is_some());
    assert_eq!(Some(dbdyno_host::host_name()), inventory.host_name);
    assert_eq!(dbdyno_host::memory_total(), inventory.memory.total_bytes);
    assert!(dbdyno_host::free_bytes(directory.path()).is_some());
    assert_eq!(dbdyno_host::free_bytes(Path::new("/nonexistent")), None);
}
