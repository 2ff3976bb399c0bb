//! The platform of a record: its inventory, and the rates that were measured.

use record::{BlockDevice, HostInventory, PciKind, Rate, Record, Run, Unit};

use super::{Commit, Drive, Link, Memory, Origin, PlatformPlan, Processor};
use crate::platform::{
    Basis, CachedVolume, Generation, cached_volumes, chain, drives, measured_rates, memory_rate, whole_device,
};
use crate::row::row;
use crate::verdict::is_invalid;

/// Probes whose rates are those of a part, by their codes.
const SEQUENTIAL_READ: &str = "S11";
const SEQUENTIAL_WRITE: &str = "S12";
const RANDOM_READ: &str = "S21";
const RANDOM_READ_DEEP: &str = "S22";
const RANDOM_WRITE: &str = "S23";
const COMMIT: &str = "S31";
const MEMORY: &str = "M11";

/// The plan of what `record` found and measured; nothing is required of it. Rates of drives are known where there is one, or
/// one cache device: probes measure the volume, not its members.
pub fn recorded_plan(record: &Record) -> PlatformPlan {
    let host = &record.host;
    let cached = cached_volumes(host);
    PlatformPlan {
        name: host.host_name.clone(),
        processor: processor(host),
        memory: memory(record),
        links: links(host),
        drives: recorded_drives(record, &cached),
        commit: best(record, COMMIT, |run| run.dop.jobs == 1, operations).map(|rate| Commit {
            origin: measured(&[COMMIT]),
            flush_seconds: 1.0 / rate.0,
            group: 1.0,
            cpu_seconds: 0.0,
            remote_flush_seconds: None,
            is_parallel: false,
        }),
        cached,
        ..PlatformPlan::default()
    }
}

/// The drives with all blocks: what is on a cache is on its origin, too, or will be. A cache device that all I/O passes is
/// one drive with the rates that it was measured with; otherwise its origin is what stands for it.
fn recorded_drives(record: &Record, cached: &[CachedVolume]) -> Vec<Drive> {
    let host = &record.host;
    let named = |name: &str| host.devices.iter().find(|device| device.name == name);
    let is_cache = |name: &str| cached.iter().any(|volume| volume.caches.iter().any(|cache| cache == name));
    let origins: Vec<Drive> =
        drives(host).filter(|device| !is_cache(&device.name)).map(|device| drive(host, device)).collect();
    let Some(whole) = whole_device(host).and_then(named) else { return origins };
    let measured = measured_drive(record, whole);
    let Some(volume) = cached.iter().find(|volume| volume.name == whole.name) else { return vec![measured] };
    if measured.origin.basis != Basis::Measured {
        return origins;
    }
    // Of links that cache and origin do not share, neither carries all.
    let parts = drives(host).filter(|device| volume.has(&device.name)).map(|device| drive(host, device).above);
    let mut above: Vec<Option<String>> = parts.collect();
    above.dedup();
    let shared = if let [shared] = &above[..] { shared.clone() } else { None };
    vec![Drive { above: shared, ..measured }]
}

fn measured(codes: &[&str]) -> Origin {
    Origin { basis: Basis::Measured, source: Some(codes.join(", ")) }
}

fn rated() -> Origin {
    Origin { basis: Basis::Rated, source: None }
}

/// The best rate of the valid plain runs of `code` that are `wanted`; `rate_of` one of them.
fn best(
    record: &Record,
    code: &str,
    wanted: impl Fn(&Run) -> bool,
    rate_of: impl Fn(&Run) -> Option<Rate>,
) -> Option<Rate> {
    let runs = record.runs.iter().filter(|run| run.test == code && !is_invalid(run) && run.variation.is_none());
    let rates = runs.filter(|run| wanted(run)).filter_map(rate_of);
    rates.map(|rate| rate.0).filter(|rate| *rate > 0.0).reduce(f64::max).map(Rate)
}

fn operations(run: &Run) -> Option<Rate> {
    row(run).operations_per_second
}

fn bytes(run: &Run) -> Option<Rate> {
    match run.unit {
        Unit::Byte => row(run).operations_per_second,
        _ => row(run).bytes_per_second,
    }
}

fn processor(host: &HostInventory) -> Option<Processor> {
    let cpu = &host.cpu;
    let sockets = cpu.sockets.filter(|sockets| *sockets > 0)?;
    let cores = (cpu.cores? / sockets).max(1);
    Some(Processor {
        origin: rated(),
        sockets,
        cores,
        threads_per_core: (cpu.threads / (cores.saturating_mul(sockets))).max(1),
        smt_yield: None,
        clock_hertz: cpu.clock_mhz_max.or(cpu.clock_mhz).map(|mhz| mhz * 1e6),
        price: None,
    })
}

fn memory(record: &Record) -> Option<Memory> {
    let host = &record.host;
    let (rate, basis) = memory_rate(host, &measured_rates(record))?;
    Some(Memory {
        origin: if basis == Basis::Measured { measured(&[MEMORY]) } else { rated() },
        sockets: host.cpu.sockets.unwrap_or(1).max(1),
        channels: 1,
        megatransfers: None,
        rate: Some(rate),
        size: Some(host.memory.total_bytes),
        latency_ns: None,
        remote_latency_ns: None,
        remote_share: None,
        lines_in_flight: None,
        price: None,
    })
}

/// The links above switches.
fn links(host: &HostInventory) -> Vec<Link> {
    let switches = host.pci.iter().filter(|function| function.kind == PciKind::UpstreamPort);
    let of = |function: &record::PciFunction| {
        let link = function.link?;
        let above = chain(&host.pci, function).into_iter().skip(1).find(|one| one.kind == PciKind::UpstreamPort);
        Some(Link {
            origin: rated(),
            name: function.address.clone(),
            generation: Generation::of(link.gigatransfers_per_second)?,
            lanes: link.lanes,
            above: above.map(|one| one.address.clone()),
        })
    };
    switches.filter_map(of).collect()
}

fn drive(host: &HostInventory, device: &BlockDevice) -> Drive {
    let function = device.pci_address.as_ref().and_then(|address| host.pci.iter().find(|one| one.address == *address));
    let above = function
        .and_then(|function| chain(&host.pci, function).into_iter().find(|one| one.kind == PciKind::UpstreamPort));
    let link = device.link.or_else(|| function?.link);
    Drive {
        origin: rated(),
        name: device.name.clone(),
        count: 1,
        link: link.and_then(|link| Some((Generation::of(link.gigatransfers_per_second)?, link.lanes))),
        above: above.map(|one| one.address.clone()),
        capacity: device.size_bytes,
        read_iops: None,
        write_iops: None,
        read_rate: None,
        write_rate: None,
        read_seconds: None,
        endurance: None,
        spare: None,
        price: None,
    }
}

fn measured_drive(record: &Record, device: &BlockDevice) -> Drive {
    let any = |_: &Run| true;
    let rates = [
        (SEQUENTIAL_READ, bytes as fn(&Run) -> Option<Rate>),
        (SEQUENTIAL_WRITE, bytes),
        (RANDOM_READ, operations),
        (RANDOM_READ_DEEP, operations),
        (RANDOM_WRITE, operations),
    ];
    let found = rates.map(|(code, rate_of)| best(record, code, any, rate_of));
    let codes: Vec<&str> = rates.iter().zip(found).filter_map(|((code, _), rate)| rate.map(|_| *code)).collect();
    let [read_rate, write_rate, shallow, deep, write_iops] = found;
    let rated = drive(&record.host, device);
    Drive {
        origin: if codes.is_empty() { rated.origin.clone() } else { measured(&codes) },
        read_rate,
        write_rate,
        read_iops: [shallow, deep].into_iter().flatten().map(|rate| rate.0).reduce(f64::max),
        write_iops: write_iops.map(|rate| rate.0),
        read_seconds: best(record, RANDOM_READ, |run| run.dop.jobs == 1, operations).map(|rate| 1.0 / rate.0),
        ..rated
    }
}

#[cfg(test)]
mod tests {
    use record::{Bytes, CacheDevice, IoKind};

    use super::*;
    use crate::fixture;

    /// A record of a bcache of 100 GB over a drive of 100 GB, its cache another of 10 GB.
    fn cached_record(runs: Vec<Run>) -> Record {
        let mut record = fixture::record(runs);
        let drive = |name: &str, gigabytes: u64| BlockDevice {
            name: name.to_owned(),
            size_bytes: Some(Bytes(gigabytes * 1_000_000_000)),
            ..BlockDevice::default()
        };
        let cache = CacheDevice {
            technique: "bcache".to_owned(),
            origin: Some("sda".to_owned()),
            caches: vec!["nvme0n1p1".to_owned()],
            ..CacheDevice::default()
        };
        let slaves = ["nvme0n1p1", "sda"].map(str::to_owned).to_vec();
        let top = BlockDevice { slaves, cache: Some(cache), ..drive("bcache0", 100) };
        record.host.devices = vec![top, drive("nvme0n1", 10), drive("sda", 101)];
        record
    }

    #[test]
    fn a_cache_device_that_was_measured_is_one_drive() {
        let mut run = fixture::io_run("io", IoKind::Read, 1);
        run.test = SEQUENTIAL_READ.to_owned();
        run.totals.bytes = Some(Bytes(3_000_000_000));
        let rate = bytes(&run).expect("a rate");
        let plan = recorded_plan(&cached_record(vec![run]));
        let drives: Vec<_> = plan.drives.iter().map(|drive| (drive.name.as_str(), drive.read_rate)).collect();
        assert_eq!(drives, [("bcache0", Some(rate))]);
        assert_eq!(plan.data_drives().and_then(|drive| drive.capacity), Some(Bytes(100_000_000_000)));
    }

    #[test]
    fn without_measured_rates_its_origin_is() {
        let plan = recorded_plan(&cached_record(Vec::new()));
        let drives: Vec<_> = plan.drives.iter().map(|drive| (drive.name.as_str(), drive.capacity)).collect();
        assert_eq!(drives, [("sda", Some(Bytes(101_000_000_000)))]);
        assert_eq!(plan.cached[0].caches, ["nvme0n1"]);
    }
}
