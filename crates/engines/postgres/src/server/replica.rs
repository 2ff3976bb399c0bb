//! Servers that follow the primary: copies of its cluster that repeat its log as it is written.
//!
//! Each has a directory, a socket and a state of its own, so that what is left of one is found like that of any server.
//! The primary keeps the log for each of them in a slot; synchronous ones are those that a commit waits for.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Error, Kind, Result, Value, Workspace};
use server::{Identity, Line, Product, Runner, Running};

use super::cluster::Launcher;
use super::find::{self, Wish};
use super::parameter::{Parameters, REPLICAS_MAX, Synchronous};
use super::{Cluster, PRODUCT, USER, cluster, run};
use crate::session::PostgresSession;

/// How long replicas may take until they follow.
const FOLLOW_LIMIT: Duration = Duration::from_secs(60);

/// One for each replica: they differ in the folder.
static REPLICAS: [Product; REPLICAS_MAX as usize] = [
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
        variables: PRODUCT.variables,
        data_option: PRODUCT.data_option,
        speech: PRODUCT.speech,
        stop_in_order: PRODUCT.stop_in_order,
        stop_at_once: PRODUCT.stop_at_once,
    }
}

/// What the replica and its slot are called on the primary.
fn slot(number: u32) -> String {
    format!("replica{number}")
}

/// The value of `synchronous_standby_names` that has a commit wait for each of `replicas`.
pub(super) fn standby_names(replicas: &[u32]) -> String {
    let names: Vec<String> = replicas.iter().map(|number| slot(*number)).collect();
    if names.is_empty() { String::new() } else { format!("FIRST {} ({})", names.len(), names.join(", ")) }
}

/// What is particular to a primary.
pub(super) fn settings_of_primary(parameters: &Parameters) -> Vec<Line> {
    let mut settings = Vec::new();
    if parameters.replicas == 0 {
        return settings;
    }
    let slots = parameters.replicas.to_string();
    let mut push = |name, value, why| settings.push(Line { name, value, why });
    push("max_replication_slots", slots, "one per replica: no log goes before it has been read");
    if parameters.synchronous != Synchronous::Off {
        let all: Vec<u32> = (1..=parameters.replicas).collect();
        push("synchronous_standby_names", standby_names(&all), "a commit waits for every replica");
        let level = parameters.synchronous.commit_level().to_owned();
        push("synchronous_commit", level, "how far each of them must be");
    }
    settings
}

/// What is particular to the replica that follows the server behind the socket in `primary`.
fn settings_of_replica(primary: &Path, number: u32) -> Vec<Line> {
    let host = primary.to_string_lossy().replace('\\', "\\\\").replace('\'', "\\'");
    let connection = format!("host='{host}' port={} user={USER} application_name={}", super::PORT, slot(number));
    let line = |name, value, why| Line { name, value, why };
    vec![
        line("primary_conninfo", connection, "whom it follows"),
        line("primary_slot_name", slot(number), "what the primary keeps the log under"),
        line("hot_standby", "on".to_owned(), "it answers readers"),
        line(
            "wal_receiver_status_interval",
            "1s".to_owned(),
            "what waits for another that has died goes on after this",
        ),
    ]
}

/// Copies the cluster of `primary` and starts a server on it.
pub(super) fn start(parameters: &Parameters, workspace: &Workspace, number: u32, primary: &Cluster) -> Result<Cluster> {
    let workspace = Workspace { keep: false, ..workspace.clone() };
    let product = &REPLICAS[(number - 1) as usize];
    let started = Running::start(product, &workspace, |place, state, _| {
        let major = cluster::kept_major(&primary.data_directory)?;
        let programs = find::find(Wish { directory: parameters.bin.as_deref(), major: Some(major) })?;
        // The one who may read what the primary writes.
        let identity = Identity::of_owner(&primary.running.place, parameters.os_user.as_deref())?;
        let launcher = Launcher { programs: &programs, runner: Runner { identity, place } };
        launcher.runner.let_in(state)?;
        let socket = launcher.runner.make_socket_directory(state)?;
        launcher.copy(&primary.socket_directory, &slot(number))?;
        let own = settings_of_replica(&primary.socket_directory, number);
        run(&launcher, parameters, &workspace, &socket, &own, state)
    });
    let name = format!("replica {number}");
    match started {
        Ok(running) => Ok(Cluster::of(running, name, true)),
        Err(error) => Err(Error { message: format!("{name}: {}", error.message), ..error }),
    }
}

/// Waits until all replicas follow `primary`: before that a commit might wait for one that never comes.
pub(super) fn await_streaming(primary: &Cluster, replicas: u32) -> Result<()> {
    let login = Arc::new(primary.login());
    let mut session = PostgresSession::start(login.open(None)?, login.clone())?;
    // One that has not yet said how far it is, is none that a commit waits for.
    let following = "select count(*) from pg_catalog.pg_stat_replication where state = 'streaming' \
                     and flush_lsn is not null and (sync_priority = 0 or sync_state = 'sync')";
    let begun = Instant::now();
    loop {
        let rows = session.ask(following)?;
        if rows == [[Value::Int(replicas.into())]] {
            return Ok(());
        }
        if begun.elapsed() > FOLLOW_LIMIT {
            let message = format!("not all of {replicas} replicas follow within {} s", FOLLOW_LIMIT.as_secs());
            return Err(Error::new(Kind::Unreachable, message).hint("ask for fewer replicas, or see their logs"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Stops and removes the replicas that a dead invocation left in `directory`; says what it did, a line each.
pub(super) fn clean_up(directory: &Path) -> Result<Vec<String>> {
    let said: Result<Vec<Vec<String>>> = REPLICAS.iter().map(|product| server::clean_up(product, directory)).collect();
    Ok(said?.concat())
}

#[cfg(test)]
mod tests;
