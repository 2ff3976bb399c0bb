//! The command line: arguments and wiring. The only crate that names engines, and the only one that exits.

mod agent_target;
mod agents;
mod arguments;
mod build;
mod command;
mod encryption;
mod engines;
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

use arguments::{Arguments, Command};
use clap::Parser;

fn main() -> ExitCode {
    encryption::choose_library();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return output::refused(&error),
    };
    let result = match &arguments.command {
        Command::Run(arguments) => command::run::run(arguments),
        Command::Pair(arguments) => command::pair::pair(arguments),
        Command::Blocks(arguments) => command::blocks::blocks(arguments),
        Command::Load(arguments) => command::load::load(arguments),
        Command::Streams(arguments) => command::streams::streams(arguments),
        Command::Io(arguments) => command::io::io(arguments),
        Command::Calibrate(arguments) => command::calibrate::calibrate(arguments),
        Command::Network(arguments) => command::network::network(arguments),
        Command::Prove(arguments) => command::prove::prove(arguments),
        Command::Generate(arguments) => command::generate::generate(arguments),
        Command::Inventory(arguments) => command::inventory::inventory(arguments),
        Command::Fabric(arguments) => command::fabric::fabric(arguments),
        Command::Fleet(arguments) => command::fleet::fleet(arguments),
        Command::Agent(arguments) => command::agent::agent(arguments),
        Command::List(arguments) => command::list::list(arguments),
        Command::Report(arguments) => command::report::report(arguments),
        Command::Compare(arguments) => command::compare::compare(arguments),
        Command::Model(arguments) => command::model::model(arguments),
        Command::History(arguments) => command::history::history(arguments),
        Command::Export(arguments) => command::export::export(arguments),
        Command::Clean(arguments) => command::clean::clean(arguments),
        Command::Completions { shell } => command::manual::completions(*shell),
        Command::Man { out } => command::manual::man(out.as_deref()),
        Command::Schema => command::manual::schema(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output::failed(&error),
    }
}
