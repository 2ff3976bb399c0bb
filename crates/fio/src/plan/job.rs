//! One job with resolved values.

use record::{Bytes, FileChoice, IoJob, Layout, Nanos};

use super::access::{self, Access};
use super::engine::Engine;
use super::notes::Notes;
use super::region::Extent;
use super::{blocks, content, distribution, engine, files, pace, processors, region, transaction};
use crate::error::Result;
use crate::expand::Surroundings;
use crate::number::{self, Bare};
use crate::options::Options;

/// Maximum clones of one job (`numjobs`).
const CLONES_MAX: u32 = 4096;

/// The job `name` with these settings.
pub(crate) fn job(name: &str, options: &Options, surroundings: &Surroundings<'_>, notes: &mut Notes) -> Result<IoJob> {
    // First: the other settings may be those of an engine that is not supported.
    let engine = engine::engine(options, notes)?;
    let access = access::access(options)?;
    let clones = options.number_within("numjobs", 1, CLONES_MAX)?.unwrap_or(1);
    let blocks = blocks::blocks(options, notes)?;
    let files = files::files(name, options, notes)?;
    let extent = Extent {
        files: files.names.len(),
        clones,
        own: files.names.iter().any(|name| !name.starts_with('/')),
        shared: files.shared,
    };
    let region = region::region(options, &extent, notes)?;
    let distribution = distribution::distribution(
        options,
        &access,
        region::length(region.size, region.file_size, region.offset),
        notes,
    )?;
    let align = align(options, &access)?;
    let (pace, mix) = pace::pace(options, access.mix, &blocks, clones, notes)?;
    let (cpus_allowed, cpus_split) = processors::processors(options, notes)?;
    let io_count = options.number("number_ios")?.filter(|count| *count > 0);
    let times = times(options, notes)?;
    let (open_sync, sync_every) = (engine::open_sync(options), engine::sync_every(options, notes)?);
    let commit = transaction::commit(options, sync_every, open_sync, mix.write.0 > 0.0)?;
    if commit {
        engine::commits_fit(options, &engine)?;
    }
    let Engine { mode, ring, depth, batch_submit, batch_complete_min, direct } = engine;
    Ok(IoJob {
        name: name.to_owned(),
        description: options.text("description").map(str::to_owned),
        clones,
        report_group: 0,
        grouped: options.is_on("group_reporting"),
        order: access.order,
        mix,
        coverage: distribution::coverage(options, &distribution, &blocks, &access, align),
        read_blocks: blocks.read,
        write_blocks: blocks.write,
        trim_blocks: blocks.trim,
        align_bytes: align,
        distribution,
        sequence: access.sequence,
        mode,
        ring,
        depth,
        batch_submit,
        batch_complete_min,
        direct,
        open_sync,
        sync_every,
        commit,
        end_sync: options.is_on("end_fsync") || options.is_on("fsync_on_close"),
        file_choice: match files.names.len() {
            1 => FileChoice::RoundRobin,
            _ => files::choice(options, notes)?,
        },
        files: files.names,
        layout: layout(options, &access, commit),
        file_size: region.file_size,
        offset: region.offset,
        offset_increment: region.offset_increment,
        size: region.size,
        io_bytes: region.io_bytes,
        loops: options.number_within("loops", 1, u32::MAX)?.unwrap_or(1),
        io_count,
        time_based: times.time_based,
        run_time: times.run,
        ramp_time: times.ramp,
        start_delay: times.delay,
        pace,
        burst: transaction::burst(options)?,
        content: content::content(options, surroundings, notes)?,
        verification: content::verification(options, access.mix),
        seed: options.number("randseed")?,
        cpus_allowed,
        cpus_split,
    })
}

struct Times {
    time_based: bool,
    run: Option<Nanos>,
    ramp: Nanos,
    delay: Nanos,
}

fn times(options: &Options, notes: &mut Notes) -> Result<Times> {
    let run = options.time("runtime", Bare::Seconds)?.filter(|time| time.0 > 0);
    let delay = options.read("startdelay", |text, _| match text.trim_matches('-').split_once('-') {
        // One end of a range is the time itself.
        None if text.ends_with('-') => number::time(text.trim_end_matches('-'), Bare::Seconds),
        Some((earliest, latest)) if !text.starts_with(['(', '-']) => {
            let (earliest, latest) = (number::time(earliest, Bare::Seconds)?, number::time(latest, Bare::Seconds)?);
            let middle = Nanos(earliest.0 / 2 + latest.0 / 2);
            notes.ignored(format!("startdelay={text}: all jobs start after the mean, {} s", middle.seconds()));
            Ok(middle)
        }
        _ => number::time(text, Bare::Seconds),
    })?;
    Ok(Times {
        // Without runtime it would never end.
        time_based: options.is_on("time_based") && run.is_some(),
        run,
        ramp: options.time("ramp_time", Bare::Seconds)?.unwrap_or_default(),
        delay: delay.unwrap_or_default(),
    })
}

/// Alignment of random offsets, if set.
fn align(options: &Options, access: &Access) -> Result<Option<Bytes>> {
    let align = blocks::align(options)?.map(|align| match access.mix {
        mix if mix.read.0 > 0.0 => align.read,
        mix if mix.write.0 > 0.0 => align.write,
        _ => align.trim,
    });
    Ok(align.filter(|align| align.0 > 0))
}

/// Reads, random writes and commits use written files: logs are overwritten, and on unwritten blocks each commit would
/// also be one of the file system. Files that are only written sequentially have the layout of the job.
fn layout(options: &Options, access: &Access, commit: bool) -> Layout {
    let writes_only = access.mix.read.0 == 0.0 && access.mix.trim.0 == 0.0;
    if !writes_only || access.random || commit || options.is_on("overwrite") {
        return Layout::Written;
    }
    match options.text("fallocate") {
        Some("none" | "0") => Layout::Empty,
        Some("truncate") => Layout::Sparse,
        _ => Layout::Allocated,
    }
}
