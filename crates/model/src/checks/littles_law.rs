//! Little's law, and the agreement of independent counts.
//!
//! L = X R: jobs in flight are throughput times response time (Little 1961; Denning and Buzen 1978, operational
//! laws, exact for any window whose edges are accounted for). Three sources count independently: totals, the series of
//! seconds, and histograms; the number of jobs is from the plan.
//!
//! 1. Steps, operations and rows of the seconds add up to the totals, and each histogram holds one value per step
//!    that it should hold.
//! 2. The sum of service times over the seconds is mean times count of the histogram, to the error of its buckets.
//! 3. In a closed loop without failures, jobs = (sum of response times + think times) / window. The edges may be
//!    missing: wake-up at the start, and from the last step of a job to the end of the last step of all, at most
//!    (max response + max think time + wake-up) / window per job. A job whose node is lost counts until then.
//!    In an open loop, also of a role with a rate of its own, jobs are idle between intended starts: the sum of service times is at
//!    most jobs times window.
//!
//! Storage runs have queues instead of jobs: see `in_flight`.
//!
//! It cannot detect a wrong clock shared by all sources, nor work that no step waits for.

use record::evidence::{CountedTwice, GapExplanation, LittlesLaw};
use record::{Evidence, Finding, Pace, Ratio, Run, Verdict};

use super::{failed_steps, finding, is_open};
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let (verdict, law) = judge(run);
    finding(verdict, Evidence::LittlesLaw(law))
}

fn judge(run: &Run) -> (Verdict, LittlesLaw) {
    if run.totals.steps == 0 || run.window_ns.0 == 0 || run.dop.jobs == 0 {
        return (Verdict::Unknown, LittlesLaw::NothingDone);
    }
    match miscounted(run).or_else(|| sums_differ(run)) {
        Some(differs) => (Verdict::Fail, differs),
        None if is_open(run) => open(run),
        None => closed(run),
    }
}

/// The first disagreement between counts.
fn miscounted(run: &Run) -> Option<LittlesLaw> {
    let sum = |value: fn(&record::Second) -> u64| -> u128 {
        run.seconds.iter().map(|second| u128::from(value(second))).sum()
    };
    let totals = &run.totals;
    let failed = u128::from(failed_steps(run));
    let succeeded = u128::from(totals.steps).saturating_sub(failed);
    let pairs = [
        (CountedTwice::Steps, sum(|second| second.steps), u128::from(totals.steps)),
        (CountedTwice::Failures, sum(|second| second.failures), failed),
        (CountedTwice::Operations, sum(|second| second.operations), u128::from(totals.operations)),
        (CountedTwice::Rows, sum(|second| second.rows), u128::from(totals.rows)),
        (CountedTwice::ServiceTimes, u128::from(run.service.count), succeeded),
        (CountedTwice::ResponseTimes, u128::from(run.response.count), succeeded + u128::from(totals.unfinished)),
    ];
    counts_differ(None, pairs)
}

/// The first of `pairs` whose counts differ; `job` is their storage job.
pub(super) fn counts_differ(
    job: Option<&str>,
    pairs: impl IntoIterator<Item = (CountedTwice, u128, u128)>,
) -> Option<LittlesLaw> {
    let (counted, value, expected) = pairs.into_iter().find(|(_, value, expected)| value != expected)?;
    let [value, expected] = [value, expected].map(|count| u64::try_from(count).unwrap_or(u64::MAX));
    Some(LittlesLaw::CountsDiffer { job: job.map(str::to_owned), counted, value, expected })
}

/// A disagreement between seconds and histogram about service times.
fn sums_differ(run: &Run) -> Option<LittlesLaw> {
    let mean = run.service.mean_ns.0 as f64;
    let histogram = mean * run.service.count as f64;
    let seconds = service_ns(run);
    if histogram <= 0.0 {
        return None;
    }
    let difference = Ratio((seconds - histogram).abs() / histogram);
    let limit = Ratio(RULES.histogram_error + 1.0 / mean);
    (difference > limit).then_some(LittlesLaw::SumsDiffer { difference, limit })
}

fn service_ns(run: &Run) -> f64 {
    run.seconds.iter().map(|second| second.service_ns_sum.0 as f64).sum()
}

fn open(run: &Run) -> (Verdict, LittlesLaw) {
    let jobs = run.dop.jobs;
    let busy = service_ns(run) / run.window_ns.0 as f64;
    let is_possible = busy <= f64::from(jobs) * (1.0 + RULES.littles_gap_pass);
    (if is_possible { Verdict::Pass } else { Verdict::Fail }, LittlesLaw::OpenLoop { busy, jobs })
}

/// Mean number of jobs: those whose node was lost count until then.
fn jobs_on_average(run: &Run) -> f64 {
    let window = run.window_ns.0 as f64;
    let gone =
        |event: &record::NodeEvent| f64::from(event.jobs) * (1.0 - event.at_ns.0 as f64 / window).clamp(0.0, 1.0);
    f64::from(run.dop.jobs) - run.events.iter().map(gone).sum::<f64>()
}

/// Random pauses of random blocks: uniformly distributed, one per `frequency` operations.
#[derive(Clone, Copy)]
struct RandomPauses {
    frequency: f64,
    least_ns: f64,
    most_ns: f64,
}

impl RandomPauses {
    /// The pauses of `run`, by its parameters.
    fn of(run: &Run) -> Option<RandomPauses> {
        let parameter = |name: &str| run.parameters.get(name).map(|value| *value as f64);
        let frequency = parameter("think_tm_frequency").filter(|frequency| *frequency > 0.0)?;
        let [least_ns, most_ns] = [parameter("think_tm_min_ms")? * 1e6, parameter("think_tm_max_ms")? * 1e6];
        Some(RandomPauses { frequency, least_ns, most_ns })
    }

    /// Three standard deviations of the sum of the pauses of `operations` operations, nanoseconds.
    fn deviation_ns(self, operations: u64) -> f64 {
        3.0 * (self.most_ns - self.least_ns) * (operations as f64 / self.frequency / 12.0).sqrt()
    }
}

fn closed(run: &Run) -> (Verdict, LittlesLaw) {
    let jobs = jobs_on_average(run);
    let window = run.window_ns.0 as f64;
    let think = match run.pace {
        Pace::ThinkTime { think_ns } => think_ns.0 as f64,
        _ => 0.0,
    };
    let random = RandomPauses::of(run);
    // With random pauses, a job may be in the longest of them at the end.
    let longest = random.map_or(think, |pauses| think.max(pauses.most_ns));
    // No think time after the last step of a job.
    let pauses = (run.totals.steps as f64 - jobs).max(0.0);
    let responses: f64 = run.seconds.iter().map(|second| second.response_ns_sum.0 as f64).sum();
    let in_flight = (responses + think * pauses) / window;
    let gap = (jobs - in_flight) / jobs;
    let edge = (run.response.max_ns.0 as f64 + longest + RULES.wake_up_ns) / window;
    let chance = random.map_or(0.0, |pauses| pauses.deviation_ns(run.totals.steps) / (window * jobs));
    let limit = RULES.littles_gap_pass.max(if gap > 0.0 { edge } else { 0.0 }) + chance;
    let failed = failed_steps(run);
    let explanation = match gap > limit {
        true if failed > 0 => Some(GapExplanation::FailedSteps { count: failed }),
        // Faster jobs are idle at the end.
        true if jobs > 1.0 && run.jobs_ended_separately => Some(GapExplanation::JobsEndedSeparately),
        _ => None,
    };
    let verdict = match gap.abs() {
        gap if gap <= limit => Verdict::Pass,
        _ if explanation.is_some() => Verdict::Unknown,
        gap if gap <= RULES.littles_gap_warn => Verdict::Warn,
        _ => Verdict::Fail,
    };
    (verdict, LittlesLaw::ClosedLoop { jobs, in_flight, gap, limit: Ratio(limit), explanation })
}

#[cfg(test)]
mod tests {
    use record::{FailureKind, Nanos};

    use super::*;
    use crate::fixture::{latency, run};

    fn says(run: &Run) -> (Verdict, LittlesLaw) {
        let finding = check(run).unwrap();
        match finding.evidence {
            Evidence::LittlesLaw(law) => (finding.verdict, law),
            other => panic!("{other:?}"),
        }
    }

    /// Jobs, jobs in flight and the gap, in thousandths.
    fn thousandths(law: &LittlesLaw) -> [i64; 3] {
        match law {
            LittlesLaw::ClosedLoop { jobs, in_flight, gap, .. } => {
                [*jobs, *in_flight, *gap].map(|value| (value * 1e3).round() as i64)
            }
            other => panic!("{other:?}"),
        }
    }

    /// Two jobs that did one step more than half of what they should have, each of 1 ms.
    fn lazy(steps: u64) -> Run {
        let mut run = run("T611", 2);
        run.totals.steps = steps;
        (run.totals.operations, run.totals.rows) = (steps, steps);
        (run.service, run.response) = (latency(steps, 1_000_000), latency(steps, 1_000_000));
        run.seconds.truncate(1);
        let second = &mut run.seconds[0];
        (second.steps, second.operations, second.rows) = (steps, steps, steps);
        (second.service_ns_sum, second.response_ns_sum) = (Nanos(steps * 1_000_000), Nanos(steps * 1_000_000));
        run
    }

    #[test]
    fn a_closed_loop_keeps_every_job_in_flight() {
        let (verdict, law) = says(&run("T611", 2));
        assert_eq!((verdict, thousandths(&law)), (Verdict::Pass, [2_000, 2_000, 0]));
    }

    #[test]
    fn idle_jobs_are_detected() {
        let (verdict, law) = says(&lazy(10_001));
        assert_eq!((verdict, thousandths(&law)[2]), (Verdict::Fail, 500));
        assert!(matches!(law, LittlesLaw::ClosedLoop { limit: Ratio(0.01), explanation: None, .. }), "{law:?}");
        assert_eq!(says(&lazy(19_401)).0, Verdict::Warn, "3 % apart");
        assert_eq!(says(&lazy(19_901)).0, Verdict::Pass, "0.5 % apart");
        assert_eq!(says(&lazy(10_000)).0, Verdict::Fail, "5,000 steps each by chance");
        let apart = Run { jobs_ended_separately: true, ..lazy(10_000) };
        assert_eq!(says(&apart).0, Verdict::Unknown, "5,000 steps each were planned");
    }

    #[test]
    fn jobs_of_a_role_with_a_rate_may_be_idle() {
        let role = |rate| record::Role { name: "writers".to_owned(), jobs: Some(1), rate };
        let says = |rate: Option<f64>| {
            let mut run = lazy(10_001);
            run.transaction_types = vec![record::TransactionType {
                name: "write".to_owned(),
                weight: 1,
                role: Some(role(rate)),
                per_minute: None,
                totals: run.totals.clone(),
                service: run.service.clone(),
                response: run.response.clone(),
                statements: Vec::new(),
            }];
            says(&run).0
        };
        assert_eq!((says(None), says(Some(1_000.0))), (Verdict::Fail, Verdict::Pass));
    }

    #[test]
    fn a_job_counts_until_its_node_is_lost() {
        // Of two jobs one did nothing in the second half of 10 s, and the other everything that it should.
        let mut run = lazy(15_001);
        assert_eq!(says(&run).0, Verdict::Fail, "a quarter is missing");
        run.events.push(record::NodeEvent {
            at_ns: Nanos(run.window_ns.0 / 2),
            node: 2,
            name: "h2".to_owned(),
            kind: record::NodeEventKind::Lost,
            jobs: 1,
            message: String::new(),
        });
        let (verdict, law) = says(&run);
        assert_eq!((verdict, &thousandths(&law)[..2]), (Verdict::Pass, &[1_500, 1_500][..]));
    }

    #[test]
    fn more_in_flight_than_there_are_jobs_is_a_failure() {
        let mut run = run("T611", 2);
        run.window_ns = Nanos(8_000_000_000);
        assert_eq!(says(&run).0, Verdict::Fail);
    }

    #[test]
    fn a_long_last_step_explains_a_gap() {
        let mut run = lazy(10_001);
        run.response.max_ns = Nanos(6_000_000_000);
        assert_eq!(says(&run).0, Verdict::Pass);
    }

    #[test]
    fn a_job_that_wakes_late_or_thinks_long_is_no_gap_in_a_short_window() {
        let mut run = lazy(191);
        run.window_ns = Nanos(100_000_000);
        run.response.max_ns = Nanos(0);
        assert_eq!(says(&run).0, Verdict::Pass, "4.5 % of 100 ms are less than a late wake-up");
        let mut run = lazy(4_001);
        run.pace = Pace::ThinkTime { think_ns: Nanos(3_000_000) };
        assert_eq!(says(&run).0, Verdict::Fail, "8 of 10 s are accounted for");
        run.pace = Pace::ThinkTime { think_ns: Nanos(4_000_000_000) };
        (run.window_ns, run.totals.steps) = (Nanos(5_000_000_000), 3);
        (run.totals.operations, run.totals.rows) = (3, 3);
        (run.service.count, run.response.count) = (3, 3);
        let second = &mut run.seconds[0];
        (second.steps, second.operations, second.rows) = (3, 3, 3);
        second.service_ns_sum = Nanos(3_000_000);
        assert_eq!(says(&run).0, Verdict::Pass, "one of the two jobs was still thinking at the end");
    }

    #[test]
    fn think_time_is_in_flight_too() {
        let mut run = lazy(10_002);
        run.pace = Pace::ThinkTime { think_ns: Nanos(1_000_000) };
        let (verdict, law) = says(&run);
        assert_eq!((verdict, thousandths(&law)[1]), (Verdict::Pass, 2_000));
    }

    #[test]
    fn random_pauses_may_deviate_from_their_mean() {
        // Ten seconds of two jobs, one pause of 0.1 to 0.5 s before each of 61 steps: 18.3 s by their mean.
        let mut run = lazy(63);
        run.pace = Pace::ThinkTime { think_ns: Nanos(300_000_000) };
        run.response.max_ns = Nanos(0);
        assert_eq!(says(&run).0, Verdict::Fail, "8 % are missing");
        let drawn = [("think_tm_frequency", 1), ("think_tm_min_ms", 100), ("think_tm_max_ms", 500)];
        run.parameters = drawn.map(|(name, value)| (name.to_owned(), value)).into();
        assert_eq!(says(&run).0, Verdict::Pass, "within the deviation of random pauses");
        run.parameters.insert("think_tm_min_ms".to_owned(), 499);
        run.parameters.insert("think_tm_max_ms".to_owned(), 501);
        assert_ne!(says(&run).0, Verdict::Pass, "but not of nearly constant ones");
    }

    #[test]
    fn counts_that_disagree_fail() {
        let mut run = run("T611", 2);
        run.seconds[3].rows -= 1;
        let counted = CountedTwice::Rows;
        let differ = LittlesLaw::CountsDiffer { job: None, counted, value: 19_999, expected: 20_000 };
        assert_eq!(says(&run), (Verdict::Fail, differ));
    }

    #[test]
    fn a_histogram_with_other_times_than_the_seconds_fails() {
        let mut run = run("T611", 2);
        run.service.mean_ns = Nanos(1_002_500);
        assert!(matches!(says(&run), (Verdict::Fail, LittlesLaw::SumsDiffer { .. })), "{:?}", says(&run));
        run.service.mean_ns = Nanos(1_001_500);
        assert_eq!(says(&run).0, Verdict::Pass, "within the error of the buckets");
        let mut fast = run;
        fast.seconds.iter_mut().for_each(|second| second.service_ns_sum = Nanos(second.steps * 60 + 1_500));
        fast.service.mean_ns = Nanos(60);
        assert_eq!(says(&fast).0, Verdict::Pass, "60.75 ns, of which the histogram keeps 60");
    }

    #[test]
    fn the_time_of_failed_steps_is_not_known() {
        let mut run = lazy(10_001);
        run.totals.failures.insert(FailureKind::LockTimeout, 10);
        run.totals.steps += 10;
        (run.seconds[0].steps, run.seconds[0].failures) = (10_011, 10);
        assert_eq!(says(&run).0, Verdict::Unknown);
    }

    #[test]
    fn an_open_loop_may_idle_and_may_not_be_busier_than_its_jobs() {
        let mut run = lazy(10_001);
        run.pace = Pace::Rate { steps_per_second: 1_000.0 };
        assert_eq!(says(&run), (Verdict::Pass, LittlesLaw::OpenLoop { busy: 1.0001, jobs: 2 }));
        run.window_ns = Nanos(5_000_000_000);
        assert_eq!(says(&run).0, Verdict::Pass, "2.0002, within the limit");
        run.window_ns = Nanos(4_800_000_000);
        assert_eq!(says(&run).0, Verdict::Fail);
    }

    #[test]
    fn a_run_without_a_step_is_unknown() {
        assert_eq!(says(&Run { totals: Default::default(), ..run("T611", 1) }).0, Verdict::Unknown);
    }
}
