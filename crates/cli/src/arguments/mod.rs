//! Options that several verbs have or that other code reads; those of one verb stand with what it does, in [`crate::command`].

pub mod agents;
pub mod choice;
#[cfg(test)]
mod documented;
pub mod io;
pub mod like;
pub mod load_beside;
pub mod model;
pub mod observe;
pub mod output;
pub mod pace;
pub mod pair;
pub mod pgbench;
#[cfg(test)]
mod reference_pages;
pub mod run;
pub mod script;
pub mod setup;
pub mod signed;
pub mod value;
