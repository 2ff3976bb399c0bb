//! Views of a sample record, as a reader sees them.

mod any_record;
mod data_sample;
mod fio;
mod format;
mod platform;
mod platform_sample;
mod sample;
mod sheet;
mod storage;
mod storage_plan;
mod storage_sample;
