//! Completion scripts, manual pages, and the schema of a record.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;
use run::{Error, Result};

use super::Arguments;
use crate::output::print_data;

/// Prints the completion script of `shell`.
///
/// # Errors
/// Where the output cannot be written.
pub fn completions(shell: Shell) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "dbdyno", &mut script);
    print_data(&String::from_utf8_lossy(&script))
}

/// Prints the manual page, or writes the pages of all commands into `out`.
///
/// # Errors
/// Where the output cannot be written.
pub fn man(out: Option<&Path>) -> Result<()> {
    let refused = |error: std::io::Error| Error::environment(format!("the manual cannot be written: {error}"));
    match out {
        Some(directory) => std::fs::create_dir_all(directory)
            .and_then(|()| clap_mangen::generate_to(Arguments::command(), directory))
            .map_err(refused),
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Arguments::command()).render(&mut page).map_err(refused)?;
            print_data(&String::from_utf8_lossy(&page))
        }
    }
}

/// Prints the JSON Schema of the lines of a record.
///
/// # Errors
/// Where the output cannot be written.
pub fn schema() -> Result<()> {
    print_data(&store::schema_text(store::Form::Line))
}
