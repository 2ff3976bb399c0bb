//! Writes the JSON Schemas of records and load profiles into a directory: `cargo run -p dbdyno-store --example schema -- schema`.

use std::fs;
use std::path::Path;

use dbdyno_store::{Form, schema_text};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).ok_or("give the directory")?;
    for form in [Form::Line, Form::Document, Form::LoadProfile] {
        fs::write(Path::new(&directory).join(form.file_name()), schema_text(form))?;
    }
    Ok(())
}
