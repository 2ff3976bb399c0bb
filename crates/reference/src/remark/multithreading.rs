//! The gain of multithreading: the one that was published, and the one that the table of the test has.

use crate::figure::rounded;
use crate::publication::{Publication, TestFigures};

/// How far the published gain may lie below the computed one; it was printed in whole percent.
const GAIN_TOLERANCE: f64 = 0.01;

/// Throughput with one job per core, and the best with more jobs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gain {
    pub(crate) jobs_without: u32,
    pub(crate) without: f64,
    pub(crate) jobs_with: u32,
    pub(crate) with: f64,
    /// A ratio: 0.15 is 15 % more.
    pub(crate) computed: f64,
    /// Likewise.
    pub(crate) published: f64,
}

/// The gain in `test`; none where none was published.
pub(crate) fn smt_gain(publication: &Publication, test: &TestFigures) -> Option<Gain> {
    let published = test.smt_gain?;
    let cores = publication.platform.get("cores")?.as_integer()?;
    let points = || test.jobs.iter().copied().zip(test.ops.iter().copied());
    let (jobs_without, without) = points().find(|(jobs, _)| i64::from(*jobs) == cores)?;
    let more = points().filter(|(jobs, _)| i64::from(*jobs) > cores);
    let (jobs_with, with) = more.max_by(|one, other| one.1.total_cmp(&other.1))?;
    Some(Gain { jobs_without, without, jobs_with, with, computed: with / without - 1.0, published })
}

/// A table may not gain more than was published as the most.
pub(super) fn remark(publication: &Publication, test: &TestFigures) -> Option<String> {
    let gain = smt_gain(publication, test)?;
    (gain.computed > gain.published + GAIN_TOLERANCE).then(|| {
        format!(
            "{}: multithreading gains {} % in the table ({} jobs against {}), {} % at most as published",
            test.code,
            rounded(gain.computed * 100.0),
            gain.jobs_with,
            gain.jobs_without,
            rounded(gain.published * 100.0)
        )
    })
}
