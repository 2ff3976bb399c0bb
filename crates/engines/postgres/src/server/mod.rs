//! The temporary server behind `local:postgres`: a cluster in the measured directory, reached over a private Unix
//! socket, sized to the host, run by an unprivileged user, and removed at the end.

mod cluster;
mod find;
mod log;
mod parameter;
mod replica;
mod settings;
mod watch;

use std::path::{Path, PathBuf};
use std::process::Child;

use engine::{Result, Target, Workspace};
use server::{Line, Place, Product, Runner, Running, Signal, Sizing, State};

use self::cluster::Launcher;
use self::find::Wish;
use self::parameter::{Parameters, Synchronous};
use self::watch::Watch;
use crate::connect::Login;

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
    speech: &log::SPEECH,
    // Fast: with a last checkpoint. Immediate: without.
    stop_in_order: Signal::INT,
    stop_at_once: Signal::QUIT,
};

/// A running server that dbdyno started. It is stopped when this is dropped.
#[derive(Debug)]
pub(crate) struct Cluster {
    /// What it is called beside others.
    pub(crate) name: String,
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
    /// Of a primary whose commits wait for replicas; dropped before what it looks after.
    watch: Option<Watch>,
    running: Running,
    is_replica: bool,
}

/// Starts the servers that `target` asks for in `site.directory`, the primary first: on a new cluster, or on one that
/// was kept there, of which replicas are made anew.
///
/// # Errors
/// `Missing` without programs, `Usage` for parameters that cannot be, `NotOurs` where the place is taken by something
/// else, `Space` where it cannot be written, `Unreachable` where a server does not start.
pub(crate) fn start_all(target: &Target, workspace: &Workspace) -> Result<Vec<Cluster>> {
    let parameters = Parameters::of(target)?;
    // What a dead invocation left of replicas would be in the way, or stay.
    replica::clean_up(&workspace.directory)?;
    let running =
        Running::start(&PRODUCT, workspace, |place, state, kept| build(&parameters, workspace, place, state, kept))?;
    let mut clusters = vec![Cluster::of(running, "primary".to_owned(), false)];
    for number in 1..=parameters.replicas {
        let replica = replica::start(&parameters, workspace, number, &clusters[0])?;
        clusters.push(replica);
    }
    if parameters.replicas > 0 {
        replica::await_streaming(&clusters[0], parameters.replicas)?;
    }
    if parameters.synchronous != Synchronous::Off {
        let replicas: Vec<(u32, u32)> = (1..).zip(clusters[1..].iter().map(|cluster| cluster.postmaster_pid)).collect();
        clusters[0].watch = Watch::begin(clusters[0].login(), &replicas);
    }
    Ok(clusters)
}

/// Stops and removes what a dead invocation left in `directory`; says what it did, a line each.
pub(crate) fn clean_up(directory: &Path) -> Result<Vec<String>> {
    // Those that follow go first: a primary that is stopped in order waits for them.
    let mut said = replica::clean_up(directory)?;
    said.extend(server::clean_up(&PRODUCT, directory)?);
    Ok(said)
}

/// Makes or takes the cluster and starts its server; `state` holds at every moment what would have to be undone.
fn build(
    parameters: &Parameters,
    workspace: &Workspace,
    place: &Place,
    state: &mut State,
    kept: bool,
) -> Result<Child> {
    let kept_major = if kept { Some(cluster::kept_major(&place.data)?) } else { None };
    let wish = Wish { directory: parameters.bin.as_deref(), major: parameters.version.or(kept_major) };
    let programs = find::find(wish)?;
    let launcher = Launcher { programs: &programs, runner: Runner::of(place, kept, parameters.os_user.as_deref())? };
    launcher.runner.let_in(state)?;
    launcher.check_settings(&parameters.settings)?;
    let socket = launcher.runner.make_socket_directory(state)?;
    match kept {
        true => {
            launcher.check_kept(parameters.data_checksums)?;
            launcher.forget_replicas()?;
        }
        // Version 18 has them by default; figures of different versions shall compare.
        false => launcher.make(parameters.data_checksums.unwrap_or(true), workspace.keep)?,
    }
    run(&launcher, parameters, workspace, &socket, &replica::settings_of_primary(parameters), state)
}

/// Configures the cluster that lies there, starts its server and waits until it answers.
fn run(
    launcher: &Launcher<'_>,
    parameters: &Parameters,
    workspace: &Workspace,
    socket: &Path,
    own: &[Line],
    state: &mut State,
) -> Result<Child> {
    let sizing = Sizing::of(workspace, 1 + u64::from(parameters.replicas));
    let (major, asked) = (launcher.programs.major, &parameters.settings);
    launcher.configure(&settings::configuration(major, &sizing, &socket.to_string_lossy(), own, asked))?;
    launcher.launch(state, socket, asked)
}

impl Cluster {
    fn of(running: Running, name: String, is_replica: bool) -> Cluster {
        Cluster {
            name,
            socket_directory: running.state.socket.clone().unwrap_or_default(),
            port: PORT,
            user: USER.to_owned(),
            database: DATABASE.to_owned(),
            postmaster_pid: running.pid,
            data_directory: running.place.data.clone(),
            running,
            is_replica,
            watch: None,
        }
    }

    /// How to log in: without a password.
    pub(crate) fn login(&self) -> Login {
        Login::of_socket(&self.socket_directory, self.port, &self.user, &self.database)
    }

    /// Stops the server; removes the cluster, or with `keep` leaves it for a later start in the same directory. A
    /// replica is not worth keeping: it is a copy.
    ///
    /// # Errors
    /// Where the server cannot be stopped or something cannot be removed.
    pub(crate) fn stop(self, keep: bool) -> Result<()> {
        drop(self.watch);
        let keep = keep && !self.is_replica;
        self.running.stop(keep)
    }
}

#[cfg(test)]
mod tests;
