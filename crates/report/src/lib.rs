//! Views of a stored record: the spec sheet, the table of runs, storage, CSV, JSON, the JSON of fio, the platform.
//!
//! A crate of its own so that the compiler enforces the direction of dependencies: it renders a record on a machine
//! without engine or driver, depends only on `record`, `model` and `tables`, and derives no figure itself but a plain
//! rate or sum. It returns text and prints nothing.

mod activity;
mod agents;
mod archive;
mod beside;
mod bidi;
mod blocks;
mod chart;
mod clock;
mod comparison;
mod curve;
mod data;
mod data_set;
mod database_state;
mod disclosure;
mod document;
mod fact;
mod figure;
mod finding;
mod fio;
mod fitness;
mod fleet;
mod gauge;
mod head;
mod history;
mod in_kind;
mod inventory;
mod kind;
mod layers;
mod layout;
mod limit;
mod line;
mod listing;
mod load;
mod load_beside;
mod load_curve;
mod load_plan;
mod loads_beside;
mod network;
mod nodes;
mod options;
mod owed;
mod pgbench;
mod pipeline;
mod plan;
mod platform_plan;
mod platform_proof;
mod price;
mod promise;
mod published;
mod render;
mod repetition;
mod run_line;
mod runs;
mod scalability;
mod scale;
mod screen;
mod scripts;
mod sheet;
mod shell_word;
mod sizing;
mod steadiness;
mod storage;
mod streams;
mod style;
mod summary;
mod system;
mod times;
mod topology;
mod transaction_types;
mod verdict;
mod view;
mod wake_up;
mod warning;
mod words;

pub use activity::{activity, activity_csv};
pub use archive::{
    HistoryNow, ListView, Listed, LiveRecord, LiveView, Place, PlanView, RunState, ServerRun, SideView, Unread,
    archive_json, file_name, history_choice, list, live, note_page, plan_form, problem, side,
};
pub use beside::Beside;
pub use comparison::{ComparisonView, comparison, comparison_csv, comparison_junit, violation_text};
pub use data::{csv, inventory_json, json};
pub use document::{Document, Way};
pub use figure::number;
pub use finding::{CheckWords, check_words, finding_text};
pub use fio::{FioJson, fio_json};
pub use fleet::{fleet_check, resume_command, run_command};
pub use history::{history, history_csv};
pub use inventory::inventory;
pub use layers::{LayersQuery, layers, layers_csv};
pub use layout::clean;
pub use limit::{proof_text, unproved_text};
pub use listing::listing;
pub use load_plan::{ByteUnits, LoadPlanView, LoadPredictionView, RequestedLoad, load_plan, load_prediction};
pub use options::SheetOptions;
pub use pgbench::{PgbenchLines, pgbench_lines, pgbench_progress};
pub use plan::plan;
pub use platform_plan::platform_plan;
pub use price::prices;
pub use promise::{alert_text, month, month_csv, promise_text};
pub use published::{references, system};
pub use run_line::run_line;
pub use scale::{LoadCurve, ScaleQuery, ScaleView, scale};
pub use screen::{ShortText, has_workloads, short_text};
pub use sheet::{runs_in_detail, sheet};
pub use sizing::{SizingView, sizing, sizing_doubts, sizing_json};
pub use storage::{io_csv, io_plan_text};
pub use style::Style;
pub use summary::results;
pub use system::invalid_run_text;
pub use words::{dop, preset};

/// Runs that a text view lists one by one, at most.
const RUNS_LISTED_MAX: usize = 500;

/// The runs that a text view lists.
fn listed(record: &record::Record) -> impl Iterator<Item = &record::Run> {
    record.runs.iter().take(RUNS_LISTED_MAX)
}

/// The rows about runs that a text view lists.
fn listed_parts<'a, T>(rows: impl Iterator<Item = tables::Part<'a, T>>) -> impl Iterator<Item = tables::Part<'a, T>> {
    rows.take_while(|row| row.place < RUNS_LISTED_MAX)
}

/// The narrowest layout; on a narrower terminal lines wrap.
const PAGE_WIDTH_MIN: usize = 60;

/// The widest layout: longer lines are hard to follow.
const PAGE_WIDTH_MAX: usize = 120;

/// The width that a view is laid out for on a device `width` columns wide.
fn page_width(width: usize) -> usize {
    width.clamp(PAGE_WIDTH_MIN, PAGE_WIDTH_MAX)
}
