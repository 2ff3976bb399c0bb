//! One file per verb.

pub mod agent;
pub mod blocks;
pub mod calibrate;
pub mod clean;
pub mod compare;
pub mod export;
pub mod fabric;
pub mod fleet;
pub mod generate;
pub mod history;
pub mod inventory;
pub mod io;
pub mod list;
pub mod load;
pub mod manual;
pub mod model;
pub mod network;
pub mod pair;
pub mod prove;
pub mod records;
pub mod report;
pub mod run;
pub mod streams;
