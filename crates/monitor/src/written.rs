//! Files for other programs: rules of Prometheus, an objective for OpenSLO, a dashboard for Grafana, a unit for
//! systemd.
//!
//! Each is text that a user reads, changes and keeps: nothing here depends on it afterwards.

mod dashboard;
mod openslo;
mod rules;
mod unit;

pub use self::dashboard::dashboard;
pub use self::openslo::openslo;
pub use self::rules::rules;
pub use self::unit::unit;
