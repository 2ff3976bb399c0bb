//! An invented platform: a host and an engine.

use record::{
    BlockDevice, Bytes, Cache, CgroupLimits, Cpu, EngineInventory, FileSystem, HostInventory, Kernel, Location, Memory,
    NumaNode, Setting,
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
            numa_nodes: vec![NumaNode { number: 0, cpus: "0-1".to_owned(), memory_bytes: Some(Bytes::GIB.times(8)) }],
        },
        memory: Memory {
            total_bytes: Bytes::GIB.times(8),
            available_bytes: Some(Bytes::GIB.times(6)),
            swap_bytes: Some(Bytes(0)),
            transparent_huge_pages: some("madvise"),
            huge_page_pool_bytes: Some(Bytes(0)),
        },
        file_system: Some(FileSystem {
            kind: "xfs".to_owned(),
            mount_point: "/measured".to_owned(),
            source: "/dev/mapper/data".to_owned(),
            options: "rw,noatime,attr2,inode64,logbufs=8,logbsize=32k,noquota".to_owned(),
            size_bytes: Some(Bytes(1_000_000_000_000)),
            free_bytes: Some(Bytes(900_000_000_000)),
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
            },
        ],
        kernel: Kernel {
            release: "6.12.1".to_owned(),
            architecture: "x86_64".to_owned(),
            operating_system: some("Example Linux 13"),
            clock_source: some("tsc"),
            command_line: some("root=/dev/vda1 quiet"),
        },
        virtualisation: some("kvm"),
        cgroup: CgroupLimits {
            version: Some(2),
            memory_max_bytes: Some(Bytes::GIB.times(4)),
            ..CgroupLimits::default()
        },
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
        throwaway: true,
        block_bytes: Some(Bytes(8192)),
        cache_bytes: Some(Bytes::GIB.times(2)),
        durable: Some(true),
        durability: "sync = on, commits are forced to the device".to_owned(),
        settings: vec![
            setting("buffer_cache", "2GB", Some("128MB")),
            setting("log_size_max", "4GB", Some("1GB")),
            setting("sync", "on", Some("on")),
            setting("workers", "2", None),
        ],
    }
}
