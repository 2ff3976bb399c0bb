//! The throwaway server behind `local:postgres`: a cluster in the measured directory, reached over a private Unix
//! socket, sized to the host, run by an unprivileged user, and removed at the end.

mod cluster;
mod find;
mod log;
mod parameter;
mod settings;

use std::path::{Path, PathBuf};
use std::process::Child;

use engine::server::{Identity, Machine, Place, Process, Product, Running, Signal, State, end, shared_socket_parents};
use engine::{Result, Site, Target};

use self::cluster::Crew;
use self::find::Wish;
use self::parameter::Parameters;
use self::settings::Sizing;

/// The role that `initdb` makes; it may do everything.
const USER: &str = "dbdyno";
/// A database that every cluster has.
const DATABASE: &str = "postgres";
/// Part of the name of the socket.
const PORT: u16 = 5432;

static PRODUCT: Product = Product {
    name: "postgres",
    socket_name: ".s.PGSQL.5432",
    users: &["postgres", "nobody"],
    variables: &["PG"],
    data_option: "-D",
    // Fast: with a last checkpoint. Immediate: without.
    stop_in_order: Signal::INT,
    stop_at_once: Signal::QUIT,
};

/// A running server that dbdyno started. It is stopped when this is dropped.
#[derive(Debug)]
pub(crate) struct Cluster {
    /// Directory of the Unix socket.
    pub(crate) socket_directory: PathBuf,
    /// Port, which is part of the socket's name.
    pub(crate) port: u16,
    /// Role to connect as; no password is asked.
    pub(crate) user: String,
    /// Database to connect to.
    pub(crate) database: String,
    /// The server's first process.
    pub(crate) postmaster_pid: u32,
    /// Where the data lie.
    pub(crate) data_directory: PathBuf,
    running: Running,
}

/// Starts a server in `site.directory`: on a new cluster, or on one that was kept there.
///
/// # Errors
/// `Missing` without programs, `Usage` for parameters that cannot be, `NotOurs` where the place is taken by something
/// else, `Space` where it cannot be written, `Unreachable` where the server does not start.
pub(crate) fn start(target: &Target, site: &Site) -> Result<Cluster> {
    let parameters = Parameters::of(target)?;
    let running = Running::start(&PRODUCT, site, |place, state, kept| build(&parameters, site, place, state, kept))?;
    Ok(Cluster {
        socket_directory: running.state.socket.clone().unwrap_or_default(),
        port: PORT,
        user: USER.to_owned(),
        database: DATABASE.to_owned(),
        postmaster_pid: running.pid,
        data_directory: running.place.data.clone(),
        running,
    })
}

/// Stops and removes what a dead invocation left in `directory`; says what it did, a line each.
pub(crate) fn clean_up(directory: &Path) -> Result<Vec<String>> {
    engine::server::clean_up(&PRODUCT, directory)
}

/// Makes or takes the cluster and starts its server; `state` holds at every moment what would have to be undone.
fn build(parameters: &Parameters, site: &Site, place: &Place, state: &mut State, kept: bool) -> Result<Child> {
    let kept_major = if kept { Some(cluster::kept_major(&place.data)?) } else { None };
    let wish = Wish { directory: parameters.bin.as_deref(), major: parameters.version.or(kept_major) };
    let programs = find::find(wish)?;
    let asked_user = parameters.os_user.as_deref();
    let identity = if kept { Identity::of_owner(place, asked_user)? } else { Identity::choose(&PRODUCT, asked_user)? };
    let crew = Crew { programs: &programs, identity: &identity, place };
    state.site_mode = identity.let_through(&place.site)?;
    state.write(place)?;
    crew.check_settings(&parameters.settings)?;
    let socket = place.make_socket_directory(&shared_socket_parents(identity.other))?;
    state.socket = Some(socket.clone());
    state.write(place)?;
    identity.give(&socket)?;
    match kept {
        true => crew.check_kept(parameters.data_checksums)?,
        // Version 18 has them by default; figures of different versions shall compare.
        false => crew.make(parameters.data_checksums.unwrap_or(true), site.keep)?,
    }
    let sizing = Sizing {
        machine: Machine::here(&place.site),
        major: programs.major,
        cache_bytes: site.cache_bytes.map(|bytes| bytes.0),
        sessions_max: u64::from(site.sessions_max),
    };
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
            end(&mut child, PRODUCT.stop_at_once);
            Err(error)
        }
    }
}

impl Cluster {
    /// Stops the server; removes the cluster, or with `keep` leaves it for a later start in the same directory.
    ///
    /// # Errors
    /// Where the server cannot be stopped or something cannot be removed.
    pub(crate) fn stop(self, keep: bool) -> Result<()> {
        self.running.stop(keep)
    }
}

#[cfg(test)]
mod tests;
