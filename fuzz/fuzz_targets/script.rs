//! Any text as a script of pgbench: compiled, or a mistake with its line, never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use record::{Script, Scripts};
use workload::Test;

fuzz_target!(|text: &str| {
    let script = Script { name: "a.sql".to_owned(), weight: 1, text: text.to_owned() };
    let scripts = Scripts { scripts: vec![script], ..Scripts::default() };
    if let Ok(test) = Test::of_scripts(&scripts) {
        let _ = (test.changes(), test.reads_too());
    }
});
