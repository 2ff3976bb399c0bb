//! An I/O job in words, for a dry run.

use record::{
    Amount, BlockShare, Blocks, BufferContent, Coverage, Distribution, IoJob, IoMode, Layout, OpenSync, Pace, Ratio,
    Verification,
};

use super::demand::{CLONE_NUMBER, FileDemand, count, files_of};
use crate::fact::sizes;
use crate::figure::{duration, memory, number, percent, three_digits};
use crate::layout::clean;
use crate::words::{list, plural};

/// Files of a job that are named; more are counted.
const FILES_NAMED_MAX: usize = 3;

/// A job in a few paragraphs: its I/O, how, how long, on which files.
pub(crate) fn sentences(job: &IoJob) -> Vec<String> {
    let what = [Some(action(job)), where_to(job), distance(job)];
    let ends = [length(job), pace(job)];
    let how = [handed_over(job), synced(job), content(job), processors(job)];
    let parts = [list(what.into_iter().flatten()), list(how.into_iter().flatten()), list(ends.into_iter().flatten())];
    let paragraphs = job.description.clone().into_iter().chain(parts).chain([files(job)]);
    paragraphs.filter(|part| !part.trim().is_empty()).collect()
}

/// Kinds of I/O with their shares and block sizes, numjobs and iodepth.
fn action(job: &IoJob) -> String {
    let order = &job.order;
    let kinds = [
        ("read", job.mix.read, order.read_random, &job.read_blocks),
        (if job.commit { "commit" } else { "write" }, job.mix.write, order.write_random, &job.write_blocks),
        ("trim", job.mix.trim, order.trim_random, &job.trim_blocks),
    ];
    let shown = kinds.into_iter().filter(|(_, share, ..)| share.0 > 0.0).map(|(word, share, random, of)| {
        let share = if share.0 < 1.0 { format!("{} ", percent(share)) } else { String::new() };
        let random = match random.0 {
            0.0 => String::new(),
            part if part >= 1.0 => "rand".to_owned(),
            _ => format!("{} rand", percent(random)),
        };
        format!("{share}{random}{word} of {}", blocks(of))
    });
    let jobs = if job.clones == 1 { String::new() } else { format!("numjobs {}", job.clones) };
    let depth = if job.mode == IoMode::Ring { format!("iodepth {}", job.depth) } else { String::new() };
    list([list(shown), jobs, depth])
}

fn blocks(blocks: &Blocks) -> String {
    match blocks {
        Blocks::Range { min_bytes, max_bytes } => sizes(*min_bytes, *max_bytes),
        Blocks::Split(shares) => match shares.as_slice() {
            [BlockShare { size_bytes, .. }] => memory(*size_bytes),
            shares => {
                let shown = shares.iter().map(|entry| format!("{} {}", percent(entry.share), memory(entry.size_bytes)));
                format!("({})", list(shown))
            }
        },
    }
}

fn where_to(job: &IoJob) -> Option<String> {
    let order = &job.order;
    if [order.read_random, order.write_random, order.trim_random].iter().all(|share| share.0 <= 0.0) {
        return None;
    }
    match (&job.distribution, job.coverage) {
        (Distribution::Uniform, Coverage::Full) => Some("every block once per pass".to_owned()),
        (Distribution::Uniform, Coverage::Free) => Some("norandommap".to_owned()),
        (Distribution::Zipf { theta }, _) => Some(format!("Zipf {}", three_digits(*theta))),
        (Distribution::Pareto { h }, _) => Some(format!("Pareto {}", three_digits(*h))),
        (Distribution::Normal { deviation }, _) => Some(format!("normal, deviation {}", percent(*deviation))),
        (Distribution::Zoned(zones), _) => {
            let shown = zones.iter().map(|zone| format!("{} to {}", percent(zone.io), percent(zone.region)));
            Some(format!("zones ({})", list(shown)))
        }
    }
}

fn distance(job: &IoJob) -> Option<String> {
    let jump = job.sequence.blocks_per_jump;
    let gap = job.sequence.gap_bytes;
    match (jump, gap) {
        (0 | 1, 0) => None,
        (0 | 1, gap) => Some(format!("gap of {gap} B after each block")),
        (jump, _) => Some(format!("{jump} sequential blocks per random offset")),
    }
}

fn handed_over(job: &IoJob) -> Option<String> {
    let ring = &job.ring;
    let mode = match job.mode {
        IoMode::Ring => "io_uring",
        IoMode::Synchronous => "psync",
        IoMode::Null => "null (no I/O)",
    };
    let options = [
        (ring.registered_files && job.mode == IoMode::Ring).then_some("registered files"),
        (ring.fixed_buffers && job.mode == IoMode::Ring).then_some("fixed buffers"),
        ring.polled.then_some("polled completion"),
        ring.submission_polled.then_some("polled submission"),
        Some(if job.direct { "direct" } else { "buffered" }),
    ];
    Some(list([mode.to_owned()].into_iter().chain(options.into_iter().flatten().map(str::to_owned))))
}

fn synced(job: &IoJob) -> Option<String> {
    let opened = match job.open_sync {
        OpenSync::None => None,
        OpenSync::Dsync => Some("O_DSYNC".to_owned()),
        OpenSync::Sync => Some("O_SYNC".to_owned()),
        OpenSync::WriteDsync => Some("RWF_DSYNC".to_owned()),
    };
    let every = job.sync_every.map(|sync| {
        let call = if sync.data_only { "fdatasync" } else { "fsync" };
        if sync.writes == 1 {
            format!("{call} after each write")
        } else {
            format!("{call} every {} writes", sync.writes)
        }
    });
    let end = job.end_sync.then(|| "fsync at the end".to_owned());
    let verified = match job.verification {
        Verification::None => None,
        Verification::After => Some("verify after the run".to_owned()),
        Verification::OnRead => Some("verify reads".to_owned()),
    };
    let shown = list([opened, every, end, verified].into_iter().flatten());
    (!shown.is_empty()).then_some(shown)
}

fn content(job: &IoJob) -> Option<String> {
    match &job.content {
        BufferContent::Random => None,
        BufferContent::Zero => Some("zeros".to_owned()),
        BufferContent::Pattern(pattern) => Some(format!("a pattern of {}", plural(pattern.len() as u64, "byte"))),
        BufferContent::Compressible { share, .. } => Some(format!("data compressible by {}", percent(*share))),
        BufferContent::Repeated { share } => Some(format!("data of which {} is repeated", percent(*share))),
    }
}

fn processors(job: &IoJob) -> Option<String> {
    let numbers = || list(job.cpus_allowed.iter().map(u32::to_string)).replace(", ", ",");
    let split = if job.cpus_split { ", split" } else { "" };
    (!job.cpus_allowed.is_empty()).then(|| format!("cpus_allowed {}{split}", numbers()))
}

/// What ends the job.
fn length(job: &IoJob) -> Option<String> {
    let amount = |amount: Amount| match amount {
        Amount::Bytes(bytes) => memory(bytes),
        Amount::Share(share) => format!("{} of it", percent(share)),
    };
    let after = [
        (job.start_delay.0 > 0).then(|| format!("startdelay {}", duration(job.start_delay))),
        (job.ramp_time.0 > 0).then(|| format!("ramp_time {}", duration(job.ramp_time))),
    ];
    let time = job.run_time.map(duration);
    let ends = match (job.time_based, time) {
        (true, Some(time)) => format!("runtime {time}"),
        (_, time) => {
            let bytes =
                job.io_bytes.map_or_else(|| "its region".to_owned(), |bytes| format!("{} per thread", amount(bytes)));
            let loops = if job.loops > 1 { format!(", {} times", job.loops) } else { String::new() };
            let count = job.io_count.map(|count| format!(", or {}", plural(count, "I/O"))).unwrap_or_default();
            let time = time.map(|time| format!(", or runtime {time}")).unwrap_or_default();
            format!("until {bytes} is complete{loops}{count}{time}")
        }
    };
    Some(list(after.into_iter().flatten().chain([ends])))
}

fn pace(job: &IoJob) -> Option<String> {
    let burst = job.burst.map(|(share, cycle)| format!("active {} of each {}", percent(share), duration(cycle)));
    let pace = match job.pace {
        Pace::Unthrottled => None,
        Pace::Rate { steps_per_second } => Some(format!("{} I/Os per second", number(steps_per_second))),
        Pace::Poisson { steps_per_second } => Some(format!("{} I/Os per second, Poisson", number(steps_per_second))),
        Pace::ThinkTime { think_ns } => Some(format!("think time {}", duration(think_ns))),
    };
    let shown = list([pace, burst].into_iter().flatten());
    (!shown.is_empty()).then_some(shown)
}

/// The files and the offset increment.
fn files(job: &IoJob) -> String {
    let demands = files_of(job);
    let names = demands.iter().flat_map(|demand| (0..demand.copies).map(move |clone| (clone, demand)));
    let named = list(names.take(FILES_NAMED_MAX).map(|(clone, demand)| file(clone, demand)));
    let all = count(&demands);
    let more = all.saturating_sub(FILES_NAMED_MAX as u64);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let increment = match job.offset_increment {
        Amount::Bytes(bytes) if bytes.0 == 0 => None,
        Amount::Share(Ratio(0.0)) => None,
        Amount::Bytes(bytes) => Some(memory(bytes)),
        Amount::Share(share) => Some(percent(share)),
    };
    let increment = increment.map(|step| format!(", offset_increment {step}")).unwrap_or_default();
    format!("{}: {named}{more}{increment}", if all == 1 { "file" } else { "files" })
}

fn file(clone: u32, file: &FileDemand) -> String {
    let size = file.size.map(|size| format!(" of {}", memory(size))).unwrap_or_default();
    let state = match file.layout {
        None => "used as is",
        Some(Layout::Written) => "written in advance",
        Some(Layout::Allocated) => "allocated in advance, not written",
        Some(Layout::Sparse) => "sparse",
        Some(Layout::Empty) => "initially empty",
    };
    let name = file.name.replace(CLONE_NUMBER, &clone.to_string());
    format!("{}{size} ({state})", clean(&name))
}
