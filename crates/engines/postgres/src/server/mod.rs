//! The throwaway server behind `local:postgres`: a cluster in the measured directory, reached over a private Unix
//! socket, sized to the host, run by an unprivileged user, and removed at the end.

mod cluster;
mod find;
mod leftover;
mod log;
mod machine;
mod parameter;
mod place;
mod privilege;
mod process;
mod settings;
mod state;

use std::path::PathBuf;
use std::process::Child;

use engine::{Error, Kind, Result, Site, Target};
use rustix::process::Signal;

use self::cluster::Crew;
use self::find::Wish;
use self::machine::Machine;
use self::parameter::Parameters;
use self::place::{Lock, Place};
use self::privilege::Identity;
use self::process::Process;
use self::settings::Sizing;
use self::state::State;

pub(crate) use self::leftover::clean_up;

/// The role that `initdb` makes; it may do everything.
const USER: &str = "dbdyno";
/// A database that every cluster has.
const DATABASE: &str = "postgres";
/// Part of the name of the socket.
const PORT: u16 = 5432;

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
    place: Place,
    state: State,
    /// What a drop is to do with the data.
    keep: bool,
    /// Both are there until the server is stopped.
    running: Option<(Child, Lock)>,
}

/// Starts a server in `site.directory`: on a new cluster, or on one that was kept there.
///
/// # Errors
/// `Missing` without programs, `Usage` for parameters that cannot be, `NotOurs` where the place is taken by something
/// else, `Space` where it cannot be written, `Unreachable` where the server does not start.
pub(crate) fn start(target: &Target, site: &Site) -> Result<Cluster> {
    let parameters = Parameters::of(target)?;
    let place = Place::of(&site.directory)?;
    let lock = place.claim()?;
    let kept = match take_over(&place) {
        Ok(kept) => kept,
        Err(error) => {
            place.leave(lock);
            return Err(error);
        }
    };
    let kept_before = kept.is_some();
    let mut state = State {
        boot: process::boot(),
        owner: Process::own(),
        data: place.data.clone(),
        kept: kept_before && site.keep,
        ..State::default()
    };
    match build(&parameters, site, &place, &mut state, kept_before) {
        Ok(child) => Ok(Cluster {
            socket_directory: state.socket.clone().unwrap_or_default(),
            port: PORT,
            user: USER.to_owned(),
            database: DATABASE.to_owned(),
            postmaster_pid: child.id(),
            data_directory: place.data.clone(),
            place,
            state,
            keep: site.keep,
            running: Some((child, lock)),
        }),
        Err(error) => {
            // A kept cluster stays as it was: what failed is this start.
            let undone = leftover::sweep(&place, &State { kept: kept_before, ..state });
            place.leave(lock);
            Err(match undone {
                Ok(_) => error,
                Err(other) => Error { message: format!("{}; then {}", error.message, other.message), ..error },
            })
        }
    }
}

/// What is there already: none for a new place, the state of a cluster that was kept. Removes what a dead invocation
/// left.
fn take_over(place: &Place) -> Result<Option<State>> {
    let Some(state) = State::read(&place.state)? else { return Ok(None) };
    if state.owner_is_alive() {
        let pid = state.owner.map_or(0, |owner| owner.pid);
        let message = format!("directory {} is in use by process {pid}", place.root.display());
        return Err(Error::new(Kind::Usage, message).hint("wait until it has ended, or give another --dir"));
    }
    if !state.is_put_away() {
        leftover::sweep(place, &state)?;
    }
    Ok(state.kept.then_some(state))
}

/// Makes or takes the cluster and starts its server; `state` holds at every moment what would have to be undone.
fn build(parameters: &Parameters, site: &Site, place: &Place, state: &mut State, kept: bool) -> Result<Child> {
    let kept_major = if kept { Some(cluster::kept_major(&place.data)?) } else { None };
    let wish = Wish { directory: parameters.bin.as_deref(), major: parameters.version.or(kept_major) };
    let programs = find::find(wish)?;
    let asked_user = parameters.os_user.as_deref();
    let identity = if kept { Identity::of_owner(&place.data, asked_user)? } else { Identity::choose(asked_user)? };
    let crew = Crew { programs: &programs, identity: &identity, place };
    state.site_mode = identity.let_through(&place.site)?;
    state.write(&place.state)?;
    crew.check_settings(&parameters.settings)?;
    let socket = place.make_socket_directory(&place::shared_socket_parents(identity.other))?;
    state.socket = Some(socket.clone());
    state.write(&place.state)?;
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
        state.postmaster = Process::of(child.id());
        state.write(&place.state)?;
        crew.await_ready(&mut child, &socket, &parameters.settings)
    };
    match ready() {
        Ok(()) => Ok(child),
        Err(error) => {
            end(&mut child, Signal::QUIT);
            Err(error)
        }
    }
}

/// Ends the server and waits for it; false if it outlives every signal.
fn end(child: &mut Child, first: Signal) -> bool {
    let ended = Process::of(child.id()).is_none_or(|process| process.end(first));
    if ended {
        // It has ended, so this only takes its exit status away.
        let _ = child.wait();
    }
    ended
}

impl Cluster {
    /// Stops the server; removes the cluster, or with `keep` leaves it for a later start in the same directory.
    ///
    /// # Errors
    /// Where the server cannot be stopped or something cannot be removed.
    pub(crate) fn stop(mut self, keep: bool) -> Result<()> {
        self.shut_down(keep)
    }

    fn shut_down(&mut self, keep: bool) -> Result<()> {
        let Some((mut child, lock)) = self.running.take() else { return Ok(()) };
        // With a last checkpoint where the data stay: the next start need not repeat the log.
        let ended = end(&mut child, if keep { Signal::INT } else { Signal::QUIT });
        let swept = match ended {
            true => leftover::sweep(&self.place, &State { kept: keep, ..self.state.clone() }).map(|_| ()),
            false => {
                let message = format!("server process {} cannot be stopped", self.postmaster_pid);
                Err(Error::new(Kind::Lost, message).hint("stop it by hand; the next start removes what it leaves"))
            }
        };
        self.place.leave(lock);
        swept
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Nobody is left to hear of an error; the next start finds what could not be removed and says so.
        let _ = self.shut_down(self.keep);
    }
}

#[cfg(test)]
mod tests;
