//! The lines that a monitor prints while it is at work.

use std::net::SocketAddr;
use std::time::SystemTime;

use model::promise::{AlertChange, Operation};
use monitor::{Listener, Told};
use report::alert_text;

use crate::output::{note, print};

/// Prints what is told, a line each.
pub struct Lines {
    /// The targets, by their place.
    pub names: Vec<String>,
}

impl Listener for Lines {
    fn told(&self, index: usize, told: &Told) {
        let name = self.names.get(index).map_or("", String::as_str);
        let line = format!("{} {name}: {}", humantime::format_rfc3339_seconds(SystemTime::now()), text(told));
        // A closed stream ends no monitor.
        match told {
            Told::Trouble(_) => note(&line),
            _ => drop(print(&line)),
        }
    }

    fn serves(&self, address: SocketAddr) {
        // As above.
        let _ = print(&format!("metrics at http://{address}/metrics"));
    }
}

fn text(told: &Told) -> String {
    match told {
        Told::Alert(change) => alert(change),
        // It says itself what it is of.
        Told::Refused { operation: Operation::Writer, message } => message.clone(),
        Told::Refused { operation, message } => format!("{} is refused: {message}", operation.word()),
        Told::NotKnown { operation, why } => format!("{} is not known: {why}", operation.word()),
        Told::Answered { operation: Operation::Writer } => "a node takes writes again".to_owned(),
        Told::Answered { operation } => format!("{} is answered again", operation.word()),
        Told::TakesWrites(true) => "it takes writes now".to_owned(),
        Told::TakesWrites(false) => "it takes no writes any more".to_owned(),
        Told::Undecided { operation, alert, period_ns_needed } => format!(
            "{} of {}: not decidable at this rate; it would be with --every {:.3}s or less",
            alert.word(),
            operation.word(),
            period_ns_needed.seconds()
        ),
        Told::PeriodDoubled { period_ns, cost } => {
            format!(
                "it costs more than it may ({cost} in a minute); from now on a burst every {} s",
                period_ns.seconds()
            )
        }
        Told::ClockSet { step_ms } => format!("the calendar was set by {} s", *step_ms as f64 / 1e3),
        Told::Trouble(text) => text.clone(),
    }
}

fn alert(change: &AlertChange) -> String {
    let (severity, operation, alert) = (change.alert.severity().word(), change.operation.word(), change.alert.word());
    match change.raised {
        Some(_) => format!("{}: {operation} {alert}: {}", severity.to_uppercase(), alert_text(change)),
        None => {
            let seconds = (change.at.0 - change.since.0).max(0) as f64 / 1e3;
            format!("over: {operation} {alert}, after {seconds} s")
        }
    }
}
