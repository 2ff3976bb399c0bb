//! Any bytes as statistics of a host: a load profile that is consistent, or a refusal.

#![no_main]

use history::Form;
use libfuzzer_sys::fuzz_target;

#[path = "../src/load_profile.rs"]
mod load_profile;

const FORMS: &[Form] = &[Form::Sadf, Form::Sar, Form::Iostat, Form::IostatJson];

fuzz_target!(|bytes: &[u8]| load_profile::read(bytes, FORMS));
