//! Load profiles on disk: one JSON document each, which is given away.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use record::LoadProfile;
use record::load_profile::{
    Amount, Interval, LOAD_PROFILE_FORMAT, LOAD_PROFILE_VERSION, LoadQuantity, Source, SourceMoment,
};
use serde::Deserialize;

use crate::error::{Error, Result};

/// Maximum size of a load profile: a year of intervals of ten seconds has less.
pub const LOAD_PROFILE_BYTES_MAX: u64 = 1 << 30;

/// Sources and instances of a profile.
const PARTS_MAX: usize = 10_000;
/// Intervals of a profile.
const INTERVALS_MAX: usize = 5_000_000;
/// What a profile lacks, and doubts about it.
const REMARKS_MAX: usize = 100_000;
/// Bytes of a name in a profile.
const TEXT_BYTES_MAX: usize = 1_000;
/// The longest interval: ten years.
const SECONDS_MAX: f64 = 10.0 * 366.0 * 86_400.0;
/// The year 10000.
const MOMENT_MAX: SourceMoment = SourceMoment(253_402_300_800_000);
/// Overlap of two intervals that is a difference of rounding, milliseconds.
const OVERLAP_MS: f64 = 1_000.0;
/// What a sum may exceed by rounding.
const ROUNDING: f64 = 1e-6;

/// The beginning of a document that decides what it is.
#[derive(Deserialize)]
struct Begin {
    format: String,
    version: u64,
}

/// Bytes of a file that [`is_load_profile`] looks at.
pub const LOAD_PROFILE_BEGINNING_BYTES: usize = 1 << 16;

/// Whether the file that begins with `text` is a load profile of dbdyno: the first [`LOAD_PROFILE_BEGINNING_BYTES`] are enough.
pub fn is_load_profile(text: &[u8]) -> bool {
    let begin = String::from_utf8_lossy(&text[..text.len().min(LOAD_PROFILE_BEGINNING_BYTES)]);
    let begin: String = begin.chars().filter(|letter| !letter.is_whitespace()).collect();
    let format: String = LOAD_PROFILE_FORMAT.split(' ').collect();
    begin.starts_with('{') && begin.contains(&format!("\"format\":\"{format}\""))
}

/// Reads the load profile at `path`.
///
/// # Errors
/// [`Error::Profile`] where it is none, or has an impossible value; [`Error::Read`] with the error of the operating system.
pub fn read_load_profile(path: &Path) -> Result<LoadProfile> {
    let refused = |reason: String| Error::Profile { path: path.to_owned(), reason };
    let unreadable = |cause| Error::Read { path: path.to_owned(), cause };
    let file = File::open(path).map_err(unreadable)?;
    let mut text = Vec::new();
    file.take(LOAD_PROFILE_BYTES_MAX + 1).read_to_end(&mut text).map_err(unreadable)?;
    if text.len() as u64 > LOAD_PROFILE_BYTES_MAX {
        return Err(refused(format!("it has more than {LOAD_PROFILE_BYTES_MAX} bytes")));
    }
    parse_load_profile(&text).map_err(refused)
}

/// The load profile that `text` is.
///
/// # Errors
/// The reason where it is none, of a newer version, or has an impossible value.
pub fn parse_load_profile(text: &[u8]) -> std::result::Result<LoadProfile, String> {
    let begin: Begin = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    if begin.format != LOAD_PROFILE_FORMAT {
        let shown: String = begin.format.chars().take(60).collect();
        return Err(format!("its format is {shown:?}, not {LOAD_PROFILE_FORMAT:?}"));
    }
    if begin.version != u64::from(LOAD_PROFILE_VERSION) {
        let found = begin.version;
        return Err(format!("it has version {found}, this dbdyno reads version {LOAD_PROFILE_VERSION}"));
    }
    let profile: LoadProfile = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    check_load_profile(&profile)?;
    Ok(profile)
}

/// Writes `profile` to `path`, in place of what is there.
///
/// # Errors
/// [`Error::Profile`] where it could not be read back, [`Error::Write`] with the error of the operating system.
pub fn write_load_profile(path: &Path, profile: &LoadProfile) -> Result<()> {
    check_load_profile(profile).map_err(|reason| Error::Profile { path: path.to_owned(), reason })?;
    let text = load_profile_text(profile);
    let refused = |cause| Error::Write { path: path.to_owned(), cause };
    // A reader sees the old one or the new one, never a part.
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let beside = path.with_file_name(format!(".{name}.{}", std::process::id()));
    let written = File::create(&beside).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    if let Err(cause) = written.and_then(|()| fs::rename(&beside, path)) {
        let _ = fs::remove_file(&beside);
        return Err(refused(cause));
    }
    Ok(())
}

/// `profile` as the text of its file: the head readable, an interval a line.
pub fn load_profile_text(profile: &LoadProfile) -> String {
    // Encoding fails only for keys that are not text and numbers that are not finite; a checked profile has neither.
    let line = |value: serde_json::Result<String>| value.unwrap_or_default();
    let LoadProfile { format, version, sources, instances, intervals, absent, doubts } = profile;
    let mut text = format!("{{\n\"format\": {},\n\"version\": {version}", line(serde_json::to_string(format)));
    let mut list = |name: &str, items: Vec<String>| {
        let items = items.join(",\n");
        text.push_str(&format!(",\n\"{name}\": [\n{items}\n]"));
    };
    list("sources", sources.iter().map(|one| line(serde_json::to_string(one))).collect());
    list("instances", instances.iter().map(|one| line(serde_json::to_string(one))).collect());
    list("intervals", intervals.iter().map(|one| line(serde_json::to_string(one))).collect());
    list("absent", absent.iter().map(|one| line(serde_json::to_string(one))).collect());
    list("doubts", doubts.iter().map(|one| line(serde_json::to_string(one))).collect());
    text.push_str("\n}\n");
    text
}

/// Whether `profile` is possible.
///
/// # Errors
/// The first field that is not, with its value and limit.
pub fn check_load_profile(profile: &LoadProfile) -> std::result::Result<(), String> {
    for (name, count, limit) in [
        ("sources", profile.sources.len(), PARTS_MAX),
        ("instances", profile.instances.len(), PARTS_MAX),
        ("intervals", profile.intervals.len(), INTERVALS_MAX),
        ("absent", profile.absent.len(), REMARKS_MAX),
        ("doubts", profile.doubts.len(), REMARKS_MAX),
    ] {
        if count > limit {
            return Err(format!("{name} has {count} entries, at most {limit} are read"));
        }
    }
    profile.sources.iter().enumerate().try_for_each(|(index, source)| check_source(index, source))?;
    for (index, instance) in profile.instances.iter().enumerate() {
        let names = [&instance.name, &instance.host_name, &instance.processor];
        names.into_iter().flatten().try_for_each(|text| check_text(&format!("instances[{index}]"), text))?;
    }
    let sources = profile.sources.len() as u64;
    let instances = profile.instances.len() as u64;
    let within = |name: &str, index: u32, count: u64| match u64::from(index) < count {
        true => Ok(()),
        false => Err(format!("{name} {index} is not one of {count}")),
    };
    let mut before: Option<&Interval> = None;
    for (index, interval) in profile.intervals.iter().enumerate() {
        let named = |reason: String| format!("intervals[{index}]: {reason}");
        within("source", interval.source, sources).map_err(named)?;
        within("instance", interval.instance, instances).map_err(named)?;
        check_interval(interval).map_err(named)?;
        if let Some(before) = before {
            check_order(before, interval).map_err(named)?;
        }
        before = Some(interval);
    }
    for (index, absent) in profile.absent.iter().enumerate() {
        within("source", absent.source, sources).map_err(|reason| format!("absent[{index}]: {reason}"))?;
    }
    for (index, doubt) in profile.doubts.iter().enumerate() {
        let named = |reason: String| format!("doubts[{index}]: {reason}");
        doubt.source.map_or(Ok(()), |source| within("source", source, sources)).map_err(named)?;
        doubt.instance.map_or(Ok(()), |instance| within("instance", instance, instances)).map_err(named)?;
    }
    Ok(())
}

fn check_text(name: &str, text: &str) -> std::result::Result<(), String> {
    match text.len() <= TEXT_BYTES_MAX {
        true => Ok(()),
        false => Err(format!("{name} has a text of {} bytes, at most {TEXT_BYTES_MAX} are read", text.len())),
    }
}

fn check_source(index: usize, source: &Source) -> std::result::Result<(), String> {
    let name = format!("sources[{index}]");
    check_text(&name, &source.form)?;
    let texts = [&source.engine, &source.version, &source.database_id, &source.database_name];
    texts.into_iter().flatten().try_for_each(|text| check_text(&name, text))?;
    let growth = source.growth_bytes_per_day;
    if growth.is_some_and(|growth| !growth.is_finite()) {
        return Err(format!("{name}: growth_bytes_per_day is not finite"));
    }
    match source.watching_seconds_per_second {
        Some(cost) if !(cost.is_finite() && cost >= 0.0) => {
            Err(format!("{name}: watching_seconds_per_second {cost} is below 0"))
        }
        _ => Ok(()),
    }
}

fn check_interval(interval: &Interval) -> std::result::Result<(), String> {
    let seconds = interval.seconds;
    if !(seconds > 0.0 && seconds <= SECONDS_MAX) {
        return Err(format!("seconds {seconds} is not above 0 and at most {SECONDS_MAX}"));
    }
    if interval.started_at_ms < SourceMoment(0) || interval.started_at_ms > MOMENT_MAX {
        return Err(format!("started_at_ms {} is not between 0 and {}", interval.started_at_ms.0, MOMENT_MAX.0));
    }
    for (quantity, Amount { average, max }) in &interval.amounts {
        if !(average.is_finite() && *average >= 0.0) {
            return Err(format!("{quantity:?}: average {average} is not at least 0"));
        }
        if let Some(max) = max
            && !(max.is_finite() && *max >= average * (1.0 - ROUNDING))
        {
            return Err(format!("{quantity:?}: max {max} is below the average {average}"));
        }
    }
    let average = |quantity: LoadQuantity| interval.amounts.get(&quantity).map(|amount| amount.average);
    if let Some(busy) = average(LoadQuantity::HostBusyShare).filter(|busy| *busy > 1.0 + ROUNDING) {
        return Err(format!("HostBusyShare {busy} is above 1"));
    }
    for (part, whole) in [
        (LoadQuantity::SequentialReadsPerSecond, LoadQuantity::PhysicalReadsPerSecond),
        (LoadQuantity::SequentialWritesPerSecond, LoadQuantity::PhysicalWritesPerSecond),
    ] {
        if let (Some(some), Some(all)) = (average(part), average(whole))
            && some > all * (1.0 + ROUNDING) + ROUNDING
        {
            return Err(format!("{part:?} {some} is above {whole:?} {all}"));
        }
    }
    Ok(())
}

fn check_order(before: &Interval, interval: &Interval) -> std::result::Result<(), String> {
    if before.instance > interval.instance {
        return Err(format!("instance {} follows instance {}", interval.instance, before.instance));
    }
    let end_ms = before.started_at_ms.0 as f64 + before.seconds * 1e3;
    let is_later = interval.started_at_ms.0 as f64 >= end_ms - OVERLAP_MS;
    match before.instance < interval.instance || is_later {
        true => Ok(()),
        false => Err(format!("it starts at {} within the interval before it", interval.started_at_ms.0)),
    }
}

#[cfg(test)]
mod tests {
    use record::load_profile::{Instance, Scope, Zone};

    use super::*;

    fn profile() -> LoadProfile {
        let source = Source {
            form: "watch".to_owned(),
            scope: Scope::Database,
            engine: None,
            version: None,
            database_id: Some("7".to_owned()),
            database_name: None,
            zone: Zone::OffsetMinutes(60),
            files: 0,
            instances_expected: None,
            size_bytes: None,
            growth_bytes_per_day: None,
            watching_seconds_per_second: Some(0.001),
        };
        let interval = |start: i64, commits: f64| Interval {
            source: 0,
            instance: 0,
            started_at_ms: SourceMoment(start * 1_000),
            seconds: 10.0,
            amounts: [(LoadQuantity::CommitsPerSecond, Amount { average: commits, max: Some(commits) })].into(),
        };
        LoadProfile {
            sources: vec![source],
            instances: vec![Instance { number: 1, ..Instance::default() }],
            intervals: vec![interval(100, 0.1), interval(110, 1.0 / 3.0)],
            ..LoadProfile::default()
        }
    }

    #[test]
    fn what_was_written_is_read_to_the_last_bit() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("load.json");
        write_load_profile(&path, &profile()).unwrap();
        assert_eq!(read_load_profile(&path).unwrap(), profile());
        assert!(is_load_profile(&fs::read(&path).unwrap()));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn what_cannot_be_is_refused_with_field_and_value() {
        let refused = |change: fn(&mut LoadProfile)| {
            let mut profile = profile();
            change(&mut profile);
            parse_load_profile(load_profile_text(&profile).as_bytes()).unwrap_err()
        };
        let commits = LoadQuantity::CommitsPerSecond;
        for (change, reason) in [
            ((|it| it.version = 2) as fn(&mut LoadProfile), "version 2"),
            (|it| it.format = "other".to_owned(), "\"other\""),
            (|it| it.intervals[1].source = 1, "source 1 is not one of 1"),
            (|it| it.intervals[1].instance = 4, "instance 4 is not one of 1"),
            (|it| it.intervals[1].seconds = 0.0, "seconds 0"),
            (|it| it.intervals[1].started_at_ms = SourceMoment(105_000), "within the interval before"),
            (|it| it.intervals[0].started_at_ms = SourceMoment(-5), "started_at_ms -5"),
            (|it| it.intervals[1].amounts.values_mut().for_each(|one| one.average = -1.0), "average -1"),
            (|it| it.intervals[1].amounts.values_mut().for_each(|one| one.max = Some(0.1)), "max 0.1"),
            (|it| it.sources[0].form = "x".repeat(2_000), "2000 bytes"),
        ] {
            let found = refused(change);
            assert!(found.contains(reason), "{found}");
        }
        let mut busy = profile();
        busy.intervals[0].amounts = [(LoadQuantity::HostBusyShare, Amount { average: 1.5, max: None })].into();
        assert!(check_load_profile(&busy).unwrap_err().contains("HostBusyShare 1.5"));
        let mut parts = profile();
        let amount = |average| Amount { average, max: None };
        parts.intervals[0].amounts = [
            (LoadQuantity::SequentialReadsPerSecond, amount(5.0)),
            (LoadQuantity::PhysicalReadsPerSecond, amount(4.0)),
            (commits, amount(1.0)),
        ]
        .into();
        assert!(check_load_profile(&parts).unwrap_err().contains("SequentialReadsPerSecond 5"));
    }

    #[test]
    fn unknown_fields_and_other_documents_are_no_profiles() {
        let text = load_profile_text(&profile()).replace("\"files\":0", "\"files\":0,\"host\":\"db1\"");
        assert!(parse_load_profile(text.as_bytes()).unwrap_err().contains("unknown field"));
        assert!(parse_load_profile(b"{}").is_err() && parse_load_profile(b"").is_err());
        assert!(!is_load_profile(b"{\"format\": \"fio\"}"));
    }
}
