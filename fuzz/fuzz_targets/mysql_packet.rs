//! Any bytes as what a MariaDB or MySQL server says: to a login, to statements, to the questions of a node.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mysql::fuzz::{Questions, ask};

fuzz_target!(|bytes: &[u8]| {
    let Some((first, said)) = bytes.split_first() else { return };
    let questions = [Questions::Login, Questions::Statements, Questions::Node][usize::from(first % 3)];
    let _ = ask(questions, first / 3 % 2 == 0, said);
});
