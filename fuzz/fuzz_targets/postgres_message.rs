//! Any bytes as what a PostgreSQL server says: to a login, to statements, to the questions of a node.

#![no_main]

use libfuzzer_sys::fuzz_target;
use postgres::fuzz::{Questions, ask};

fuzz_target!(|bytes: &[u8]| {
    let Some((first, said)) = bytes.split_first() else { return };
    let questions = [Questions::Login, Questions::Statements, Questions::Node][usize::from(first % 3)];
    // Sessions of older versions wait before they publish their counters.
    let _ = ask(questions, 15 + first / 3 % 4, said);
});
