//! The temporary server behind `local:postgres`: a cluster in the measured directory, reached over a private Unix
//! socket, sized to the host, run by an unprivileged user, and removed at the end.

mod cluster;
mod find;
mod harmless;
mod launcher;
mod log;
mod monitor;
mod parameter;
mod replica;
mod settings;

use std::path::Path;
use std::process::Child;

use engine::{Result, Target, Workspace};
use server::{Paths, Runner, RunningServer, State};

pub(crate) use self::cluster::Cluster;
use self::cluster::PRODUCT;
use self::find::Requirement;
pub(crate) use self::harmless::HARMLESS;
use self::launcher::Launcher;
use self::monitor::ReplicaMonitor;
use self::parameter::{Parameters, Synchronous};

/// Which data stay when the servers of a target are stopped, if those of the workspace do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// Those of the primary: replicas are created anew with each start.
    Primary,
    /// Those of replicas, too: with the next start they are replicas again, unless they were promoted.
    All,
}

/// Starts the servers of `target` in `workspace.directory`, the primary first: on a new cluster, or on one that was
/// kept there.
pub(crate) fn start_all(target: &Target, workspace: &Workspace, kept: Kept) -> Result<Vec<Cluster>> {
    let parameters = Parameters::of(target)?;
    let keeps_replicas = workspace.keep && kept == Kept::All;
    if !keeps_replicas {
        // Replicas of a crashed invocation are never reused.
        replica::clean_up(&workspace.directory)?;
    }
    let running = RunningServer::start(&PRODUCT, workspace, |paths, state, kept| {
        build(&parameters, workspace, keeps_replicas, (paths, state, kept))
    })?;
    let mut clusters = vec![Cluster::of(running, "primary".to_owned(), true)];
    let workspace = Workspace { keep: keeps_replicas, ..workspace.clone() };
    for number in 1..=parameters.replicas {
        let replica = replica::start(&parameters, &workspace, number, &clusters[0])?;
        clusters.push(replica);
    }
    if parameters.replicas > 0 {
        replica::await_streaming(&clusters[0], parameters.replicas)?;
    }
    if parameters.synchronous != Synchronous::Off {
        let replicas: Vec<(u32, u32)> = (1..).zip(clusters[1..].iter().map(|cluster| cluster.postmaster_pid)).collect();
        clusters[0].monitor = ReplicaMonitor::start(clusters[0].login(), &replicas);
    }
    Ok(clusters)
}

/// Stops and removes what a crashed invocation left in `directory`; returns a line per action.
pub(crate) fn clean_up(directory: &Path) -> Result<Vec<String>> {
    // Replicas first: a clean shutdown of the primary waits for them.
    server::clean_up_all(replica::REPLICAS.iter().chain([&PRODUCT]), directory)
}

/// Creates or reuses the cluster and starts its server; the state records at every moment what has to be undone.
fn build(
    parameters: &Parameters,
    workspace: &Workspace,
    keeps_replicas: bool,
    (paths, state, kept): (&Paths, &mut State, bool),
) -> Result<Child> {
    let kept_major = if kept { Some(launcher::major_of(&paths.data)?) } else { None };
    let runner = Runner::of(paths, kept, parameters.os_user.as_deref())?;
    let programs = find::find(Requirement {
        directory: parameters.bin.as_deref(),
        major: parameters.version.or(kept_major),
        identity: Some(&runner.identity),
    })?;
    let launcher = Launcher { programs: &programs, runner };
    launcher.runner.grant_access(state)?;
    launcher.check_settings(&parameters.settings)?;
    let socket = launcher.runner.create_socket_directory(state)?;
    match kept {
        true => {
            launcher.check_kept(parameters.data_checksums)?;
            if !keeps_replicas {
                launcher.drop_replication_slots()?;
            }
        }
        // The default since version 18; figures of different versions must be comparable.
        false => launcher.init(parameters.data_checksums.unwrap_or(true), workspace.keep)?,
    }
    launcher.start(parameters, workspace, &socket, &replica::settings_of_primary(parameters), state)
}

#[cfg(test)]
mod tests;
