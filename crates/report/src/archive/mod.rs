//! An archive of records in a browser: the list, what goes on, systems side by side, a run to plan, notes.
//!
//! The pages of records, comparisons and histories are those of [`crate::sheet`], [`crate::comparison`] and
//! [`crate::history`]; links lead to them.

mod history;
mod list;
mod live;
mod note;
mod place;
mod plan;
mod problem;
mod production;
mod server_run;
mod side;

pub use history::history_choice;
pub use list::{ListView, Listed, Unread, archive_json, list};
pub use live::{LiveRecord, LiveView, live};
pub use note::note_page;
pub use place::{Place, file_name};
pub use plan::{PlanView, plan_form};
pub use problem::problem;
pub use production::HistoryNow;
pub use server_run::{RunState, ServerRun};
pub use side::{SideView, side};
