//! One file per verb.

pub mod activity;
pub mod blocks;
pub mod calibrate;
pub mod clean;
pub mod compare;
pub mod export;
mod gate;
pub mod generate;
pub mod history;
pub mod inventory;
pub mod io;
pub mod layers;
pub mod list;
pub mod load;
pub mod manual;
pub mod model;
pub mod pair;
pub mod places;
pub mod report;
pub mod run;
pub mod streams;
pub mod subject;
