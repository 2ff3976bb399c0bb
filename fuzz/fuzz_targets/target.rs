//! Any text as a target, or as the lines of a list of nodes: what is shown of it is read as the same again, and no
//! password is shown.

#![no_main]

use engine::{Secret, Target};
use libfuzzer_sys::fuzz_target;

// Files are not opened here.
#[allow(dead_code)]
#[path = "../../crates/cli/src/target.rs"]
mod list;

mod engines {
    /// The schemes of the engines that are told what was parsed.
    pub fn is_scheme(scheme: &str) -> bool {
        ["postgres", "postgresql", "mysql", "mariadb", "oracle"].contains(&scheme)
    }

    pub fn of_keywords(text: &str) -> Option<engine::Result<engine::Target>> {
        postgres::keywords::of(text)
    }
}

fuzz_target!(|text: &str| {
    let target = match text.split_once('\n') {
        None => engines::of_keywords(text).map_or_else(|| text.parse().ok(), Result::ok),
        Some(_) => list::of_lines(text, "nodes").ok(),
    };
    let Some(target) = target else { return };
    let shown = target.to_string();
    let again: Result<Target, _> = shown.parse();
    let expected = Target { password: None, ..target.clone() };
    assert_eq!(again.as_ref(), Ok(&expected), "{shown:?}");
    let word = Target { password: Some(Secret::new("\u{1f511}")), ..target.clone() };
    assert_eq!(word.to_string(), shown);
    let _ = (postgres::fuzz::complete(&target), mysql::fuzz::complete(&target), oracle::fuzz::complete(&target));
});
