//! Sampled activity.

use record::Activity;

use super::Validity;

/// Checks `activity`.
pub(super) fn activity(activity: &Activity) -> Validity {
    let Activity { period_ns, sample_count, observed_ns, waits, .. } = activity;
    if period_ns.0 == 0 {
        return Err("activity: period_ns 0, samples must be apart".to_owned());
    }
    match (sample_count, observed_ns.0, waits.first()) {
        (0, 0, None) => Ok(()),
        (0, _, _) => Err("activity: sample_count 0, but there are waits".to_owned()),
        (_, 0, _) => Err(format!("activity: sample_count {sample_count} in observed_ns 0, samples must be apart")),
        _ => Ok(()),
    }?;
    let mut pairs = waits.windows(2);
    match pairs.find(|pair| (pair[0].class, &pair[0].event) >= (pair[1].class, &pair[1].event)) {
        Some(pair) => Err(format!("activity: wait {:?} occurs twice or is out of order", pair[1].event)),
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

    fn sampled() -> Activity {
        Activity {
            period_ns: Nanos(100),
            sample_count: 2,
            observed_ns: Nanos(200),
            cost_ns: Nanos(3),
            waits: vec![wait(WaitClass::Cpu, ""), wait(WaitClass::Commit, "a"), wait(WaitClass::Commit, "b")],
        }
    }

    fn error_of(change: impl FnOnce(&mut Activity)) -> String {
        let mut changed = sampled();
        change(&mut changed);
        activity(&changed).err().unwrap_or_default()
    }

    #[test]
    fn waits_need_samples() {
        assert_eq!(activity(&sampled()), Ok(()));
        let nothing = Activity { sample_count: 0, observed_ns: Nanos(0), waits: Vec::new(), ..sampled() };
        assert_eq!(activity(&nothing), Ok(()), "a run may end before the first sample");
        assert_eq!(error_of(|activity| activity.sample_count = 0), "activity: sample_count 0, but there are waits");
        let in_nothing = "activity: sample_count 2 in observed_ns 0, samples must be apart";
        assert_eq!(error_of(|activity| activity.observed_ns = Nanos(0)), in_nothing);
        assert_eq!(error_of(|activity| activity.period_ns = Nanos(0)), "activity: period_ns 0, samples must be apart");
        let twice = "activity: wait \"b\" occurs twice or is out of order";
        assert_eq!(error_of(|activity| activity.waits.push(wait(WaitClass::Commit, "b"))), twice);
        let moved = "activity: wait \"a\" occurs twice or is out of order";
        assert_eq!(error_of(|activity| activity.waits.swap(1, 2)), moved);
    }
}
