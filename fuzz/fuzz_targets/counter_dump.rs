//! Any bytes as dumps of counters, or as a summary of a log: a load profile that is consistent, or a refusal.

#![no_main]

use history::Form;
use libfuzzer_sys::fuzz_target;

#[path = "../src/load_profile.rs"]
mod load_profile;

const FORMS: &[Form] = &[Form::StatisticsViews, Form::GlobalStatus, Form::Badger];

fuzz_target!(|bytes: &[u8]| load_profile::read(bytes, FORMS));
