//! The command line: arguments and wiring. The only crate that names engines, and the only one that exits.

mod agent_target;
mod agents;
mod arguments;
mod build;
mod command;
mod encryption;
mod engines;
mod like;
mod load_files;
mod load_points;
mod measuring;
mod new_record;
mod output;
mod own_directory;
mod pace;
mod page;
mod progress;
mod request;
mod secret;
mod sheet;
mod signal;
mod storage;
mod subject;
mod target;

use std::process::ExitCode;

use clap::Parser;
use command::Arguments;

fn main() -> ExitCode {
    encryption::choose_library();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return output::refused(&error),
    };
    match arguments.command.carry_out() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output::failed(&error),
    }
}
