//! The parts of a platform on paper, and what is required of it.

use record::{Bytes, Rate};

use crate::platform::{Basis, FibreChannel, FlashCache, Generation, InfiniBand, Redundancy, SerialAttached};

/// Where the figures of a part are from.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// Measured, rated or assumed.
    pub basis: Basis,
    /// A data sheet, an offer, a record.
    pub source: Option<String>,
}

/// A part of which a bound is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Processors.
    Processors,
    /// Memory.
    Memory,
    /// The link of that name.
    Link(String),
    /// The drives of that name, with their redundancy.
    Drives(String),
    /// The network to storage.
    Fabric,
    /// The network to clients and replicas.
    Network,
    /// The write that makes a commit durable.
    Commit,
}

/// Equal processors.
#[derive(Clone, Debug, PartialEq)]
pub struct Processor {
    /// Where its figures are from.
    pub origin: Origin,
    /// At least 1.
    pub sockets: u32,
    /// Cores per socket, at least 1.
    pub cores: u32,
    /// Hardware threads per core, 1 without SMT.
    pub threads_per_core: u32,
    /// Rate with all threads of a core over rate with one, at least 1; counted where a core has several threads.
    pub smt_yield: Option<f64>,
    /// Cycles per second of a core.
    pub clock_hertz: Option<f64>,
    /// Price of a socket.
    pub price: Option<f64>,
}

impl Processor {
    /// All cores.
    pub fn cores_all(&self) -> f64 {
        f64::from(self.sockets) * f64::from(self.cores)
    }

    /// Cores in terms of one thread per core: what SMT adds is added.
    pub fn capacity_cores(&self) -> f64 {
        let more = self.smt_yield.filter(|_| self.threads_per_core > 1).unwrap_or(1.0);
        self.cores_all() * more
    }
}

/// Memory, its channels equally populated.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// Where its figures are from.
    pub origin: Origin,
    /// Sockets with memory.
    pub sockets: u32,
    /// Populated channels per socket.
    pub channels: u32,
    /// 10^6 transfers per second.
    pub megatransfers: Option<f64>,
    /// Bytes per second where measured; replaces the peak of the channels.
    pub rate: Option<Rate>,
    /// All memory.
    pub size: Option<Bytes>,
    /// Of an access to the own node, ns.
    pub latency_ns: Option<f64>,
    /// Of an access to another node, ns.
    pub remote_latency_ns: Option<f64>,
    /// Share of accesses to other nodes; absent for memory interleaved over all sockets.
    pub remote_share: Option<f64>,
    /// Cache lines that one core keeps in flight.
    pub lines_in_flight: Option<u32>,
    /// Price of all of it.
    pub price: Option<f64>,
}

/// A link of PCI Express that devices share: above a switch, of a root port.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Where its figures are from.
    pub origin: Origin,
    /// Its name.
    pub name: String,
    /// Its generation.
    pub generation: Generation,
    /// Its lanes.
    pub lanes: u32,
    /// The link between it and memory, if any.
    pub above: Option<String>,
}

/// Equal drives.
#[derive(Clone, Debug, PartialEq)]
pub struct Drive {
    /// Where its figures are from.
    pub origin: Origin,
    /// Their name.
    pub name: String,
    /// At least 1.
    pub count: u32,
    /// Generation and lanes of the link of each.
    pub link: Option<(Generation, u32)>,
    /// The shared link between them and memory.
    pub above: Option<String>,
    /// Of each.
    pub capacity: Option<Bytes>,
    /// Random reads per second of each.
    pub read_iops: Option<f64>,
    /// Random writes per second of each.
    pub write_iops: Option<f64>,
    /// Bytes per second read from each.
    pub read_rate: Option<Rate>,
    /// Bytes per second written to each.
    pub write_rate: Option<Rate>,
    /// Time of a read, seconds.
    pub read_seconds: Option<f64>,
    /// What each survives.
    pub endurance: Option<Endurance>,
    /// Physical less usable capacity over usable: cleaning amplifies random writes. Absent where the endurance has it.
    pub spare: Option<f64>,
    /// Price of each.
    pub price: Option<f64>,
}

/// How often a drive may be written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Endurance {
    /// Program and erase cycles of its cells.
    Cycles(f64),
    /// Its capacity so many times a day, over five years.
    WritesPerDay(f64),
}

/// Drives with redundancy.
#[derive(Clone, Debug, PartialEq)]
pub struct Volume {
    /// Where its figures are from.
    pub origin: Origin,
    /// The name of the set of drives.
    pub drives: String,
    /// The redundancy.
    pub redundancy: Redundancy,
    /// Fragments of data per stripe of an erasure code; 0 otherwise.
    pub data_fragments: u32,
    /// What one drive has of a stripe.
    pub chunk: Option<Bytes>,
    /// A cache that acknowledges writes.
    pub write_cache: Option<Bytes>,
}

/// Ports of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// Where its figures are from.
    pub origin: Origin,
    /// What kind, and how fast.
    pub wire: Wire,
    /// Ports that share the load, at least 1.
    pub ports: u32,
    /// What is spoken.
    pub protocol: Protocol,
    /// Maximum transmission unit of Ethernet, or payload of a packet.
    pub mtu_bytes: f64,
    /// Cycles of the database host per I/O.
    pub cycles_per_io: Option<f64>,
    /// Length of the fibre, one way.
    pub kilometres: Option<f64>,
    /// The shared link of PCI Express between its adapters and memory.
    pub above: Option<String>,
    /// Price of a port.
    pub price: Option<f64>,
}

/// A kind of network, with its speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wire {
    /// So many 10^9 bits per second.
    Ethernet {
        /// Per second, in 10^9.
        gigabits: f64,
    },
    /// Four lanes.
    InfiniBand(InfiniBand),
    /// A port.
    FibreChannel(FibreChannel),
    /// Lanes to drives.
    Serial(SerialLanes),
}

/// Lanes of SATA or SAS.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SerialLanes {
    /// Their speed.
    pub kind: SerialAttached,
    /// Their number.
    pub lanes: u32,
}

/// What is spoken over a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// TCP.
    Tcp,
    /// RDMA: RoCE over Ethernet, or InfiniBand itself.
    Rdma,
    /// iSCSI over TCP.
    Iscsi,
    /// NVMe over TCP.
    NvmeTcp,
}

/// How a commit becomes durable. Times in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Commit {
    /// Where its figures are from.
    pub origin: Origin,
    /// Time of the write and flush.
    pub flush_seconds: f64,
    /// Commits that share one.
    pub group: f64,
    /// Time of a processor before it.
    pub cpu_seconds: f64,
    /// Time of the flush of a replica that a commit waits for.
    pub remote_flush_seconds: Option<f64>,
    /// Whether the replica is sent to during the own flush rather than after it.
    pub is_parallel: bool,
}

/// A second level of the buffer cache on flash.
#[derive(Clone, Debug, PartialEq)]
pub struct SecondLevel {
    /// Where its figures are from.
    pub origin: Origin,
    /// Its sizes and times.
    pub cache: FlashCache,
    /// Miss ratio by size of the cache.
    pub misses: Misses,
}

/// A curve of misses.
#[derive(Clone, Debug, PartialEq)]
pub enum Misses {
    /// min(1, (S/S0)^-theta).
    PowerLaw {
        /// S0.
        all_miss_up_to: Bytes,
        /// The exponent, above 0.
        theta: f64,
    },
    /// Sizes, rising, and miss ratios above 0, falling; in between straight in logarithms, beyond both ends level.
    Points(Vec<(Bytes, f64)>),
}

/// A licence that is paid per core.
#[derive(Clone, Debug, PartialEq)]
pub struct Licence {
    /// Of one licence.
    pub price: f64,
    /// Licences per core.
    pub core_factor: f64,
}

/// What prices have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Money {
    /// ISO code.
    pub currency: String,
    /// The date of the prices.
    pub date: String,
    /// Their source.
    pub source: String,
}

/// What is required, all of it at the same time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Required {
    /// Whose requirement it is.
    pub source: Option<String>,
    /// I/Os per second, reads and writes, beside those of transactions.
    pub iops: Option<f64>,
    /// Share of writes of all I/Os.
    pub write_share: f64,
    /// Bytes of an I/O.
    pub io_bytes: Option<f64>,
    /// Bytes per second read by scans.
    pub scan_rate: Option<Rate>,
    /// Transactions per second.
    pub transactions: Option<f64>,
    /// Processor time of a transaction, seconds.
    pub cpu_seconds: Option<f64>,
    /// I/Os of a transaction.
    pub ios: Option<f64>,
    /// Bytes of log of a transaction.
    pub log_bytes: Option<f64>,
    /// Bytes between client and server of a transaction.
    pub network_bytes: Option<f64>,
    /// Commits per second; absent for as many as transactions.
    pub commits: Option<f64>,
    /// Bytes to keep.
    pub capacity: Option<Bytes>,
    /// Reads of the buffer cache per second.
    pub logical_reads: Option<f64>,
    /// Clients in a closed loop.
    pub clients: Option<f64>,
    /// Their think time, seconds.
    pub think_seconds: f64,
}
