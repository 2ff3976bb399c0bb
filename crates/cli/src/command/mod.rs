//! One file per verb, and what two of them have in common.

pub mod calibrate;
pub mod clean;
pub mod ground;
pub mod inventory;
pub mod io;
pub mod job;
pub mod list;
pub mod manual;
pub mod report;
pub mod run;
pub mod site;
