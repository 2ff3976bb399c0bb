//! Verification of written data after the run.

use probe::storage::verify;
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
    if phase.jobs.iter().all(|job| job.verification != Verification::After) {
        return Ok(());
    }
    let failed = run.totals.failures.values().sum::<u64>() > 0 || run.outcome != Outcome::Done;
    let (mut right, mut wrong, mut first) = (0, 0, None);
    for name in file_names(phase) {
        let Some(file) = file_set.file(&name) else { continue };
        let Some(unit) = file.unit else { continue };
        // Every block was rewritten only if all jobs on the file write their whole regions.
        let rewritten = !failed && phase.jobs.iter().filter(|job| uses(job, &name)).all(rewrites);
        for region in regions(file_set, phase, &name) {
            let stamp = (writer, rewritten);
            let verified = verify(&file.path, region, unit, stamp, bench.interrupt.flag()).map_err(|error| {
                if bench.interrupt.is_raised() {
                    return Error::interrupted();
                }
                Error::environment(format!("{} cannot be read back: {error}", file.path.display()))
            })?;
            right += verified.right;
            // A file that was not written completely has blocks that nobody wrote, or another program.
            let own = !file.found && file.layout == record::Layout::Written;
            wrong += verified.corrupt + if own || rewritten { verified.foreign + verified.stale } else { 0 };
            if wrong > 0 && first.is_none() {
                first = verified.first.map(|at| format!("the block at {at} of {name} differs from what was written"));
            }
        }
    }
    let storage = run.storage.get_or_insert_default();
    let writes = |stream: &&mut record::IoStream| matches!(stream.kind, IoKind::Write | IoKind::Commit);
    if let Some(stream) = storage.streams.iter_mut().find(writes) {
        stream.verified += right;
        stream.corrupt += wrong;
        if stream.first_failure.is_none() {
            stream.first_failure = first;
        }
    }
    Ok(())
}

/// Whether `job` writes every block of its region: then none may hold earlier data.
fn rewrites(job: &IoJob) -> bool {
    let whole = job.io_bytes.is_none() && job.io_count.is_none() && !job.time_based && job.run_time.is_none();
    let covers = job.order.write_random.0 == 0.0 || job.coverage == record::Coverage::Full;
    let one_size = matches!(&job.write_blocks, record::Blocks::Split(split) if split.len() == 1);
    let in_sequence = job.sequence.gap_bytes == 0 && job.sequence.blocks_per_jump == 1;
    whole && covers && one_size && in_sequence && job.mix.write.0 == 1.0 && job.files.len() == 1
}
