//! Any text as a slob.conf: settings or a refusal, never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use workload::blocks::{BlocksSettings, assignments};

fuzz_target!(|text: &str| {
    let mut settings = BlocksSettings::default();
    for one in assignments(text).unwrap_or_default() {
        let _ = settings.set(&one.name, &one.name, &one.value);
    }
    let _ = (settings.check(), settings.remarks());
});
