//! An invented platform: a host and an engine.

use record::{
    BackgroundProgram, BlockDevice, Bytes, Cache, CgroupLimits, Cpu, EngineInventory, FileSystem, HostInventory,
    HostState, Kernel, KernelLog, Location, Memory, MemoryModule, Nanos, NetworkInterface, NumaNode, PciLink, Setting,
};

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// The machine of the sample.
pub fn host() -> HostInventory {
    HostInventory {
        host_name: some("db1"),
        product: some("Example Server 9"),
        cpu: Cpu {
            model: some("Example CPU 4242"),
            sockets: Some(1),
            cores: Some(1),
            threads: 2,
            smt: Some(true),
            clock_mhz: Some(2000.0),
            clock_mhz_max: Some(3000.0),
            governor: some("performance"),
            caches: vec![
                Cache { level: 1, kind: "data".to_owned(), size_bytes: Bytes(32 << 10), instances: 1 },
                Cache { level: 1, kind: "instruction".to_owned(), size_bytes: Bytes(32 << 10), instances: 1 },
                Cache { level: 2, kind: "unified".to_owned(), size_bytes: Bytes(1 << 20), instances: 1 },
                Cache { level: 3, kind: "unified".to_owned(), size_bytes: Bytes(32 << 20), instances: 1 },
            ],
            numa_nodes: vec![NumaNode {
                number: 0,
                cpus: "0-1".to_owned(),
                memory_bytes: Some(Bytes::GIB.times(8)),
                distances: vec![10],
            }],
            stepping: some("family 6, model 42, stepping 7"),
            microcode: some("0x2f"),
            clock_driver: some("example_pstate"),
            boost: Some(true),
            idle_driver: some("example_idle"),
            idle_states: ["POLL", "C1", "C6 (off)"].map(str::to_owned).to_vec(),
        },
        memory: Memory {
            total_bytes: Bytes::GIB.times(8),
            available_bytes: Some(Bytes::GIB.times(6)),
            swap_bytes: Some(Bytes(0)),
            transparent_huge_pages: some("madvise"),
            huge_page_pool_bytes: Some(Bytes(0)),
            transparent_huge_page_defragmentation: some("madvise"),
            modules: ["A1", "B1"].map(module).to_vec(),
        },
        file_system: Some(FileSystem {
            kind: "xfs".to_owned(),
            mount_point: "/measured".to_owned(),
            source: "/dev/mapper/data".to_owned(),
            options: "rw,noatime,attr2,inode64,logbufs=8,logbsize=32k,noquota".to_owned(),
            size_bytes: Some(Bytes(1_000_000_000_000)),
            free_bytes: Some(Bytes(900_000_000_000)),
            network: None,
        }),
        devices: vec![
            BlockDevice {
                name: "dm-0".to_owned(),
                size_bytes: Some(Bytes(1_000_000_000_000)),
                rotational: Some(false),
                write_cache: some("write back"),
                fua: Some(false),
                logical_block_bytes: Some(Bytes(512)),
                slaves: vec!["nvme0n1".to_owned()],
                ..BlockDevice::default()
            },
            BlockDevice {
                name: "nvme0n1".to_owned(),
                model: some("Example Flash 1TB"),
                size_bytes: Some(Bytes(1_000_000_000_000)),
                rotational: Some(false),
                scheduler: some("none"),
                queue_depth: Some(1023),
                write_cache: some("write back"),
                fua: Some(true),
                logical_block_bytes: Some(Bytes(512)),
                slaves: Vec::new(),
                firmware: some("EX42"),
                serial_masked: some("****1234"),
                link: Some(PciLink {
                    gigatransfers_per_second: 16.0,
                    lanes: 4,
                    gigatransfers_per_second_max: 16.0,
                    lanes_max: 4,
                }),
                queue: [("max_sectors_kb", "1280"), ("read_ahead_kb", "128")].map(pair).into(),
                hardware_queue_count: Some(2),
                ..BlockDevice::default()
            },
        ],
        kernel: Kernel {
            release: "6.12.1".to_owned(),
            architecture: "x86_64".to_owned(),
            operating_system: some("Example Linux 13"),
            clock_source: some("tsc"),
            command_line: some("root=/dev/vda1 quiet"),
            mitigations: [("meltdown", "Not affected"), ("spectre_v2", "Mitigation: Retpolines")].map(pair).into(),
            settings: [("vm.dirty_background_ratio", "10"), ("vm.dirty_ratio", "20"), ("vm.swappiness", "60")]
                .map(pair)
                .into(),
            clock_synchronised: Some(true),
            clock_error_max_ns: Some(Nanos(1_500_000)),
        },
        virtualisation: some("kvm"),
        cgroup: CgroupLimits {
            version: Some(2),
            memory_max_bytes: Some(Bytes::GIB.times(4)),
            ..CgroupLimits::default()
        },
        firmware: some("Example Firmware 1.2 of 01/02/2026"),
        network: vec![NetworkInterface {
            name: "eth0".to_owned(),
            driver: some("example_net"),
            packet_bytes_max: Some(Bytes(1500)),
            megabits_per_second: Some(25_000),
        }],
        pci: Vec::new(),
        at_start: Some(state(0)),
        at_end: Some(state(3)),
    }
}

fn pair((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

fn module(slot: &str) -> MemoryModule {
    MemoryModule {
        slot: some(slot),
        size_bytes: Bytes::GIB.times(4),
        kind: some("DDR5"),
        megatransfers_per_second_max: Some(5600),
        megatransfers_per_second: Some(4800),
    }
}

/// The machine after so many minutes.
fn state(minutes: u64) -> HostState {
    HostState {
        load_average_1_minute: Some(0.25 + minutes as f64),
        background_programs: (minutes == 0).then(|| {
            vec![BackgroundProgram { name: "backup".to_owned(), processors: 0.04, ..BackgroundProgram::default() }]
        }),
        clock_mhz: Some(2000.0 + minutes as f64),
        temperature_celsius_max: Some(50.0 + minutes as f64),
        thermal_throttle_count: Some(0),
        multiplication_ns: Some(1.0),
        memory_available_bytes: Some(Bytes::GIB.times(6)),
        free_bytes: Some(Bytes(900_000_000_000 - 1_000_000_000 * minutes)),
        kernel_log: Some(KernelLog { last_message: 1000, ..KernelLog::default() }),
    }
}

/// The engine of the sample.
pub fn engine() -> EngineInventory {
    let setting = |name: &str, value: &str, default: Option<&str>| Setting {
        name: name.to_owned(),
        value: value.to_owned(),
        default: default.map(str::to_owned),
    };
    EngineInventory {
        name: "example".to_owned(),
        title: "Example SQL".to_owned(),
        version: "9.1".to_owned(),
        location: Location::UnixSocket,
        nodes: 1,
        encryption: None,
        temporary: true,
        direct_reads: None,
        sessions_share_file_lock: false,
        block_bytes: Some(Bytes(8192)),
        cache_bytes: Some(Bytes::GIB.times(2)),
        durable: Some(true),
        durability: "sync = on, commits are forced to the device".to_owned(),
        durability_shown: None,
        settings: vec![
            setting("buffer_cache", "2GB", Some("128MB")),
            setting("log_size_max", "4GB", Some("1GB")),
            setting("sync", "on", Some("on")),
            setting("workers", "2", None),
        ],
    }
}
