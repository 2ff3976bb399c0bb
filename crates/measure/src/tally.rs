//! Counts of the loop. Memory is allocated on demand: an empty tally needs almost none, and steps similar to earlier
//! ones allocate nothing.

use std::collections::BTreeMap;

use record::{Bytes, FailureKind, Nanos, Second, Slices, Totals};

use crate::slices::SliceSeries;
use crate::{Done, Histogram, StepStart};

const FAILURE_KINDS: [FailureKind; 6] = [
    FailureKind::Deadlock,
    FailureKind::Serialization,
    FailureKind::LockTimeout,
    FailureKind::Constraint,
    FailureKind::Cancelled,
    FailureKind::Other,
];

/// Initial capacity of the series of seconds, which doubles when it grows.
const INITIAL_SECONDS: usize = 8;

/// Counts, histograms and per-second series of one job, or of several once they are merged.
///
/// A failed step is in the counts, but in no histogram; of what it did, only transactions that it committed are counted.
#[derive(Clone, Debug)]
pub struct Tally {
    start: Nanos,
    end: Nanos,
    second_index: usize,
    second_end: Nanos,
    seconds: Vec<Second>,
    /// Maximum length of the series.
    seconds_max: usize,
    /// Of steps that began when they were due: their service time is their response time.
    prompt: Histogram,
    /// Of the others.
    service: Histogram,
    response: Histogram,
    /// From intended to actual start, of steps whose job was idle; allocated by the first of them.
    start_lag: Option<Box<Histogram>>,
    slices: SliceSeries,
    steps: u64,
    operations: u64,
    rows: u64,
    transactions: u64,
    bytes: u64,
    unfinished: u64,
    retried: u64,
    retries: u64,
    failures: [u64; FAILURE_KINDS.len()],
}

impl Tally {
    /// A tally whose first second starts at `start`, for up to `seconds_max` seconds; later steps count in the last of
    /// them.
    pub fn new(start: Nanos, seconds_max: usize) -> Tally {
        Tally {
            start,
            end: start,
            second_index: 0,
            second_end: start + Nanos::SECOND,
            seconds: vec![Second::default(); seconds_max.clamp(1, INITIAL_SECONDS)],
            seconds_max: seconds_max.max(1),
            prompt: Histogram::default(),
            service: Histogram::default(),
            response: Histogram::default(),
            start_lag: None,
            slices: SliceSeries::new(),
            steps: 0,
            operations: 0,
            rows: 0,
            transactions: 0,
            bytes: 0,
            unfinished: 0,
            retried: 0,
            retries: 0,
            failures: [0; FAILURE_KINDS.len()],
        }
    }

    /// Clears the tally and restarts it at `start`. The memory is kept, so that steps like those of the warm-up
    /// allocate nothing.
    pub fn begin_again(&mut self, start: Nanos) {
        let mut seconds = std::mem::take(&mut self.seconds);
        seconds.fill(Second::default());
        self.prompt.clear();
        self.service.clear();
        self.response.clear();
        self.start_lag.iter_mut().for_each(|lag| lag.clear());
        self.slices.clear();
        *self = Tally {
            seconds,
            prompt: std::mem::take(&mut self.prompt),
            service: std::mem::take(&mut self.service),
            response: std::mem::take(&mut self.response),
            start_lag: self.start_lag.take(),
            slices: std::mem::replace(&mut self.slices, SliceSeries::new()),
            ..Tally::new(start, self.seconds_max)
        };
    }

    /// When it was started.
    pub(crate) fn start(&self) -> Nanos {
        self.start
    }

    /// Extends the window to `moment` at least: with its seconds, which are empty where no step ended. Steps that end
    /// earlier are not counted afterwards.
    pub fn extend_to(&mut self, moment: Nanos) {
        if moment > self.end {
            self.end = moment;
            // A moment on an edge is the end of the second before it.
            self.advance(moment.max(self.start + Nanos(1)) - Nanos(1));
        }
    }

    /// Counts the step of `turn`, which ended at `ended`.
    #[inline]
    pub fn record(&mut self, turn: &StepStart, ended: Nanos, done: &Done) {
        if ended >= self.second_end {
            self.advance(ended);
        }
        self.end = ended;
        self.steps += 1;
        let second = &mut self.seconds[self.second_index];
        second.steps += 1;
        self.transactions += done.transactions;
        self.retried += u64::from(done.retries > 0);
        self.retries += u64::from(done.retries);
        if let Some(kind) = done.failure {
            second.failures += 1;
            self.failures[kind as usize] += 1;
            return;
        }
        let service = ended - turn.begun;
        let response = ended - turn.due;
        if turn.begun == turn.due {
            self.prompt.record(service);
        } else {
            self.service.record(service);
            self.response.record(response);
            if turn.was_idle {
                self.start_lag.get_or_insert_default().record(turn.begun - turn.due);
            }
        }
        self.slices.record(ended - self.start, response);
        self.operations += done.operations;
        self.rows += done.rows;
        self.bytes += done.bytes;
        second.operations += done.operations;
        second.rows += done.rows;
        second.service_ns_sum = second.service_ns_sum + service;
        second.service_ns_max = second.service_ns_max.max(service);
        second.response_ns_sum = second.response_ns_sum + response;
        second.response_ns_max = second.response_ns_max.max(response);
    }

    /// Counts a step with intended start `due` that was not started when the run ended, with its age.
    pub fn record_unfinished(&mut self, due: Nanos, now: Nanos) {
        self.unfinished += 1;
        self.response.record(now - due);
    }

    /// Adds the counts of another job in the same window.
    pub fn merge(&mut self, other: &Tally) {
        self.end = self.end.max(other.end);
        self.second_index = self.second_index.max(other.second_index);
        self.prompt.add(&other.prompt);
        self.service.add(&other.service);
        self.response.add(&other.response);
        if let Some(lag) = &other.start_lag {
            self.start_lag.get_or_insert_default().add(lag);
        }
        self.slices.merge(&other.slices);
        self.steps += other.steps;
        self.operations += other.operations;
        self.rows += other.rows;
        self.transactions += other.transactions;
        self.bytes += other.bytes;
        self.unfinished += other.unfinished;
        self.retried += other.retried;
        self.retries += other.retries;
        for (mine, theirs) in self.failures.iter_mut().zip(other.failures) {
            *mine += theirs;
        }
        if self.seconds.len() < other.seconds.len() {
            self.seconds.resize(other.seconds.len(), Second::default());
        }
        for (mine, theirs) in self.seconds.iter_mut().zip(&other.seconds) {
            merge_second(mine, theirs);
        }
    }

    /// End of the last step, or of the window if that is later; the start without a step.
    pub fn ended(&self) -> Nanos {
        self.end
    }

    /// Length of the window.
    pub fn window(&self) -> Nanos {
        self.end - self.start
    }

    /// Service times, from start to end.
    pub fn service(&self) -> Histogram {
        self.with_prompt(&self.service)
    }

    /// Response times, from intended start to end.
    pub fn response(&self) -> Histogram {
        self.with_prompt(&self.response)
    }

    /// How late steps began whose job was idle when they were due; none of a closed loop.
    pub fn start_lag(&self) -> Option<&Histogram> {
        self.start_lag.as_deref().filter(|lag| lag.count() > 0)
    }

    fn with_prompt(&self, others: &Histogram) -> Histogram {
        let mut all = others.clone();
        all.add(&self.prompt);
        all
    }

    /// The seconds of the window, up to its end and to the last one in which a step ended; those in which none did are
    /// included, with zeros.
    pub fn seconds(&self) -> &[Second] {
        &self.seconds[..=self.second_index]
    }

    /// Response times by slice of the window, up to its end; none without a successful step.
    pub fn slices(&self) -> Option<Slices> {
        self.slices.slices(self.window())
    }

    /// Totals of steps, operations, rows, transactions, bytes and failures.
    pub fn totals(&self) -> Totals {
        let failures: BTreeMap<FailureKind, u64> =
            FAILURE_KINDS.into_iter().zip(self.failures).filter(|(_, count)| *count > 0).collect();
        Totals {
            steps: self.steps,
            operations: self.operations,
            rows: self.rows,
            transactions: self.transactions,
            bytes: Some(Bytes(self.bytes)).filter(|bytes| bytes.0 > 0),
            failures,
            unfinished: self.unfinished,
            retried: self.retried,
            retries: self.retries,
        }
    }

    #[cold]
    fn advance(&mut self, ended: Nanos) {
        let index = ((ended - self.start).0 / Nanos::SECOND.0) as usize;
        self.second_index = index.min(self.seconds_max - 1);
        if self.second_index >= self.seconds.len() {
            // Amortised: about ten times in a window of hours.
            self.seconds.resize((2 * self.second_index).min(self.seconds_max), Second::default());
        }
        self.second_end = match index == self.second_index {
            true => self.start + Nanos(Nanos::SECOND.0 * (index as u64 + 1)),
            false => Nanos(u64::MAX),
        };
    }
}

fn merge_second(mine: &mut Second, theirs: &Second) {
    mine.steps += theirs.steps;
    mine.operations += theirs.operations;
    mine.rows += theirs.rows;
    mine.failures += theirs.failures;
    mine.service_ns_sum = mine.service_ns_sum + theirs.service_ns_sum;
    mine.service_ns_max = mine.service_ns_max.max(theirs.service_ns_max);
    mine.response_ns_sum = mine.response_ns_sum + theirs.response_ns_sum;
    mine.response_ns_max = mine.response_ns_max.max(theirs.response_ns_max);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(due: u64, begun: u64) -> StepStart {
        StepStart { number: 0, due: Nanos(due), begun: Nanos(begun), was_idle: false }
    }

    fn done(rows: u64) -> Done {
        Done { operations: 1, rows, transactions: 1, ..Done::default() }
    }

    #[test]
    fn service_and_response_times_are_separate() {
        let mut tally = Tally::new(Nanos(0), 10);
        tally.record(&turn(0, 2_000_000), Nanos(2_000_500), &done(1));
        assert_eq!(tally.service().latency().max_ns, Nanos(500));
        assert!(tally.response().latency().max_ns >= Nanos(2_000_500));
    }

    #[test]
    fn the_lag_of_idle_jobs_is_apart_from_waiting() {
        let mut tally = Tally::new(Nanos(0), 10);
        tally.record(&turn(0, 9_000), Nanos(10_000), &done(1));
        assert_eq!(tally.start_lag().map(Histogram::count), None, "it waited for the step before it");
        tally.record(&StepStart { was_idle: true, ..turn(20_000, 20_500) }, Nanos(21_000), &done(1));
        tally.merge(&tally.clone());
        let lag = tally.start_lag().expect("a lag").latency();
        assert_eq!((lag.count, lag.max_ns), (2, Nanos(500)));
        tally.begin_again(Nanos(0));
        assert!(tally.start_lag().is_none());
    }

    #[test]
    fn each_step_is_counted_in_the_second_in_which_it_ended() {
        let mut tally = Tally::new(Nanos(0), 10);
        for ended in [1, 999_999_999, 1_000_000_000, 3_500_000_000] {
            tally.record(&turn(0, 0), Nanos(ended), &done(2));
        }
        let steps: Vec<u64> = tally.seconds().iter().map(|second| second.steps).collect();
        assert_eq!(steps, [2, 1, 0, 1]);
        assert_eq!(tally.seconds().iter().map(|second| second.rows).sum::<u64>(), 8);
    }

    #[test]
    fn a_window_has_all_its_seconds_and_slices_also_where_no_step_ends_in_the_last_ones() {
        let mut tally = Tally::new(Nanos(0), 10);
        tally.record(&turn(0, 0), Nanos(3_300_000_000), &done(1));
        let mut idle = Tally::new(Nanos(0), 10);
        tally.extend_to(Nanos(5_000_000_000));
        idle.extend_to(Nanos(5_000_000_000));
        assert_eq!((idle.seconds().len(), idle.slices()), (5, None));
        tally.merge(&idle);
        assert_eq!(tally.seconds().iter().map(|second| second.steps).collect::<Vec<_>>(), [0, 0, 0, 1, 0]);
        assert_eq!(tally.slices().map(|slices| slices.responses.len()), Some(50));
        tally.extend_to(Nanos(5_000_000_001));
        assert_eq!((tally.seconds().len(), tally.slices().map(|slices| slices.responses.len())), (6, Some(51)));
        tally.extend_to(Nanos(1_000_000_000_000));
        assert_eq!((tally.seconds().len(), tally.seconds()[3].steps), (10, 1), "at most as many as there is room for");
        tally.begin_again(Nanos(7));
        tally.extend_to(Nanos(7));
        assert_eq!(tally.seconds().len(), 1);
    }

    #[test]
    fn steps_beyond_the_maximum_count_in_the_last_second() {
        let mut tally = Tally::new(Nanos(0), 2);
        [900_000_000_000, 901_000_000_000]
            .into_iter()
            .for_each(|ended| tally.record(&turn(0, 0), Nanos(ended), &done(1)));
        assert_eq!(tally.seconds().last().map(|second| second.steps), Some(2));
    }

    #[test]
    fn a_failed_step_only_counts_as_a_failure() {
        let mut tally = Tally::new(Nanos(0), 2);
        let failed = Done { retries: 3, transactions: 1, ..Done::failed(FailureKind::Deadlock) };
        tally.record(&turn(0, 0), Nanos(10), &failed);
        tally.record(&turn(10, 10), Nanos(20), &Done { retries: 1, ..done(5) });
        let totals = tally.totals();
        assert_eq!((totals.steps, totals.operations, totals.rows, totals.transactions), (2, 1, 5, 2));
        assert_eq!((totals.retried, totals.retries), (2, 4));
        assert_eq!(totals.failures, BTreeMap::from([(FailureKind::Deadlock, 1)]));
        assert_eq!(tally.service().count(), 1);
    }

    #[test]
    fn every_kind_of_failure_has_its_own_index() {
        for (index, kind) in FAILURE_KINDS.into_iter().enumerate() {
            assert_eq!(kind as usize, index);
        }
    }

    #[test]
    fn a_restarted_tally_equals_a_new_one() {
        let mut tally = Tally::new(Nanos(0), 100);
        let count = |tally: &mut Tally, begun: u64| {
            for second in 0..50 {
                let ended = begun + 1_000_000_000 * second + 5;
                tally.record(&turn(ended - 4, ended - 3), Nanos(ended), &done(second));
                tally.record(&turn(ended, ended), Nanos(ended), &Done::failed(FailureKind::Cancelled));
            }
            tally.record_unfinished(Nanos(begun), Nanos(begun + 1_000));
        };
        count(&mut tally, 1_000_000_000_000);
        tally.begin_again(Nanos(7));
        assert_eq!((tally.totals(), tally.seconds().len(), tally.window()), (Totals::default(), 1, Nanos(0)));
        let mut new = Tally::new(Nanos(7), 100);
        count(&mut tally, 7);
        count(&mut new, 7);
        assert_eq!(tally.seconds(), new.seconds());
        assert_eq!((tally.totals(), tally.slices(), tally.window()), (new.totals(), new.slices(), new.window()));
        assert_eq!(tally.service().latency(), new.service().latency());
        assert_eq!(tally.response().latency(), new.response().latency());
    }

    #[test]
    fn jobs_add_up() {
        let mut all = Tally::new(Nanos(0), 5);
        for job in 1..=3u64 {
            let mut tally = Tally::new(Nanos(0), 5);
            (0..job).for_each(|step| tally.record(&turn(0, 0), Nanos(step * 1_000_000_000 + 1), &done(1)));
            all.merge(&tally);
        }
        assert_eq!(all.totals().steps, 6);
        assert_eq!(all.seconds().iter().map(|second| second.steps).collect::<Vec<_>>(), [3, 2, 1]);
        assert_eq!(all.service().count(), 6);
    }
}
