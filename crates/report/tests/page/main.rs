//! The page of a record: its figures against the record, and how it looks and works in a browser.

mod browser;
mod content;
#[path = "../views/data_sample.rs"]
mod data_sample;
mod document;
mod hostile;
mod look;
#[path = "../views/platform_sample.rs"]
mod platform_sample;
mod published;
#[path = "../views/sample.rs"]
mod sample;
mod series;
