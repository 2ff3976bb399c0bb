//! Where what is seen goes: the history, the metrics, the command of the user, and a listener that shows it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use model::promise::{Alert, AlertChange, Event, Operation};
use record::Nanos;
use run::Result;

use crate::alert::{AlertCommand, AlertMessage};
use crate::cost::Cost;
use crate::history::{Entry, History, Writer, timestamp};
use crate::metrics::Metrics;
use crate::push::{Collector, Push};

/// What is told while a monitor is at work; whoever shows it finds the words.
#[derive(Clone, Debug)]
pub enum Told {
    /// An alert begins or ends.
    Alert(AlertChange),
    /// An operation was refused for another reason than before.
    Refused {
        /// The operation.
        operation: Operation,
        /// What the engine said.
        message: String,
    },
    /// It is answered, and there is nothing to hold it against.
    NotKnown {
        /// The operation.
        operation: Operation,
        /// Why.
        why: String,
    },
    /// The operation is answered again.
    Answered {
        /// The operation.
        operation: Operation,
    },
    /// The node takes writes from now on, or takes none any more.
    TakesWrites(bool),
    /// There are too few events to decide.
    Undecided {
        /// The operation.
        operation: Operation,
        /// What cannot be decided.
        alert: Alert,
        /// With this period it could.
        period_ns_needed: Nanos,
    },
    /// It costs more than it may: the period is longer now.
    PeriodDoubled {
        /// The new period.
        period_ns: Nanos,
        /// What it cost.
        cost: Cost,
    },
    /// The calendar was set.
    ClockSet {
        /// By how much, milliseconds.
        step_ms: i64,
    },
    /// The history or the command is in trouble; probing goes on.
    Trouble(String),
}

/// Shows what is told of the target at `index`.
pub trait Listener: Sync {
    /// Called by the thread that watches the target: it must not wait.
    fn told(&self, index: usize, told: &Told);

    /// Metrics are served at `address`.
    fn serves(&self, address: SocketAddr);
}

/// Everything that is written beside what is shown.
pub struct Outlets {
    writer: Writer,
    pub(crate) metrics: Arc<Metrics>,
    command: Option<AlertCommand>,
    push: Option<Push>,
    /// The evidence of an alert as a sentence.
    words: fn(&AlertChange) -> String,
}

/// A target as the outlets know it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// Its place among the targets.
    pub(crate) index: usize,
    /// Its number in the history.
    pub(crate) number: i64,
    pub(crate) name: &'a str,
    pub(crate) record: &'a str,
}

impl Outlets {
    /// Into `history`, the file at `path`, and to `command`; `words` makes a sentence of the evidence of an alert.
    pub fn new(
        history: History,
        path: PathBuf,
        command: Option<AlertCommand>,
        words: fn(&AlertChange) -> String,
    ) -> Outlets {
        Outlets { writer: Writer::start(history, path), metrics: Arc::default(), command, push: None, words }
    }

    /// The same, which also pushes metrics to `collector`.
    ///
    /// # Errors
    /// Where its thread cannot be started.
    pub(crate) fn pushing_to(self, collector: Option<Collector>) -> Result<Outlets> {
        let push = collector.map(|collector| Push::start(collector, Arc::clone(&self.metrics))).transpose()?;
        Ok(Outlets { push, ..self })
    }

    /// Events of one start.
    pub(crate) fn events(&self, place: Place, events: Vec<Event>) {
        self.metrics.events(place.index, &events);
        self.writer.write(Entry::Events { target: place.number, events });
    }

    /// An alert that begins or ends.
    pub(crate) fn alert(&self, place: Place, change: &AlertChange) {
        let why = (self.words)(change);
        self.metrics.alert(place.index, change);
        if let Some(command) = &self.command {
            command.send(AlertMessage {
                state: if change.raised.is_some() { "firing" } else { "resolved" },
                target: place.name.to_owned(),
                operation: change.operation.word(),
                name: change.alert.word(),
                severity: change.alert.severity().word(),
                since: timestamp(change.since).0,
                at: timestamp(change.at).0,
                why: why.clone(),
                record: place.record.to_owned(),
            });
        }
        self.writer.write(Entry::Alert { target: place.number, change: change.clone(), why });
    }

    /// What else goes into the history.
    pub(crate) fn write(&self, entry: Entry) {
        self.writer.write(entry);
    }

    /// What is in trouble, since this was asked last.
    pub(crate) fn trouble(&self) -> Option<String> {
        let of_push = || self.push.as_ref()?.trouble();
        self.writer.trouble().or_else(|| self.command.as_ref()?.trouble()).or_else(of_push)
    }

    /// Writes and tells what is left.
    pub(crate) fn end(self) {
        self.writer.end();
        if let Some(command) = self.command {
            command.end();
        }
        if let Some(push) = self.push {
            push.end();
        }
    }
}
