//! The temporary servers behind `local:mariadb` and `local:mysql`: data in the measured directory, reached over a private
//! Unix socket only, sized to the host, run by an unprivileged user, and removed at the end.

mod blueprint;
mod find;
mod galera;
mod group;
mod launcher;
mod log;
mod parameter;
mod settings;

use std::path::{Path, PathBuf};
use std::process::Child;

use engine::{Result, Target, Workspace};
use server::{Place, Process, Runner, Running, Sizing, State, end_process};

use self::blueprint::Blueprint;
use self::launcher::Launcher;
use self::parameter::Parameters;
use crate::flavour::Flavour;

/// The account that the installation makes; it may do everything, and is asked for no password.
pub(crate) const USER: &str = "root";

/// A running server that dbdyno started. It is stopped when this is dropped.
#[derive(Debug)]
pub(crate) struct Cluster {
    /// Its Unix socket.
    pub(crate) socket: PathBuf,
    /// Its process.
    pub(crate) pid: u32,
    /// Where the data lie.
    pub(crate) data_directory: PathBuf,
    /// What it is called beside others; empty where it is alone.
    pub(crate) name: String,
    /// Whether its data are a copy of those of another one, which is the one that is kept.
    is_copy: bool,
    running: Running,
}

/// Starts as many servers of `flavour` as `target` asks for in `site.directory`: on new data, or on data that were kept
/// there.
///
/// # Errors
/// `Missing` without programs, `Usage` for parameters that cannot be, `NotOurs` where the place is taken by something
/// else, `Space` where it cannot be written, `Unreachable` where a server does not start.
pub(crate) fn start(flavour: Flavour, target: &Target, workspace: &Workspace) -> Result<Vec<Cluster>> {
    let parameters = Parameters::of(target, Blueprint::of(flavour))?;
    let running = match parameters.nodes {
        1 => {
            let product = &parameters.blueprint.products[0];
            vec![Running::start(product, workspace, |place, state, kept| {
                alone(&parameters, workspace, place, state, kept)
            })?]
        }
        _ => group::start(&parameters, workspace)?,
    };
    let names = (1..).map(|number| if parameters.nodes == 1 { String::new() } else { format!("node{number}") });
    Ok(running
        .into_iter()
        .zip(names)
        .enumerate()
        .map(|(place, (running, name))| Cluster::of(running, name, place > 0))
        .collect())
}

/// Stops and removes what a dead invocation left of `flavour` in `directory`; says what it did, a line each.
pub(crate) fn clean_up(flavour: Flavour, directory: &Path) -> Result<Vec<String>> {
    let mut said = Vec::new();
    for product in Blueprint::of(flavour).products {
        said.extend(server::clean_up(product, directory)?);
    }
    Ok(said)
}

/// Makes or takes the data and starts the only server.
fn alone(
    parameters: &Parameters,
    workspace: &Workspace,
    place: &Place,
    state: &mut State,
    kept: bool,
) -> Result<Child> {
    let blueprint = parameters.blueprint;
    let programs = find::find(blueprint, parameters.bin.as_deref())?;
    let launcher =
        Launcher { blueprint, programs: &programs, runner: Runner::of(place, kept, parameters.os_user.as_deref())? };
    let socket = move_in(&launcher, state, &parameters.settings)?;
    if !kept {
        launcher.make(&parameters.settings)?;
    }
    let sizing = Sizing::of(workspace, 1);
    let socket_text = socket.to_string_lossy();
    launcher.configure(&settings::configuration(blueprint, &sizing, &socket_text, &[], &parameters.settings))?;
    launcher.launch(state, &[], kept, |child| launcher.await_ready(child, &socket, &parameters.settings))
}

/// Lets the server's user in, has `settings` checked and makes the directory of the socket; returns the socket.
/// `state` holds at every moment what would have to be undone.
fn move_in(launcher: &Launcher<'_>, state: &mut State, settings: &[(String, String)]) -> Result<PathBuf> {
    launcher.runner.let_in(state)?;
    launcher.check_settings(settings)?;
    let directory = launcher.runner.make_socket_directory(state)?;
    Ok(directory.join(launcher.runner.place.product.socket_name))
}

impl Cluster {
    fn of(running: Running, name: String, is_copy: bool) -> Cluster {
        Cluster {
            socket: running.state.socket.clone().unwrap_or_default().join(running.place.product.socket_name),
            pid: running.pid,
            data_directory: running.place.data.clone(),
            name,
            is_copy,
            running,
        }
    }

    /// Stops the server; removes the data, or with `keep` leaves them for a later start in the same directory. Copies
    /// never stay: the first node has all that they have.
    ///
    /// # Errors
    /// Where the server cannot be stopped or something cannot be removed.
    pub(crate) fn stop(self, keep: bool) -> Result<()> {
        if keep && self.is_copy {
            // In order, so that the first node need not find out that this one is gone.
            let in_order = self.running.place.product.stop_in_order;
            // One that outlives this is ended by what follows.
            let _ = Process::of(self.pid).is_none_or(|process| end_process(process, in_order));
        }
        self.running.stop(keep && !self.is_copy)
    }
}

#[cfg(test)]
mod tests;
