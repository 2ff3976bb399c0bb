//! Writes the JSON Schema of a record to standard output:
//! `cargo run -p dbdyno-store --example schema > schema/record-v2.json`.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    write!(io::stdout(), "{}", dbdyno_store::schema_text())
}
