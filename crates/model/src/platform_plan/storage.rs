//! The drives with their redundancy: what the host gets of them, what a write costs, how long they last.

use record::{Bytes, Rate};

use super::{Drive, Endurance, PlatformPlan, Volume, demands};
use crate::platform::{
    Redundancy, degraded_read_amplification, drive_writes_per_day, endurance_bytes, full_stripe_write, host_iops,
    life_years, random_write_amplification, write_cache_seconds,
};

/// What the data drives give the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Storage {
    /// Their redundancy.
    pub redundancy: Redundancy,
    /// Drives.
    pub count: u32,
    /// How many of them data fill.
    pub data_count: u32,
    /// Bytes of data.
    pub usable: Option<Bytes>,
    /// I/Os of drives per small write.
    pub write_penalty: f64,
    /// I/Os per second with the required share of writes.
    pub iops: Option<Rate>,
    /// Bytes read per second.
    pub read: Option<Rate>,
    /// Bytes written per second in whole stripes.
    pub written: Option<Rate>,
    /// Bytes of drives per byte written in whole stripes.
    pub stripe_amplification: f64,
    /// Bytes of data of a stripe.
    pub stripe: Option<Bytes>,
    /// I/Os of drives per read with one drive failed, where that is more than one.
    pub degraded_reads: Option<f64>,
    /// What the write cache does.
    pub write_cache: Option<WriteCache>,
    /// How long they last.
    pub wear: Option<Wear>,
}

/// How long a write cache hides the penalty of what is required.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WriteCache {
    /// Seconds until it is full; absent where the drives keep up.
    pub seconds: Option<f64>,
}

/// Wear by what is required.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wear {
    /// Bytes written to each drive per second.
    pub written: Rate,
    /// Bytes written within the drive per byte, where its spare capacity is known.
    pub amplification: Option<f64>,
    /// Capacities per day that it survives over five years.
    pub writes_per_day: f64,
    /// Years until it is worn out.
    pub years: f64,
}

/// Reads and writes of drives per small write of the host.
fn device_ios(redundancy: Redundancy) -> (f64, f64) {
    let penalty = redundancy.write_penalty();
    match redundancy {
        Redundancy::Stripe | Redundancy::Mirror | Redundancy::Replicas { .. } => (0.0, penalty),
        Redundancy::SingleParity
        | Redundancy::DoubleParity
        | Redundancy::TripleParity
        | Redundancy::ErasureCode { .. } => (penalty / 2.0, penalty / 2.0),
    }
}

impl Volume {
    /// How many of `count` drives data fill.
    pub fn data_count(&self, count: u32) -> u32 {
        match self.redundancy {
            Redundancy::Stripe => count,
            Redundancy::Mirror => count / 2,
            Redundancy::SingleParity => count.saturating_sub(1),
            Redundancy::DoubleParity => count.saturating_sub(2),
            Redundancy::TripleParity => count.saturating_sub(3),
            Redundancy::Replicas { count: copies } => count / copies.max(1),
            Redundancy::ErasureCode { parities } => {
                let width = u64::from(self.data_fragments) + u64::from(parities);
                (u64::from(count) * u64::from(self.data_fragments) / width.max(1)) as u32
            }
        }
    }
}

/// I/Os per second of a drive at the mix of reads and writes that it gets.
fn device_iops(drive: &Drive, writes: f64, redundancy: Redundancy) -> Option<Rate> {
    let (reads_per_write, writes_per_write) = device_ios(redundancy);
    let (reads, writes) = ((1.0 - writes) + writes * reads_per_write, writes * writes_per_write);
    let seconds = |count: f64, per_second: Option<f64>| if count > 0.0 { Some(count / per_second?) } else { Some(0.0) };
    Some(Rate((reads + writes) / (seconds(reads, drive.read_iops)? + seconds(writes, drive.write_iops)?)))
}

/// What the data drives of `plan` give; absent without them.
pub fn storage(plan: &PlatformPlan) -> Option<Storage> {
    let drive = plan.data_drives()?;
    let volume = plan.volume.as_ref();
    let redundancy = volume.map_or(Redundancy::Stripe, |volume| volume.redundancy);
    let data_count = volume.map_or(drive.count, |volume| volume.data_count(drive.count));
    let parities = drive.count - data_count.min(drive.count);
    let stripe = |rate: Rate| full_stripe_write(drive.count, parities, rate);
    let iops = device_iops(drive, plan.required.write_share, redundancy);
    let iops = iops.map(|device| host_iops(drive.count, device, plan.required.write_share, redundancy));
    let written = drive.write_rate.map(|rate| stripe(rate).0);
    let chunk = volume.and_then(|volume| volume.chunk);
    Some(Storage {
        redundancy,
        count: drive.count,
        data_count,
        usable: drive.capacity.map(|capacity| Bytes(capacity.0.saturating_mul(u64::from(data_count)))),
        write_penalty: redundancy.write_penalty(),
        iops,
        read: drive.asks().filter(|_| drive.read_rate.is_some()).map(|rate| Rate(rate.0 * f64::from(drive.count))),
        written,
        stripe_amplification: stripe(Rate(0.0)).1,
        stripe: chunk.map(|chunk| Bytes(chunk.0.saturating_mul(u64::from(data_count)))),
        degraded_reads: (redundancy == Redundancy::SingleParity).then(|| degraded_read_amplification(drive.count)),
        write_cache: volume.and_then(|volume| write_cache(plan, volume, written, iops)),
        wear: wear(plan, drive, redundancy, stripe(Rate(0.0)).1),
    })
}

/// What is written and what the drives take meanwhile: of small writes as many as they do, else whole stripes.
fn write_cache(plan: &PlatformPlan, volume: &Volume, stripes: Option<Rate>, iops: Option<Rate>) -> Option<WriteCache> {
    let small = || Some(iops?.0 * plan.required.write_share * plan.required.io_bytes?);
    let drained = small().filter(|rate| *rate > 0.0).or(stripes.map(|rate| rate.0))?;
    let written = demands(plan).written?;
    Some(WriteCache { seconds: write_cache_seconds(volume.write_cache?, written, Rate(drained)) })
}

/// Wear: small writes with their parity or copies, the log, taken to lie on the same drives, as whole stripes.
fn wear(plan: &PlatformPlan, drive: &Drive, redundancy: Redundancy, stripe_amplification: f64) -> Option<Wear> {
    let (capacity, endurance) = (drive.capacity?, drive.endurance?);
    let (_, writes_per_write) = device_ios(redundancy);
    let log = plan.required.transactions.zip(plan.required.log_bytes).map_or(0.0, |(rate, bytes)| rate * bytes);
    let small = demands(plan).written?.0 - log;
    let written = (small * writes_per_write + log * stripe_amplification) / f64::from(drive.count);
    let (bytes, amplification) = match endurance {
        Endurance::WritesPerDay(per_day) => (per_day * capacity.0 as f64 * 365.0 * 5.0, None),
        Endurance::Cycles(cycles) => {
            let amplification = drive.spare.map(random_write_amplification);
            (endurance_bytes(capacity, cycles, amplification.unwrap_or(1.0)), amplification)
        }
    };
    let wear = Wear {
        written: Rate(written),
        amplification,
        writes_per_day: drive_writes_per_day(bytes, capacity),
        years: life_years(bytes, Rate(written)),
    };
    (written > 0.0).then_some(wear)
}
