//! Utilisation of the generator: near its ceiling a rate is that of the generator and not of the device.
//!
//! I/Os per second of one clone of the busiest job over those of one thread with null I/O through the same path, see
//! [`generator_share`]. A share above 1 means that the ceiling was measured too low.

use record::evidence::GeneratorBound;
use record::{Evidence, Finding, Ratio, Run, Verdict};

use super::finding;
use crate::queue::{busiest, generator_share};
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let storage = run.storage.as_ref()?;
    let (job, _) = busiest(run)?;
    let (Some(share), Some(ceiling)) = (generator_share(run), storage.generator_per_second) else {
        return finding(Verdict::Unknown, Evidence::GeneratorBound(None));
    };
    let limit = Ratio(RULES.generator_share_max);
    let verdict = match share {
        share if share.0 > 1.0 => Verdict::Unknown,
        share if share > limit => Verdict::Warn,
        _ => Verdict::Pass,
    };
    let bound = GeneratorBound { job: job.to_owned(), share, ceiling, limit };
    finding(verdict, Evidence::GeneratorBound(Some(Box::new(bound))))
}

#[cfg(test)]
mod tests {
    use record::{IoKind, IoStream, Rate};

    use super::*;
    use crate::fixture::{io_run, run, storage};

    fn says(ceiling: f64) -> (Verdict, f64) {
        // Four clones of 1000 each.
        let mut run = io_run("io", IoKind::Read, 4);
        storage(&mut run).generator_per_second = Some(Rate(ceiling));
        let finding = check(&run).unwrap();
        match finding.evidence {
            Evidence::GeneratorBound(Some(bound)) if bound.ceiling == Rate(ceiling) => (finding.verdict, bound.share.0),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_rate_near_the_ceiling_is_a_warning() {
        assert_eq!((says(2_000.0), says(1_250.0)), ((Verdict::Pass, 0.5), (Verdict::Warn, 0.8)));
    }

    #[test]
    fn an_exceeded_ceiling_is_unknown() {
        assert_eq!(says(800.0), (Verdict::Unknown, 1.25));
        assert_eq!(says(1_000.0).0, Verdict::Warn, "all of it");
    }

    #[test]
    fn kinds_of_one_job_share_their_thread() {
        let mut mixed = io_run("io", IoKind::Read, 1);
        let storage = storage(&mut mixed);
        storage.generator_per_second = Some(Rate(3_000.0));
        storage.streams.push(IoStream { kind: IoKind::Write, ..storage.streams[0].clone() });
        assert_eq!(check(&mixed).unwrap().verdict, Verdict::Warn, "2 of 3 thousand");
    }

    #[test]
    fn a_ceiling_that_was_not_measured_is_unknown() {
        let mut unmeasured = io_run("io", IoKind::Read, 1);
        storage(&mut unmeasured).generator_per_second = None;
        assert_eq!(check(&unmeasured).unwrap().verdict, Verdict::Unknown);
        assert_eq!(check(&run("C11", 1)), None);
    }
}
