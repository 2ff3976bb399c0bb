//! The threads of a monitor: for each target one that watches the clock and judges, and one that waits for the
//! database.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use model::promise::{AlertChange, Control, Event, HourlyMedians, Judge, Operation, Outcome, UnixMillis};
use record::Nanos;
use run::{Error, Interrupt, Result};

use crate::budget::Budget;
use crate::clock::{Calendar, now_ns};
use crate::cost::{Cost, process_cpu_ns};
use crate::endpoint;
use crate::history::{Entry, History, Recalled};
use crate::outlets::{Listener, Outlets, Place, Told};
use crate::probe::{Answer, Refused};
use crate::prober::{Burst, Done, Order, Prober};
use crate::push::Collector;
use crate::schedule::Schedule;
use crate::starts::{Decision, Starts};
use crate::watched::Watched;

/// How all targets are watched.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Mean distance between two starts.
    pub period: Duration,
    /// Distance between two connections of their own.
    pub fresh_every: Duration,
    /// Seed of the starts.
    pub seed: u64,
    /// What each target may cost.
    pub budget: Budget,
    /// Whether the table of the monitor is removed at the end.
    pub drops_table: bool,
    /// How long they are watched; until an interruption if absent.
    pub length: Option<Duration>,
    /// Where metrics are served; nowhere if absent.
    pub listen: Option<SocketAddr>,
    /// Where metrics are pushed to; nowhere if absent.
    pub collector: Option<Collector>,
}

impl Settings {
    /// Refuses a period that its timeout does not fit.
    ///
    /// # Errors
    /// Where a statement may take longer than a period.
    pub fn check(&self, timeout: Duration) -> Result<()> {
        if timeout <= self.period {
            return Ok(());
        }
        let (timeout, period) = (timeout.as_millis(), self.period.as_millis());
        let error = Error::user(format!("timeout {timeout} ms is longer than the period of {period} ms"));
        Err(error.hint("give a shorter --timeout, or a longer --every"))
    }
}

/// Watches each of `watched` for as long as was asked for, or until `interrupt` is raised; returns what each cost.
/// `outlets` are made from the history, which is the file at `path`, once it knows the targets.
///
/// # Errors
/// Where the history cannot be used or the metrics not served, and where a target cannot be closed.
pub fn watch_all(
    watched: Vec<Watched>,
    settings: &Settings,
    (mut history, path): (History, PathBuf),
    outlets: impl FnOnce(History, PathBuf) -> Outlets,
    (interrupt, listener): (&Interrupt, &dyn Listener),
) -> Result<Vec<Cost>> {
    let calendar = Calendar::new();
    let now = calendar.at(now_ns());
    let mut known = Vec::with_capacity(watched.len());
    for Watched { name, record, promises, .. } in &watched {
        let number = history.enter(&path, name, record, promises)?;
        known.push((number, history.recall(&path, number, promises, now)?));
    }
    let outlets = outlets(history, path);
    for watched in &watched {
        outlets.metrics.enter(watched, settings.period.as_nanos() as u64);
    }
    let outlets = outlets.pushing_to(settings.collector.clone())?;
    if let Some(listen) = settings.listen {
        let address = endpoint::serve(listen, std::sync::Arc::clone(&outlets.metrics))?;
        listener.serves(address);
    }
    let share = watched.iter().filter(|watched| watched.prober.costs()).count().max(1) as u64;
    let ended = thread::scope(|scope| {
        let start = |(index, (watched, (number, recalled))): (usize, (Watched, (i64, Recalled)))| {
            let outlets = &outlets;
            scope.spawn(move || {
                let (orders, taken) = channel();
                let (sender, done) = channel();
                let Watched { name, record, prober, .. } = watched;
                let place = Place { index, number, name: &name, record: &record };
                let operations = prober.operations();
                let prober = scope.spawn(move || prober.work(&taken, &sender));
                let watch = Watch::new((place, recalled, operations), settings, share, orders, outlets, listener);
                let cost = watch.until(interrupt, &done);
                let prober = prober.join().or_else(|_| panicked(&name));
                (cost, prober)
            })
        };
        let threads: Vec<_> = watched.into_iter().zip(known).enumerate().map(start).collect();
        threads.into_iter().map(|thread| thread.join().or_else(|_| panicked("a target"))).collect::<Vec<_>>()
    });
    let closed = close(ended, settings.drops_table);
    outlets.end();
    Ok(closed?)
}

/// Closes all, the first one last: the nodes of a cluster may depend on it. Returns what each cost.
fn close(ended: Vec<engine::Result<(Cost, engine::Result<Prober>)>>, removes: bool) -> engine::Result<Vec<Cost>> {
    let mut costs = Vec::with_capacity(ended.len());
    let mut first_error = Ok(());
    for ended in ended.into_iter().rev() {
        let closed = ended.and_then(|(cost, prober)| {
            costs.push(cost);
            prober?.close(removes)
        });
        first_error = first_error.and(closed);
    }
    costs.reverse();
    first_error.map(|()| costs)
}

fn panicked<T>(name: &str) -> engine::Result<T> {
    Err(engine::Error::new(engine::Kind::Lost, format!("the thread of {name} ended early")))
}

/// The thread that watches the clock and judges.
struct Watch<'a> {
    place: Place<'a>,
    starts: Starts,
    calendar: Calendar,
    judges: BTreeMap<Operation, Judge>,
    controls: BTreeMap<Control, HourlyMedians>,
    /// The hour that goes on, and what was measured in it.
    hour: i64,
    medians: BTreeMap<Operation, Vec<f64>>,
    control_values: BTreeMap<Control, Vec<f64>>,
    /// What the engine said last, of each operation that is refused.
    refusals: BTreeMap<Operation, String>,
    /// What is asked for: a node of a cluster may come to take writes, or not to take them any more.
    operations: Vec<Operation>,
    undecided: BTreeMap<Operation, bool>,
    next_fresh_ns: u64,
    fresh_every_ns: u64,
    budget: Budget,
    cost: Cost,
    /// When the budget was looked at last, and the cost then.
    looked: (u64, Cost),
    /// Targets that share the processor time of this process.
    share: u64,
    /// When it ends by itself.
    until_ns: Option<u64>,
    orders: Sender<Order>,
    outlets: &'a Outlets,
    listener: &'a dyn Listener,
}

impl<'a> Watch<'a> {
    fn new(
        (place, recalled, operations): (Place<'a>, Recalled, &[Operation]),
        settings: &Settings,
        share: u64,
        orders: Sender<Order>,
        outlets: &'a Outlets,
        listener: &'a dyn Listener,
    ) -> Watch<'a> {
        let (now, calendar) = (now_ns(), Calendar::new());
        let seed = settings.seed.wrapping_add(place.index as u64);
        let fresh_every_ns = settings.fresh_every.as_nanos() as u64;
        for (operation, judge) in &recalled.judges {
            judge.raised().keys().for_each(|alert| outlets.metrics.raised(place.index, *operation, *alert, true));
        }
        Watch {
            place,
            starts: Starts::new(Schedule::new(seed, now, settings.period.as_nanos() as u64)),
            calendar,
            judges: recalled.judges,
            controls: recalled.controls,
            hour: calendar.at(now).hour(),
            medians: recalled.medians,
            control_values: BTreeMap::new(),
            refusals: BTreeMap::new(),
            operations: operations.to_vec(),
            undecided: BTreeMap::new(),
            next_fresh_ns: now,
            fresh_every_ns,
            budget: settings.budget,
            cost: Cost::default(),
            looked: (now, Cost { cpu_ns: process_cpu_ns() / share, ..Cost::default() }),
            share,
            until_ns: settings.length.map(|length| now + length.as_nanos() as u64),
            orders,
            outlets,
            listener,
        }
    }

    /// Watches until `interrupt` is raised; returns the cost.
    fn until(mut self, interrupt: &Interrupt, done: &Receiver<Done>) -> Cost {
        let mut expected = now_ns();
        self.retire(self.calendar.at(expected));
        while !interrupt.is_raised() && self.until_ns.is_none_or(|until| expected < until) {
            let received = done.recv_timeout(Duration::from_nanos(expected.saturating_sub(now_ns())));
            let now = now_ns();
            self.starts.look(expected, now);
            match received {
                Ok(done) => self.finish(done, now),
                Err(RecvTimeoutError::Timeout) => {}
                // The other thread has panicked, which ends this target.
                Err(RecvTimeoutError::Disconnected) => break,
            }
            for decision in self.starts.due(now) {
                self.decided(decision, now);
            }
            expected = self.starts.look_at_ns(now);
        }
        self.cost
    }

    fn decided(&mut self, decision: Decision, now: u64) {
        let (due_ns, outcome) = match decision {
            Decision::Begin(start) => {
                let is_fresh = now >= self.next_fresh_ns;
                if is_fresh {
                    self.next_fresh_ns = now + self.fresh_every_ns;
                }
                // Where the other thread has ended, the next look at its answers says so.
                let _ = self.orders.send(Order { start, is_fresh });
                return;
            }
            Decision::Missed { due_ns } => (due_ns, Outcome::Missed),
            Decision::Late { due_ns } => (due_ns, Outcome::Late),
        };
        let at = self.calendar.at(due_ns);
        let event =
            |operation: &Operation| Event { at, operation: *operation, outcome, slowest_ns: None, median_ns: None };
        self.judge(self.operations.iter().map(event).collect());
    }

    /// Takes in what became of a start.
    fn finish(&mut self, done: Done, now: u64) {
        let timed_out = |answer: &Answer| matches!(answer.result, Err(Refused::TimedOut(_)));
        let Burst { answers, trouble, .. } = &done.burst;
        let is_excused = self.starts.answered(answers.iter().any(timed_out));
        let at = self.calendar.at(done.start.due_ns);
        self.end_hours(at);
        for (control, time) in &done.controls {
            self.control_values.entry(*control).or_default().push(time.0 as f64);
        }
        self.follow_role(at, answers.iter().map(|answer| answer.operation).collect());
        let events = answers.iter().map(|answer| self.event(at, answer, is_excused)).collect();
        answers.iter().for_each(|answer| self.tell_refusal(answer));
        self.judge(events);
        self.count(&done.burst, now);
        if let Some(step_ms) = self.calendar.follow() {
            self.tell(&Told::ClockSet { step_ms });
        }
        for trouble in trouble.clone().into_iter().chain(self.outlets.trouble()) {
            self.tell(&Told::Trouble(trouble));
        }
    }

    /// Notes that other operations are asked for: what is not asked for any more is neither kept nor broken.
    fn follow_role(&mut self, at: UnixMillis, operations: Vec<Operation>) {
        if operations.is_empty() || operations == self.operations {
            return;
        }
        self.operations = operations;
        self.tell(&Told::TakesWrites(self.operations.contains(&Operation::Commit)));
        self.retire(at);
    }

    /// Ends what is raised of operations that are not asked for, also by an earlier process.
    fn retire(&mut self, at: UnixMillis) {
        let mut changes = Vec::new();
        for (operation, judge) in self.judges.iter_mut().filter(|(operation, _)| !self.operations.contains(operation)) {
            changes.extend(judge.retire(at));
            self.outlets.metrics.judged(self.place.index, *operation, 0, judge.budget_left(at).0);
        }
        self.change(&changes);
    }

    fn event(&self, at: UnixMillis, answer: &Answer, is_excused: bool) -> Event {
        let operation = answer.operation;
        let timed = answer.result.as_ref().ok();
        let is_kept =
            |slowest: Nanos| self.judges.get(&operation).is_none_or(|judge| judge.promise().is_kept_by(slowest));
        let outcome = match &answer.result {
            Ok(timed) if is_kept(timed.slowest_ns) => Outcome::Good,
            _ if is_excused => Outcome::Late,
            Ok(_) => Outcome::Slow,
            Err(Refused::TimedOut(_)) => Outcome::TimedOut,
            Err(Refused::Failed(_)) => Outcome::Failed,
            Err(Refused::Skipped) => Outcome::Skipped,
            Err(Refused::NotKnown(_)) => Outcome::NotKnown,
        };
        // What was held up by this process says nothing of the hour either.
        let timed = timed.filter(|_| outcome != Outcome::Late && operation.is_timed());
        let (slowest_ns, median_ns) = (timed.map(|timed| timed.slowest_ns), timed.map(|timed| timed.median_ns));
        Event { at, operation, outcome, slowest_ns, median_ns }
    }

    /// Says why an operation is refused, once for each reason.
    fn tell_refusal(&mut self, answer: &Answer) {
        let operation = answer.operation;
        match &answer.result {
            Ok(_) if self.refusals.remove(&operation).is_some() => self.tell(&Told::Answered { operation }),
            Ok(_) | Err(Refused::Skipped) => {}
            Err(Refused::TimedOut(message) | Refused::Failed(message) | Refused::NotKnown(message)) => {
                if self.refusals.insert(operation, message.clone()).as_ref() == Some(message) {
                    return;
                }
                let message = message.clone();
                self.tell(&match answer.result {
                    Err(Refused::NotKnown(_)) => Told::NotKnown { operation, why: message },
                    _ => Told::Refused { operation, message },
                });
            }
        }
    }

    /// Judges events of one start.
    fn judge(&mut self, events: Vec<Event>) {
        let Some(at) = events.first().map(|event| event.at) else { return };
        self.end_hours(at);
        let mut changes = Vec::new();
        for event in &events {
            self.medians.entry(event.operation).or_default().extend(event.median_ns.map(|median| median.0 as f64));
            let Some(judge) = self.judges.get_mut(&event.operation) else { continue };
            changes.extend(judge.event(event));
            let (bad, left) = (judge.bad_in_a_row(), judge.budget_left(at).0);
            self.outlets.metrics.judged(self.place.index, event.operation, bad, left);
            // Where the period is short enough, there are too few events yet.
            let undecided = judge.undecided(at).filter(|(_, needed)| needed.0 < self.starts.period_ns());
            let is_new = undecided.is_some() && !self.undecided.get(&event.operation).is_some_and(|told| *told);
            self.undecided.insert(event.operation, undecided.is_some());
            if let Some((alert, period_ns_needed)) = undecided.filter(|_| is_new) {
                let operation = event.operation;
                self.tell(&Told::Undecided { operation, alert, period_ns_needed });
            }
        }
        self.outlets.events(self.place, events);
        self.change(&changes);
    }

    /// Ends the hours before that of `at`: their medians are held against the baseline and the days before.
    fn end_hours(&mut self, at: UnixMillis) {
        let hour = at.hour();
        if hour <= self.hour {
            return;
        }
        let ended = std::mem::replace(&mut self.hour, hour);
        let values = std::mem::take(&mut self.control_values);
        let values: BTreeMap<Control, f64> =
            values.into_iter().filter_map(|(control, values)| Some((control, model::median(&values)?))).collect();
        for (control, value) in &values {
            self.controls.entry(*control).or_default().insert(ended, *value);
        }
        let mut medians = std::mem::take(&mut self.medians);
        let mut changes = Vec::new();
        for (operation, judge) in &mut self.judges {
            let median = medians.remove(operation).and_then(|medians| model::median(&medians));
            changes.extend(judge.end_hour(ended, median, &self.controls));
        }
        let target = self.place.number;
        self.outlets.write(Entry::Hour { target, hour: ended, controls: values });
        self.outlets.write(Entry::Prune { now: at });
        self.change(&changes);
    }

    fn change(&self, changes: &[AlertChange]) {
        for change in changes {
            self.outlets.alert(self.place, change);
            self.tell(&Told::Alert(change.clone()));
        }
    }

    /// Counts what a start cost, and makes the period longer where that is too much.
    fn count(&mut self, burst: &Burst, now: u64) {
        burst.add_to(&mut self.cost);
        self.cost.cpu_ns = process_cpu_ns() / self.share;
        let (looked_ns, cost_then) = self.looked;
        let cost = self.cost.since(&cost_then);
        if now - looked_ns >= Budget::LOOK_NS {
            self.looked = (now, self.cost);
            if self.budget.is_exceeded(&cost, now - looked_ns) && self.starts.schedule().double() {
                self.tell(&Told::PeriodDoubled { period_ns: Nanos(self.starts.period_ns()), cost });
            }
        }
        let connect_ns = burst.fresh.as_ref().and_then(|fresh| fresh.connect_ns);
        self.outlets.metrics.cost(self.place.index, self.cost, self.starts.period_ns(), connect_ns);
    }

    fn tell(&self, told: &Told) {
        self.listener.told(self.place.index, told);
    }
}
