//! Records on disk, seen from outside.

mod file;
mod impossible;
mod listing;
mod sample;
mod schema;
mod storage;
