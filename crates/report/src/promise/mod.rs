//! A promise in production: sentences of alerts, and the month of a target.

mod document;
mod words;

pub(crate) use document::{incidents, promises};
pub use document::{month, month_csv};
pub use words::{alert_text, promise_text};
