//! Any text as a platform on paper: bounds that can be printed, or a refusal with its line.

#![no_main]

use libfuzzer_sys::fuzz_target;
use reference::platform_plan;
use report::Style;

fuzz_target!(|text: &str| match platform_plan(text, "fuzz.toml") {
    Ok(plan) => {
        let shown = report::platform_plan(&plan).text(Style::default(), 80);
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
        assert!(!shown.contains("NaN") && !shown.contains("inf "), "{shown}");
    }
    Err(error) => assert!(error.line.is_none_or(|line| (1..=text.lines().count() + 1).contains(&line)), "{error}"),
});
