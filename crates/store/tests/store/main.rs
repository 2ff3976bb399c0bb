//! Records on disk, seen from outside.

mod file;
mod impossible;
mod impossible_streams;
mod listing;
mod sample;
mod schema;
mod storage;
