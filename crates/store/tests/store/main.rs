//! Records on disk, by the public interface.

mod file;
mod impossible;
mod impossible_streams;
mod listing;
mod sample;
mod schema;
mod storage;
