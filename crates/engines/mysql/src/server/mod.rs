//! The throwaway server behind `local:mariadb`: data in the measured directory, reached over a private Unix socket only,
//! sized to the host, run by an unprivileged user, and removed at the end.

mod crew;
mod find;
mod log;
mod parameter;
mod settings;

use std::path::{Path, PathBuf};
use std::process::Child;

use engine::server::{Identity, Machine, Place, Process, Product, Running, Signal, State, end, shared_socket_parents};
use engine::{Result, Site, Target};

use self::crew::Crew;
use self::parameter::Parameters;
use self::settings::Sizing;

/// The account that the installation makes; it may do everything, and is asked for no password.
pub(crate) const USER: &str = "root";

static PRODUCT: Product = Product {
    name: "mariadb",
    socket_name: "mysqld.sock",
    users: &["mysql", "nobody"],
    variables: &["MYSQL", "MARIADB", "DBI_", "UMASK"],
    data_option: "--datadir=",
    stop_in_order: Signal::TERM,
    // There is no quick way but this; the log repairs what is kept.
    stop_at_once: Signal::KILL,
};

/// A running server that dbdyno started. It is stopped when this is dropped.
#[derive(Debug)]
pub(crate) struct Cluster {
    /// Its Unix socket.
    pub(crate) socket: PathBuf,
    /// Its process.
    pub(crate) pid: u32,
    /// Where the data lie.
    pub(crate) data_directory: PathBuf,
    running: Running,
}

/// Starts a server in `site.directory`: on new data, or on data that were kept there.
///
/// # Errors
/// `Missing` without programs, `Usage` for parameters that cannot be, `NotOurs` where the place is taken by something
/// else, `Space` where it cannot be written, `Unreachable` where the server does not start.
pub(crate) fn start(target: &Target, site: &Site) -> Result<Cluster> {
    let parameters = Parameters::of(target)?;
    let running = Running::start(&PRODUCT, site, |place, state, kept| build(&parameters, site, place, state, kept))?;
    Ok(Cluster {
        socket: running.state.socket.clone().unwrap_or_default().join(PRODUCT.socket_name),
        pid: running.pid,
        data_directory: running.place.data.clone(),
        running,
    })
}

/// Stops and removes what a dead invocation left in `directory`; says what it did, a line each.
pub(crate) fn clean_up(directory: &Path) -> Result<Vec<String>> {
    engine::server::clean_up(&PRODUCT, directory)
}

/// Makes or takes the data and starts the server; `state` holds at every moment what would have to be undone.
fn build(parameters: &Parameters, site: &Site, place: &Place, state: &mut State, kept: bool) -> Result<Child> {
    let programs = find::find(parameters.bin.as_deref())?;
    let asked_user = parameters.os_user.as_deref();
    let identity = if kept { Identity::of_owner(place, asked_user)? } else { Identity::choose(&PRODUCT, asked_user)? };
    let crew = Crew { programs: &programs, identity: &identity, place };
    state.site_mode = identity.let_through(&place.site)?;
    state.write(place)?;
    crew.check_settings(&parameters.settings)?;
    let directory = place.make_socket_directory(&shared_socket_parents(identity.other))?;
    state.socket = Some(directory.clone());
    state.write(place)?;
    identity.give(&directory)?;
    if !kept {
        crew.make(&parameters.settings)?;
    }
    let sizing = Sizing {
        machine: Machine::here(&place.site),
        cache_bytes: site.cache_bytes.map(|bytes| bytes.0),
        sessions_max: u64::from(site.sessions_max),
    };
    let socket = directory.join(PRODUCT.socket_name);
    crew.configure(&settings::configuration(&sizing, &socket.to_string_lossy(), &parameters.settings))?;
    let mut child = crew.launch()?;
    let mut ready = || -> Result<()> {
        state.server = Process::of(child.id());
        state.write(place)?;
        crew.await_ready(&mut child, &socket, &parameters.settings)
    };
    match ready() {
        Ok(()) => Ok(child),
        Err(error) => {
            end(&mut child, if kept { PRODUCT.stop_in_order } else { PRODUCT.stop_at_once });
            Err(error)
        }
    }
}

impl Cluster {
    /// Stops the server; removes the data, or with `keep` leaves them for a later start in the same directory.
    ///
    /// # Errors
    /// Where the server cannot be stopped or something cannot be removed.
    pub(crate) fn stop(self, keep: bool) -> Result<()> {
        self.running.stop(keep)
    }
}

#[cfg(test)]
mod tests;
