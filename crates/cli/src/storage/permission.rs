//! What may be destroyed, and who said so.

use std::io::{BufRead, IsTerminal, stdin};
use std::path::{Path, PathBuf};

use run::{Error, Permission, Result};

use crate::arguments::io::LocationArguments;
use crate::output::note;

/// What stands for a device that was not named again: it is asked for.
pub const ASK: &str = "-";

/// What may be touched beyond files of dbdyno's own; asks where `writes` are not confirmed yet.
///
/// # Errors
/// Where the user did not confirm.
pub fn permission(arguments: &LocationArguments, writes: &[PathBuf]) -> Result<Permission> {
    let mut destroy = Vec::new();
    for path in &arguments.destroy_data {
        match path == Path::new(ASK) {
            false if !arguments.device.contains(path) => {
                return Err(Error::user(format!("--destroy-data {} is not a --device", path.display()))
                    .hint("name the device twice: --device PATH --destroy-data PATH"));
            }
            false => destroy.push(path.clone()),
            true => {
                for device in writes.iter().filter(|device| arguments.device.contains(device)) {
                    if arguments.yes || typed_again(device)? {
                        destroy.push(device.clone());
                    }
                }
            }
        }
    }
    Ok(Permission { devices: arguments.device.clone(), destroy })
}

fn typed_again(device: &Path) -> Result<bool> {
    let shown = device.display().to_string();
    if !stdin().is_terminal() {
        return Err(Error::user(format!("nobody confirms that the data on {shown} may be destroyed"))
            .hint(format!("say --destroy-data {shown}, or --destroy-data --yes")));
    }
    note(&format!("This destroys all data on {shown}. Type its name to go on:"));
    let mut answer = String::new();
    stdin().lock().read_line(&mut answer).map_err(|error| Error::environment(format!("no answer: {error}")))?;
    match answer.trim() == shown {
        true => Ok(true),
        false => Err(Error::user(format!("{shown} was not confirmed")).hint("nothing was written")),
    }
}
