//! Any text as a script of pgbench: compiled, or a mistake with its line, never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use record::{Script, Scripts};
use workload::Test;

fuzz_target!(|text: &str| {
    let script = Script::new("a.sql", 1, text);
    let scripts = Scripts { scripts: vec![script], ..Scripts::default() };
    if let Ok(test) = Test::of_scripts(&scripts) {
        let _ = (test.changes(), test.reads_too());
    }
});
