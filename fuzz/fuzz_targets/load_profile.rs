//! Any bytes as a load profile: what is read is written and read as the same, merged, held against a platform and replayed in kind.

#![no_main]

use libfuzzer_sys::fuzz_target;
use model::sizing::{Growth, Platform, history, in_kind, merged, size};
use record::{Bytes, LoadLevel};

fuzz_target!(|bytes: &[u8]| {
    let Ok(profile) = store::parse_load_profile(bytes) else { return };
    let text = store::load_profile_text(&profile);
    assert_eq!(store::parse_load_profile(text.as_bytes()).expect("what was written can be read"), profile);
    let profile = merged(vec![profile]);
    let history = history(&profile);
    let sizing = size(&history, Platform::default(), Growth::NONE);
    assert!(sizing.resources.is_empty(), "nothing is known of the platform");
    for level in [LoadLevel::P95, LoadLevel::P99, LoadLevel::Max, LoadLevel::Peak] {
        let Ok(load) = in_kind(&history, level, 1.0, Bytes(192)) else { continue };
        let jobs: u32 = load.roles.iter().map(|role| role.jobs).sum();
        assert_eq!(jobs, load.sessions, "each session has a role");
        workload::Test::of_load_in_kind(&load).expect("its numbers make a test");
    }
});
