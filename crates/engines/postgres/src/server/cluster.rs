//! A running temporary server.

use std::path::PathBuf;

use engine::Result;
use server::{Product, RunningServer, Signal};

use super::log;
use super::monitor::ReplicaMonitor;
use crate::connect::Login;

/// The superuser that `initdb` creates.
pub(super) const USER: &str = "dbdyno";
/// A database that every cluster has.
pub(super) const DATABASE: &str = "postgres";
/// Part of the socket name.
pub(super) const PORT: u16 = 5432;

pub(super) static PRODUCT: Product = Product {
    name: "postgres",
    socket_name: ".s.PGSQL.5432",
    users: &["postgres", "nobody"],
    data_option: "-D",
    error_patterns: &log::ERROR_PATTERNS,
    // Fast shutdown, with a checkpoint; immediate shutdown, without.
    shutdown_signal: Signal::INT,
    immediate_signal: Signal::QUIT,
};

/// A running server that dbdyno started. It is stopped when this is dropped.
#[derive(Debug)]
pub(crate) struct Cluster {
    /// Name among the servers of a target.
    pub(crate) name: String,
    /// Directory of the Unix socket.
    pub(crate) socket_directory: PathBuf,
    /// Port, which is part of the socket's name.
    pub(crate) port: u16,
    /// Role to connect as, without password.
    pub(crate) user: String,
    /// Database to connect to.
    pub(crate) database: String,
    /// The postmaster process.
    pub(crate) postmaster_pid: u32,
    /// The data directory.
    pub(crate) data_directory: PathBuf,
    /// Of a primary with synchronous replicas; dropped before the server.
    pub(super) monitor: Option<ReplicaMonitor>,
    pub(super) running: RunningServer,
    /// Whether its data stay where those of the workspace do.
    is_kept: bool,
}

impl Cluster {
    pub(super) fn of(running: RunningServer, name: String, is_kept: bool) -> Cluster {
        Cluster {
            name,
            socket_directory: running.state.socket.clone().unwrap_or_default(),
            port: PORT,
            user: USER.to_owned(),
            database: DATABASE.to_owned(),
            postmaster_pid: running.pid,
            data_directory: running.paths.data.clone(),
            running,
            is_kept,
            monitor: None,
        }
    }

    /// Login without password.
    pub(crate) fn login(&self) -> Login {
        Login::of_socket(&self.socket_directory, self.port, &self.user, &self.database)
    }

    /// Stops the server; removes the cluster, or with `keep` keeps it for a later start in the same directory. Replicas
    /// are kept where each start of them was asked to.
    pub(crate) fn stop(self, keep: bool) -> Result<()> {
        drop(self.monitor);
        self.running.stop(keep && self.is_kept)
    }
}
