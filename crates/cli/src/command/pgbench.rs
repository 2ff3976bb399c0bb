//! `dbdyno pgbench`: a command line of pgbench, measured as `dbdyno run` measures scripts, with the closing lines of pgbench.

use clap::Parser;
use run::{Error, Measured, Result};
use workload::script::{Mistake, builtin_script};

use crate::arguments::pgbench::PgbenchArguments;
use crate::command::run::{judge_failures, measured_by};
use crate::command::{Arguments, Command};
use crate::output::{note, print_data};
use crate::sheet::show_beside;

/// Carries out `dbdyno pgbench`.
///
/// # Errors
/// As `dbdyno run`, and options of pgbench that dbdyno has not.
pub fn pgbench(arguments: &PgbenchArguments) -> Result<()> {
    if let Some(name) = &arguments.show_script {
        let script = builtin_script(name).map_err(|Mistake { message, hint }| Error::user(message).hint(hint))?;
        return print_data(script.text);
    }
    let words = arguments.run_words()?;
    let parsed = Arguments::try_parse_from(words);
    let parsed = parsed.map_err(|error| Error::user(problem(&error.to_string())))?;
    let Command::Run(run) = parsed.command else { return Ok(()) };
    let Some(measured) = measured_by(&run, None)? else { return Ok(()) };
    if arguments.initialize {
        return initialized(measured, arguments);
    }
    let progress = arguments.progress.map(|every_s| report::pgbench_progress(&measured.record, every_s));
    progress.iter().flat_map(|text| text.lines()).for_each(note);
    print_data(&report::pgbench_lines(&measured.record, &arguments.lines()))?;
    show_beside(&measured, &run.output, None)?;
    judge_failures(measured)
}

/// After the tables were made: the one step that came with it is no measurement, and leaves no record.
fn initialized(measured: Measured, arguments: &PgbenchArguments) -> Result<()> {
    let path = measured.path.clone();
    judge_failures(measured)?;
    std::fs::remove_file(&path)
        .map_err(|error| Error::environment(format!("record {} cannot be removed: {error}", path.display())))?;
    let scale = arguments.scale.unwrap_or(1);
    note(&format!("done: the tables of the built-in scripts at scale factor {scale} are in the schema of dbdyno"));
    Ok(())
}

/// What is wrong, without the usage of another command.
fn problem(error: &str) -> String {
    let line = error.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}
