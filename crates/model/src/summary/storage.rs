//! What limited a measurement of storage.

use record::{PlanSubject, Rate, Ratio, Record};

use crate::calibration::Calibration;
use crate::claim::ClaimBasis;
use crate::queue::generator_share;
use crate::row::row;
use crate::rules::RULES;

/// What limited the main result of a measurement of storage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StorageLimit {
    /// The limit.
    pub limiter: StorageLimiter,
    /// I/Os per second of the busiest job as a share of those that it can generate.
    pub generator_used: Option<Ratio>,
    /// Share of the processors that were busy.
    pub cpu_used: Option<Ratio>,
    /// Share of the processors of the busiest observed host of storage that served.
    pub storage_host_used: Option<Ratio>,
    /// What a calibration gave with more I/Os in flight than those of the result; absent where no more were tried.
    pub beyond: Option<Beyond>,
}

/// The loads of a calibration with more I/Os in flight than those of its result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beyond {
    /// I/Os in flight of the fastest of them.
    pub in_flight: u32,
    /// Its rate.
    pub rate: Rate,
    /// Whether it was faster than the result.
    pub is_faster: bool,
    /// Whether it missed the latency bound.
    pub is_missed: bool,
    /// The most I/Os in flight that were tried.
    pub in_flight_max: u32,
    /// The least that decide whether the device is the limit.
    pub in_flight_needed: u32,
}

/// What limited a measurement of storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageLimiter {
    /// The generator of I/O.
    Generator,
    /// The processors.
    Processors,
    /// The processors of a host of storage.
    StorageHost,
    /// The latency bound: with more I/Os in flight the rate was higher.
    Bound,
    /// The device with its driver: with many more I/Os in flight the rate was no higher.
    Device,
    /// The device with its driver, or too few I/Os in flight: no more or not many more were tried.
    DeviceOrDepth,
}

impl StorageLimit {
    /// What the limit rests on: more I/Os in flight were tried, or the utilisation is that of one run.
    pub fn basis(&self) -> ClaimBasis {
        match self.limiter {
            StorageLimiter::Bound | StorageLimiter::Device => ClaimBasis::Measured,
            StorageLimiter::Generator
            | StorageLimiter::Processors
            | StorageLimiter::StorageHost
            | StorageLimiter::DeviceOrDepth => ClaimBasis::Estimate,
        }
    }
}

/// The limit of the run with this number, that of `calibration` where it is one; None where the record is not of storage
/// alone.
pub(super) fn storage_limit(record: &Record, number: u32, calibration: Option<&Calibration>) -> Option<StorageLimit> {
    let run = record.runs.iter().find(|run| run.number == number)?;
    run.storage.as_ref().filter(|_| record.plan.subject() == PlanSubject::Io)?;
    let row = row(run);
    let cpu_used = row.cpu.map(|cpu| Ratio(cpu.user.0 + cpu.system.0));
    let is_elsewhere = record.storage_hosts.iter().any(|host| !host.is_same_machine);
    let storage_host_used = row.storage_cpu.filter(|_| is_elsewhere).and_then(|cpu| cpu.of_host);
    let generator_used = generator_share(run);
    let beyond = calibration.and_then(beyond);
    let limiter = limiter(generator_used, [cpu_used, storage_host_used], beyond.as_ref());
    Some(StorageLimit { limiter, generator_used, cpu_used, storage_host_used, beyond })
}

/// The loads beyond that of the result. A search ends with steps of a few hundredths, over which no device differs: the
/// fastest of all greater loads is asked for, and how far they reach.
fn beyond(found: &Calibration) -> Option<Beyond> {
    let more = || found.curve.iter().filter(|point| point.in_flight > found.in_flight);
    let fastest = more().max_by(|one, other| one.iops.0.total_cmp(&other.iops.0))?;
    Some(Beyond {
        in_flight: fastest.in_flight,
        rate: fastest.iops,
        is_faster: fastest.iops.0 > found.max_iops.high,
        is_missed: fastest.kept == Some(false),
        in_flight_max: more().map(|point| point.in_flight).max()?,
        in_flight_needed: (f64::from(found.in_flight) * RULES.depth_beyond_min).ceil() as u32,
    })
}

fn limiter(
    generator_used: Option<Ratio>,
    [cpu_used, storage_host_used]: [Option<Ratio>; 2],
    beyond: Option<&Beyond>,
) -> StorageLimiter {
    let is_full = |used: Option<Ratio>| used.is_some_and(|used| used.0 >= RULES.foreign_cpu_crowded);
    match beyond {
        _ if generator_used.is_some_and(|used| used.0 > RULES.generator_share_max) => StorageLimiter::Generator,
        _ if is_full(cpu_used) => StorageLimiter::Processors,
        _ if is_full(storage_host_used) => StorageLimiter::StorageHost,
        Some(beyond) if beyond.is_faster && beyond.is_missed => StorageLimiter::Bound,
        Some(beyond) if !beyond.is_faster && beyond.in_flight_max >= beyond.in_flight_needed => StorageLimiter::Device,
        _ => StorageLimiter::DeviceOrDepth,
    }
}

#[cfg(test)]
mod tests {
    use record::{Bytes, Latency};

    use super::*;
    use crate::calibration::CurvePoint;
    use crate::estimate::{Estimate, Method};
    use crate::times::times;

    /// What limits a calibration of these loads (in flight, I/Os per second, whether the bound was met), the first of which
    /// is its result.
    fn limit(curve: &[(u32, f64, bool)]) -> (StorageLimiter, Option<Beyond>) {
        let point = |(in_flight, iops, kept): &(u32, f64, bool)| CurvePoint {
            in_flight: *in_flight,
            iops: Rate(*iops),
            service: times(&Latency { count: 1, ..Latency::default() }).unwrap(),
            kept: Some(*kept),
            runs: 1,
        };
        let (in_flight, median, _) = curve[0];
        let max_iops =
            Estimate { median, low: 0.98 * median, high: 1.02 * median, repeats: 3, method: Method::Student };
        let beyond = beyond(&Calibration {
            max_iops,
            max_mbps: None,
            block_bytes: Bytes(8_192),
            large_block_bytes: None,
            in_flight,
            large_in_flight: None,
            latency: Latency::default(),
            run: 1,
            bound: None,
            kept: None,
            kept_runs: 0,
            curve: curve.iter().map(point).collect(),
            invalid_runs: 0,
        });
        (limiter(Some(Ratio(0.01)), [Some(Ratio(0.2)), None], beyond.as_ref()), beyond)
    }

    #[test]
    fn all_greater_loads_say_whether_the_device_is_the_limit() {
        // The next load is faster by nothing; the double one is by two thirds.
        let (limiter, beyond) = limit(&[(256, 88e3, true), (268, 88.8e3, false), (512, 146e3, false)]);
        assert_eq!(limiter, StorageLimiter::Bound);
        let beyond = beyond.unwrap();
        assert_eq!((beyond.in_flight, beyond.rate, beyond.in_flight_max), (512, Rate(146e3), 512));
        let missed = |in_flight, iops| (in_flight, iops, false);
        let of = |more: &[(u32, f64, bool)]| limit(&[&[(256, 88e3, true)], more].concat()).0;
        assert_eq!(of(&[missed(268, 88.8e3), missed(512, 88.5e3)]), StorageLimiter::Device);
        assert_eq!(of(&[missed(384, 88e3)]), StorageLimiter::Device);
        // Faster where the bound was met, too: the result is that of another load for another reason.
        assert_eq!(of(&[(512, 146e3, true)]), StorageLimiter::DeviceOrDepth);
    }

    #[test]
    fn a_load_that_is_hardly_greater_does_not_show_that_the_device_is_the_limit() {
        let (limiter, beyond) = limit(&[(256, 88e3, true), (268, 88.8e3, false)]);
        assert_eq!(limiter, StorageLimiter::DeviceOrDepth);
        assert_eq!(beyond.map(|beyond| (beyond.in_flight_max, beyond.in_flight_needed)), Some((268, 384)));
        assert_eq!(limit(&[(256, 88e3, true)]), (StorageLimiter::DeviceOrDepth, None));
    }

    #[test]
    fn a_device_is_the_limit_only_where_nothing_else_was_full() {
        let slower = Beyond {
            in_flight: 64,
            rate: Rate(1.0),
            is_faster: false,
            is_missed: true,
            in_flight_max: 64,
            in_flight_needed: 48,
        };
        let of = |generator: f64, cpu: f64, beyond: Option<&Beyond>| {
            limiter(Some(Ratio(generator)), [Some(Ratio(cpu)), None], beyond)
        };
        assert_eq!(of(0.01, 0.2, Some(&slower)), StorageLimiter::Device);
        assert_eq!(of(0.01, 0.2, None), StorageLimiter::DeviceOrDepth);
        assert_eq!(of(0.6, 0.2, Some(&slower)), StorageLimiter::Generator);
        assert_eq!(of(0.01, 0.95, None), StorageLimiter::Processors);
        assert_eq!(limiter(None, [None; 2], Some(&slower)), StorageLimiter::Device);
        let served = [Some(Ratio(0.2)), Some(Ratio(0.95))];
        assert_eq!(limiter(None, served, Some(&slower)), StorageLimiter::StorageHost);
    }
}
