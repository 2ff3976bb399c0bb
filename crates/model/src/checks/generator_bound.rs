//! How near the generator came to its own ceiling: above it a rate is the generator's and not the device's.
//!
//! I/Os per second of one clone, of the job that is nearest, over what one thread does through the same path with I/O
//! that does nothing: [`generator_share`], which reports show as well. No I/O is faster than none, so that a share above
//! 1 says that the ceiling was measured too low, and nothing of the run.

use record::{Check, Finding, Rate, Run, Verdict};

use super::{finding, percent};
use crate::queue::{busiest, generator_share};
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let storage = run.storage.as_ref()?;
    let (job, _) = busiest(run)?;
    let (Some(near), Some(Rate(ceiling))) = (generator_share(run), storage.generator_per_second) else {
        return finding(Check::GeneratorBound, Verdict::Unknown, "the generator's own ceiling is not known");
    };
    let near = near.0;
    let gist = format!("a clone of {job} did {} of the {ceiling:.0} I/Os per second of an idle path", percent(near));
    match near > RULES.generator_share_max {
        _ if near > 1.0 => finding(
            Check::GeneratorBound,
            Verdict::Unknown,
            format!("{gist}: that path was measured too low to judge by"),
        ),
        false => finding(Check::GeneratorBound, Verdict::Pass, gist),
        true => finding(
            Check::GeneratorBound,
            Verdict::Warn,
            format!(
                "{gist}, limit {}: the generator itself could do no more, and this is no limit of the device",
                percent(RULES.generator_share_max)
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use record::{IoKind, IoStream};

    use super::*;
    use crate::fixture::{io_run, run, storage};

    fn says(ceiling: f64) -> (Verdict, String) {
        // Four clones of 1000 each.
        let mut run = io_run("io", IoKind::Read, 4);
        storage(&mut run).generator_per_second = Some(Rate(ceiling));
        let finding = check(&run).unwrap();
        (finding.verdict, finding.detail)
    }

    #[test]
    fn a_rate_near_the_generators_own_is_no_limit_of_the_device() {
        assert_eq!(
            says(2_000.0),
            (Verdict::Pass, "a clone of job did 50 % of the 2000 I/Os per second of an idle path".to_owned())
        );
        let (verdict, detail) = says(1_250.0);
        assert_eq!(verdict, Verdict::Warn);
        assert!(detail.contains("80 %") && detail.ends_with("this is no limit of the device"), "{detail}");
    }

    #[test]
    fn a_yardstick_that_was_exceeded_is_none() {
        assert_eq!(
            says(800.0),
            (
                Verdict::Unknown,
                "a clone of job did 125 % of the 800 I/Os per second of an idle path: that path was measured too low to \
                 judge by"
                    .to_owned()
            )
        );
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
        assert_eq!(check(&run("P111", 1)), None);
    }
}
