//! One file per verb.

pub mod clean;
pub mod inventory;
pub mod list;
pub mod manual;
pub mod report;
pub mod run;
