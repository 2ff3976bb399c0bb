//! What sessions were found doing: nobody is seen without a look.

use record::Activity;

use super::Possible;

/// Looks at `activity`.
pub(super) fn activity(activity: &Activity) -> Possible {
    let Activity { period_ns, sample_count, watched_ns, waits, .. } = activity;
    if period_ns.0 == 0 {
        return Err("activity: period_ns 0, where looks lie apart".to_owned());
    }
    match (sample_count, watched_ns.0, waits.first()) {
        (0, 0, None) => Ok(()),
        (0, _, _) => Err("activity: sample_count 0, where something was seen".to_owned()),
        (_, 0, _) => Err(format!("activity: sample_count {sample_count} in watched_ns 0, where looks lie apart")),
        _ => Ok(()),
    }?;
    let mut pairs = waits.windows(2);
    match pairs.find(|pair| (pair[0].class, &pair[0].event) >= (pair[1].class, &pair[1].event)) {
        Some(pair) => Err(format!("activity: wait {:?} is there twice, or not in its place", pair[1].event)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use record::{Nanos, SampledWait, WaitClass};

    use super::*;

    fn wait(class: WaitClass, event: &str) -> SampledWait {
        SampledWait { class, event: event.to_owned(), session_count: 1 }
    }

    fn seen() -> Activity {
        Activity {
            period_ns: Nanos(100),
            sample_count: 2,
            watched_ns: Nanos(200),
            cost_ns: Nanos(3),
            waits: vec![wait(WaitClass::Cpu, ""), wait(WaitClass::Commit, "a"), wait(WaitClass::Commit, "b")],
        }
    }

    fn said(change: impl FnOnce(&mut Activity)) -> String {
        let mut changed = seen();
        change(&mut changed);
        activity(&changed).err().unwrap_or_default()
    }

    #[test]
    fn nobody_is_seen_without_a_look() {
        assert_eq!(activity(&seen()), Ok(()));
        let nothing = Activity { sample_count: 0, watched_ns: Nanos(0), waits: Vec::new(), ..seen() };
        assert_eq!(activity(&nothing), Ok(()), "a run may be over before the first look");
        assert_eq!(said(|seen| seen.sample_count = 0), "activity: sample_count 0, where something was seen");
        let in_nothing = "activity: sample_count 2 in watched_ns 0, where looks lie apart";
        assert_eq!(said(|seen| seen.watched_ns = Nanos(0)), in_nothing);
        assert_eq!(said(|seen| seen.period_ns = Nanos(0)), "activity: period_ns 0, where looks lie apart");
        let twice = "activity: wait \"b\" is there twice, or not in its place";
        assert_eq!(said(|seen| seen.waits.push(wait(WaitClass::Commit, "b"))), twice);
        let moved = "activity: wait \"a\" is there twice, or not in its place";
        assert_eq!(said(|seen| seen.waits.swap(1, 2)), moved);
    }
}
