//! Agents of this program: how they are started, what they say of themselves, and their directories.

use std::path::Path;

use fleet::Deployment;
use record::{Hello, PROTOCOL_VERSION, SCHEMA_VERSION, Tool};
use run::{Error, Result};
use tempfile::TempDir;

use crate::build::build;

/// `count` agents of this program on this machine, which use `directory`.
///
/// # Errors
/// Where they cannot be started, do not join, or are interrupted.
pub fn deployment(count: u32, directory: &Path, is_interrupted: &dyn Fn() -> bool) -> Result<Deployment> {
    let directory = directory.display().to_string();
    // The same program, even if its file was replaced meanwhile.
    let program = Path::new("/proc/self/exe");
    let arguments = ["agent", "--join", "-", "--dir", &directory];
    let deployed = Deployment::on_this_machine(count, program, &arguments, &hello(), is_interrupted);
    deployed.map_err(|error| if is_interrupted() { Error::interrupted() } else { error.into() })
}

/// What an agent of this program says of itself.
pub fn hello() -> Hello {
    Hello {
        protocol_version: PROTOCOL_VERSION,
        schema_version: SCHEMA_VERSION,
        catalogue_crc32c: workload::catalogue_crc32c(),
        tool: Tool {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            optimised: !cfg!(debug_assertions),
            build: Some(build()),
        },
        boot_id: host::boot_id(),
        host: host::inventory(Path::new(".")),
    }
}

/// A directory below `parent` with a name that begins with `prefix`, which is removed with its content when it is dropped.
///
/// # Errors
/// Where it cannot be made.
pub fn temporary_directory(parent: &Path, prefix: &str) -> Result<TempDir> {
    tempfile::Builder::new().prefix(prefix).tempdir_in(parent).map_err(|error| {
        Error::environment(format!("no directory can be made in {}: {error}", parent.display()))
            .hint("give a --dir that may be written")
    })
}
