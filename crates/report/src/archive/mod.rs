//! An archive of records in a browser: the list, what goes on, systems side by side, a run to plan, notes.
//!
//! The pages of records, comparisons and histories are those of [`crate::sheet`], [`crate::comparison`] and
//! [`crate::history`]; links lead to them.

mod list;
mod live;
mod note;
mod place;
mod plan;
mod problem;
mod side;

pub use list::{ListView, Listed, Unread, archive_json, list};
pub use live::{LiveRecord, live};
pub use note::note_page;
pub use place::{Place, file_name};
pub use plan::{PlanView, plan_form};
pub use problem::problem;
pub use side::{SideView, side};
