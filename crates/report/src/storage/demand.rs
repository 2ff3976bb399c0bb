//! The demand of an I/O plan: files and space, bytes written, time.

use record::{Amount, Blocks, Bytes, IoJob, IoMix, IoPhase, IoPlan, Layout, Nanos, Pace};

/// A file or device that jobs work on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FileDemand {
    /// As the job names it, with `$jobnum` where each thread of the job has its own.
    pub name: String,
    /// The number of files of the name: one for each thread of the job, or one.
    pub copies: u32,
    /// Its length; absent where it exists already or is not known in advance.
    pub size: Option<Bytes>,
    /// The state in which it is created; absent where it exists and is used as it is.
    pub layout: Option<Layout>,
}

/// What a job writes while it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Written {
    /// At most so much; zero for a job that only reads.
    AtMost(Bytes),
    /// As much as the device takes in this time.
    ForTime(Nanos),
    /// Not known in advance: a share of an unknown size.
    Unknown,
}

/// The placeholder for the number of the thread in the name of a file.
pub(crate) const CLONE_NUMBER: &str = "$jobnum";

/// The files of a job.
pub(crate) fn files_of(job: &IoJob) -> Vec<FileDemand> {
    let file = |name: &String| {
        let own = name.contains(CLONE_NUMBER);
        let layout = (!name.starts_with('/')).then_some(job.layout);
        let copies = if own { job.clones } else { 1 };
        FileDemand { name: name.clone(), copies, size: file_size(job, own), layout }
    };
    job.files.iter().map(file).collect()
}

/// How many files there are.
pub(crate) fn count<'a>(files: impl IntoIterator<Item = &'a FileDemand>) -> u64 {
    files.into_iter().map(|file| u64::from(file.copies)).sum()
}

/// The files of a plan, each once: with the largest size of its jobs, and written where one of them needs that.
pub(crate) fn files(plan: &IoPlan) -> Vec<FileDemand> {
    let mut files: Vec<FileDemand> = Vec::new();
    for file in plan.phases.iter().flat_map(|phase| &phase.jobs).flat_map(files_of) {
        match files.iter_mut().find(|other| other.name == file.name) {
            Some(other) => {
                other.size = other.size.max(file.size);
                other.copies = other.copies.max(file.copies);
                if file.layout == Some(Layout::Written) {
                    other.layout = file.layout;
                }
            }
            None => files.push(file),
        }
    }
    files
}

/// Space of the files that dbdyno creates, as far as it is known.
pub(crate) fn space(files: &[FileDemand]) -> Bytes {
    sum(files.iter().filter(|file| file.layout.is_some_and(|layout| layout != Layout::Sparse)))
}

/// Bytes written before the jobs start.
pub(crate) fn laid_out(files: &[FileDemand]) -> Bytes {
    sum(files.iter().filter(|file| file.layout == Some(Layout::Written)))
}

fn sum<'a>(files: impl Iterator<Item = &'a FileDemand>) -> Bytes {
    let size = |file: &FileDemand| file.size.map_or(0, |size| size.0).saturating_mul(u64::from(file.copies));
    Bytes(files.fold(0, |sum, file| sum.saturating_add(size(file))))
}

/// Length of each file of a job; `own` where each thread has its own files.
fn file_size(job: &IoJob, own: bool) -> Option<Bytes> {
    if job.file_size.is_some() {
        return job.file_size;
    }
    let bytes = |amount: Amount| match amount {
        Amount::Bytes(Bytes(bytes)) => Some(bytes),
        Amount::Share(share) if share.0 == 0.0 => Some(0),
        Amount::Share(_) => None,
    };
    let steps = if own { 0 } else { u64::from(job.clones.saturating_sub(1)) };
    let offset = bytes(job.offset)?.saturating_add(bytes(job.offset_increment)?.saturating_mul(steps));
    Some(Bytes(offset.saturating_add(bytes(job.size?)?)))
}

/// How long a job takes; absent where only the amount of I/O ends it.
pub(crate) fn time_of(job: &IoJob) -> Option<Nanos> {
    job.run_time.map(|time| job.start_delay + job.ramp_time + time)
}

/// How long a phase takes, at most; absent where the amount of I/O ends one of its jobs.
pub(crate) fn time(phase: &IoPhase) -> Option<Nanos> {
    let times: Option<Vec<Nanos>> = phase.jobs.iter().map(time_of).collect();
    times?.into_iter().max()
}

/// Bytes that a job writes, its ramp included.
pub(crate) fn written(job: &IoJob) -> Written {
    let IoMix { write, .. } = job.mix;
    if write.0 <= 0.0 {
        return Written::AtMost(Bytes(0));
    }
    let block = mean(&job.write_blocks);
    let working = job.run_time.map(|time| job.ramp_time + time);
    let by_rate = match (job.pace, working) {
        (Pace::Rate { steps_per_second } | Pace::Poisson { steps_per_second }, Some(time)) => {
            Some(steps_per_second * time.seconds() * write.0 * block)
        }
        _ => None,
    };
    let by_amount = if job.time_based { Some(None) } else { amount(job).map(Some) };
    let by_count = job.io_count.map(|count| count as f64 * f64::from(job.clones) * write.0 * block);
    let least = [by_rate, by_amount.flatten().map(|bytes| bytes * write.0), by_count];
    match (least.into_iter().flatten().min_by(f64::total_cmp), working) {
        (Some(bytes), _) => Written::AtMost(Bytes(bytes.round() as u64)),
        (None, Some(time)) => Written::ForTime(time),
        (None, None) => Written::Unknown,
    }
}

/// Bytes that all threads of a job read and write until completion.
fn amount(job: &IoJob) -> Option<f64> {
    let file = |amount: Amount| match amount {
        Amount::Bytes(Bytes(bytes)) => Some(bytes as f64),
        Amount::Share(share) => Some(job.file_size?.0 as f64 * share.0),
    };
    let each = match job.io_bytes {
        Some(amount) => file(amount)?,
        None => {
            let region = match job.size {
                Some(size) => file(size)?,
                None => job.file_size?.0 as f64 - file(job.offset)?,
            };
            region.max(0.0) * job.files.len() as f64
        }
    };
    Some(each * f64::from(job.loops.max(1)) * f64::from(job.clones))
}

/// The mean block size, in bytes.
fn mean(blocks: &Blocks) -> f64 {
    match blocks {
        Blocks::Split(shares) => shares.iter().map(|entry| entry.size_bytes.0 as f64 * entry.share.0).sum(),
        Blocks::Range { min_bytes, max_bytes } => (min_bytes.0 as f64 + max_bytes.0 as f64) / 2.0,
    }
}

#[cfg(test)]
mod tests;
