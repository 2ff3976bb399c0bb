//! Streaming replicas of the primary.
//!
//! Each has a directory, a socket and a state file of its own, so that it is cleaned up like any other server. The
//! primary retains WAL for each of them in a replication slot; a commit waits for synchronous ones.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Error, Kind, Result, Value, Workspace};
use server::{ConfigLine, Identity, Product, Runner, RunningServer};

use super::cluster::{Cluster, PORT, PRODUCT, USER};
use super::find::{self, Requirement};
use super::launcher::{self, Launcher};
use super::monitor::{slot, standby_names};
use super::parameter::{Parameters, REPLICAS_MAX, Synchronous};
use crate::session::PostgresSession;

/// Timeout for the start of streaming.
const STREAMING_TIMEOUT: Duration = Duration::from_secs(60);

/// One per replica: they differ in the directory.
pub(super) static REPLICAS: [Product; REPLICAS_MAX as usize] = [
    product("postgres-replica1"),
    product("postgres-replica2"),
    product("postgres-replica3"),
    product("postgres-replica4"),
    product("postgres-replica5"),
    product("postgres-replica6"),
    product("postgres-replica7"),
    product("postgres-replica8"),
];

const fn product(name: &'static str) -> Product {
    Product {
        name,
        socket_name: PRODUCT.socket_name,
        users: PRODUCT.users,
        data_option: PRODUCT.data_option,
        error_patterns: PRODUCT.error_patterns,
        shutdown_signal: PRODUCT.shutdown_signal,
        immediate_signal: PRODUCT.immediate_signal,
    }
}

/// Settings of a primary only.
pub(super) fn settings_of_primary(parameters: &Parameters) -> Vec<ConfigLine> {
    let mut settings = Vec::new();
    if parameters.replicas == 0 {
        return settings;
    }
    let slots = parameters.replicas.to_string();
    let mut push = |name, value, why| settings.push(ConfigLine { name, value, why });
    push("max_replication_slots", slots, "one per replica: WAL is retained until it is received");
    if parameters.synchronous != Synchronous::Off {
        let all: Vec<u32> = (1..=parameters.replicas).collect();
        push("synchronous_standby_names", standby_names(&all), "a commit waits for every replica");
        let level = parameters.synchronous.commit_level().to_owned();
        push("synchronous_commit", level, "what a commit waits for on each of them");
    }
    settings
}

/// Settings of the replica of the server whose socket is in `primary`.
fn settings_of_replica(primary: &Path, number: u32) -> Vec<ConfigLine> {
    let host = primary.to_string_lossy().replace('\\', "\\\\").replace('\'', "\\'");
    let connection = format!("host='{host}' port={} user={USER} application_name={}", PORT, slot(number));
    let line = |name, value, why| ConfigLine { name, value, why };
    vec![
        line("primary_conninfo", connection, "the primary"),
        line("primary_slot_name", slot(number), "the replication slot on the primary"),
        line("hot_standby", "on".to_owned(), "read-only queries are allowed"),
        line(
            "wal_receiver_status_interval",
            "1s".to_owned(),
            "after the loss of another replica, waiting commits continue within this time",
        ),
    ]
}

/// Copies the cluster of `primary`, unless a copy was kept that is still a replica, and starts a server on it.
pub(super) fn start(parameters: &Parameters, workspace: &Workspace, number: u32, primary: &Cluster) -> Result<Cluster> {
    let product = &REPLICAS[(number - 1) as usize];
    let started = RunningServer::start(product, workspace, |paths, state, kept| {
        let major = launcher::major_of(&primary.data_directory)?;
        // The user that may read the files of the primary.
        let identity = Identity::of_owner(&primary.running.paths, parameters.os_user.as_deref())?;
        let directory = parameters.bin.as_deref();
        let programs = find::find(Requirement { directory, major: Some(major), identity: Some(&identity) })?;
        let launcher = Launcher { programs: &programs, runner: Runner { identity, paths } };
        launcher.runner.grant_access(state)?;
        let socket = launcher.runner.create_socket_directory(state)?;
        // A promoted one has left the history of the primary.
        let is_replica = kept && workspace.keep && paths.data.join(launcher::STANDBY_SIGNAL).exists();
        if is_replica {
            make_slot(primary, number)?;
        } else {
            if paths.data.exists() {
                std::fs::remove_dir_all(&paths.data).map_err(|error| Error::of_path("remove", &paths.data, &error))?;
            }
            drop_slot(primary, number)?;
            launcher.copy(&primary.socket_directory, &slot(number))?;
        }
        let own = settings_of_replica(&primary.socket_directory, number);
        launcher.start(parameters, workspace, &socket, &own, state)
    });
    let name = format!("replica {number}");
    match started {
        Ok(running) => Ok(Cluster::of(running, name, workspace.keep)),
        Err(error) => Err(Error { message: format!("{name}: {}", error.message), ..error }),
    }
}

/// Makes the slot of a replica that was kept: the primary has removed it when it lost the replica.
fn make_slot(primary: &Cluster, number: u32) -> Result<()> {
    let name = slot(number);
    let slots = format!("select from pg_catalog.pg_replication_slots where slot_name = '{name}'");
    query(
        primary,
        &format!("select pg_catalog.pg_create_physical_replication_slot('{name}', true) where not exists ({slots})"),
    )
}

/// Removes the slot of an earlier copy, if there is one: a copy is made with a slot of its own.
fn drop_slot(primary: &Cluster, number: u32) -> Result<()> {
    let name = slot(number);
    query(
        primary,
        &format!(
            "select pg_catalog.pg_drop_replication_slot(slot_name) from pg_catalog.pg_replication_slots \
             where slot_name = '{name}'"
        ),
    )
}

fn query(primary: &Cluster, text: &str) -> Result<()> {
    let login = Arc::new(primary.login());
    PostgresSession::start(login.open(None)?, login.clone())?.query_sql(text).map(drop)
}

/// Waits until all replicas stream from `primary`: before that a commit might wait for one that never connects.
pub(super) fn await_streaming(primary: &Cluster, replicas: u32) -> Result<()> {
    let login = Arc::new(primary.login());
    let mut session = PostgresSession::start(login.open(None)?, login.clone())?;
    // A replica that has not reported a position yet is not synchronous.
    let streaming = "select count(*) from pg_catalog.pg_stat_replication where state = 'streaming' \
                     and flush_lsn is not null and (sync_priority = 0 or sync_state = 'sync')";
    let start = Instant::now();
    loop {
        let rows = session.query_sql(streaming)?;
        if rows == [[Value::Int(replicas.into())]] {
            return Ok(());
        }
        if start.elapsed() > STREAMING_TIMEOUT {
            let message =
                format!("not all of {replicas} replicas are streaming within {} s", STREAMING_TIMEOUT.as_secs());
            return Err(Error::new(Kind::Unreachable, message).hint("use fewer replicas, or see their logs"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Stops and removes the replicas that a crashed invocation left in `directory`; returns a line per action.
pub(super) fn clean_up(directory: &Path) -> Result<Vec<String>> {
    server::clean_up_all(&REPLICAS, directory)
}

#[cfg(test)]
mod tests;
