//! One file per verb.

pub mod calibrate;
pub mod clean;
pub mod inventory;
pub mod io;
pub mod list;
pub mod manual;
pub mod report;
pub mod run;
