//! Processors, memory, drives and the volume over them.

use model::platform::{Basis, Generation, MEDIA, Redundancy};
use model::platform_plan::{Drive, Endurance, Memory, Processor, Volume};

use super::PlatformError;
use super::section::{COUNT_MAX, File, Section};

type Read<T> = Result<T, PlatformError>;

/// Generations of PCI Express.
const GENERATIONS: [Generation; 7] = [
    Generation::Gen1,
    Generation::Gen2,
    Generation::Gen3,
    Generation::Gen4,
    Generation::Gen5,
    Generation::Gen6,
    Generation::Gen7,
];
/// Widths of a link.
const LANES: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// Generation and lanes of a link; both or none.
pub(super) fn pci_link(section: &mut Section<'_>) -> Read<Option<(Generation, u32)>> {
    let number = section.count("generation", 1..=7)?;
    let lanes = section.count("lanes", 1..=32)?;
    if let Some(lanes) = lanes.filter(|lanes| !LANES.contains(lanes)) {
        let message = format!("lanes of {} {lanes} is not one of 1, 2, 4, 8, 16, 32", section.name);
        return Err(section.wrong(message, "give the lanes that are connected, such as 4 or 16"));
    }
    match (number, lanes) {
        (Some(number), Some(lanes)) => Ok(Some((GENERATIONS[number as usize - 1], lanes))),
        (None, None) => Ok(None),
        (found, _) => {
            let missing = if found.is_some() { "lanes" } else { "generation" };
            Err(section.wrong(
                format!("{} has no {missing}", section.name),
                "a link has both, as in generation = 4 and lanes = 16",
            ))
        }
    }
}

/// The processors.
pub(super) fn processor(file: &mut File<'_>) -> Read<Option<Processor>> {
    let Some(mut section) = file.one("processor") else { return Ok(None) };
    let cores = section.count("cores", 1..=COUNT_MAX)?;
    let processor = Processor {
        origin: section.origin(Basis::Assumed)?,
        sockets: section.count("sockets", 1..=COUNT_MAX)?.unwrap_or(1),
        cores: section.needed("cores", cores, "give the cores of a socket")?,
        threads_per_core: section.count("smt", 1..=8)?.unwrap_or(1),
        smt_yield: section.number("smt_yield", 1.0..=8.0, "1.25")?,
        clock_hertz: section.clock("clock")?,
        price: section.price()?,
    };
    file.done(section);
    Ok(Some(processor))
}

/// Memory.
pub(super) fn memory(file: &mut File<'_>) -> Read<Option<Memory>> {
    let Some(mut section) = file.one("memory") else { return Ok(None) };
    let memory = Memory {
        origin: section.origin(Basis::Assumed)?,
        sockets: section.count("sockets", 1..=COUNT_MAX)?.unwrap_or(1),
        channels: section.count("channels", 1..=COUNT_MAX)?.unwrap_or(1),
        megatransfers: section.positive("megatransfers", "4800")?,
        rate: section.data_rate("rate", "\"300GB/s\"")?,
        size: section.size("size", "\"512GiB\"")?,
        latency_ns: section.time("latency", false, "\"90ns\"")?.map(|seconds| seconds * 1e9),
        remote_latency_ns: section.time("remote_latency", false, "\"150ns\"")?.map(|seconds| seconds * 1e9),
        remote_share: section.share("remote_share", "0.5")?,
        lines_in_flight: section.count("lines_in_flight", 1..=COUNT_MAX)?,
        price: section.price()?,
    };
    file.done(section);
    Ok(Some(memory))
}

/// All sets of drives.
pub(super) fn drives(file: &mut File<'_>) -> Read<Vec<Drive>> {
    let mut drives: Vec<Drive> = Vec::new();
    for mut section in file.take("drive") {
        let drive = drive(&mut section)?;
        if drives.iter().any(|other| other.name == drive.name) {
            let message = format!("name of drive {:?} is there twice", drive.name);
            return Err(section.wrong(message, "give each [[drive]] a name of its own"));
        }
        drives.push(drive);
        file.done(section);
    }
    Ok(drives)
}

fn drive(section: &mut Section<'_>) -> Read<Drive> {
    let media: Vec<(&'static str, usize)> = MEDIA.iter().enumerate().map(|(index, one)| (one.name, index)).collect();
    let medium = section.choice("medium", &media)?.map(|index| MEDIA[index]);
    let cycles = section.positive("cycles", "3000")?;
    let per_day = section.positive("writes_per_day", "1.3")?;
    if cycles.is_some() && per_day.is_some() {
        let message = "drive has cycles and writes_per_day".to_owned();
        return Err(section.wrong(message, "the latter is what a maker promises of the whole drive; give one of them"));
    }
    // The least of what is common of the medium.
    let common = medium.and_then(|medium| Some(Endurance::Cycles(medium.cycles?.0)));
    let read_seconds = section.time("read_latency", false, "\"80us\"")?;
    Ok(Drive {
        origin: section.origin(Basis::Assumed)?,
        name: section.words("name")?.unwrap_or_else(|| "drives".to_owned()),
        count: section.count("count", 1..=COUNT_MAX)?.unwrap_or(1),
        link: pci_link(section)?,
        above: section.words("above")?,
        capacity: section.size("capacity", "\"7.68TB\"")?,
        read_iops: section.rate("read_iops", "\"900k\"")?,
        write_iops: section.rate("write_iops", "\"150k\"")?,
        read_rate: section.data_rate("read_rate", "\"7GB/s\"")?,
        write_rate: section.data_rate("write_rate", "\"4GB/s\"")?,
        read_seconds: read_seconds.or(medium.map(|medium| medium.drive_read_us.0 / 1e6)),
        endurance: cycles.map(Endurance::Cycles).or(per_day.map(Endurance::WritesPerDay)).or(common),
        spare: section.number("spare", 0.001..=100.0, "0.28")?,
        price: section.price()?,
    })
}

/// Levels, with what they are and the fewest drives.
const LEVELS: [(&str, (Redundancy, u32)); 9] = [
    ("raid0", (Redundancy::Stripe, 1)),
    ("raid1", (Redundancy::Mirror, 2)),
    ("raid10", (Redundancy::Mirror, 4)),
    ("raid5", (Redundancy::SingleParity, 3)),
    ("raid6", (Redundancy::DoubleParity, 4)),
    ("raidz3", (Redundancy::TripleParity, 5)),
    ("replica2", (Redundancy::Replicas { count: 2 }, 2)),
    ("replica3", (Redundancy::Replicas { count: 3 }, 3)),
    ("erasure", (Redundancy::ErasureCode { parities: 0 }, 2)),
];

/// The volume over one set of `drives`.
pub(super) fn volume(file: &mut File<'_>, drives: &[Drive]) -> Read<Option<Volume>> {
    let Some(mut section) = file.one("volume") else { return Ok(None) };
    let level = section.choice("level", &LEVELS)?;
    let (redundancy, least) = section.needed("level", level, "such as level = \"raid10\"")?;
    let fragments = (section.count("data", 1..=1_000)?, section.count("parity", 1..=1_000)?);
    let (redundancy, data_fragments, least) = match (redundancy, fragments) {
        (Redundancy::ErasureCode { .. }, (Some(data), Some(parities))) => {
            (Redundancy::ErasureCode { parities }, data, data + parities)
        }
        (Redundancy::ErasureCode { .. }, _) => {
            let message = "volume of level erasure has no data and parity".to_owned();
            return Err(section.wrong(message, "give both, as in data = 4 and parity = 2"));
        }
        (_, (None, None)) => (redundancy, 0, least),
        _ => {
            let message = "volume has data or parity, and is not of level erasure".to_owned();
            return Err(section.wrong(message, "use these with level = \"erasure\" only"));
        }
    };
    let drive = set(&mut section, drives)?;
    if drive.count < least {
        let message = format!(
            "count of drive {:?} {} is too few for the volume, at least {least} are required",
            drive.name, drive.count
        );
        return Err(section.wrong(message, "give more drives or another level"));
    }
    if redundancy == Redundancy::Mirror && drive.count % 2 == 1 {
        let message = format!("count of drive {:?} {} is odd, a mirror needs an even number", drive.name, drive.count);
        return Err(section.wrong(message, "give one drive more or less; the odd one is a spare"));
    }
    let volume = Volume {
        origin: section.origin(drive.origin.basis)?,
        drives: drive.name.clone(),
        redundancy,
        data_fragments,
        chunk: section.size("chunk", "\"64KiB\"")?,
        write_cache: section.size("write_cache", "\"8GiB\"")?,
    };
    file.done(section);
    Ok(Some(volume))
}

/// The set of drives that the volume names, or the only one.
fn set<'a>(section: &mut Section<'_>, drives: &'a [Drive]) -> Read<&'a Drive> {
    let names: Vec<&str> = drives.iter().map(|drive| drive.name.as_str()).collect();
    match (section.words("drives")?, drives) {
        (Some(name), _) => drives.iter().find(|drive| drive.name == name).ok_or_else(|| {
            let message = format!("drives of volume {name:?} is no [[drive]] of this file");
            section.wrong(message, &format!("its drives are: {}", names.join(", ")))
        }),
        (None, [only]) => Ok(only),
        (None, []) => Err(section.wrong("volume has no drives".to_owned(), "add a [[drive]] with count")),
        (None, _) => Err(section.wrong(
            format!("volume does not say over which of {} sets of drives it is", drives.len()),
            &format!("add drives = one of {}", names.join(", ")),
        )),
    }
}
