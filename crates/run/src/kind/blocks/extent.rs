//! The length of a run: the steps of each job, where not only time limits it.

use workload::blocks::{self, Mode};

use super::request::BlocksRequest;
use crate::{Error, Result};

/// A cold run visits at most this fraction of the blocks: with more of a file in the page cache, the kernel takes
/// cached neighbours for a sequential stream, and reads ahead.
const COLD_PART: u64 = 8;

/// Maximum number of steps of each job; none if only the time limits a run.
pub(super) fn steps(request: &BlocksRequest) -> Result<Option<u64>> {
    let settings = &request.settings;
    let each = per_step(request);
    let requested = Some(settings.work_loop / each).filter(|steps| *steps > 0);
    if !request.cold {
        return Ok(requested);
    }
    let ranges = settings.scale_blocks / settings.work_unit / COLD_PART;
    // One step of each job is used by the warm-up, which every job has.
    let fresh = (ranges / u64::from(settings.threads_per_schema) / each).saturating_sub(1);
    if fresh == 0 {
        let message = format!(
            "a scale of {} blocks is too small to visit each at most once with {} {} in a schema",
            settings.scale_blocks,
            settings.threads_per_schema,
            if settings.threads_per_schema == 1 { "session" } else { "sessions" }
        );
        let hint = format!(
            "an eighth of the blocks is visited, {} at a time: give a --scale of {} blocks or more",
            settings.work_unit,
            scale_for(request, 1)
        );
        return Err(Error::user(message).hint(hint));
    }
    match requested {
        Some(steps) if steps > fresh => Err(Error::user(format!(
            "work-loop {} is more than the {} operations of each session that --cold has blocks for: beyond an eighth \
             of the blocks, each visited once, the kernel reads ahead unrequested blocks",
            settings.work_loop,
            fresh * each
        ))
        .hint(format!("give a --scale of {} blocks or more, or a smaller --work-loop", scale_for(request, steps)))),
        Some(steps) => Ok(Some(steps)),
        None => Ok(Some(fresh)),
    }
}

/// The smallest scale at which a cold run has `steps` steps for each session.
fn scale_for(request: &BlocksRequest, steps: u64) -> u64 {
    let settings = &request.settings;
    let parts = [per_step(request), settings.threads_per_schema.into(), settings.work_unit, COLD_PART];
    parts.into_iter().fold(steps.saturating_add(1), u64::saturating_mul)
}

/// A remark on a run that not only its time limits.
pub(super) fn remark(request: &BlocksRequest, steps: Option<u64>) -> Option<String> {
    let operations =
        steps.filter(|_| request.cold && request.settings.work_loop == 0)?.saturating_mul(per_step(request));
    let seconds = request.settings.run_time.seconds();
    let noun = if operations == 1 { "operation" } else { "operations" };
    Some(format!(
        "cold: the run ends after {seconds} s, or when each session has done {operations} {noun}: an eighth of the \
         blocks is visited, each once"
    ))
}

/// Operations of each step.
pub(super) fn per_step(request: &BlocksRequest) -> u64 {
    match request.mode {
        Mode::Client => 1,
        Mode::Engine => blocks::batch(&request.settings),
    }
}

#[cfg(test)]
mod tests {

    use record::Nanos;
    use workload::blocks::BlocksSettings;

    use super::*;
    use crate::Setup;

    fn request(pairs: &[(&str, &str)], cold: bool, mode: Mode) -> BlocksRequest {
        let mut settings = BlocksSettings::default();
        for (name, value) in pairs {
            settings.set(name, name, value).expect(name);
        }
        BlocksRequest {
            setup: Setup::smoke(),
            settings,
            mode,
            cold,
            caches: Vec::new(),
            page_cached: None,
            warm_up: None,
            probes: false,
        }
    }

    #[test]
    fn a_count_of_operations_ends_a_run_and_no_time_does() {
        let requested = request(&[("WORK_LOOP", "100")], false, Mode::Client);
        assert_eq!(steps(&requested).expect("steps"), Some(100));
        assert!(requested.windows().1 > Nanos::from_seconds(86_400.0));
        assert_eq!(
            steps(&request(&[("WORK_LOOP", "100")], false, Mode::Engine)).expect("steps"),
            Some(5),
            "calls of 20"
        );
        let timed = request(&[("RUN_TIME", "10")], false, Mode::Client);
        assert_eq!(steps(&timed).expect("steps"), None);
        assert_eq!(timed.windows(), (Nanos::from_seconds(2.5), Nanos::from_seconds(10.0)));
    }

    #[test]
    fn a_cold_run_visits_an_eighth_of_the_blocks_and_has_no_warm_up() {
        let requested = request(&[("SCALE", "10240"), ("WORK_UNIT", "64")], true, Mode::Client);
        assert_eq!(steps(&requested).expect("steps"), Some(160 / 8 - 1));
        assert_eq!(requested.windows().0, Nanos(0));
        let two = request(&[("SCALE", "10240"), ("WORK_UNIT", "64"), ("THREADS_PER_SCHEMA", "2")], true, Mode::Client);
        assert_eq!(steps(&two).expect("steps"), Some(9));
        for (pairs, words) in [
            (vec![("SCALE", "1000"), ("WORK_UNIT", "64")], "too small"),
            (vec![("SCALE", "1000"), ("WORK_UNIT", "64")], "with 1 session in"),
            (vec![("SCALE", "10240"), ("WORK_LOOP", "20")], "work-loop 20 is more than the 19"),
            (vec![("SCALE", "10240"), ("WORK_LOOP", "20")], "the kernel reads ahead"),
        ] {
            let error = steps(&request(&pairs, true, Mode::Client)).expect_err(words);
            assert!(error.message.contains(words) && error.hint.is_some(), "{error}");
        }
    }

    #[test]
    fn the_scale_that_is_hinted_at_is_the_least_that_will_do() {
        for (threads, mode) in [("1", Mode::Client), ("3", Mode::Client), ("2", Mode::Engine)] {
            let with = |scale: u64| {
                let scale = scale.to_string();
                request(&[("SCALE", &scale), ("WORK_LOOP", "40"), ("THREADS_PER_SCHEMA", threads)], true, mode)
            };
            let requested = 40 / per_step(&with(10_240));
            let least = scale_for(&with(10_240), requested);
            assert_eq!(steps(&with(least)).expect("enough"), Some(requested));
            assert!(steps(&with(least - 1)).is_err());
        }
    }

    #[test]
    fn the_end_of_a_cold_run_is_noted_before() {
        let requested = request(&[("SCALE", "10240"), ("RUN_TIME", "60")], true, Mode::Client);
        let note = remark(&requested, steps(&requested).expect("steps")).expect("a remark");
        assert!(note.contains("after 60 s") && note.contains("19 operations: an eighth"), "{note}");
        let counted = request(&[("SCALE", "10240"), ("WORK_LOOP", "5")], true, Mode::Client);
        assert_eq!(remark(&counted, Some(5)), None, "it is in the plan");
        assert_eq!(remark(&request(&[], false, Mode::Client), None), None);
    }
}
