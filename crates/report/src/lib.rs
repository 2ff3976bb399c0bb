//! Views of a stored record: the spec sheet, the table of runs, storage, CSV, JSON, the JSON of fio, the platform.
//!
//! A crate of its own so that the compiler guards the direction: it draws a record on a machine without engine or
//! driver, knows only `record` and `model`, and derives no figure itself but a plain rate or sum. It returns text and
//! prints nothing.

mod csv;
mod figure;
mod fio;
mod inventory;
mod json;
mod layout;
mod plan;
mod run_line;
mod storage;
mod style;
mod text;
mod words;

pub use csv::csv;
pub use figure::number;
pub use fio::{FioJson, fio_json};
pub use inventory::inventory;
pub use json::{inventory_json, json};
pub use plan::plan;
pub use run_line::run_line;
pub use storage::{calibration_text, io_csv, io_plan_text, io_text, until_text};
pub use style::Style;
pub use text::text;

/// The narrowest page that is laid out; on a narrower terminal lines wrap.
const PAGE_WIDTH_MIN: usize = 80;

/// The widest page: longer lines are hard to follow.
const PAGE_WIDTH_MAX: usize = 120;

/// The width that a view is laid out for on a device `width` columns wide.
fn page_width(width: usize) -> usize {
    width.clamp(PAGE_WIDTH_MIN, PAGE_WIDTH_MAX)
}
