//! Verification of written data after the run.

use probe::storage::{Expected, Verified, verify};
use record::{IoJob, IoKind, IoPhase, Outcome, Run, Verification};

use super::file_set::FileSet;
use super::geometry::uses;
use super::preparation::{file_names, regions};
use crate::bench::Bench;
use crate::{Error, Result};

/// Reads written data back, where a job requires it.
pub(crate) fn check_content(
    bench: &Bench<'_>,
    file_set: &FileSet,
    writer: u64,
    phase: &IoPhase,
    run: &mut Run,
) -> Result<()> {
    if !phase.jobs.iter().any(is_read_back) {
        return Ok(());
    }
    let failed = run.totals.failures.values().sum::<u64>() > 0 || run.outcome != Outcome::Done;
    let (mut sum, mut first) = (Verified::default(), None);
    for name in file_names(phase) {
        let Some(file) = file_set.file(&name) else { continue };
        let Some(unit) = file.unit else { continue };
        // Every block was rewritten only if all jobs on the file write their whole regions.
        let rewritten = !failed && phase.jobs.iter().filter(|job| uses(job, &name)).all(rewrites);
        for region in regions(file_set, phase, &name) {
            let expected = Expected {
                unit,
                writer,
                // A file that was not written completely has blocks that nobody wrote, or another program.
                is_laid_out: !file.found && file.layout == record::Layout::Written,
                is_rewritten: rewritten,
                generations: file.generations.as_deref(),
            };
            let verified = verify(&file.path, region, &expected, bench.interrupt.flag()).map_err(|error| {
                if bench.interrupt.is_raised() {
                    return Error::interrupted();
                }
                Error::environment(format!("{} cannot be read back: {error}", file.path.display()))
            })?;
            if let Some(at) = verified.first.filter(|_| first.is_none()) {
                first = Some(format!("the block at {at} of {name} differs from what was written"));
            }
            sum.add(&verified);
        }
    }
    let storage = run.storage.get_or_insert_default();
    let writes = |stream: &&mut record::IoStream| matches!(stream.kind, IoKind::Write | IoKind::Commit);
    if let Some(stream) = storage.streams.iter_mut().find(writes) {
        stream.verified += sum.right;
        stream.corrupt += sum.corrupt + sum.foreign;
        stream.stale += sum.stale;
        stream.unverified += sum.unknown;
        if stream.first_failure.is_none() {
            stream.first_failure = first;
        }
    }
    Ok(())
}

/// Whether what `job` wrote is read back after the run: a job that also reads verifies its reads, and what it wrote after
/// the last of them is not read by it.
fn is_read_back(job: &IoJob) -> bool {
    match job.verification {
        Verification::None => false,
        Verification::After => true,
        Verification::OnRead => job.mix.write.0 > 0.0,
    }
}

/// Whether `job` writes every block of its region: then none may hold earlier data.
fn rewrites(job: &IoJob) -> bool {
    let whole = job.io_bytes.is_none() && job.io_count.is_none() && !job.time_based && job.run_time.is_none();
    let covers = job.order.write_random.0 == 0.0 || job.coverage == record::Coverage::Full;
    let one_size = matches!(&job.write_blocks, record::Blocks::Split(split) if split.len() == 1);
    let in_sequence = job.sequence.gap_bytes == 0 && job.sequence.blocks_per_jump == 1;
    whole && covers && one_size && in_sequence && job.mix.write.0 == 1.0 && job.files.len() == 1
}
