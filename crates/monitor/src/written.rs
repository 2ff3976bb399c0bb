//! Files for other programs: rules of Prometheus, what Alertmanager leaves out, objectives for OpenSLO and for sloth, a dashboard for Grafana, a unit for
//! systemd.
//!
//! Each is text that a user reads, changes and keeps: nothing here depends on it afterwards.

mod dashboard;
mod inhibition;
mod openslo;
mod rules;
mod sloth;
mod unit;

pub use self::dashboard::dashboard;
pub use self::inhibition::inhibition;
pub use self::openslo::openslo;
pub use self::rules::rules;
pub use self::sloth::sloth;
pub use self::unit::unit;

/// Without the digits that a computation left.
fn rounded(value: f64) -> f64 {
    (value * 1e7).round() / 1e7
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
