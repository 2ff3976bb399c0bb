//! Views of a sample record, as a reader sees them.

mod any_record;
mod fio;
mod format;
mod platform;
mod sample;
mod sheet;
mod storage;
mod storage_sample;
