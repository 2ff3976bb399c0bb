//! The temporary servers behind `local:mariadb` and `local:mysql`: data in the measured directory, reached over a private
//! Unix socket only, sized to the host, run by an unprivileged user, and removed at the end.

mod find;
mod galera;
mod group;
mod harmless;
mod launcher;
mod log;
mod parameter;
mod settings;
mod spec;

use std::path::{Path, PathBuf};
use std::process::Child;

use engine::{Result, Target, Workspace};
use server::{Paths, Process, Runner, RunningServer, Sizing, State, terminate_process};

pub(crate) use self::harmless::HARMLESS;
use self::launcher::Launcher;
pub(crate) use self::launcher::USER;
use self::parameter::Parameters;
use self::spec::ServerSpec;
use crate::flavour::Flavour;

/// A running server that dbdyno started. It is stopped when this is dropped.
#[derive(Debug)]
pub(crate) struct Cluster {
    /// Its Unix socket.
    pub(crate) socket: PathBuf,
    /// Its process.
    pub(crate) pid: u32,
    /// The data directory.
    pub(crate) data_directory: PathBuf,
    /// Name among the nodes of a target; empty for a single one.
    pub(crate) name: String,
    /// Whether its data stay where those of the workspace do.
    is_kept: bool,
    running: RunningServer,
}

/// Which data stay when the servers of a target are stopped, if those of the workspace do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// Those of the first server: the others are made of copies of them with each start.
    First,
    /// Those of all: with the next start they are a cluster again, whatever way they have ended.
    All,
}

/// Starts the servers of `target` in `workspace.directory`: on new data, or on data that were kept there.
pub(crate) fn start(flavour: Flavour, target: &Target, workspace: &Workspace, kept: Kept) -> Result<Vec<Cluster>> {
    let parameters = Parameters::of(target, ServerSpec::of(flavour))?;
    let running = match parameters.nodes {
        1 => {
            let product = &parameters.spec.products[0];
            vec![RunningServer::start(product, workspace, |paths, state, kept| {
                start_single(&parameters, workspace, paths, state, kept)
            })?]
        }
        _ if workspace.keep && kept == Kept::All => group::start_kept(&parameters, workspace)?,
        _ => group::start(&parameters, workspace, Kept::First)?,
    };
    let names = (1..).map(|number| if parameters.nodes == 1 { String::new() } else { format!("node{number}") });
    Ok(running
        .into_iter()
        .zip(names)
        .enumerate()
        .map(|(index, (running, name))| Cluster::of(running, name, index == 0 || kept == Kept::All))
        .collect())
}

/// Stops and removes what a crashed invocation left of `flavour` in `directory`; returns a line per action.
pub(crate) fn clean_up(flavour: Flavour, directory: &Path) -> Result<Vec<String>> {
    server::clean_up_all(ServerSpec::of(flavour).products, directory)
}

/// Initialises or reuses the data and starts a single server.
fn start_single(
    parameters: &Parameters,
    workspace: &Workspace,
    paths: &Paths,
    state: &mut State,
    kept: bool,
) -> Result<Child> {
    let spec = parameters.spec;
    let runner = Runner::of(paths, kept, parameters.os_user.as_deref())?;
    let programs = find::find(spec, parameters.bin.as_deref(), Some(&runner.identity))?;
    let launcher = Launcher { spec, programs: &programs, runner };
    let socket = launcher.prepare(state, &parameters.settings)?;
    let sizing = Sizing::of(workspace, 1);
    if !kept {
        launcher.init(&parameters.settings, parameters.kept_log_size(&sizing).as_deref())?;
    }
    let socket_text = socket.to_string_lossy();
    launcher.configure(&spec.configuration(&sizing, &socket_text, &[], &parameters.settings))?;
    launcher.launch(state, &[], kept, |child| launcher.await_ready(child, &socket, &parameters.settings))
}

impl Cluster {
    fn of(running: RunningServer, name: String, is_kept: bool) -> Cluster {
        Cluster {
            socket: running.state.socket.clone().unwrap_or_default().join(running.paths.product.socket_name),
            pid: running.pid,
            data_directory: running.paths.data.clone(),
            name,
            is_kept,
            running,
        }
    }

    /// Stops the server; removes the data, or with `keep` keeps them for a later start in the same directory. Copies
    /// are kept where each start of them was asked to.
    pub(crate) fn stop(self, keep: bool) -> Result<()> {
        if keep && !self.is_kept {
            // A clean shutdown, so that the first node need not detect a failure.
            let signal = self.running.paths.product.shutdown_signal;
            // If it fails, the stop below terminates the server.
            let _ = Process::of(self.pid).is_none_or(|process| terminate_process(process, signal));
        }
        self.running.stop(keep && self.is_kept)
    }
}

#[cfg(test)]
mod tests;
