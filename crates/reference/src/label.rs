//! What the keys of a publication that stand once mean: their name and unit, in the order in which they are read.

use model::FactGroup::{self, Engine, Kernel, Machine, Measurement, Setting, Storage};

/// One key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    pub(crate) section: &'static str,
    pub(crate) key: &'static str,
    pub(crate) group: FactGroup,
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
}

type Key = (&'static str, &'static str, &'static str);

/// What the keys of a section are about, and the keys: key, name, unit.
const SECTIONS: &[(&str, FactGroup, &[Key])] = &[
    (
        "platform",
        Machine,
        &[
            ("cpu_model", "processor", ""),
            ("cpu_ghz", "clock", "GHz"),
            ("sockets", "sockets", ""),
            ("cores", "cores", ""),
            ("threads", "hardware threads", ""),
            ("memory_gb", "memory", "GB"),
            ("database_servers", "database servers", ""),
            ("database_server", "database server", ""),
        ],
    ),
    (
        "platform",
        Storage,
        &[
            ("storage", "storage", ""),
            ("storage_servers", "storage servers", ""),
            ("storage_server", "storage server", ""),
            ("host_bus_adapter", "host bus adapters", ""),
            ("fabric", "fabric", ""),
            ("volume_manager", "volume manager", ""),
        ],
    ),
    ("platform", Kernel, &[("os", "operating system", "")]),
    ("platform", Engine, &[("database", "database", "")]),
    (
        "platform",
        Setting,
        &[
            ("block_size", "block size", "bytes"),
            ("buffer_cache_gb", "buffer cache", "GB"),
            ("keep_cache_gb", "keep cache", "GB"),
            ("pga_gb", "memory of sessions", "GB"),
        ],
    ),
    (
        "platform",
        Measurement,
        &[
            ("rows_small_table", "small table", "rows"),
            ("rows_large_table", "large table", "rows"),
            ("benchmark_db_gb", "database of the benchmark", "GB"),
            ("io_method", "storage measured with", ""),
            ("calibration_method", "calibrated with", ""),
            ("scan_method", "scan", ""),
        ],
    ),
    (
        "shared_storage_contention",
        Storage,
        &[
            ("host_lanes", "lanes of the hosts", ""),
            ("switch_lanes", "lanes of the switch", ""),
            ("disk_throughput", "throughput of the disks", ""),
        ],
    ),
    ("smt", Machine, &[("low_utilisation_tax", "SMT, tax at low utilisation", "")]),
    ("numa", Machine, &[("remote_tax", "NUMA, tax of remote memory", "")]),
    (
        "second_level_cache",
        Engine,
        &[
            ("kind", "second-level cache", ""),
            ("header_bytes_per_block", "its header per block", "bytes"),
            ("block_size", "its block", "bytes"),
            ("header_mb_per_gb", "its headers per GB", "MB"),
            ("header_gb_per_tb", "its headers per TB", "GB"),
        ],
    ),
    (
        "load",
        Measurement,
        &[
            ("setting", "load of", ""),
            ("flat_file_gb", "load, flat file", "GB"),
            ("models", "load, models", ""),
            ("table_compression_ratio", "load, table compression", ": 1"),
            ("goal_tb_per_hour", "load, goal", "TB/h"),
            ("goal_mb_s", "load, goal in MB/s", "MB/s"),
            ("gzip_level", "load, gzip level", ""),
            ("gzip_ratio", "load, gzip compression", ": 1"),
            ("compressed_input_mb_s", "load, compressed input", "MB/s"),
            ("inflate_mb_s_per_quarter_core", "load, inflated by a quarter of a core", "MB/s"),
            ("inflate_units", "load, quarters of a core needed", ""),
            ("inflate_cores", "load, cores needed to inflate", ""),
            ("network_2gbe_mb_s", "load, 2 x gigabit Ethernet", "MB/s"),
            ("network_2gbe_seconds_per_tb", "load, 2 x gigabit Ethernet per TB", "s"),
        ],
    ),
    (
        "file_streams",
        Measurement,
        &[
            ("setting", "file streams", ""),
            ("streams", "file streams, number", ""),
            ("request_mb", "file streams, request", "MB"),
            ("file_gb_per_stream", "file streams, file of each", "GB"),
        ],
    ),
    (
        "calibrate_io",
        Measurement,
        &[
            ("num_physical_disks", "calibration, number of disks said", ""),
            ("max_latency_ms", "calibration, latency allowed", "ms"),
            ("actual_latency_ms", "calibration, latency found", "ms"),
        ],
    ),
    ("single_instance", Machine, &[("server", "server", "")]),
    (
        "single_instance",
        Measurement,
        &[("schemas", "schemas", ""), ("latency_peak_ms", "greatest latency on one instance", "ms")],
    ),
];

/// Every key, in the order in which facts are read.
pub(crate) fn labels() -> impl Iterator<Item = Label> {
    SECTIONS.iter().flat_map(|(section, group, keys)| {
        keys.iter().map(|(key, name, unit)| Label { section, key, group: *group, name, unit })
    })
}
