//! Writes the JSON Schemas of a record into a directory: `cargo run -p dbdyno-store --example schema -- schema`.

use std::fs;
use std::path::Path;

use dbdyno_store::{Form, schema_text};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).ok_or("give the directory")?;
    for form in [Form::Line, Form::Document] {
        fs::write(Path::new(&directory).join(form.file_name()), schema_text(form))?;
    }
    Ok(())
}
