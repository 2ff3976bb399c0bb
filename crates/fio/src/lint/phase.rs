//! Jobs that run at the same time, looked at together.

use record::{IoJob, IoPhase};

use super::durability::{LOG_BLOCK_BYTES_MAX, is_log, syncs};
use crate::plan::blocks::bounds;
use crate::plan::notes::Notes;

/// Checks the jobs of one phase against each other.
pub(crate) fn phase(phase: &IoPhase, notes: &mut Notes) {
    let data = phase.jobs.iter().any(|job| job.order.read_random.0 > 0.5 && job.mix.read.0 > 0.0);
    for job in phase.jobs.iter().filter(|job| data && looks_like_log(job) && !is_log(&job.name) && !syncs(job)) {
        notes.lint(format!(
            "{}: it writes one small block after the other beside random reads, like a log, and never syncs; \
             hint: fdatasync=1",
            job.name
        ));
    }
}

fn looks_like_log(job: &IoJob) -> bool {
    let sequential = job.order.write_random.0 <= 0.1;
    job.mix.write.0 == 1.0 && sequential && bounds(&job.write_blocks).1.0 <= LOG_BLOCK_BYTES_MAX
}
