//! The options of a job as a job file would write them: all values are text.

use record::{Amount, Blocks, Bytes, Distribution, IoJob, IoKind, IoMode, IoStream, Nanos, OpenSync, Pace, Ratio};
use serde_json::{Map, Value, json};

/// The options of `job`, with fio's names.
pub(super) fn of_job(job: &IoJob) -> Map<String, Value> {
    let mut options = Map::new();
    let mut set = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            options.insert(key.to_owned(), json!(value));
        }
    };
    set("rw", Some(rw(job).to_owned()));
    block_sizes(job, &mut set);
    set("ioengine", Some(engine(job).to_owned()));
    set("iodepth", Some(job.depth.to_string()));
    set("numjobs", Some(job.clones.to_string()));
    set("direct", Some(u8::from(job.direct).to_string()));
    set("description", job.description.clone());
    set("filename", (!job.files.is_empty()).then(|| job.files.join(":")));
    set("size", job.size.map(amount));
    set("filesize", job.file_size.map(size));
    set("offset", Some(job.offset).filter(|offset| !is_zero(*offset)).map(amount));
    set("offset_increment", Some(job.offset_increment).filter(|step| !is_zero(*step)).map(amount));
    set("io_size", job.io_bytes.map(amount));
    set("loops", (job.loops > 1).then(|| job.loops.to_string()));
    set("number_ios", job.io_count.map(|count| count.to_string()));
    set("time_based", job.time_based.then(|| "1".to_owned()));
    set("runtime", job.run_time.map(seconds));
    set("ramp_time", (job.ramp_time.0 > 0).then(|| seconds(job.ramp_time)));
    set("startdelay", (job.start_delay.0 > 0).then(|| seconds(job.start_delay)));
    set("group_reporting", job.grouped.then(|| "1".to_owned()));
    mixture(job, &mut set);
    syncs(job, &mut set);
    pace(job.pace, job.clones, &mut set);
    options
}

/// The options known from streams, where the job is not known.
pub(super) fn of_streams(streams: &[&IoStream]) -> Map<String, Value> {
    let mut options = Map::new();
    let Some(stream) = streams.iter().find(|stream| stream.kind != IoKind::Sync).or(streams.first()) else {
        return options;
    };
    let does = |kinds: &[IoKind]| streams.iter().any(|stream| kinds.contains(&stream.kind));
    let reads = does(&[IoKind::Read]);
    let writes = does(&[IoKind::Write, IoKind::Commit]);
    let mut set = |key: &str, value: String| options.insert(key.to_owned(), json!(value));
    set("rw", word(reads, writes, does(&[IoKind::Trim]), stream.random).to_owned());
    set("bs", size(stream.block_bytes_min));
    set("iodepth", stream.depth.to_string());
    set("numjobs", stream.clones.to_string());
    set("direct", u8::from(stream.direct).to_string());
    options
}

/// The `rw` of a job; random where more than half of its I/O is random.
fn rw(job: &IoJob) -> &'static str {
    let (mix, order) = (&job.mix, &job.order);
    let jumps =
        mix.read.0 * order.read_random.0 + mix.write.0 * order.write_random.0 + mix.trim.0 * order.trim_random.0;
    word(mix.read.0 > 0.0, mix.write.0 > 0.0, mix.trim.0 > 0.0, jumps > 0.5)
}

fn word(reads: bool, writes: bool, trims: bool, random: bool) -> &'static str {
    match (reads, writes, trims, random) {
        (true, true, _, true) => "randrw",
        (true, true, _, false) => "rw",
        (true, false, _, true) => "randread",
        (true, false, _, false) => "read",
        (false, true, true, true) => "randtrimwrite",
        (false, true, true, false) => "trimwrite",
        (false, true, false, true) => "randwrite",
        (false, true, false, false) => "write",
        (false, false, _, true) => "randtrim",
        (false, false, _, false) => "trim",
    }
}

/// `bs` where all blocks of a kind are equal, else `bsrange` or `bssplit`; separate values for reads and writes where
/// they differ.
fn block_sizes(job: &IoJob, set: &mut impl FnMut(&str, Option<String>)) {
    let shares = [job.mix.read, job.mix.write, job.mix.trim];
    let kinds = [&job.read_blocks, &job.write_blocks, &job.trim_blocks];
    let used: Vec<&Blocks> =
        kinds.into_iter().zip(shares).filter(|(_, share)| share.0 > 0.0).map(|(of, _)| of).collect();
    let key = |blocks: &Blocks| match blocks {
        Blocks::Range { .. } => "bsrange",
        Blocks::Split(shares) if shares.len() == 1 => "bs",
        Blocks::Split(_) => "bssplit",
    };
    let Some(first) = used.first() else { return };
    if used.iter().all(|other| other == first) {
        return set(key(first), Some(blocks(first)));
    }
    let alike = used.iter().all(|other| key(other) == key(first));
    if alike {
        let pairs = kinds.iter().zip(shares);
        let values = pairs.map(|(of, share)| if share.0 > 0.0 { blocks(of) } else { String::new() });
        return set(key(first), Some(values.collect::<Vec<_>>().join(",").trim_end_matches(',').to_owned()));
    }
    // The position of a value decides the kind of I/O.
    for (position, (of, _)) in kinds.into_iter().zip(shares).enumerate().filter(|(_, (_, share))| share.0 > 0.0) {
        set(key(of), Some(format!("{}{}", ",".repeat(position), blocks(of))));
    }
}

fn blocks(blocks: &Blocks) -> String {
    match blocks {
        Blocks::Range { min_bytes, max_bytes } => format!("{}-{}", size(*min_bytes), size(*max_bytes)),
        Blocks::Split(shares) => match shares.as_slice() {
            [one] => size(one.size_bytes),
            shares => {
                let entry = |size_bytes, share| format!("{}/{}", size(size_bytes), percent(share));
                shares.iter().map(|share| entry(share.size_bytes, share.share)).collect::<Vec<_>>().join(":")
            }
        },
    }
}

fn engine(job: &IoJob) -> &'static str {
    match job.mode {
        IoMode::Ring => "io_uring",
        IoMode::Synchronous => "psync",
        IoMode::Null => "null",
    }
}

/// The share of reads, and the random distribution.
fn mixture(job: &IoJob, set: &mut impl FnMut(&str, Option<String>)) {
    let mixed = job.mix.read.0 > 0.0 && job.mix.write.0 > 0.0;
    set("rwmixread", mixed.then(|| percent(job.mix.read)));
    let distribution = match &job.distribution {
        Distribution::Uniform => None,
        Distribution::Zipf { theta } => Some(format!("zipf:{theta}")),
        Distribution::Pareto { h } => Some(format!("pareto:{h}")),
        Distribution::Normal { deviation } => Some(format!("normal:{}", percent(*deviation))),
        Distribution::Zoned(zones) => {
            let zones = zones.iter().map(|zone| format!("{}/{}", percent(zone.io), percent(zone.region)));
            Some(format!("zoned:{}", zones.collect::<Vec<_>>().join(":")))
        }
    };
    set("random_distribution", distribution);
}

fn syncs(job: &IoJob, set: &mut impl FnMut(&str, Option<String>)) {
    if let Some(every) = job.sync_every {
        set(if every.data_only { "fdatasync" } else { "fsync" }, Some(every.writes.to_string()));
    }
    let opened = match job.open_sync {
        OpenSync::None => None,
        OpenSync::Dsync | OpenSync::WriteDsync => Some("dsync"),
        OpenSync::Sync => Some("sync"),
    };
    set("sync", opened.map(str::to_owned));
    set("end_fsync", job.end_sync.then(|| "1".to_owned()));
}

/// Rates of fio are per thread; those of dbdyno are of all threads.
fn pace(pace: Pace, clones: u32, set: &mut impl FnMut(&str, Option<String>)) {
    let each = |rate: f64| format!("{:.0}", rate / f64::from(clones.max(1)));
    match pace {
        Pace::Unthrottled => {}
        Pace::Rate { steps_per_second } => set("rate_iops", Some(each(steps_per_second))),
        Pace::Poisson { steps_per_second } => {
            set("rate_iops", Some(each(steps_per_second)));
            set("rate_process", Some("poisson".to_owned()));
        }
        Pace::ThinkTime { think_ns } => set("thinktime", Some((think_ns.0 / 1000).to_string())),
    }
}

fn is_zero(amount: Amount) -> bool {
    matches!(amount, Amount::Bytes(Bytes(0))) || matches!(amount, Amount::Share(share) if share.0 == 0.0)
}

fn amount(amount: Amount) -> String {
    match amount {
        Amount::Bytes(bytes) => size(bytes),
        Amount::Share(share) => format!("{}%", percent(share)),
    }
}

/// A size with the suffix of the largest unit that divides it: `4k`, `10g`.
fn size(Bytes(bytes): Bytes) -> String {
    let units = [(1u64 << 40, "t"), (1 << 30, "g"), (1 << 20, "m"), (1 << 10, "k")];
    match units.into_iter().find(|(unit, _)| bytes > 0 && bytes.is_multiple_of(*unit)) {
        Some((unit, suffix)) => format!("{}{suffix}", bytes / unit),
        None => bytes.to_string(),
    }
}

/// A share in percent, without the sign and without zeros at the end.
fn percent(Ratio(share): Ratio) -> String {
    let shown = format!("{:.3}", share * 100.0);
    shown.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A span in whole seconds, or else in milliseconds with their unit.
fn seconds(span: Nanos) -> String {
    match span.0.is_multiple_of(1_000_000_000) {
        true => (span.0 / 1_000_000_000).to_string(),
        false => format!("{}ms", span.0 / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_in_a_job_file() {
        assert_eq!(size(Bytes(4096)), "4k");
        assert_eq!(size(Bytes::GIB.times(10)), "10g");
        assert_eq!(size(Bytes(2300)), "2300");
        assert_eq!(size(Bytes(0)), "0");
        assert_eq!(percent(Ratio(0.7)), "70");
        assert_eq!(percent(Ratio(0.125)), "12.5");
        assert_eq!(seconds(Nanos(30_000_000_000)), "30");
        assert_eq!(seconds(Nanos(1_500_000_000)), "1500ms");
        assert_eq!(word(true, true, false, true), "randrw");
        assert_eq!(word(false, true, true, false), "trimwrite");
    }
}
