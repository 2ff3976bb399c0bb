//! Views of a sample record, as a reader sees them.

mod activity;
mod activity_sample;
mod any_record;
mod data_sample;
mod file_streams;
mod finding_sample;
mod findings;
mod fio;
mod format;
mod layers;
mod layers_sample;
mod load_curve;
mod loads;
mod long_codes;
mod platform;
mod platform_sample;
mod random_blocks;
mod run_sample;
mod sample;
mod sheet;
mod short;
mod storage;
mod storage_plan;
mod storage_sample;
mod test_sample;
