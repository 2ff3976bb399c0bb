//! Records on disk, seen from outside.

mod file;
mod listing;
mod sample;
mod schema;
mod storage;
