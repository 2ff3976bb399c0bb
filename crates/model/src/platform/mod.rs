//! Upper bounds of a platform, calculated from standards, published figures and measured ones.
//!
//! Each function is one formula with its source. The result is a ceiling or an order of magnitude: a probe of the same
//! host replaces it. Byte rates are bytes per second, link rates 10^9 bits per second.
//!
//! Measurements use the SMT yield (the attribution), defects and shared bandwidth; `platform_plan` sizes a platform with
//! most of the others. Published figures are their tests.

mod asymptote;
mod bandwidth;
mod cached_volume;
mod defect;
mod fabric;
mod flash_cache;
mod media;
mod memory;
mod network;
mod numa;
mod pcie;
mod raid;
mod smt;

pub use asymptote::Asymptotes;
pub use bandwidth::{
    Basis, Demand, MeasuredRates, Oversubscription, Shared, link_rate, measured_rates, oversubscriptions,
};
pub(crate) use bandwidth::{drives, memory_rate, whole_device};
pub use cached_volume::{CachedVolume, cached_volumes};
pub(crate) use defect::chain;
pub use defect::{Defect, defects};
pub use fabric::{FibreChannel, InfiniBand, SerialAttached, commit_seconds, fibre_round_trip_seconds};
pub use flash_cache::{FlashCache, power_law_miss};
pub use media::{MEDIA, Medium, Span, drive_writes_per_day, endurance_bytes, life_years, random_write_amplification};
pub use memory::{
    STREAM_ACHIEVABLE, channel_bytes_per_second, memory_peak_bytes_per_second, single_core_bytes_per_second,
};
pub use network::{
    ISCSI_HEADER_BYTES, NVME_TCP_HEADER_BYTES, cores_for_io, ethernet_goodput, infiniband_share, pdu_share, roce_share,
    tcp_share,
};
pub use numa::{NumaAccess, effective_latency_ns};
pub use pcie::{Generation, fair_share, oversubscription};
pub use raid::{
    Redundancy, commits_per_second_max, degraded_read_amplification, full_stripe_write, host_iops, write_cache_seconds,
};
pub use smt::{capacity_used, headroom, smt_yield};
