//! `dbdyno blocks`: random blocks through the engine.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use record::{Bytes, Nanos};
use run::{BlocksRequest, Error, Interrupt, Result, Workplace, measure_blocks};
use workload::blocks::{BlocksSettings, Idle, Mode, Noted, Wrong, assignments, size};

use super::run::{default_record, refuse_existing};
use crate::arguments::blocks::{BlocksArguments, BlocksMode};
use crate::arguments::parse_time;
use crate::build::build;
use crate::engines::{ENGINES, engine};
use crate::outcome::show;
use crate::output::{note, style, width};
use crate::progress::{Loudness, Progress};
use crate::signal;
use crate::target::target;

/// Larger files are no settings.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// The smallest cache that is asked for, and the largest.
const CACHE_BYTES: std::ops::RangeInclusive<u64> = 1 << 20..=1 << 50;

/// More sizes than these are a slip of the finger.
const CACHES_MAX: usize = 64;

/// Carries out `dbdyno blocks`.
///
/// # Errors
/// The user's mistakes, the environment's refusals, Ctrl-C, and runs that failed.
pub fn blocks(arguments: &BlocksArguments) -> Result<()> {
    let settings = settings(arguments)?;
    let target = target(&arguments.target)?;
    let chosen = engine(&target)?;
    let request = BlocksRequest {
        settings,
        mode: match arguments.mode {
            BlocksMode::Client => Mode::Client,
            BlocksMode::Engine => Mode::Engine,
        },
        cold: arguments.cold,
        caches: caches(&arguments.cache)?,
        warm_up: arguments.warm_up.as_deref().map(warm_up).transpose()?,
        directory: arguments.dir.clone(),
        keep: arguments.keep,
        seed: arguments.seed,
        placement: arguments.placement.into(),
        looks: !arguments.no_activity,
        probes: !arguments.no_probe,
        record: arguments.record.clone().unwrap_or_else(default_record),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: Some(build()),
    };
    refuse_existing(&request.record)?;
    let interrupt = Arc::new(Interrupt::default());
    signal::listen(Arc::clone(&interrupt))
        .map_err(|error| Error::environment(format!("signals cannot be handled: {error}")))?;
    let progress = Progress::new(if arguments.quiet { Loudness::Quiet } else { Loudness::Normal });
    let workplace =
        Workplace { engine: chosen, target: &target, engines: ENGINES, listener: &progress, interrupt: &interrupt };
    let measured = measure_blocks(&request, &workplace);
    progress.end();
    show(measured?, |record, place| report::blocks_text(record, place, style(), width()))
}

/// The settings of the file, if there is one, and then those of the options.
fn settings(arguments: &BlocksArguments) -> Result<BlocksSettings> {
    let mut settings = BlocksSettings::default();
    let of_file = match &arguments.file {
        Some(path) => read(path, &mut settings, arguments.quiet)?,
        None => Vec::new(),
    };
    let mut of_options = Vec::new();
    let hotspot = arguments.hotspot.then(|| "TRUE".to_owned());
    let obfuscate = arguments.obfuscate.then(|| "TRUE".to_owned());
    for (name, option, value) in [
        ("SCHEMAS", "schemas", &arguments.schemas),
        ("THREADS_PER_SCHEMA", "threads", &arguments.threads),
        ("UPDATE_PCT", "update-pct", &arguments.update_pct),
        ("SCAN_PCT", "scan-pct", &arguments.scan_pct),
        ("WORK_UNIT", "work-unit", &arguments.work_unit),
        ("REDO_STRESS", "redo-stress", &arguments.redo_stress),
        ("SCALE", "scale", &arguments.scale),
        ("SCAN_TABLE_SZ", "scan-table-size", &arguments.scan_table_size),
        ("RUN_TIME", "run-time", &arguments.run_time),
        ("WORK_LOOP", "work-loop", &arguments.work_loop),
        ("LOAD_PARALLEL_DEGREE", "load-parallel-degree", &arguments.load_parallel_degree),
        ("DO_HOTSPOT", "hotspot", &hotspot),
        ("HOTSPOT_MB", "hotspot-mb", &arguments.hotspot_mb),
        ("HOTSPOT_OFFSET_MB", "hotspot-offset-mb", &arguments.hotspot_offset_mb),
        ("HOTSPOT_FREQUENCY", "hotspot-frequency", &arguments.hotspot_frequency),
        ("HOT_SCHEMA_FREQUENCY", "hot-schema-frequency", &arguments.hot_schema_frequency),
        ("THINK_TM_FREQUENCY", "think-frequency", &arguments.think_frequency),
        ("THINK_TM_MIN", "think-min", &arguments.think_min),
        ("THINK_TM_MAX", "think-max", &arguments.think_max),
        ("OBFUSCATE_COLUMNS", "obfuscate", &obfuscate),
    ] {
        if let Some(value) = value {
            settings.set(name, option, value).map_err(wrong)?;
            of_options.push((name, option));
        }
    }
    if arguments.run_time.is_some() && arguments.work_loop.is_none() {
        // What is asked for on the command line is not taken back by a file.
        settings.work_loop = 0;
    }
    settings.check().map_err(wrong)?;
    let idle = settings.idle();
    refuse_idle(&idle, &of_options)?;
    if let Some(path) = arguments.file.as_ref().filter(|_| !arguments.quiet) {
        note_idle(&idle, &of_file, path);
    }
    Ok(settings)
}

/// Refuses an option that would change nothing; `given` are the names in the file's words, and the options.
fn refuse_idle(idle: &[Idle], given: &[(&str, &str)]) -> Result<()> {
    let of = |idle: &Idle| given.iter().find(|(name, _)| idle.names.contains(name)).map(|(_, option)| *option);
    match idle.iter().find_map(|idle| Some((idle, of(idle)?))) {
        Some((idle, option)) => {
            Err(Error::user(format!("--{option} would change nothing: {}", idle.reason)).hint(idle.hint))
        }
        None => Ok(()),
    }
}

/// Says which settings of a file change nothing: files have them all, wanted or not.
fn note_idle(idle: &[Idle], given: &[String], path: &Path) {
    for idle in idle {
        let names: Vec<&str> = idle.names.iter().copied().filter(|name| given.iter().any(|one| one == name)).collect();
        if !names.is_empty() {
            let verb = if names.len() == 1 { "changes" } else { "change" };
            note(&format!("{}: {} {verb} nothing: {}", path.display(), names.join(", "), idle.reason));
        }
    }
}

fn wrong(wrong: Wrong) -> Error {
    Error::user(wrong.message).hint(wrong.hint)
}

/// Takes the settings of the file at `path`, and says which of them mean nothing here; the names of all of them.
fn read(path: &Path, settings: &mut BlocksSettings, quiet: bool) -> Result<Vec<String>> {
    let shown = path.display();
    let hint = "give a file of lines such as UPDATE_PCT=30";
    if fs::metadata(path).is_ok_and(|file| file.len() > FILE_BYTES_MAX) {
        return Err(Error::user(format!("{shown} has more than {FILE_BYTES_MAX} bytes")).hint(hint));
    }
    let text = fs::read_to_string(path)
        .map_err(|error| Error::user(format!("settings {shown} cannot be read: {error}")).hint(hint))?;
    let assignments = assignments(&text).map_err(|error| Error::user(format!("{shown}, {error}")).hint(error.hint))?;
    for one in &assignments {
        let noted = settings.set(&one.name, &one.name, &one.value);
        let noted = noted
            .map_err(|wrong| Error::user(format!("{shown}, line {}: {}", one.line, wrong.message)).hint(wrong.hint))?;
        if let Noted::WithoutMeaning(reason) = noted
            && !quiet
        {
            note(&format!("{shown}, line {}: {} means nothing here: {reason}", one.line, one.name));
        }
    }
    Ok(assignments.into_iter().map(|one| one.name).collect())
}

fn warm_up(text: &str) -> Result<Nanos> {
    parse_time(text).filter(|time| time.seconds() <= 86_400.0).ok_or_else(|| {
        Error::user(format!("warm-up {} is not a length of time", said(text)))
            .hint("give seconds, or a time such as 500ms")
    })
}

/// `value` as an error names it: nothing at all is two quotes.
fn said(value: &str) -> &str {
    if value.trim().is_empty() { "\"\"" } else { value }
}

/// Sizes of the cache, in their order.
fn caches(words: &[String]) -> Result<Vec<Bytes>> {
    if words.len() > CACHES_MAX {
        return Err(Error::user(format!("{} sizes of the cache are more than {CACHES_MAX}", words.len()))
            .hint("give the sizes that tell tiers apart"));
    }
    let one =
        |word: &String| match size(word) {
            Some(bytes) if CACHE_BYTES.contains(&bytes) => Ok(Bytes(bytes)),
            _ => Err(Error::user(format!("cache {} is not a size of 1M or more", said(word)))
                .hint("give sizes such as 16M,1G")),
        };
    words.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_has_a_size() {
        let words = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<String>>();
        let sizes = caches(&words("16M,1G,64MiB,2097152")).expect("sizes");
        assert_eq!(sizes, [Bytes(16 << 20), Bytes(1 << 30), Bytes(64 << 20), Bytes(2 << 20)]);
        for wrong in ["", "0", "1k", "-1M", "lots", "99999999999999999999G", "2000T"] {
            let error = caches(&words(wrong)).expect_err(wrong);
            assert!(error.message.contains("is not a size") && error.hint.is_some());
        }
        assert!(caches(&vec!["1M".to_owned(); 65]).is_err());
    }
}
